"""A level of boards in about five bytes each: in buckets, by a hash that can be turned back into the board.

The hash is the product with an odd number, modulo two to the number of holes, moved to the top of the word.
Its first bits name the bucket and only the 32 bits behind them are kept. A jump changes a board by an amount
that depends on the jump alone, and so it changes the hash: of the boards of a level, taken in order, those
one jump later come in as many rising rows as there are jumps, and the set they are put into is filled from
its beginning to its end, near the processor.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import kernel
from hoppers.puzzles.pegs.bitboards.jump_masks import popcount
from hoppers.search.slicing import Pausable, slices, touch_pages
from hoppers.tablebase.kernel_threads import ALONE, Crew

MULTIPLIER = 0x9E3779B97F4A7C15
"""Odd, near 2**64 / golden ratio: Knuth's multiplicative hashing."""
FULLEST, BRIMFUL = 0.6, 0.95
"""Share of slots in use beyond which a set should grow, and beyond which looking up takes for ever."""
HALVES = 2
"""Of a set, by the first bit of a hash: nothing of one is in the other, so that each has its own thread."""
SHARES = {1: (0b11,), 2: (0b01, 0b10)}
"""The halves of a set for which each thread of a crew is there, as bits."""
PUT_AT_ONCE = 1 << 10
"""Hashes looked up before those that are new are put into a set."""
KEPT_BITS = 32
PER_BUCKET = 8
"""Boards of a bucket, at most, in the mean."""
PORTION = 1 << 16
"""Slots looked through between two pauses: about a millisecond."""


class Hashing(NamedTuple):
    """How the boards of a peg board are hashed (all uint64)."""

    multiplier: Any
    """Turns a board into its hash."""
    inverse: Any
    """Turns the hash, moved down again, into the board."""
    unused: Any
    """Bits of a word that no board has."""


class Rows(NamedTuple):
    """The boards of a level, in the order of their buckets."""

    starts: Any
    """uint32[buckets + 1]: the first board of each."""
    rests: Any
    """uint32[boards]: of each the bits of its hash behind those that name the bucket."""
    hashing: Hashing

    @property
    def size(self) -> int:
        """How many boards there are."""
        return len(self.rests)


def hashing_of(holes: int) -> Hashing:
    """How boards with so many holes are hashed."""
    inverse, unused = pow(MULTIPLIER, -1, 1 << 64), 64 - holes
    return Hashing(np.uint64(MULTIPLIER << unused & (1 << 64) - 1), np.uint64(inverse), np.uint64(unused))


@kernel
def hash_of(board: Any, hashing: Any) -> Any:
    """The hash of a board (uint64, 0 only for the empty one)."""
    return board * hashing.multiplier


@kernel
def place_of(code: Any, slots: Any) -> Any:
    """The slot that holds a hash, or the free one in its half of a set.

    `slots`: uint64[2**n], 0 is free. Hashes that begin with 1 have the upper half.
    """
    mask = np.uint64(len(slots) // HALVES - 1)
    place = code >> (np.uint64(63) - np.uint64(popcount(mask)))
    while slots[place] != np.uint64(0) and slots[place] != code:
        place = place & ~mask | (place + np.uint64(1)) & mask
    return place


@kernel
def list_unmet(codes: Any, halves: Any, slots: Any, unmet: Any) -> int:
    """Write the hashes of some halves that are not at the first place where they belong; returns how many.

    Most have come before; that is seen without a branch, so that many slots are looked up at a time. Slots of
    the other half, which another thread may be filling, are not touched.
    """
    down, top, kept = np.uint64(64 - popcount(np.uint64(len(slots) - 1))), np.uint64(63), 0
    for code in codes:
        mine = halves >> (code >> top) & np.uint64(1)
        unmet[kept] = code
        kept += int(mine & np.uint64(slots[(code >> down) * mine] != code))
    return kept


@kernel
def put_codes(codes: Any, ends: Any, halves: Any, slots: Any, counts: Any) -> None:
    """Put the hashes of some halves into a set, so many of each row of `codes`.

    `halves`: bit 0 for hashes that begin with 0, bit 1 for those with 1. `counts`: how many are in each half.
    """
    unmet, new = np.empty(PUT_AT_ONCE, np.uint64), np.zeros(HALVES, np.int64)
    for row in range(len(ends)):
        for start in range(0, ends[row], PUT_AT_ONCE):
            some = codes[row, start : min(start + PUT_AT_ONCE, ends[row])]
            for code in unmet[: list_unmet(some, halves, slots, unmet)]:
                place = place_of(code, slots)
                new[code >> np.uint64(63)] += slots[place] == np.uint64(0)
                slots[place] = code
    for half in range(HALVES):
        if halves >> np.uint64(half) & np.uint64(1):
            counts[half] += new[half]


@kernel
def board_at(bucket: int, index: int, rows: Any) -> Any:
    """The board with this number, which is in this bucket."""
    bits = np.uint64(popcount(np.uint64(len(rows.starts) - 2)))
    code = np.uint64(bucket) << (np.uint64(64) - bits) | np.uint64(rows.rests[index]) << (
        np.uint64(KEPT_BITS) - bits
    )
    unused = rows.hashing.unused
    return (code >> unused) * rows.hashing.inverse & (~np.uint64(0) >> unused)


@kernel
def index_of(board: Any, rows: Any) -> int:
    """The number of a board in its level, or -1."""
    bits = np.uint64(popcount(np.uint64(len(rows.starts) - 2)))
    code = board * rows.hashing.multiplier
    bucket, rest = code >> (np.uint64(64) - bits), np.uint32(code << bits >> np.uint64(KEPT_BITS))
    for index in range(np.int64(rows.starts[bucket]), np.int64(rows.starts[bucket + np.uint64(1)])):
        if rows.rests[index] == rest:
            return index
    return -1


@kernel
def put_boards(boards: Any, slots: Any, hashing: Any) -> None:
    """Put boards (uint64) into a set, each half of which has room for them."""
    for board in boards:
        code = hash_of(board, hashing)
        slots[place_of(code, slots)] = code


@kernel
def refill(slots: Any, start: int, stop: int, larger: Any) -> None:
    """Put what is in `slots[start:stop]` into a larger set."""
    for number in range(start, stop):
        if slots[number] != np.uint64(0):
            larger[place_of(slots[number], larger)] = slots[number]


@kernel
def count_buckets(slots: Any, start: int, stop: int, bits: int, counts: Any) -> None:
    """Count what is in `slots[start:stop]` by buckets, into `counts[bucket + 2]`."""
    for number in range(start, stop):
        if slots[number] != np.uint64(0):
            counts[(slots[number] >> np.uint64(64 - bits)) + np.uint64(2)] += np.uint32(1)


@kernel
def fill_buckets(slots: Any, start: int, stop: int, bits: int, nexts: Any, rests: Any) -> None:
    """Write what is in `slots[start:stop]` to its place; `nexts[bucket + 1]`: where the next of it goes."""
    for number in range(start, stop):
        if slots[number] != np.uint64(0):
            bucket = (slots[number] >> np.uint64(64 - bits)) + np.uint64(1)
            rests[nexts[bucket]] = slots[number] << np.uint64(bits) >> np.uint64(KEPT_BITS)
            nexts[bucket] += np.uint32(1)


def empty_slots(count: int) -> Any:
    """An empty set in which so many find room."""
    return np.zeros(1 << int(count / FULLEST + 1).bit_length(), np.uint64)


def has_room(slots: Any, counts: Any, more: int) -> bool:
    """Whether a set with so many in each half may take more, most of which will have come before."""
    room, most = len(slots) // HALVES, int(counts.max())
    return most <= FULLEST * room and most + more <= BRIMFUL * room


def grown(slots: Any, crew: Crew = ALONE) -> Pausable[Any]:
    """The same set with twice the slots."""
    larger = np.zeros(2 * len(slots), np.uint64)
    yield from touch_pages(larger)
    for portions in _portions(len(slots), crew):
        crew.work(refill, [(slots, start, stop, larger) for start, stop in portions])
        yield
    return larger


def in_rows(slots: Any, count: int, hashing: Hashing, crew: Crew = ALONE) -> Pausable[Rows]:
    """The boards of a set, of which there are so many."""
    bits = max(1, 64 - int(hashing.unused) - KEPT_BITS, (count // PER_BUCKET).bit_length())
    nexts, rests = np.zeros((1 << bits) + 2, np.uint32), np.empty(count, np.uint32)
    for portions in _portions(len(slots), crew):
        crew.work(count_buckets, [(slots, start, stop, bits, nexts) for start, stop in portions])
        yield
    np.cumsum(nexts, out=nexts)
    for portions in _portions(len(slots), crew):
        crew.work(fill_buckets, [(slots, start, stop, bits, nexts, rests) for start, stop in portions])
        yield
    return Rows(nexts[:-1], rests, hashing)


def _portions(length: int, crew: Crew) -> Iterator[list[tuple[int, int]]]:
    """Where the slots start and stop that a crew looks through at a time: each thread in its part."""
    parts = crew.parts(length)
    for begin, end in slices(length // crew.size, PORTION):
        yield [(start + begin, start + end) for start, _ in parts]


def no_rows(hashing: Hashing) -> Rows:
    """A level without boards."""
    return Rows(np.zeros(3, np.uint32), np.empty(0, np.uint32), hashing)


def some_of(rows: Rows, most: int) -> list[int]:
    """A few boards from all over a level."""
    indices = range(0, rows.size, max(-(-rows.size // most), 1))
    buckets = np.searchsorted(rows.starts, indices, "right") - 1
    return [
        int(board_at(bucket, index, rows)) for bucket, index in zip(buckets.tolist(), indices, strict=True)
    ]
