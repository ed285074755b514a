"""Everything that can still happen from one position, with f of each board: exact, and no table needed.

The boards that jumps can reach are listed level by level (a level: equally many pegs), each level in a set of
its own, small enough to lie near the processor. Boards that pagoda functions prove dead are left out with all
that follows from them (see `weighing`). Then f of the boards that can win spreads upwards from the ends (see
`exact.pegs`); the others, by far the most, are never looked at again. One closure answers its position, all
its steps and everything behind them.
"""

from collections.abc import Generator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..compiled import kernel
from ..records import DEAD, UNKNOWN, Position
from ..search.hashing import FULLEST, insert_all, slot_of
from ..search.jumps import Shifts, jumps_down, jumps_up, lowest_bit
from .weighing import Proofs, Weighing, may_live, no_weighing, weigh

SMALLEST = 8
"""A set has at least 2 to this many slots."""
SLICE = 1 << 12
"""Boards per kernel call: a few milliseconds."""
MOVES_SHIFT = 56
"""A value is f + 1 above this many bits of first movers; 0 where there is no way to an end."""
MOST_JUMPS = 256
"""More than there are from any board."""
SAMPLED_FROM, SAMPLE = 1000, 6
"""Of the first level, and those with so many boards or more, this many are tried for new functions."""


class Level(NamedTuple):
    """All boards of a closure with equally many pegs."""

    reached: Any
    """uint64[2**n]: the set of them, see `search.hashing`."""
    boards: Any
    """uint64[2**n]: the set of those that can be solved."""
    values: Any
    """uint64[2**n]: their values, see MOVES_SHIFT."""


class Closure(NamedTuple):
    """The levels by number of pegs, and how many boards they hold."""

    levels: dict[int, Level]
    size: int

    @property
    def bytes(self) -> int:
        """Memory it takes."""
        return sum(int(array.nbytes) for level in self.levels.values() for array in level)

    @property
    def counts(self) -> list[int]:
        """How many boards that can be solved have 0, 1, 2, … moves left."""
        values = np.concatenate([level.values for level in self.levels.values()])
        fewest = (values[values != 0] >> np.uint64(MOVES_SHIFT)).astype(np.int64) - 1
        return [int(count) for count in np.bincount(fewest)]

    def moves_left(self, position: Position) -> int:
        """The fewest moves still to be started, or DEAD; UNKNOWN where the board is not in it."""
        level, board = self.levels.get(position.state.bit_count()), np.uint64(position.state)
        if level is None or not level.reached[slot_of(board, level.reached)]:
            return UNKNOWN
        value = int(level.values[slot_of(board, level.boards)])
        if not value:
            return DEAD
        return (value >> MOVES_SHIFT) - 1 - (position.active >= 0 and value >> position.active & 1)


@kernel
def reach(
    level: Any, start: int, stop: int, found: Any, count: int, reached: Any, shifts: Any, weighing: Any
) -> tuple[int, int]:
    """Put the boards one jump from `level[start:stop]` into the set, and new ones into `found[count:]`.

    Returns the new start and count; stops early when the set is nearly full.
    """
    room = min(len(found), int(len(reached) * FULLEST)) - MOST_JUMPS
    words = np.empty(len(weighing.bases), np.uint64)
    while start < stop and count < room:
        board = level[start]
        weigh(board, weighing, words)
        for slot in range(len(shifts.first) - 1):
            lows = jumps_down(board, slot, shifts)
            while lows != np.uint64(0):
                low = lowest_bit(lows)
                lows &= lows - np.uint64(1)
                line = np.uint64(64 * slot) + low
                if may_live(words, line, board >> low & np.uint64(1), weighing):
                    after = board ^ shifts.lines[line]
                    place = slot_of(after, reached)
                    found[count] = after
                    count += int(reached[place] == np.uint64(0))
                    reached[place] = after
        start += 1
    return start, count


@kernel
def raise_values(
    boards: Any, values: Any, reached: Any, above: Any, won: Any, count: int, shifts: Any
) -> int:
    """Let boards with their values tell those one jump earlier that are `reached` what they are worth.

    `above`: the values so far, in the slots of `reached`; slots that had none go into `won[count:]`.
    """
    one = np.uint64(1)
    for index in range(len(boards)):
        board, value = boards[index], values[index]
        for slot in range(len(shifts.first) - 1):
            lows = jumps_up(board, slot, shifts)
            while lows != np.uint64(0):
                low = lowest_bit(lows)
                lows &= lows - one
                line = np.uint64(64 * slot) + low
                before = board ^ shifts.lines[line]
                place = slot_of(before, reached)
                if reached[place] != before:
                    continue
                downwards = board >> low & one  # 1 where the peg landed on the low end
                target = low + shifts.spans[line] * (one - downwards)
                origin = one << (low + shifts.spans[line] * downwards)
                moves = (value >> np.uint64(MOVES_SHIFT)) + one - (value >> target & one)
                known = above[place] >> np.uint64(MOVES_SHIFT)
                if known == np.uint64(0):
                    won[count] = place
                    count += 1
                if known == moves:
                    above[place] |= origin
                elif known == np.uint64(0) or moves < known:
                    above[place] = moves << np.uint64(MOVES_SHIFT) | origin
    return count


@kernel
def insert_values(boards: Any, values: Any, slots: Any, kept: Any) -> None:
    """Put boards into a set, and their values into `kept` at the same slots."""
    for index in range(len(boards)):
        place = slot_of(boards[index], slots)
        slots[place] = boards[index]
        kept[place] = values[index]


def close(
    starts: Any,
    goal: int,
    shifts: Shifts,
    most: int,
    proofs: Proofs | None = None,
    ends: Sequence[int] = (),
) -> Generator[float, None, Closure | None]:
    """Make the closure of boards with equally many pegs (uint64) in steps of a few milliseconds.

    Yields how much of `most` boards has been reached; returns None if there are more. With `proofs` boards
    that they prove dead for all `ends`, which must be the solved boards of the class, are not in it.
    """
    level = np.array(starts, np.uint64)
    pegs = int(level[0]).bit_count()
    reached = _empty_for(len(level))
    insert_all(level, reached)
    sets, size = {pegs: reached}, len(level)
    weighing = no_weighing(len(shifts.lines))
    while len(level) and size <= most:
        if proofs is not None and (size == len(level) or len(level) >= SAMPLED_FROM):
            proofs.learn([int(board) for board in level[:: -(-len(level) // SAMPLE)]], [*ends])
            weighing = proofs.weighing([*ends])
        level, sets[pegs - 1] = yield from _spread(level, shifts, weighing, most - size, size / most)
        pegs, size = pegs - 1, size + len(level)
    if size > most:
        return None
    return Closure((yield from _levels(sets, goal, shifts)), size)


def _empty_for(count: int) -> Any:
    return np.zeros(1 << max(SMALLEST, int(count / FULLEST + 2 * MOST_JUMPS).bit_length()), np.uint64)


def _spread(
    level: Any, shifts: Shifts, weighing: Weighing, most: int, progress: float
) -> Generator[float, None, tuple[Any, Any]]:
    """The next level as a list and as a set; no more than a slice beyond `most` boards."""
    reached, start, count = _empty_for(len(level)), 0, 0
    found = np.empty(most + 2 * MOST_JUMPS, np.uint64)  # no memory is taken before it is written to
    while start < len(level) and count <= most:
        stop = min(start + SLICE, len(level))
        start, count = reach(level, start, stop, found, count, reached, shifts, weighing)
        if start < stop:  # no room for another board's jumps
            reached = np.zeros(2 * len(reached), np.uint64)
            for first in range(0, count, SLICE):
                insert_all(found[first : min(first + SLICE, count)], reached)
                yield progress
        yield progress
    return found[:count].copy(), reached


def _levels(sets: dict[int, Any], goal: int, shifts: Shifts) -> Generator[float, None, dict[int, Level]]:
    """The levels, lowest first, from the sets of boards that are reached."""
    singles = sets.get(1, np.zeros(1, np.uint64))
    boards = np.array([board for board in singles if board and goal in (-1, int(board).bit_length() - 1)])
    boards = boards.astype(np.uint64)
    values = np.full(len(boards), 1 << MOVES_SHIFT, np.uint64)
    levels = {}
    for pegs in range(1, max(sets) + 1):
        reached = sets.get(pegs, np.zeros(1 << SMALLEST, np.uint64))
        if pegs > 1:
            boards, values = yield from _raised(boards, values, reached, shifts)
        slots = _empty_for(len(boards))
        kept = np.zeros(len(slots), np.uint64)
        insert_values(boards, values, slots, kept)
        levels[pegs] = Level(reached, slots, kept)
        yield 1.0
    return levels


def _raised(
    boards: Any, values: Any, reached: Any, shifts: Shifts
) -> Generator[float, None, tuple[Any, Any]]:
    """The boards of a level that can be solved, and their values, from those of the level below."""
    above, won, count = np.zeros(len(reached), np.uint64), np.empty(len(reached), np.int64), 0
    for start in range(0, len(boards), SLICE):
        part = slice(start, start + SLICE)
        count = raise_values(boards[part], values[part], reached, above, won, count, shifts)
        yield 1.0
    return reached[won[:count]], above[won[:count]]
