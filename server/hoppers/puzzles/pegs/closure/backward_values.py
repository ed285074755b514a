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
WORDS_PER_SLICE = 1 << 11  # words of 64 boards between two pauses
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
    """Update the best values of the boards one jump before the solvable boards of `level`.

    Args:
        level: boards with k pegs and their final values.
        word: first word of 64 boards of `level.solvable` to process.
        stop: word to stop at.
        most: stop early after about this many boards, to keep a call within a few milliseconds.
        above: boards with k + 1 pegs.
        entries: uint64, best values so far of the boards `above`; updated in place.
        shifts: lines of the board.

    Returns:
        The next word to process; `stop` when done.
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
    """Return the value with fewer moves. If the moves are equal, unite the first movers of both values.

    First movers are the holes whose pegs can begin a shortest solution. A value of 0 means unsolvable.
    """
    moves, others = value >> np.uint64(MOVES_SHIFT), other >> np.uint64(MOVES_SHIFT)
    if moves == others:
        return value | other  # equal moves: the union of the first movers
    return other if moves == np.uint64(0) or np.uint64(0) < others < moves else value


@kernel
def merge_values(entries: Any, others: Any, start: int, stop: int) -> None:
    """Merge `others[start:stop]`, values from another thread, into `entries`."""
    for index in range(start, stop):
        entries[index] = better_value(entries[index], others[index])


@kernel
def mark_solvable(entries: Any, start: int, stop: int, solvable: Any, ranks: Any, count: int) -> int:
    """Fill words `start` to `stop` of `solvable` and `ranks` (see `ValuedLevel`) from the values `entries`.

    `count` is the number of solvable boards before `start`. Return the number of such boards before `stop`.
    """
    for word in range(start, stop):
        ranks[word] = count
        for index in range(64 * word, min(64 * (word + 1), len(entries))):
            if entries[index] != np.uint64(0):
                solvable[word] |= np.uint64(1) << np.uint64(index & 63)
                count += 1
    return count


@kernel
def collect_values(entries: Any, start: int, stop: int, ranks: Any, values: Any) -> None:
    """Write the values of the solvable boards in words `start` to `stop` contiguously into `values`."""
    for word in range(start, stop):
        number = ranks[word]
        for index in range(64 * word, min(64 * (word + 1), len(entries))):
            if entries[index] != np.uint64(0):
                values[number] = entries[index]
                number += np.uint32(1)


def value_levels(
    packed: dict[int, PackedLevel], goal: int, shifts: Shifts, crew: KernelThreads = ONE_THREAD
) -> Pausable[dict[int, ValuedLevel]]:
    """Return the levels with values, by number of pegs (retrograde analysis).

    `packed`: number of pegs -> boards; empty levels may be missing. `goal`: hole, or -1 for any.
    """
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
    """Return the values of the boards `above`, one peg more than `level` has.

    Each thread fills an array of its own; afterwards the arrays are merged.
    """
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
    words, count = boards.size // 64 + 1, 0
    solvable, ranks = np.zeros(words, np.uint64), np.zeros(words, np.uint32)
    for start, stop in slices(words, WORDS_PER_SLICE):
        count = mark_solvable(entries, start, stop, solvable, ranks, count)
        yield
    values = np.empty(count, np.uint64)
    for start, stop in slices(words, WORDS_PER_SLICE) if count else ():
        collect_values(entries, start, stop, ranks, values)
        yield
    return ValuedLevel(boards, solvable, ranks, values)
