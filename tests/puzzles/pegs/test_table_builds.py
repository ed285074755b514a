"""Tables, closures, proofs and ways made by the process beside this one: the same as if made here."""

import time
from collections.abc import Generator, Iterator

import pytest

from hoppers.core.model import UNKNOWN, Position
from hoppers.core.puzzle import Question
from hoppers.jobs.worker_process import WorkerProcess
from hoppers.puzzles import find
from hoppers.puzzles.pegs import table_builds
from hoppers.puzzles.pegs.beam.search import land_of
from hoppers.puzzles.pegs.bidirectional import search
from hoppers.puzzles.pegs.bitboards.pagoda_filter import Proofs
from hoppers.puzzles.pegs.closure.closure import close
from hoppers.puzzles.pegs.hint_search import Guesses, find_way
from hoppers.puzzles.pegs.large_board import BigBoard
from hoppers.puzzles.sliding import fifteen_source
from hoppers.puzzles.sliding.fifteen_replay import neighbours
from hoppers.puzzles.sliding.fifteen_source import FifteenSource
from hoppers.tablebase import elsewhere, table_files
from hoppers.tablebase.builder import WORKSHOP, finish
from hoppers.tablebase.table_cache import Allowance

FRENCH, HOPPERS = find("french-37"), find("hoppers")


@pytest.fixture(scope="module", autouse=True)
def builds_in_the_worker(shared_worker: WorkerProcess) -> Iterator[None]:
    """Run long builds in the worker process."""
    elsewhere.use(shared_worker.run_build)
    yield
    elsewhere.use(None)


def on_the_way(pegs: int) -> Position:
    """A position of a solution."""
    land, start = land_of(FRENCH.board.jumps, FRENCH.holes), Position((1 << FRENCH.holes) - 2)
    way = finish(find_way(Question(FRENCH, 36, start), land)) or []
    return next(step.after for step in way if step.after.state.bit_count() == pegs)


def test_a_closure() -> None:
    board, start = BigBoard(FRENCH.board.jumps, FRENCH.board.symmetries), on_the_way(19)
    theirs = finish(table_builds.closure(board, 36, start.state, 10**6))
    proofs, ends = Proofs(board.jumps, board.holes, board.shifts), board.ends(36, start.state)
    ours = finish(close([start.state], 36, board.shifts, 10**6, proofs, ends))
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


def test_a_closure_that_is_too_large() -> None:
    board = BigBoard(FRENCH.board.jumps, FRENCH.board.symmetries)
    assert finish(table_builds.closure(board, 36, on_the_way(24).state, 1000)) is None


@pytest.mark.parametrize("kept", [True, False])
def test_a_table(kept: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    board = BigBoard(HOPPERS.board.jumps, HOPPERS.board.symmetries)
    goal, start = HOPPERS.parse_goal(None), HOPPERS.parse(HOPPERS.start)
    table_files.drop(board.problem(goal, start.state))
    ours = finish(table_builds.table_of(board, goal, start.state, kept=False))
    monkeypatch.setattr(table_builds, "build", None)  # nothing is built here from now on
    theirs = finish(table_builds.table(board, goal, start.state, kept))
    assert ours is not None and theirs is not None
    assert theirs.moves_left(start) == ours.moves_left(start) == 7
    assert theirs.counts == ours.counts
    assert table_files.is_kept(board.problem(goal, start.state)) == kept


def test_a_late_position_is_searched_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "MOST_BOARDS", 0)  # nothing is searched here
    monkeypatch.setattr(
        "hoppers.tablebase.either.SEARCH_SECONDS", 100.0
    )  # its kernels may have to be compiled
    source, late = FRENCH.source(36), on_the_way(16)

    def idle() -> Generator[float, None, None]:
        """A closure that comes to nothing, but not before the search has."""
        until = time.monotonic() + 100
        while source.moves_left(late) == UNKNOWN and time.monotonic() < until:
            yield 0.0

    monkeypatch.setattr("hoppers.puzzles.pegs.source.closure", lambda *asked: idle())
    board = BigBoard(FRENCH.board.jumps, FRENCH.board.symmetries)
    whole = finish(close([late.state], 36, board.shifts, 10**6))
    monkeypatch.setattr(type(source), "_close_now", lambda self, position: UNKNOWN)
    assert whole is not None
    source.moves_left(late)
    assert WORKSHOP.wait(120)
    assert source.moves_left(late) == whole.moves_left(late)


def test_a_distance_of_the_fifteen_puzzle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fifteen_source, "SLICE_NODES", 100)
    source, position = FifteenSource(nodes=0), find("fifteen-puzzle").parse("e80921f3cd645b7a")
    assert source.moves_left(position) == UNKNOWN
    assert WORKSHOP.wait(60)
    assert source.moves_left(position) == 48
    after = source.lead(position)
    assert after in neighbours(position)


def test_a_way_that_is_not_proved() -> None:
    guesses = Guesses(land_of(FRENCH.board.jumps, FRENCH.holes), Allowance(0, 0))
    question = Question(FRENCH, 36, Position((1 << FRENCH.holes) - 2))
    assert guesses.way(question) is None
    assert WORKSHOP.wait(60)
    way = guesses.way(question)
    assert way is not None and FRENCH.is_solved(way[-1].after, 36)
