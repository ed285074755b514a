"""CPU time and memory of building tables of peg boards, and of a bidirectional search, in process."""

import resource
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from hoppers.core.events import Exhausted, Solved
from hoppers.core.model import Position
from hoppers.core.puzzle import Puzzle, Question
from hoppers.puzzles.pegs.jump_masks import shift_groups
from hoppers.puzzles.pegs.peg_board import PegBoard
from hoppers.puzzles.pegs.table_builds import load_or_build_table
from hoppers.puzzles.pegs.tables import winning_table
from hoppers.puzzles.pegs.tables.complete_table import fill_table
from hoppers.tablebase.builder import finish
from tests.support.engine import find


def _start(puzzle_id: str) -> tuple[Puzzle, int, Position]:
    puzzle = find(puzzle_id)
    return puzzle, puzzle.parse_goal(None), puzzle.parse(puzzle.start)


def timed(run: Callable[[], Any], times: int = 3) -> tuple[Any, float]:
    """Return the result of `run` and its median CPU seconds in `times` runs, after one that may compile."""
    run()
    seconds, result = [], None
    for _ in range(times):
        began = time.process_time()
        result = run()
        seconds.append(time.process_time() - began)
    return result, statistics.median(seconds)


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
    large = PegBoard(puzzle.board)
    built, seconds = timed(lambda: finish(load_or_build_table(large, goal, start.state, from_file=False)))
    yield f"  english-33, classic, built  {seconds:9.2f} s   {built.bytes / 1e6:8.2f} MB"
    numbering, path = built.numbering, winning_table.bundled_path(large.table_name(goal, start.state))
    _, seconds = timed(lambda: finish(winning_table.unpack_table(path.read_bytes(), numbering)))
    size = path.stat().st_size / 1e6
    yield f"  the same, loaded from its file             {seconds:9.2f} s   {size:8.2f} MB on disk"


def proof() -> Iterator[str]:
    """Measure a proof by bidirectional search, limit by limit."""
    yield "English 33, centre to centre, bidirectional search:"
    puzzle, goal, start = _start("english-33")
    for event in puzzle.method("bidirectional").search(Question(puzzle, goal, start)):
        if isinstance(event, Exhausted | Solved) and event.limit >= 14:
            yield f"  limit {event.limit} {event.nodes:12,} nodes {event.seconds:8.2f} s"


def report() -> Iterator[str]:
    """Yield the lines of the report."""
    for part in (tables, proof):
        yield from part()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    yield f"Peak memory of the process: {peak:,.0f} MB"


if __name__ == "__main__":
    for line in report():
        print(line, flush=True)
