"""Tables of a tile group that distinguish the regions of the blank, for additive pattern databases.

The cells that the tiles of a group leave free fall into regions. The blank cannot leave its region without
moving a tile of the group. Three words have a special meaning here:

- a *block* is a set of cells taken by the group, together with one region of the blank;
- an *order* is a permutation of the group's tiles: which tile is in the first, second, … taken cell;
- an *entry* of the table is a block and an order.

The value of an entry is the fewest moves of the group's own tiles that bring all of them home. Sliding a tile
of another group keeps the entry. Sliding a tile of the group leads to an entry whose value differs by exactly
one. The value is therefore a consistent lower bound (docs/lower-bounds.md).
"""

import itertools
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import kernel
from hoppers.puzzles.sliding.rules import sliding_tables

CELLS = 16
UNSEEN = 255
"""Value of an entry that has not been reached."""
MAX_PASSED = 3
"""Most tiles that one slide passes in reading order: three cells lie between vertical neighbours."""


class Blocks(NamedTuple):
    """All blocks (taken cells and a region of the blank) for one number of tiles, numbered from 0."""

    number: Any
    """int64[65536, 16]: block by taken cells (a bit mask) and cell of the blank, -1 if there is none."""
    taken: Any
    """int64[blocks]: bit mask of the taken cells."""
    regions: Any
    """int64[blocks]: bit mask of the cells of the blank's region."""


class Orders(NamedTuple):
    """All orders (permutations) of a group's tiles in their taken cells, numbered from 0."""

    tiles: Any
    """uint8[orders, tiles]: index in the group of the tile in the first, second, … taken cell."""
    passing: Any
    """uint16[orders, tiles, 7]: number of the order after a tile has passed `index - MAX_PASSED` others."""


@kernel
def region_of(taken: int, blank: int) -> int:
    """Return the bit mask of the cells that the blank can reach outside the cells in the bit mask `taken`."""
    region, grown = 0, 1 << blank
    while grown != region:
        region = grown
        # a flood fill of all four directions at once; the masks keep cells from leaving their row
        grown |= (region & 0xEEEE) >> 1 | (region & 0x7777) << 1 | region >> 4 | region << 4
        grown &= 0xFFFF & ~taken
    return region


@cache
def blocks(tiles: int) -> Blocks:
    """Return the blocks (taken cells and a region of the blank) of groups of `tiles` tiles."""
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
    """Return the orders (permutations) of groups of `tiles` tiles."""
    listed = list(itertools.permutations(range(tiles)))
    number = {order: place for place, order in enumerate(listed)}
    passing = np.zeros((len(listed), tiles, 2 * MAX_PASSED + 1), np.uint16)
    for (place, order), tile in itertools.product(enumerate(listed), range(tiles)):
        at, rest = order.index(tile), [other for other in order if other != tile]
        for to in range(max(0, at - MAX_PASSED), min(tiles, at + MAX_PASSED + 1)):
            passing[place, tile, to - at + MAX_PASSED] = number[(*rest[:to], tile, *rest[to:])]
    return Orders(np.array(listed, np.uint8), passing)


@kernel
def list_moves(block: int, shapes: Any, neighbours: Any, moves: Any) -> int:
    """Write all slides of the group's own tiles in a block to `moves`, and return the number of slides.

    A row of `moves` has three numbers:

    - rank of the tile's cell among the taken cells, from 0.
    - MAX_PASSED plus the number of group tiles that the tile passes in reading order, negative if backwards.
    - number of the block after the slide.

    `shapes`: see `Blocks`. `neighbours`: see `SlidingTables`.
    """
    taken, count, place = shapes.taken[block], 0, 0
    for cell in range(CELLS):
        if not taken >> cell & 1:
            continue
        for target in neighbours[cell]:
            if target < 0 or not shapes.regions[block] >> target & 1:
                continue
            # The order lists tiles by cell, so a vertical move changes it: the tile passes all tiles of the
            # group between both cells. After the move the blank is in the cell that the tile has left.
            passed = 0
            for between in range(min(cell, target) + 1, max(cell, target)):
                passed += taken >> between & 1
            moves[count, 0] = place
            moves[count, 1] = MAX_PASSED + passed if target > cell else MAX_PASSED - passed
            moves[count, 2] = shapes.number[taken ^ (1 << cell) ^ (1 << target), cell]
            count += 1
        place += 1
    return count


@kernel
def fill_breadth_first(table: Any, shapes: Any, order: Any, neighbours: Any) -> None:
    """Fill `table` with the fewest moves of the group's own tiles, by breadth-first search from home.

    `table` is uint8[blocks, orders]: UNSEEN at first, except for the home entry, which is 0.
    """
    moves = np.zeros((64, 3), np.int64)
    level, found = 0, 1
    while found > 0:
        found = 0
        # scanning the whole table for the entries of a level is faster than keeping lists of them
        for block in range(len(table)):
            count = -1
            for number in range(table.shape[1]):
                if table[block, number] != level:
                    continue
                if count < 0:  # the moves depend on the block only
                    count = list_moves(block, shapes, neighbours, moves)
                for move in range(count):
                    tile = order.tiles[number, moves[move, 0]]
                    after = order.passing[number, tile, moves[move, 1]]
                    if table[moves[move, 2], after] == UNSEEN:
                        table[moves[move, 2], after] = level + 1
                        found += 1
        level += 1


def fewest_own_moves(group: tuple[int, ...]) -> Any:
    """Return the table of a sorted group: fewest moves of its own tiles, uint8[blocks, orders]."""
    shapes, order = blocks(len(group)), orders(len(group))
    table = np.full((len(shapes.taken), len(order.tiles)), UNSEEN, np.uint8)
    home = sum(1 << tile - 1 for tile in group)
    table[shapes.number[home, CELLS - 1], 0] = 0
    fill_breadth_first(table, shapes, order, sliding_tables(4).neighbours)
    return table


def manhattan_sums(group: tuple[int, ...]) -> Any:
    """Return the sum of the group tiles' Manhattan distances for each entry: uint8[blocks, orders]."""
    shapes, order = blocks(len(group)), orders(len(group))
    distances = sliding_tables(4).distances[:, list(group)].astype(np.uint8)
    cells = np.array(
        [[cell for cell in range(CELLS) if taken >> cell & 1] for taken in shapes.taken.tolist()]
    )
    total = np.zeros((len(shapes.taken), len(order.tiles)), np.uint8)
    for place in range(len(group)):
        total += distances[cells[:, place]][:, order.tiles[:, place]]
    return total
