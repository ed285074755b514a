"""Two threads make what one makes: closures, level by level and value by value."""

import random
import threading
from concurrent.futures import thread
from typing import Any

import numpy as np
import pytest

from hoppers.core.model import Position
from hoppers.puzzles.pegs import source as big_sources
from hoppers.puzzles.pegs.closure.backward_values import better_value, value_of
from hoppers.puzzles.pegs.closure.closure import Closure, build_closure
from hoppers.puzzles.pegs.source import BigSource
from hoppers.tablebase.builder import Workshop, finish
from hoppers.tablebase.kernel_threads import ALONE, crew_of, largest_crew
from hoppers.tablebase.table_cache import Allowance, Shelf
from tests.puzzles.pegs.test_bloom_filter import board_of, made
from tests.puzzles.pegs.test_closures import BIG, make, played, taken_back


def boards_of(closure: Closure, pegs: int, holes: int) -> dict[int, int]:
    """What each board of a level is worth, whatever the order in which they are kept."""
    rows = closure.levels[pegs].packed
    bits, unused = (len(rows.starts) - 2).bit_count(), 64 - holes
    buckets = np.repeat(np.arange(len(rows.starts) - 1), np.diff(rows.starts)).tolist()
    codes = (
        bucket << 64 - bits | rest << 32 - bits
        for bucket, rest in zip(buckets, rows.rests.tolist(), strict=True)
    )
    inverse = int(rows.hashing.inverse)
    boards = [(code >> unused) * inverse % (1 << holes) for code in codes]
    return {board: int(value_of(np.uint64(board), closure.levels[pegs])) for board in boards}


@pytest.mark.parametrize("puzzle_id", BIG)
@pytest.mark.parametrize("sifted", [False, True])
def test_two_threads_make_the_closure_of_one(puzzle_id: str, sifted: bool) -> None:
    puzzle, board, _ = make(puzzle_id)
    rng, large = random.Random(31), 0
    drawn = (
        [played(puzzle, 18, rng) for _ in range(9)],
        [taken_back(puzzle, 15, rng)],
        [taken_back(puzzle, 3, rng)],
    )
    for states in drawn:
        state = next(one for one in states if board.ends(-1, one))
        ends = board.ends(-1, state)
        sieve = made(board_of(puzzle), ends) if sifted else None
        one, two = (
            finish(build_closure([state], -1, board.shifts, 10**6, None, ends, sieve, threads))
            for threads in (1, 2)
        )
        assert one is not None and two is not None and one.size == two.size and one.counts == two.counts
        large += one.size > 5000
        for level in one.levels:
            assert boards_of(one, level, puzzle.holes) == boards_of(two, level, puzzle.holes)
        assert one.moves_left(Position(state)) == two.moves_left(Position(state))
    assert large or sifted


def test_a_closure_that_is_given_up_ends_its_threads() -> None:
    puzzle, board, _ = make("english-33")
    state = taken_back(puzzle, 16, random.Random(3))
    before = threading.active_count()
    steps = build_closure([state], -1, board.shifts, 10**6, threads=2)
    while threading.active_count() == before:
        next(steps)
    steps.close()
    assert threading.active_count() == before
    assert finish(build_closure([state], -1, board.shifts, 100, threads=2)) is None
    assert threading.active_count() == before


def test_a_crew_works_side_by_side() -> None:
    meeting = threading.Barrier(2, timeout=20)  # one after the other, they would never meet
    with crew_of(2) as crew:
        assert crew.work(lambda number: (number, meeting.wait())[0], [(7,), (8,)]) == [7, 8]
        with pytest.raises(ZeroDivisionError):
            crew.work(lambda number: 1 // number, [(1,), (0,)])
        assert crew.work(lambda number: 1 // number, [(1,), (1,)]) == [1, 1]
        assert crew.parts(7) == [(0, 3), (3, 7)] and crew.parts(0) == [(0, 0), (0, 0)]
    assert ALONE.work(divmod, [(7, 2)]) == [(3, 1)] and ALONE.parts(7) == [(0, 7)]
    assert largest_crew() in (1, 2)


def test_without_another_thread_one_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    with crew_of(2) as crew:
        monkeypatch.setattr(thread, "_shutdown", True)  # as when the interpreter ends
        assert crew.work(divmod, [(7, 2), (9, 2)]) == [(3, 1), (4, 1)]
        with crew_of(2) as late:
            assert late is ALONE
    monkeypatch.undo()
    monkeypatch.setattr(threading.Thread, "start", refuse)
    with crew_of(2) as crew:
        assert crew is ALONE


def refuse(_: threading.Thread) -> None:
    raise RuntimeError("can't start new thread")


def test_of_two_values_the_one_of_fewer_moves_is_better() -> None:
    values = [0, *(moves << 56 | movers for moves in (1, 2, 9) for movers in (1, 2, 6))]
    for value in values:
        for other in values:
            told = [v for v in (value, other) if v]
            least = min((v >> 56 for v in told), default=0)
            movers = [v & (1 << 56) - 1 for v in told if v >> 56 == least]
            wanted = least << 56 | (movers[0] | movers[-1] if movers else 0)
            assert better_value(np.uint64(value), np.uint64(other)) == wanted


def test_a_crowd_has_its_closures_made_by_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle, board, _ = make("french-37")
    state = next(s for s in (taken_back(puzzle, 14, random.Random(n)) for n in range(9)) if board.ends(-1, s))
    asked = list[int]()

    def noted(*given: Any) -> Any:
        asked.append(given[-1])
        return build_closure(*given)

    monkeypatch.setattr(big_sources, "build_closure", noted)
    monkeypatch.setattr(big_sources, "largest_crew", lambda: 2)
    monkeypatch.setattr(big_sources, "SMALL_BOARDS", 10)
    for is_crowded in (False, True):
        workshop = Workshop()
        monkeypatch.setattr(workshop, "is_crowded", is_crowded.__bool__)
        source = BigSource(board, -1, workshop, Shelf(10**8), Allowance(2.0, 0.1))
        assert source.moves_left(Position(state)) > 0
    assert asked == [1, 2, 1, 1]  # a small one is tried first, which two threads would not make any sooner
