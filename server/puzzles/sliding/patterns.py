"""Additive pattern databases for 4x4 tiles: 6-6-3 and its mirror image.

Tiles are put into three groups. A table holds, for every placement of a group, the fewest moves of its own
tiles that bring them home; as only own moves are counted, the three may be added (Korf and Felner,
"Disjoint pattern database heuristics", 2002). Reflecting the board in its diagonal gives a second sum from
the same tables. The grouping was chosen by measurement (docs/lower-bounds.md).

A placement's index has four bits per tile of the group: its cell. The shipped file holds, for the valid
placements in order of their index, half of what the table adds to the Manhattan distance, compressed.
"""

import lzma
import math
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...compiled import kernel
from .rules import sliding_tables

SIDE, CELLS = 4, 16
GROUPS = ((15, 14, 12, 11, 8, 7), (13, 10, 9, 6, 5, 1), (4, 3, 2))
DATA = Path(__file__).resolve().parents[2] / "data" / "fifteen-6-6-3.xz"
UNSEEN = 255


class Patterns(NamedTuple):
    """The three tables by index, and how a tile's cell enters the packed index of all groups (uint64).

    The packed index holds the groups' indices side by side; `shifts[tile]` is where the tile's cell stands
    in it, `mirror_shifts[tile]` where the cell of its mirror image does.
    """

    first: Any
    second: Any
    third: Any
    shifts: Any
    mirror_shifts: Any
    mirrored: Any
    """mirrored[cell]: the cell's reflection in the diagonal."""
    slides: Any
    """Per blank cell the directions it may go: nibbles of (cell step + 5), 0 ends them."""


@kernel
def grow(home: Any, neighbours: Any) -> Any:
    """The table of the group that lives in the cells `home`: uint8[16 ** tiles], UNSEEN if no placement.

    Breadth-first by moves of the group's tiles; the blank wanders free of charge, so each stretch of cells
    it can reach is flooded once. `seen` has one bit per placement and blank cell.
    """
    size = np.int64(1) << 4 * len(home)
    table, seen = np.full(size, UNSEEN, np.uint8), np.zeros(size, np.uint16)
    start = np.int64(0)
    for tile in range(len(home)):
        start |= home[tile] << 4 * tile
    frontier, count, moves = np.array([start << 4 | 15], np.uint32), 1, 0
    following, holder, flood = np.empty(0, np.uint32), np.empty(16, np.int64), np.empty(16, np.int64)
    while count > 0:
        if len(following) < 24 * count:
            following = np.empty(24 * count, np.uint32)
        above = 0
        for entry in range(count):
            placement, blank = np.int64(frontier[entry]) >> 4, np.int64(frontier[entry]) & 15
            if seen[placement] >> blank & 1:
                continue
            table[placement] = min(table[placement], moves)
            place(placement, len(home), holder)
            above = spread(placement, blank, holder, neighbours, seen, flood, following, above)
        frontier, following = following, frontier
        count, moves = above, moves + 1
    return table


@kernel
def place(placement: int, tiles: int, holder: Any) -> None:
    """Write which tile of the group each cell holds, -1 for none."""
    holder[:] = -1
    for tile in range(tiles):
        holder[placement >> 4 * tile & 15] = tile


@kernel
def spread(
    placement: int,
    blank: int,
    holder: Any,
    neighbours: Any,
    seen: Any,
    flood: Any,
    following: Any,
    above: int,
) -> int:
    """Flood the cells the blank can reach; append what a move of the group leads to. Returns the new end."""
    reached, flood[0], top = np.int64(seen[placement]) | 1 << blank, blank, 1
    while top > 0:
        top -= 1
        cell = flood[top]
        for direction in range(4):
            near = neighbours[cell, direction]
            if near < 0:
                break
            tile = holder[near]
            if tile < 0 and not reached >> near & 1:
                reached |= 1 << near
                flood[top] = near
                top += 1
            elif tile >= 0:
                after = placement ^ ((near ^ cell) << 4 * tile)
                if not seen[after] >> near & 1:
                    following[above] = after << 4 | near
                    above += 1
    seen[placement] = reached
    return above


def build() -> list[Any]:
    """All tables from nothing (about seven seconds)."""
    neighbours = sliding_tables(SIDE).neighbours
    return [grow(np.array([tile - 1 for tile in group], np.int64), neighbours) for group in GROUPS]


@kernel
def convert(group: Any, distances: Any, table: Any, added: Any, unpacking: bool) -> int:
    """Table to file or, unpacking, file to table: all valid placements in order. Returns how many."""
    count = 0
    for placement in range(len(table)):
        taken, total = 0, 0
        for place in range(len(group)):
            cell = placement >> 4 * place & 15
            taken |= 1 << cell
            total += distances[cell, group[place]]
        cells = 0
        for cell in range(16):
            cells += taken >> cell & 1
        if cells == len(group):
            if unpacking:
                table[placement] = total + 2 * added[count]
            else:
                added[count] = (table[placement] - total) >> 1
            count += 1
    return count


def _placements(group: tuple[int, ...]) -> int:
    return math.perm(CELLS, len(group))


def encode(tables: list[Any]) -> bytes:
    """The file's content; the same tables always give the same bytes."""
    distances = sliding_tables(SIDE).distances
    added = [np.empty(_placements(group), np.uint8) for group in GROUPS]
    for group, table, part in zip(GROUPS, tables, added, strict=True):
        convert(np.array(group), distances, table, part, False)
    return lzma.compress(np.concatenate(added).tobytes(), preset=9 | lzma.PRESET_EXTREME)


def decode(content: bytes) -> list[Any]:
    """The tables of a file's content."""
    added = np.frombuffer(bytearray(lzma.decompress(content)), np.uint8)
    tables, start = [], 0
    for group in GROUPS:
        table = np.full(1 << 4 * len(group), UNSEEN, np.uint8)
        part = added[start : start + _placements(group)]
        start += convert(np.array(group), sliding_tables(SIDE).distances, table, part, True)
        tables.append(table)
    return tables


def is_loaded() -> bool:
    """Whether `load` would answer at once."""
    return load.cache_info().currsize > 0


@cache
def load() -> Patterns:
    """The shipped tables, unpacked (33 MB); takes the better part of a second the first time."""
    mirrored = np.array([cell % SIDE * SIDE + cell // SIDE for cell in range(CELLS)], np.uint64)
    shifts, base = np.zeros(CELLS, np.uint64), 0
    for group in GROUPS:
        for place, tile in enumerate(group):
            shifts[tile] = base + 4 * place
        base += 4 * len(group)
    twins = [0, *(int(mirrored[tile - 1]) + 1 for tile in range(1, CELLS))]
    slides = np.array([_directions(cell) for cell in range(CELLS)], np.uint64)
    first, second, third = decode(DATA.read_bytes())
    return Patterns(first, second, third, shifts, shifts[twins], mirrored, slides)


def _directions(cell: int) -> int:
    near = [int(other) - cell for other in sliding_tables(SIDE).neighbours[cell] if other >= 0]
    return sum((step + 5) << 4 * place for place, step in enumerate(near))
