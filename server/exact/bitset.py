"""A set of keys as one bit each, with a note of which blocks are in use.

Putting a key in is one blind store; taking all out again gives them sorted and without repeats, and the
notes keep small sets quick in a large space.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import kernel
from ..search.jumps import lowest_bit, popcount

BLOCK_WORDS = 64


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
def clear(bitset: Any) -> None:
    """Take everything out."""
    for block in range(len(bitset.blocks)):
        if bitset.blocks[block]:
            bitset.words[block * BLOCK_WORDS : (block + 1) * BLOCK_WORDS] = 0
            bitset.blocks[block] = 0


@kernel
def take_sorted(bitset: Any) -> Any:
    """Take everything out; returns the keys in rising order (uint32)."""
    count = 0
    for block in range(len(bitset.blocks)):
        if bitset.blocks[block]:
            for word in range(block * BLOCK_WORDS, (block + 1) * BLOCK_WORDS):
                count += popcount(bitset.words[word])
    keys, found = np.empty(count, np.uint32), 0
    for block in range(len(bitset.blocks)):
        if bitset.blocks[block]:
            for word in range(block * BLOCK_WORDS, (block + 1) * BLOCK_WORDS):
                left = bitset.words[word]
                while left != np.uint64(0):
                    keys[found] = np.uint64(word * 64) + lowest_bit(left)
                    found += 1
                    left &= left - np.uint64(1)
            bitset.words[block * BLOCK_WORDS : (block + 1) * BLOCK_WORDS] = 0
            bitset.blocks[block] = 0
    return keys


@kernel
def rank_all(bitset: Any) -> None:
    """Count, for `rank_of`, the keys before every word."""
    total = 0
    for block in range(len(bitset.blocks)):
        if bitset.blocks[block]:
            for word in range(block * BLOCK_WORDS, (block + 1) * BLOCK_WORDS):
                bitset.ranks[word] = total
                total += popcount(bitset.words[word])


@kernel
def rank_of(key: Any, bitset: Any) -> int:
    """How many keys of the set are smaller than this one, which is in it."""
    word = key >> np.uint32(6)
    below = (np.uint64(1) << np.uint64(key & np.uint32(63))) - np.uint64(1)
    return int(bitset.ranks[word]) + int(popcount(bitset.words[word] & below))
