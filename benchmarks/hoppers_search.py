"""Time to find all 18 Hoppers solutions by iterative deepening; rivals: C and plain Python.

The programs take turns, so that noise of the machine affects all alike. The rivals make every jump. This
project's kernel counts the children of a position without making their jumps if all of them would be pruned.
"""

import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from benchmarks.rivals import compile_c
from hoppers.core.events import Exhausted, Solved
from hoppers.core.puzzle import Question
from tests.engine import find

ROUNDS = 9
RUNS = 40  # of a compiled program in one round
START, GOAL, FIRST = "oooooo.oooooo", 6, (0, 6)
LOWEST, HIGHEST = 2, 7


class Run(NamedTuple):
    """Nodes of limits 2 to 7, solutions, and seconds of one run of all limits."""

    nodes: int
    solutions: int
    seconds: float


def compare() -> dict[str, list[Run]]:
    """Run all programs in turns; return the runs of each by its name."""
    with tempfile.TemporaryDirectory() as folder:
        programs = {"this project": compiled, "C": c_program(Path(folder)), "plain Python": in_python}
        present = {name: run for name, run in programs.items() if run is not None}
        for run in present.values():
            run()
        rounds = [{name: run() for name, run in present.items()} for _ in range(ROUNDS)]
    return {name: [one[name] for one in rounds] for name in present}


def compiled() -> Run:
    """Run the project's own search with all its events."""
    puzzle = find("hoppers")
    position = puzzle.parse(START)
    question = Question(puzzle, GOAL, position, True, puzzle.step(position, *FIRST))
    began = time.perf_counter()
    for _ in range(RUNS):
        events = list(puzzle.method("deepening").search(question))
    seconds = (time.perf_counter() - began) / RUNS
    counted = [event for event in events if isinstance(event, Exhausted | Solved) and event.limit >= LOWEST]
    last = counted[-1]
    solutions = last.count if isinstance(last, Solved) else None
    return Run(sum(event.nodes for event in counted), solutions or 0, seconds)


def in_python() -> Run:
    """Run the same algorithm in plain Python."""
    jumps = [(1 << a | 1 << b | 1 << c, 1 << a | 1 << b, a, c) for a, b, c in find("hoppers").board.jumps]
    nodes = solutions = 0

    def descend(state: int, active: int, spent: int, limit: int) -> None:
        nonlocal nodes, solutions
        nodes += 1
        if spent > limit:
            return
        if state == 1 << GOAL:
            solutions += 1
            return
        for mask, pegs, origin, target in jumps:
            if state & mask == pegs:
                descend(state ^ mask, target, spent + (origin != active), limit)

    began = time.perf_counter()
    for limit in range(LOWEST, HIGHEST + 1):
        descend(((1 << 13) - 1) ^ 0b1001, GOAL, 1, limit)
    return Run(nodes, solutions, time.perf_counter() - began)


def c_program(folder: Path) -> Callable[[], Run] | None:
    """Compile the same algorithm in C and return a function that runs it, or None without a compiler."""
    program = compile_c("deepening", folder)
    if program is None:
        return None
    jumps = "\n".join(f"{a} {b} {c}" for a, b, c in find("hoppers").board.jumps)

    def run() -> Run:
        done = subprocess.run([program, str(RUNS)], input=jumps, text=True, capture_output=True, check=True)
        nodes, solutions, seconds = done.stdout.split()
        return Run(int(nodes), int(solutions), float(seconds))

    return run


def report() -> list[str]:
    """Return the lines of the report."""
    runs = compare()
    medians = {name: statistics.median(run.seconds for run in all_runs) for name, all_runs in runs.items()}
    ours = medians["this project"]
    lines = ["All 18 solutions of Hoppers after 0-6, plain deepening, limits 2 to 7 (median of rounds):"]
    for name, all_runs in runs.items():
        nodes, solutions, _ = all_runs[0]
        lines.append(
            f"  {name:13} {medians[name] * 1000:9.3f} ms  {nodes:,} nodes  {solutions} solutions"
            f"  {nodes / medians[name] / 1e6:6.1f} M nodes/s  {medians[name] / ours:6.2f} x our time"
        )
    return lines
