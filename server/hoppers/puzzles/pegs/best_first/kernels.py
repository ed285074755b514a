"""Kernels of the bidirectional A*: all boards one move away, each stored once.

Boards are known by their keys (see `class_keys`). Two flags are stored per key: opened, with the fewest
moves, and deferred to a later limit.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import Kernel, kernel, specialise
from hoppers.puzzles.pegs.best_first.open_flags import OpenFlags, set_flag
from hoppers.puzzles.pegs.bidirectional.kernels import bound
from hoppers.puzzles.pegs.bitboards.class_keys import WIDTH, board_of, images_of
from hoppers.puzzles.pegs.bitboards.jump_masks import JumpList, backward_jumps, forward_jumps, lowest_bit
from hoppers.puzzles.pegs.bitboards.pagoda_filter import PagodaFilter, is_too_light
from hoppers.puzzles.pegs.tables.level_kernels import least_key

ROOM = 1 << 13
"""Room beyond a batch: more boards than are one move from any board in play."""
BATCH_BOARDS = 1 << 7  # boards collected before their flags are looked up
MAX_RISE = 2  # maximum rise of the total from a board to its successor, in moves


class AStarDirection(NamedTuple):
    """One direction of the search, as its kernels read it."""

    up: bool
    """True: moves are taken back."""
    flags: OpenFlags
    continuations: Any
    """Possible next jumps: uint64[holes, jumps, 4] = line, its content before, number, far hole."""
    packing: Any
    at_start: Any
    """uint32, 0-d: regions that were full at the start."""
    pagoda_filter: PagodaFilter
    """Proves boards dead, or out of reach."""


class ExpansionOutput(NamedTuple):
    """Output of an expansion: boards of the limit, then one and two moves beyond it (uint32[3, n])."""

    keys: Any
    counts: Any


@kernel
def total(board: Any, made: int, side: Any) -> int:
    """Return a lower bound on the moves of a solution through a board `made` moves from its end."""
    return int(made + bound(board, side))


@kernel
def admit(end: int, made: int, limit: int, side: Any, scratch: Any, found: Any) -> None:
    """Store the first `end` boards of `scratch`: open them, or defer those whose total exceeds the limit."""
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
    """Room for a batch of boards: keys, boards, active pegs, keys of all images."""

    keys: Any
    boards: Any
    actives: Any
    images: Any


def make_scratch(width: int) -> Scratch:
    """Return room for a batch and one more board's moves."""
    size = BATCH_BOARDS + ROOM
    return Scratch(
        np.empty(size, np.uint32),
        np.empty(size, np.uint64),
        np.empty(size, np.uint64),
        np.empty((size, width), np.uint32),
    )


def first_jumps(part: Any, index: int, most: int, side: Any, numbering: Any, scratch: Any) -> tuple[int, int]:
    """Write the boards one jump from those of `part[index:]` to `scratch`, until there are `most` or more.

    Returns the next index and the number of boards. Generic kernel; flat, because views of arrays cost more
    than all the rest.
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
    """Append all boards that the active pegs of the first `end` boards of `scratch` can continue to.

    Returns the new number of boards, or -1 if there is no room for them. Generic kernel.
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
    """Write all boards one move from the next of `part[index:]` to `scratch`, possibly with repeats.

    Returns the next index and the number of boards, or -1 if there is no room for them.
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
    """Make all moves from boards; the boards reached are `made` moves from their end. Generic kernel.

    Stops after `batches` batches, and where `found` may have no room left. Returns the number of boards
    expanded: 0 only for want of room, -1 if one board has too many moves.
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
    """The kernels above, compiled for one number of symmetries."""

    expand: Kernel
    reach: Kernel
    least_key: Kernel


@cache
def expanding_kernels(width: int) -> ExpandingKernels:
    """Return the kernels for `width` symmetries, the identity included."""
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
    """Return the `continuations` of a direction, padded with rows that never match."""
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
