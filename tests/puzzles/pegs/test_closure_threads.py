"""Two threads build the same closures as one thread, with equal levels and values."""

import random
import threading
from concurrent.futures import thread
from typing import Any

import numpy as np
import pytest

from hoppers import puzzles
from hoppers.core.kernels import ONE_THREAD, kernel_threads, max_threads
from hoppers.core.model import Position
from hoppers.core.puzzle import Puzzle
from hoppers.puzzles.pegs import source as large_board_source
from hoppers.puzzles.pegs.large_tables import table_builds, tables_in_memory
from hoppers.puzzles.pegs.peg_board import PegBoard
from hoppers.puzzles.pegs.source import LargeBoardSource
from hoppers.puzzles.pegs.tables.closure import Closure, better_value, build_closure, value_of
from hoppers.runtime.builder import finish
from hoppers.runtime.token_bucket import TokenBucket
from hoppers.search.hash_tables import MIXER
from hoppers.tablebase.engine import Engine
from tests.puzzles.pegs.positions import (
    LARGE_BOARDS,
    closable,
    peg_setup,
    random_board,
    solvable_board,
)

LARGE = 5000
"""Boards of a closure that is built in many slices."""


def boards_of(closure: Closure, pegs: int, holes: int) -> dict[int, int]:
    """Return board -> value for all boards with `pegs` pegs, decoded from their packed hashes."""
    level = closure.levels[pegs]
    bits, unused = (len(level.starts) - 2).bit_count(), 64 - holes
    buckets = np.repeat(np.arange(len(level.starts) - 1), np.diff(level.starts)).tolist()
    codes = (
        bucket << 64 - bits | rest << 32 - bits
        for bucket, rest in zip(buckets, level.rests.tolist(), strict=True)
    )
    inverse = pow(MIXER, -1, 1 << holes)
    boards = [(code >> unused) * inverse % (1 << holes) for code in codes]
    return {board: int(value_of(np.uint64(board), closure.levels[pegs])) for board in boards}


@pytest.mark.parametrize("puzzle_id", LARGE_BOARDS)
def test_two_threads_build_the_same_closure_as_one(puzzle_id: str) -> None:
    puzzle, board, _ = peg_setup(puzzle_id)
    rng, sizes = random.Random(31), []
    for state in (
        board_of_large_closure(puzzle, board, rng),
        solvable_board(puzzle, closable(puzzle, 15), rng),
        solvable_board(puzzle, 3, rng),
    ):
        ends = board.ends(-1, state)
        one, two = (
            finish(build_closure([state], -1, board.shifts, 10**6, None, ends, threads)) for threads in (1, 2)
        )
        assert one is not None and two is not None and one.size == two.size and one.counts == two.counts
        sizes.append(one.size)
        for level in one.levels:
            assert boards_of(one, level, puzzle.holes) == boards_of(two, level, puzzle.holes)
        assert one.moves_left(Position(state)) == two.moves_left(Position(state))
    assert sizes[0] > LARGE > sizes[2]


def board_of_large_closure(puzzle: Puzzle, board: PegBoard, rng: random.Random) -> int:
    """Return the first board (bit mask) of random games, with more and more pegs, whose closure is large."""
    for pegs in range(closable(puzzle, 15), puzzle.holes):
        for state in [random_board(puzzle, pegs, rng) for _ in range(3)]:
            if ends := board.ends(-1, state):
                closure = finish(build_closure([state], -1, board.shifts, 10**6, None, ends, 1))
                if closure is not None and closure.size > LARGE:
                    return state
    raise AssertionError(f"no closure of {puzzle.id} is large")


def test_cancelled_closure_ends_its_threads() -> None:
    puzzle, board, _ = peg_setup("english-33")
    state = solvable_board(puzzle, 16, random.Random(3))
    before = threading.active_count()
    steps = build_closure([state], -1, board.shifts, 10**6, threads=2)
    while threading.active_count() == before:
        next(steps)
    steps.close()
    assert threading.active_count() == before
    assert finish(build_closure([state], -1, board.shifts, 100, threads=2)) is None
    assert threading.active_count() == before


def test_kernel_threads_run_calls_in_parallel() -> None:
    meeting = threading.Barrier(2, timeout=20)  # calls in sequence would never meet
    with kernel_threads(2) as threads:
        assert threads.run(lambda number: (number, meeting.wait())[0], [(7,), (8,)]) == [7, 8]
        with pytest.raises(ZeroDivisionError):
            threads.run(lambda number: 1 // number, [(1,), (0,)])
        assert threads.run(lambda number: 1 // number, [(1,), (1,)]) == [1, 1]
        assert threads.parts(7) == [(0, 3), (3, 7)] and threads.parts(0) == [(0, 0), (0, 0)]
    assert ONE_THREAD.run(divmod, [(7, 2)]) == [(3, 1)] and ONE_THREAD.parts(7) == [(0, 7)]
    assert max_threads() in (1, 2)


def test_kernel_threads_fall_back_to_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    with kernel_threads(2) as threads:
        monkeypatch.setattr(thread, "_shutdown", True)  # as when the interpreter ends
        assert threads.run(divmod, [(7, 2), (9, 2)]) == [(3, 1), (4, 1)]
        with kernel_threads(2) as late:
            assert late is ONE_THREAD
    monkeypatch.undo()
    monkeypatch.setattr(threading.Thread, "start", refuse)
    with kernel_threads(2) as threads:
        assert threads is ONE_THREAD


def refuse(_: threading.Thread) -> None:
    raise RuntimeError("can't start new thread")


def test_better_value_has_fewer_moves_or_all_first_movers() -> None:
    values = [0, *(moves << 56 | movers for moves in (1, 2, 9) for movers in (1, 2, 6))]
    for value in values:
        for other in values:
            values_given = [v for v in (value, other) if v]
            least = min((v >> 56 for v in values_given), default=0)
            movers = [v & (1 << 56) - 1 for v in values_given if v >> 56 == least]
            wanted = least << 56 | (movers[0] | movers[-1] if movers else 0)
            assert better_value(np.uint64(value), np.uint64(other)) == wanted


def test_closures_use_one_thread_under_high_load(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle, board, _ = peg_setup("french-37")
    state = next(
        s for s in (solvable_board(puzzle, 14, random.Random(n)) for n in range(9)) if board.ends(-1, s)
    )
    requested = list[int]()

    def noted(*arguments: Any) -> Any:
        requested.append(arguments[-1])
        return build_closure(*arguments)

    limits = large_board_source.LIMITS._replace(small_boards=10)
    monkeypatch.setattr(large_board_source, "LIMITS", limits)
    monkeypatch.setattr(tables_in_memory, "build_closure", noted)
    monkeypatch.setattr(table_builds, "max_threads", lambda: 2)
    for is_busy in (False, True):
        engine = Engine(puzzles.PUZZLES, is_busy.__bool__)
        source = LargeBoardSource(engine.find("french-37"), -1, TokenBucket(2.0, 0.1))
        assert source.moves_left(Position(state)) > 0
    assert requested == [1, 2, 1, 1]  # one thread for a small closure, tried first: two are not faster
