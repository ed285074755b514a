"""Builds of hundreds of megabytes wait while load is high."""

import itertools
import random
from typing import Any

import pytest

from hoppers import puzzles
from hoppers.core.model import UNKNOWN, Position
from hoppers.core.puzzle import Question
from hoppers.puzzles.pegs import background_proofs
from hoppers.puzzles.pegs import source as large_board_source
from hoppers.puzzles.pegs.background_proofs import BackgroundProofs
from hoppers.puzzles.pegs.beam_search import beam_search
from hoppers.puzzles.pegs.source import LargeBoardSource
from hoppers.puzzles.pegs.unproved_solutions import NARROW, WIDE, UnprovedSolutions
from hoppers.runtime.token_bucket import TokenBucket
from hoppers.tablebase.engine import Engine
from tests.puzzles.pegs.positions import find_solution, solvable_board
from tests.support.engine import find

LIMITS = background_proofs.LIMITS


def limit_closures(monkeypatch: pytest.MonkeyPatch, busy: int) -> None:
    """Let requests build closures of one board, and builds under high load closures of `busy` boards."""
    at_once = large_board_source.LIMITS._replace(small_boards=1)
    monkeypatch.setattr(large_board_source, "LIMITS", at_once)
    monkeypatch.setattr(background_proofs, "LIMITS", LIMITS._replace(busy_boards=busy))


def source_without_budget(engine: Engine) -> LargeBoardSource:
    """Return a source of French 37, any finish, that builds only small closures in a request."""
    return LargeBoardSource(engine.find("french-37"), -1, TokenBucket(0.0, 0.0))


def test_wide_beams_wait_until_load_is_low(monkeypatch: pytest.MonkeyPatch) -> None:
    """Listing the boards of a wide beam takes hundreds of megabytes. No beam is tried twice."""
    tried: list[Any] = []

    def trying(question: Question, beams: Any) -> Any:
        tried.append(beams)
        return beam_search(question, beams)

    monkeypatch.setattr("hoppers.puzzles.pegs.unproved_solutions.beam_search", trying)
    engine = Engine(puzzles.PUZZLES, lambda: True)
    puzzle = engine.find("english-33")
    hints = UnprovedSolutions(engine, TokenBucket(0, 0))
    lonely = Question(puzzle, 16, Position(1 | 1 << 32))
    for _ in range(3):
        assert not find_solution(hints, lonely) and engine.builder.join(60)
        assert tried == [NARROW]
    engine.is_busy = lambda: False
    for _ in range(3):
        assert not find_solution(hints, lonely) and engine.builder.join(60)
        assert tried == [NARROW, WIDE]


@pytest.mark.parametrize("high_after", [0, 40])
def test_high_load_delays_large_closures_only(monkeypatch: pytest.MonkeyPatch, high_after: int) -> None:
    """Load is high from the start, or rises while a large closure is built."""
    puzzle = find("french-37")
    state = solvable_board(puzzle, 18, random.Random(2))
    checks, is_high, closed = itertools.count(), [True], list[int]()
    build = BackgroundProofs.build

    def counted(proofs: BackgroundProofs, start: int, most: int = LIMITS.background_boards) -> Any:
        closed.append(start)
        return build(proofs, start, most)

    monkeypatch.setattr(BackgroundProofs, "build", counted)

    def new_source() -> tuple[Engine, LargeBoardSource]:
        engine = Engine(puzzles.PUZZLES, lambda: bool(is_high) and next(checks) >= high_after)
        return engine, source_without_budget(engine)

    def answer(engine: Engine, source: LargeBoardSource, most: int) -> int:
        limit_closures(monkeypatch, most)
        for _ in range(2):  # a build that high load ends is requested again, with a lower limit
            source.moves_left(Position(state))
            assert engine.builder.join(60)
        return source.moves_left(Position(state))

    assert answer(*new_source(), LIMITS.busy_boards) > 0
    engine, source = new_source()
    assert answer(engine, source, 1000) == UNKNOWN and engine.builder.join(60)
    begun = len(closed)
    assert answer(engine, source, 1000) == UNKNOWN and engine.builder.join(60)
    assert len(closed) == begun  # no closure is started again without success
    is_high.clear()
    assert answer(engine, source, 1000) > 0


@pytest.mark.parametrize("check", [1, 2, 4, 7, 10])
def test_brief_high_load_loses_no_answer(monkeypatch: pytest.MonkeyPatch, check: int) -> None:
    limit_closures(monkeypatch, 1000)
    puzzle = find("french-37")
    state, checks = solvable_board(puzzle, 18, random.Random(2)), itertools.count()
    engine = Engine(puzzles.PUZZLES, lambda: next(checks) == check)
    source = source_without_budget(engine)
    for _ in range(2):
        source.moves_left(Position(state))
        assert engine.builder.join(60)
    assert source.moves_left(Position(state)) > 0
