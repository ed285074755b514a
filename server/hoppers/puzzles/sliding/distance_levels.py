"""How far the arrangements of a small square are from home, with whole arrays and no compiler.

A server that has just started deals positions of a chosen distance at once, in a tenth of a second.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from hoppers.puzzles.sliding.rules import BITS, home_cells, square


def texts(side: int, least: int, most: int) -> list[str]:
    """All arrangements at least and at most so many slides from home, sorted."""
    words = np.sort(np.concatenate(_levels(side)[least : most + 1]))
    return [f"{word:0{side * side}x}" for word in words.tolist()]


@cache
def _levels(side: int) -> list[Any]:
    """The arrangements 0, 1, 2, … slides from home: words that sort as their texts do."""
    home = int("".join(f"{tile:x}" for tile in home_cells(side)), 16)
    levels, before = [np.array([home], np.uint64)], np.zeros(0, np.uint64)
    while len(levels[-1]):
        reached = np.sort(np.concatenate([*_after(levels[-1], side)]))
        fresh = np.diff(reached, prepend=np.uint64(0)) > 0  # no arrangement is the number 0
        place = np.searchsorted(before, reached)  # a slide leads a level on, or one back
        before, known = levels[-1], np.append(before, np.uint64(0))
        levels.append(reached[fresh & (known[place] != reached)])
    return levels[:-1]


def _after(words: Any, side: int) -> Iterator[Any]:
    """Where every slide leads, for one cell of the blank and one neighbour after another."""
    first = BITS * (side * side - 1)
    for cell, neighbours in enumerate(square(side).neighbours):
        blank = np.uint64(first - BITS * cell)
        here = words[words >> blank & np.uint64(15) == np.uint64(0)]
        for neighbour in neighbours:
            place = np.uint64(first - BITS * neighbour)
            tile = here >> place & np.uint64(15)
            yield here ^ tile << place ^ tile << blank
