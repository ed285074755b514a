"""Print all figures, side by side from one run, or those named: `python -m benchmarks search latency`.

Programmes with options of their own: `python -m benchmarks load --help`.
"""

import sys

from . import big_boards, fuzz, hoppers_search, judgement, latency, load, memory, problems, simulate, sliding

REPORTS = {
    "search": hoppers_search.report,
    "latency": latency.report,
    "sliding": sliding.report,
    "boards": big_boards.report,
    "problems": problems.report,
    "memory": memory.report,
    "judgement": judgement.report,
}
PROGRAMMES = {"load": load.load, "fuzz": fuzz.fuzz, "simulate": simulate.simulate}

if __name__ == "__main__":
    if sys.argv[1:] and sys.argv[1] in PROGRAMMES:
        PROGRAMMES[sys.argv[1]](sys.argv[2:], prog_name=f"python -m benchmarks {sys.argv[1]}")
    unknown = set(sys.argv[1:]) - REPORTS.keys()
    if unknown:
        sys.exit(f"no report {', '.join(sorted(unknown))}; there are {', '.join([*REPORTS, *PROGRAMMES])}")
    for name, report in REPORTS.items():
        if name in sys.argv[1:] or not sys.argv[1:]:
            print("\n".join(report()), flush=True)
