"""What the boards of a closure are worth: f and first movers spread upwards from the ends, level by level.

Only boards that can be solved are gone through; of the others nothing is kept but that they are there.
"""

from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import kernel
from hoppers.puzzles.pegs.bitboards.jump_masks import (
    Shifts,
    ends_of_jump_back,
    jumps_up,
    lowest_bit,
    popcount,
)
from hoppers.puzzles.pegs.closure.hash_buckets import Rows, board_at, index_of, no_rows
from hoppers.search.slicing import Pausable, slices
from hoppers.tablebase.kernel_threads import ALONE, Crew

TOLD = 1 << 12
"""Boards per kernel call: a few milliseconds."""
JOINED = 1 << 16
"""Values compared between two pauses."""
WORDS = 1 << 11
"""Words of marks looked through between two pauses."""
MOVES_SHIFT = 56
"""A value is f + 1 above this many bits of first movers; 0 where there is no way to an end."""
NOT_IN_IT = (1 << 64) - 1
"""The value of what is no board of a level."""


class Level(NamedTuple):
    """All boards of a closure with equally many pegs."""

    rows: Rows
    alive: Any
    """uint64[boards / 64]: a bit for each, set where it can be solved."""
    ranks: Any
    """uint32[boards / 64]: how many can be solved in the words before."""
    values: Any
    """uint64: the values of those, in order, see MOVES_SHIFT."""


@kernel
def live_number(board: Any, level: Any) -> int:
    """Which one of the boards that can be solved a board is; -1 where it cannot be, -2 where it is not in."""
    index = index_of(board, level.rows)
    if index < 0:
        return -2
    word, bit = level.alive[index >> 6], np.uint64(1) << np.uint64(index & 63)
    if word & bit == np.uint64(0):
        return -1
    return int(level.ranks[index >> 6] + popcount(word & (bit - np.uint64(1))))


@kernel
def value_of(board: Any, level: Any) -> Any:
    """The value of a board, 0 where it cannot be solved, or NOT_IN_IT."""
    number = live_number(board, level)
    if number >= 0:
        return level.values[number]
    return np.uint64(0) if number == -1 else ~np.uint64(0)


@kernel
def raise_values(level: Any, word: int, stop: int, most: int, above: Any, entries: Any, shifts: Any) -> int:
    """Let boards of a level that can be solved tell those of the level above what they are worth.

    It begins with those of a word of marks, and ends with the word `stop` or when about `most` have told.
    `entries`: the values so far of all boards above. Returns the next word.
    """
    if word == stop:
        return word
    one, rows, last = np.uint64(1), level.rows, int(level.ranks[word]) + most
    bucket = np.searchsorted(rows.starts, 64 * word, "right") - 1
    while word < stop and level.ranks[word] < last:
        left, number = level.alive[word], int(level.ranks[word])
        while left != np.uint64(0):
            index = 64 * word + int(lowest_bit(left))
            left &= left - one
            while index >= rows.starts[bucket + 1]:
                bucket += 1
            board, value = board_at(bucket, index, rows), level.values[number]
            number += 1
            for slot in range(len(shifts.first) - 1):
                lows = jumps_up(board, slot, shifts)
                while lows != np.uint64(0):
                    low = lowest_bit(lows)
                    lows &= lows - one
                    line = np.uint64(64 * slot) + low
                    place = index_of(board ^ shifts.lines[line], above)
                    if place < 0:
                        continue
                    origin, target = ends_of_jump_back(board, low, line, shifts)
                    moves = (value >> np.uint64(MOVES_SHIFT)) + one - (value >> target & one)
                    entries[place] = better(entries[place], moves << np.uint64(MOVES_SHIFT) | one << origin)
        word += 1
    return word


@kernel
def better(value: Any, other: Any) -> Any:
    """The value of a board of which two values tell: that of fewer moves, or all first movers of both."""
    moves, others = value >> np.uint64(MOVES_SHIFT), other >> np.uint64(MOVES_SHIFT)
    if moves == others:
        return value | other
    return other if moves == np.uint64(0) or np.uint64(0) < others < moves else value


@kernel
def join_values(entries: Any, others: Any, start: int, stop: int) -> None:
    """Let boards know what they were told elsewhere, too."""
    for place in range(start, stop):
        entries[place] = better(entries[place], others[place])


@kernel
def mark_alive(entries: Any, start: int, stop: int, alive: Any, ranks: Any, count: int) -> int:
    """Mark the boards of some words that have a value; returns how many there are, with `count` before."""
    for word in range(start, stop):
        ranks[word] = count
        for index in range(64 * word, min(64 * (word + 1), len(entries))):
            if entries[index] != np.uint64(0):
                alive[word] |= np.uint64(1) << np.uint64(index & 63)
                count += 1
    return count


@kernel
def take_values(entries: Any, start: int, stop: int, ranks: Any, values: Any) -> None:
    """Write the values of the boards of some words one behind the other."""
    for word in range(start, stop):
        number = ranks[word]
        for index in range(64 * word, min(64 * (word + 1), len(entries))):
            if entries[index] != np.uint64(0):
                values[number] = entries[index]
                number += np.uint32(1)


def valued(
    rows: dict[int, Rows], goal: int, shifts: Shifts, crew: Crew = ALONE
) -> Pausable[dict[int, Level]]:
    """The levels with their values, by pegs, from all their boards; levels without any may be missing."""
    levels: dict[int, Level] = {}
    hashing = rows[max(rows)].hashing
    for pegs in range(1, max(rows) + 1):
        boards = rows.get(pegs, no_rows(hashing))
        if pegs > 1:
            entries = yield from _told(levels[pegs - 1], boards, shifts, crew)
        else:
            entries = _begin(boards, goal)
        levels[pegs] = yield from _settled(boards, entries)
    return levels


def _begin(boards: Rows, goal: int) -> Any:
    """The values of single pegs: 0 where they are no end."""
    entries = np.zeros(boards.size, np.uint64)
    for hole in range(64 - int(boards.hashing.unused)) if goal < 0 else [goal]:
        index = index_of(np.uint64(1 << hole), boards)
        if index >= 0:
            entries[index] = 1 << MOVES_SHIFT
    return entries


def _told(level: Level, above: Rows, shifts: Shifts, crew: Crew) -> Pausable[Any]:
    """The values of the level above, as a level tells them: each thread tells for itself at first."""
    entries = np.zeros((crew.size, above.size), np.uint64)  # no memory is taken before it is written to
    parts = crew.parts(len(level.alive) if len(level.values) else 0)
    while any(word < stop for word, stop in parts):
        calls = [
            (level, word, stop, TOLD, above, told, shifts)
            for (word, stop), told in zip(parts, entries, strict=True)
        ]
        words = crew.work(raise_values, calls)
        parts = [(word, stop) for word, (_, stop) in zip(words, parts, strict=True)]
        yield
    for told in entries[1:]:
        for start, stop in slices(above.size, JOINED):
            join_values(entries[0], told, start, stop)
            yield
    return entries[0]


def _settled(boards: Rows, entries: Any) -> Pausable[Level]:
    """A level from its boards and their values."""
    words, count = boards.size // 64 + 1, 0
    alive, ranks = np.zeros(words, np.uint64), np.zeros(words, np.uint32)
    for start, stop in slices(words, WORDS):
        count = mark_alive(entries, start, stop, alive, ranks, count)
        yield
    values = np.empty(count, np.uint64)
    for start, stop in slices(words, WORDS) if count else ():
        take_values(entries, start, stop, ranks, values)
        yield
    return Level(boards, alive, ranks, values)
