"""Pagoda filters of both directions of a search, and searches that share time with a build."""

import random
from collections.abc import Generator, Iterator

import pytest

from hoppers import puzzles
from hoppers.core.events import Exhausted, Solved
from hoppers.core.model import DEAD, UNKNOWN, Position
from hoppers.core.puzzle import Puzzle
from hoppers.puzzles.pegs import pagoda
from hoppers.puzzles.pegs.jump_masks import jumps_of, shift_groups
from hoppers.puzzles.pegs.large_board import BigBoard
from hoppers.puzzles.pegs.pagoda import pagoda_learners
from hoppers.puzzles.pegs.source import LargeBoardSource
from hoppers.runtime.token_bucket import TokenBucket
from hoppers.tablebase.builder import after_search, finish, first_or, in_turn_with_search
from hoppers.tablebase.engine import Engine
from tests.engine import find
from tests.puzzles.pegs.test_bidirectional import events_of
from tests.puzzles.pegs.test_closures import is_too_light

LATE = 0x1D6FF226D
"""A board of English 33 with 21 pegs, from a random game."""
LIVE = 0xBCAFFEF9
"""A solvable board with 24 pegs whose closure is too large to be built within a request."""


def reached_from(puzzle: Puzzle, start: int) -> set[int]:
    """Return every board that jumps lead to, tried one by one."""
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
def test_filters_reject_only_dead_or_unreachable_boards(
    puzzle_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pagoda, "MIN_SAMPLED", 1)
    puzzle, rng, rejected = find(puzzle_id), random.Random(8), [0, 0]
    board = BigBoard(puzzle.board)
    shifts = shift_groups(puzzle.board.jumps)
    for _ in range(6):
        start, goal = rng.getrandbits(puzzle.holes) | 1, rng.randrange(puzzle.holes)
        near = [b for b in range(1, 1 << puzzle.holes) if board.parities(b) == board.parities(1 << goal)]
        both = pagoda_learners(shifts, puzzle.holes, start, [1 << goal])
        reached = reached_from(puzzle, start)
        for number, learner in enumerate(both):
            finish(learner.learn(rng.sample(near, 20)))
            for state in rng.sample(near, 200):
                if is_too_light(state ^ int(learner.flip), learner.tables):
                    rejected[number] += 1
                    assert state not in reached if number else is_dead(puzzle, goal, state)
    assert min(rejected) > 20


def is_dead(puzzle: Puzzle, goal: int, state: int) -> bool:
    """Return whether a board is dead according to the complete table."""
    return puzzle.source(goal).moves_left(Position(state)) == DEAD


def test_jumps_are_recovered_from_their_lines() -> None:
    for puzzle_id in ("hoppers", "triangle-21", "english-33"):
        jumps = find(puzzle_id).board.jumps
        assert sorted(jumps_of(shift_groups(jumps))) == sorted(jumps)


def opened(limit: int, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """Return the fewest moves and the nodes, with `limit` boards tried for functions per direction."""
    monkeypatch.setattr(pagoda, "MAX_TRIES", limit)
    events = events_of(find("english-33"), Position(LATE), -1)
    assert isinstance(events[-1], Solved)
    return events[-1].limit, sum(event.nodes for event in events if isinstance(event, Exhausted | Solved))


def test_search_opens_no_board_that_filters_reject(monkeypatch: pytest.MonkeyPatch) -> None:
    assert opened(0, monkeypatch) == (11, 1977969)
    assert opened(60, monkeypatch) == (11, 461736)


def counting(steps: int, log: list[str], name: str) -> Generator[float, None, int]:
    for _ in range(steps):
        log.append(name)
        yield 0.5
    return steps


def test_search_precedes_a_large_build() -> None:
    log: list[str] = []
    built = finish(after_search(counting(3, log, "build"), counting(2, log, "search")))
    assert (built, log) == (3, ["search"] * 2 + ["build"] * 3)


def timed(
    clock: list[float], seconds: float, steps: int, log: list[str], name: str
) -> Generator[float, None, None]:
    """Yield `steps` times, `seconds` apart."""
    for _ in range(steps):
        clock[0] += seconds
        log.append(name)
        yield 0.5


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr("hoppers.tablebase.builder.time.monotonic", lambda: now[0])
    return now


def test_build_and_search_share_time_equally(clock: list[float]) -> None:
    log: list[str] = []
    build, search = timed(clock, 0.125, 9, log, "b"), timed(clock, 0.5, 2, log, "s")
    finish(in_turn_with_search(build, 0.0, search))
    assert "".join(log) == "bsbbbbsbbbb"


def test_search_continues_while_the_build_waits(clock: list[float]) -> None:
    log: list[str] = []
    both = in_turn_with_search(counting(40, log, "b"), 1.0, timed(clock, 0.5, 3, log, "s"))
    for _ in range(12):
        next(both)
        clock[0] += 0.25  # the other's step
    assert log.count("s") == 2


def test_build_that_ends_in_its_head_start_starts_no_search(clock: list[float]) -> None:
    log: list[str] = []
    finish(in_turn_with_search(timed(clock, 0.5, 2, log, "b"), 1.0, timed(clock, 0.5, 3, log, "s")))
    assert "".join(log) == "bb"


def test_build_that_ends_first_stops_the_search(clock: list[float]) -> None:
    log: list[str] = []
    built = finish(in_turn_with_search(counting(0, log, "build"), 0.0, timed(clock, 1.0, 9, log, "s")))
    assert built == 0 and not log


def test_search_stops_at_its_time_limit(clock: list[float]) -> None:
    log: list[str] = []
    finish(after_search(timed(clock, 1.0, 2, log, "b"), timed(clock, 6.0, 9, log, "s")))
    assert "".join(log) == "ssbb"
    log.clear()
    finish(in_turn_with_search(timed(clock, 6.0, 5, log, "b"), 0.0, timed(clock, 6.0, 9, log, "s")))
    assert "".join(log) == "bsbsbbb"


def test_slow_build_is_replaced_by_the_other() -> None:
    def steps(number: int, result: int | None) -> Generator[float, None, int | None]:
        for _ in range(number):
            yield 0.0
        return result

    for seconds, first, made in ((600.0, 1, 1), (600.0, None, 2), (0.0, 1, 2)):
        assert finish(first_or(steps(3, first), seconds, lambda: steps(2, 2))) == made


def test_late_position_is_searched_before_its_table_is_built() -> None:
    puzzle, proved = find("english-33"), list[tuple[int, Position]]()
    board = BigBoard(puzzle.board)

    def prove(goal: int, position: Position) -> Iterator[object]:
        proved.append((goal, position))
        yield None

    engine, state = Engine(puzzles.PUZZLES), LIVE
    source = LargeBoardSource(engine, board, -1, prove, TokenBucket(0.0, 0.0))
    assert source.moves_left(Position(state)) == UNKNOWN
    assert engine.builder.join(120)
    assert proved == [(-1, Position(state))]
    assert source.moves_left(Position(state)) != UNKNOWN
