"""Numbering the boards of one position class, up to symmetry, without hashing.

Jumps never change certain parities (`jumps.invariants`), so in the class of a start a few holes follow from
the others: leave them out and a board is a shorter word, its key. Keys, images under symmetries and jumps are
all linear over the field of two elements: a jump changes every image's key by a fixed pattern. So the eight
images of a board are looked up once, and each of its jumps costs eight exclusive ors and a minimum.
"""

from typing import Any, NamedTuple

import numpy as np

from hoppers.core.board import Permutation
from hoppers.core.kernels import kernel
from hoppers.puzzles.pegs.bitboards.jump_masks import JumpList, Shifts, invariants, shift_groups

CHUNK_BITS = 11
"""Bits looked up at a time."""
WIDTH = 1
"""How many images there are: a constant in each compiled copy, so that its loops are unrolled."""


class Numbering(NamedTuple):
    """The tables of one position class under one group of symmetries.

    Chunk tables are indexed [chunk, its bits]; what is looked up is combined by exclusive or.
    """

    bits: int
    """Bits of a key."""
    keys: Any
    """Chunks of a board -> its key (uint32)."""
    boards: Any
    """Chunks of a key -> its board (uint64)."""
    images: Any
    """Chunks of a key -> the keys of its images (uint32[chunks, 2048, images]); the first is itself."""
    line_images: Any
    """How a jump changes the images' keys: uint32[slots * 64, images], row slot * 64 + lowest hole."""
    places: Any
    """Where each image takes each hole: int64[images, holes]."""
    shifts: Shifts


@kernel
def key_of(board: Any, numbering: Any) -> Any:
    """The key of a board (uint32), which must be of the class."""
    key = np.uint32(0)
    for chunk in range(len(numbering.keys)):
        key ^= numbering.keys[
            chunk, board >> np.uint64(CHUNK_BITS * chunk) & np.uint64((1 << CHUNK_BITS) - 1)
        ]
    return key


@kernel
def board_of(key: Any, numbering: Any) -> Any:
    """The board of a key (uint64)."""
    board = np.uint64(0)
    for chunk in range(len(numbering.boards)):
        board ^= numbering.boards[
            chunk, key >> np.uint32(CHUNK_BITS * chunk) & np.uint32((1 << CHUNK_BITS) - 1)
        ]
    return board


def images_of(key: Any, numbering: Any, images: Any) -> None:
    """Write the keys of the board's images into `images` (uint32[images]). Generic kernel."""
    for image in range(WIDTH):
        images[image] = np.uint32(0)
    for chunk in range(len(numbering.images)):
        row = key >> np.uint32(CHUNK_BITS * chunk) & np.uint32((1 << CHUNK_BITS) - 1)
        for image in range(WIDTH):
            images[image] ^= numbering.images[chunk, row, image]


def least_changed(images: Any, line: Any, numbering: Any) -> Any:
    """The least of the images' keys after a jump in a line. Generic kernel."""
    least = ~np.uint32(0)
    for image in range(WIDTH):  # indices, not rows: a view of an array costs more than the rest
        least = min(least, images[image] ^ numbering.line_images[line, image])
    return least


def number_class(jumps: JumpList, holes: int, state: int, symmetries: list[Permutation]) -> Numbering:
    """The numbering of the class of `state`; every symmetry must keep the class, the identity is first."""
    sets = invariants(jumps, holes)
    kept = [hole for hole in range(holes) if hole not in sets]
    odd = [hole for hole, members in sets.items() if (state & members).bit_count() & 1]
    bits = {hole: 1 << number for number, hole in enumerate(kept)}

    def key(board: int) -> int:
        return sum(bit for hole, bit in bits.items() if board >> hole & 1)

    def turned(board: int, image: Permutation) -> int:
        return sum(1 << image[hole] for hole in range(holes) if board >> hole & 1)

    basis = [1 << hole | sum(1 << h for h, members in sets.items() if members >> hole & 1) for hole in kept]
    origin = sum(1 << hole for hole in odd)  # the board of key 0
    images = [[key(turned(board, image)) for image in symmetries] for board in basis]
    shifts = shift_groups(jumps)
    lines = [[key(turned(int(line), image)) for image in symmetries] for line in shifts.lines]
    return Numbering(
        len(kept),
        _chunks(np.array([bits.get(hole, 0) for hole in range(holes)], np.uint32), np.uint32(0)),
        _chunks(np.array(basis, np.uint64), np.uint64(origin)),
        _chunks(
            np.array(images, np.uint32), np.array([key(turned(origin, s)) for s in symmetries], np.uint32)
        ),
        np.array(lines, np.uint32),
        np.array(symmetries, np.int64),
        shifts,
    )


def _chunks(basis: Any, origin: Any) -> Any:
    """Chunk tables of an affine map from the images of the single bits and of zero."""
    chunks = -(-len(basis) // CHUNK_BITS)
    tables = np.zeros((chunks, 1 << CHUNK_BITS, *basis.shape[1:]), basis.dtype)
    for bit, image in enumerate(basis):
        table, half = tables[bit // CHUNK_BITS], 1 << bit % CHUNK_BITS
        table[half : 2 * half] = table[:half] ^ image
    tables[0] ^= origin
    return tables
