"""Kernels of the bidirectional search: all moves of a board, forwards or backwards, bounded and deduplicated.

A move is one or more jumps by one peg. Backwards the peg jumps back along the same line, whose middle hole is
empty. Boards are stored in canonical form: the smallest image under the symmetries that keep both ends.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.board import Permutation
from hoppers.core.kernels import Kernel, kernel, specialise
from hoppers.core.model import Position
from hoppers.puzzles.pegs.bitboards.jump_masks import (
    CHUNK_BITS,
    Shifts,
    backward_jumps,
    chunk_tables,
    forward_jumps,
    full_regions,
    lowest_bit,
    max_disjoint,
)
from hoppers.puzzles.pegs.bitboards.pagoda import PagodaFilter, is_too_light
from hoppers.search.hash_tables import slot_of

WIDTH = 1
"""Number of images. A constant in each compiled copy, so that loops over the images are unrolled."""
MAX_WAITING = 256  # more than the unfinished moves of one board
ROOM = 1 << 13
"""Array entries that must be free before a board is expanded: more than any board has moves."""


KNOWN, DEAD, CUT, NEW, COMMON = range(5)
"""Results of `admit`. A DEAD board is useless under higher limits, too; a CUT one exceeds this limit."""


class Images(NamedTuple):
    """Look-up tables for the symmetric images of boards and lines (see `class_keys`)."""

    boards: Any
    """Chunk of a board -> bits that the chunk has in each image: uint64[chunks, 2048, images]."""
    lines: Any
    """Number of a line -> bits of each image that a jump in the line toggles: uint64[lines, images]."""
    shifts: Shifts


class Ends(NamedTuple):
    """Boards from which the two directions of a search begin: `starts` (forward) and `goals` (backward).

    `starts`: positions before the first new move. `goals`: solved boards.
    """

    starts: list[Position]
    goals: list[int]


class Direction(NamedTuple):
    """One direction of the bidirectional search: set of boards seen, and data for pruning.

    `up`: whether moves are taken back (backward search).
    """

    up: bool
    seen: Any
    """Hash set of the boards that this direction has seen (see `hash_tables.slot_of`)."""
    packing: Any
    """Tables of the Merson regions that count in the bound (`jump_masks.Packing`)."""
    at_start: Any
    """uint32, 0-d: regions that were full at the start; backwards, those no longer full count."""
    pagoda_filter: PagodaFilter
    """Pagoda functions that prove boards dead, or in backward search out of reach."""


def images_of(board: Any, images: Any, into: Any) -> None:
    """Write the symmetric images of a board into `into` (uint64[images]). Generic kernel."""
    for image in range(WIDTH):
        into[image] = np.uint64(0)
    for chunk in range(len(images.boards)):
        row = images.boards[chunk, board >> np.uint64(CHUNK_BITS * chunk) & np.uint64((1 << CHUNK_BITS) - 1)]
        for image in range(WIDTH):
            into[image] ^= row[image]


@kernel
def bound(board: Any, side: Any) -> int:
    """Return a lower bound on the moves to the other end: the maximum number of disjoint Merson regions.

    Forwards, full regions count. Backwards, regions count that were full at the start and no longer are. The
    last peg may stay in a full region, so the bound of a single peg is 0.
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

    Return CUT if the bound exceeds `allowed` moves, KNOWN if the set has the board, and DEAD if pagoda
    functions exclude the board. Return COMMON if the other direction has the inserted board, otherwise NEW.
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

    New boards whose bound is at most `allowed` go into `side.seen` and `reached[count:]`. The kernel stops
    early if `reached` may be too small for a board's moves, or at a board that the other direction has.

    Returns:
        (boards expanded, new count, boards pruned, board that both directions have or 0)
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
    """Kernels of the bidirectional search, compiled for one number of symmetries."""

    expand_moves: Kernel
    least_image: Kernel


@cache
def bidirectional_kernels(width: int) -> BidirectionalKernels:
    """Return the kernels of the bidirectional search for `width` symmetries, the identity included."""
    name = f"of_{width}"
    images = specialise(images_of, name, WIDTH=width)
    return BidirectionalKernels(
        specialise(expand_moves, name, WIDTH=width, images_of=images),
        specialise(least_image, name, WIDTH=width, images_of=images),
    )


def image_tables(shifts: Shifts, holes: int, symmetries: Sequence[Permutation]) -> Images:
    """Return the look-up tables for the images of boards and lines under `symmetries`."""
    bits = [[1 << image[hole] for image in symmetries] for hole in range(holes)]
    boards = chunk_tables(np.array(bits, np.uint64), np.uint64(0))
    lines = [[apply_symmetry(int(line), image) for image in symmetries] for line in shifts.lines]
    return Images(boards, np.array(lines, np.uint64), shifts)


def apply_symmetry(board: int, image: Permutation) -> int:
    """Return the image of a board under the symmetry `image`, which maps hole h to `image[h]`."""
    return sum(1 << target for hole, target in enumerate(image) if board >> hole & 1)


def kept_symmetries(symmetries: tuple[Permutation, ...], ends: Ends) -> list[Permutation]:
    """Return symmetries that map the starts and the goals of `ends` to themselves, the identity first.

    They are a group of one of the `symmetry_counts`: all of them, or those of them that also keep a hole.
    """
    kept, counts = [image for image in symmetries if _keeps(image, ends)], symmetry_counts(symmetries)
    if len(kept) in counts:
        return kept
    groups = ([image for image in kept if image[hole] == hole] for hole in range(len(symmetries[0])))
    return max((group for group in groups if len(group) in counts), key=len)


def symmetry_counts(symmetries: tuple[Permutation, ...]) -> list[int]:
    """Return the numbers of symmetries for which kernels are compiled.

    A problem whose goal is one hole is kept by at most the symmetries that keep the hole. The other groups,
    such as the rotations alone, are so rare that kernels for them would be compiled in vain.
    """
    fixed = (sum(image[hole] == hole for image in symmetries) for hole in range(len(symmetries[0])))
    return sorted({1, len(symmetries), *fixed})


def _keeps(image: Permutation, ends: Ends) -> bool:
    starts = {start.state for start in ends.starts}
    return all(
        {apply_symmetry(board, image) for board in boards} == boards for boards in (starts, set(ends.goals))
    )
