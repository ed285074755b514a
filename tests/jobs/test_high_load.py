"""What takes hundreds of megabytes waits where many play, or where many may come back: just after a start."""

import itertools
import random
from pathlib import Path
from typing import Any

import pytest

from hoppers.core.model import UNKNOWN, Position
from hoppers.core.puzzle import Question
from hoppers.puzzles.pegs.beam.search import beam_board, beam_search
from hoppers.puzzles.pegs.bloom_files import BloomFilters
from hoppers.puzzles.pegs.hint_search import NARROW, WIDE, HintSearch
from hoppers.puzzles.pegs.source import CROWDED_BOARDS, LargeBoardSource
from hoppers.tablebase.builder import WORKSHOP, Builder, BuildRequest, finish
from hoppers.tablebase.table_cache import Allowance, Shelf
from tests.conftest import MakeApp
from tests.engine import find
from tests.puzzles.pegs.test_bloom_files import own_cache
from tests.puzzles.pegs.test_bloom_filter import large_board
from tests.puzzles.pegs.test_closures import peg_setup, solvable_board

__all__ = ["own_cache"]


def test_wide_beams_wait_until_there_is_no_crowd(monkeypatch: pytest.MonkeyPatch) -> None:
    """What they list takes hundreds of megabytes; meanwhile nothing is tried twice."""
    puzzle, tried = find("english-33"), []

    def trying(question: Question, land: Any, beams: Any) -> Any:
        tried.append(beams)
        return beam_search(question, land, beams)

    monkeypatch.setattr("hoppers.puzzles.pegs.hint_search.beam_search", trying)
    monkeypatch.setattr(WORKSHOP, "is_crowded", lambda: True)
    guesses = HintSearch(beam_board(puzzle.board.jumps, puzzle.holes), Allowance(0, 0))
    lonely = Question(puzzle, 16, Position(1 | 1 << 32))
    for _ in range(3):
        assert guesses.way(lonely) is None and WORKSHOP.wait(60)
        assert tried == [NARROW]
    monkeypatch.setattr(WORKSHOP, "is_crowded", lambda: False)
    for _ in range(3):
        assert guesses.way(lonely) is None and WORKSHOP.wait(60)
        assert tried == [NARROW, WIDE]


def test_no_sieve_is_begun_before_it_is_calm_but_one_on_disk_is_had_even_in_a_crowd(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, workshop, wishes = BloomFilters(), Builder(), list[BuildRequest]()
    monkeypatch.setattr("hoppers.puzzles.pegs.source.SIEVES", held)
    monkeypatch.setattr(workshop, "ask", lambda wish, later=False: wishes.append(wish))
    workshop.is_calm = lambda: False
    board = large_board(find("french-37"))
    state = next(s for s in (board.every ^ 1 << hole for hole in range(9)) if board.ends(-1, s))
    ends = board.ends(-1, state)

    def asked() -> list[bool]:
        """The wishes for the sieve: whether they are heavy."""
        wishes.clear()
        source = LargeBoardSource(board, -1, workshop, Shelf(10**8), Allowance(0.0, 0.0))
        assert source.moves_left(Position(state)) == UNKNOWN
        return [wish.heavy for wish in wishes if wish.name == (f"{board.name}--1", *ends)]

    assert asked() == []
    workshop.is_calm = lambda: True
    assert asked() == [True]
    finish(BloomFilters().fetch(board, ends))
    workshop.is_calm, workshop.is_crowded = lambda: False, lambda: True
    assert asked() == [False]
    for wish in wishes:
        finish(wish.build())
    assert held.get(board, ends) is not None


def test_nothing_that_takes_a_gigabyte_begins_just_after_a_start(
    make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app()
    assert WORKSHOP.is_calm()  # nobody warms anything up
    warmup = app.extensions["warmup"]
    monkeypatch.setattr(warmup, "run", lambda: None)
    warmup.start()
    assert not WORKSHOP.is_calm()
    monkeypatch.undo()
    monkeypatch.setattr(warmup, "_waiting", [])
    warmup.run()
    assert not WORKSHOP.is_calm()
    monkeypatch.setattr("hoppers.jobs.kernel_warmup.SETTLING_SECONDS", 0.0)
    assert WORKSHOP.is_calm()


@pytest.mark.parametrize("comes_after", [0, 40])
def test_in_a_crowd_only_small_closures_are_made_and_nothing_is_given_up_for_good(
    monkeypatch: pytest.MonkeyPatch, comes_after: int
) -> None:
    """Whether the crowd is there already or comes while a large one is made."""
    monkeypatch.setattr("hoppers.puzzles.pegs.source.SMALL_BOARDS", 1)
    monkeypatch.setattr("hoppers.puzzles.pegs.source.SIEVES", BloomFilters())
    puzzle, board, _ = peg_setup("french-37")
    state = solvable_board(puzzle, 20, random.Random(2))
    workshop, looks, crowd, closed = Builder(), itertools.count(), [True], list[int]()
    closing = LargeBoardSource._closing

    def counted(source: LargeBoardSource, start: int, most: int = 0) -> Any:
        closed.append(start)
        return closing(source, start, *[most] * bool(most))

    monkeypatch.setattr(LargeBoardSource, "_closing", counted)
    workshop.is_crowded = lambda: bool(crowd) and next(looks) >= comes_after
    workshop.is_calm = lambda: False
    source = LargeBoardSource(board, -1, workshop, Shelf(10**9), Allowance(0.0, 0.0))

    def asked(most: int) -> int:
        monkeypatch.setattr("hoppers.puzzles.pegs.source.CROWDED_BOARDS", most)
        source.moves_left(Position(state))
        assert workshop.wait(60)
        return source.moves_left(Position(state))

    assert asked(CROWDED_BOARDS) > 0
    source = LargeBoardSource(board, -1, workshop, Shelf(10**9), Allowance(0.0, 0.0))
    assert asked(1000) == UNKNOWN and workshop.wait(60)
    begun = len(closed)
    assert asked(1000) == UNKNOWN and workshop.wait(60)
    assert len(closed) == begun  # not for every question anew, for nothing
    crowd.clear()
    assert asked(1000) > 0


@pytest.mark.parametrize("look", range(1, 11))
def test_a_crowd_of_a_moment_leaves_nothing_undone(monkeypatch: pytest.MonkeyPatch, look: int) -> None:
    monkeypatch.setattr("hoppers.puzzles.pegs.source.SMALL_BOARDS", 1)
    monkeypatch.setattr("hoppers.puzzles.pegs.source.CROWDED_BOARDS", 1000)
    monkeypatch.setattr("hoppers.puzzles.pegs.source.SIEVES", BloomFilters())
    puzzle, board, _ = peg_setup("french-37")
    state, looks = solvable_board(puzzle, 20, random.Random(2)), itertools.count()
    workshop = Builder()
    workshop.is_crowded = lambda: next(looks) == look
    workshop.is_calm = lambda: False
    source = LargeBoardSource(board, -1, workshop, Shelf(10**9), Allowance(0.0, 0.0))
    for _ in range(2):
        source.moves_left(Position(state))
        assert workshop.wait(60)
    assert source.moves_left(Position(state)) > 0
