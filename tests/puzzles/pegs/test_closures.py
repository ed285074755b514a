"""Closures that omit boards that pagoda functions prove dead, compared with complete closures."""

import itertools
import random

import numpy as np
import pytest

from hoppers import puzzles
from hoppers.core.model import DEAD, UNKNOWN, Position
from hoppers.core.puzzle import Puzzle
from hoppers.puzzles.pegs import source as pegs_source
from hoppers.puzzles.pegs.jump_masks import forward_jumps, lowest_bit
from hoppers.puzzles.pegs.pagoda import (
    SLACK_BITS,
    PagodaSet,
    heavy_after_jump,
    is_pagoda,
    no_pagodas,
    pagoda_words,
)
from hoppers.puzzles.pegs.peg_board import PegBoard
from hoppers.puzzles.pegs.source import LIMITS, LargeBoardSource
from hoppers.puzzles.pegs.tables.closure import Closure, build_closure, pack_level, successor_level
from hoppers.puzzles.pegs.tables.hash_buckets import sample_boards
from hoppers.runtime.builder import Builder, finish
from hoppers.runtime.token_bucket import TokenBucket
from hoppers.tablebase.engine import Engine
from tests.puzzles.pegs.positions import LARGE_BOARDS, closable, peg_setup, random_board, solvable_board
from tests.support.engine import find
from tests.support.weight_proofs import is_too_light


def both(board: PegBoard, goal: int, state: int, pagoda_set: PagodaSet) -> tuple[Closure, Closure]:
    """Return the complete closure, and the closure without boards that pagoda functions prove dead."""
    ends = tuple(board.ends(goal, state))
    whole = finish(build_closure([state], goal, board.shifts, 10**6))
    part = finish(build_closure([state], goal, board.shifts, 10**6, pagoda_set, ends))
    assert whole is not None and part is not None
    return whole, part


@pytest.mark.parametrize("puzzle_id", LARGE_BOARDS)
@pytest.mark.parametrize("draw", [random_board, solvable_board])
def test_closures_omit_only_dead_boards(puzzle_id: str, draw: object) -> None:
    puzzle, board, pagoda_set = peg_setup(puzzle_id)
    rng, made = random.Random(3), random_board if draw is random_board else solvable_board
    for goal in (-1, -1, *range(0, puzzle.holes, 9)):
        state = made(puzzle, closable(puzzle, 17), rng)
        ends = board.ends(goal, state)
        if not ends:
            continue
        whole, part = both(board, goal, state, pagoda_set)
        assert part.counts == whole.counts and part.size <= whole.size
        for level in whole.levels.values():
            for word in sample_boards(level, 40):
                position = Position(word, next(iter(h for h in range(puzzle.holes) if word >> h & 1)))
                left = part.moves_left(position)
                if left == UNKNOWN:
                    assert pagoda_set.proves_dead(word, ends)
                    left = DEAD
                assert left == whole.moves_left(position)


@pytest.mark.parametrize("puzzle_id", LARGE_BOARDS)
def test_closure_is_complete_or_none(puzzle_id: str) -> None:
    puzzle, board, pagoda_set = peg_setup(puzzle_id)
    rng, cut, tried = random.Random(11), 0, 0
    for draw in (random_board, solvable_board):
        state = draw(puzzle, closable(puzzle, 16), rng)
        ends = tuple(board.ends(-1, state))
        whole = finish(build_closure([state], -1, board.shifts, 10**7, pagoda_set, ends))
        assert whole is not None
        for most in range(whole.size // 3, whole.size + 1, max(whole.size // 20, 1)):
            made = finish(build_closure([state], -1, board.shifts, most, pagoda_set, ends))
            assert made is None or made.counts == whole.counts
            cut, tried = cut + (made is None), tried + 1
    assert tried // 2 < cut < tried, "most limits are below the size, and the last one is not"


@pytest.mark.parametrize("puzzle_id", LARGE_BOARDS)
def test_truncated_level_is_larger_than_its_limit(puzzle_id: str) -> None:
    puzzle, board, pagoda_set = peg_setup(puzzle_id)
    rng, light = random.Random(12), 0
    states = list({random_board(puzzle, 17, rng) for _ in range(1000)})
    ends = board.ends(-1, states[0])
    for state in states[:20]:
        pagoda_set.learn(state, ends)
    level = finish(pack_level(np.array(states, np.uint64), board.holes))
    pagodas, free = pagoda_set.tables(ends), no_pagodas(len(board.shifts.lines))
    whole, every = (finish(successor_level(level, board.shifts, scale, 10**6)) for scale in (pagodas, free))
    assert whole.size < every.size
    for most in range(0, every.size, every.size // 25):
        made = finish(successor_level(level, board.shifts, pagodas, most))
        assert made.size > most or made.size == whole.size
        light += whole.size <= most
    assert light > 0


def test_number_of_boards_omitted() -> None:
    puzzle, board, pagoda_set = peg_setup("english-33")
    rng, sizes = random.Random(4), []
    for state in [random_board(puzzle, 19, rng) for _ in range(5)]:
        whole, part = both(board, -1, state, pagoda_set)
        sizes.append((whole.size, sum(whole.counts)))
        assert part.size < 0.7 * whole.size
    assert sizes == [(21404, 0), (49336, 0), (20806, 0), (68746, 448), (15219, 0)]


@pytest.mark.parametrize("puzzle_id", LARGE_BOARDS)
def test_late_positions_are_answered_without_budget(puzzle_id: str) -> None:
    puzzle = find(puzzle_id)
    source = LargeBoardSource(Engine(puzzles.PUZZLES).find(puzzle_id), -1, TokenBucket(0.0, 0.0))
    rng = random.Random(9)
    for draw in (random_board, solvable_board, random_board, solvable_board):
        assert source.moves_left(Position(draw(puzzle, closable(puzzle, 10), rng))) != UNKNOWN


def test_large_closures_are_built_at_once_within_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Builder, "submit", lambda *arguments, **options: None)
    puzzle, board, pagoda_set = peg_setup("english-33")
    rng, shifts = random.Random(4), board.shifts
    states = iter(lambda: solvable_board(puzzle, 19, rng), 0)  # a dead board may be known by its steps
    ends = {state: tuple(board.ends(-1, state)) for state in itertools.islice(states, 20)}

    def new_puzzle() -> Puzzle:
        return Engine(puzzles.PUZZLES).find("english-33")

    def is_within(state: int, most: int) -> bool:
        return finish(build_closure([state], -1, shifts, most, pagoda_set, ends[state])) is not None

    beyond = [state for state in ends if not is_within(state, LIMITS.small_boards)]
    large = next(state for state in beyond if is_within(state, LIMITS.at_once_boards))
    larger = next(state for state in beyond if not is_within(state, LIMITS.at_once_boards))
    for seconds in (0.0, 0.9 * LIMITS.useful_seconds, 600.0):
        source = LargeBoardSource(new_puzzle(), -1, TokenBucket(seconds, 0.0))
        assert (source.moves_left(Position(large)) == UNKNOWN) == (seconds < LIMITS.useful_seconds)
        assert source.moves_left(Position(larger)) == UNKNOWN  # with any budget
    monkeypatch.setattr(pegs_source, "LIMITS", LIMITS._replace(at_once_seconds=0.0))
    source = LargeBoardSource(new_puzzle(), -1, TokenBucket(600.0, 0.0))
    assert source.moves_left(Position(large)) == UNKNOWN


@pytest.mark.parametrize("puzzle_id", LARGE_BOARDS)
def test_kernel_agrees_with_the_pagoda_functions(puzzle_id: str) -> None:
    puzzle, board, pagoda_set = peg_setup(puzzle_id)
    rng, tried = random.Random(5), 0
    for number in range(30):
        state = random_board(puzzle, 12 + number % 8, rng)
        ends = board.ends(-1, state)
        pagoda_set.learn(state, ends)
        pagodas, words = pagoda_set.tables(ends), np.zeros(64, np.uint64)
        pagoda_words(np.uint64(state), pagodas, words)
        for slot in range(len(board.shifts.first) - 1):
            lows = int(forward_jumps(np.uint64(state), slot, board.shifts))
            while lows:
                low = int(lowest_bit(np.uint64(lows)))
                lows &= lows - 1
                line = 64 * slot + low
                after = state ^ int(board.shifts.lines[line])
                upwards = np.uint64(state >> low & 1)
                assert heavy_after_jump(words, np.uint64(line), upwards, pagodas) != pagoda_set.proves_dead(
                    after, ends
                )
                tried += pagoda_set.proves_dead(after, ends)
    assert tried > 20


@pytest.mark.parametrize("puzzle_id", LARGE_BOARDS)
def test_no_board_is_too_light_for_an_end_without_functions(puzzle_id: str) -> None:
    puzzle, board, pagoda_set = peg_setup(puzzle_id)
    rng, words = random.Random(17), np.zeros(64, np.uint64)
    states = [random_board(puzzle, 14, rng) for _ in range(40)]
    ends = next(ends for state in states if len(ends := board.ends(-1, state)) > 1)
    for state in states:
        pagoda_set.learn(state, ends[:1])
    one, all_ends = pagoda_set.tables(ends[:1]), pagoda_set.tables(ends)
    assert any(is_too_light(state, one) for state in states)
    for state in states:
        pagoda_words(np.uint64(state), all_ends, words)
        assert not is_too_light(state, all_ends)
        assert heavy_after_jump(words, np.uint64(0), np.uint64(0), all_ends)
        assert is_too_light(state, pagoda_set.tables([]))  # no end, so every board is too light


def test_all_functions_in_use_are_pagoda_functions() -> None:
    puzzle, board, pagoda_set = peg_setup("french-37")
    rng = random.Random(6)
    for _ in range(12):
        state = random_board(puzzle, 16, rng)
        pagoda_set.learn(state, board.ends(-1, state))
    assert pagoda_set._found
    for end, functions in pagoda_set._found.items():
        assert all(is_pagoda(weights, board.jumps) for weights in functions.tolist()) and end.bit_count() == 1
    assert SLACK_BITS == 0x8000800080008000
