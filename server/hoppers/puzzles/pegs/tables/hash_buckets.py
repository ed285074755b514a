"""Levels of boards in about five bytes per board: buckets of an invertible hash.

The hash of a board is its product with an odd number, modulo 2**holes, shifted to the top of the word
(Knuth's multiplicative hashing). An odd factor has an inverse, so the hash can be turned back into the board.
The first bits of the hash name the bucket and only the 32 bits after them are stored (Cleary's quotienting,
1984).

The hash is linear: each jump adds a fixed amount to the board, and so to the hash. The hashes of a sorted
level's successors therefore come in as many ascending sequences as there are jumps, and the hash set that
collects them is filled from its beginning to its end, within the processor's cache.
"""

from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import ONE_THREAD, Kernel, KernelThreads, kernel
from hoppers.puzzles.pegs.jump_masks import popcount
from hoppers.search.hash_tables import MIXER
from hoppers.search.slicing import Pausable, slices, touch_pages

INVERSE = pow(MIXER, -1, 1 << 64)  # factor that turns a hash, without the unused bits, into the board
HALVES = 2  # parts of a hash set, by the first bit of a hash; each can have a thread of its own
SHARES = {1: (0b11,), 2: (0b01, 0b10)}  # number of threads -> halves that each fills, as a bit mask
HASHES_AT_ONCE = 1 << 10  # hashes compared before the new ones are inserted
REST_BITS = 32  # bits of a hash stored per board
MAX_FILL = 0.6  # share of slots in use above which a set grows
MAX_FILL_BRIEFLY = 0.95  # share that one more batch may reach; beyond it look-ups take too long
BOARDS_PER_BUCKET = 8  # maximum average
SLOTS_PER_SLICE = 1 << 16  # slots per thread between two pauses: about a millisecond


class PackedLevel(NamedTuple):
    """Boards of a level in buckets, and the values of the solvable boards.

    Until the values are known, the last three fields are None.
    """

    starts: Any  # uint32[buckets + 1]: index of the first board of each bucket
    rests: Any  # uint32[boards]: 32 bits of each hash, after the bits that name the bucket
    unused: Any  # number of bits of a word that no board uses (uint64)
    solvable: Any = None  # uint64[boards // 64 + 1]: one bit per board, set if the board is solvable
    ranks: Any = None  # uint32[boards // 64 + 1]: solvable boards in all earlier words of `solvable`
    values: Any = None  # uint64: values of the solvable boards (see `closure`), in the order of their bits

    @property
    def size(self) -> int:
        """Number of boards in the level."""
        return len(self.rests)


@kernel
def hash_of(board: Any, unused: Any) -> Any:
    """Return the hash of a board (uint64, 0 only for the empty board). `unused`: see `PackedLevel`."""
    return board * (np.uint64(MIXER) << unused)


@kernel
def find_slot(code: Any, slots: Any) -> Any:
    """Return the slot that holds a hash, or the free slot where it belongs.

    The algorithm is linear probing within one half of the set. Hashes that begin with 1 are in the upper
    half. `slots`: uint64[2**n], 0 in a free slot. The half must contain the hash or have a free slot:
    otherwise the search would not end.
    """
    mask = np.uint64(len(slots) // HALVES - 1)
    # The first bits of the hash are the slot; the very first one is the half, which probing never leaves.
    slot = code >> (np.uint64(63) - np.uint64(popcount(mask)))
    while slots[slot] != np.uint64(0) and slots[slot] != code:
        slot = slot & ~mask | (slot + np.uint64(1)) & mask
    return slot


@kernel
def list_unseen(codes: Any, halves: Any, slots: Any, unseen: Any) -> int:
    """Write the hashes that are not in the slot named by their first bits into `unseen`; return their number.

    Only hashes of the given `halves` (a bit mask) are listed. `unseen` is at least as long as `codes`. Most
    hashes were inserted before and are found without a branch, so that the processor has many look-ups under
    way at a time. The other half, which another thread may be filling, has no effect on the result.
    """
    down, top, count = np.uint64(64 - popcount(np.uint64(len(slots) - 1))), np.uint64(63), 0
    for code in codes:
        # For a hash of the other half slot 0 is read and the result masked out: cheaper than a branch.
        mine = halves >> (code >> top) & np.uint64(1)
        unseen[count] = code
        count += int(mine & np.uint64(slots[(code >> down) * mine] != code))
    return count


@kernel
def insert_hashes(codes: Any, ends: Any, halves: Any, slots: Any, counts: Any) -> None:
    """Insert the hashes that belong to the given `halves` of a set (bit n: hashes that begin with n).

    The set must have room for them (see `has_room`).

    `codes`: one row of hashes per thread that listed them. `ends`: number of hashes in each row. `counts`:
    number of hashes in each half of the set; updated in place.
    """
    unseen, new = np.empty(HASHES_AT_ONCE, np.uint64), np.zeros(HALVES, np.int64)
    for row in range(len(ends)):
        for start in range(0, ends[row], HASHES_AT_ONCE):
            some = codes[row, start : min(start + HASHES_AT_ONCE, ends[row])]
            for code in unseen[: list_unseen(some, halves, slots, unseen)]:
                slot = find_slot(code, slots)
                new[code >> np.uint64(63)] += slots[slot] == np.uint64(0)
                slots[slot] = code
    for half in range(HALVES):
        if halves >> np.uint64(half) & np.uint64(1):
            counts[half] += new[half]


@kernel
def board_at(bucket: int, index: int, level: Any) -> Any:
    """Return board number `index` of the level (uint64). `bucket`: number of the bucket with that board."""
    bits = np.uint64(popcount(np.uint64(len(level.starts) - 2)))  # bits that name the bucket
    code = np.uint64(bucket) << (np.uint64(64) - bits) | np.uint64(level.rests[index]) << (
        np.uint64(REST_BITS) - bits
    )
    return (code >> level.unused) * np.uint64(INVERSE) & (~np.uint64(0) >> level.unused)


@kernel
def index_of(board: Any, level: Any) -> int:
    """Return the number of a board in `level`, or -1 if the level does not contain it."""
    bits = np.uint64(popcount(np.uint64(len(level.starts) - 2)))
    code = hash_of(board, level.unused)
    bucket, rest = code >> (np.uint64(64) - bits), np.uint32(code << bits >> np.uint64(REST_BITS))
    for index in range(np.int64(level.starts[bucket]), np.int64(level.starts[bucket + np.uint64(1)])):
        if level.rests[index] == rest:
            return index
    return -1


@kernel
def rehash(slots: Any, start: int, stop: int, larger: Any) -> None:
    """Insert the hashes of `slots[start:stop]` into a larger set."""
    for number in range(start, stop):
        if slots[number] != np.uint64(0):
            larger[find_slot(slots[number], larger)] = slots[number]


@kernel
def count_buckets(slots: Any, start: int, stop: int, bits: int, counts: Any) -> None:
    """Add the number of hashes of `slots[start:stop]` in each bucket to `counts[bucket + 2]` (uint32).

    The first `bits` bits of a hash are the number of its bucket.
    """
    for number in range(start, stop):
        if slots[number] != np.uint64(0):
            counts[(slots[number] >> np.uint64(64 - bits)) + np.uint64(2)] += np.uint32(1)


@kernel
def fill_buckets(slots: Any, start: int, stop: int, bits: int, nexts: Any, rests: Any) -> None:
    """Write the hashes of `slots[start:stop]` (uint64, 0 if free) to their buckets in `rests` (uint32).

    The first `bits` bits of a hash are the number of its bucket; the next 32 bits are written.
    `nexts[bucket + 1]` is the index for the next hash of a bucket, updated in place.
    """
    for number in range(start, stop):
        if slots[number] != np.uint64(0):
            bucket = (slots[number] >> np.uint64(64 - bits)) + np.uint64(1)
            rests[nexts[bucket]] = slots[number] << np.uint64(bits) >> np.uint64(REST_BITS)
            nexts[bucket] += np.uint32(1)


def empty_slots(count: int) -> Any:
    """Return the slots (uint64) of an empty hash set for `count` hashes, if each half gets half of them."""
    return np.zeros(1 << int(count / MAX_FILL + 1).bit_length(), np.uint64)


def has_room(slots: Any, counts: Any, more: int) -> bool:
    """Return whether `more` hashes, even if all are new and in one half, can be added before the set grows.

    `counts`: number of hashes in each half.
    """
    room, most = len(slots) // HALVES, int(counts.max())
    return most <= MAX_FILL * room and most + more <= MAX_FILL_BRIEFLY * room


def doubled(slots: Any, crew: KernelThreads = ONE_THREAD) -> Pausable[Any]:
    """Return a copy of a hash set with twice as many slots."""
    larger = np.zeros(2 * len(slots), np.uint64)
    yield from touch_pages(larger)
    yield from _process_slots(rehash, slots, (larger,), crew)
    return larger


def pack_slots(
    slots: Any, count: int, unused: Any, crew: KernelThreads = ONE_THREAD
) -> Pausable[PackedLevel]:
    """Return the `count` boards whose hashes are in a set as a packed level (counting sort by bucket).

    `unused`: see `PackedLevel`.
    """
    bits = max(1, 64 - int(unused) - REST_BITS, (count // BOARDS_PER_BUCKET).bit_length())
    nexts, rests = np.zeros((1 << bits) + 2, np.uint32), np.empty(count, np.uint32)
    yield from _process_slots(count_buckets, slots, (bits, nexts), crew)
    np.cumsum(nexts, out=nexts)
    yield from _process_slots(fill_buckets, slots, (bits, nexts, rests), crew)
    return PackedLevel(nexts[:-1], rests, unused)


def _process_slots(
    process: Kernel, slots: Any, arguments: tuple[Any, ...], crew: KernelThreads
) -> Pausable[None]:
    """Run the kernel `process(slots, start, stop, *arguments)` over all slots, a part for each thread."""
    for begin, end in slices(len(slots) // crew.size, SLOTS_PER_SLICE):
        starts = [start for start, _ in crew.parts(len(slots))]
        crew.run(process, [(slots, start + begin, start + end, *arguments) for start in starts])
        yield


def sample_boards(level: PackedLevel, most: int) -> list[int]:
    """Return up to `most` boards, spread over the level."""
    indices = range(0, level.size, max(-(-level.size // most), 1))
    buckets = np.searchsorted(level.starts, indices, "right") - 1
    return [
        int(board_at(bucket, index, level)) for bucket, index in zip(buckets.tolist(), indices, strict=True)
    ]
