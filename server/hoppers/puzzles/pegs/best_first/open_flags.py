"""Two marks for every key of a position class: opened, and put aside (see `best_first`)."""

from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import kernel
from hoppers.puzzles.pegs.bitboards.jump_masks import lowest_bit
from hoppers.search.slicing import Pausable, slices

BLOCK_WORDS = 64
BLOCKS = 1 << 14
"""Blocks looked through at a time: eight megabytes of each side."""


class Marks(NamedTuple):
    """Two marks for every key."""

    words: Any
    """uint64: the marks of key k are the bits from 2 * (k % 32) of word k // 32: opened, put aside."""
    blocks: Any
    """uint8: whether a block of `BLOCK_WORDS` words may be in use."""


def marks_size(bits: int) -> int:
    """Bytes that the marks of keys of so many bits take."""
    return max(2 << bits, 64 * BLOCK_WORDS) // 8


def make_marks(bits: int) -> Marks:
    """No marks, for keys of so many bits."""
    words = marks_size(bits) // 8
    return Marks(np.zeros(words, np.uint64), np.zeros(words // BLOCK_WORDS, np.uint8))


@kernel
def marks_of(key: Any, marks: Any) -> Any:
    """The two marks of a key."""
    return marks.words[key >> np.uint32(5)] >> np.uint64(2 * (key & np.uint32(31))) & np.uint64(3)


@kernel
def mark(key: Any, which: int, marks: Any) -> None:
    """Set a mark of a key: 1 opened, 2 put aside."""
    word = key >> np.uint32(5)
    marks.words[word] |= np.uint64(which) << np.uint64(2 * (key & np.uint32(31)))
    marks.blocks[word // np.uint32(BLOCK_WORDS)] = 1


@kernel
def open_all(keys: Any, marks: Any) -> Any:
    """Open boards that were put aside; returns those that were not open yet."""
    count, opened = 0, np.empty(len(keys), np.uint32)
    for key in keys:
        if not marks_of(key, marks) & np.uint64(1):
            mark(key, 1, marks)
            opened[count] = key
            count += 1
    return opened[:count].copy()


@kernel
def common_keys(marks: Any, others: Any, start: int, stop: int) -> Any:
    """The keys in some blocks that both sides have opened, rising (uint32)."""
    keys, count = np.empty(1, np.uint32), 0
    for block in range(start, stop):
        if marks.blocks[block] and others.blocks[block]:
            for word in range(block * BLOCK_WORDS, (block + 1) * BLOCK_WORDS):
                both = marks.words[word] & others.words[word] & np.uint64(0x5555555555555555)
                while both != np.uint64(0):
                    if count == len(keys):
                        keys = np.concatenate((keys, keys))
                    keys[count] = np.uint64(32 * word) + lowest_bit(both) // np.uint64(2)
                    count += 1
                    both &= both - np.uint64(1)
    return keys[:count].copy()


def common(marks: Marks, others: Marks) -> Pausable[Any]:
    """The keys that both sides have opened, rising (uint32)."""
    found = [np.empty(0, np.uint32)]
    for start, stop in slices(len(marks.blocks), BLOCKS):
        found.append(common_keys(marks, others, start, stop))
        yield
    return np.concatenate(found)


@kernel
def note_level(keys: Any, level: int, wanted: Any, levels: Any) -> None:
    """Write the level into `levels` (int64) for those of the `wanted` keys, rising, that are in `keys`."""
    for key in keys:
        place = np.searchsorted(wanted, key)
        if place < len(wanted) and wanted[place] == key:
            levels[place] = level
