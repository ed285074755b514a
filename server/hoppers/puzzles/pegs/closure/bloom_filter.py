"""Sieves: of each level the boards that can still be solved, as a few bits each; what falls through is dead.

A board of few pegs can be solved if jumps taken back from an end lead to it. All such boards are listed once
(see `sieving`), and each sets three bits of one word, which its hash names (a Bloom filter, 1970, as quick as
one look-up). A board of which a bit is not set is none of them. Some that are none of them pass by chance,
and are found to be dead further down; so closures that leave out what falls through are as exact as others.
"""

from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import kernel
from hoppers.puzzles.pegs.bitboards.jump_masks import lowest_bit
from hoppers.puzzles.pegs.closure.hash_buckets import Hashing, hash_of

MIXER = 0xD6E8FEB86659FD93
"""Odd: by which a hash is multiplied once more to choose the bits of a word."""
BITS_PER_BOARD = 8
"""One in thirty of the dead boards passes."""
NO_BLOOM = np.zeros(0, np.uint64)
"""For levels of which nothing is known."""
NO_BLOOM.flags.writeable = False  # as what is mapped from the disk, for which kernels are compiled


class BloomFilter(NamedTuple):
    """The sieves of all levels up to a number of pegs, for the ends of one position class."""

    levels: dict[int, Any]
    """Pegs -> words (uint64)."""
    hashing: Hashing

    @property
    def bytes(self) -> int:
        """Memory it takes."""
        return sum(int(words.nbytes) for words in self.levels.values())

    def level(self, pegs: int) -> Any:
        """That of the boards with so many pegs."""
        return self.levels.get(pegs, NO_BLOOM)

    def proves_dead(self, state: int) -> bool:
        """Whether a board of the class falls through."""
        return bool(rejects(np.uint64(state), self.level(state.bit_count()), self.hashing))


@kernel
def bits_of(code: Any) -> Any:
    """The bits of a hash within its word."""
    mixed, one, six = code * np.uint64(MIXER) >> np.uint64(46), np.uint64(1), np.uint64(63)
    return one << (mixed & six) | one << (mixed >> np.uint64(6) & six) | one << (mixed >> np.uint64(12))


@kernel
def word_of(code: Any, words: Any) -> Any:
    """The number of a hash's word: hashes that follow each other have words that do."""
    return (code >> np.uint64(32)) * np.uint64(len(words)) >> np.uint64(32)


@kernel
def may_be_solvable(code: Any, words: Any) -> bool:
    """Whether the board of a hash may be one that can be solved."""
    if len(words) == 0:
        return True
    bits = bits_of(code)
    return bool(words[word_of(code, words)] & bits == bits)


@kernel
def keep_passing(codes: Any, end: int, words: Any) -> int:
    """Move the hashes that may be of boards that can be solved to the front; returns how many there are."""
    if len(words) == 0:
        return end
    kept = 0
    for block in range(0, end, 64):
        passing = np.uint64(0)
        for number in range(block, min(block + 64, end)):  # nothing waits for a look-up but one bit
            code = codes[number]
            bits = bits_of(code)
            passing |= np.uint64(words[word_of(code, words)] & bits == bits) << np.uint64(number - block)
        while passing != np.uint64(0):
            codes[kept] = codes[block + np.int64(lowest_bit(passing))]
            passing &= passing - np.uint64(1)
            kept += 1
    return kept


@kernel
def rejects(board: Any, words: Any, hashing: Any) -> bool:
    """Whether a board is none of those that can be solved."""
    return not may_be_solvable(hash_of(board, hashing), words)


def empty_words(boards: int) -> Any:
    """A level in which so many boards find room."""
    return np.zeros(boards * BITS_PER_BOARD // 64 + 1, np.uint64)
