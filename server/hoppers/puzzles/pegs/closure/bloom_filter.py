"""Bloom filters of the solvable boards of each level: a board that is not in its filter is dead.

A board of few pegs is solvable if jumps taken back from a goal lead to it. All such boards are listed once
(see `bloom_files`), and each sets three bits of one word chosen by its hash: a blocked Bloom filter (Bloom,
1970; Putze, Sanders and Singler, 2007), where a query costs one memory access. A board with one of its bits
not set is not solvable: the filter rejects the board. A few dead boards pass by chance and are found dead
further down. A closure without the rejected boards is therefore as exact as a closure with all boards.
"""

from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import kernel
from hoppers.puzzles.pegs.closure.hash_buckets import Hashing, hash_of
from hoppers.puzzles.pegs.jump_masks import lowest_bit

MIXER = 0xD6E8FEB86659FD93
"""Odd factor by which a hash is multiplied once more, to choose the bits within a word."""
NO_BLOOM = np.zeros(0, np.uint64)  # words for levels without a filter: every board passes
NO_BLOOM.flags.writeable = False  # kernels are compiled for read-only arrays, as mapped files are


class BloomFilter(NamedTuple):
    """Bloom filters of all levels up to some number of pegs, for the goals of one position class."""

    levels: dict[int, Any]  # number of pegs -> words of the filter (uint64)
    hashing: Hashing

    @property
    def bytes(self) -> int:
        """Memory of all words, in bytes."""
        return sum(int(words.nbytes) for words in self.levels.values())

    def level(self, pegs: int) -> Any:
        """Return the filter words for boards with `pegs` pegs, or NO_BLOOM if there is no such filter."""
        return self.levels.get(pegs, NO_BLOOM)

    def proves_dead(self, state: int) -> bool:
        """Return whether the filter proves that the board `state` is dead. False decides nothing."""
        return bool(rejects(np.uint64(state), self.level(state.bit_count()), self.hashing))


@kernel
def bits_of(code: Any) -> Any:
    """Return the mask of the three bits (some may coincide) that a hash sets within its word (uint64)."""
    mixed, one, six = code * np.uint64(MIXER) >> np.uint64(46), np.uint64(1), np.uint64(63)
    return one << (mixed & six) | one << (mixed >> np.uint64(6) & six) | one << (mixed >> np.uint64(12))


@kernel
def word_of(code: Any, words: Any) -> Any:
    """Return the index of the filter word for a hash, from 0 to `len(words)` - 1.

    Ascending hashes have ascending indices, so ascending look-ups use the processor's cache well.
    """
    return (code >> np.uint64(32)) * np.uint64(len(words)) >> np.uint64(32)


@kernel
def may_be_solvable(code: Any, words: Any) -> bool:
    """Return whether the filter has all bits of a hash: its board is solvable, or a false positive."""
    if len(words) == 0:
        return True
    bits = bits_of(code)
    return bool(words[word_of(code, words)] & bits == bits)


@kernel
def keep_passing(codes: Any, end: int, words: Any) -> int:
    """Move those of the first `end` hashes that pass the filter to the front, and return their number."""
    if len(words) == 0:
        return end
    count = 0
    for block in range(0, end, 64):
        passing = np.uint64(0)
        # No branch depends on a look-up, so the look-ups of a block overlap.
        for number in range(block, min(block + 64, end)):
            code = codes[number]
            bits = bits_of(code)
            passing |= np.uint64(words[word_of(code, words)] & bits == bits) << np.uint64(number - block)
        while passing != np.uint64(0):
            codes[count] = codes[block + np.int64(lowest_bit(passing))]
            passing &= passing - np.uint64(1)
            count += 1
    return count


@kernel
def rejects(board: Any, words: Any, hashing: Any) -> bool:
    """Return whether a board is not in the filter `words`, and so is certainly not solvable."""
    return not may_be_solvable(hash_of(board, hashing), words)


def empty_words(boards: int) -> Any:
    """Return the words of an empty Bloom filter with room for `boards` boards.

    With 8 bits per board one in thirty of the dead boards passes.
    """
    return np.zeros(boards * 8 // 64 + 1, np.uint64)
