"""Everything that can still happen from one position, with f of each board: exact, and no table needed.

The boards that jumps can reach are listed level by level (a level: equally many pegs), each level in a set of
its own that is packed into buckets when it is whole (see `buckets`). Boards that pagoda functions prove dead
are left out with all that follows from them (see `weighing`). Then f of the boards that can win spreads
upwards from the ends (see `valuing`). One closure answers its position, all its steps and everything behind
them.
"""

from collections.abc import Generator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..compiled import kernel
from ..records import DEAD, UNKNOWN, Position
from ..search.jumps import Shifts
from ..search.slices import Pauses, brought, reported
from ..search.weighing import Proofs, Weighing, no_weighing
from .buckets import (
    FULLEST,
    Hashing,
    Rows,
    empty_slots,
    grown,
    hashing_of,
    in_rows,
    keep_unmet,
    place_of,
    put_boards,
    some_of,
)
from .following import BATCH, MOST_JUMPS, list_next, room_for_batch
from .sieve import NO_SIEVE, Sieve, keep_passing
from .valuing import MOVES_SHIFT, NOT_IN_IT, Level, value_of, valued

SLICE = 1 << 12
"""Boards per kernel call: a few milliseconds."""
SPARE = BATCH + MOST_JUMPS
"""Slots that must be free for a batch."""
SAMPLED_FROM, SAMPLE = 1000, 6
"""Of the first level, and those with so many boards or more, this many are tried for new functions."""


class Closure(NamedTuple):
    """The levels by number of pegs, and how many boards they hold."""

    levels: dict[int, Level]
    size: int

    @property
    def bytes(self) -> int:
        """Memory it takes."""
        return sum(
            int(array.nbytes)
            for level in self.levels.values()
            for array in (level.rows.starts, level.rows.rests, level.alive, level.ranks, level.values)
        )

    @property
    def counts(self) -> list[int]:
        """How many boards that can be solved have 0, 1, 2, … moves left."""
        counts = np.zeros(1 << 64 - MOVES_SHIFT, np.int64)
        for level in self.levels.values():
            fewest = (level.values >> np.uint64(MOVES_SHIFT)).astype(np.int64)
            counts += np.bincount(fewest, minlength=len(counts))
        return [int(count) for count in np.trim_zeros(counts, "b")[1:]]

    def moves_left(self, position: Position) -> int:
        """The fewest moves still to be started, or DEAD; UNKNOWN where the board is not in it."""
        level = self.levels.get(position.state.bit_count())
        value = NOT_IN_IT if level is None else int(value_of(np.uint64(position.state), level))
        if value == NOT_IN_IT:
            return UNKNOWN
        if not value:
            return DEAD
        return (value >> MOVES_SHIFT) - 1 - (position.active >= 0 and value >> position.active & 1)


@kernel
def reach(
    rows: Any,
    bucket: int,
    start: int,
    stop: int,
    codes: Any,
    slots: Any,
    count: int,
    shifts: Any,
    weighing: Any,
    sieve: Any,
) -> tuple[int, int, int]:
    """Put the boards one jump from those with the numbers `start` to `stop` into a set.

    `bucket`: one that is not behind the first of them. `codes`: where a batch finds room. `sieve`: that of
    the set. Returns the new bucket, start, and count of the set; stops early when that is nearly full.
    """
    room = int(len(slots) * FULLEST) - SPARE
    while start < stop and count < room:
        bucket, start, end = list_next(rows, bucket, start, stop, codes, shifts, weighing)
        end = keep_passing(codes, end, sieve)
        for number in range(keep_unmet(codes, end, slots)):
            place = place_of(codes[number], slots)
            count += int(slots[place] == np.uint64(0))
            slots[place] = codes[number]
    return bucket, start, count


def close(
    starts: Any,
    goal: int,
    shifts: Shifts,
    most: int,
    proofs: Proofs | None = None,
    ends: Sequence[int] = (),
    sieve: Sieve | None = None,
) -> Generator[float, None, Closure | None]:
    """Make the closure of boards with equally many pegs (uint64) in steps of a few milliseconds.

    Yields how much of `most` boards has been reached; returns None if there are more. With `proofs` boards
    that they prove dead for all `ends`, which must be the solved boards of the class, are not in it, nor are
    with a `sieve` of the same ends those that fall through.
    """
    hashing = _hashing(starts, shifts) if sieve is None else sieve.hashing
    rows = yield from reported(0.0, packed(starts, hashing))
    pegs, size, weighing = int(starts[0]).bit_count(), rows.size, no_weighing(len(shifts.lines))
    levels = {pegs: rows}
    while rows.size and size <= most:
        words, weights = NO_SIEVE if sieve is None else sieve.level(pegs - 1), weighing
        if len(words):
            weights = no_weighing(len(shifts.lines))  # the sieve knows better
        elif proofs is not None and (size == rows.size or rows.size >= SAMPLED_FROM):
            for board in some_of(rows, SAMPLE):
                proofs.learn([board], [*ends])
                yield size / most
            weights = weighing = proofs.weighing([*ends])
        rows = yield from reported(size / most, spread(rows, shifts, weights, most - size, words))
        pegs, size = pegs - 1, size + rows.size
        levels[pegs] = rows
    if size > most:
        return None
    return Closure((yield from reported(1.0, valued(levels, goal, shifts))), size)


def _hashing(starts: Any, shifts: Shifts) -> Hashing:
    """For all holes that boards or lines have."""
    return hashing_of(max(int(word).bit_length() for word in (*starts, *shifts.lines)))


def packed(starts: Any, hashing: Hashing) -> Pauses[Rows]:
    """The boards with which a closure begins, as a level."""
    slots = empty_slots(len(starts))
    put_boards(np.array(starts, np.uint64), slots, hashing)
    return (yield from in_rows(slots, int(np.count_nonzero(slots)), hashing))


def spread(rows: Rows, shifts: Shifts, weighing: Weighing, most: int, sieve: Any = NO_SIEVE) -> Pauses[Rows]:
    """The next level; not much more than `most` boards of it."""
    slots, codes, bucket, start, count = empty_slots(rows.size + SPARE), room_for_batch(), 0, 0, 0
    yield from brought(slots)
    while start < rows.size and count <= most:
        stop = min(start + SLICE, rows.size)
        done = reach(rows, bucket, start, stop, codes, slots, count, shifts, weighing, sieve)
        bucket, start, count = done
        if start < stop:  # no room for another batch
            slots = yield from grown(slots)
        yield
    return (yield from in_rows(slots, count, rows.hashing))
