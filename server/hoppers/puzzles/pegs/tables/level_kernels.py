"""Dense keys for the boards of one position class, up to symmetry, and the kernels of winning tables.

Jumps keep certain parities (`jump_masks.invariants`). In the position class of a start the contents of a few
holes therefore follow from those of the others. The key of a board is the shorter word without these holes.
Keys, images under symmetries and jumps are all linear over the field of two elements: a jump changes every
image's key by a fixed pattern. The images of a board, up to eight on square boards, are looked up once; each
jump then costs one exclusive or per image and a minimum. The smallest key of all images is the canonical
form.

A level is a set of boards with the same number of pegs, as an ascending array of keys. The kernels that
process levels are generic in the number of symmetries; `for_symmetries` compiles them for one number.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.board import Permutation
from hoppers.core.kernels import Kernel, kernel
from hoppers.core.prefetch import prefetch
from hoppers.puzzles.pegs.jump_masks import (
    MAX_JUMPS,
    JumpList,
    Shifts,
    backward_jumps,
    chunk_tables,
    forward_jumps,
    invariants,
    line_ends,
    lowest_bit,
    mapped,
    popcount,
    shift_groups,
)
from hoppers.puzzles.pegs.symmetries import WIDTH, apply_symmetry, for_symmetries, images_of
from hoppers.puzzles.pegs.tables.bitset import HALVES, contains, half_of, rank_of

MOVES_SHIFT = 48  # bits of first movers in a value during a build; f is above (see `complete_table`)
NO_SOLUTION = 255  # in place of the fewest moves: the board is not in the table


class Numbering(NamedTuple):
    """Look-up tables of one position class under one group of symmetries.

    Chunk tables are indexed [chunk, its bits]; the entries of all chunks are combined by exclusive or.
    """

    bits: int  # number of bits of a key
    keys: Any  # chunks of a board -> key of the board (uint32)
    boards: Any  # chunks of a key -> board of the key (uint64)
    images: Any  # chunks of a key -> keys of all images (uint32[chunks, 2048, images]), the board's own first
    line_images: Any  # uint32[lines, images]: change of the images' keys by a jump in a line (see `Shifts`)
    places: Any  # hole that each image moves each hole to: int64[images, holes]
    shifts: Shifts

    def compiled(self, generic: Callable[..., Any]) -> Kernel:
        """Return a generic kernel of this module, compiled for the number of symmetries."""
        return for_symmetries(generic, len(self.places))


def least_changed(images: Any, line: Any, numbering: Any) -> Any:
    """Return the smallest key of all images of a board after a jump in `line`. Generic kernel.

    `images`: keys of the images before the jump.
    """
    least = ~np.uint32(0)
    for image in range(WIDTH):  # indices, not rows: a view of an array costs more than the rest
        least = min(least, images[image] ^ numbering.line_images[line, image])
    return least


def number_class(jumps: JumpList, holes: int, state: int, symmetries: list[Permutation]) -> Numbering:
    """Return the look-up tables for the keys of the position class of the board `state`.

    `symmetries` map the class to itself; the identity comes first.
    """
    sets = invariants(jumps, holes)
    free = [hole for hole in range(holes) if hole not in sets]
    odd = [hole for hole, members in sets.items() if (state & members).bit_count() & 1]
    bits = {hole: 1 << number for number, hole in enumerate(free)}

    def key(board: int) -> int:
        return sum(bit for hole, bit in bits.items() if board >> hole & 1)

    basis = [1 << hole | sum(1 << h for h, members in sets.items() if members >> hole & 1) for hole in free]
    origin = sum(1 << hole for hole in odd)  # the board of key 0
    images = [[key(apply_symmetry(board, image)) for image in symmetries] for board in basis]
    shifts = shift_groups(jumps)
    lines = [[key(apply_symmetry(int(line), image)) for image in symmetries] for line in shifts.lines]
    return Numbering(
        len(free),
        chunk_tables(np.array([bits.get(hole, 0) for hole in range(holes)], np.uint32)),
        chunk_tables(np.array(basis, np.uint64), np.uint64(origin)),
        chunk_tables(
            np.array(images, np.uint32),
            np.array([key(apply_symmetry(origin, s)) for s in symmetries], np.uint32),
        ),
        np.array(lines, np.uint32),
        np.array(symmetries, np.int64),
        shifts,
    )


def list_neighbours(keys: Any, start: int, stop: int, up: bool, numbering: Any, found: Any, ends: Any) -> int:
    """Write the keys of all boards one jump from the boards `keys[start:stop]` to `found`. Generic kernel.

    `up`: whether jumps are taken back. `found`: uint32[HALVES, room], a row for each half (see
    `bitset.half_of`), longer than MAX_JUMPS; keys may repeat. `ends`: number of keys in each row, written by
    the kernel. It stops early if a row may be too short for another board. Return the next key's index.
    """
    shifts, images = numbering.shifts, np.empty(WIDTH, np.uint32)
    most, counts = found.shape[1] - MAX_JUMPS, np.zeros(HALVES, np.int64)
    while start < stop and max(counts[0], counts[1]) < most:
        key = np.uint64(keys[start])
        board = mapped(key, numbering.boards)
        images_of(key, numbering.images, images)
        for slot in range(len(shifts.first) - 1):
            lows = backward_jumps(board, slot, shifts) if up else forward_jumps(board, slot, shifts)
            while lows != np.uint64(0):
                neighbour = least_changed(images, np.uint64(64 * slot) + lowest_bit(lows), numbering)
                half = half_of(neighbour)
                found[half, counts[half]] = neighbour
                counts[half] += 1
                lows &= lows - np.uint64(1)
        start += 1
    ends[:] = counts  # at the end only: the rows of two threads share a cache line
    return start


def list_jumps(board: Any, images: Any, numbering: Any, bitset: Any, lines: Any, afters: Any) -> int:
    """Write a board's jumps to `lines`, and the keys of the boards after them to `afters`. Generic kernel.

    Return the number of jumps. `images`: keys of the board's images. `lines`: rows of `line_images` (uint64).
    Both results have room for MAX_JUMPS entries. The words of `bitset` for `afters` (uint32) are prefetched:
    waiting for them costs more than the rest.
    """
    shifts, count = numbering.shifts, 0
    for slot in range(len(shifts.first) - 1):
        lows = forward_jumps(board, slot, shifts)
        while lows != np.uint64(0):
            lines[count] = np.uint64(64 * slot) + lowest_bit(lows)
            afters[count] = least_changed(images, lines[count], numbering)
            prefetch(bitset.words, np.int64(afters[count] >> np.uint32(6)))
            prefetch(bitset.ranks, np.int64(afters[count] >> np.uint32(6)))
            lows &= lows - np.uint64(1)
            count += 1
    return count


def complements_of(keys: Any, numbering: Any, complements: Any) -> None:
    """Write the key of the complement of each board in `keys` to `complements` (uint32). Generic kernel.

    The position class must contain the complements, too.
    """
    images, change = np.empty(WIDTH, np.uint32), np.uint32((1 << numbering.bits) - 1)
    for index in range(len(keys)):
        images_of(np.uint64(keys[index]), numbering.images, images)
        largest = np.uint32(0)
        for image in range(WIDTH):
            largest = max(largest, images[image])
        # The complement toggles every bit of every image's key, which reverses the order of the keys.
        complements[index] = largest ^ change


def value_boards(keys: Any, numbering: Any, below: Any, values_below: Any, values: Any) -> None:
    """Write the values of the winning boards `keys` of a level into `values` (uint64). Generic kernel.

    A value is the fewest moves << MOVES_SHIFT, plus a mask of the holes whose pegs can begin a shortest
    solution (first movers). `below`: set of the winning boards with one peg fewer, with valid ranks (see
    `bitset.add_keys`). `values_below`: the values of these boards, by ascending key.
    """
    images, one, shifts = np.empty(WIDTH, np.uint32), np.uint64(1), numbering.shifts
    lines, afters = np.empty(MAX_JUMPS, np.uint64), np.empty(MAX_JUMPS, np.uint32)
    ranks = np.empty(MAX_JUMPS, np.int64)
    for index in range(len(keys)):
        key, least, starters = np.uint64(keys[index]), np.uint64(NO_SOLUTION), np.uint64(0)
        board = mapped(key, numbering.boards)
        images_of(key, numbering.images, images)
        jumps = list_jumps(board, images, numbering, below, lines, afters)
        for number in range(keep_winning(jumps, below, values_below, lines, afters, ranks)):
            line = lines[number]
            origin, target = line_ends(board, line & np.uint64(63), line, shifts)
            # The value belongs to the canonical image, so `target` is mapped to that image.
            value = values_below[ranks[number]]
            image = image_with(afters[number], images, line, numbering)
            goes_on = value >> np.uint64(numbering.places[image, target]) & one
            # A jump is free if the same peg can begin a shortest solution of the board after it.
            moves = (value >> np.uint64(MOVES_SHIFT)) + one - goes_on
            starter = one << origin
            starters = starter if moves < least else starters | (starter if moves == least else np.uint64(0))
            least = min(moves, least)
        values[index] = least << np.uint64(MOVES_SHIFT) | starters


@kernel
def keep_winning(jumps: int, below: Any, values_below: Any, lines: Any, afters: Any, ranks: Any) -> int:
    """Move the jumps to winning boards to the front of `lines` and `afters`, and return their number.

    `jumps`: number of jumps before. The ranks of the winning boards in `below` are written to `ranks`. The
    boards' values are prefetched.
    """
    kept = 0
    for number in range(jumps):
        if contains(afters[number], below):
            lines[kept], afters[kept] = lines[number], afters[number]
            ranks[kept] = rank_of(afters[number], below)
            prefetch(values_below, ranks[kept])
            kept += 1
    return kept


def image_with(least: Any, images: Any, line: Any, numbering: Any) -> int:
    """Return the index of a symmetric image that has the key `least` after a jump in `line`.

    Some image must have this key. `images`: keys of the images before the jump. Generic kernel.
    """
    found = 0
    for image in range(WIDTH):
        found = image if images[image] ^ numbering.line_images[line, image] == least else found
    return found


def least_key(board: Any, numbering: Any) -> Any:
    """Return the canonical key of a board of the position class: the smallest key of its images.

    Generic kernel.
    """
    images = np.empty(WIDTH, np.uint32)
    images_of(np.uint64(mapped(board, numbering.keys)), numbering.images, images)
    return images.min()


def fewest_of(board: Any, numbering: Any, first: Any, keys: Any, fewest: Any) -> int:
    """Return the fewest moves of a board without an active peg, or NO_SOLUTION if it is not in the table.

    The board must be in the position class of `numbering`: another board may have the key of one in the
    table. `first`, `keys`, `fewest`: see `look_up`. Generic kernel.
    """
    key, pegs = least_key(board, numbering), popcount(board)
    start, end = first[pegs], first[pegs + 1]
    index = start + np.searchsorted(keys[start:end], key)
    return int(fewest[index]) if index < end and keys[index] == key else NO_SOLUTION


def look_up(board: Any, active: int, numbering: Any, first: Any, keys: Any, fewest: Any) -> int:
    """Return the fewest moves of a board with an active peg (-1: none), or NO_SOLUTION.

    Continuing with the active peg costs no move, nor does stopping: the result is the smallest `fewest_of`
    among all boards on which the peg can stop, found by depth-first search. The board must be in the position
    class of `numbering`. `first`, `keys`, `fewest`: see `table_builds.WinningTable`. Generic kernel.
    """
    least, shifts = fewest_of(board, numbering, first, keys, fewest), numbering.shifts
    boards, movers, waiting = np.empty(MAX_JUMPS, np.uint64), np.empty(MAX_JUMPS, np.int64), 0
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
                origin, target = line_ends(board, low, line, shifts)
                if origin == mover:
                    after = board ^ shifts.lines[line]
                    least = min(least, fewest_of(after, numbering, first, keys, fewest))
                    boards[waiting], movers[waiting] = after, target
                    waiting += 1
    return least
