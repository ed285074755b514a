"""Building Bloom filters: list all solvable boards of few pegs, level by level.

A jump taken back is a jump of the complement. The complements of the solvable boards are therefore the
closure of the complements of the goals. The last level is too large to list: its boards are only added to the
filter.
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
from hoppers.search.slicing import Pausable, report_progress, slices, touch_pages

NO_LIMIT = 1 << 62  # an incomplete level would prove solvable boards dead
BOARDS_PER_SLICE = 1 << 12  # per kernel call: a few milliseconds


@kernel
def add_complements(level: Any, bucket: int, start: int, stop: int, every: Any, words: Any) -> int:
    """Add the complements of boards `start` to `stop` to the filter. Return the last board's bucket.

    Args:
        level: boards to complement (PackedLevel).
        bucket: bucket of board `start`, or an earlier one.
        start: first board.
        stop: board to stop at.
        every: the full board.
        words: words of the filter.
    """
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
    """Add the complements of all boards one jump from boards `start` to `stop` to the filter.

    Args:
        level: boards that make a jump (PackedLevel).
        bucket: bucket of board `start`, or an earlier one.
        start: first board.
        stop: board to stop at.
        codes: array for one batch of hashes.
        every: the full board.
        words: words of the filter.
        shifts: lines of the board.
        pagodas: functions without words.

    Returns:
        The bucket of the last board.
    """
    whole = hash_of(every, level.hashing)
    while start < stop:
        bucket, start, end = list_successors(level, bucket, start, stop, codes, shifts, pagodas)
        for number in range(end):
            # The hash is linear: hash(every - board) = hash(every) - hash(board).
            code = whole - codes[number]
            words[word_of(code, words)] |= bits_of(code)
    return bucket


def build_bloom_filter(
    ends: Sequence[int], holes: int, shifts: Shifts, listed: int
) -> Generator[float, None, BloomFilter]:
    """Build the Bloom filter for the solved boards of a position class, in steps of a few milliseconds.

    Yield the progress, 0 to 1.

    Args:
        ends: solved boards, one peg each.
        holes: number of holes.
        shifts: lines of the board.
        listed: approximate number of boards in the largest level that is listed.
    """
    every, hashing = (1 << holes) - 1, hashing_of(holes)
    first = np.array([every ^ end for end in ends], np.uint64)
    level = yield from report_progress(0.0, pack_level(first, hashing))
    bloom, before, pagodas = BloomFilter({}, hashing), level.size, no_pagodas(len(shifts.lines))
    while level.size:
        pegs, expected = len(bloom.levels) + 1, level.size * level.size // before + 1
        done = min(level.size / (listed + 1), 0.9)
        bloom.levels[pegs] = yield from report_progress(
            done, _complement_words(level, every, level.size, None)
        )
        if expected > listed:
            bloom.levels[pegs + 1] = yield from report_progress(
                0.9, _complement_words(level, every, expected, shifts)
            )
            break
        before = level.size
        level = yield from report_progress(done, successor_level(level, shifts, pagodas, NO_LIMIT))
    return bloom


def _complement_words(level: PackedLevel, every: int, room: int, shifts: Shifts | None) -> Pausable[Any]:
    """Return the filter words of the complements of a level's boards.

    With `shifts`, the complements of all boards one jump from the level are added instead. `room`: expected
    number of boards.
    """
    words, bucket, codes = empty_words(room), 0, make_batch()
    yield from touch_pages(words)
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
