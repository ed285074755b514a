"""Pattern databases that know where the blank may be: placements of a group of tiles, and a region.

The cells that the group's tiles leave free fall into regions that the blank cannot leave without moving one
of them. A *block* is a set of taken cells with one such region; an entry is a block and an order of the tiles
in the taken cells. Sliding a tile of another group keeps the entry, sliding one of the group's leads to an
entry one further or one nearer. So the number found here is consistent (docs/lower-bounds.md).
"""

import itertools
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import kernel
from hoppers.puzzles.sliding.rules import sliding_tables

CELLS = 16
UNSEEN = 255
PASSED = 3
"""A tile that moves up or down passes at most so many others in the order of the cells."""


class Blocks(NamedTuple):
    """All sets of so many taken cells with a region of the blank, in order."""

    number: Any
    """int64[65536, 16]: block by taken cells and blank, -1 if there is none."""
    taken: Any
    regions: Any
    """Cells as bits, by block."""


class Orders(NamedTuple):
    """All orders of a group's tiles in the cells they take."""

    tiles: Any
    """uint8[orders, tiles]: the group's tile in the first, second, … taken cell."""
    passing: Any
    """uint16[orders, tiles, 7]: the order once a tile has passed 0 to 3 others, from PASSED backwards too."""


@kernel
def region_of(taken: int, blank: int) -> int:
    """The cells the blank can reach without moving a tile of the group, as bits."""
    region, grown = 0, 1 << blank
    while grown != region:
        region = grown
        grown |= (region & 0xEEEE) >> 1 | (region & 0x7777) << 1 | region >> 4 | region << 4
        grown &= 0xFFFF & ~taken
    return region


@cache
def blocks(tiles: int) -> Blocks:
    """The blocks of groups of so many tiles."""
    number = np.full((1 << CELLS, CELLS), -1, np.int64)
    taken: list[int] = []
    regions: list[int] = []
    for cells in range(1 << CELLS):
        if cells.bit_count() != tiles:
            continue
        for blank in range(CELLS):
            if not cells >> blank & 1 and number[cells, blank] < 0:
                region = region_of(cells, blank)
                number[cells, [cell for cell in range(CELLS) if region >> cell & 1]] = len(taken)
                taken.append(cells)
                regions.append(region)
    return Blocks(number, np.array(taken, np.int64), np.array(regions, np.int64))


@cache
def orders(tiles: int) -> Orders:
    """The orders of groups of so many tiles."""
    listed = list(itertools.permutations(range(tiles)))
    number = {order: place for place, order in enumerate(listed)}
    passing = np.zeros((len(listed), tiles, 2 * PASSED + 1), np.uint16)
    for (place, order), tile in itertools.product(enumerate(listed), range(tiles)):
        at, rest = order.index(tile), [other for other in order if other != tile]
        for to in range(max(0, at - PASSED), min(tiles, at + PASSED + 1)):
            passing[place, tile, to - at + PASSED] = number[(*rest[:to], tile, *rest[to:])]
    return Orders(np.array(listed, np.uint8), passing)


@kernel
def moves_of(block: int, shapes: Any, neighbours: Any, moves: Any) -> int:
    """Write the moves of a group's tiles in a block: place in the order, passed + PASSED, block after."""
    taken, count, place = shapes.taken[block], 0, 0
    for cell in range(CELLS):
        if not taken >> cell & 1:
            continue
        for target in neighbours[cell]:
            if target < 0 or not shapes.regions[block] >> target & 1:
                continue
            passed = 0
            for between in range(min(cell, target) + 1, max(cell, target)):
                passed += taken >> between & 1
            moves[count, 0] = place
            moves[count, 1] = PASSED + passed if target > cell else PASSED - passed
            moves[count, 2] = shapes.number[taken ^ (1 << cell) ^ (1 << target), cell]
            count += 1
        place += 1
    return count


@kernel
def grow(table: Any, shapes: Any, order: Any, neighbours: Any) -> None:
    """Fill uint8[blocks, orders], all UNSEEN but the home entry, with the moves of the group's own tiles.

    Breadth-first; a level is found by looking through the whole table, which is quicker than keeping lists.
    """
    moves = np.zeros((64, 3), np.int64)
    level, found = 0, 1
    while found > 0:
        found = 0
        for block in range(len(table)):
            count = -1
            for number in range(table.shape[1]):
                if table[block, number] != level:
                    continue
                if count < 0:
                    count = moves_of(block, shapes, neighbours, moves)
                for move in range(count):
                    tile = order.tiles[number, moves[move, 0]]
                    after = order.passing[number, tile, moves[move, 1]]
                    if table[moves[move, 2], after] == UNSEEN:
                        table[moves[move, 2], after] = level + 1
                        found += 1
        level += 1


def own_moves(group: tuple[int, ...]) -> Any:
    """The table of a group of tiles, in ascending order: uint8[blocks, orders]."""
    shapes, order = blocks(len(group)), orders(len(group))
    table = np.full((len(shapes.taken), len(order.tiles)), UNSEEN, np.uint8)
    home = sum(1 << tile - 1 for tile in group)
    table[shapes.number[home, CELLS - 1], 0] = 0
    grow(table, shapes, order, sliding_tables(4).neighbours)
    return table


def own_distances(group: tuple[int, ...]) -> Any:
    """The Manhattan distances of all entries of a group, in the shape of its table."""
    shapes, order = blocks(len(group)), orders(len(group))
    distances = sliding_tables(4).distances[:, list(group)].astype(np.uint8)
    cells = np.array(
        [[cell for cell in range(CELLS) if taken >> cell & 1] for taken in shapes.taken.tolist()]
    )
    total = np.zeros((len(shapes.taken), len(order.tiles)), np.uint8)
    for place in range(len(group)):
        total += distances[cells[:, place]][:, order.tiles[:, place]]
    return total
