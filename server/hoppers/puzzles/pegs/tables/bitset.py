"""A set of keys as one bit each, with a note of which blocks are in use.

Putting a key in is one blind store; taking all out again gives them sorted and without repeats, and the
notes keep small sets quick in a large space.
"""

from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import kernel
from hoppers.puzzles.pegs.bitboards.jump_masks import lowest_bit, popcount
from hoppers.search.slicing import Pausable, slices

BLOCK_WORDS = 64
BLOCKS = 1 << 11
"""Blocks looked through at a time: a megabyte."""
MOST_TAKEN = 1 << 16
"""Keys put in or taken out at a time, or hardly more."""


class Bitset(NamedTuple):
    """The set; all arrays are fixed in size by the bits of a key."""

    words: Any
    """uint64: key k is bit k % 64 of word k // 64."""
    blocks: Any
    """uint8: whether a block of `BLOCK_WORDS` words may be in use."""
    ranks: Any
    """uint32: the keys before each word, see `rank_all`."""


def make_bitset(bits: int) -> Bitset:
    """An empty set of keys of so many bits."""
    words = max(1 << bits, 64 * BLOCK_WORDS) // 64
    return Bitset(
        np.zeros(words, np.uint64),
        np.zeros(words // BLOCK_WORDS, np.uint8),
        np.zeros(words, np.uint32),
    )


@kernel
def put(key: Any, bitset: Any) -> None:
    """Put a key (uint32) in."""
    word = key >> np.uint32(6)
    bitset.words[word] |= np.uint64(1) << np.uint64(key & np.uint32(63))
    bitset.blocks[word // np.uint32(BLOCK_WORDS)] = 1


@kernel
def put_all(keys: Any, bitset: Any) -> None:
    """Put keys (uint32) in."""
    for key in keys:
        put(key, bitset)


@kernel
def holds(key: Any, bitset: Any) -> bool:
    """Whether a key is in."""
    word = bitset.words[key >> np.uint32(6)]
    return bool(word >> np.uint64(key & np.uint32(63)) & np.uint64(1))


@kernel
def put_allowed(keys: Any, allowed: Any, reached: Any) -> None:
    """Put those keys (uint32) that are in `allowed` into `reached`."""
    for key in keys:
        if holds(key, allowed):
            put(key, reached)


@kernel
def clear_blocks(bitset: Any, start: int, stop: int) -> None:
    """Take everything out of some blocks."""
    for block in range(start, stop):
        if bitset.blocks[block]:
            bitset.words[block * BLOCK_WORDS : (block + 1) * BLOCK_WORDS] = 0
            bitset.blocks[block] = 0


@kernel
def count_keys(bitset: Any, start: int, stop: int) -> int:
    """How many keys some blocks hold."""
    count = 0
    for block in range(start, stop):
        if bitset.blocks[block]:
            for word in range(block * BLOCK_WORDS, (block + 1) * BLOCK_WORDS):
                count += popcount(bitset.words[word])
    return count


@kernel
def take_keys(bitset: Any, start: int, stop: int, keys: Any, found: int) -> tuple[int, int]:
    """Take everything out of some blocks, as rising numbers into `keys[found:]`.

    Returns the next block, which is an earlier one once many keys have come out, and how many there are.
    """
    block, last = start, found + MOST_TAKEN
    while block < stop and found < last:
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
def rank_blocks(bitset: Any, start: int, stop: int, total: int) -> int:
    """Count, for `rank_of`, the keys before every word of some blocks, `total` before the first of them.

    Returns how many there are with these.
    """
    for block in range(start, stop):
        if bitset.blocks[block]:
            for word in range(block * BLOCK_WORDS, (block + 1) * BLOCK_WORDS):
                bitset.ranks[word] = total
                total += popcount(bitset.words[word])
    return total


@kernel
def rank_of(key: Any, bitset: Any) -> int:
    """How many keys of the set are smaller than this one, which is in it."""
    word = key >> np.uint32(6)
    below = (np.uint64(1) << np.uint64(key & np.uint32(63))) - np.uint64(1)
    return int(bitset.ranks[word]) + int(popcount(bitset.words[word] & below))


def filled(bitset: Bitset, keys: Any) -> Pausable[None]:
    """Put keys (uint32) in."""
    for start, stop in slices(len(keys), MOST_TAKEN):
        put_all(keys[start:stop], bitset)
        yield


def cleared(bitset: Bitset) -> Pausable[None]:
    """Take everything out."""
    for start, stop in slices(len(bitset.blocks), BLOCKS):
        clear_blocks(bitset, start, stop)
        yield


def taken(bitset: Bitset) -> Pausable[Any]:
    """Take everything out: the keys in rising order (uint32)."""
    count = found = block = 0
    for start, stop in slices(len(bitset.blocks), BLOCKS):
        count += count_keys(bitset, start, stop)
        yield
    keys = np.empty(count, np.uint32)
    while found < count:
        block, found = take_keys(bitset, block, min(block + BLOCKS, len(bitset.blocks)), keys, found)
        yield
    return keys


def ranked(bitset: Bitset) -> Pausable[None]:
    """Make `rank_of` right for what is in."""
    total = 0
    for start, stop in slices(len(bitset.blocks), BLOCKS):
        total = rank_blocks(bitset, start, stop, total)
        yield
