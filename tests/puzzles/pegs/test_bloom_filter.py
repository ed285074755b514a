"""Sieves let through every board that can be solved, and closures are the same with them as without."""

import itertools
import random
from collections.abc import Iterator

import numpy as np
import pytest

from hoppers.core.model import DEAD, UNKNOWN, Position
from hoppers.core.puzzle import Puzzle
from hoppers.puzzles import find
from hoppers.puzzles.pegs.bitboards.pagoda_filter import no_weighing
from hoppers.puzzles.pegs.closure import bloom_build
from hoppers.puzzles.pegs.closure.bloom_build import sieve_of
from hoppers.puzzles.pegs.closure.bloom_filter import NO_SIEVE, Sieve, keep_passing, passes
from hoppers.puzzles.pegs.closure.closure import Closure, close, packed
from hoppers.puzzles.pegs.closure.hash_buckets import hashing_of, some_of
from hoppers.puzzles.pegs.closure.successors import BATCH, MOST_JUMPS, list_next, room_for_batch
from hoppers.puzzles.pegs.large_board import BigBoard
from hoppers.tablebase.builder import finish
from tests.puzzles.pegs.test_closures import BIG, played, taken_back
from tests.search.test_slicing import WorkCounter, range_length


def board_of(puzzle: Puzzle) -> BigBoard:
    return BigBoard(puzzle.board.jumps, puzzle.board.symmetries)


def made(board: BigBoard, ends: list[int], most: int = 3000) -> Sieve:
    sieve = finish(sieve_of(ends, board.holes, board.shifts, most))
    assert sieve is not None
    return sieve


def closed(board: BigBoard, goal: int, state: int, sieve: Sieve | None) -> Closure:
    ends = board.ends(goal, state)
    closure = finish(close([state], goal, board.shifts, 10**6, None, ends, sieve))
    assert closure is not None
    return closure


def solvable(puzzle: Puzzle, ends: list[int], pegs: int) -> Iterator[set[int]]:
    """The boards with 1, 2, … pegs that jumps taken back from an end lead to, found one by one."""
    level = set(ends)
    for _ in range(pegs):
        yield level
        lines = [(1 << a | 1 << b | 1 << c, 1 << c) for a, b, c in puzzle.board.jumps]
        level = {state ^ line for state in level for line, end in lines if state & line == end}


@pytest.mark.parametrize("puzzle_id", ["hoppers", "triangle-15"])
@pytest.mark.parametrize("most", [0, 50, 10**6])
def test_every_board_that_can_be_solved_passes(puzzle_id: str, most: int) -> None:
    puzzle = find(puzzle_id)
    board, fallen = board_of(puzzle), 0
    for goal in (-1, 0, 4):
        for end in [1 << hole for hole in range(puzzle.holes) if goal in (-1, hole)][:3]:
            ends = board.ends(goal, end)
            sieve = made(board, ends, most)
            for state in range(1, 1 << puzzle.holes):
                if board.parities(state) == board.parities(end) and sieve.proves_dead(state):
                    fallen += 1
                    assert puzzle.source(goal).moves_left(Position(state)) == DEAD
    assert fallen > (1000 if most else 10)


@pytest.mark.parametrize("puzzle_id", BIG)
def test_few_others_pass(puzzle_id: str) -> None:
    puzzle = find(puzzle_id)
    board, rng = board_of(puzzle), random.Random(11)
    ends = board.ends(-1, 1 << 7)
    sieve, passed, tried = made(board, ends), 0, 0
    levels = [*solvable(puzzle, ends, max(sieve.levels))]
    assert len(levels[-1]) > 3000  # one more level than is listed
    for pegs, level in enumerate(levels, 1):
        assert not any(sieve.proves_dead(state) for state in level)
        others = (sum(1 << hole for hole in rng.sample(range(puzzle.holes), pegs)) for _ in range(200))
        dead = [s for s in others if s not in level and board.parities(s) == board.parities(ends[0])]
        passed, tried = passed + sum(not sieve.proves_dead(state) for state in dead), tried + len(dead)
    assert tried > 0 and passed < 0.1 * tried


@pytest.mark.parametrize("puzzle_id", BIG)
@pytest.mark.parametrize("draw", [played, taken_back])
def test_closures_with_a_sieve_leave_out_only_what_is_dead(puzzle_id: str, draw: object) -> None:
    puzzle = find(puzzle_id)
    board, rng, saved = board_of(puzzle), random.Random(12), 0
    for anywhere in (True, False, True, False):
        drawn = ((played if draw is played else taken_back)(puzzle, 17, rng) for _ in itertools.count())
        state, every = next((s, board.ends(-1, s)) for s in drawn if board.ends(-1, s))
        goal = -1 if anywhere else rng.choice(every).bit_length() - 1
        ends = board.ends(goal, state)
        sieve = made(board, ends)
        whole, part = closed(board, goal, state, None), closed(board, goal, state, sieve)
        assert part.counts == whole.counts
        saved += whole.size - part.size
        for level in whole.levels.values():
            for word in some_of(level.rows, 40):
                for hand in [-1, *(hole for hole in range(puzzle.holes) if word >> hole & 1)][:3]:
                    left = part.moves_left(Position(word, hand))
                    if left == UNKNOWN:
                        assert is_left_out(board, word, state, sieve, part)
                        left = DEAD
                    assert left == whole.moves_left(Position(word, hand))
    assert saved > 500 or draw is played


def is_left_out(board: BigBoard, word: int, state: int, sieve: Sieve, part: Closure) -> bool:
    """Whether a board falls through, or all ways to it lead over such ones."""
    if sieve.proves_dead(word):
        return True
    lines = [(1 << a | 1 << b | 1 << c, 1 << c) for a, b, c in board.jumps]
    before = [word ^ line for line, end in lines if word & line == end]
    return all(part.moves_left(Position(one)) == UNKNOWN for one in before)


def test_a_closure_takes_the_hash_of_its_sieve() -> None:
    puzzle, rng = find("english-33"), random.Random(14)
    board = board_of(puzzle)
    state = next(s for s in iter(lambda: taken_back(puzzle, 12, rng), 0) if board.ends(-1, s))
    wider = finish(sieve_of(board.ends(-1, state), board.holes + 1, board.shifts, 3000))
    whole, part = closed(board, -1, state, None), closed(board, -1, state, wider)
    assert part.counts == whole.counts and part.size < whole.size


@pytest.mark.parametrize("puzzle_id", BIG)
def test_a_batch_is_what_jumps_lead_to(puzzle_id: str) -> None:
    puzzle = find(puzzle_id)
    board, rng, found = board_of(puzzle), random.Random(15), list[int]()
    states = list({taken_back(puzzle, 14, rng) for _ in range(150)})
    rows = finish(packed(np.array(states, np.uint64), hashing_of(board.holes)))
    weighing, codes = no_weighing(len(board.shifts.lines)), room_for_batch()
    words, bucket, start, ends = made(board, [1 << 7]).level(6), 0, 0, list[int]()
    while start < len(states):
        bucket, start, end = list_next(rows, bucket, start, len(states), codes, board.shifts, weighing)
        batch = codes[:end].tolist()
        kept = keep_passing(codes, end, words)
        assert codes[:kept].tolist() == [code for code in batch if passes(np.uint64(code), words)]
        assert keep_passing(codes, end, NO_SIEVE) == end
        found, ends = found + batch, [*ends, end]
    lines = [(1 << a | 1 << b | 1 << c, 1 << a | 1 << b) for a, b, c in board.jumps]
    after = [state ^ line for state in states for line, before in lines if state & line == before]
    multiplier = int(hashing_of(board.holes).multiplier)
    assert sorted(found) == sorted(state * multiplier % (1 << 64) for state in after)
    assert len(ends) > 1 and max(ends) < BATCH + MOST_JUMPS


def test_how_much_of_a_sieve_is_made_between_two_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    board, work = board_of(find("english-33")), WorkCounter()
    whole = made(board, [1 << 16], 500)
    for name in ("put_rows", "put_next"):
        work.count(monkeypatch, bloom_build, name, lambda given, made: range_length(given[1:], made))
    monkeypatch.setattr(bloom_build, "SLICE", 100)
    most = work.most_per_slice(sieve_of([1 << 16], board.holes, board.shifts, 500))
    assert most == {"put_rows": 100, "put_next": 100}
    cut = made(board, [1 << 16], 500)
    assert all(np.array_equal(cut.levels[pegs], words) for pegs, words in whole.levels.items())
