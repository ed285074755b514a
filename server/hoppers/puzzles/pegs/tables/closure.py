"""Reachable-set tables ("closures"): every board that can follow from the start boards, with fewest moves.

The boards that jumps can reach are listed level by level (a level: all boards with the same number of pegs).
Each level is collected in a hash set and packed into buckets when it is complete (see `hash_buckets`). Boards
that pagoda functions prove dead may be left out with everything that follows from them (see `pagoda`). A
closure answers for all positions on its boards, without a complete table of the whole board.

Then the values of all boards are found by retrograde analysis, level by level from the goals upwards. The
value of a board is its fewest moves f and the set of holes whose pegs can begin a shortest solution. Each
solvable board improves the values of the boards one jump earlier. Unsolvable boards are not processed, and
are stored without a value.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import ONE_THREAD, KernelThreads, as_python, kernel, kernel_threads
from hoppers.core.model import DEAD, UNKNOWN, Position, Progressing
from hoppers.puzzles.pegs.jump_masks import (
    MAX_JUMPS,
    Shifts,
    backward_jumps,
    forward_jumps,
    line_ends,
    lowest_bit,
    popcount,
)
from hoppers.puzzles.pegs.pagoda import (
    MIN_SAMPLED,
    SAMPLE_SIZE,
    PagodaSet,
    PagodaTables,
    heavy_after_jump,
    no_pagodas,
    pagoda_words,
)
from hoppers.puzzles.pegs.rules import ANYWHERE
from hoppers.puzzles.pegs.tables.hash_buckets import (
    HALVES,
    SHARES,
    PackedLevel,
    board_at,
    doubled,
    empty_slots,
    has_room,
    hash_of,
    index_of,
    insert_hashes,
    pack_slots,
    sample_boards,
)
from hoppers.search.slicing import Pausable, report_progress, slices, touch_pages

BOARDS_PER_SLICE = 1 << 12  # boards per kernel call, which takes a few milliseconds
BOARDS_PER_PACK = 1 << 17  # boards whose values are packed between two pauses; a multiple of 8
MOVES_SHIFT = 56  # a value is f + 1 above this many bits of first movers; 0 if the board is unsolvable
ABSENT = (1 << 64) - 1  # value of a board that is not in the level


class Closure(NamedTuple):
    """Reachable-set table: levels with values, by number of pegs."""

    levels: dict[int, PackedLevel]

    @property
    def size(self) -> int:
        """Number of boards in all levels."""
        return sum(level.size for level in self.levels.values())

    @property
    def bytes(self) -> int:
        """Memory of all arrays, in bytes."""
        return sum(int(array.nbytes) for level in self.levels.values() for array in level)

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
    """Write the hashes of all boards one jump after boards `start` to `stop` - 1 of `level` into `codes`.

    Hashes are listed first and looked up later, almost without branches, so that the processor has many
    look-ups under way at a time. Boards that pagoda functions prove dead are pruned. `codes` (uint64) must
    be longer than MAX_JUMPS: the kernel stops early if another board may not fit. Return the next board and
    the number of hashes.
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
                # The hash of a dead board is written but not counted: an unpredictable branch costs more.
                codes[end] = hash_of(board ^ shifts.lines[line], level.unused)
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
) -> Progressing[Closure | None]:
    """Build the closure of the boards `starts`, which have equally many pegs, with up to `most` boards.

    Yield the share of `most` reached so far, every few milliseconds, and 1 while values are computed. Return
    None if there are more boards.

    `goal`: hole or ANYWHERE. `ends`: solved boards of the position class, needed with `pagoda_set`. Boards
    from which `pagoda_set` proves that no end can be reached are pruned, and the set learns further functions
    from samples of the boards. `threads`: 1 or 2.
    """
    holes = max(int(word).bit_length() for word in (*starts, *shifts.lines))
    level = yield from report_progress(0.0, pack_level(starts, holes))
    pegs, size, pagodas = int(starts[0]).bit_count(), level.size, no_pagodas(len(shifts.lines))
    levels = {pegs: level}
    with kernel_threads(threads) as crew:
        while level.size and size <= most:
            if pagoda_set is not None and (size == level.size or level.size >= MIN_SAMPLED):
                for board in sample_boards(level, SAMPLE_SIZE):
                    pagoda_set.learn(board, ends)
                    yield size / most
                pagodas = pagoda_set.tables(ends)
            steps = successor_level(level, shifts, pagodas, most - size, crew)
            level = yield from report_progress(size / most, steps)
            pegs, size = pegs - 1, size + level.size
            levels[pegs] = level
        if size > most:
            return None
        return Closure((yield from report_progress(1.0, value_levels(levels, goal, shifts, crew))))


def pack_level(starts: Any, holes: int) -> Pausable[PackedLevel]:
    """Return the packed level of the boards `starts`, which have `holes` holes and equally many pegs."""
    unused = np.uint64(64 - holes)
    slots, counts = empty_slots(HALVES * len(starts)), np.zeros(HALVES, np.int64)
    codes = as_python(hash_of)(np.array([starts], np.uint64), unused)
    insert_hashes(codes, np.array([len(starts)]), np.uint64(SHARES[1][0]), slots, counts)
    return (yield from pack_slots(slots, int(counts.sum()), unused))


def successor_level(
    level: PackedLevel,
    shifts: Shifts,
    pagodas: PagodaTables,
    most: int,
    crew: KernelThreads = ONE_THREAD,
) -> Pausable[PackedLevel]:
    """Return the level of all boards one jump after `level`, without boards that `pagodas` prove dead.

    If there are more than `most` boards, the returned level has only slightly more than `most` of them.
    """
    size = 16 * BOARDS_PER_SLICE + MAX_JUMPS  # more than most slices of one thread need
    codes, ends = np.empty((crew.size, size), np.uint64), np.zeros(crew.size, np.int64)  # a row per thread
    slots, counts = empty_slots(level.size), np.zeros(HALVES, np.int64)
    yield from touch_pages(slots)
    parts = crew.parts(level.size)
    while any(start < stop for start, stop in parts) and counts.sum() <= most:
        calls = [
            (level, start, min(start + BOARDS_PER_SLICE, stop), room, shifts, pagodas)
            for (start, stop), room in zip(parts, codes, strict=True)
        ]
        done = crew.run(list_successors, calls)
        parts = [(start, stop) for (start, _), (_, stop) in zip(done, parts, strict=True)]
        ends[:] = [end for _, end in done]
        yield
        while not has_room(slots, counts, ends.sum()):
            slots = yield from doubled(slots, crew)
        crew.run(
            insert_hashes, [(codes, ends, np.uint64(share), slots, counts) for share in SHARES[crew.size]]
        )
        yield
    return (yield from pack_slots(slots, int(counts.sum()), level.unused, crew))


@kernel
def solvable_number(board: Any, level: Any) -> int:
    """Return the index of a board among the solvable boards, -1 if unsolvable, -2 if not in the level."""
    index = index_of(board, level)
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

    `level`: level with values, of boards with one peg less than `above`. `word`, `stop`: range of the words
    of `level.solvable` to process. `entries`: uint64 per board, 0 at first. The kernel stops early after
    about `most` solvable boards, and returns the next word.
    """
    if word == stop:
        return word
    one, last = np.uint64(1), int(level.ranks[word]) + most
    bucket = np.searchsorted(level.starts, 64 * word, "right") - 1
    while word < stop and level.ranks[word] < last:
        left, number = level.solvable[word], int(level.ranks[word])
        while left != np.uint64(0):
            index = 64 * word + int(lowest_bit(left))
            left &= left - one
            while index >= level.starts[bucket + 1]:
                bucket += 1
            board, value = board_at(bucket, index, level), level.values[number]
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
    """Return the value with fewer moves (0: no solution), or at equal moves the union of first movers."""
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
) -> Pausable[dict[int, PackedLevel]]:
    """Return the levels with values, by number of pegs. Levels missing from `packed` count as empty.

    `goal`: hole or ANYWHERE.
    """
    levels: dict[int, PackedLevel] = {}
    empty = PackedLevel(np.zeros(3, np.uint32), np.empty(0, np.uint32), packed[max(packed)].unused)
    for pegs in range(1, max(packed) + 1):
        boards = packed.get(pegs, empty)
        if pegs > 1:
            entries = yield from _propagated(levels[pegs - 1], boards, shifts, crew)
        else:
            entries = _goal_values(boards, goal)
        levels[pegs] = yield from _ranked_level(boards, entries)
    return levels


def _goal_values(boards: PackedLevel, goal: int) -> Any:
    """Return the values of boards with one peg: 0 moves at the goal (hole or ANYWHERE), else unsolvable."""
    entries = np.zeros(boards.size, np.uint64)
    for hole in range(64 - int(boards.unused)) if goal == ANYWHERE else [goal]:
        index = index_of(np.uint64(1 << hole), boards)
        if index >= 0:
            entries[index] = 1 << MOVES_SHIFT
    return entries


def _propagated(level: PackedLevel, above: PackedLevel, shifts: Shifts, crew: KernelThreads) -> Pausable[Any]:
    """Return the values of the boards `above`, found from `level`. Each thread fills its own array."""
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


def _ranked_level(boards: PackedLevel, entries: Any) -> Pausable[PackedLevel]:
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
    return boards._replace(solvable=solvable, ranks=ranks, values=values)
