"""Tables, closures and solutions computed in the worker process equal those computed locally."""

import time
from collections.abc import Generator, Iterator

import pytest

from hoppers.core.model import UNKNOWN, Position
from hoppers.core.puzzle import Question
from hoppers.jobs.worker_process import Beside
from hoppers.puzzles.pegs import table_builds
from hoppers.puzzles.pegs.beam.search import beam_board
from hoppers.puzzles.pegs.bidirectional import search
from hoppers.puzzles.pegs.bitboards.pagoda_filter import PagodaSet
from hoppers.puzzles.pegs.closure.closure import build_closure
from hoppers.puzzles.pegs.hint_search import HintSearch, find_way
from hoppers.puzzles.pegs.large_board import BigBoard
from hoppers.puzzles.sliding import fifteen_source
from hoppers.puzzles.sliding.fifteen_source import FifteenSource
from hoppers.puzzles.sliding.rules import neighbours
from hoppers.tablebase import elsewhere, table_files
from hoppers.tablebase.builder import WORKSHOP, finish
from hoppers.tablebase.table_cache import Allowance
from tests.engine import find

FRENCH, HOPPERS = find("french-37"), find("hoppers")


@pytest.fixture(scope="module", autouse=True)
def worker_process() -> Iterator[Beside]:
    """Worker process shared by all tests: starting it takes longest."""
    one = Beside(2)
    elsewhere.use(one)
    yield one
    elsewhere.use(None)
    one.close()


def on_a_solution(pegs: int) -> Position:
    """Return the position of a solution that has `pegs` pegs."""
    data, start = beam_board(FRENCH.board.jumps, FRENCH.holes), Position((1 << FRENCH.holes) - 2)
    steps = finish(find_way(Question(FRENCH, 36, start), data)) or []
    return next(step.after for step in steps if step.after.state.bit_count() == pegs)


def test_remote_closure_equals_a_local_one() -> None:
    board, start = BigBoard(FRENCH.board.jumps, FRENCH.board.symmetries), on_a_solution(19)
    theirs = finish(table_builds.closure(board, 36, start.state, 10**6))
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
    assert not list(table_files._folder().glob("closure-*.table"))


def test_remote_closure_beyond_its_limit_is_none() -> None:
    board = BigBoard(FRENCH.board.jumps, FRENCH.board.symmetries)
    assert finish(table_builds.closure(board, 36, on_a_solution(24).state, 1000)) is None


@pytest.mark.parametrize("kept", [True, False])
def test_remote_table_equals_a_local_one(kept: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    board = BigBoard(HOPPERS.board.jumps, HOPPERS.board.symmetries)
    goal, start = HOPPERS.parse_goal(None), HOPPERS.parse(HOPPERS.start)
    table_files.drop(board.problem(goal, start.state))
    ours = finish(table_builds.table_of(board, goal, start.state, kept=False))
    monkeypatch.setattr(table_builds, "build", None)  # no table is built in this process from now on
    theirs = finish(table_builds.table(board, goal, start.state, kept))
    assert ours is not None and theirs is not None
    assert theirs.moves_left(start) == ours.moves_left(start) == 7
    assert theirs.counts == ours.counts
    assert table_files.is_stored(board.problem(goal, start.state)) == kept


def test_late_position_is_searched_in_the_worker_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "MAX_BOARDS", 0)  # no search in this process
    monkeypatch.setattr(
        "hoppers.tablebase.either.SEARCH_SECONDS", 100.0
    )  # its kernels may have to be compiled
    source, late = FRENCH.source(36), on_a_solution(16)

    def idle() -> Generator[float, None, None]:
        """Build no closure, and end after the search."""
        until = time.monotonic() + 100
        while source.moves_left(late) == UNKNOWN and time.monotonic() < until:
            yield 0.0

    monkeypatch.setattr("hoppers.puzzles.pegs.source.closure", lambda *asked: idle())
    board = BigBoard(FRENCH.board.jumps, FRENCH.board.symmetries)
    whole = finish(build_closure([late.state], 36, board.shifts, 10**6))
    monkeypatch.setattr(type(source), "_close_now", lambda self, position: UNKNOWN)
    assert whole is not None
    source.moves_left(late)
    assert WORKSHOP.wait(120)
    assert source.moves_left(late) == whole.moves_left(late)


def test_remote_search_answers_a_fifteen_puzzle_position(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fifteen_source, "SLICE_NODES", 100)
    source, position = FifteenSource(nodes=0), find("fifteen-puzzle").parse("e80921f3cd645b7a")
    assert source.moves_left(position) == UNKNOWN
    assert WORKSHOP.wait(60)
    assert source.moves_left(position) == 48
    after = source.lead(position)
    assert after in neighbours(position)


def test_remote_beam_search_finds_a_solution() -> None:
    guesses = HintSearch(beam_board(FRENCH.board.jumps, FRENCH.holes), Allowance(0, 0))
    question = Question(FRENCH, 36, Position((1 << FRENCH.holes) - 2))
    assert guesses.way(question) is None
    assert WORKSHOP.wait(60)
    steps = guesses.way(question)
    assert steps is not None and FRENCH.is_solved(steps[-1].after, 36)
