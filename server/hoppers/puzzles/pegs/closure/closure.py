"""Everything that can still happen from one position, with f of each board: exact, and no table needed.

The boards that jumps can reach are listed level by level (a level: equally many pegs), each level in a set of
its own that is packed into buckets when it is whole (see `buckets`). Boards that pagoda functions prove dead
are left out with all that follows from them (see `weighing`). Then f of the boards that can win spreads
upwards from the ends (see `valuing`). One closure answers its position, all its steps and everything behind
them.
"""

from collections.abc import Generator, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import kernel
from hoppers.core.model import DEAD, UNKNOWN, Position
from hoppers.puzzles.pegs.bitboards.jump_masks import Shifts
from hoppers.puzzles.pegs.bitboards.pagoda_filter import Proofs, Weighing, no_weighing
from hoppers.puzzles.pegs.closure.backward_values import (
    MOVES_SHIFT,
    NOT_IN_IT,
    Level,
    value_of,
    valued,
)
from hoppers.puzzles.pegs.closure.bloom_filter import NO_SIEVE, Sieve, keep_passing
from hoppers.puzzles.pegs.closure.hash_buckets import (
    HALVES,
    SHARES,
    Hashing,
    Rows,
    empty_slots,
    grown,
    has_room,
    hashing_of,
    in_rows,
    put_boards,
    put_codes,
    some_of,
)
from hoppers.puzzles.pegs.closure.successors import BATCH, MOST_JUMPS, list_next
from hoppers.search.slicing import Pausable, report_progress, touch_pages
from hoppers.tablebase.kernel_threads import ALONE, Crew, crew_of

SLICE = 1 << 12
"""Boards per kernel call: a few milliseconds."""
ROOM = 16 * SLICE + BATCH + MOST_JUMPS
"""Hashes that find room beside each other; more than mostly come of a slice."""
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
def list_passing(
    rows: Any, start: int, stop: int, codes: Any, shifts: Any, weighing: Any, sieve: Any
) -> tuple[int, int]:
    """Write the hashes of boards one jump from those with the numbers `start` to `stop` into `codes`.

    What is too light, or falls through the `sieve`, is left out. Stops early where there may be no room for
    more. Returns the new start, and how many hashes there are.
    """
    bucket, end, batch = np.searchsorted(rows.starts, start, "right") - 1, 0, BATCH + MOST_JUMPS
    while start < stop and end + batch <= len(codes):
        room = codes[end : end + batch]
        bucket, start, count = list_next(rows, bucket, start, stop, room, shifts, weighing)
        end += keep_passing(room, count, sieve)
    return start, end


def close(
    starts: Any,
    goal: int,
    shifts: Shifts,
    most: int,
    proofs: Proofs | None = None,
    ends: Sequence[int] = (),
    sieve: Sieve | None = None,
    threads: int = 1,
) -> Generator[float, None, Closure | None]:
    """Make the closure of boards with equally many pegs (uint64) in steps of a few milliseconds.

    Yields how much of `most` boards has been reached; returns None if there are more. With `proofs` boards
    that they prove dead for all `ends`, which must be the solved boards of the class, are not in it, nor are
    with a `sieve` of the same ends those that fall through. `threads`: 1 or 2.
    """
    with crew_of(threads) as crew:
        levels = yield from _reach(starts, shifts, most, proofs, ends, sieve, crew)
        size = sum(rows.size for rows in levels.values())
        if size > most:
            return None
        return Closure((yield from report_progress(1.0, valued(levels, goal, shifts, crew))), size)


def _reach(
    starts: Any,
    shifts: Shifts,
    most: int,
    proofs: Proofs | None,
    ends: Sequence[int],
    sieve: Sieve | None,
    crew: Crew,
) -> Generator[float, None, dict[int, Rows]]:
    """The levels of a closure by pegs, or the first of them where there are more than `most` boards."""
    hashing = _hashing(starts, shifts) if sieve is None else sieve.hashing
    rows = yield from report_progress(0.0, packed(starts, hashing))
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
        rows = yield from report_progress(
            size / most, spread(rows, shifts, weights, most - size, words, crew)
        )
        pegs, size = pegs - 1, size + rows.size
        levels[pegs] = rows
    return levels


def _hashing(starts: Any, shifts: Shifts) -> Hashing:
    """For all holes that boards or lines have."""
    return hashing_of(max(int(word).bit_length() for word in (*starts, *shifts.lines)))


def packed(starts: Any, hashing: Hashing) -> Pausable[Rows]:
    """The boards with which a closure begins, as a level."""
    slots = empty_slots(HALVES * len(starts))
    put_boards(np.array(starts, np.uint64), slots, hashing)
    return (yield from in_rows(slots, int(np.count_nonzero(slots)), hashing))


def spread(
    rows: Rows, shifts: Shifts, weighing: Weighing, most: int, sieve: Any = NO_SIEVE, crew: Crew = ALONE
) -> Pausable[Rows]:
    """The next level; not much more than `most` boards of it."""
    slots, counts = empty_slots(rows.size), np.zeros(HALVES, np.int64)
    yield from touch_pages(slots)
    for codes, ends in followers(rows, shifts, weighing, sieve, crew):
        yield
        while not has_room(slots, counts, ends.sum()):
            slots = yield from grown(slots, crew)
        crew.work(put_codes, [(codes, ends, np.uint64(share), slots, counts) for share in SHARES[crew.size]])
        yield
        if counts.sum() > most:
            break
    return (yield from in_rows(slots, int(counts.sum()), rows.hashing, crew))


def followers(
    rows: Rows, shifts: Shifts, weighing: Weighing, sieve: Any, crew: Crew
) -> Iterator[tuple[Any, Any]]:
    """The hashes of all boards one jump from those of a level, as many at a time as a crew lists in a slice.

    Yields a row of hashes for each thread (uint64[threads, room]) and how many are in it; the room is used
    again.
    """
    codes, ends = np.empty((crew.size, ROOM), np.uint64), np.zeros(crew.size, np.int64)
    parts = crew.parts(rows.size)
    while any(start < stop for start, stop in parts):
        calls = [
            (rows, start, min(start + SLICE, stop), room, shifts, weighing, sieve)
            for (start, stop), room in zip(parts, codes, strict=True)
        ]
        done = crew.work(list_passing, calls)
        parts = [(start, stop) for (start, _), (_, stop) in zip(done, parts, strict=True)]
        ends[:] = [end for _, end in done]
        yield codes, ends
