"""Dense keys for the boards of one position class, up to symmetry, without hashing.

Jumps keep certain parities (`jump_masks.invariants`). In the position class of a start a few holes therefore
follow from the others; a board without these holes is a shorter word, its key. Keys, images under symmetries
and jumps are all linear over the field of two elements: a jump changes every image's key by a fixed pattern.
The eight images of a board are looked up once, and each of its jumps then costs eight exclusive ors and a
minimum. The smallest key of all images is the canonical form.
"""

from typing import Any, NamedTuple

import numpy as np

from hoppers.core.board import Permutation
from hoppers.core.kernels import kernel
from hoppers.puzzles.pegs.jump_masks import (
    CHUNK_BITS,
    JumpList,
    Shifts,
    chunk_tables,
    invariants,
    shift_groups,
)
from hoppers.puzzles.pegs.symmetries import WIDTH, apply_symmetry


class Numbering(NamedTuple):
    """Look-up tables of one position class under one group of symmetries.

    Chunk tables are indexed [chunk, its bits]; the entries of all chunks are combined by exclusive or.
    """

    bits: int
    """Bits of a key."""
    keys: Any
    """Chunks of a board -> key of the board (uint32)."""
    boards: Any
    """Chunks of a key -> board of the key (uint64)."""
    images: Any
    """Chunks of a key -> keys of all images (uint32[chunks, 2048, images]); image 0 is the board itself."""
    line_images: Any
    """Change of the images' keys by a jump: uint32[slots * 64, images], row slot * 64 + lowest hole."""
    places: Any
    """Hole that each image moves each hole to: int64[images, holes]."""
    shifts: Shifts


@kernel
def key_of(board: Any, numbering: Any) -> Any:
    """Return the key (uint32) of a board of the class."""
    key = np.uint32(0)
    for chunk in range(len(numbering.keys)):
        key ^= numbering.keys[
            chunk, board >> np.uint64(CHUNK_BITS * chunk) & np.uint64((1 << CHUNK_BITS) - 1)
        ]
    return key


@kernel
def board_of(key: Any, numbering: Any) -> Any:
    """Return the board (uint64) whose key is `key`."""
    board = np.uint64(0)
    for chunk in range(len(numbering.boards)):
        board ^= numbering.boards[
            chunk, key >> np.uint32(CHUNK_BITS * chunk) & np.uint32((1 << CHUNK_BITS) - 1)
        ]
    return board


def images_of(key: Any, numbering: Any, images: Any) -> None:
    """Write the keys of all symmetric images of a board into `images` (uint32[images]). Generic kernel."""
    for image in range(WIDTH):
        images[image] = np.uint32(0)
    for chunk in range(len(numbering.images)):
        row = key >> np.uint32(CHUNK_BITS * chunk) & np.uint32((1 << CHUNK_BITS) - 1)
        for image in range(WIDTH):
            images[image] ^= numbering.images[chunk, row, image]


def least_changed(images: Any, line: Any, numbering: Any) -> Any:
    """Return the smallest key of all images of a board after a jump in `line`. Generic kernel.

    `images`: keys of the images before the jump.
    """
    least = ~np.uint32(0)
    for image in range(WIDTH):  # indices, not rows: a view of an array costs more than the rest
        least = min(least, images[image] ^ numbering.line_images[line, image])
    return least


def number_class(jumps: JumpList, holes: int, state: int, symmetries: list[Permutation]) -> Numbering:
    """Return the look-up tables for the keys of the position class of `state`.

    `state`: any board of the class. `symmetries`: those that map the class to itself, the identity first.
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
        chunk_tables(np.array([bits.get(hole, 0) for hole in range(holes)], np.uint32), np.uint32(0)),
        chunk_tables(np.array(basis, np.uint64), np.uint64(origin)),
        chunk_tables(
            np.array(images, np.uint32),
            np.array([key(apply_symmetry(origin, s)) for s in symmetries], np.uint32),
        ),
        np.array(lines, np.uint32),
        np.array(symmetries, np.int64),
        shifts,
    )
