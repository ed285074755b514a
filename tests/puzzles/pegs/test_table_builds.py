"""Tables and solutions that builds in the background find."""

import time
from collections.abc import Generator

import pytest

from hoppers import puzzles
from hoppers.core.model import UNKNOWN, KnownAnswer, Position
from hoppers.core.puzzle import Question
from hoppers.puzzles.pegs.background_proofs import LIMITS
from hoppers.puzzles.pegs.beam_search import BEAMS
from hoppers.puzzles.pegs.large_tables import table_builds
from hoppers.puzzles.pegs.large_tables.tables_in_memory import GoalTables
from hoppers.puzzles.pegs.peg_board import PegBoard
from hoppers.puzzles.pegs.source import LargeBoardSource
from hoppers.puzzles.pegs.tables.closure import build_closure
from hoppers.puzzles.pegs.unproved_solutions import UnprovedSolutions, first_solution
from hoppers.puzzles.sliding import pattern_source
from hoppers.puzzles.sliding.pattern_source import PatternSource
from hoppers.runtime.builder import finish
from hoppers.runtime.token_bucket import TokenBucket
from hoppers.tablebase import table_files
from hoppers.tablebase.engine import Engine
from tests.puzzles.pegs.positions import find_solution
from tests.support.engine import find

FRENCH, HOPPERS = find("french-37"), find("hoppers")
FRENCH_BOARD = PegBoard(FRENCH.board)


@pytest.fixture
def engine() -> Engine:
    """Provide an engine without answers of the atlas."""
    return Engine(puzzles.PUZZLES, atlas=lambda puzzle: {})


def on_a_solution(pegs: int) -> Position:
    """Return the position with `pegs` pegs on a solution of French 37."""
    start = Position((1 << FRENCH.holes) - 2)
    steps = finish(first_solution(Question(FRENCH, 36, start), BEAMS))
    return next(step.after for step in steps if step.after.state.bit_count() == pegs)


@pytest.mark.parametrize("is_lasting", [True, False])
def test_a_lasting_table_is_stored_and_equal(engine: Engine, is_lasting: bool) -> None:
    board = PegBoard(HOPPERS.board)
    goal, start = HOPPERS.parse_goal(None), HOPPERS.parse(HOPPERS.start)
    table_files.drop(board.table_name(goal, start.state))
    ours = finish(table_builds.load_or_build_table(board, goal, start.state, from_file=False))
    theirs = finish(table_builds.winning_table(engine.find("hoppers"), goal, start.state, is_lasting))
    assert ours is not None and theirs is not None
    assert theirs.moves_left(start) == ours.moves_left(start) == 7
    assert theirs.counts == ours.counts
    assert table_files.is_stored(board.table_name(goal, start.state)) == is_lasting


def test_a_late_position_is_searched(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = LIMITS._replace(proof_seconds=100.0)  # kernels may have to be compiled
    monkeypatch.setattr("hoppers.puzzles.pegs.background_proofs.LIMITS", limits)
    source, late = engine.find("french-37").source(36), on_a_solution(16)

    def idle(*arguments: object) -> Generator[float, None, None]:
        """Build no closure, and end after the search."""
        until = time.monotonic() + 100
        while source.moves_left(late) == UNKNOWN and time.monotonic() < until:
            yield 0.0

    monkeypatch.setattr(GoalTables, "close", idle)
    whole = finish(build_closure([late.state], 36, FRENCH_BOARD.shifts, 10**6))
    monkeypatch.setattr(LargeBoardSource, "_close_at_once", lambda self, position: KnownAnswer(UNKNOWN))
    assert whole is not None
    source.moves_left(late)
    assert engine.builder.join(120)
    assert source.moves_left(late) == whole.moves_left(late)


def test_a_search_answers_a_fifteen_puzzle_position(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = pattern_source.LIMITS._replace(slice=100, bucket_capacity=0)
    monkeypatch.setattr(pattern_source, "LIMITS", limits)
    puzzle = engine.find("fifteen-puzzle")
    source, position = PatternSource(puzzle), puzzle.parse("e80921f3cd645b7a")
    assert source.moves_left(position) == UNKNOWN
    assert engine.builder.join(60)
    assert source.moves_left(position) == 48
    steps = puzzle.replay(position, source.known_answer(position).jumps)
    assert len(steps) == 48 and puzzle.is_solved(steps[-1].after, 0)


def test_a_beam_search_finds_a_solution(engine: Engine) -> None:
    hints = UnprovedSolutions(engine, TokenBucket(0, 0))
    question = Question(engine.find("french-37"), 36, Position((1 << FRENCH.holes) - 2))
    assert not find_solution(hints, question)
    assert engine.builder.join(60)
    steps = find_solution(hints, question)
    assert steps and FRENCH.is_solved(steps[-1].after, 36)
