"""Symmetric images of boards, and the symmetries that leave a problem unchanged."""

from collections.abc import Iterable, Sequence
from functools import cache
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.board import Permutation
from hoppers.core.kernels import Kernel, specialise
from hoppers.core.model import Position
from hoppers.puzzles.pegs.jump_masks import CHUNK_BITS, Shifts, chunk_tables

WIDTH = 1
"""Number of symmetric images. Each copy of a generic kernel (see `for_symmetries`) has its own constant in
place of WIDTH, so that loops over images are unrolled."""


@cache
def for_symmetries(generic: FunctionType, width: int) -> Kernel:
    """Return the copy of a generic kernel for `width` symmetries, the identity included.

    The copy calls such copies of other generic kernels. Generic kernels are plain functions that read WIDTH.
    """
    names = generic.__code__.co_names
    called = {name: value for name, value in generic.__globals__.items() if name in names}
    rules = {name: for_symmetries(rule, width) for name, rule in called.items() if type(rule) is FunctionType}
    return specialise(generic, f"of_{width}", WIDTH=width, **rules)


class Symmetries(NamedTuple):
    """Tables of the images of boards, of jumps and of holes."""

    boards: Any  # chunk of a board -> bits of each image: uint64[chunks, 2048, images]
    lines: Any  # number of a line -> bits of each image that a jump toggles: uint64[lines, images]
    holes: Any  # hole that each image moves each hole to: uint64[images, holes]


def images_of(word: Any, tables: Any, images: Any) -> None:
    """Write the images of a word (uint64) into `images`. Generic kernel.

    `tables`: chunk tables of all images: [chunk, its bits, image].
    """
    for image in range(WIDTH):
        images[image] = 0
    for chunk in range(len(tables)):
        bits = word >> np.uint64(CHUNK_BITS * chunk) & np.uint64((1 << CHUNK_BITS) - 1)
        for image in range(WIDTH):
            images[image] ^= tables[chunk, bits, image]


def canonical_after(images: Any, line: Any, hole: Any, symmetries: Any) -> tuple[Any, Any]:
    """Return the canonical form of a board after a jump in `line`, and a mask of holes of its active peg.

    The canonical form is the smallest image. The mask has the image of `hole` under each symmetry that leads
    to the canonical form. `images`: images of the board before the jump. `hole`: hole of the active peg after
    the jump. Generic kernel.
    """
    least, active = ~np.uint64(0), np.uint64(0)
    for image in range(WIDTH):
        board = images[image] ^ symmetries.lines[line, image]
        bit = np.uint64(1) << symmetries.holes[image, hole]
        if board < least:
            least, active = board, bit
        elif board == least:
            active |= bit
    return least, active


def symmetry_tables(shifts: Shifts, symmetries: Sequence[Permutation]) -> Symmetries:
    """Return the tables of `symmetries`, of which the identity comes first."""
    holes = len(symmetries[0])
    bits = np.array([[1 << image[hole] for image in symmetries] for hole in range(holes)], np.uint64)
    lines = [[apply_symmetry(int(line), image) for image in symmetries] for line in shifts.lines]
    return Symmetries(chunk_tables(bits), np.array(lines, np.uint64), np.array(symmetries, np.uint64))


def apply_symmetry(board: int, image: Permutation) -> int:
    """Return the image of a board under the symmetry `image`, which maps hole h to `image[h]`."""
    return sum(1 << target for hole, target in enumerate(image) if board >> hole & 1)


def problem_symmetries(
    symmetries: Sequence[Permutation], root: Position, goals: Iterable[int]
) -> list[Permutation]:
    """Return the symmetries that leave root, active peg and set of solved boards unchanged; identity first.

    If their number is not one of `symmetry_counts`, only those that also leave one hole in place are
    returned. The hole is chosen for the longest result whose length is in `symmetry_counts`.
    """
    ends, counts = {*goals}, symmetry_counts(symmetries)
    kept = [image for image in symmetries if _keeps(image, root, ends)]
    if len(kept) in counts:
        return kept
    groups = ([image for image in kept if image[hole] == hole] for hole in range(len(symmetries[0])))
    return max((group for group in groups if len(group) in counts), key=len)


def symmetry_counts(symmetries: Sequence[Permutation]) -> list[int]:
    """Return the numbers of symmetries for which kernels are compiled, ascending.

    They are 1, the number of all symmetries, and for each hole, as a possible goal, the number of symmetries
    that leave the hole in place. Other groups, such as the rotations alone, are too rare to compile for.
    """
    fixed = (sum(image[hole] == hole for image in symmetries) for hole in range(len(symmetries[0])))
    return sorted({1, len(symmetries), *fixed})


def _keeps(image: Permutation, root: Position, goals: set[int]) -> bool:
    keeps_active = root.active < 0 or image[root.active] == root.active
    keeps_root = apply_symmetry(root.state, image) == root.state
    return keeps_active and keeps_root and {apply_symmetry(goal, image) for goal in goals} == goals
