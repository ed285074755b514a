"""Kernels of bidirectional search: levels of boards in hash sets, and the expansion of a level.

A level has all found boards with equally many pegs, each with a value. A value has a number of moves in bits
56 to 63, the bit PRESENT, and below it a mask of holes. In forward search, these are the fewest moves to the
board, and the holes whose pegs may have made the last of these moves; the next jump costs a move unless one
of these pegs makes it. In backward search, they are the moves still needed, and the holes whose pegs save a
move if they are active. Boards have 55 holes at most.

An expansion makes all jumps of a level's boards, forwards or backwards. With `made` moves made, a lower bound
`to_come` on the moves to come and a lower bound `made_bound` on the moves made, the number
2 * made + to_come - made_bound never falls along a line. Forward search keeps positions where this number is
at most its share (see `search`); other children are looked up in the level that backward search has kept.
Backward search keeps positions where 2 * (moves to come) + made_bound - to_come is at most its own share.
"""

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import kernel
from hoppers.core.prefetch import prefetch
from hoppers.puzzles.pegs.jump_masks import MAX_JUMPS, Shifts, backward_jumps, forward_jumps, lowest_bit
from hoppers.puzzles.pegs.pagoda import PagodaTables, heavy_after_jump, pagoda_words
from hoppers.puzzles.pegs.region_bounds import RegionTables, active_bounds, division_words, rest_bounds
from hoppers.puzzles.pegs.symmetries import WIDTH, Symmetries, canonical_after, images_of
from hoppers.search.hash_tables import MIXER

HALVES = 2  # parts of a level, by the highest bit of a board's hash; each can be filled by its own thread
MAX_LOAD = 0.75  # share of slots in use beyond which a half grows
MOVES_SHIFT = 56
PRESENT = 1 << MOVES_SHIFT - 1  # bit that is set in every value, so that no value is 0
ACTIVE_MASK = PRESENT - 1
CACHE_LINES = 16  # int64 numbers in two cache lines: rows of this length keep the writes of threads apart
NODES, CUT = range(2)  # indices of `Output.counts`
QUEUED, MET = 2, 3  # indices of `Output.filled`
DROP, KEEP, LOOK_UP = range(3)  # fates of a child
FORWARD, BACKWARD = range(2)  # indices of the directions in a pair, and values of `Side.is_backward`


class Level(NamedTuple):
    """All found boards with the same number of pegs, in two hash tables."""

    halves: list[Any]  # uint64[slots, 2] each: board (0 in a free slot) and value
    sizes: list[int]  # boards in each half

    @property
    def size(self) -> int:
        """Number of boards."""
        return sum(self.sizes)

    @property
    def bytes(self) -> int:
        """Memory of the level, in bytes."""
        return sum(half.nbytes for half in self.halves)


NO_LEVEL = Level([np.zeros((0, 2), np.uint64)] * HALVES, [0] * HALVES)
"""Argument in place of a level that does not exist."""


@kernel
def hash_of(board: Any) -> Any:
    """Return the hash (uint64) of a board (uint64)."""
    code = board * np.uint64(MIXER)
    return (code ^ code >> np.uint64(32)) * np.uint64(MIXER)


@kernel
def first_slot(code: Any, slots: Any) -> Any:
    """Return the slot of a half at which probing for a board with the hash `code` begins.

    A product is used in place of a remainder: Lemire, "Fast random integer generation in an interval" (2019).
    """
    return (code << np.uint64(1) >> np.uint64(32)) * np.uint64(len(slots)) >> np.uint64(32)


@kernel
def slot_in(board: Any, code: Any, slots: Any) -> Any:
    """Return the slot of a half that holds `board`, or the free slot where it belongs.

    `code`: hash of the board. The half must have a free slot, else the loop would not end.
    """
    slot = first_slot(code, slots)
    while slots[slot, 0] != np.uint64(0) and slots[slot, 0] != board:
        slot += np.uint64(1)
        slot = slot if slot < np.uint64(len(slots)) else np.uint64(0)
    return slot


@kernel
def insert(entries: Any, count: int, slots: Any) -> int:
    """Insert the first `count` (board, value) rows of `entries` into a half. Return the number of new boards.

    A board keeps its fewest moves, and the active holes of all entries that have these fewest moves. The half
    must have more free slots than there are new boards.
    """
    added = 0
    for index in range(count):
        later = entries[min(index + 16, count - 1), 0]  # its slot is in the cache when it is inserted
        prefetch(slots, np.int64(first_slot(hash_of(later), slots)))
        board, value = entries[index, 0], entries[index, 1]
        slot = slot_in(board, hash_of(board), slots)
        if slots[slot, 0] == np.uint64(0):
            slots[slot, 0], slots[slot, 1] = board, value
            added += 1
            continue
        known = slots[slot, 1]
        moves, before = value >> np.uint64(MOVES_SHIFT), known >> np.uint64(MOVES_SHIFT)
        if moves < before:
            slots[slot, 1] = value
        elif moves == before:
            slots[slot, 1] = known | value
    return added


@kernel
def insert_lists(lists: Any, counts: Any, slots: Any) -> int:
    """Insert `counts[i]` entries of each list `lists[i]` into a half, as `insert` does.

    Return the number of new boards.
    """
    added = 0
    for number in range(len(lists)):
        added += insert(lists[number], counts[number], slots)
    return added


@kernel
def move_entries(old: Any, slots: Any, begin: int, stop: int) -> None:
    """Insert the boards of `old[begin:stop]` into a larger half."""
    for index in range(begin, stop):
        board = old[index, 0]
        if board != np.uint64(0):
            slot = slot_in(board, hash_of(board), slots)
            slots[slot, 0], slots[slot, 1] = board, old[index, 1]


@kernel
def half_of(code: Any, halves: Any) -> Any:
    """Return the half of a level that has the boards with the hash `code`."""
    return halves[0] if code >> np.uint64(63) == np.uint64(0) else halves[1]


@kernel
def look_up(board: Any, halves: Any) -> Any:
    """Return the value of a board in the level with the given `halves`, or 0 if it is not in the level.

    Each half must have a free slot, so they cannot be those of NO_LEVEL.
    """
    code = hash_of(board)
    half = half_of(code, halves)
    slot = slot_in(board, code, half)
    return half[slot, 1] if half[slot, 0] == board else np.uint64(0)


def empty_half(slots: int) -> Any:
    """Return an empty half with at least `slots` slots (`slots` < 2**32)."""
    return np.zeros((max(1 << 10, slots), 2), np.uint64)


def make_level(boards: int) -> Level:
    """Return an empty level with room for about `boards` boards."""
    slots = int(boards / HALVES / MAX_LOAD) + 1
    return Level([empty_half(slots) for _ in range(HALVES)], [0] * HALVES)


def first_level(forms: Collection[tuple[int, int]]) -> Level:
    """Return the level of boards that are reached with no moves.

    `forms`: each board, with a mask of the holes whose peg may be active.
    """
    level = make_level(len(forms))
    for board, actives in forms:
        half = int(hash_of(np.uint64(board))) >> 63
        level.sizes[half] += insert(np.array([[board, PRESENT | actives]], np.uint64), 1, level.halves[half])
    return level


def find(level: Level, board: int) -> int:
    """Return the value of a board in a level, or 0 if it is not in the level."""
    return int(look_up(np.uint64(board), tuple(level.halves))) if level.size else 0


class Side(NamedTuple):
    """One direction of the search under one limit, and the tables that its kernels read."""

    is_backward: bool  # whether moves are taken back (backward search)
    limit: int  # maximum moves of a solution
    share: int  # the direction keeps positions whose number (see the module) is at most this
    shifts: Shifts
    bounds: RegionTables
    flip: Any  # holes to toggle before a board is weighed (uint64)
    pagodas: PagodaTables
    symmetries: Symmetries


class Output(NamedTuple):
    """Arrays that the expansion of a half fills."""

    entries: Any  # uint64[2, n, 2]: board and value for each half of the next level
    queue: Any  # uint64[n, 4]: children to look up: board, canonical form, its active holes, moves and hole
    meetings: Any  # uint64[n, 4]: where the directions met: board, active hole, moves made, moves of the line
    filled: Any  # int64[n]: entries of each half, children in the queue, and meetings
    counts: Any  # int64[n]: jumps, and positions not kept because of limit or share


def make_output(entries: int, queue: int, meetings: int) -> Output:
    """Return an output for `entries` entries in each half, `queue` children and `meetings` meetings."""
    numbers = np.zeros((2, CACHE_LINES), np.int64)
    return Output(
        np.zeros((HALVES, entries, 2), np.uint64),
        np.zeros((queue, 4), np.uint64),
        np.zeros((meetings, 4), np.uint64),
        numbers[0],
        numbers[1],
    )


@kernel
def fate_of(cost: int, to_come: int, made: int, is_backward: bool, limit: int, share: int) -> int:
    """Return the fate of a child: DROP, KEEP or LOOK_UP.

    `cost`: moves from the start to the child, or in backward search from the child to the goal. `to_come`,
    `made`: lower bounds on the moves after and before the child, with its peg active.
    """
    if is_backward:
        ahead = cost - 1  # the peg is active already, so its move is free
        return KEEP if ahead + made <= limit and 2 * ahead + made - to_come <= share else DROP
    if cost + to_come > limit:
        return DROP
    return KEEP if 2 * cost + to_come - made <= share else LOOK_UP


@kernel
def queue_look_up(
    board: Any, least: Any, active: Any, hole: Any, cost: int, limit: int, halves: Any, output: Any
) -> None:
    """Queue a child to be looked up in the other direction's level. If the queue is then full, look up all.

    `board`: the child, whose active peg is in `hole`. `least`: its canonical form. `active`: mask of the
    active peg's holes in `least` (see `canonical_after`). `cost`: moves to the child. `limit`: move limit.
    `halves`: those of the level.
    """
    code, row = hash_of(least), output.filled[QUEUED]
    half = half_of(code, halves)
    prefetch(half, np.int64(first_slot(code, half)))
    output.queue[row, 0], output.queue[row, 1], output.queue[row, 2] = board, least, active
    output.queue[row, 3] = np.uint64(cost) << np.uint64(MOVES_SHIFT) | hole
    output.filled[QUEUED] = row + 1
    if row + 1 == len(output.queue):
        look_up_queue(limit, halves, output)


@kernel
def look_up_queue(limit: int, halves: Any, output: Any) -> None:
    """Look up and remove all queued children. Record those on lines of at most `limit` moves as meetings.

    `output` must have room for a meeting of each child.
    """
    for row in range(output.filled[QUEUED]):
        value = look_up(output.queue[row, 1], halves)
        if value == np.uint64(0):
            continue
        cost = output.queue[row, 3] >> np.uint64(MOVES_SHIFT)
        goes_on = value & output.queue[row, 2] != np.uint64(0)
        total = np.int64(cost) + np.int64(value >> np.uint64(MOVES_SHIFT)) - np.int64(goes_on)
        if total <= limit:
            meeting = output.meetings[output.filled[MET]]
            meeting[0], meeting[1] = output.queue[row, 0], output.queue[row, 3] & np.uint64(ACTIVE_MASK)
            meeting[2], meeting[3] = cost, np.uint64(total)
            output.filled[MET] += 1
    output.filled[QUEUED] = 0


@kernel
def append(least: Any, active: Any, cost: int, output: Any) -> None:
    """Append a child (canonical form, mask of its active peg, moves) to the entries of its half.

    The half's entries must have a free row.
    """
    half = hash_of(least) >> np.uint64(63)
    row = output.filled[half]
    output.entries[half, row, 0] = least
    output.entries[half, row, 1] = np.uint64(cost) << np.uint64(MOVES_SHIFT) | np.uint64(PRESENT) | active
    output.filled[half] = row + 1


def expand(half: Any, begin: int, stop: int, side: Any, opposite: Any, output: Any) -> int:
    """Make or take back all jumps of the boards in `half[begin:stop]`. Generic kernel (see `for_symmetries`).

    Children that are not pruned are kept, or looked up in `opposite`: the halves of the other direction's
    level, or those of NO_LEVEL to look up none. Return the slot after the last expanded slot, which is less
    than `stop` if the output is full.
    """
    # Fields are read before the loops, because reading one counts a reference to it.
    is_backward, limit, share, flip = side.is_backward, side.limit, side.share, side.flip
    shifts, bounds, symmetries, pagodas = side.shifts, side.bounds, side.symmetries, side.pagodas
    words, entries, boards = bounds.words, bounds.entries, symmetries.boards
    images, weights = np.empty(WIDTH, np.uint64), np.empty(len(pagodas.bases), np.uint64)
    looks_up, nodes, cut = len(opposite[0]) > 0, 0, 0
    most, most_met = output.entries.shape[1] - MAX_JUMPS, len(output.meetings) - len(output.queue) - MAX_JUMPS
    for index in range(begin, stop):
        board, moves = half[index, 0], np.int64(half[index, 1] >> np.uint64(MOVES_SHIFT))
        actives = half[index, 1] & np.uint64(ACTIVE_MASK)
        if board == np.uint64(0):
            continue
        if max(output.filled[0], output.filled[1]) > most or output.filled[MET] > most_met:
            stop = index
            break
        first, second = division_words(board, words)
        to_come, made = rest_bounds(first, second, entries)
        may_begin = moves + (made if is_backward else to_come) <= limit
        images_of(board, boards, images)
        pagoda_words(board ^ flip, pagodas, weights)
        for slot in range(len(shifts.first) - 1):
            lows = backward_jumps(board, slot, shifts) if is_backward else forward_jumps(board, slot, shifts)
            while lows != np.uint64(0):
                low = lowest_bit(lows)
                lows &= lows - np.uint64(1)
                line = np.uint64(64 * slot) + low
                high, at_low = low + shifts.spans[line], board >> low & np.uint64(1)
                peg, hole = (low, high) if at_low != np.uint64(0) else (high, low)
                goes_on = np.int64(actives >> peg & np.uint64(1))
                if goes_on == 0 and not may_begin:
                    cut += 1
                    continue
                nodes += 1
                # A jump taken back is a jump of the complement, from the hole that the peg returns to.
                upwards = np.uint64(1) - at_low if is_backward else at_low
                if not heavy_after_jump(weights, line, upwards, pagodas):
                    continue
                cost = moves + 1 - goes_on
                to_come, made = active_bounds(first, second, line, hole, bounds)
                fate = fate_of(cost, to_come, made, is_backward, limit, share)
                cut += int(fate != KEEP)
                if fate == DROP or (fate == LOOK_UP and not looks_up):
                    continue
                least, active = canonical_after(images, line, hole, symmetries)
                if fate == KEEP:
                    append(least, active, cost, output)
                else:
                    child = board ^ shifts.lines[line]
                    queue_look_up(child, least, active, hole, cost, limit, opposite, output)
    look_up_queue(limit, opposite, output)
    output.counts[NODES] += nodes
    output.counts[CUT] += cut
    return stop
