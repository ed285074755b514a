"""Tables, closures and solutions built in a worker process equal those built locally."""

import time
from collections.abc import Generator, Iterator
from typing import Any

import pytest

from hoppers import puzzles
from hoppers.core.model import UNKNOWN, KnownAnswer, Position
from hoppers.core.puzzle import Question
from hoppers.puzzles.pegs import table_builds
from hoppers.puzzles.pegs.background_proofs import LIMITS
from hoppers.puzzles.pegs.beam_search import BEAMS
from hoppers.puzzles.pegs.pagoda import PagodaSet
from hoppers.puzzles.pegs.peg_board import PegBoard
from hoppers.puzzles.pegs.source import LargeBoardSource
from hoppers.puzzles.pegs.tables.closure import build_closure
from hoppers.puzzles.pegs.unproved_solutions import UnprovedSolutions, first_solution
from hoppers.puzzles.sliding import fifteen_puzzle
from hoppers.puzzles.sliding.fifteen_puzzle import FifteenSource
from hoppers.runtime.cache_folder import TABLES, subfolder
from hoppers.runtime.token_bucket import TokenBucket
from hoppers.tablebase import table_files
from hoppers.tablebase.builder import finish
from hoppers.tablebase.engine import Engine
from tests.puzzles.pegs.positions import find_solution
from tests.support.engine import ENGINE, find
from tests.support.remote_builds import RemoteBuilds

FRENCH, HOPPERS = find("french-37"), find("hoppers")
FRENCH_BOARD = PegBoard(FRENCH.board)


@pytest.fixture(scope="module")
def worker() -> Iterator[RemoteBuilds]:
    """Worker process shared by all tests: starting it takes longer than a test."""
    worker = RemoteBuilds()
    yield worker
    worker.close()


@pytest.fixture
def engine(worker: RemoteBuilds) -> Engine:
    """Engine whose builds run in the worker process."""
    return Engine(puzzles.PUZZLES, run_build=worker.run_build)


def on_a_solution(pegs: int) -> Position:
    """Return the position with `pegs` pegs on a solution of French 37."""
    start = Position((1 << FRENCH.holes) - 2)
    steps = finish(first_solution(ENGINE, Question(FRENCH, 36, start), BEAMS))
    return next(step.after for step in steps if step.after.state.bit_count() == pegs)


def test_remote_closure_equals_a_local_one(engine: Engine) -> None:
    board, start = FRENCH_BOARD, on_a_solution(19)
    theirs = finish(table_builds.closure_by_file(engine.find("french-37"), 36, start.state, 10**6))
    proofs, ends = PagodaSet(board.jumps, board.holes, board.shifts), board.ends(36, start.state)
    ours = finish(build_closure([start.state], 36, board.shifts, 10**6, proofs, ends))
    assert theirs is not None and ours is not None
    assert theirs.size == ours.size and theirs.counts == ours.counts
    position = start
    assert ours.moves_left(start) > 0
    while steps := FRENCH.steps(position):
        assert [theirs.moves_left(step.after) for step in steps] == [
            ours.moves_left(step.after) for step in steps
        ]
        position = max(steps, key=lambda step: ours.moves_left(step.after)).after
    assert not list(subfolder(TABLES).glob("closure-*.table"))


def test_two_engines_may_build_one_closure_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    start, load = on_a_solution(12).state, table_files.load
    others = list[Any]()

    def build() -> Any:
        return finish(
            table_builds.closure_by_file(Engine(puzzles.PUZZLES).find("french-37"), 36, start, 10**6)
        )

    def load_after_another(*arguments: Any, **options: Any) -> Any:
        monkeypatch.setattr(table_files, "load", load)
        others.append(build())  # saves, loads and deletes its file
        return load(*arguments, **options)

    monkeypatch.setattr(table_files, "load", load_after_another)
    closure = build()
    assert closure is not None and [other.counts for other in others] == [closure.counts]


def test_remote_closure_beyond_its_limit_is_none(engine: Engine) -> None:
    assert (
        finish(table_builds.closure_by_file(engine.find("french-37"), 36, on_a_solution(24).state, 1000))
        is None
    )


def test_unreadable_closure_is_an_error_and_not_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreadable(*arguments: Any, **options: Any) -> Generator[None, None, None]:
        yield

    monkeypatch.setattr(table_files, "load", unreadable)
    with pytest.raises(OSError, match="cannot be read"):
        finish(table_builds.closure_by_file(FRENCH, 36, on_a_solution(12).state, 10**6))


@pytest.mark.parametrize("is_lasting", [True, False])
def test_remote_table_equals_a_local_one(
    engine: Engine, is_lasting: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = PegBoard(HOPPERS.board)
    goal, start = HOPPERS.parse_goal(None), HOPPERS.parse(HOPPERS.start)
    table_files.drop(board.table_name(goal, start.state))
    ours = finish(table_builds.load_or_build_table(board, goal, start.state, from_file=False))
    monkeypatch.setattr(table_builds, "build", None)  # no table is built in this process from now on
    theirs = finish(table_builds.winning_table(engine.find("hoppers"), goal, start.state, is_lasting))
    assert ours is not None and theirs is not None
    assert theirs.moves_left(start) == ours.moves_left(start) == 7
    assert theirs.counts == ours.counts
    assert table_files.is_stored(board.table_name(goal, start.state)) == is_lasting


def test_late_position_is_searched_in_the_worker_process(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hoppers.puzzles.pegs.background_proofs.search", None)  # no search in this process
    limits = LIMITS._replace(search_seconds=100.0)  # kernels may have to be compiled
    monkeypatch.setattr("hoppers.puzzles.pegs.background_proofs.LIMITS", limits)
    source, late = engine.find("french-37").source(36), on_a_solution(16)

    def idle() -> Generator[float, None, None]:
        """Build no closure, and end after the search."""
        until = time.monotonic() + 100
        while source.moves_left(late) == UNKNOWN and time.monotonic() < until:
            yield 0.0

    monkeypatch.setattr("hoppers.puzzles.pegs.background_proofs.closure_by_file", lambda *arguments: idle())
    whole = finish(build_closure([late.state], 36, FRENCH_BOARD.shifts, 10**6))
    monkeypatch.setattr(LargeBoardSource, "_close_at_once", lambda self, position: KnownAnswer(UNKNOWN))
    assert whole is not None
    source.moves_left(late)
    assert engine.builder.join(120)
    assert source.moves_left(late) == whole.moves_left(late)


def test_remote_search_answers_a_fifteen_puzzle_position(
    worker: RemoteBuilds, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = fifteen_puzzle.LIMITS._replace(slice=100, bucket_capacity=0)
    monkeypatch.setattr(fifteen_puzzle, "LIMITS", limits)
    engine = Engine(puzzles.PUZZLES, run_build=worker.run_build, atlas=lambda puzzle: {})
    puzzle = engine.find("fifteen-puzzle")
    source, position = FifteenSource(puzzle), puzzle.parse("e80921f3cd645b7a")
    assert source.moves_left(position) == UNKNOWN
    assert engine.builder.join(60)
    assert source.moves_left(position) == 48
    steps = puzzle.replay(position, source.known_answer(position).jumps)
    assert len(steps) == 48 and puzzle.is_solved(steps[-1].after, 0)


def test_remote_beam_search_finds_a_solution(worker: RemoteBuilds) -> None:
    engine = Engine(puzzles.PUZZLES, run_build=worker.run_build, atlas=lambda puzzle: {})
    hints = UnprovedSolutions(engine, TokenBucket(0, 0))
    question = Question(engine.find("french-37"), 36, Position((1 << FRENCH.holes) - 2))
    assert not find_solution(hints, question)
    assert engine.builder.join(60)
    steps = find_solution(hints, question)
    assert steps and FRENCH.is_solved(steps[-1].after, 36)
