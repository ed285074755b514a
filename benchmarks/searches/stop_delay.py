"""Delay of Stop: the longest time between two points at which each kind of work can be stopped."""

import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.searches.proofs import compile_searches
from benchmarks.searches.verdict_times import backwards
from hoppers.core.model import Position
from hoppers.core.puzzle import Puzzle, Question
from hoppers.puzzles.pegs.beam_search import beam_search
from hoppers.puzzles.pegs.bidirectional.search import search
from hoppers.puzzles.pegs.pagoda import PagodaSet
from hoppers.puzzles.pegs.peg_board import PegBoard
from hoppers.puzzles.pegs.table_builds import numbering_of
from hoppers.puzzles.pegs.tables.closure import build_closure
from hoppers.puzzles.pegs.tables.winning_table import build
from hoppers.tablebase import table_files
from hoppers.tablebase.solutions import solution_graph
from tests.support.engine import find

SECONDS = 12.0  # processor time after which work is abandoned
FEW_SECONDS = 2.0
LOADING_SECONDS = 0.5
AIM = 0.05  # seconds within which everything should stop


class LongestStep(NamedTuple):
    """Longest step of some work, in processor and wall-clock seconds; number of steps; whether it ended."""

    processor: float
    wall: float
    steps: int
    whole: bool


def longest(steps: Iterator[Any], seconds: float) -> LongestStep:
    """Measure the longest step of work, which is abandoned after `seconds` of processor time."""
    processor = wall = 0.0
    number, began = 0, time.thread_time()
    cpu, now = began, time.perf_counter()
    whole = True
    for _ in steps:
        after, later = time.thread_time(), time.perf_counter()
        processor, wall, number = max(processor, after - cpu), max(wall, later - now), number + 1
        if after - began > seconds:
            whole = False
            break
        cpu, now = time.thread_time(), time.perf_counter()
    return LongestStep(processor, wall, number, whole)


def _vacated(puzzle: Puzzle, start: int, goal: int) -> Question:
    return Question(puzzle, goal, Position((1 << puzzle.holes) - 1 ^ 1 << start))


def _proof(puzzle_id: str, start: int, goal: int) -> Iterator[Any]:
    return search(_vacated(find(puzzle_id), start, goal))


def _beam() -> Iterator[Any]:
    puzzle = find("french-37")
    return beam_search(_vacated(puzzle, 0, 19))


def _closure(puzzle_id: str) -> Iterator[Any]:
    puzzle = find(puzzle_id)
    board = PegBoard(puzzle.board)
    state = backwards(puzzle, random.Random(24), 24).state
    pagodas = PagodaSet(board.jumps, board.holes, board.shifts)
    return build_closure([state], -1, board.shifts, 10_000_000, pagodas, board.ends(-1, state))


def _table(start: int, goal: int) -> Iterator[Any]:
    """Build, write and read a winning table."""
    puzzle = find("english-33")
    board, state = PegBoard(puzzle.board), (1 << 33) - 1 ^ 1 << start
    numbering = numbering_of(board, goal, state)
    made = yield from build(state, board.ends(goal, state), board.holes, numbering)
    yield from table_files.save("table", made)
    yield from table_files.load("table")


def _deepening(puzzle_id: str, method: str) -> Iterator[Any]:
    puzzle = find(puzzle_id)
    question = Question(puzzle, puzzle.parse_goal(None), puzzle.parse(puzzle.start))
    return puzzle.method(method).search(question)


def _counting() -> Iterator[Any]:
    puzzle = find("triangle-21")
    goal = puzzle.parse_goal(None)
    return solution_graph(puzzle, goal, puzzle.parse(puzzle.start), puzzle.source(goal).moves_left)


KINDS: dict[str, Callable[[], Iterator[Any]]] = {
    "proof, English 16 to 16": lambda: _proof("english-33", 16, 16),
    "proof, English 0 to 0": lambda: _proof("english-33", 0, 0),
    "proof, French 0 to 19": lambda: _proof("french-37", 0, 19),
    "proof, Diamond 6 to 9": lambda: _proof("diamond-41", 6, 9),
    "beam search": _beam,
    "closure, English": lambda: _closure("english-33"),
    "closure, French": lambda: _closure("french-37"),
    "winning table, 3 to 3": lambda: _table(3, 3),
    "winning table, 16 to 16": lambda: _table(16, 16),
    "winning table, 8 to 8": lambda: _table(8, 8),
    "counting solutions": _counting,
    "merson": lambda: _deepening("triangle-21", "merson"),
    "transposition table": lambda: _deepening("triangle-21", "memory"),
    "plain deepening": lambda: _deepening("fifteen-puzzle", "deepening"),
}


def report(few: bool = False) -> Iterator[str]:
    """Yield the lines of the report; `few`: measure each kind for a shorter time."""
    for puzzle_id in ("english-33", "french-37", "triangle-21"):
        compile_searches(find(puzzle_id))
    yield f"Longest step of each kind of work, after which it can be stopped; the aim is {AIM * 1e3:.0f} ms:"
    with tempfile.TemporaryDirectory() as folder:
        kept = os.environ.get("HOPPERS_CACHE")
        os.environ["HOPPERS_CACHE"] = str(Path(folder))
        try:
            for name, work in KINDS.items():
                longest(work(), LOADING_SECONDS)  # loads the kernels from disk, once per process
                yield _line_of(name, longest(work(), FEW_SECONDS if few else SECONDS))
        finally:
            os.environ.pop("HOPPERS_CACHE") if kept is None else os.environ.update(HOPPERS_CACHE=kept)


def _line_of(name: str, found: LongestStep) -> str:
    end = "to its end" if found.whole else "left"
    times = f"{found.processor * 1e3:6.1f} ms of processor time, {found.wall * 1e3:6.1f} ms by the clock"
    return f"  {name:28} {times}   {found.steps:7,} steps, {end}"
