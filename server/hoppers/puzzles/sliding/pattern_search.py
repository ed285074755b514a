"""Search of the 4x4 tiles with pattern databases: IDA* with both sums, one look-up in each per slide.

The kernel is made for these tiles, unlike the generic one. A position on the stack is its tiles, the packed
index of its pattern groups (cells, and above them the groups' stored bits, see `patterns`), that of its
mirror image, and a word with the blank's cell, half of the moves that either sum leaves to spare under the
limit, the depth, and the state of the automaton that knows detours. All slides of a position are tried at
once, and those that stay within the limit are put on the stack without a branch.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import kernel
from hoppers.puzzles.sliding.duplicate_pruning import ALLOWED, STATE_BITS
from hoppers.puzzles.sliding.pattern_databases import (
    BASE,
    FIRST_SIGN,
    GROUP,
    MASK,
    MIRRORED,
    NIBBLE,
    SIGN,
    load,
    walk_home,
)
from hoppers.puzzles.sliding.rules import sliding_tables

PAUSED, FINISHED = 0, 1
TOP, NODES, SOLUTIONS, CUT = range(4)
TILES, INDEX, MIRROR, WORD = range(4)
SPARE, MIRROR_SPARE, DEPTH, STATE = 8, 16, 24, 32
"""Where the parts of an entry's word begin; the blank is in the lowest bits."""
CELLS = 16
MOST_MOVES = 100
MOST_SLIDES = 3
ALL_BUT_BACK = 5
"""The automaton for all solutions has so many rows at the end."""
HIGHEST = 0x3333333322221100
"""The highest of four bits, by their number, a nibble each."""


class Line(NamedTuple):
    """The stack of positions still to enter (TOP of them), the line that led to the last, and counts."""

    stack: Any
    """uint64[entries, 4]: TILES, INDEX, MIRROR, WORD."""
    path: Any
    """uint64: the tiles after each slide."""
    tally: Any
    """int64: TOP, NODES, SOLUTIONS, CUT."""
    solutions: Any
    """Tiles after each move of the solutions found, as many as there is room for."""


@kernel
def slid(index: Any, tile: int, cell: Any, blank: Any, falls: Any, tiles: Any, marks: Any) -> tuple[Any, Any]:
    """The packed index after `tile` has gone from `cell` to the blank, and 1 if its sum has risen.

    `falls`: 1 if the tile goes right or down.
    """
    one = np.uint64(1)
    after = index ^ ((cell ^ blank) << tiles[tile, NIBBLE])
    placement = (after >> tiles[tile, GROUP]) & tiles[tile, MASK]
    stored = np.uint64(marks[tiles[tile, BASE] + placement]) >> cell
    changed = (index >> tiles[tile, SIGN] ^ stored) & one
    return after ^ (changed << tiles[tile, SIGN]), changed ^ falls


@kernel
def packed(tiles: Any, mirror: bool, patterns: Any) -> tuple[Any, int]:
    """The packed index of a position or its mirror image, and the sum of its three numbers."""
    index, total, blank = np.uint64(0), 0, np.uint64(0)
    for cell in range(CELLS):
        tile = np.int64(tiles >> np.uint64(4 * cell) & np.uint64(15))
        seen = patterns.mirrored[cell] if mirror else np.uint64(cell)
        if tile == 0:
            blank = seen
        else:
            index |= seen << patterns.tiles[tile + MIRRORED if mirror else tile, NIBBLE]
    cells = index
    for group in range(len(patterns.groups)):
        size, first, base = patterns.groups[group]
        placement = np.int64(cells >> np.uint64(first)) & ((1 << 4 * size) - 1)
        marks = patterns.marks[base : base + (1 << 4 * size)]
        total += walk_home(placement, size, np.int64(blank), marks)
        index |= np.uint64(marks[placement] >> np.int64(blank) & 1) << np.uint64(FIRST_SIGN + group)
    return index, total


@kernel
def bounds(tiles: Any, patterns: Any) -> tuple[int, int]:
    """The sum of the three numbers of a position, and that of its mirror image."""
    return packed(tiles, False, patterns)[1], packed(tiles, True, patterns)[1]


@kernel
def begin(tiles: Any, limit: int, find_all: bool, line: Any, patterns: Any) -> None:
    """Put a position on the stack, if its lower bound allows the limit; clear the counts."""
    index, left = packed(tiles, False, patterns)
    mirror, mirror_left = packed(tiles, True, patterns)
    line.tally[:] = 0
    if max(left, mirror_left) > limit:
        line.tally[CUT] = 1
        return
    blank = 0
    while tiles >> np.uint64(4 * blank) & np.uint64(15):
        blank += 1
    state = len(patterns.turns) - ALL_BUT_BACK if find_all else 0
    spare = ((limit - left) >> 1) << SPARE | ((limit - mirror_left) >> 1) << MIRROR_SPARE
    line.stack[0, TILES], line.stack[0, INDEX], line.stack[0, MIRROR] = tiles, index, mirror
    line.stack[0, WORD] = blank | spare | state << STATE
    line.tally[TOP] = 1


@kernel
def arrive(line: Any, depth: int) -> None:
    """Count a solution, and keep it while there is room."""
    if line.tally[SOLUTIONS] < len(line.solutions):
        line.solutions[line.tally[SOLUTIONS], :depth] = line.path[1 : depth + 1]
    line.tally[SOLUTIONS] += 1


@kernel
def descend(line: Any, home: Any, find_all: bool, budget: int, patterns: Any) -> int:
    """Search on for at most `budget` nodes. Returns PAUSED or FINISHED.

    Unsigned numbers all through: with signed ones every look-up would be tested for a negative index.
    """
    none, one, two, fifteen = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(15)
    byte, row_bits = np.uint64(255), np.uint64((1 << STATE_BITS) - 1)
    stack, marks, rows, near = line.stack, patterns.marks, patterns.tiles, patterns.near
    top, nodes, cut = np.uint64(line.tally[TOP]), line.tally[NODES], line.tally[CUT]
    last = nodes + budget
    while top > none and nodes < last:
        top -= one
        nodes += 1
        tiles, index, mirror, word = (
            stack[top, TILES],
            stack[top, INDEX],
            stack[top, MIRROR],
            stack[top, WORD],
        )
        depth = word >> np.uint64(DEPTH) & byte
        line.path[depth] = tiles
        if tiles == home:
            arrive(line, np.int64(depth))
            top = top if find_all else none
            continue
        blank = word & fifteen
        there = patterns.mirrored[blank]
        spare, spare_there = word >> np.uint64(SPARE) & byte, word >> np.uint64(MIRROR_SPARE) & byte
        turn = patterns.turns[word >> np.uint64(STATE)]
        ways = turn >> np.uint64(ALLOWED) & patterns.inside[blank]
        while ways != none:
            way = np.uint64(HIGHEST) >> (ways << two) & np.uint64(3)
            ways ^= one << way
            cell = near[blank << two | way]
            tile = tiles >> (cell << two) & fifteen
            falls = one ^ way >> one
            after, rise = slid(index, tile, cell, blank, falls, rows, marks)
            turned, rise_there = slid(
                mirror, tile + np.uint64(MIRRORED), patterns.mirrored[cell], there, falls, rows, marks
            )
            stack[top, TILES] = tiles ^ (tile << (cell << two)) ^ (tile << (blank << two))
            stack[top, INDEX], stack[top, MIRROR] = after, turned
            left = (spare - rise) << np.uint64(SPARE) | (spare_there - rise_there) << np.uint64(MIRROR_SPARE)
            state = turn >> way * np.uint64(STATE_BITS) & row_bits
            stack[top, WORD] = cell | left | (depth + one) << np.uint64(DEPTH) | state << np.uint64(STATE)
            fits = np.uint64(spare >= rise) & np.uint64(spare_there >= rise_there)
            top += fits
            cut += np.int64(one - fits)
    line.tally[TOP], line.tally[NODES], line.tally[CUT] = np.int64(top), nodes, cut
    return PAUSED if top > none else FINISHED


def empty_line(solutions: int = 1) -> Line:
    """A line with room for every position of the puzzle (80 moves at most) and so many solutions."""
    stack, path = (
        np.zeros((MOST_SLIDES * (MOST_MOVES + 2), 4), np.uint64),
        np.zeros(MOST_MOVES + 2, np.uint64),
    )
    tally, found = np.zeros(4, np.int64), np.zeros((solutions, MOST_MOVES), np.uint64)
    return Line(stack, path, tally, found)


def lower_bound(tiles: int) -> int:
    """The greater of both sums."""
    return int(max(bounds(np.uint64(tiles), load())))


def slices(line: Line, tiles: int, limit: int, find_all: bool, size: int) -> Iterator[int]:
    """Search one limit, yielding the nodes so far between slices of so many."""
    begin(np.uint64(tiles), limit, find_all, line, load())
    home = sliding_tables(4).home[()]
    while descend(line, home, find_all, size, load()) == PAUSED:
        yield int(line.tally[NODES])
