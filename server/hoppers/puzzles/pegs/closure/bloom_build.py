"""Making sieves: all boards of few pegs that can be solved, listed level by level (see `bloom`).

A jump taken back is a jump of the complement, so they are what can be reached from the complements of the
ends, as in a closure. The last level is not listed any more: what is one jump from the one before is put in.
"""

from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from hoppers.core.kernels import kernel
from hoppers.puzzles.pegs.bitboards.jump_masks import Shifts
from hoppers.puzzles.pegs.bitboards.pagoda_filter import PagodaTables, no_pagodas
from hoppers.puzzles.pegs.closure.bloom_filter import BloomFilter, bits_of, empty_words, word_of
from hoppers.puzzles.pegs.closure.closure import list_successors, make_batch, pack_level, successor_level
from hoppers.puzzles.pegs.closure.hash_buckets import PackedLevel, board_at, hash_of, hashing_of
from hoppers.search.slicing import Pauses, brought, reported, slices

NO_LIMIT = 1 << 62
"""A level of which boards are missing would be no proof."""
BOARDS_PER_SLICE = 1 << 12
"""Boards per kernel call: a few milliseconds."""


@kernel
def add_complements(level: Any, bucket: int, start: int, stop: int, every: Any, words: Any) -> int:
    """Put the complements of some boards into a level; returns the bucket of the last."""
    for index in range(start, stop):
        while index >= level.starts[bucket + 1]:
            bucket += 1
        code = hash_of(every ^ board_at(bucket, index, level), level.hashing)
        words[word_of(code, words)] |= bits_of(code)
    return bucket


@kernel
def add_next_complements(
    level: Any,
    bucket: int,
    start: int,
    stop: int,
    codes: Any,
    every: Any,
    words: Any,
    shifts: Shifts,
    pagodas: PagodaTables,
) -> int:
    """Put the complements of what is one jump from some boards into a level, without listing them.

    `codes`: where a batch finds room.
    """
    whole = hash_of(every, level.hashing)
    while start < stop:
        bucket, start, end = list_successors(level, bucket, start, stop, codes, shifts, pagodas)
        for number in range(end):
            code = whole - codes[number]  # a complement is a difference, and its hash is one, too
            words[word_of(code, words)] |= bits_of(code)
    return bucket


def build_bloom_filter(
    ends: Sequence[int], holes: int, shifts: Shifts, listed: int
) -> Generator[float, None, BloomFilter]:
    """Make the bloom for the solved boards of a position class (one peg each), in steps of milliseconds.

    `listed`: boards of the largest level that is listed, or little more. Yields how far it is, 0 to 1.
    """
    every, hashing = (1 << holes) - 1, hashing_of(holes)
    first = np.array([every ^ end for end in ends], np.uint64)
    level = yield from reported(0.0, pack_level(first, hashing))
    bloom, before, pagodas = BloomFilter({}, hashing), level.size, no_pagodas(len(shifts.lines))
    while level.size:
        pegs, expected = len(bloom.levels) + 1, level.size * level.size // before + 1
        done = min(level.size / (listed + 1), 0.9)
        bloom.levels[pegs] = yield from reported(done, _complement_words(level, every, level.size, None))
        if expected > listed:
            bloom.levels[pegs + 1] = yield from reported(
                0.9, _complement_words(level, every, expected, shifts)
            )
            break
        before = level.size
        level = yield from reported(done, successor_level(level, shifts, pagodas, NO_LIMIT))
    return bloom


def _complement_words(level: PackedLevel, every: int, room: int, shifts: Shifts | None) -> Pauses[Any]:
    """A level of the complements of boards, or with `shifts` of what is one jump from them."""
    words, bucket, codes = empty_words(room), 0, make_batch()
    yield from brought(words)
    for start, stop in slices(level.size, BOARDS_PER_SLICE):
        if shifts is None:
            bucket = add_complements(level, bucket, start, stop, np.uint64(every), words)
        else:
            free = no_pagodas(len(shifts.lines))
            bucket = add_next_complements(
                level, bucket, start, stop, codes, np.uint64(every), words, shifts, free
            )
        yield
    words.flags.writeable = False
    return words
