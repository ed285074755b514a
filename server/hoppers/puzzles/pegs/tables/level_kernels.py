"""One level to the next: the kernels that walk all boards with the same number of pegs.

A level is a rising array of keys (see `numbering`). The kernels are generic in how many symmetries there
are; `level_kernels` compiles them for a number.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import Kernel, specialise
from hoppers.puzzles.pegs.bitboards.class_keys import (
    WIDTH,
    board_of,
    images_of,
    key_of,
    least_changed,
)
from hoppers.puzzles.pegs.bitboards.jump_masks import backward_jumps, forward_jumps, lowest_bit, popcount
from hoppers.puzzles.pegs.tables.bitset import add, add_all, add_allowed, contains, rank_of

MOVES_SHIFT = 48
"""While a table is built, a value is f above this many bits of first movers."""
NO_SOLUTION = 255
MAX_NEIGHBOURS = 256
BATCH_BOARDS = 1 << 12
"""Boards listed before they are looked up or noted, many at a time."""


def neighbours(keys: Any, index: int, up: bool, numbering: Any, found: Any) -> tuple[int, int]:
    """Write the keys of all boards one jump from `keys[index:]` into `found` (uint32), a batch of them.

    Returns the next index and how many there are. Generic kernel.
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


def add_neighbours(keys: Any, up: bool, numbering: Any, reached: Any) -> None:
    """Put all boards one jump from `keys` into the set `reached`."""
    found = np.empty(BATCH_BOARDS + MAX_NEIGHBOURS, np.uint32)
    index: Any = np.int64(0)  # 0 would be a type of its own, for which `neighbours` were compiled once more
    while index < len(keys):
        index, count = neighbours(keys, index, up, numbering, found)
        add_all(found[:count], reached)


def add_allowed_neighbours(keys: Any, up: bool, numbering: Any, allowed: Any, reached: Any) -> None:
    """Put those boards one jump from `keys` that are in the set `allowed` into the set `reached`."""
    found = np.empty(BATCH_BOARDS + MAX_NEIGHBOURS, np.uint32)
    index: Any = np.int64(0)  # 0 would be a type of its own, for which `neighbours` were compiled once more
    while index < len(keys):
        index, count = neighbours(keys, index, up, numbering, found)
        add_allowed(found[:count], allowed, reached)


def add_complements(keys: Any, numbering: Any, reached: Any) -> None:
    """Put the complements of the boards (their missing pegs) into a set; only where they are of the class."""
    images, change = np.empty(WIDTH, np.uint32), np.uint32((1 << numbering.bits) - 1)
    for key in keys:
        images_of(key, numbering, images)
        least = ~np.uint32(0)
        for image in range(WIDTH):  # every kept hole changes in every image
            least = min(least, images[image] ^ change)
        add(np.uint32(least), reached)


def value_boards(keys: Any, numbering: Any, below: Any, values_below: Any, values: Any) -> None:
    """The values of boards (uint64: f << MOVES_SHIFT | first movers) from those one jump later.

    `below`: the set of winning boards with one peg less, ranked; `values_below`: their values in order.
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
                upwards = board >> low & one
                origin = one << (low + shifts.spans[line] * (one - upwards))
                target = low + shifts.spans[line] * upwards
                value = values_below[rank_of(after, below)]
                image = image_with(after, images, line, numbering)
                goes_on = value >> np.uint64(numbering.places[image, target]) & one
                moves = (value >> np.uint64(MOVES_SHIFT)) + one - goes_on
                starters = (
                    origin if moves < least else starters | (origin if moves == least else np.uint64(0))
                )
                least = min(moves, least)
        values[index] = least << np.uint64(MOVES_SHIFT) | starters


def image_with(least: Any, images: Any, line: Any, numbering: Any) -> int:
    """The number of an image that has this key after a jump in a line."""
    found = 0
    for image in range(WIDTH):
        found = image if images[image] ^ numbering.line_images[line, image] == least else found
    return found


def least_key(board: Any, numbering: Any) -> Any:
    """The key by which a board is known: the least of its images'."""
    images = np.empty(WIDTH, np.uint32)
    images_of(np.uint32(key_of(board, numbering)), numbering, images)
    return images.min()


def fewest_of(board: Any, table: Any) -> int:
    """The f of a board with no peg in hand, or NO_SOLUTION where it is not in the table."""
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
    """The fewest moves of a board with a peg in hand (-1: none), or NO_SOLUTION.

    Going on with that peg is free and so is stopping: the least f of all boards where it can stop.
    """
    least, shifts = fewest_of(board, table), table.numbering.shifts
    boards, hands, waiting = np.empty(MAX_NEIGHBOURS, np.uint64), np.empty(MAX_NEIGHBOURS, np.int64), 0
    if active >= 0:
        boards[0], hands[0], waiting = board, active, 1
    while waiting > 0:
        waiting -= 1
        board, hand = boards[waiting], np.uint64(hands[waiting])
        for slot in range(len(shifts.first) - 1):
            lows = forward_jumps(board, slot, shifts)
            while lows != np.uint64(0):
                low = lowest_bit(lows)
                lows &= lows - np.uint64(1)
                line = np.uint64(64 * slot) + low
                high = low + shifts.spans[line]
                if board >> hand & np.uint64(1) and hand in (low, high):
                    after = board ^ shifts.lines[line]
                    least = min(least, fewest_of(after, table))
                    boards[waiting], hands[waiting] = after, low + high - hand
                    waiting += 1
    return least


class LevelKernels(NamedTuple):
    """The kernels above, compiled for one number of symmetries."""

    add_neighbours: Kernel
    add_allowed_neighbours: Kernel
    add_complements: Kernel
    value_boards: Kernel
    least_key: Kernel
    look_up: Kernel


@cache
def level_kernels(width: int) -> LevelKernels:
    """The kernels for so many symmetries, the identity counted."""
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
        specialise(add_allowed_neighbours, name, neighbours=walk, WIDTH=width),
        specialise(add_complements, name, **images),
        specialise(value_boards, name, image_with=specialise(image_with, name, WIDTH=width), **images),
        find_key,
        specialise(look_up, name, fewest_of=specialise(fewest_of, name, least_key=find_key)),
    )
