"""Additive pattern databases for 4x4 tiles: 6-6-3 with the blank's region, and their mirror image.

Tiles are put into three groups. A table holds, for every placement of a group and region of the blank, the
fewest moves of its own tiles that bring them home; as only own moves are counted, the three may be added
(Korf and Felner, "Disjoint pattern database heuristics", 2002). Reflecting the board in its diagonal gives a
second sum from the same tables. The grouping was chosen by measurement (docs/lower-bounds.md).

In memory a table is one bit per entry. A slide of one of the group's tiles changes its number by exactly one,
so bit 1 of the number says whether it rose, if one knows its parity. That of a placement is the parity of the
rows and columns of its tiles added up, so what is stored is bit 1 of the number exclusive-or bit 1 of that
sum (made even with the number): a tile that moves right or down raises the number if the stored bit stays,
one that moves left or up if it changes. Its number is found by walking home along slides that lower it.
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
    orders,
    own_distances,
    own_moves,
    region_of,
)
from hoppers.puzzles.sliding.duplicate_pruning import STEPS, turns
from hoppers.runtime import paths
from hoppers.search.slicing import Pauses, reported
from hoppers.search.slicing import slices as parts
from hoppers.tablebase import table_files
from hoppers.tablebase.builder import finish

SIDE = 4
GROUPS = ((2, 3, 4, 6, 7, 8), (10, 11, 12, 13, 14, 15), (1, 5, 9))
DATA = paths.DATA / "fifteen-6-6-3.xz"
FIRST_SIGN = 60
"""The packed index of all groups has their 15 cells of four bits, and above them their stored bits."""
MARKED_AT_ONCE = 64
"""Blocks of a group whose bits are stored between two pauses: each has up to 720 placements."""
NIBBLE, GROUP, MASK, BASE, SIGN = range(5)
MIRRORED = 16
"""Rows of `Patterns.tiles` for tiles in the mirror begin here."""


class Patterns(NamedTuple):
    """The tables, and all the search looks up. Everything is unsigned, mostly uint64."""

    marks: Any
    """uint16 by BASE + placement (four bits per tile, its cell): a stored bit for each cell of the blank."""
    tiles: Any
    """By tile, NIBBLE to SIGN: the shift of its cell, and its group's first shift, mask, base, and bit."""
    near: Any
    """By four times the blank's cell + direction (see `detours.STEPS`): the cell it goes to."""
    inside: Any
    """Per cell of the blank the directions that stay on the board, as bits."""
    mirrored: Any
    """Per cell its reflection in the diagonal."""
    turns: Any
    """The automata of `detours.turns`."""
    groups: Any
    """Per group: how many tiles, its first shift, its base."""


@kernel
def mark(table: Any, shapes: Any, order: Any, even: int, marks: Any) -> None:
    """Store the bits of a group's table by placement; `even` is added to the sum of rows and columns."""
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
                marks[placement] |= np.uint16(shapes.regions[block])


@kernel
def lower(placement: int, tiles: int, blank: int, marks: Any) -> int:
    """A placement with the blank's cell behind it (four bits) that is one move nearer, -1 at home."""
    taken = 0
    for tile in range(tiles):
        taken |= 1 << (placement >> 4 * tile & 15)
    region, stored = region_of(taken, blank), marks[placement] >> blank & 1
    for tile in range(tiles):
        cell = placement >> 4 * tile & 15
        for target in (cell - 4, cell - 1, cell + 1, cell + 4):
            beside = target >> 2 == cell >> 2 or target & 3 == cell & 3
            if target < 0 or target > 15 or not beside or not region >> target & 1:
                continue
            after = placement ^ ((cell ^ target) << 4 * tile)
            changed = stored ^ (marks[after] >> cell & 1)
            if changed == (target > cell):
                return after << 4 | cell
    return -1


@kernel
def walk_home(placement: int, tiles: int, blank: int, marks: Any) -> int:
    """The entry's number: how many slides lower it to nothing."""
    moves, entry = 0, placement << 4 | blank
    while entry >= 0:
        entry = lower(entry >> 4, tiles, entry & 15, marks)
        moves += 1
    return moves - 1


def build() -> tuple[list[Any], Any]:
    """All tables and the automata from nothing (a few seconds)."""
    return [own_moves(group) for group in GROUPS], turns()


def encode(tables: list[Any], automata: Any) -> bytes:
    """What is shipped: half of what the tables add to the Manhattan distance, then the automata."""
    added = [(table - own_distances(group)) >> 1 for group, table in zip(GROUPS, tables, strict=True)]
    parts = [part.astype(np.uint8).tobytes() for part in added]
    return b"".join([*parts, automata.astype("<u8").tobytes()])


def shipped() -> Pauses[bytes]:
    """What the file holds."""
    return decompressed(DATA.read_bytes())


def decode(content: bytes) -> Pauses[tuple[list[Any], Any]]:
    """The tables and automata of what `encode` made, one table at a time."""
    data = np.frombuffer(content, np.uint8)
    tables = []
    for group in GROUPS:
        shape = len(blocks(len(group)).taken), math.factorial(len(group))
        part, data = np.split(data, [math.prod(shape)])
        tables.append(2 * part.reshape(shape) + own_distances(group))
        yield
    return tables, data.copy().view("<u8").astype(np.uint64)


def is_loaded() -> bool:
    """Whether `load` would answer at once."""
    return load.cache_info().currsize > 0


@cache
def load() -> Patterns:
    """The shipped tables, unpacked (64 MB): by one process of the machine, which takes it about a second."""
    arrays = table_files.read_only(finish(table_files.shared(_kept_name(), _unpacked)) or {})
    rows, groups = _rows([1 << 4 * len(group) for group in GROUPS])
    mirrored = [cell % SIDE * SIDE + cell // SIDE for cell in range(CELLS)]
    twins = [0, *(mirrored[tile - 1] + 1 for tile in range(1, CELLS))]
    near = [_near(cell, direction) for cell in range(CELLS) for direction in range(4)]
    inside = [sum((near[4 * cell + way] >= 0) << way for way in range(4)) for cell in range(CELLS)]
    words = [rows + [rows[twin] for twin in twins], [max(cell, 0) for cell in near], inside, mirrored]
    tiles, ways, stays, images = (np.array(word, np.uint64) for word in words)
    counts = np.array(groups, np.int64)
    return Patterns(arrays["marks"], tiles, ways, stays, images, arrays["automata"], counts)


def _kept_name() -> str:
    """The name under which they are kept unpacked, another one for what is packed or unpacked otherwise."""
    digest = hashlib.sha256(DATA.read_bytes() + Path(__file__).read_bytes())
    return f"{DATA.stem}-{digest.hexdigest()[:12]}"


def _unpacked() -> Generator[float, None, table_files.Arrays]:
    content = yield from reported(0.0, shipped())
    tables, automata = yield from reported(0.2, decode(content))
    return {"marks": (yield from reported(0.5, _marks(tables))), "automata": automata}


def _marks(tables: list[Any]) -> Pauses[Any]:
    sizes = [1 << 4 * len(group) for group in GROUPS]
    marks = np.zeros(sum(sizes), np.uint16)
    for group, table, size, end in zip(GROUPS, tables, sizes, np.cumsum(sizes), strict=True):
        even = sum(sum(divmod(tile - 1, SIDE)) for tile in group) & 1
        shapes, order = blocks(len(group)), orders(len(group))
        for start, stop in parts(len(table), MARKED_AT_ONCE):
            some = shapes._replace(taken=shapes.taken[start:stop], regions=shapes.regions[start:stop])
            mark(table[start:stop], some, order, even, marks[end - size : end])
            yield
    return marks


def _near(cell: int, direction: int) -> int:
    row, column = cell // SIDE + STEPS[direction][0], cell % SIDE + STEPS[direction][1]
    return row * SIDE + column if 0 <= row < SIDE and 0 <= column < SIDE else -1


def _rows(sizes: list[int]) -> tuple[list[list[int]], list[list[int]]]:
    """The rows of `Patterns.tiles` and `Patterns.groups`."""
    rows, groups, first, base = [[0] * 5 for _ in range(CELLS)], [], 0, 0
    for number, (group, size) in enumerate(zip(GROUPS, sizes, strict=True)):
        for place, tile in enumerate(group):
            rows[tile] = [first + 4 * place, first, size - 1, base, FIRST_SIGN + number]
        groups.append([len(group), first, base])
        first, base = first + 4 * len(group), base + size
    return rows, groups
