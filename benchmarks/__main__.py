"""Print all figures, side by side from one run, or those named: `python -m benchmarks search latency`.

`--few` looks at a few of what takes long: `python -m benchmarks --few problems memory`.

Programmes with options of their own: `python -m benchmarks load --help`.
"""

import sys
from functools import partial

import click

from benchmarks import (
    big_boards,
    cost,
    frames,
    fuzz,
    hoppers_search,
    jobs,
    judgement,
    latency,
    live,
    load,
    memory,
    problems,
    prompt,
    simulate,
    sliding,
    stopping,
)

REPORTS = {
    "search": hoppers_search.report,
    "latency": latency.report,
    "cost": cost.report,
    "sliding": sliding.report,
    "boards": big_boards.report,
    "problems": problems.report,
    "memory": memory.report,
    "jobs": jobs.report,
    "judgement": judgement.report,
    "live": live.report,
    "stopping": stopping.report,
    "frames": frames.report,
}
FEW = {
    "problems": partial(problems.report, few=True),
    "memory": partial(memory.report, few=True),
    "judgement": partial(judgement.report, few=True),
    "live": partial(live.report, few=True),
    "stopping": partial(stopping.report, few=True),
}
PROGRAMMES: dict[str, click.Command] = {
    "load": load.load,
    "busy": prompt.busy,
    "cancel": prompt.cancel,
    "fuzz": fuzz.fuzz,
    "simulate": simulate.simulate,
}

if __name__ == "__main__":
    if sys.argv[1:] and sys.argv[1] in PROGRAMMES:
        PROGRAMMES[sys.argv[1]](sys.argv[2:], prog_name=f"python -m benchmarks {sys.argv[1]}")
    names = [name for name in sys.argv[1:] if name != "--few"]
    reports = {**REPORTS, **FEW} if "--few" in sys.argv else REPORTS
    unknown = set(names) - REPORTS.keys()
    if unknown:
        sys.exit(f"no report {', '.join(sorted(unknown))}; there are {', '.join([*REPORTS, *PROGRAMMES])}")
    for name, report in reports.items():
        if name in names or not names:
            for line in report():
                print(line, flush=True)
