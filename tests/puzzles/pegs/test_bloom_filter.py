"""Bloom filters pass every solvable board, and closures have the same values with and without them."""

import itertools
import random
from collections.abc import Iterator

import numpy as np
import pytest

from hoppers.core.model import DEAD, UNKNOWN, Position
from hoppers.core.puzzle import Puzzle
from hoppers.puzzles.pegs import bloom_files
from hoppers.puzzles.pegs.bloom_files import build_bloom_filter
from hoppers.puzzles.pegs.closure.bloom_filter import NO_BLOOM, BloomFilter, keep_passing, may_be_solvable
from hoppers.puzzles.pegs.closure.closure import (
    BATCH_HASHES,
    MAX_JUMPS,
    Closure,
    build_closure,
    list_successors,
    make_batch,
    pack_level,
)
from hoppers.puzzles.pegs.closure.hash_buckets import hashing_of, sample_boards
from hoppers.puzzles.pegs.large_board import BigBoard
from hoppers.puzzles.pegs.pagoda import no_pagodas
from hoppers.tablebase.builder import finish
from tests.engine import find
from tests.puzzles.pegs.positions import LARGE_BOARDS, large_board, random_board, solvable_board
from tests.search.test_slicing import WorkCounter, range_length


def bloom_filter_for(board: BigBoard, ends: list[int], most: int = 3000) -> BloomFilter:
    bloom = finish(build_bloom_filter(ends, board.holes, board.shifts, most))
    assert bloom is not None
    return bloom


def closure_of(board: BigBoard, goal: int, state: int, bloom: BloomFilter | None) -> Closure:
    ends = board.ends(goal, state)
    closure = finish(build_closure([state], goal, board.shifts, 10**6, None, ends, bloom))
    assert closure is not None
    return closure


def solvable(puzzle: Puzzle, ends: list[int], pegs: int) -> Iterator[set[int]]:
    """Yield the boards with 1, 2, … pegs that jumps taken back from `ends` lead to, found one by one."""
    level = set(ends)
    for _ in range(pegs):
        yield level
        lines = [(1 << a | 1 << b | 1 << c, 1 << c) for a, b, c in puzzle.board.jumps]
        level = {state ^ line for state in level for line, end in lines if state & line == end}


@pytest.mark.parametrize("puzzle_id", ["hoppers", "triangle-15"])
@pytest.mark.parametrize("most", [0, 50, 10**6])
def test_bloom_filter_passes_every_solvable_board(puzzle_id: str, most: int) -> None:
    puzzle = find(puzzle_id)
    board, rejected = large_board(puzzle), 0
    for goal in (-1, 0, 4):
        for end in [1 << hole for hole in range(puzzle.holes) if goal in (-1, hole)][:2]:
            ends = board.ends(goal, end)
            bloom = bloom_filter_for(board, ends, most)
            for state in range(1, 1 << puzzle.holes):
                if board.parities(state) == board.parities(end) and bloom.proves_dead(state):
                    rejected += 1
                    assert puzzle.source(goal).moves_left(Position(state)) == DEAD
    assert rejected > (1000 if most else 10)


@pytest.mark.parametrize("puzzle_id", LARGE_BOARDS)
def test_bloom_filter_passes_few_dead_boards(puzzle_id: str) -> None:
    puzzle = find(puzzle_id)
    board, rng = large_board(puzzle), random.Random(11)
    ends = board.ends(-1, 1 << 7)
    bloom, passed, tried = bloom_filter_for(board, ends), 0, 0
    levels = [*solvable(puzzle, ends, max(bloom.levels))]
    assert len(levels[-1]) > 3000  # one more level than is listed
    for pegs, level in enumerate(levels, 1):
        assert not any(bloom.proves_dead(state) for state in level)
        others = (sum(1 << hole for hole in rng.sample(range(puzzle.holes), pegs)) for _ in range(200))
        dead = [s for s in others if s not in level and board.parities(s) == board.parities(ends[0])]
        passed, tried = passed + sum(not bloom.proves_dead(state) for state in dead), tried + len(dead)
    assert tried > 0 and passed < 0.1 * tried


@pytest.mark.parametrize("puzzle_id", LARGE_BOARDS)
@pytest.mark.parametrize("draw", [random_board, solvable_board])
def test_closures_with_a_bloom_filter_omit_only_dead_boards(puzzle_id: str, draw: object) -> None:
    puzzle = find(puzzle_id)
    board, rng, saved = large_board(puzzle), random.Random(12), 0
    for anywhere in (True, False):
        drawn = (
            (random_board if draw is random_board else solvable_board)(puzzle, 17, rng)
            for _ in itertools.count()
        )
        state, every = next((s, board.ends(-1, s)) for s in drawn if board.ends(-1, s))
        goal = -1 if anywhere else rng.choice(every).bit_length() - 1
        ends = board.ends(goal, state)
        bloom = bloom_filter_for(board, ends)
        whole, part = closure_of(board, goal, state, None), closure_of(board, goal, state, bloom)
        assert part.counts == whole.counts
        saved += whole.size - part.size
        for level in whole.levels.values():
            for word in sample_boards(level.packed, 40):
                for active in [-1, *(hole for hole in range(puzzle.holes) if word >> hole & 1)][:3]:
                    left = part.moves_left(Position(word, active))
                    if left == UNKNOWN:
                        assert is_omitted(board, word, state, bloom, part)
                        left = DEAD
                    assert left == whole.moves_left(Position(word, active))
    assert saved > 500 or draw is random_board


def is_omitted(board: BigBoard, word: int, state: int, bloom: BloomFilter, part: Closure) -> bool:
    """Return whether a board is rejected, or all its predecessors are omitted."""
    if bloom.proves_dead(word):
        return True
    lines = [(1 << a | 1 << b | 1 << c, 1 << c) for a, b, c in board.jumps]
    before = [word ^ line for line, end in lines if word & line == end]
    return all(part.moves_left(Position(one)) == UNKNOWN for one in before)


def test_closure_uses_the_hash_function_of_its_bloom_filter() -> None:
    puzzle, rng = find("english-33"), random.Random(14)
    board = large_board(puzzle)
    state = next(s for s in iter(lambda: solvable_board(puzzle, 12, rng), 0) if board.ends(-1, s))
    wider = finish(build_bloom_filter(board.ends(-1, state), board.holes + 1, board.shifts, 3000))
    whole, part = closure_of(board, -1, state, None), closure_of(board, -1, state, wider)
    assert part.counts == whole.counts and part.size < whole.size


@pytest.mark.parametrize("puzzle_id", LARGE_BOARDS)
def test_batches_contain_exactly_the_successors(puzzle_id: str) -> None:
    puzzle = find(puzzle_id)
    board, rng, found = large_board(puzzle), random.Random(15), list[int]()
    states = list({solvable_board(puzzle, 14, rng) for _ in range(150)})
    rows = finish(pack_level(np.array(states, np.uint64), hashing_of(board.holes)))
    pagodas, codes = no_pagodas(len(board.shifts.lines)), make_batch()
    words, bucket, start, ends = bloom_filter_for(board, [1 << 7]).level(6), 0, 0, list[int]()
    while start < len(states):
        bucket, start, end = list_successors(rows, bucket, start, len(states), codes, board.shifts, pagodas)
        batch = codes[:end].tolist()
        passed = keep_passing(codes, end, words)
        assert codes[:passed].tolist() == [code for code in batch if may_be_solvable(np.uint64(code), words)]
        assert keep_passing(codes, end, NO_BLOOM) == end
        found, ends = found + batch, [*ends, end]
    lines = [(1 << a | 1 << b | 1 << c, 1 << a | 1 << b) for a, b, c in board.jumps]
    after = [state ^ line for state in states for line, before in lines if state & line == before]
    multiplier = int(hashing_of(board.holes).multiplier)
    assert sorted(found) == sorted(state * multiplier % (1 << 64) for state in after)
    assert len(ends) > 1 and max(ends) < BATCH_HASHES + MAX_JUMPS


def test_bloom_filter_is_built_in_bounded_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    board, work = large_board(find("english-33")), WorkCounter()
    whole = bloom_filter_for(board, [1 << 16], 500)
    for name in ("add_complements", "add_next_complements"):
        work.count(monkeypatch, bloom_files, name, lambda given, made: range_length(given[1:], made))
    monkeypatch.setattr(bloom_files, "BOARDS_PER_SLICE", 100)
    most = work.most_per_slice(build_bloom_filter([1 << 16], board.holes, board.shifts, 500))
    assert most == {"add_complements": 100, "add_next_complements": 100}
    cut = bloom_filter_for(board, [1 << 16], 500)
    assert all(np.array_equal(cut.levels[pegs], words) for pegs, words in whole.levels.items())
