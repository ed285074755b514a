"""Numbers of states, computed on whole numpy arrays: the order of the values in complete tables.

No kernel is compiled for them. `static/tables` and the published tables (docs/tables.md) have this order.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.board import Permutation


class StateNumbering(NamedTuple):
    """The numbers of a puzzle's states without an active peg. Arrays of numbers are int64."""

    size: int
    """One more than the greatest number."""
    image: Callable[[Permutation, Any], Any]
    """(symmetry of the board, numbers) -> numbers of the images."""
    may_reach: Callable[[int, Any], Any]
    """(goal, numbers) -> whether parities let each state reach the goal (bool)."""
    number_of: Callable[[tuple[int, ...]], int]
    """Values of all cells -> number of the state."""
    cells_of: Callable[[int], tuple[int, ...]]
    """Number of a state -> values of all cells."""
    fewest_moves: Callable[[int], Any]
    """Goal -> fewest moves by number (uint8, NO_SOLUTION without a solution), built by numpy alone."""
    first: int = 0
    """Least number of a position; all greater ones have a position, too."""


SLICE = 11
"""Holes whose images are looked up together in `moved_bits`."""


def moved_bits(image: Permutation, bits: Any) -> Any:
    """Return sets of holes, as the bits of numbers, with every hole replaced by its image."""
    moved = np.zeros_like(bits)
    for first in range(0, len(image), SLICE):
        targets = image[first : first + SLICE]
        images = np.zeros(1 << len(targets), np.int64)
        for hole, target in enumerate(targets):
            images[1 << hole : 2 << hole] = images[: 1 << hole] | 1 << target
        moved |= images[bits >> first & (1 << len(targets)) - 1]
    return moved


def with_mark(numbers: Any, holes: int) -> tuple[Any, Any]:
    """Return sets of holes without a marked one, as bits, and the marked hole, from their numbers.

    A number is the marked hole, then a bit for each of the other holes.
    """
    marks, others = numbers >> holes - 1, numbers & (1 << holes - 1) - 1
    below = (np.int64(1) << marks) - 1
    return others & below | (others & ~below) << 1, marks


def marked_number(bits: Any, marks: Any, holes: int) -> Any:
    """Return the numbers of sets of holes with a marked hole each: see `with_mark`."""
    below = (np.int64(1) << marks) - 1
    return marks << holes - 1 | bits & below | bits >> 1 & ~below


def moved_marked(image: Permutation, numbers: Any) -> Any:
    """Return the numbers of sets with a marked hole, with every hole replaced by its image."""
    bits, marks = with_mark(numbers, len(image))
    return marked_number(moved_bits(image, bits), np.array(image)[marks], len(image))


def are_odd(numbers: Any) -> Any:
    """Return whether each number has an odd number of bits."""
    return (np.bitwise_count(numbers) & 1).astype(bool)


def cells_of_bits(bits: int, holes: int) -> tuple[int, ...]:
    """Return the bits of a set of holes as values of cells, 0 or 1."""
    return tuple(bits >> hole & 1 for hole in range(holes))


def bits_of_cells(cells: tuple[int, ...]) -> int:
    """Return the set of holes that have a value other than 0, as the bits of a number."""
    return sum(1 << hole for hole, value in enumerate(cells) if value)


def cells_with_mark(number: int, holes: int, values: tuple[int, int, int]) -> tuple[int, ...]:
    """Return a number of `with_mark` as values of cells: of a hole outside the set, in it, and marked."""
    mark, others = divmod(number, 1 << holes - 1)
    cells = [values[bit] for bit in cells_of_bits(others, holes - 1)]
    return (*cells[:mark], values[2], *cells[mark:])


def number_with_mark(cells: tuple[int, ...], values: tuple[int, int, int]) -> int:
    """Return the number of `with_mark` of cells with `values`: see `cells_with_mark`."""
    mark = cells.index(values[2])
    others = cells[:mark] + cells[mark + 1 :]
    return mark << len(others) | bits_of_cells(tuple(int(cell == values[1]) for cell in others))
