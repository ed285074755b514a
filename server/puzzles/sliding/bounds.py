"""Lower bounds for sliding tiles, from weak to strong; none ever counts the blank."""

from collections import deque
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ...compiled import kernel
from .rules import home_cells, sliding_tables, tile_at

COUNT_BITS = 3
"""Bits of one entry of a walking-distance matrix: tiles of one home line in one line now, 0 to 4."""
HASH_BITS = 16
GOLDEN = 0x9E3779B97F4A7C15
"""Multiplier of Fibonacci hashing (Knuth, volume 3)."""


@kernel
def manhattan(state: Any, active: int, goal: int, tables: Any) -> int:
    """Each tile needs at least the slides to its home row and column."""
    total = 0
    for cell in range(len(tables.neighbours)):
        total += tables.distances[cell, tile_at(state, cell)]
    return total


@kernel
def conflicts(state: Any, side: int, first: int, stride: int, line: int, by_row: bool) -> Any:
    """How many tiles have to leave a line for the others in their home line to pass to their places.

    All of them but the longest run that is already in order.
    """
    homes, lengths = np.zeros(4, np.int64), np.zeros(4, np.int64)
    count, longest = 0, 0
    for place in range(side):
        tile = tile_at(state, first + place * stride) - 1
        if tile < 0 or (tile // side if by_row else tile % side) != line:
            continue
        homes[count], lengths[count] = (tile % side if by_row else tile // side), 1
        for before in range(count):
            if homes[before] < homes[count]:
                lengths[count] = max(lengths[count], lengths[before] + 1)
        longest = max(longest, lengths[count])
        count += 1
    return count - longest


@kernel
def linear_conflict(state: Any, active: int, goal: int, tables: Any) -> Any:
    """Manhattan distance, and two moves for every tile that has to step out of its home line.

    Hansson, Mayer and Yung, "Criticizing solutions to relaxed models yields powerful admissible
    heuristics" (1992).
    """
    side = 3 if len(tables.neighbours) == 9 else 4
    total = manhattan(state, active, goal, tables)
    for line in range(side):
        total += 2 * conflicts(state, side, line * side, 1, line, True)
        total += 2 * conflicts(state, side, line, side, line, False)
    return total


class WalkingTables(NamedTuple):
    """The rules' tables, and a hash table from line-count matrices to their distance from home."""

    neighbours: Any
    distances: Any
    home: Any
    keys: Any
    """uint64[2**HASH_BITS], open addressing, 0 where empty."""
    walks: Any
    """uint8, beside the keys."""


@kernel
def slot_of(key: Any, keys: Any) -> Any:
    """Where the key stands in the hash table, or would."""
    slot = np.int64(key * np.uint64(GOLDEN) >> np.uint64(64 - HASH_BITS))
    while keys[slot] != np.uint64(0) and keys[slot] != key:
        slot = (slot + 1) & ((1 << HASH_BITS) - 1)
    return slot


@kernel
def walking_distance(state: Any, active: int, goal: int, tables: Any) -> Any:
    """Vertical moves if only rows mattered, plus horizontal moves if only columns did.

    Ken'ichiro Takahashi's walking distance (15 puzzle solver, 2001).
    """
    side = 3 if len(tables.neighbours) == 9 else 4
    rows, columns = np.uint64(0), np.uint64(0)
    for cell in range(side * side):
        tile = tile_at(state, cell) - 1
        if tile >= 0:
            rows += np.uint64(1) << np.uint64(COUNT_BITS * (cell // side * side + tile // side))
            columns += np.uint64(1) << np.uint64(COUNT_BITS * (cell % side * side + tile % side))
    walks = np.int64(tables.walks[slot_of(rows, tables.keys)])
    return walks + np.int64(tables.walks[slot_of(columns, tables.keys)])


@cache
def walking_tables(side: int) -> WalkingTables:
    """The tables of the walking distance, by breadth-first search over count matrices from home."""
    keys, walks = np.zeros(1 << HASH_BITS, np.uint64), np.zeros(1 << HASH_BITS, np.uint8)
    for matrix, distance in _walk_from_home(side).items():
        key = np.uint64(sum(count << COUNT_BITS * place for place, count in enumerate(matrix)))
        slot = slot_of(key, keys)
        keys[slot], walks[slot] = key, distance
    return WalkingTables(*sliding_tables(side), keys, walks)


def _walk_from_home(side: int) -> dict[tuple[int, ...], int]:
    """Distance of every matrix: matrix[line now * side + home line] counts tiles; one line has a gap."""
    homes = [tile - 1 for tile in home_cells(side) if tile]
    lines = [(now, line) for now in range(side) for line in range(side)]
    start = tuple(sum(home // side == now == line for home in homes) for now, line in lines)
    distances, queue = {start: 0}, deque([start])
    while queue:
        matrix = queue.popleft()
        gap = next(now for now in range(side) if sum(matrix[now * side : now * side + side]) < side)
        for after in _walks(matrix, gap, side):
            if after not in distances:
                distances[after] = distances[matrix] + 1
                queue.append(after)
    return distances


def _walks(matrix: tuple[int, ...], gap: int, side: int) -> list[tuple[int, ...]]:
    """The matrices after one tile has moved from a neighbouring line into the line with the gap."""
    found = []
    for now in (gap - 1, gap + 1):
        for line in range(side):
            if 0 <= now < side and matrix[now * side + line]:
                after = list(matrix)
                after[now * side + line] -= 1
                after[gap * side + line] += 1
                found.append(tuple(after))
    return found
