"""Lower bounds for both ends of a search: moves still to come, and moves that must have been made.

The holes are divided into regions. A move begins in exactly one hole, so numbers of moves that begin in
different regions add up. For each region a table gives, for every pattern of pegs in it, the fewest moves
that must still begin there before the goal's pattern is reached. Holes outside the region are taken to hold
whatever a jump needs. The table also gives the fewest moves that must have begun in the region since the
start. Two divisions are used, mirror images of each other, and the larger sum counts.

An active peg continues without a new move. With a peg of the region active, the moves to come may be one less
and the moves made one more; one bit per hole stores each difference. The tables are additive pattern
databases (Felner, Korf and Hanan, 2004).

Both bounds are consistent: along a line, the moves made plus the bound on the moves to come never fall, and
the bound on the moves made never rises by more than the moves made.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.board import Board, Permutation, Point
from hoppers.core.kernels import kernel
from hoppers.core.model import Position
from hoppers.puzzles.pegs.jump_masks import CHUNK_BITS, JumpList, chunk_tables, shift_groups

DIVISIONS, REGIONS = 2, 4  # divisions of the board, regions per division; constants, to unroll loops
FIELD_BITS = 12  # bits of a region in a word, and so the maximum number of its holes
FIELD = np.uint64((1 << FIELD_BITS) - 1)
UNREACHED = 255  # in place of a number of moves: no line leads to or from the pattern
MAX_BOUND = 15  # largest number of moves stored per region: larger ones are capped, which is admissible


class RegionTables(NamedTuple):
    """Tables of both bounds in the form that kernels use.

    A board is turned into one word per division, in which the holes of a region are neighbouring bits.
    """

    words: Any  # chunk of a board -> its bits in the word of each division: uint64[chunks, 2048, divisions]
    lines: Any  # number of a line -> bits of each division's word a jump toggles: uint64[lines, divisions]
    entries: Any
    """uint64[patterns of all regions]. Bits 0 to 7: moves to come. Bits 8 to 15: moves made. Bit 16 + n: one
    move less is to come if the peg in hole n of the region is active. Bit 32 + n: one move more was made."""
    shifts: Any  # uint64[divisions, holes]: lowest bit of the field of each hole's region
    offsets: Any  # uint64[divisions, holes]: first entry of each hole's region, or of the last row if in none
    places: Any  # uint64[divisions, holes]: number of each hole within its region


@kernel
def division_words(board: Any, words: Any) -> tuple[Any, Any]:
    """Return the word (uint64) of a board in each division, in which each region has FIELD_BITS bits."""
    first = second = np.uint64(0)
    for chunk in range(len(words)):
        bits = board >> np.uint64(CHUNK_BITS * chunk) & np.uint64((1 << CHUNK_BITS) - 1)
        first |= words[np.uint64(chunk), bits, 0]
        second |= words[np.uint64(chunk), bits, 1]
    return first, second


@kernel
def region_sum(word: Any, division: int, entries: Any) -> Any:
    """Return a word's summed entries in a division: moves to come in bits 0 to 7, made in bits 8 to 15.

    Higher bits have no meaning.
    """
    total = np.uint64(0)
    for region in range(REGIONS):
        field = word >> np.uint64(FIELD_BITS * region) & FIELD
        total += entries[np.uint64(division * REGIONS + region) << np.uint64(FIELD_BITS) | field]
    return total


@kernel
def rest_bounds(first: Any, second: Any, entries: Any) -> Any:
    """Return the bounds (to come, made) of a board without an active peg, from its word in each division."""
    one, other = region_sum(first, 0, entries), region_sum(second, 1, entries)
    to_come = max(one & np.uint64(255), other & np.uint64(255))
    made = max(one >> np.uint64(8) & np.uint64(255), other >> np.uint64(8) & np.uint64(255))
    return np.int64(to_come), np.int64(made)


@kernel
def bounds_of(board: Any, tables: Any) -> Any:
    """Return lower bounds on the moves to come and on the moves made, for a board without an active peg."""
    first, second = division_words(board, tables.words)
    return rest_bounds(first, second, tables.entries)


@kernel
def active_bounds(first: Any, second: Any, line: Any, hole: Any, tables: Any) -> tuple[Any, Any]:
    """Return the bounds (to come, made) after a jump in `line` that leaves the peg in `hole` active.

    The jump is made or taken back. `first`, `second`: words of the board before that, in each division.
    """
    to_come, made = np.uint64(0), np.uint64(0)
    for division in range(DIVISIONS):
        word = (first if division == 0 else second) ^ tables.lines[line, np.uint64(division)]
        total = region_sum(word, division, tables.entries)
        own = word >> tables.shifts[np.uint64(division), hole] & FIELD
        changes = (
            tables.entries[tables.offsets[np.uint64(division), hole] | own]
            >> tables.places[np.uint64(division), hole]
        )
        to_come = max(to_come, (total & np.uint64(255)) - (changes >> np.uint64(16) & np.uint64(1)))
        made = max(made, (total >> np.uint64(8) & np.uint64(255)) + (changes >> np.uint64(32) & np.uint64(1)))
    return np.int64(to_come), np.int64(made)


@kernel
def moves_to_come(state: Any, active: int, tables: Any) -> Any:
    """Return a lower bound on the moves to come of a position, of which the active peg may save one.

    `tables`: `RegionTables` for the solved boards of the goal.
    """
    (first, second), to_come = division_words(state, tables.words), np.uint64(0)
    for division in range(DIVISIONS):
        word = first if division == 0 else second
        total = region_sum(word, division, tables.entries) & np.uint64(255)
        if active >= 0:
            own = word >> tables.shifts[np.uint64(division), np.uint64(active)] & FIELD
            changes = tables.entries[tables.offsets[np.uint64(division), np.uint64(active)] | own]
            place = tables.places[np.uint64(division), np.uint64(active)]
            total -= changes >> (np.uint64(16) + place) & np.uint64(1)
        to_come = max(to_come, total)
    return np.int64(to_come)


def divisions_of(points: Sequence[Point]) -> list[list[list[int]]]:
    """Return two divisions of the holes into REGIONS sectors about the centre, mirror images of each other.

    A hole on the border of two sectors belongs to one of them in the first division and to the other in the
    second. The centre belongs to no sector: in a sector it would give mirrored boards different bounds.
    Sectors have equal angles, which keeps the symmetries of square boards. Holes of a sector beyond the first
    FIELD_BITS are left out.
    """
    return [_sectors(points, side) for side in (1, -1)]


def _sectors(points: Sequence[Point], side: int) -> list[list[int]]:
    regions: list[list[int]] = [[] for _ in range(REGIONS)]
    middle_x, middle_y = ((min(axis) + max(axis)) / 2 for axis in zip(*points, strict=True))
    for hole, (x, y) in enumerate(points):
        across, down = x - middle_x, y - middle_y
        if across or down:
            turn = (math.atan2(down, across) / math.tau + side * 1e-6) % 1.0  # angle about the centre, 0 to 1
            regions[math.floor(turn * REGIONS) % REGIONS].append(hole)
    return [region[:FIELD_BITS] for region in regions]  # a hole in no region only makes the bounds lower


def keeps_divisions(image: Permutation, divisions: list[list[list[int]]]) -> bool:
    """Return whether a symmetry maps divisions to divisions, so that boards and images have equal bounds."""
    known = {frozenset(frozenset(region) for region in division) for division in divisions}
    return all(
        frozenset(frozenset(image[hole] for hole in region) for region in division) in known
        for division in divisions
    )


def region_tables(board: Board, root: Position, goals: list[int]) -> RegionTables:
    """Return the tables of the bounds on moves made since `root` and moves to come to the boards `goals`."""
    holes = len(board.points)
    entries = np.zeros((DIVISIONS * REGIONS + 1, 1 << FIELD_BITS), np.uint64)  # the last: no region
    fields, offsets, places, bits = np.zeros((4, DIVISIONS, holes), np.uint64)
    offsets[:] = DIVISIONS * REGIONS << FIELD_BITS
    for division, regions in enumerate(divisions_of(board.points)):
        for region, cells in enumerate(regions):
            row, numbers = division * REGIONS + region, np.arange(len(cells))
            fields[division, cells], offsets[division, cells] = FIELD_BITS * region, row << FIELD_BITS
            places[division, cells], bits[division, cells] = numbers, 1 << FIELD_BITS * region + numbers
            entries[row, : 1 << len(cells)] = _region_entries(board.jumps, cells, root, goals)
    words = chunk_tables(bits.T)
    lines = np.array([division_words(line, words) for line in shift_groups(board.jumps).lines], np.uint64)
    return RegionTables(words, lines, entries.reshape(-1), fields, offsets, places)


def region_numbers(
    position: Position, division: int, regions: list[list[int]], tables: RegionTables
) -> list[int]:
    """Return a lower bound on the moves to come for each region of the division with the index `division`.

    `regions`: holes of each region of that division (see `divisions_of`). `moves_to_come` is the sum of these
    bounds, or that of the other division if it is larger.
    """
    numbers = []
    for number, cells in enumerate(regions):
        row = (division * REGIONS + number) << FIELD_BITS
        entry = int(tables.entries[row | _pattern(position.state, cells)])
        spared = entry >> 16 + cells.index(position.active) & 1 if position.active in cells else 0
        numbers.append((entry & 255) - spared)
    return numbers


def _pattern(board: int, cells: list[int]) -> int:
    """Return the pattern of a board in a region: one bit for each of its holes, in the order of `cells`."""
    return sum(1 << place for place, hole in enumerate(cells) if board >> hole & 1)


def _region_entries(jumps: JumpList, cells: list[int], root: Position, goals: list[int]) -> Any:
    """Return the entries (see `RegionTables`) of the region of the holes `cells`: uint64[patterns]."""
    size, place = len(cells), {hole: number for number, hole in enumerate(cells)}
    local = np.array([[place.get(hole, size) for hole in jump] for jump in jumps], np.int64).reshape(-1, 3)
    local = local[(local < size).any(axis=1)]
    masks = (1 << local) & ((1 << size) - 1)
    rows = np.column_stack([masks[:, 0] | masks[:, 1], masks[:, 2], local[:, 0], local[:, 2]])
    to_come, made = np.full((2, 1 << size, size + 1), UNREACHED, np.int64)
    to_come[[_pattern(goal, cells) for goal in goals], size] = 0
    made[_pattern(root.state, cells), [place.get(root.active, size), size]] = 0
    _count_moves(rows, size, to_come, 1, 0)
    _count_moves(rows[:, [1, 0, 3, 2]].copy(), size, made, 0, 1)  # the jumps taken back
    rest, since = to_come[:, size], made[:, size]
    entries = np.minimum(rest, MAX_BOUND) | np.minimum(since, MAX_BOUND) << 8
    for number in range(size):
        less = (to_come[:, number] < rest) & (rest <= MAX_BOUND)
        more = (made[:, number] > since) & (since < MAX_BOUND)
        entries |= less.astype(np.int64) << 16 + number | more.astype(np.int64) << 32 + number
    return entries.astype(np.uint64)


@kernel
def _lower(least: Any, pattern: int, active: int, moves: Any) -> bool:
    """Lower `least[pattern, active]` to `moves` if it is higher, and return whether it was higher."""
    is_lower = moves < least[pattern, active]
    if is_lower:
        least[pattern, active] = moves
    return bool(is_lower)


@kernel
def _count_moves(jumps: Any, size: int, least: Any, to_begin: int, to_stop: int) -> None:
    """Lower `least[pattern, active]` to the fewest moves that must begin in a region to reach an entry of 0.

    `active` is the active hole's number in the region, or `size` for a peg outside or none. `jumps`: rows of
    two masks, pegs that a jump takes away and the peg that it puts down, and of the active holes before and
    after it. At first all entries of `least` that are not 0 are UNREACHED. `to_begin`, `to_stop`: moves
    counted when a peg begins a move or stops. Forwards, to the goals, moves are counted as they begin (1 and
    0); for jumps taken back, to the start, as they stop (0 and 1). All patterns are swept until no entry
    changes (Bellman and Ford).
    """
    changed = True
    while changed:
        changed = False
        for pattern in range(len(least)):
            for jump in range(len(jumps)):
                taken, put, active, other = jumps[jump, 0], jumps[jump, 1], jumps[jump, 2], jumps[jump, 3]
                if pattern & taken == taken and not pattern & put:
                    changed |= _lower(least, pattern, active, least[pattern ^ taken ^ put, other])
            for hole in range(size):
                if pattern >> hole & 1:  # the active peg may stop, and any peg may begin a move
                    changed |= _lower(least, pattern, size, least[pattern, hole] + to_begin)
                    changed |= _lower(least, pattern, hole, least[pattern, size] + to_stop)
