"""Additive pattern databases for 4x4 tiles: groups of 6, 6 and 3 tiles, with the blank's region.

The tiles form three groups. For every placement of a group and region of the blank, a table holds the fewest
moves of the group's own tiles that bring them home. Only own moves are counted, so the three values may be
added. Source: Korf and Felner, "Disjoint pattern database heuristics" (2002). Reflecting the board in its
diagonal gives a second sum from the same tables. The groups were chosen by measurement
(docs/lower-bounds.md).

In memory an entry is one bit. A slide of one of the group's tiles changes the entry's value by exactly one,
so bit 1 of the value tells whether the value rose, if its parity is known. Let the sum of a placement be the
rows and columns of its tiles added up, plus 1 if necessary to have the value's parity. The stored bit is bit
1 of the value XOR bit 1 of the sum. A tile that moves right or down raises the sum by one. Then the value
rises if the stored bits before and after are equal, and falls if they differ. For a tile that moves left or
up it is the other way round. The value itself is found by descending from entry to entry along slides that
lower it.
"""

import hashlib
import math
from collections.abc import Generator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import kernel
from hoppers.puzzles.pegs.tables.bundled import decompressed
from hoppers.puzzles.sliding.blank_regions import (
    CELLS,
    blocks,
    fewest_own_moves,
    manhattan_sums,
    orders,
    region_of,
)
from hoppers.puzzles.sliding.duplicate_pruning import STEPS, state_machines
from hoppers.runtime import paths
from hoppers.search.slicing import Pausable, report_progress
from hoppers.search.slicing import slices as parts
from hoppers.tablebase import table_files
from hoppers.tablebase.builder import finish

SIDE = 4
GROUPS = ((2, 3, 4, 6, 7, 8), (10, 11, 12, 13, 14, 15), (1, 5, 9))
DATA = paths.DATA / "fifteen-6-6-3.xz"
FIRST_STORED_BIT = 60
"""Lowest bit of the stored bits in a packed index, above the cells of the 15 tiles, four bits each."""
BLOCKS_PER_SLICE = 64
"""Blocks of a group whose bits are computed per slice: each has up to 720 placements."""
NIBBLE, GROUP, MASK, BASE, STORED_BIT = range(5)
"""Column numbers of `PatternTables.tiles`."""
MIRRORED = 16
"""First row of `PatternTables.tiles` for the mirror image."""


class PatternTables(NamedTuple):
    """All arrays that the search of the 15-puzzle looks up, of unsigned numbers except for `groups`."""

    bits: Any
    """uint16[BASE + placement]: a stored bit for each cell of the blank. A placement has 4 bits per tile."""
    tiles: Any
    """[tile, column]: shift of the tile's cell in an index; first shift, mask, base, bit of its group."""
    near: Any
    """[4 * cell + direction]: the cell the blank moves to (directions: `duplicate_pruning.STEPS`)."""
    inside: Any
    """[cell]: bit mask of the directions in which the blank stays on the board."""
    mirrored: Any
    """[cell]: reflection of the cell in the diagonal."""
    machines: Any
    """The finite-state machines of `duplicate_pruning.state_machines`."""
    groups: Any
    """int64[group, 3]: number of tiles, first shift, base."""


@kernel
def store_bits(table: Any, shapes: Any, order: Any, even: int, bits: Any) -> None:
    """Compute the stored bits of a group's table.

    Args:
        table: uint8[blocks, orders], the values.
        shapes: the blocks, see `blank_regions.Blocks`.
        order: the orders, see `blank_regions.Orders`.
        even: 0 or 1, added to the sum of rows and columns to give that sum the parity of the value.
        bits: uint16[placements], all 0 at first; filled in place.
    """
    cells, size = np.zeros(CELLS, np.int64), order.tiles.shape[1]
    for block in range(len(table)):
        place, added = 0, even
        for cell in range(CELLS):
            if shapes.taken[block] >> cell & 1:
                cells[place] = cell
                place, added = place + 1, added + cell // 4 + cell % 4
        for number in range(table.shape[1]):
            if (table[block, number] ^ added) >> 1 & 1:
                placement = 0
                for place in range(size):
                    placement |= cells[place] << 4 * order.tiles[number, place]
                # blocks with equal cells share a placement: each fills the cells of its own region
                bits[placement] |= np.uint16(shapes.regions[block])


@kernel
def next_on_descent(placement: int, tiles: int, blank: int, bits: Any) -> int:
    """Return an entry that is one move of the group's tiles nearer to home, or -1 at home.

    The result is `placement << 4 | blank`.

    Args:
        placement: cells of the group's tiles, 4 bits each.
        tiles: number of tiles.
        blank: cell of the blank.
        bits: stored bits of the group.
    """
    taken = 0
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
def own_moves_left(placement: int, tiles: int, blank: int, bits: Any) -> int:
    """Return the value of an entry: the fewest moves of the group's tiles, counted on a descent to home."""
    moves, entry = 0, placement << 4 | blank
    while entry >= 0:
        entry = next_on_descent(entry >> 4, tiles, entry & 15, bits)
        moves += 1
    return moves - 1


def build() -> tuple[list[Any], Any]:
    """Compute the table of each group and the finite-state machines, in a few seconds."""
    return [fewest_own_moves(group) for group in GROUPS], state_machines()


def encode(tables: list[Any], machines: Any) -> bytes:
    """Return the content of the bundled file: the tables, then the machines.

    A value exceeds the Manhattan distance by an even number. Half of that number is stored, because small
    numbers compress well.
    """
    added = [(table - manhattan_sums(group)) >> 1 for group, table in zip(GROUPS, tables, strict=True)]
    parts = [part.astype(np.uint8).tobytes() for part in added]
    return b"".join([*parts, machines.astype("<u8").tobytes()])


def read_bundled() -> Pausable[bytes]:
    """Return the decompressed content of the bundled file. Yield after each slice."""
    return decompressed(DATA.read_bytes())


def decode(content: bytes) -> Pausable[tuple[list[Any], Any]]:
    """Return the tables and machines that `encode` stored, one table per slice."""
    data = np.frombuffer(content, np.uint8)
    tables = []
    for group in GROUPS:
        shape = len(blocks(len(group)).taken), math.factorial(len(group))
        part, data = np.split(data, [math.prod(shape)])
        tables.append(2 * part.reshape(shape) + manhattan_sums(group))
        yield
    return tables, data.copy().view("<u8").astype(np.uint64)


def is_loaded() -> bool:
    """Return whether the tables are in memory, so that `load` returns at once."""
    return load.cache_info().currsize > 0


@cache
def load() -> PatternTables:
    """Return the bundled tables as stored bits (64 MB).

    One process of the machine unpacks the tables into a file, in about a second. All others map that file.
    """
    arrays = table_files.read_only(finish(table_files.shared(_cache_name(), _unpack)) or {})
    rows, groups = _tile_rows([1 << 4 * len(group) for group in GROUPS])
    mirrored = [cell % SIDE * SIDE + cell // SIDE for cell in range(CELLS)]
    twins = [0, *(mirrored[tile - 1] + 1 for tile in range(1, CELLS))]
    near = [_neighbour(cell, direction) for cell in range(CELLS) for direction in range(4)]
    inside = [sum((near[4 * cell + d] >= 0) << d for d in range(4)) for cell in range(CELLS)]
    words = [rows + [rows[twin] for twin in twins], [max(cell, 0) for cell in near], inside, mirrored]
    tiles, targets, stays, images = (np.array(word, np.uint64) for word in words)
    counts = np.array(groups, np.int64)
    return PatternTables(arrays["bits"], tiles, targets, stays, images, arrays["machines"], counts)


def _cache_name() -> str:
    """Return the file name of the unpacked tables, with a digest of the bundled file and this module."""
    digest = hashlib.sha256(DATA.read_bytes() + Path(__file__).read_bytes())
    return f"{DATA.stem}-{digest.hexdigest()[:12]}"


def _unpack() -> Generator[float, None, table_files.Arrays]:
    content = yield from report_progress(0.0, read_bundled())
    tables, machines = yield from report_progress(0.2, decode(content))
    return {"bits": (yield from report_progress(0.5, _packed_bits(tables))), "machines": machines}


def _packed_bits(tables: list[Any]) -> Pausable[Any]:
    sizes = [1 << 4 * len(group) for group in GROUPS]
    bits = np.zeros(sum(sizes), np.uint16)
    for group, table, size, end in zip(GROUPS, tables, sizes, np.cumsum(sizes), strict=True):
        even = sum(sum(divmod(tile - 1, SIDE)) for tile in group) & 1
        shapes, order = blocks(len(group)), orders(len(group))
        for start, stop in parts(len(table), BLOCKS_PER_SLICE):
            some = shapes._replace(taken=shapes.taken[start:stop], regions=shapes.regions[start:stop])
            store_bits(table[start:stop], some, order, even, bits[end - size : end])
            yield
    return bits


def _neighbour(cell: int, direction: int) -> int:
    row, column = cell // SIDE + STEPS[direction][0], cell % SIDE + STEPS[direction][1]
    return row * SIDE + column if 0 <= row < SIDE and 0 <= column < SIDE else -1


def _tile_rows(sizes: list[int]) -> tuple[list[list[int]], list[list[int]]]:
    """Return the rows of `PatternTables.tiles` and `PatternTables.groups`."""
    rows, groups, first, base = [[0] * 5 for _ in range(CELLS)], [], 0, 0
    for number, (group, size) in enumerate(zip(GROUPS, sizes, strict=True)):
        for place, tile in enumerate(group):
            rows[tile] = [first + 4 * place, first, size - 1, base, FIRST_STORED_BIT + number]
        groups.append([len(group), first, base])
        first, base = first + 4 * len(group), base + size
    return rows, groups
