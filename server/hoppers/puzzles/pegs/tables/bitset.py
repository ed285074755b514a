"""A set of keys with one bit per key, and one flag per block of words.

Adding a key needs no test. Removing all keys yields them sorted and without repeats. The flags
mark the blocks in use, so that small sets are fast in a large key space.
"""

from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import kernel
from hoppers.puzzles.pegs.jump_masks import lowest_bit, popcount
from hoppers.search.slicing import Pausable, slices

BLOCK_WORDS = 64
HALVES = 2  # parts of the key space; each can have a thread of its own
HALF_BIT = 18  # bit of a key that names its half: keys whose flags share a cache line are in the same half
BLOCKS_PER_SLICE = 1 << 11  # blocks processed at a time: a megabyte of words
KEYS_PER_SLICE = 1 << 16  # keys added or removed at a time, approximately


class Bitset(NamedTuple):
    """Set of keys as a bit array. The number of bits of a key determines the lengths of all arrays."""

    words: Any  # uint64: key k is bit k % 64 of word k // 64
    blocks: Any  # uint8: 1 if a block of `BLOCK_WORDS` words may be in use
    ranks: Any  # uint32: number of keys before each word in use; valid after `add_keys`


def make_bitset(bits: int) -> Bitset:
    """Return an empty set for keys of `bits` bits."""
    words = max(1 << bits, 64 * BLOCK_WORDS) // 64
    return Bitset(
        np.zeros(words, np.uint64),
        np.zeros(words // BLOCK_WORDS, np.uint8),
        np.zeros(words, np.uint32),
    )


@kernel
def add(key: Any, bitset: Any) -> None:
    """Add a key (uint32) to the set."""
    word = key >> np.uint32(6)
    bitset.words[word] |= np.uint64(1) << np.uint64(key & np.uint32(63))
    bitset.blocks[word // np.uint32(BLOCK_WORDS)] = 1


@kernel
def add_ranked(keys: Any, first: int, bitset: Any) -> None:
    """Add ascending, distinct `keys` (uint32) to the set, and store their ranks.

    The set must have `first` keys, all smaller than these.
    """
    for index in range(len(keys)):
        word = keys[index] >> np.uint32(6)
        if bitset.words[word] == np.uint64(0):
            bitset.ranks[word] = first + index
        add(keys[index], bitset)


@kernel
def contains(key: Any, bitset: Any) -> bool:
    """Return whether a key is in the set."""
    word = bitset.words[key >> np.uint32(6)]
    return bool(word >> np.uint64(key & np.uint32(63)) & np.uint64(1))


@kernel
def half_of(key: Any) -> Any:
    """Return the half, 0 or 1, of the key space that a key (uint32) is in."""
    return key >> np.uint32(HALF_BIT) & np.uint32(1)


@kernel
def add_halves(keys: Any, ends: Any, first: int, last: int, bitset: Any) -> None:
    """Add the keys of halves `first` to `last` - 1. Two threads may add to different halves at the same time.

    `keys`: uint32[lists, HALVES, room], see `half_of`. `ends`: number of keys in each row.
    """
    for row in range(len(ends)):
        for half in range(first, last):
            for index in range(ends[row, half]):
                add(keys[row, half, index], bitset)


@kernel
def pop_block_keys(bitset: Any, block: int, stop: int, keys: Any) -> tuple[int, int]:
    """Remove the keys in blocks `block` to `stop` - 1, and write these keys, ascending, to `keys`.

    Stop early if `keys` may be too short for another block. Return the next block and the number of keys.
    `keys` (uint32) must have room for one block: at least 64 * BLOCK_WORDS keys.
    """
    found, most = 0, len(keys) - 64 * BLOCK_WORDS
    while block < stop and found <= most:
        if bitset.blocks[block]:
            for word in range(block * BLOCK_WORDS, (block + 1) * BLOCK_WORDS):
                left = bitset.words[word]
                while left != np.uint64(0):
                    keys[found] = np.uint64(word * 64) + lowest_bit(left)
                    found += 1
                    left &= left - np.uint64(1)
            bitset.words[block * BLOCK_WORDS : (block + 1) * BLOCK_WORDS] = 0
            bitset.blocks[block] = 0
        block += 1
    return block, found


@kernel
def rank_of(key: Any, bitset: Any) -> int:
    """Return the number of keys in the set that are smaller than `key`, which must be in the set.

    The ranks must be valid (see `Bitset`).
    """
    word = key >> np.uint32(6)
    below = (np.uint64(1) << np.uint64(key & np.uint32(63))) - np.uint64(1)
    return int(bitset.ranks[word]) + int(popcount(bitset.words[word] & below))


def add_keys(bitset: Bitset, keys: Any) -> Pausable[None]:
    """Add ascending, distinct `keys` (uint32) to an empty set, and store ranks for `rank_of`, in slices."""
    for start, stop in slices(len(keys), KEYS_PER_SLICE):
        add_ranked(keys[start:stop], start, bitset)
        yield


def members(bitset: Bitset, keys: Any) -> Pausable[Any]:
    """Return those of `keys` (uint32) that are in the set, in slices and in the same order."""
    parts = [keys[:0]]
    for start, stop in slices(len(keys), KEYS_PER_SLICE):
        some = keys[start:stop]
        bits = bitset.words[some >> 6] >> (some & 63).astype(np.uint64)
        parts.append(some[bits & np.uint64(1) != 0])
        yield
    return np.concatenate(parts)


def clear(bitset: Bitset) -> Pausable[None]:
    """Remove all keys from the set in slices."""
    words = bitset.words.reshape(-1, BLOCK_WORDS)
    for start, stop in slices(len(bitset.blocks), BLOCKS_PER_SLICE):
        words[start:stop][bitset.blocks[start:stop] != 0] = 0
        bitset.blocks[start:stop] = 0
        yield


def pop_keys(bitset: Bitset) -> Pausable[Any]:
    """Remove all keys in slices and return them ascending (uint32)."""
    block, blocks, parts, keys = 0, len(bitset.blocks), [], np.empty(KEYS_PER_SLICE, np.uint32)
    while block < blocks:
        block, found = pop_block_keys(bitset, block, min(block + BLOCKS_PER_SLICE, blocks), keys)
        parts.append(keys[:found].copy())
        yield
    return np.concatenate(parts)
