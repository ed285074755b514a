"""Print all figures, side by side from one run: `python -m benchmarks [search|latency|sliding|boards]`."""

import sys

from . import big_boards, hoppers_search, latency, sliding

REPORTS = {
    "search": hoppers_search.report,
    "latency": latency.report,
    "sliding": sliding.report,
    "boards": big_boards.report,
}

if __name__ == "__main__":
    unknown = set(sys.argv[1:]) - REPORTS.keys()
    if unknown:
        sys.exit(f"no report {', '.join(sorted(unknown))}; there are {', '.join(REPORTS)}")
    for name, report in REPORTS.items():
        if name in sys.argv[1:] or not sys.argv[1:]:
            print("\n".join(report()), flush=True)
