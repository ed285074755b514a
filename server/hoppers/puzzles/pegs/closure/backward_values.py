"""What the boards of a closure are worth: f and first movers spread upwards from the ends, level by level.

Only boards that can be solved are gone through; of the others nothing is kept but that they are there.
"""

from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import kernel
from hoppers.puzzles.pegs.bitboards.jump_masks import (
    Shifts,
    backward_jump_ends,
    backward_jumps,
    lowest_bit,
    popcount,
)
from hoppers.puzzles.pegs.closure.hash_buckets import PackedLevel, board_at, empty_level, index_of
from hoppers.search.slicing import Pauses, slices
from hoppers.tablebase.kernel_threads import ALONE, Crew

BOARDS_PER_SLICE = 1 << 12
"""Boards per kernel call: a few milliseconds."""
VALUES_PER_SLICE = 1 << 16
"""Values compared between two pauses."""
WORDS_PER_SLICE = 1 << 11
"""Words of marks looked through between two pauses."""
MOVES_SHIFT = 56
"""A value is f + 1 above this many bits of first movers; 0 where there is no way to an end."""
ABSENT = (1 << 64) - 1
"""The value of what is no board of a level."""


class ValuedLevel(NamedTuple):
    """All boards of a closure with equally many pegs."""

    packed: PackedLevel
    solvable: Any
    """uint64[boards / 64]: a bit for each, set where it can be solved."""
    ranks: Any
    """uint32[boards / 64]: how many can be solved in the words before."""
    values: Any
    """uint64: the values of those, in order, see MOVES_SHIFT."""


@kernel
def solvable_number(board: Any, level: Any) -> int:
    """Which one of the boards that can be solved a board is; -1 where it cannot be, -2 where it is not in."""
    index = index_of(board, level.packed)
    if index < 0:
        return -2
    word, bit = level.solvable[index >> 6], np.uint64(1) << np.uint64(index & 63)
    if word & bit == np.uint64(0):
        return -1
    return int(level.ranks[index >> 6] + popcount(word & (bit - np.uint64(1))))


@kernel
def value_of(board: Any, level: Any) -> Any:
    """The value of a board, 0 where it cannot be solved, or NOT_IN_IT."""
    number = solvable_number(board, level)
    if number >= 0:
        return level.values[number]
    return np.uint64(0) if number == -1 else ~np.uint64(0)


@kernel
def propagate_values(
    level: Any, word: int, stop: int, most: int, above: Any, entries: Any, shifts: Any
) -> int:
    """Let boards of a level that can be solved tell those of the level above what they are worth.

    It begins with those of a word of marks, and ends with the word `stop` or when about `most` have told.
    `entries`: the values so far of all boards above. Returns the next word.
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
                    place = index_of(board ^ shifts.lines[line], above)
                    if place < 0:
                        continue
                    origin, target = backward_jump_ends(board, low, line, shifts)
                    moves = (value >> np.uint64(MOVES_SHIFT)) + one - (value >> target & one)
                    entries[place] = better_value(
                        entries[place], moves << np.uint64(MOVES_SHIFT) | one << origin
                    )
        word += 1
    return word


@kernel
def better_value(value: Any, other: Any) -> Any:
    """The value of a board of which two values tell: that of fewer moves, or all first movers of both."""
    moves, others = value >> np.uint64(MOVES_SHIFT), other >> np.uint64(MOVES_SHIFT)
    if moves == others:
        return value | other
    return other if moves == np.uint64(0) or np.uint64(0) < others < moves else value


@kernel
def merge_values(entries: Any, others: Any, start: int, stop: int) -> None:
    """Let boards know what they were told elsewhere, too."""
    for place in range(start, stop):
        entries[place] = better_value(entries[place], others[place])


@kernel
def mark_solvable(entries: Any, start: int, stop: int, solvable: Any, ranks: Any, count: int) -> int:
    """Mark the boards of some words that have a value; returns how many there are, with `count` before."""
    for word in range(start, stop):
        ranks[word] = count
        for index in range(64 * word, min(64 * (word + 1), len(entries))):
            if entries[index] != np.uint64(0):
                solvable[word] |= np.uint64(1) << np.uint64(index & 63)
                count += 1
    return count


@kernel
def collect_values(entries: Any, start: int, stop: int, ranks: Any, values: Any) -> None:
    """Write the values of the boards of some words one behind the other."""
    for word in range(start, stop):
        number = ranks[word]
        for index in range(64 * word, min(64 * (word + 1), len(entries))):
            if entries[index] != np.uint64(0):
                values[number] = entries[index]
                number += np.uint32(1)


def value_levels(
    packed: dict[int, PackedLevel], goal: int, shifts: Shifts, crew: Crew = ALONE
) -> Pauses[dict[int, ValuedLevel]]:
    """The levels with their values, by pegs, from all their boards; levels without any may be missing."""
    levels: dict[int, ValuedLevel] = {}
    hashing = packed[max(packed)].hashing
    for pegs in range(1, max(packed) + 1):
        boards = packed.get(pegs, empty_level(hashing))
        if pegs > 1:
            entries = yield from _propagated(levels[pegs - 1], boards, shifts, crew)
        else:
            entries = _goal_values(boards, goal)
        levels[pegs] = yield from _ranked_level(boards, entries)
    return levels


def _goal_values(boards: PackedLevel, goal: int) -> Any:
    """The values of single pegs: 0 where they are no end."""
    entries = np.zeros(boards.size, np.uint64)
    for hole in range(64 - int(boards.hashing.unused)) if goal < 0 else [goal]:
        index = index_of(np.uint64(1 << hole), boards)
        if index >= 0:
            entries[index] = 1 << MOVES_SHIFT
    return entries


def _propagated(level: ValuedLevel, above: PackedLevel, shifts: Shifts, crew: Crew) -> Pauses[Any]:
    """The values of the level above, as a level tells them: each thread tells for itself at first."""
    entries = np.zeros((crew.size, above.size), np.uint64)  # no memory is taken before it is written to
    parts = crew.parts(len(level.solvable) if len(level.values) else 0)
    while any(word < stop for word, stop in parts):
        calls = [
            (level, word, stop, BOARDS_PER_SLICE, above, own, shifts)
            for (word, stop), own in zip(parts, entries, strict=True)
        ]
        words = crew.work(propagate_values, calls)
        parts = [(word, stop) for word, (_, stop) in zip(words, parts, strict=True)]
        yield
    for own in entries[1:]:
        for start, stop in slices(above.size, VALUES_PER_SLICE):
            merge_values(entries[0], own, start, stop)
            yield
    return entries[0]


def _ranked_level(boards: PackedLevel, entries: Any) -> Pauses[ValuedLevel]:
    """A level from its boards and their values."""
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
