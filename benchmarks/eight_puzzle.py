"""Time to find all 40 solutions of the farthest 8-puzzle by plain deepening; rival: C; CPU time.

Both programs count 241 million nodes, and take turns. The C makes every slide. This project's kernel counts
the slides that the limit would cut at once without making them.
"""

import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from benchmarks.rivals import compile_c
from hoppers.core.events import Solved
from hoppers.core.puzzle import Question
from tests.engine import find

ROUNDS = 5
START = "867254301"


class Run(NamedTuple):
    """Nodes of all limits, solutions, and CPU seconds."""

    nodes: int
    solutions: int | None
    seconds: float


def ours() -> Run:
    """Run the project's own search with all its events."""
    puzzle = find("eight-puzzle")
    question = Question(puzzle, puzzle.parse_goal(None), puzzle.parse(START), True)
    began = time.process_time()
    *_, end = puzzle.method("deepening").search(question)
    assert isinstance(end, Solved)
    return Run(end.total_nodes, end.count, time.process_time() - began)


def in_c(program: str) -> Run:
    """Run the same algorithm in C."""
    done = subprocess.run([program], input=START, text=True, capture_output=True, check=True)
    nodes, solutions, seconds = done.stdout.split()
    return Run(int(nodes), int(solutions), float(seconds))


def report() -> list[str]:
    """Return the lines of the report."""
    with tempfile.TemporaryDirectory() as folder:
        program = compile_c("tiles", Path(folder))
        programs: dict[str, Callable[[], Run]] = {"this project": ours}
        if program is not None:
            programs["C"] = lambda: in_c(program)
        ours()  # compiles
        rounds = [{name: run() for name, run in programs.items()} for _ in range(ROUNDS)]
    medians = {name: statistics.median(runs[name].seconds for runs in rounds) for name in programs}
    lines = ["8-puzzle from 867254301, plain deepening, all limits, all solutions (median of rounds):"]
    for name, seconds in medians.items():
        nodes, solutions, _ = rounds[0][name]
        rate, ratio = nodes / seconds / 1e6, seconds / medians["this project"]
        lines.append(
            f"  {name:13} {seconds:8.3f} s  {nodes:,} nodes  {solutions} solutions"
            f"  {rate:6.1f} M nodes/s  {ratio:5.2f} x our time"
        )
    return lines
