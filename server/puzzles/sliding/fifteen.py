"""Search of the 4x4 tiles with pattern databases: IDA* with both sums, one table look-up per group.

The kernel is made for these tiles, unlike the generic one: a position on the line is its tiles, the packed
index of its pattern groups and that of its mirror image, and a slide changes each by one exclusive-or.
"""

from typing import Any, NamedTuple

import numpy as np

from ...compiled import kernel

PAUSED, FINISHED = 0, 1
DEPTH, NODES, SOLUTIONS, CUT = range(4)
MOST_MOVES = 100


class Line(NamedTuple):
    """The line being searched, from entry 1 (uint64 arrays), and counts. Entry 0 has no blank anywhere."""

    tiles: Any
    patterns: Any
    mirrors: Any
    blanks: Any
    slides: Any
    """Directions not yet tried, as in `Patterns.slides`."""
    tally: Any
    """int64: DEPTH (0 when finished), NODES, SOLUTIONS, CUT."""
    solutions: Any
    """Tiles after each move of the solutions found, as many as there is room for."""


@kernel
def estimate(index: Any, patterns: Any) -> Any:
    """The sum of the three tables for a packed index."""
    low = np.uint64((1 << 24) - 1)
    return (
        np.uint64(patterns.first[index & low])
        + np.uint64(patterns.second[index >> np.uint64(24) & low])
        + np.uint64(patterns.third[index >> np.uint64(48)])
    )


@kernel
def root(tiles: Any, line: Any, patterns: Any) -> Any:
    """Put a position at the start of the line; returns its lower bound."""
    four, fifteen = np.uint64(4), np.uint64(15)
    line.tally[:] = 0
    line.tally[DEPTH], line.tally[NODES] = 1, 1
    line.tiles[1], line.patterns[1], line.mirrors[1] = tiles, 0, 0
    line.blanks[0] = np.uint64(99)
    for cell in range(16):
        tile = tiles >> np.uint64(cell) * four & fifteen
        if tile == np.uint64(0):
            line.blanks[1], line.slides[1] = cell, patterns.slides[cell]
        else:
            line.patterns[1] |= np.uint64(cell) << patterns.shifts[tile]
            line.mirrors[1] |= patterns.mirrored[cell] << patterns.mirror_shifts[tile]
    return max(estimate(line.patterns[1], patterns), estimate(line.mirrors[1], patterns))


@kernel
def descend(line: Any, limit: int, find_all: bool, budget: int, patterns: Any) -> int:
    """Search on for at most `budget` nodes under the limit. Returns PAUSED or FINISHED.

    Unsigned numbers all through: with signed ones every look-up would be tested for a negative index.
    """
    one, two, four, five, fifteen = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(5), np.uint64(15)
    none, most = np.uint64(0), np.uint64(limit)
    depth, nodes, cut = np.uint64(line.tally[DEPTH]), line.tally[NODES], line.tally[CUT]
    last = nodes + budget
    while depth != none and nodes < last:
        slides = line.slides[depth]
        if slides == none:
            depth -= one
            continue
        line.slides[depth] = slides >> four
        blank = line.blanks[depth]
        cell = blank + (slides & fifteen) - five
        if cell == line.blanks[depth - one]:
            continue  # the last slide taken straight back
        tile = line.tiles[depth] >> (cell << two) & fifteen
        pattern = line.patterns[depth] ^ ((cell ^ blank) << patterns.shifts[tile])
        left = estimate(pattern, patterns)
        if depth + left > most:
            cut += 1
            continue
        turned = patterns.mirrored[cell] ^ patterns.mirrored[blank]
        mirror = line.mirrors[depth] ^ (turned << patterns.mirror_shifts[tile])
        if depth + estimate(mirror, patterns) > most:
            cut += 1
            continue
        tiles = line.tiles[depth] ^ (tile << (cell << two)) ^ (tile << (blank << two))
        nodes += 1
        depth += one
        line.tiles[depth], line.patterns[depth], line.mirrors[depth] = tiles, pattern, mirror
        line.blanks[depth], line.slides[depth] = cell, patterns.slides[cell]
        if left == none:
            if line.tally[SOLUTIONS] < len(line.solutions):
                line.solutions[line.tally[SOLUTIONS], : depth - one] = line.tiles[2 : depth + one]
            line.tally[SOLUTIONS] += 1
            line.slides[depth] = none
            if not find_all:
                depth = none
    line.tally[DEPTH], line.tally[NODES], line.tally[CUT] = depth, nodes, cut
    return PAUSED if depth != none else FINISHED


def empty_line(solutions: int = 1) -> Line:
    """A line with room for every position of the puzzle (80 moves at most) and so many solutions."""
    tiles, patterns, mirrors, blanks, slides = np.zeros((5, MOST_MOVES + 2), np.uint64)
    tally, found = np.zeros(4, np.int64), np.zeros((solutions, MOST_MOVES), np.uint64)
    return Line(tiles, patterns, mirrors, blanks, slides, tally, found)
