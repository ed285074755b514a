"""Pagoda functions on both sides of a search, and the work that goes before a build in the background."""

import random
from collections.abc import Generator, Iterator

import numpy as np
import pytest
from hoppers.tablebase.either import after_search, beside_search, soon_or

from hoppers.core.events import Exhausted, Solved
from hoppers.core.model import DEAD, UNKNOWN, Position
from hoppers.core.puzzle import Puzzle
from hoppers.puzzles.pegs.bitboards import pagoda_sides
from hoppers.puzzles.pegs.bitboards.jump_masks import jumps_of, shift_groups
from hoppers.puzzles.pegs.bitboards.pagoda_filter import is_too_light
from hoppers.puzzles.pegs.bitboards.pagoda_sides import pagoda_learners
from hoppers.puzzles.pegs.large_board import BigBoard
from hoppers.puzzles.pegs.source import BigSource
from hoppers.tablebase.builder import Workshop, finish
from hoppers.tablebase.table_cache import Allowance, Shelf
from tests.engine import find
from tests.puzzles.pegs.test_best_first import search

LATE = 0x1D6FF226D
"""A board of English 33 with 21 pegs, from a random game."""
LIVE = 0xBCAFFEF9
"""One with 24, from jumps taken back from one peg: too much can follow from it to be listed at once."""


def reached_from(puzzle: Puzzle, start: int) -> set[int]:
    """Every board that jumps lead to, tried one by one."""
    found, waiting = {start}, [start]
    while waiting:
        board = waiting.pop()
        for a, over, b in puzzle.board.jumps:
            after = board ^ (1 << a | 1 << over | 1 << b)
            if board >> a & 1 and board >> over & 1 and not board >> b & 1 and after not in found:
                found.add(after)
                waiting.append(after)
    return found


@pytest.mark.parametrize("puzzle_id", ["hoppers", "triangle-15"])
def test_scales_condemn_only_what_is_dead_or_out_of_reach(
    puzzle_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pagoda_sides, "MIN_SAMPLED", 1)
    puzzle, rng, condemned = find(puzzle_id), random.Random(8), [0, 0]
    board = BigBoard(puzzle.board.jumps, puzzle.board.symmetries)
    shifts = shift_groups(puzzle.board.jumps)
    for _ in range(12):
        start, goal = rng.getrandbits(puzzle.holes) | 1, rng.randrange(puzzle.holes)
        near = [b for b in range(1, 1 << puzzle.holes) if board.parities(b) == board.parities(1 << goal)]
        both = pagoda_learners(shifts, puzzle.holes, [start], [1 << goal])
        reached = reached_from(puzzle, start)
        for number, learner in enumerate(both):
            finish(learner.learn(rng.sample(near, 20)))
            for state in rng.sample(near, 200):
                if is_too_light(np.uint64(state) ^ learner.current.flip, learner.current.tables):
                    condemned[number] += 1
                    assert state not in reached if number else is_dead(puzzle, goal, state)
    assert min(condemned) > 50


def is_dead(puzzle: Puzzle, goal: int, state: int) -> bool:
    """What the complete table says."""
    return puzzle.source(goal).moves_left(Position(state)) == DEAD


def test_jumps_are_told_by_their_lines() -> None:
    for puzzle_id in ("hoppers", "triangle-21", "english-33"):
        jumps = find(puzzle_id).board.jumps
        assert sorted(jumps_of(shift_groups(jumps))) == sorted(jumps)


def opened(limit: int, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """Fewest moves, and boards opened with so many boards tried for functions on each side."""
    monkeypatch.setattr(pagoda_sides, "MAX_TRIES", limit)
    events = search(find("english-33"), Position(LATE), -1)
    assert isinstance(events[-1], Solved)
    return events[-1].limit, sum(event.nodes for event in events if isinstance(event, Exhausted | Solved))


def test_what_is_proved_useless_is_not_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    assert opened(0, monkeypatch) == (11, 250785)
    assert opened(60, monkeypatch) == (11, 54545)


def counting(steps: int, heard: list[str], name: str) -> Generator[float, None, int]:
    for _ in range(steps):
        heard.append(name)
        yield 0.5
    return steps


def test_a_search_goes_before_a_build_that_takes_much_room() -> None:
    heard: list[str] = []
    built = finish(after_search(counting(3, heard, "build"), counting(2, heard, "search")))
    assert (built, heard) == (3, ["search"] * 2 + ["build"] * 3)


def timed(
    clock: list[float], seconds: float, steps: int, heard: list[str], name: str
) -> Generator[float, None, None]:
    """Steps that take so long."""
    for _ in range(steps):
        clock[0] += seconds
        heard.append(name)
        yield 0.5


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr("hoppers.tablebase.either.time.monotonic", lambda: now[0])
    return now


def test_others_have_equal_time_however_long_their_steps_are(clock: list[float]) -> None:
    heard: list[str] = []
    build, search = timed(clock, 0.125, 9, heard, "b"), timed(clock, 0.5, 2, heard, "s")
    finish(beside_search(build, 0.0, search))
    assert "".join(heard) == "bsbbbbsbbbb"


def test_a_search_goes_on_while_the_build_waits_for_another(clock: list[float]) -> None:
    heard: list[str] = []
    both = beside_search(counting(40, heard, "b"), 1.0, timed(clock, 0.5, 3, heard, "s"))
    for _ in range(12):
        next(both)
        clock[0] += 0.25  # the other's step
    assert heard.count("s") == 2


def test_a_build_that_ends_in_its_head_start_needs_no_search(clock: list[float]) -> None:
    heard: list[str] = []
    finish(beside_search(timed(clock, 0.5, 2, heard, "b"), 1.0, timed(clock, 0.5, 3, heard, "s")))
    assert "".join(heard) == "bb"


def test_a_build_that_ends_first_ends_the_search(clock: list[float]) -> None:
    heard: list[str] = []
    built = finish(beside_search(counting(0, heard, "build"), 0.0, timed(clock, 1.0, 9, heard, "s")))
    assert built == 0 and not heard


def test_a_search_has_its_time_and_no_more(clock: list[float]) -> None:
    heard: list[str] = []
    finish(after_search(timed(clock, 1.0, 2, heard, "b"), timed(clock, 6.0, 9, heard, "s")))
    assert "".join(heard) == "ssbb"
    heard.clear()
    finish(beside_search(timed(clock, 6.0, 5, heard, "b"), 0.0, timed(clock, 6.0, 9, heard, "s")))
    assert "".join(heard) == "bsbsbbb"


def test_what_does_not_end_soon_is_made_otherwise() -> None:
    def steps(number: int, result: int | None) -> Generator[float, None, int | None]:
        for _ in range(number):
            yield 0.0
        return result

    for seconds, first, made in ((600.0, 1, 1), (600.0, None, 2), (0.0, 1, 2)):
        assert finish(soon_or(steps(3, first), seconds, lambda: steps(2, 2))) == made


def test_a_late_position_is_searched_and_then_has_a_table_of_its_own() -> None:
    puzzle, asked = find("english-33"), []
    board = BigBoard(puzzle.board.jumps, puzzle.board.symmetries)

    def prove(goal: int, position: Position) -> Iterator[object]:
        asked.append((goal, position))
        yield None

    workshop, state = Workshop(), LIVE
    source = BigSource(board, -1, workshop, Shelf(10**8), Allowance(0.0, 0.0), prove)
    assert source.moves_left(Position(state)) == UNKNOWN
    assert workshop.wait(120)
    assert asked == [(-1, Position(state))]
    assert source.moves_left(Position(state)) != UNKNOWN
