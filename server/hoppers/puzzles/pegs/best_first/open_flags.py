"""Two flags per key of a position class: opened, and deferred to a later limit (see `best_first.search`)."""

from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import kernel
from hoppers.puzzles.pegs.bitboards.jump_masks import lowest_bit
from hoppers.search.slicing import Pausable, slices

BLOCK_WORDS = 64
BLOCKS_PER_SLICE = 1 << 14  # eight megabytes of each direction


class OpenFlags(NamedTuple):
    """Bit array with two flags per key, opened and deferred, and the blocks in use."""

    words: Any
    """uint64: opened and deferred flag of key k are bits 2 * (k % 32) and the next of word k // 32."""
    blocks: Any
    """uint8: 1 if a block of `BLOCK_WORDS` words may be in use."""


def flags_size(bits: int) -> int:
    """Return the size of the flags for keys of `bits` bits, in bytes."""
    return max(2 << bits, 64 * BLOCK_WORDS) // 8


def make_flags(bits: int) -> OpenFlags:
    """Return cleared flags for keys of `bits` bits."""
    words = flags_size(bits) // 8
    return OpenFlags(np.zeros(words, np.uint64), np.zeros(words // BLOCK_WORDS, np.uint8))


@kernel
def flags_of(key: Any, marks: Any) -> Any:
    """Return the two flags of a key: 1 for opened plus 2 for deferred (uint64)."""
    return marks.words[key >> np.uint32(5)] >> np.uint64(2 * (key & np.uint32(31))) & np.uint64(3)


@kernel
def set_flag(key: Any, which: int, marks: Any) -> None:
    """Set a flag of a key. `which`: 1 for opened, 2 for deferred."""
    word = key >> np.uint32(5)
    marks.words[word] |= np.uint64(which) << np.uint64(2 * (key & np.uint32(31)))
    marks.blocks[word // np.uint32(BLOCK_WORDS)] = 1


@kernel
def open_all(keys: Any, marks: Any) -> Any:
    """Set the opened flag of all `keys`. Return the keys that were not opened before (uint32)."""
    count, opened = 0, np.empty(len(keys), np.uint32)
    for key in keys:
        if not flags_of(key, marks) & np.uint64(1):
            set_flag(key, 1, marks)
            opened[count] = key
            count += 1
    return opened[:count].copy()


@kernel
def keys_opened_by_both(marks: Any, others: Any, start: int, stop: int) -> Any:
    """Return the keys of blocks `start` to `stop` that both directions have opened, ascending (uint32)."""
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


def opened_by_both(marks: OpenFlags, others: OpenFlags) -> Pausable[Any]:
    """Return all keys that both directions have opened, ascending (uint32)."""
    found = [np.empty(0, np.uint32)]
    for start, stop in slices(len(marks.blocks), BLOCKS_PER_SLICE):
        found.append(keys_opened_by_both(marks, others, start, stop))
        yield
    return np.concatenate(found)


@kernel
def note_level(keys: Any, level: int, wanted: Any, levels: Any) -> None:
    """Write `level` into `levels` (int64) at the index of each of the ascending `wanted` keys in `keys`."""
    for key in keys:
        place = np.searchsorted(wanted, key)
        if place < len(wanted) and wanted[place] == key:
            levels[place] = level
