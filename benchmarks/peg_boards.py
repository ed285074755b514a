"""Peg boards: searches of Modified triangle 21 and English 33, and building tables; CPU time and memory."""

import resource
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.rivals import compile_c
from hoppers.core.events import Exhausted, Solved
from hoppers.core.model import Position
from hoppers.core.puzzle import Puzzle, Question
from hoppers.puzzles.pegs.bitboards.jump_masks import shift_groups
from hoppers.puzzles.pegs.large_board import BigBoard
from hoppers.puzzles.pegs.table_builds import load_or_build_table
from hoppers.puzzles.pegs.tables import winning_table
from hoppers.puzzles.pegs.tables.complete_table import fill_table
from hoppers.tablebase.builder import finish
from tests.engine import find

FIRST, GOAL, LOWEST, HIGHEST = (14, 6), 6, 1, 12
PYTHON_HIGHEST = 11  # plain Python would need minutes for limit 12


class SearchResult(NamedTuple):
    """Nodes, solutions and CPU seconds of all limits of the 21-hole problem."""

    nodes: int
    solutions: int | None
    seconds: float


def ours(method: str) -> SearchResult:
    """Run the project's own search with all its events."""
    puzzle = find("triangle-21")
    position = puzzle.parse(puzzle.start)
    question = Question(puzzle, GOAL, position, True, puzzle.step(position, *FIRST))
    began = time.process_time()
    events = list(puzzle.method(method).search(question))
    seconds = time.process_time() - began
    end = events[-1]
    nodes = sum(event.nodes for event in events if isinstance(event, Exhausted | Solved))
    return SearchResult(nodes, end.count if isinstance(end, Solved) else None, seconds)


def in_c(regions: list[int]) -> SearchResult | None:
    """Run the same algorithm in C; return None if there is no compiler."""
    puzzle = find("triangle-21")
    root = puzzle.step(puzzle.parse(puzzle.start), *FIRST).after.state
    jumps = puzzle.board.jumps
    lines = [str(len(jumps)), *(f"{a} {b} {c}" for a, b, c in jumps), str(len(regions)), *map(str, regions)]
    with tempfile.TemporaryDirectory() as folder:
        program = compile_c("regions", Path(folder))
        if program is None:
            return None
        arguments = [program, *map(str, (root, FIRST[1], GOAL, LOWEST, HIGHEST))]
        done = subprocess.run(arguments, input="\n".join(lines), text=True, capture_output=True, check=True)
    nodes, solutions, seconds = done.stdout.split()
    return SearchResult(int(nodes), int(solutions), float(seconds))


def in_python(regions: list[int]) -> SearchResult:
    """Run the same algorithm in plain Python, up to limit `PYTHON_HIGHEST`."""
    puzzle = find("triangle-21")
    jumps = [(1 << a | 1 << b | 1 << c, 1 << a | 1 << b, a, c) for a, b, c in puzzle.board.jumps]
    nodes = 0

    def bound(state: int, active: int) -> int:
        state, count = state & ~(1 << active), 0
        for region in regions:
            if state & region == region:
                state, count = state ^ region, count + 1
        return count

    def descend(state: int, active: int, spent: int, limit: int) -> None:
        nonlocal nodes
        nodes += 1
        if spent > limit or state == 1 << GOAL or spent + bound(state, active) > limit:
            return
        for mask, pegs, origin, target in jumps:
            if state & mask == pegs:
                descend(state ^ mask, target, spent + (origin != active), limit)

    root = puzzle.step(puzzle.parse(puzzle.start), *FIRST).after.state
    began = time.process_time()
    for limit in range(LOWEST, PYTHON_HIGHEST + 1):
        descend(root, FIRST[1], 1, limit)
    return SearchResult(nodes, None, time.process_time() - began)


def searches() -> Iterator[str]:
    """Compare methods and rivals on the 21-hole problem."""
    yield "Triangle 21, vacancy and finish 6, first jump 14-6, all shortest solutions:"
    all_regions = [int(region) for region in find("triangle-21").rules.tables.regions]
    corners = [region for region in all_regions if region.bit_count() == 1]
    rows: list[tuple[str, Callable[[], SearchResult | None]]] = [
        *((f"this project, {m}", partial(ours, m)) for m in ("corners", "merson", "classes")),
        ("C, corners", lambda: in_c(corners)),
        ("C, merson", lambda: in_c(all_regions)),
        (f"plain Python, merson to {PYTHON_HIGHEST}", lambda: in_python(all_regions)),
    ]
    for method in ("corners", "merson", "classes"):
        ours(method)  # compiles
    for name, run in rows:
        result = run()
        if result is not None:
            rate = result.nodes / result.seconds / 1e6
            yield f"  {name:28} {result.nodes:12,} nodes {result.seconds:8.3f} s {rate:7.2f} M/s"


def _start(puzzle_id: str) -> tuple[Puzzle, int, Position]:
    puzzle = find(puzzle_id)
    return puzzle, puzzle.parse_goal(None), puzzle.parse(puzzle.start)


def timed(run: Callable[[], Any], times: int = 3) -> tuple[Any, float]:
    """Return the result and the median CPU seconds, after one run that may compile."""
    run()
    seconds, result = [], None
    for _ in range(times):
        began = time.process_time()
        result = run()
        seconds.append(time.process_time() - began)
    return result, statistics.median(seconds)


def _built(board: BigBoard, goal: int, start: Position, threads: int) -> Any:
    return finish(load_or_build_table(board, goal, start.state, from_file=False, threads=threads))


def tables() -> Iterator[str]:
    """Measure building complete tables and winning tables."""
    yield "Tables, warm (median of 3):"
    for puzzle_id in ("hoppers", "triangle-15", "triangle-21"):
        board = find(puzzle_id).board
        for goal in (6, -1):
            name = f"{puzzle_id}, finish {'anywhere' if goal < 0 else goal}"
            holes, shifts = len(board.points), shift_groups(board.jumps)
            ends = np.array([1 << end for end in (range(holes) if goal < 0 else [goal])], np.uint32)
            table, seconds = timed(partial(fill_table, ends, holes, shifts))
            yield f"  {name:34} {seconds * 1e3:9.2f} ms  {table.nbytes / 1e6:8.2f} MB"
    puzzle, goal, start = _start("english-33")
    large = BigBoard(puzzle.board.jumps, puzzle.board.symmetries)
    for threads in (1, 2):
        built, seconds = timed(partial(_built, large, goal, start, threads))
        yield f"  english-33, built, {threads} thread(s)    {seconds:9.2f} s   {built.bytes / 1e6:8.2f} MB"
    numbering, path = built.table.numbering, winning_table.bundled_path(large.problem(goal, start.state))
    _, seconds = timed(lambda: finish(winning_table.unpack_table(path.read_bytes(), numbering)))
    size = path.stat().st_size / 1e6
    yield f"  the same, loaded from its file             {seconds:9.2f} s   {size:8.2f} MB on disk"


def both_ends() -> Iterator[str]:
    """Measure a proof by bidirectional search, limit by limit."""
    yield "English 33, centre to centre, bidirectional search:"
    puzzle, goal, start = _start("english-33")
    for event in puzzle.method("both-ends").search(Question(puzzle, goal, start)):
        if isinstance(event, Exhausted | Solved) and event.limit >= 14:
            yield f"  limit {event.limit} {event.nodes:12,} nodes {event.seconds:8.2f} s"


def report() -> Iterator[str]:
    """Yield the lines of the report."""
    for part in (searches, tables, both_ends):
        yield from part()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    yield f"Peak memory of the process: {peak:,.0f} MB"


if __name__ == "__main__":
    for line in report():
        print(line, flush=True)
