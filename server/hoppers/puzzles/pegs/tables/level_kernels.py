"""Kernels of winning tables, which process one level after the other.

A level has all boards with the same number of pegs, as an ascending array of keys (see `class_keys`). The
kernels are generic in the number of symmetries; `level_kernels` compiles them for one number.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import Kernel, specialise
from hoppers.puzzles.pegs.jump_masks import (
    backward_jumps,
    forward_jumps,
    line_ends,
    lowest_bit,
    popcount,
)
from hoppers.puzzles.pegs.symmetries import WIDTH
from hoppers.puzzles.pegs.tables.bitset import add_all, add_allowed, contains, rank_of
from hoppers.puzzles.pegs.tables.class_keys import board_of, images_of, key_of, least_changed

MOVES_SHIFT = 48
"""Bits of first movers in a value during a build; f is above these bits (see `complete_table`)."""
NO_SOLUTION = 255
MAX_NEIGHBOURS = 256
BATCH_BOARDS = 1 << 12  # boards listed before they are looked up or added


def neighbours(keys: Any, index: int, up: bool, numbering: Any, found: Any) -> tuple[int, int]:
    """Write the keys of about BATCH_BOARDS boards one jump from `keys[index:]` to `found` (uint32).

    `up`: whether jumps are taken back. Return the next index and the number of boards found. Generic kernel.
    """
    shifts, images, count = numbering.shifts, np.empty(WIDTH, np.uint32), 0
    while index < len(keys) and count < BATCH_BOARDS:
        board = board_of(keys[index], numbering)
        images_of(keys[index], numbering, images)
        for slot in range(len(shifts.first) - 1):
            lows = backward_jumps(board, slot, shifts) if up else forward_jumps(board, slot, shifts)
            while lows != np.uint64(0):
                line = np.uint64(64 * slot) + lowest_bit(lows)
                found[count] = least_changed(images, line, numbering)
                count += 1
                lows &= lows - np.uint64(1)
        index += 1
    return index, count


def add_neighbours(keys: Any, up: bool, numbering: Any, allowed: Any, reached: Any, only: bool) -> None:
    """Add the boards one jump from the boards `keys` to the set `reached`.

    `up`: whether jumps are taken back. `only`: whether boards that are not in the set `allowed` are skipped.
    """
    found = np.empty(BATCH_BOARDS + MAX_NEIGHBOURS, np.uint32)
    index: Any = np.int64(0)  # the literal 0 has a type of its own in Numba: a second compilation
    while index < len(keys):
        index, count = neighbours(keys, index, up, numbering, found)
        if only:
            add_allowed(found[:count], allowed, reached)
        else:
            add_all(found[:count], reached)


def complements_of(keys: Any, numbering: Any, complements: Any) -> None:
    """Write the keys of the complements of the boards `keys` to `complements` (uint32), in the same order.

    The position class must contain the complements of its boards.
    """
    images, change = np.empty(WIDTH, np.uint32), np.uint32((1 << numbering.bits) - 1)
    for index in range(len(keys)):
        images_of(keys[index], numbering, images)
        largest = np.uint32(0)
        for image in range(WIDTH):
            largest = max(largest, images[image])
        # The complement toggles every bit of every image's key, which reverses the order of the keys.
        complements[index] = largest ^ change


def value_boards(keys: Any, numbering: Any, below: Any, values_below: Any, values: Any) -> None:
    """Compute the values of a level's boards from the values of the boards one jump later.

    A value (uint64) is the fewest moves << MOVES_SHIFT, plus a mask of the holes whose pegs can begin a
    shortest solution (first movers).

    Args:
        keys: keys of the winning boards of the level.
        numbering: look-up tables of the position class.
        below: set of the winning boards with one peg fewer, after `rank_keys`.
        values_below: values of the boards in `below`, by ascending key.
        values: uint64[len(keys)], filled in place.
    """
    images, one, shifts = np.empty(WIDTH, np.uint32), np.uint64(1), numbering.shifts
    for index in range(len(keys)):
        board, least, starters = board_of(keys[index], numbering), np.uint64(NO_SOLUTION), np.uint64(0)
        images_of(keys[index], numbering, images)
        for slot in range(len(shifts.first) - 1):
            lows = forward_jumps(board, slot, shifts)
            while lows != np.uint64(0):
                low = lowest_bit(lows)
                lows &= lows - one
                line = np.uint64(64 * slot) + low
                after = least_changed(images, line, numbering)
                if not contains(after, below):
                    continue
                origin, target = line_ends(board, low, line, shifts)
                # The value belongs to the canonical image, so `target` is mapped to that image.
                value = values_below[rank_of(after, below)]
                image = image_with(after, images, line, numbering)
                goes_on = value >> np.uint64(numbering.places[image, target]) & one
                # A jump is free if the same peg can begin a shortest solution of the board after it.
                moves = (value >> np.uint64(MOVES_SHIFT)) + one - goes_on
                starter = one << origin
                starters = (
                    starter if moves < least else starters | (starter if moves == least else np.uint64(0))
                )
                least = min(moves, least)
        values[index] = least << np.uint64(MOVES_SHIFT) | starters


def image_with(least: Any, images: Any, line: Any, numbering: Any) -> int:
    """Return the number of a symmetric image that has the key `least` after a jump in `line`."""
    found = 0
    for image in range(WIDTH):
        found = image if images[image] ^ numbering.line_images[line, image] == least else found
    return found


def least_key(board: Any, numbering: Any) -> Any:
    """Return the canonical key of a board: the smallest key of its images."""
    images = np.empty(WIDTH, np.uint32)
    images_of(np.uint32(key_of(board, numbering)), numbering, images)
    return images.min()


def fewest_of(board: Any, table: Any) -> int:
    """Return the fewest moves of a board without an active peg, or NO_SOLUTION if it is not in the table."""
    pegs = popcount(board)
    key = least_key(board, table.numbering)
    start, end = table.first[pegs], table.first[pegs + 1]
    while start < end:
        middle = (start + end) // 2
        if table.keys[middle] < key:
            start = middle + 1
        else:
            end = middle
    found = start < table.first[pegs + 1] and table.keys[start] == key
    return int(table.fewest[start]) if found else NO_SOLUTION


def look_up(board: Any, active: int, table: Any) -> int:
    """Return the fewest moves of a board with an active peg (-1: none), or NO_SOLUTION.

    Continuing with the active peg costs no move, nor does stopping. The result is therefore the least value
    of `fewest_of` among all boards on which the peg can stop, found by depth-first search.
    """
    least, shifts = fewest_of(board, table), table.numbering.shifts
    boards, movers, waiting = np.empty(MAX_NEIGHBOURS, np.uint64), np.empty(MAX_NEIGHBOURS, np.int64), 0
    if active >= 0:
        boards[0], movers[0], waiting = board, active, 1
    while waiting > 0:
        waiting -= 1
        board, mover = boards[waiting], np.uint64(movers[waiting])
        for slot in range(len(shifts.first) - 1):
            lows = forward_jumps(board, slot, shifts)
            while lows != np.uint64(0):
                low = lowest_bit(lows)
                lows &= lows - np.uint64(1)
                line = np.uint64(64 * slot) + low
                high = low + shifts.spans[line]
                if board >> mover & np.uint64(1) and mover in (low, high):
                    after = board ^ shifts.lines[line]
                    least = min(least, fewest_of(after, table))
                    boards[waiting], movers[waiting] = after, low + high - mover
                    waiting += 1
    return least


class LevelKernels(NamedTuple):
    """Kernels of winning tables, compiled for one number of symmetries."""

    add_neighbours: Kernel
    complements_of: Kernel
    value_boards: Kernel
    least_key: Kernel
    look_up: Kernel


@cache
def level_kernels(width: int) -> LevelKernels:
    """Return the kernels of winning tables for `width` symmetries, the identity included."""
    name = f"of_{width}"
    images = {
        "WIDTH": width,
        "images_of": specialise(images_of, name, WIDTH=width),
        "least_changed": specialise(least_changed, name, WIDTH=width),
    }
    find_key = specialise(least_key, name, **images)
    walk = specialise(neighbours, name, **images)
    return LevelKernels(
        specialise(add_neighbours, name, neighbours=walk, WIDTH=width),
        specialise(complements_of, name, **images),
        specialise(value_boards, name, image_with=specialise(image_with, name, WIDTH=width), **images),
        find_key,
        specialise(look_up, name, fewest_of=specialise(fewest_of, name, least_key=find_key)),
    )
