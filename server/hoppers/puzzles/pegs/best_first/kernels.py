"""Kernels of the bidirectional A*: all boards one move away, each stored once.

Boards are stored as keys (see `class_keys`). Two flags are stored per key: opened, with the fewest
moves, and deferred to a later limit. A slot is a set of lines as in `jump_masks.Shifts`.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import Kernel, kernel, specialise
from hoppers.puzzles.pegs.best_first.open_flags import OpenFlags, set_flag
from hoppers.puzzles.pegs.bidirectional.kernels import bound
from hoppers.puzzles.pegs.bitboards.class_keys import WIDTH, board_of, images_of
from hoppers.puzzles.pegs.bitboards.jump_masks import JumpList, backward_jumps, forward_jumps, lowest_bit
from hoppers.puzzles.pegs.bitboards.pagoda import PagodaFilter, is_too_light
from hoppers.puzzles.pegs.tables.level_kernels import least_key

ROOM = 1 << 13
"""Array entries beyond a batch: more than the boards one move from any board in play."""
BATCH_BOARDS = 1 << 7  # boards collected before their flags are looked up
MAX_RISE = 2  # maximum rise of the total from a board to its successor, in moves


class AStarDirection(NamedTuple):
    """One direction of the bidirectional A*: the arguments of its kernels."""

    up: bool
    """Whether moves are taken back (backward search)."""
    flags: OpenFlags
    continuations: Any
    """Possible next jumps: uint64[holes, jumps, 4] = line, its content before, number, far hole."""
    packing: Any
    at_start: Any
    """uint32, 0-d: regions that were full at the start."""
    pagoda_filter: PagodaFilter
    """Pagoda functions that prove boards dead, or in backward search out of reach."""


class ExpansionOutput(NamedTuple):
    """Output of an expansion: `keys`, uint32[3, n], and `counts`, the number of keys in each row.

    Row 0 has boards within the limit; rows 1 and 2 have boards 1 and 2 moves beyond the limit.
    """

    keys: Any
    counts: Any


@kernel
def total(board: Any, made: int, side: Any) -> int:
    """Return the total of a board: `made` moves plus a lower bound on the moves to the other end."""
    return int(made + bound(board, side))


@kernel
def admit(end: int, made: int, limit: int, side: Any, scratch: Any, found: Any) -> None:
    """Open the first `end` boards of `scratch`, or defer boards whose total exceeds the limit.

    Boards that were opened before, or deferred before and exceed the limit, are left out. The others are
    written to `found`. `made`: moves made up to these boards.
    """
    words, keys, boards, fresh = side.flags.words, scratch.keys, scratch.boards, 0
    for number in range(end):  # no branch, so that many look-ups overlap
        key, board = keys[number], boards[number]
        keys[fresh], boards[fresh] = key, board
        fresh += int(~words[key >> np.uint32(5)] >> np.uint64(2 * (key & np.uint32(31))) & np.uint64(1))
    for number in range(fresh):
        key = keys[number]
        state = words[key >> np.uint32(5)] >> np.uint64(2 * (key & np.uint32(31))) & np.uint64(3)
        if state & np.uint64(1):
            continue
        beyond = min(max(0, total(boards[number], made, side) - limit), MAX_RISE)
        if beyond > 0 and state != np.uint64(0):
            continue
        set_flag(key, 1 if beyond == 0 else 2, side.flags)
        found.keys[beyond, found.counts[beyond]] = key
        found.counts[beyond] += 1


class Scratch(NamedTuple):
    """Arrays for a batch of boards: keys, boards, active pegs, and keys of all symmetric images."""

    keys: Any
    boards: Any
    actives: Any
    images: Any


def make_scratch(width: int) -> Scratch:
    """Return arrays for a batch and the moves of one more board. `width`: number of symmetries."""
    size = BATCH_BOARDS + ROOM
    return Scratch(
        np.empty(size, np.uint32),
        np.empty(size, np.uint64),
        np.empty(size, np.uint64),
        np.empty((size, width), np.uint32),
    )


def first_jumps(part: Any, index: int, most: int, side: Any, numbering: Any, scratch: Any) -> tuple[int, int]:
    """Write the boards one jump from the boards `part[index:]` to `scratch`, until there are `most` or more.

    Return the next index and the number of boards written. Generic kernel. The loop over images is written
    out here, because views of arrays, for a helper, cost more than all other work.
    """
    keys, boards, actives, images = scratch
    shifts, changes, one = numbering.shifts, numbering.line_images, np.uint64(1)
    own, end = np.empty(WIDTH, np.uint32), 0
    while index < len(part) and end < most:
        board = board_of(part[index], numbering)
        index += 1
        if is_too_light(board ^ side.pagoda_filter.flip, side.pagoda_filter.tables):
            continue
        images_of(part[index - 1], numbering, own)
        for slot in range(len(shifts.first) - 1):
            lows = backward_jumps(board, slot, shifts) if side.up else forward_jumps(board, slot, shifts)
            while lows != np.uint64(0):
                low = lowest_bit(lows)
                lows &= lows - one
                line, least = np.uint64(64 * slot) + low, ~np.uint32(0)
                for image in range(WIDTH):
                    images[end, image] = own[image] ^ changes[line, image]
                    least = min(least, images[end, image])
                keys[end], boards[end] = least, board ^ shifts.lines[line]
                actives[end] = low + shifts.spans[line] * (board >> low & one)
                end += 1
    return index, end


def continue_moves(end: int, side: Any, numbering: Any, scratch: Any) -> int:
    """Append to `scratch` all boards that the active pegs of its first `end` boards reach by more jumps.

    Return the new number of boards, or -1 if `scratch` is too small. Generic kernel.
    """
    keys, boards, actives, images = scratch
    changes, continuations, number = numbering.line_images, side.continuations, 0
    while number < end:
        board, active = boards[number], actives[number]
        if end + continuations.shape[1] > len(boards):
            return -1
        for jump in range(continuations.shape[1]):
            if board & continuations[active, jump, 0] == continuations[active, jump, 1]:
                line, least = continuations[active, jump, 2], ~np.uint32(0)
                for image in range(WIDTH):
                    images[end, image] = images[number, image] ^ changes[line, image]
                    least = min(least, images[end, image])
                keys[end], boards[end] = least, board ^ continuations[active, jump, 0]
                actives[end] = continuations[active, jump, 3]
                end += 1
        number += 1
    return end


def reach(part: Any, index: int, side: Any, numbering: Any, scratch: Any) -> tuple[int, int]:
    """Write all boards one move from the first boards of `part[index:]` to `scratch`, perhaps repeatedly.

    Return the next index and the number of boards, or -1 if `scratch` is too small for one board's moves.
    """
    after, end = index, -1
    for most in (BATCH_BOARDS, 1):
        after, end = first_jumps(part, index, most, side, numbering, scratch)
        end = continue_moves(end, side, numbering, scratch)
        if end >= 0:
            break
    return after, end


def expand(
    part: Any, batches: int, made: int, limit: int, side: Any, numbering: Any, scratch: Any, found: Any
) -> int:
    """Make all moves from the boards `part`, and write the new boards to `found`. Generic kernel.

    The new boards are `made` moves from the end where this direction begins. Stop after `batches` batches,
    or if `found` may be full. Return the number of boards expanded: 0 only if `found` is full, -1 if one
    board has too many moves.
    """
    index: Any = np.int64(0)  # the literal 0 has a type of its own in Numba: a second compilation
    for _ in range(batches):
        if index == len(part):
            break
        after, end = reach(part, index, side, numbering, scratch)
        if end < 0:
            return -1
        if found.counts.max() + end > found.keys.shape[1]:
            return int(index)
        admit(end, made, limit, side, scratch, found)
        index = after
    return int(index)


class ExpandingKernels(NamedTuple):
    """Kernels of the bidirectional A*, compiled for one number of symmetries."""

    expand: Kernel
    reach: Kernel
    least_key: Kernel


@cache
def expanding_kernels(width: int) -> ExpandingKernels:
    """Return the kernels of the bidirectional A* for `width` symmetries, the identity included."""
    name = f"of_{width}"
    images = specialise(images_of, name, WIDTH=width)
    first = specialise(first_jumps, name, WIDTH=width, images_of=images)
    walk = specialise(
        reach, name, first_jumps=first, continue_moves=specialise(continue_moves, name, WIDTH=width)
    )
    return ExpandingKernels(
        specialise(expand, name, reach=walk),
        walk,
        specialise(least_key, name, WIDTH=width, images_of=images),
    )


def continuation_table(jumps: JumpList, holes: int, up: bool, lines: Any) -> Any:
    """Return the array `AStarDirection.continuations`, padded with rows that match no board.

    `up`: for jumps taken back. `lines`: line masks by number (see `jump_masks.Shifts`).
    """
    found: list[list[list[int]]] = [[] for _ in range(holes)]
    numbers = {int(line): number for number, line in enumerate(lines) if line}
    for origin, over, target in jumps:
        line = 1 << origin | 1 << over | 1 << target
        if up:
            found[target].append([line, 1 << target, numbers[line], origin])
        else:
            found[origin].append([line, 1 << origin | 1 << over, numbers[line], target])
    most = max(map(len, found))
    return np.array([rows + [[0, 1, 0, 0]] * (most - len(rows)) for rows in found], np.uint64)
