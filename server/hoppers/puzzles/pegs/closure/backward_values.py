"""Retrograde analysis of a closure: fewest moves and first movers, level by level from the goals upwards.

The value of a board is its fewest moves f and the set of holes whose pegs can begin a shortest solution. Each
solvable board offers a value to the boards one jump earlier; the best offer counts. Only solvable boards are
processed; of all others it is only stored that they are in the closure.
"""

from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import ONE_THREAD, KernelThreads, kernel
from hoppers.puzzles.pegs.closure.hash_buckets import PackedLevel, board_at, index_of
from hoppers.puzzles.pegs.jump_masks import (
    Shifts,
    backward_jumps,
    line_ends,
    lowest_bit,
    popcount,
)
from hoppers.search.slicing import Pausable, slices

BOARDS_PER_SLICE = 1 << 12  # per kernel call: a few milliseconds
BOARDS_PER_PACK = 1 << 17  # boards whose values are packed between two pauses; a multiple of 8
MOVES_SHIFT = 56  # a value is f + 1 above this many bits of first movers; 0 if the board is unsolvable
ABSENT = (1 << 64) - 1  # value of a board that is not in the level


class ValuedLevel(NamedTuple):
    """All boards of a closure with the same number of pegs, and the values of the solvable boards."""

    packed: PackedLevel
    solvable: Any  # uint64[boards / 64]: one bit per board, set if the board is solvable
    ranks: Any  # uint32[boards / 64]: number of solvable boards in all earlier words of `solvable`
    values: Any  # uint64: values of the solvable boards, in the order of their bits (see MOVES_SHIFT)


@kernel
def solvable_number(board: Any, level: Any) -> int:
    """Return the number of a board among the solvable boards, -1 if unsolvable, -2 if not in the level."""
    index = index_of(board, level.packed)
    if index < 0:
        return -2
    word, bit = level.solvable[index >> 6], np.uint64(1) << np.uint64(index & 63)
    if word & bit == np.uint64(0):
        return -1
    return int(level.ranks[index >> 6] + popcount(word & (bit - np.uint64(1))))


@kernel
def value_of(board: Any, level: Any) -> Any:
    """Return the value of a board (see MOVES_SHIFT), 0 if unsolvable, or ABSENT if not in the level."""
    number = solvable_number(board, level)
    if number >= 0:
        return level.values[number]
    return np.uint64(0) if number == -1 else ~np.uint64(0)


@kernel
def propagate_values(
    level: Any, word: int, stop: int, most: int, above: Any, entries: Any, shifts: Any
) -> int:
    """Update `entries`, the best values so far of the boards `above`, from the solvable boards of `level`.

    `level`: boards with one peg less than `above`, and their final values. `word`, `stop`: words of 64 boards
    of `level.solvable` to process. The kernel stops early after about `most` boards, and returns the next
    word.
    """
    if word == stop:
        return word
    one, packed, last = np.uint64(1), level.packed, int(level.ranks[word]) + most
    bucket = np.searchsorted(packed.starts, 64 * word, "right") - 1
    while word < stop and level.ranks[word] < last:
        left, number = level.solvable[word], int(level.ranks[word])
        while left != np.uint64(0):
            index = 64 * word + int(lowest_bit(left))
            left &= left - one
            while index >= packed.starts[bucket + 1]:
                bucket += 1
            board, value = board_at(bucket, index, packed), level.values[number]
            number += 1
            for slot in range(len(shifts.first) - 1):
                lows = backward_jumps(board, slot, shifts)
                while lows != np.uint64(0):
                    low = lowest_bit(lows)
                    lows &= lows - one
                    line = np.uint64(64 * slot) + low
                    above_index = index_of(board ^ shifts.lines[line], above)
                    if above_index < 0:
                        continue
                    target, origin = line_ends(board, low, line, shifts)
                    # Undo the jump origin -> target. Jumps in a row by one peg are one move, so the jump is
                    # free exactly if the peg that lands on `target` can begin a shortest solution from here.
                    continues = value >> target & one
                    moves = (value >> np.uint64(MOVES_SHIFT)) + one - continues
                    entries[above_index] = better_value(
                        entries[above_index], moves << np.uint64(MOVES_SHIFT) | one << origin
                    )
        word += 1
    return word


@kernel
def better_value(value: Any, other: Any) -> Any:
    """Return the value with fewer moves; if the moves are equal, with the first movers of both values."""
    moves, others = value >> np.uint64(MOVES_SHIFT), other >> np.uint64(MOVES_SHIFT)
    if moves == others:
        return value | other
    return other if moves == np.uint64(0) or np.uint64(0) < others < moves else value


@kernel
def merge_values(entries: Any, others: Any, start: int, stop: int) -> None:
    """Merge `others[start:stop]`, values from another thread, into `entries`."""
    for index in range(start, stop):
        entries[index] = better_value(entries[index], others[index])


def value_levels(
    packed: dict[int, PackedLevel], goal: int, shifts: Shifts, crew: KernelThreads = ONE_THREAD
) -> Pausable[dict[int, ValuedLevel]]:
    """Return the levels with values, by number of pegs; of `packed`, empty levels may be missing."""
    levels: dict[int, ValuedLevel] = {}
    empty = PackedLevel(np.zeros(3, np.uint32), np.empty(0, np.uint32), packed[max(packed)].hashing)
    for pegs in range(1, max(packed) + 1):
        boards = packed.get(pegs, empty)
        if pegs > 1:
            entries = yield from _propagated(levels[pegs - 1], boards, shifts, crew)
        else:
            entries = _goal_values(boards, goal)
        levels[pegs] = yield from _ranked_level(boards, entries)
    return levels


def _goal_values(boards: PackedLevel, goal: int) -> Any:
    """Return the values of boards with one peg: 0 moves at the goal (-1: any hole), unsolvable elsewhere."""
    entries = np.zeros(boards.size, np.uint64)
    for hole in range(64 - int(boards.hashing.unused)) if goal < 0 else [goal]:
        index = index_of(np.uint64(1 << hole), boards)
        if index >= 0:
            entries[index] = 1 << MOVES_SHIFT
    return entries


def _propagated(level: ValuedLevel, above: PackedLevel, shifts: Shifts, crew: KernelThreads) -> Pausable[Any]:
    """Return the values of the boards `above`. Each thread fills an array; afterwards they are merged."""
    entries = np.zeros((crew.size, above.size), np.uint64)  # pages are allocated when they are first written
    parts = crew.parts(len(level.solvable) if len(level.values) else 0)
    while any(word < stop for word, stop in parts):
        calls = [
            (level, word, stop, BOARDS_PER_SLICE, above, own, shifts)
            for (word, stop), own in zip(parts, entries, strict=True)
        ]
        words = crew.run(propagate_values, calls)
        parts = [(word, stop) for word, (_, stop) in zip(words, parts, strict=True)]
        yield
    for own in entries[1:]:
        for start, stop in slices(above.size, 1 << 16):
            merge_values(entries[0], own, start, stop)
            yield
    return entries[0]


def _ranked_level(boards: PackedLevel, entries: Any) -> Pausable[ValuedLevel]:
    """Return the level of `boards` with the values `entries` (uint64 per board, 0 if unsolvable)."""
    solvable = np.zeros(boards.size // 64 + 1, np.uint64)
    for start, stop in slices(boards.size, BOARDS_PER_PACK):
        bits = np.packbits(entries[start:stop] != 0, bitorder="little")
        solvable.view(np.uint8)[start // 8 : start // 8 + len(bits)] = bits
        yield
    counts = np.bitwise_count(solvable)
    ranks = np.cumsum(counts, dtype=np.uint32) - counts
    values, end = np.empty(int(counts.sum(dtype=np.int64)), np.uint64), 0
    for start, stop in slices(boards.size, BOARDS_PER_PACK) if len(values) else ():
        found = entries[start:stop][entries[start:stop] != 0]
        values[end : end + len(found)] = found
        end += len(found)
        yield
    return ValuedLevel(boards, solvable, ranks, values)
