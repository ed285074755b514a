"""Time of building closures of solvable positions, with and without a Bloom filter; CPU time."""

import json
import random
import statistics
import time
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from benchmarks.verdict_times import BOARDS, backwards
from hoppers.core.model import UNKNOWN, Position
from hoppers.core.puzzle import Puzzle
from hoppers.puzzles.pegs.bloom_files import MAX_LISTED, build_bloom_filter
from hoppers.puzzles.pegs.closure.bloom_filter import BloomFilter
from hoppers.puzzles.pegs.closure.closure import Closure, build_closure
from hoppers.puzzles.pegs.large_board import BigBoard
from hoppers.puzzles.pegs.pagoda import PagodaSet
from hoppers.tablebase.builder import finish
from tests import ROOT
from tests.engine import find

ATLAS = ROOT / "docs" / "atlas"
PEGS = (26, 25, 24, 23, 22)
FEW_PEGS = (24,)
BACKWARD_GAMES = 5
MAX_BOARDS = 10_000_000


class Run(NamedTuple):
    """CPU seconds of building a closure, and the closure; None if it grew too large."""

    seconds: float
    closure: Closure | None


def known_lines(puzzle: Puzzle) -> Iterator[tuple[int, dict[int, int]]]:
    """Yield, for every solution in the atlas with a fixed finish, the finish and the boards by their pegs."""
    for name, entry in json.loads((ATLAS / f"pegs-{puzzle.id}.json").read_text()).items():
        start, end = name.split("-")
        moves = entry.get("solution") or entry.get("found")
        if end == "any" or not moves:
            continue
        position = Position((1 << puzzle.holes) - 1 ^ 1 << int(start))
        boards = {position.state.bit_count(): position.state}
        for jump in (jump for move in moves for jump in pairwise(move)):
            position = puzzle.step(position, *jump).after
            boards[position.state.bit_count()] = position.state
        yield int(end), boards


def report(few: bool = False) -> Iterator[str]:
    """Yield the lines of the report; `few`: only positions with 24 pegs on every fourth solution."""
    _close(_board("hoppers"), -1, 0b111, _filter(_board("hoppers"), (1,)))  # compiles
    FILTERS.clear()
    for puzzle in map(find, BOARDS):
        yield f"{puzzle.id}, closures of live positions, at most {MAX_BOARDS:,} boards, CPU time:"
        lines = [*known_lines(puzzle)][:: 4 if few else 1]
        for pegs in FEW_PEGS if few else PEGS:
            for goal, cases in (
                ("its finish", [(end, boards[pegs]) for end, boards in lines]),
                ("anywhere", [(-1, boards[pegs]) for _, boards in lines]),
            ):
                yield from _compared(puzzle, f"{pegs} pegs, known lines, finish {goal}", cases)
        rng = random.Random(24)
        cases = [(-1, backwards(puzzle, rng, 24).state) for _ in range(1 if few else BACKWARD_GAMES)]
        yield from _compared(puzzle, "24 pegs, made backwards, finish anywhere", cases)
        yield f"  Bloom filters: {_filters_built()}"
        _filter.cache_clear()


def _compared(puzzle: Puzzle, name: str, cases: list[tuple[int, int]]) -> Iterator[str]:
    board = _board(puzzle.id)
    plain = [_close(board, goal, state, None) for goal, state in cases]
    filtered = [
        _close(board, goal, state, _filter(board, (*board.ends(goal, state),))) for goal, state in cases
    ]
    _check(plain, filtered, cases)
    yield f"  {name}, {len(cases)}: without {_summary(plain)}; with a filter {_summary(filtered)}"
    worst = max(filtered, key=lambda run: run.seconds).closure
    if worst is not None:
        levels = ", ".join(f"{pegs}: {level.packed.size:,}" for pegs, level in sorted(worst.levels.items()))
        yield f"    the slowest by pegs: {levels}"


def _check(plain: list[Run], filtered: list[Run], cases: list[tuple[int, int]]) -> None:
    """Assert that both closures agree on the verdict and on the number of boards by moves left."""
    for one, other, (_, state) in zip(plain, filtered, cases, strict=True):
        assert other.closure is None or other.closure.moves_left(Position(state)) != UNKNOWN
        assert None in (one.closure, other.closure) or _counts(one) == _counts(other)


def _counts(run: Run) -> list[int]:
    return [] if run.closure is None else run.closure.counts


def _summary(runs: list[Run]) -> str:
    seconds = sorted(run.seconds for run in runs)
    sizes = [run.closure.size for run in runs if run.closure is not None]
    return (
        f"median {statistics.median(seconds):.2f}, worst {seconds[-1]:.2f} s,"
        f" {max(sizes, default=0):,} boards at most, {len(runs) - len(sizes)} given up"
    )


def _close(board: BigBoard, goal: int, state: int, bloom: BloomFilter | None) -> Run:
    """Build a closure; no pagoda function is known beforehand."""
    pagodas, ends = PagodaSet(board.jumps, board.holes, board.shifts), board.ends(goal, state)
    began = time.process_time()
    closure = finish(build_closure([state], goal, board.shifts, MAX_BOARDS, pagodas, ends, bloom))
    return Run(time.process_time() - began, closure)


@cache
def _board(puzzle_id: str) -> BigBoard:
    puzzle = find(puzzle_id)
    return BigBoard(puzzle.board)


@cache
def _filter(board: BigBoard, ends: tuple[int, ...]) -> BloomFilter:
    began = time.process_time()
    bloom = finish(build_bloom_filter(ends, board.holes, board.shifts, MAX_LISTED))
    assert bloom is not None
    FILTERS.append((len(ends), time.process_time() - began, bloom.bytes, len(bloom.levels)))
    return bloom


FILTERS: list[tuple[int, float, int, int]] = []
"""Ends, CPU seconds, bytes, and levels of each Bloom filter built."""


def _filters_built() -> str:
    made = FILTERS[:]
    FILTERS.clear()
    return (
        f"{len(made)} made in {min(row[1] for row in made):.1f} to {max(row[1] for row in made):.1f} s,"
        f" {min(row[2] for row in made) / 1e6:.0f} to {max(row[2] for row in made) / 1e6:.0f} MB,"
        f" up to {min(row[3] for row in made)} to {max(row[3] for row in made)} pegs"
    )
