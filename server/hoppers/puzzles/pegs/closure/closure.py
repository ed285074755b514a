"""Reachable-set tables ("closures"): every board that can follow from one position, with its fewest moves.

The boards that jumps can reach are listed level by level (a level: all boards with the same number of pegs).
Each level is collected in a hash set and packed into buckets when it is complete (see `hash_buckets`). Boards
that pagoda functions prove dead are pruned with everything that follows from them (see `pagoda`). Then the
fewest moves are propagated upwards from the goals (see `backward_values`). One closure answers its position,
all its steps and everything after them, without a complete table of the board.
"""

from collections.abc import Generator, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import ONE_THREAD, KernelThreads, kernel, kernel_threads
from hoppers.core.model import DEAD, UNKNOWN, Position
from hoppers.puzzles.pegs.closure.backward_values import (
    ABSENT,
    MOVES_SHIFT,
    ValuedLevel,
    value_levels,
    value_of,
)
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
    insert_hashes,
    pack_slots,
    sample_boards,
)
from hoppers.puzzles.pegs.jump_masks import MAX_JUMPS, Shifts, forward_jumps, lowest_bit
from hoppers.puzzles.pegs.pagoda import (
    MIN_SAMPLED,
    SAMPLE_SIZE,
    PagodaSet,
    PagodaTables,
    heavy_after_jump,
    no_pagodas,
    pagoda_words,
)
from hoppers.search.slicing import Pausable, report_progress, touch_pages

BOARDS_PER_SLICE = 1 << 12  # per kernel call: a few milliseconds


class Closure(NamedTuple):
    """Reachable-set table: valued levels by number of pegs, and the number of boards in all levels."""

    levels: dict[int, ValuedLevel]
    size: int

    @property
    def bytes(self) -> int:
        """Memory of all arrays, in bytes."""
        return sum(
            int(array.nbytes)
            for level in self.levels.values()
            for array in (level.packed.starts, level.packed.rests, level.solvable, level.ranks, level.values)
        )

    @property
    def counts(self) -> list[int]:
        """Numbers of solvable boards with 0, 1, 2, … moves left."""
        counts = np.zeros(1 << 64 - MOVES_SHIFT, np.int64)
        for level in self.levels.values():
            fewest = (level.values >> np.uint64(MOVES_SHIFT)).astype(np.int64)
            counts += np.bincount(fewest, minlength=len(counts))
        return [int(count) for count in np.trim_zeros(counts, "b")[1:]]

    def moves_left(self, position: Position) -> int:
        """Return the fewest moves still to be started, DEAD, or UNKNOWN for boards not in the closure."""
        level = self.levels.get(position.state.bit_count())
        value = ABSENT if level is None else int(value_of(np.uint64(position.state), level))
        if value == ABSENT:
            return UNKNOWN
        if not value:
            return DEAD
        return (value >> MOVES_SHIFT) - 1 - (position.active >= 0 and value >> position.active & 1)


@kernel
def list_successors(
    level: Any, start: int, stop: int, codes: Any, shifts: Any, pagodas: Any
) -> tuple[int, int]:
    """Write the hashes of all boards one jump from boards `start` to `stop` of `level` into `codes`.

    Hashes are listed first and looked up later, almost without branches, so that the processor has many
    look-ups under way at a time. Boards that pagoda functions prove dead are pruned. The kernel stops early
    if `codes` may be too small for another board. Return the next board and the number of hashes.
    """
    bucket, words = np.searchsorted(level.starts, start, "right") - 1, np.empty(len(pagodas.bases), np.uint64)
    end, most = 0, len(codes) - MAX_JUMPS
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
                # Written always, counted only if it may be solvable: cheaper than an unpredictable branch.
                codes[end] = hash_of(board ^ shifts.lines[line], level.hashing)
                end += int(heavy_after_jump(words, line, board >> low & np.uint64(1), pagodas))
        start += 1
    return start, end


def build_closure(
    starts: Any,
    goal: int,
    shifts: Shifts,
    most: int,
    pagoda_set: PagodaSet | None = None,
    ends: Sequence[int] = (),
    threads: int = 1,
) -> Generator[float, None, Closure | None]:
    """Build the closure of the boards `starts`, which have equally many pegs, with up to `most` boards.

    Yield the share of `most` reached so far, every few milliseconds. Return None if there are more boards.

    `goal`: hole, or -1 for any. `ends`: solved boards of the position class; boards that `pagoda_set` proves
    dead for all of them are pruned. `threads`: 1 or 2.
    """
    with kernel_threads(threads) as crew:
        levels = yield from _reachable_levels(starts, shifts, most, pagoda_set, ends, crew)
        size = sum(level.size for level in levels.values())
        if size > most:
            return None
        return Closure((yield from report_progress(1.0, value_levels(levels, goal, shifts, crew))), size)


def _reachable_levels(
    starts: Any,
    shifts: Shifts,
    most: int,
    pagoda_set: PagodaSet | None,
    ends: Sequence[int],
    crew: KernelThreads,
) -> Generator[float, None, dict[int, PackedLevel]]:
    """Return all levels by number of pegs. Stop early when they have more than `most` boards together."""
    holes = max(int(word).bit_length() for word in (*starts, *shifts.lines))
    level = yield from report_progress(0.0, pack_level(starts, hashing_of(holes)))
    pegs, size, pagodas = int(starts[0]).bit_count(), level.size, no_pagodas(len(shifts.lines))
    levels = {pegs: level}
    while level.size and size <= most:
        if pagoda_set is not None and (size == level.size or level.size >= MIN_SAMPLED):
            for board in sample_boards(level, SAMPLE_SIZE):
                pagoda_set.learn(board, ends)
                yield size / most
            pagodas = pagoda_set.tables(ends)
        level = yield from report_progress(
            size / most, successor_level(level, shifts, pagodas, most - size, crew)
        )
        pegs, size = pegs - 1, size + level.size
        levels[pegs] = level
    return levels


def pack_level(starts: Any, hashing: Hashing) -> Pausable[PackedLevel]:
    """Return the packed level of the boards `starts`, all with the same number of pegs."""
    slots, counts = empty_slots(HALVES * len(starts)), np.zeros(HALVES, np.int64)
    codes = np.array([starts], np.uint64) * hashing.multiplier
    insert_hashes(codes, np.array([len(starts)]), np.uint64(SHARES[1][0]), slots, counts)
    return (yield from pack_slots(slots, int(counts.sum()), hashing))


def successor_level(
    level: PackedLevel,
    shifts: Shifts,
    pagodas: PagodaTables,
    most: int,
    crew: KernelThreads = ONE_THREAD,
) -> Pausable[PackedLevel]:
    """Return the level of all boards one jump later.

    If it has more than `most` boards, it is incomplete, with slightly more than `most` boards.
    """
    slots, counts = empty_slots(level.size), np.zeros(HALVES, np.int64)
    yield from touch_pages(slots)
    for codes, ends in successor_hashes(level, shifts, pagodas, crew):
        yield
        while not has_room(slots, counts, ends.sum()):
            slots = yield from doubled(slots, crew)
        crew.run(
            insert_hashes, [(codes, ends, np.uint64(share), slots, counts) for share in SHARES[crew.size]]
        )
        yield
        if counts.sum() > most:
            break
    return (yield from pack_slots(slots, int(counts.sum()), level.hashing, crew))


def successor_hashes(
    level: PackedLevel, shifts: Shifts, pagodas: PagodaTables, crew: KernelThreads
) -> Iterator[tuple[Any, Any]]:
    """Yield the hashes of all boards one jump later, from one slice of a level per thread at a time.

    Each item has one row of hashes per thread (uint64[threads, room]), and the number of hashes in each row.
    Both arrays are reused.
    """
    size = 16 * BOARDS_PER_SLICE + MAX_JUMPS  # more than most slices of one thread need
    codes, ends = np.empty((crew.size, size), np.uint64), np.zeros(crew.size, np.int64)
    parts = crew.parts(level.size)
    while any(start < stop for start, stop in parts):
        calls = [
            (level, start, min(start + BOARDS_PER_SLICE, stop), room, shifts, pagodas)
            for (start, stop), room in zip(parts, codes, strict=True)
        ]
        done = crew.run(list_successors, calls)
        parts = [(start, stop) for (start, _), (_, stop) in zip(done, parts, strict=True)]
        ends[:] = [end for _, end in done]
        yield codes, ends
