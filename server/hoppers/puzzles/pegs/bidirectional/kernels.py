"""Kernels of the bidirectional search: all moves of a board, forwards or backwards, bounded and deduplicated.

A move is one or more jumps by one peg. Backwards the peg jumps back: the same lines, with the middle hole
empty. Boards are known by their canonical form, the smallest image under the symmetries that keep both ends.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.board import Permutation
from hoppers.core.kernels import Kernel, kernel, specialise
from hoppers.core.model import Position
from hoppers.puzzles.pegs.bitboards.jump_masks import Shifts, backward_jumps, forward_jumps, lowest_bit
from hoppers.puzzles.pegs.bitboards.merson_packing import full_regions, max_disjoint
from hoppers.puzzles.pegs.bitboards.pagoda_filter import PagodaFilter, is_too_light
from hoppers.search.hash_set import slot_of

CHUNK_BITS = 11  # bits per table look-up
WIDTH = 1
"""Number of images. A constant in each compiled copy, so that loops over the images are unrolled."""
MAX_WAITING = 256  # more than the unfinished moves of one board
ROOM = 1 << 13
"""More moves than any board has; as much must be free before a board is expanded."""


KNOWN, DEAD, CUT, NEW, COMMON = range(5)
"""Results of `admit`. A DEAD board is useless under higher limits, too; a CUT one exceeds this limit."""


class Images(NamedTuple):
    """Linear tables of the images of boards and lines (see `class_keys`)."""

    boards: Any
    """Chunks of a board -> amount that they add to its images: uint64[chunks, 2048, images]."""
    lines: Any
    """Change of the images by a jump: uint64[slots * 64, images]."""
    shifts: Shifts


class Ends(NamedTuple):
    """Both ends of a question: boards before the first move, and solved boards."""

    starts: list[Position]
    goals: list[int]


class Direction(NamedTuple):
    """One direction of the search: forwards or backwards, its boards, and its bounds."""

    up: bool
    seen: Any
    """Set of its boards (see `hash_set`)."""
    packing: Any
    """Packing of the regions that count in the bound."""
    at_start: Any
    """uint32, 0-d: regions that were full at the start; backwards, those no longer full count."""
    pagoda_filter: PagodaFilter
    """Proves boards dead, or out of reach."""


def images_of(board: Any, images: Any, into: Any) -> None:
    """Write the images of a board into `into` (uint64[images]). Generic kernel."""
    for image in range(WIDTH):
        into[image] = np.uint64(0)
    for chunk in range(len(images.boards)):
        row = images.boards[chunk, board >> np.uint64(CHUNK_BITS * chunk) & np.uint64((1 << CHUNK_BITS) - 1)]
        for image in range(WIDTH):
            into[image] ^= row[image]


@kernel
def bound(board: Any, side: Any) -> int:
    """Return the maximum number of disjoint regions that are full, or no longer full: a move each.

    The last peg may stay in a full region, so one peg alone counts nothing.
    """
    full = full_regions(board, side.packing)
    if side.up:
        return int(max_disjoint(side.at_start[()] & ~full, side.packing))
    if board & (board - np.uint64(1)) == np.uint64(0):
        return 0
    return int(max_disjoint(full, side.packing))


@kernel
def admit(board: Any, side: Any, other: Any, allowed: int) -> int:
    """Insert a board into its direction's set unless it can be pruned.

    Returns CUT, KNOWN, DEAD, NEW, or COMMON if the other direction has the board.
    """
    if bound(board, side) > allowed:
        return CUT
    place = slot_of(board, side.seen)
    if side.seen[place] == board:
        return KNOWN
    if is_too_light(board ^ side.pagoda_filter.flip, side.pagoda_filter.tables):
        return DEAD
    side.seen[place] = board
    return COMMON if other.seen[slot_of(board, other.seen)] == board else NEW


def expand_moves(
    frontier: Any, side: Any, other: Any, allowed: int, reached: Any, count: int, images: Any
) -> tuple[int, int, int, Any]:
    """Make all moves from the boards of `frontier`. Generic kernel.

    New boards whose bound is at most `allowed` go into `side.seen` and `reached[count:]`. Stops early if
    there is no room left for a board's moves, or at a board that the other direction has.

    Returns:
        (boards expanded, new count, boards pruned, board of both directions or 0)
    """
    boards, actives = np.empty(MAX_WAITING, np.uint64), np.empty(MAX_WAITING, np.int64)
    stacked, own = np.empty((MAX_WAITING, WIDTH), np.uint64), np.empty(WIDTH, np.uint64)
    shifts, cut = images.shifts, 0
    for index in range(len(frontier)):
        if count + ROOM > len(reached):
            return index, count, cut, np.uint64(0)
        # Depth-first over the jumps of one peg; each board on the stack is also the end of a move.
        boards[0], actives[0], waiting = frontier[index], -1, 1
        images_of(frontier[index], images, stacked[0])
        while waiting > 0:
            waiting -= 1
            board, active = boards[waiting], actives[waiting]
            for image in range(WIDTH):
                own[image] = stacked[waiting, image]
            for slot in range(len(shifts.first) - 1):
                lows = backward_jumps(board, slot, shifts) if side.up else forward_jumps(board, slot, shifts)
                while lows != np.uint64(0):
                    low = lowest_bit(lows)
                    lows &= lows - np.uint64(1)
                    line = np.uint64(64 * slot) + low
                    high = low + shifts.spans[line]
                    mover = low if board >> low & np.uint64(1) != np.uint64(0) else high
                    if active >= 0 and np.int64(mover) != active:
                        continue
                    boards[waiting] = board ^ shifts.lines[line]
                    actives[waiting] = np.int64(low + high - mover)
                    least = own[0] ^ images.lines[line, 0]
                    for image in range(WIDTH):
                        stacked[waiting, image] = own[image] ^ images.lines[line, image]
                        least = min(least, stacked[waiting, image])
                    waiting += 1
                    fate = admit(least, side, other, allowed)
                    cut += int(fate == CUT)
                    reached[count] = least
                    count += int(fate >= NEW)
                    if fate == COMMON:
                        return index + 1, count, cut, least
    return len(frontier), count, cut, np.uint64(0)


def least_image(board: Any, images: Any) -> Any:
    """Return the canonical form of a board. Generic kernel."""
    into = np.empty(WIDTH, np.uint64)
    images_of(board, images, into)
    return into.min()


class BidirectionalKernels(NamedTuple):
    """The kernels above, compiled for one number of symmetries."""

    expand_moves: Kernel
    least_image: Kernel


@cache
def bidirectional_kernels(width: int) -> BidirectionalKernels:
    """Return the kernels for `width` symmetries, the identity included."""
    name = f"of_{width}"
    images = specialise(images_of, name, WIDTH=width)
    return BidirectionalKernels(
        specialise(expand_moves, name, WIDTH=width, images_of=images),
        specialise(least_image, name, WIDTH=width, images_of=images),
    )


def image_tables(shifts: Shifts, holes: int, symmetries: Sequence[Permutation]) -> Images:
    """Return the tables of the images under `symmetries`."""
    chunks = -(-holes // CHUNK_BITS)
    boards = np.zeros((chunks, 1 << CHUNK_BITS, len(symmetries)), np.uint64)
    for hole in range(holes):
        table, half = boards[hole // CHUNK_BITS], 1 << hole % CHUNK_BITS
        table[half : 2 * half] = table[:half] ^ np.array(
            [1 << image[hole] for image in symmetries], np.uint64
        )
    lines = [[apply_symmetry(int(line), image) for image in symmetries] for line in shifts.lines]
    return Images(boards, np.array(lines, np.uint64), shifts)


def apply_symmetry(board: int, image: Permutation) -> int:
    """Return the image of a board under a symmetry."""
    return sum(1 << target for hole, target in enumerate(image) if board >> hole & 1)


def kept_symmetries(symmetries: tuple[Permutation, ...], ends: Ends) -> list[Permutation]:
    """Return the symmetries that keep both ends, the identity first."""
    return [image for image in symmetries if _keeps(image, ends)]


def _keeps(image: Permutation, ends: Ends) -> bool:
    starts = {start.state for start in ends.starts}
    return all(
        {apply_symmetry(board, image) for board in boards} == boards for boards in (starts, set(ends.goals))
    )
