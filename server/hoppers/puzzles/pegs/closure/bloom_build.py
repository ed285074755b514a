"""Making sieves: all boards of few pegs that can be solved, listed level by level (see `sieve`).

A jump taken back is a jump of the complement, so they are what can be reached from the complements of the
ends, as in a closure. The last level is not listed any more: what is one jump from the one before is put in.
"""

from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from hoppers.puzzles.pegs.bitboards.jump_masks import Shifts
from hoppers.puzzles.pegs.bitboards.pagoda_filter import no_weighing
from hoppers.puzzles.pegs.closure.bloom_filter import Sieve, empty_words, put_next, put_rows
from hoppers.puzzles.pegs.closure.closure import packed, spread
from hoppers.puzzles.pegs.closure.hash_buckets import Rows, hashing_of
from hoppers.puzzles.pegs.closure.successors import room_for_batch
from hoppers.search.slicing import Pausable, report_progress, slices, touch_pages

NO_LIMIT = 1 << 62
"""A level of which boards are missing would be no proof."""
SLICE = 1 << 12
"""Boards per kernel call: a few milliseconds."""


def sieve_of(ends: Sequence[int], holes: int, shifts: Shifts, listed: int) -> Generator[float, None, Sieve]:
    """Make the sieve for the solved boards of a position class (one peg each), in steps of milliseconds.

    `listed`: boards of the largest level that is listed, or little more. Yields how far it is, 0 to 1.
    """
    every, hashing = (1 << holes) - 1, hashing_of(holes)
    first = np.array([every ^ end for end in ends], np.uint64)
    rows = yield from report_progress(0.0, packed(first, hashing))
    sieve, before, weighing = Sieve({}, hashing), rows.size, no_weighing(len(shifts.lines))
    while rows.size:
        pegs, expected = len(sieve.levels) + 1, rows.size * rows.size // before + 1
        done = min(rows.size / (listed + 1), 0.9)
        sieve.levels[pegs] = yield from report_progress(done, _put(rows, every, rows.size, None))
        if expected > listed:
            sieve.levels[pegs + 1] = yield from report_progress(0.9, _put(rows, every, expected, shifts))
            break
        before = rows.size
        rows = yield from report_progress(done, spread(rows, shifts, weighing, NO_LIMIT))
    return sieve


def _put(rows: Rows, every: int, room: int, shifts: Shifts | None) -> Pausable[Any]:
    """A level of the complements of boards, or with `shifts` of what is one jump from them."""
    words, bucket, codes = empty_words(room), 0, room_for_batch()
    yield from touch_pages(words)
    for start, stop in slices(rows.size, SLICE):
        if shifts is None:
            bucket = put_rows(rows, bucket, start, stop, np.uint64(every), words)
        else:
            free = no_weighing(len(shifts.lines))
            bucket = put_next(rows, bucket, start, stop, codes, np.uint64(every), words, shifts, free)
        yield
    words.flags.writeable = False
    return words
