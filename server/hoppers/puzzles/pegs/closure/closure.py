"""Everything that can still happen from one position, with f of each board: exact, and no table needed.

The boards that jumps can reach are listed level by level (a level: equally many pegs), each level in a set of
its own that is packed into buckets when it is whole (see `buckets`). Boards that pagoda functions prove dead
are left out with all that follows from them (see `pagodas`). Then f of the boards that can win spreads
upwards from the ends (see `valuing`). One closure answers its position, all its steps and everything behind
them.
"""

from collections.abc import Generator, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import kernel
from hoppers.core.model import DEAD, UNKNOWN, Position
from hoppers.puzzles.pegs.bitboards.jump_masks import Shifts, forward_jumps, lowest_bit
from hoppers.puzzles.pegs.bitboards.pagoda_filter import (
    PagodaSet,
    PagodaTables,
    heavy_after_jump,
    no_pagodas,
    pagoda_words,
)
from hoppers.puzzles.pegs.closure.backward_values import (
    ABSENT,
    MOVES_SHIFT,
    ValuedLevel,
    value_levels,
    value_of,
)
from hoppers.puzzles.pegs.closure.bloom_filter import NO_BLOOM, BloomFilter, keep_passing
from hoppers.puzzles.pegs.closure.hash_buckets import (
    HALVES,
    SHARES,
    Hashing,
    PackedLevel,
    board_at,
    doubled,
    empty_slots,
    has_room,
    hash_of,
    hashing_of,
    insert_boards,
    insert_hashes,
    pack_slots,
    sample_boards,
)
from hoppers.search.slicing import Pauses, brought, reported
from hoppers.tablebase.kernel_threads import ALONE, Crew, crew_of

MAX_JUMPS = 256
"""More than there are from any board."""
BATCH_HASHES = 1024
"""Hashes listed before they are looked up, and hardly more."""
BOARDS_PER_SLICE = 1 << 12
"""Boards per kernel call: a few milliseconds."""
HASHES_PER_SLICE = 16 * BOARDS_PER_SLICE + BATCH_HASHES + MAX_JUMPS
"""Hashes that find room beside each other; more than mostly come of a slice."""
MIN_SAMPLED, SAMPLE_SIZE = 1000, 6
"""Of the first level, and those with so many boards or more, this many are tried for new functions."""


class Closure(NamedTuple):
    """The levels by number of pegs, and how many boards they hold."""

    levels: dict[int, ValuedLevel]
    size: int

    @property
    def bytes(self) -> int:
        """Memory it takes."""
        return sum(
            int(array.nbytes)
            for level in self.levels.values()
            for array in (level.packed.starts, level.packed.rests, level.solvable, level.ranks, level.values)
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
        value = ABSENT if level is None else int(value_of(np.uint64(position.state), level))
        if value == ABSENT:
            return UNKNOWN
        if not value:
            return DEAD
        return (value >> MOVES_SHIFT) - 1 - (position.active >= 0 and value >> position.active & 1)


def make_batch() -> Any:
    """Where a batch is written."""
    return np.empty(BATCH_HASHES + MAX_JUMPS, np.uint64)


@kernel
def list_successors(
    level: Any, bucket: int, start: int, stop: int, codes: Any, shifts: Any, pagodas: Any
) -> tuple[int, int, int]:
    """Write the hashes of boards one jump from those with the numbers `start` to `stop` into `codes`.

    `bucket`: one that is not behind the first of them. What is too light is left out. Stops early when the
    batch is full. Returns the new bucket and start, and how many hashes there are.
    """
    words, end, most = np.empty(len(pagodas.bases), np.uint64), 0, len(codes) - MAX_JUMPS
    while start < stop and end < most:
        while start >= level.starts[bucket + 1]:
            bucket += 1
        board = board_at(bucket, start, level)
        pagoda_words(board, pagodas, words)
        for slot in range(len(shifts.first) - 1):
            lows = forward_jumps(board, slot, shifts)
            while lows != np.uint64(0):
                low = lowest_bit(lows)
                lows &= lows - np.uint64(1)
                line = np.uint64(64 * slot) + low
                codes[end] = hash_of(board ^ shifts.lines[line], level.hashing)
                end += int(heavy_after_jump(words, line, board >> low & np.uint64(1), pagodas))
        start += 1
    return bucket, start, end


@kernel
def list_filtered_successors(
    level: Any, start: int, stop: int, codes: Any, shifts: Any, pagodas: Any, bloom: Any
) -> tuple[int, int]:
    """Write the hashes of boards one jump from those with the numbers `start` to `stop` into `codes`.

    What is too light, or falls through the `bloom`, is left out. Stops early where there may be no room for
    more. Returns the new start, and how many hashes there are.
    """
    bucket, end, batch = np.searchsorted(level.starts, start, "right") - 1, 0, BATCH_HASHES + MAX_JUMPS
    while start < stop and end + batch <= len(codes):
        room = codes[end : end + batch]
        bucket, start, count = list_successors(level, bucket, start, stop, room, shifts, pagodas)
        end += keep_passing(room, count, bloom)
    return start, end


def build_closure(
    starts: Any,
    goal: int,
    shifts: Shifts,
    most: int,
    pagoda_set: PagodaSet | None = None,
    ends: Sequence[int] = (),
    bloom: BloomFilter | None = None,
    threads: int = 1,
) -> Generator[float, None, Closure | None]:
    """Make the closure of boards with equally many pegs (uint64) in steps of a few milliseconds.

    Yields how much of `most` boards has been reached; returns None if there are more. With `pagoda_set` boards
    that they prove dead for all `ends`, which must be the solved boards of the class, are not in it, nor are
    with a `bloom` of the same ends those that fall through. `threads`: 1 or 2.
    """
    with crew_of(threads) as crew:
        levels = yield from _reachable_levels(starts, shifts, most, pagoda_set, ends, bloom, crew)
        size = sum(level.size for level in levels.values())
        if size > most:
            return None
        return Closure((yield from reported(1.0, value_levels(levels, goal, shifts, crew))), size)


def _reachable_levels(
    starts: Any,
    shifts: Shifts,
    most: int,
    pagoda_set: PagodaSet | None,
    ends: Sequence[int],
    bloom: BloomFilter | None,
    crew: Crew,
) -> Generator[float, None, dict[int, PackedLevel]]:
    """The levels of a closure by pegs, or the first of them where there are more than `most` boards."""
    hashing = _hashing(starts, shifts) if bloom is None else bloom.hashing
    level = yield from reported(0.0, pack_level(starts, hashing))
    pegs, size, pagodas = int(starts[0]).bit_count(), level.size, no_pagodas(len(shifts.lines))
    levels = {pegs: level}
    while level.size and size <= most:
        words, weights = NO_BLOOM if bloom is None else bloom.level(pegs - 1), pagodas
        if len(words):
            weights = no_pagodas(len(shifts.lines))  # the bloom knows better
        elif pagoda_set is not None and (size == level.size or level.size >= MIN_SAMPLED):
            for board in sample_boards(level, SAMPLE_SIZE):
                pagoda_set.learn([board], [*ends])
                yield size / most
            weights = pagodas = pagoda_set.tables([*ends])
        level = yield from reported(
            size / most, successor_level(level, shifts, weights, most - size, words, crew)
        )
        pegs, size = pegs - 1, size + level.size
        levels[pegs] = level
    return levels


def _hashing(starts: Any, shifts: Shifts) -> Hashing:
    """For all holes that boards or lines have."""
    return hashing_of(max(int(word).bit_length() for word in (*starts, *shifts.lines)))


def pack_level(starts: Any, hashing: Hashing) -> Pauses[PackedLevel]:
    """The boards with which a closure begins, as a level."""
    slots = empty_slots(HALVES * len(starts))
    insert_boards(np.array(starts, np.uint64), slots, hashing)
    return (yield from pack_slots(slots, int(np.count_nonzero(slots)), hashing))


def successor_level(
    level: PackedLevel,
    shifts: Shifts,
    pagodas: PagodaTables,
    most: int,
    bloom: Any = NO_BLOOM,
    crew: Crew = ALONE,
) -> Pauses[PackedLevel]:
    """The next level; not much more than `most` boards of it."""
    slots, counts = empty_slots(level.size), np.zeros(HALVES, np.int64)
    yield from brought(slots)
    for codes, ends in successor_hashes(level, shifts, pagodas, bloom, crew):
        yield
        while not has_room(slots, counts, ends.sum()):
            slots = yield from doubled(slots, crew)
        crew.work(
            insert_hashes, [(codes, ends, np.uint64(share), slots, counts) for share in SHARES[crew.size]]
        )
        yield
        if counts.sum() > most:
            break
    return (yield from pack_slots(slots, int(counts.sum()), level.hashing, crew))


def successor_hashes(
    level: PackedLevel, shifts: Shifts, pagodas: PagodaTables, bloom: Any, crew: Crew
) -> Iterator[tuple[Any, Any]]:
    """The hashes of all boards one jump from those of a level, as many at a time as a crew lists in a slice.

    Yields a row of hashes for each thread (uint64[threads, room]) and how many are in it; the room is used
    again.
    """
    codes, ends = np.empty((crew.size, HASHES_PER_SLICE), np.uint64), np.zeros(crew.size, np.int64)
    parts = crew.parts(level.size)
    while any(start < stop for start, stop in parts):
        calls = [
            (level, start, min(start + BOARDS_PER_SLICE, stop), room, shifts, pagodas, bloom)
            for (start, stop), room in zip(parts, codes, strict=True)
        ]
        done = crew.work(list_filtered_successors, calls)
        parts = [(start, stop) for (start, _), (_, stop) in zip(done, parts, strict=True)]
        ends[:] = [end for _, end in done]
        yield codes, ends
