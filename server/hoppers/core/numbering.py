"""Numbers of states, computed on whole numpy arrays: the order of the values in packed tables.

The format of these files is in docs/tables.md. They can be read before any kernel is compiled.
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


def moved_bits(image: Permutation, bits: Any) -> Any:
    """Return sets of holes, as the bits of numbers, with every hole replaced by its image."""
    moved = np.zeros_like(bits)
    for hole, target in enumerate(image):
        moved |= (bits >> hole & 1) << target
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
