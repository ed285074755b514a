"""Canonical forms: all symmetric images of a problem have the same one."""

from functools import cache

from hoppers.core.board import Permutation
from hoppers.core.model import Position, ProblemKey
from hoppers.core.puzzle import Puzzle, cached_in_puzzle


def canonical_form(puzzle: Puzzle, goal: int, position: Position) -> tuple[ProblemKey, Permutation]:
    """Return the canonical form of a problem, and the symmetry of the board that leads to it."""
    least, images = _images(puzzle, goal)
    if images == [puzzle.board.symmetries[0]]:  # the identity, as for every puzzle with numbered tiles
        return ProblemKey(puzzle.id, least, position), images[0]
    bits, mask = puzzle.rules.bits_per_cell, puzzle.rules.cell_mask
    contents = [(hole, position.state >> bits * hole & mask) for hole in range(puzzle.holes)]
    filled = [(hole, content) for hole, content in contents if content]
    forms = []
    for image in images:
        state = sum([content << bits * image[hole] for hole, content in filled])
        forms.append((state, image[position.active] if position.active >= 0 else -1, image))
    state, active, image = min(forms)
    return ProblemKey(puzzle.id, least, Position(state, active)), image


@cached_in_puzzle
def _images(puzzle: Puzzle, goal: int) -> tuple[int, list[Permutation]]:
    """Return the least image of a goal, and the symmetries of the board that lead to it."""
    goals = [(puzzle.rules.goal_image(image, goal), image) for image in puzzle.board.symmetries]
    least = min(end for end, _ in goals if end is not None)
    return least, [image for end, image in goals if end == least]


@cache
def holes_table(image: Permutation) -> bytes:
    """Return the table with which `bytes.translate` maps each hole to its image."""
    return bytes(image).ljust(256, b"\0")


@cache
def inverse(image: Permutation) -> Permutation:
    """Return the inverse of the symmetry `image`."""
    return tuple(sorted(range(len(image)), key=image.__getitem__))
