"""Additive pattern databases for tiles in rows of four: groups of tiles, with the blank's region.

The tiles form some groups. For every placement of a group and region of the blank, a table holds the fewest
moves of the group's own tiles that bring them home. Only own moves are counted, so the values of the groups
may be added. Sources: Culberson and Schaeffer, "Pattern databases" (1996); added: Korf and Felner,
"Disjoint pattern database heuristics" (2002); the blank's region and one bit per entry: Clausecker and
Reinefeld (2019), after Breyer and Korf (1.6 bits, 2010). Reflecting a square in its
diagonal gives a second sum from the same tables; another board has other groups for it. The groups were
chosen by measurement (docs/lower-bounds.md).

The cells that the tiles of a group leave free form connected regions. The blank cannot leave its region
without moving a tile of the group. Three words have a special meaning here:

- a *block* is a set of cells taken by the group, together with one region of the blank;
- an *order* is a permutation of the group's tiles: which tile is in the first, second, … taken cell;
- an *entry* of the table is a block and an order.

Sliding a tile of another group keeps the entry. Sliding a tile of the group leads to an entry whose value
differs by exactly one. The value is therefore a consistent lower bound.

Of the value of an entry only one bit is in memory, once for each cell of the blank's region. The placement of
a group determines the parity of the value, so bit 1 of the value before and after a slide shows whether the
slide raised the value. Let the sum of a placement be the rows and columns of its tiles added up, plus 1 if
necessary to have the value's parity. The stored bit is bit 1 of the value XOR bit 1 of the sum. A tile that
moves right or down raises the sum by one. Then the value rises if the stored bits before and after are equal,
and falls if they differ. For a tile that moves left or up it is the other way round. The value itself is the
number of slides on a descent to home, each of which lowers it.

A board with fewer than four rows is the upper part of the square: the cells of the other rows count as taken.

The tables are built once per machine and version of the program, in about five seconds for the square, and
stored in a file.
"""

import itertools
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.board import Board
from hoppers.core.kernels import kernel
from hoppers.core.machine_code import SOURCES_DIGEST
from hoppers.core.model import Progressing
from hoppers.puzzles.sliding.duplicate_pruning import SIDE, STEPS, state_machines
from hoppers.puzzles.sliding.rules import ELEVEN_BOARD, FIFTEEN_BOARD, sliding_tables
from hoppers.runtime.builder import finish
from hoppers.tablebase import table_files

CELLS = 16
UNSEEN = 255  # value of an entry that has not been reached
MAX_PASSED = 3
"""Most tiles that one slide passes in reading order: three cells lie between vertical neighbours."""
Group = tuple[int, ...]
SQUARE_GROUPS = ((2, 3, 4, 6, 7, 8), (10, 11, 12, 13, 14, 15), (1, 5, 9))
GROUPS: dict[Board, tuple[tuple[Group, ...], tuple[Group, ...]]] = {
    FIFTEEN_BOARD: (SQUARE_GROUPS, SQUARE_GROUPS),
    ELEVEN_BOARD: (
        ((1, 2, 5, 6, 9), (3, 4, 7, 8, 11), (10,)),
        ((1, 2, 3, 4, 8), (5, 6, 9, 10, 11), (7,)),
    ),
}
"""Groups of the first and of the second sum."""
FIRST_STORED_BIT = 60
"""Lowest stored bit in a packed index (see `pattern_search`), above the 15 tiles' cells, four bits each."""
NIBBLE, GROUP, MASK, BASE, STORED_BIT = range(5)  # column numbers of `PatternTables.tiles`
MIRRORED = 16  # first row of `PatternTables.tiles` for the second sum


class EntryNumbers(NamedTuple):
    """Blocks and orders of groups with one number of tiles, both numbered from 0.

    The numbers of block and order are the row and column of an entry in the table of a group.
    """

    blocks: Any  # int64[bit masks, cells]: block by taken cells and cell of the blank, -1 if none
    taken: Any  # int64[blocks]: bit mask of the taken cells
    regions: Any  # int64[blocks]: bit mask of the cells of the blank's region
    orders: Any  # uint8[orders, tiles]: index in the group of the tile in the first, second, … taken cell
    passing: Any  # uint16[orders, tiles, 7]: […, i] is the order after a tile has passed i - 3 others


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
def entry_numbers(board: Board, tiles: int) -> EntryNumbers:
    """Return the numbers of the blocks and orders of groups of `tiles` tiles."""
    return EntryNumbers(*_blocks(board, tiles), *_orders(tiles))


def closed_cells(board: Board) -> int:
    """Return the bit mask of the cells of the square that the board does not have."""
    return (1 << CELLS) - (1 << len(board.points))


def _blocks(board: Board, tiles: int) -> tuple[Any, Any, Any]:
    """Return the first three arrays of `EntryNumbers`."""
    size, closed = len(board.points), closed_cells(board)
    number = np.full((1 << size, size), -1, np.int64)
    taken: list[int] = []
    regions: list[int] = []
    for cells in range(1 << size):
        if cells.bit_count() != tiles:
            continue
        for blank in range(size):
            if not cells >> blank & 1 and number[cells, blank] < 0:
                region = region_of(cells | closed, blank)
                number[cells, [cell for cell in range(size) if region >> cell & 1]] = len(taken)
                taken.append(cells)
                regions.append(region)
    return number, np.array(taken, np.int64), np.array(regions, np.int64)


def _orders(tiles: int) -> tuple[Any, Any]:
    """Return the last two arrays of `EntryNumbers`."""
    orders = list(itertools.permutations(range(tiles)))
    number = {order: place for place, order in enumerate(orders)}
    passing = np.zeros((len(orders), tiles, 2 * MAX_PASSED + 1), np.uint16)
    for (place, order), tile in itertools.product(enumerate(orders), range(tiles)):
        at, rest = order.index(tile), [other for other in order if other != tile]
        for to in range(max(0, at - MAX_PASSED), min(tiles, at + MAX_PASSED + 1)):
            passing[place, tile, to - at + MAX_PASSED] = number[(*rest[:to], tile, *rest[to:])]
    return np.array(orders, np.uint8), passing


@kernel
def list_moves(block: int, numbers: Any, near: Any, moves: Any) -> int:
    """Write all slides of the group's own tiles in a block to `moves`, and return the number of slides.

    There are at most 24. A row of `moves` has three numbers:

    - rank of the tile's cell among the taken cells, from 0.
    - MAX_PASSED plus the number of group tiles that the tile passes in reading order, negative if backwards.
    - number of the block after the slide.

    `numbers`: see `EntryNumbers`. `near`: see `_neighbours`.
    """
    taken, count, place = numbers.taken[block], 0, 0
    for cell in range(CELLS):
        if not taken >> cell & 1:
            continue
        for target in near[cell]:
            if target < 0 or not numbers.regions[block] >> target & 1:
                continue
            # The order lists tiles by cell, so a vertical move changes it: the tile passes all tiles of the
            # group between both cells. After the move the blank is in the cell that the tile has left.
            passed = 0
            for between in range(min(cell, target) + 1, max(cell, target)):
                passed += taken >> between & 1
            moves[count, 0] = place
            moves[count, 1] = MAX_PASSED + passed if target > cell else MAX_PASSED - passed
            moves[count, 2] = numbers.blocks[taken ^ (1 << cell) ^ (1 << target), cell]
            count += 1
        place += 1
    return count


@kernel
def fill_breadth_first(table: Any, numbers: Any, near: Any) -> None:
    """Fill `table` with the fewest moves of the group's own tiles, by breadth-first search from home.

    `table` is uint8[blocks, orders]: UNSEEN at first, except for the home entry, which is 0. `numbers`: see
    `EntryNumbers`. `near`: see `_neighbours`.
    """
    moves = np.zeros((64, 3), np.int64)
    level, found = 0, 1
    while found > 0:
        found = 0
        # scanning the whole table for the entries of a level is faster than keeping lists of them
        for block in range(len(table)):
            count = -1
            for order in range(table.shape[1]):
                if table[block, order] != level:
                    continue
                if count < 0:  # the moves depend on the block only
                    count = list_moves(block, numbers, near, moves)
                for move in range(count):
                    tile = numbers.orders[order, moves[move, 0]]
                    after = numbers.passing[order, tile, moves[move, 1]]
                    if table[moves[move, 2], after] == UNSEEN:
                        table[moves[move, 2], after] = level + 1
                        found += 1
        level += 1


def fewest_own_moves(board: Board, group: Group) -> Any:
    """Return the table of a sorted group: fewest moves of its own tiles, uint8[blocks, orders]."""
    numbers = entry_numbers(board, len(group))
    table = np.full((len(numbers.taken), len(numbers.orders)), UNSEEN, np.uint8)
    home = sum(1 << tile - 1 for tile in group)
    table[numbers.blocks[home, len(board.points) - 1], 0] = 0
    fill_breadth_first(table, numbers, _neighbours(board))
    return table


def fewest_moves_of(board: Board, tiles: Sequence[int], cells: Sequence[int]) -> int:
    """Return the fewest moves of some tiles' own that bring them home.

    `tiles`: at least one. `cells`: the tile in each cell of a position, 0 for the blank. The table of the
    group is built anew, which takes half a second for six tiles.
    """
    group = tuple(sorted(tiles))
    numbers, table = entry_numbers(board, len(group)), fewest_own_moves(board, group)
    own = [tile for tile in cells if tile in group]
    taken = sum(1 << cells.index(tile) for tile in own)
    order = [group.index(tile) for tile in own]
    (number,) = np.flatnonzero((numbers.orders == order).all(axis=1))
    return int(table[numbers.blocks[taken, cells.index(0)], number])


class PatternTables(NamedTuple):
    """All arrays that the search of a board looks up, of uint64 unless named otherwise."""

    bits: Any  # uint16[base + placement]: a stored bit per cell of the blank; a placement has 4 bits per tile
    tiles: Any  # [tile, column], from MIRRORED on for the second sum: see `_tile_rows`
    near: Any  # [4 * cell + direction]: cell the blank moves to, 0 off the board (see `STEPS`)
    inside: Any  # [cell]: bit mask of the directions in which the blank stays on the board
    mirrored: Any  # [cell]: the cell in the second sum: its reflection in the diagonal of a square, or itself
    machines: Any  # the finite-state machines of `duplicate_pruning.state_machines`
    groups: Any  # int64[sum, group, 3]: number of tiles, first shift, base
    home: Any  # a 0-d array: the solved state
    closed: int  # bit mask of the cells of the square that the board does not have


@kernel
def store_bits(table: Any, numbers: Any, even: int, bits: Any) -> None:
    """Fill `bits` (uint16[placements], all 0 at first) with the stored bits of a group.

    `table`: uint8[blocks, orders], the values. `numbers`: see `EntryNumbers`. `even`: 0 or 1, added to the
    sum of rows and columns to give that sum the parity of the value.
    """
    cells, size = np.zeros(CELLS, np.int64), numbers.orders.shape[1]
    for block in range(len(table)):
        place, added = 0, even
        for cell in range(CELLS):
            if numbers.taken[block] >> cell & 1:
                cells[place] = cell
                place, added = place + 1, added + cell // 4 + cell % 4
        for order in range(table.shape[1]):
            if (table[block, order] ^ added) >> 1 & 1:
                placement = 0
                for place in range(size):
                    placement |= cells[place] << 4 * numbers.orders[order, place]
                # blocks with equal cells share a placement: each fills the cells of its own region
                bits[placement] |= np.uint16(numbers.regions[block])


@kernel
def next_on_descent(placement: int, tiles: int, blank: int, closed: int, bits: Any) -> int:
    """Return an entry that is one move of the group's tiles nearer to home, or -1 at home.

    The result is `placement << 4 | blank`.

    `placement`: cells of the group's tiles, 4 bits each. `tiles`: number of tiles. `blank`: cell of the
    blank. All these cells must differ. `closed`: see `PatternTables`. `bits`: stored bits of the group.
    """
    taken = closed
    for tile in range(tiles):
        taken |= 1 << (placement >> 4 * tile & 15)
    region, stored = region_of(taken, blank), bits[placement] >> blank & 1
    for tile in range(tiles):
        cell = placement >> 4 * tile & 15
        for target in (cell - 4, cell - 1, cell + 1, cell + 4):
            adjacent = target >> 2 == cell >> 2 or target & 3 == cell & 3
            if target < 0 or target > 15 or not adjacent or not region >> target & 1:
                continue
            after = placement ^ ((cell ^ target) << 4 * tile)
            # the tile leaves `cell` to the blank; a falling value has a changed bit exactly if the sum rises
            changed = stored ^ (bits[after] >> cell & 1)
            if changed == (target > cell):
                return after << 4 | cell
    return -1


@kernel
def own_moves_left(placement: int, tiles: int, blank: int, closed: int, bits: Any) -> int:
    """Return the value of an entry: the fewest moves of the group's tiles, counted on a descent to home.

    The parameters are those of `next_on_descent`. If cells were equal, the descent might not end.
    """
    moves, entry = 0, placement << 4 | blank
    while entry >= 0:
        entry = next_on_descent(entry >> 4, tiles, entry & 15, closed, bits)
        moves += 1
    return moves - 1


@cache
def load(board: Board) -> PatternTables:
    """Return the tables (64 MB of stored bits for the square) from a file.

    They are built first if this machine does not have the file.
    """
    cells, name = len(board.points), f"tiles-{len(board.points)}-{SOURCES_DIGEST}"
    arrays = table_files.read_only(finish(table_files.shared(name, lambda: _build(board))))
    mirrored = [cell % SIDE * SIDE + cell // SIDE if cells == CELLS else cell for cell in range(cells)]
    first, second = (_tile_rows(board, groups) for groups in GROUPS[board])
    twins = [0, *(mirrored[tile - 1] + 1 for tile in range(1, cells))]
    near = _neighbours(board)
    inside = (near >= 0) @ [1, 2, 4, 8]  # as bit masks
    words = [first + [second[twin] for twin in twins], near.clip(0).ravel(), inside, mirrored]
    tiles, targets, stays, images = (np.array(word, np.uint64) for word in words)
    groups = np.array([_group_rows(board, groups) for groups in GROUPS[board]], np.int64)
    home, closed = sliding_tables(board).home, closed_cells(board)
    machines = arrays["machines"]
    return PatternTables(arrays["bits"], tiles, targets, stays, images, machines, groups, home, closed)


def _bases(board: Board) -> dict[Group, int]:
    """Return the index of the first stored bits of each group of a board, each group once."""
    bases, base = dict[Group, int](), 0
    for group in dict.fromkeys(itertools.chain(*GROUPS[board])):
        bases[group], base = base, base + (1 << 4 * len(group))
    return bases


def _build(board: Board) -> Progressing[table_files.Arrays]:
    """Build the stored bits of all groups and the finite-state machines. Yield the progress 0 once, first."""
    yield 0.0
    bases = _bases(board)
    last = max(bases, key=lambda group: bases[group])
    bits = np.zeros(bases[last] + (1 << 4 * len(last)), np.uint16)
    for group, base in bases.items():
        even = sum(sum(divmod(tile - 1, SIDE)) for tile in group) & 1
        own = bits[base : base + (1 << 4 * len(group))]
        store_bits(fewest_own_moves(board, group), entry_numbers(board, len(group)), even, own)
    return {"bits": bits, "machines": state_machines()}


def _neighbours(board: Board) -> Any:
    """Return the neighbour of each cell in each direction (see `STEPS`), int64[cell, direction]; -1: none."""
    cells = len(board.points)
    padded = np.pad(np.arange(cells).reshape(-1, SIDE), 1, constant_values=-1)
    corners = [(1 + down, 1 + right) for down, right in STEPS]
    rows = cells // SIDE
    return np.stack([padded[row : row + rows, column : column + SIDE].ravel() for row, column in corners], 1)


def _group_rows(board: Board, groups: Sequence[Group]) -> list[tuple[int, int, int]]:
    """Return number of tiles, first shift and base of each group of a sum."""
    rows, bases, first = [], _bases(board), 0
    for group in groups:
        rows.append((len(group), first, bases[group]))
        first += 4 * len(group)
    return rows


def _tile_rows(board: Board, groups: Sequence[Group]) -> list[list[int]]:
    """Return the rows of `PatternTables.tiles` for the groups of a sum.

    The columns are the shift of the tile's cell in an index, and its group's first shift, mask, base and bit.
    """
    rows = [[0] * 5 for _ in range(CELLS)]
    for number, (size, first, base) in enumerate(_group_rows(board, groups)):
        for place, tile in enumerate(groups[number]):
            mask = (1 << 4 * size) - 1
            rows[tile] = [first + 4 * place, first, mask, base, FIRST_STORED_BIT + number]
    return rows
