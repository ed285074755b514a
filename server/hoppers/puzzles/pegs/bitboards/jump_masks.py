"""What follows from a list of jumps alone: shift groups, position classes, Merson regions.

A jump is (from, over, to) and every line is jumped both ways, so a line of three holes is one bit pattern
that a jump turns over: before it two neighbouring pegs, after it one at the other end.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import kernel

JumpList = tuple[tuple[int, int, int], ...]
MAX_REGION_HOLES = 9
"""Holes of the largest region looked for: larger ones are seldom full."""


class Shifts(NamedTuple):
    """Lines of three holes, found many at a time by shifting the board.

    The lines of a group have their lowest holes in `lows` and the others `middles` and `ends` bits higher
    (uint64[groups]). No hole is the lowest of two lines of a slot, which is a few groups from number
    `first[slot]` on (int64[slots + 1]); so a slot's jumps fit one word. The line of a slot with its lowest
    hole at `low` is `lines[64 * slot + low]`, and its highest hole `spans[64 * slot + low]` bits higher.
    """

    middles: Any
    ends: Any
    lows: Any
    first: Any
    lines: Any
    spans: Any


@kernel
def popcount(word: Any) -> int:
    """How many bits are set (uint64). The compiler makes one instruction of this loop."""
    count = 0
    while word != np.uint64(0):
        word &= word - np.uint64(1)
        count += 1
    return count


@kernel
def lowest_bit(word: Any) -> Any:
    """The number of the lowest bit set (uint64)."""
    return np.uint64(popcount((word & (~word + np.uint64(1))) - np.uint64(1)))


@kernel
def forward_jumps(board: Any, slot: int, shifts: Any) -> Any:
    """The lowest holes of the slot's lines in which a jump is possible, either way (uint64)."""
    lows = np.uint64(0)
    for group in range(shifts.first[slot], shifts.first[slot + 1]):
        ends_differ = board ^ (board >> shifts.ends[group])
        lows |= (board >> shifts.middles[group]) & ends_differ & shifts.lows[group]
    return lows


@kernel
def backward_jumps(board: Any, slot: int, shifts: Any) -> Any:
    """The lowest holes of the slot's lines in which a jump may just have been made (uint64)."""
    lows = np.uint64(0)
    for group in range(shifts.first[slot], shifts.first[slot + 1]):
        ends_differ = board ^ (board >> shifts.ends[group])
        lows |= ~(board >> shifts.middles[group]) & ends_differ & shifts.lows[group]
    return lows


@kernel
def backward_jump_ends(board: Any, low: Any, line: Any, shifts: Any) -> tuple[Any, Any]:
    """The holes (uint64) from which and to which a jump in a line, if it was the last one, was made.

    `low`: the lowest hole of the line, as `backward_jumps` tells it.
    """
    downwards = board >> low & np.uint64(1)  # 1 where the peg landed on the low end
    span = shifts.spans[line]
    return low + span * downwards, low + span * (np.uint64(1) - downwards)


def shift_groups(jumps: JumpList) -> Shifts:
    """The groups and slots of a board's lines."""
    groups: defaultdict[tuple[int, int], int] = defaultdict(int)
    for low, middle, end in {tuple(sorted(jump)) for jump in jumps}:
        groups[middle - low, end - low] |= 1 << low
    slots: list[list[tuple[int, int]]] = []
    for distances, lows in sorted(groups.items()):
        free = (slot for slot in slots if not any(groups[other] & lows for other in slot))
        chosen = next(free, None)
        if chosen is None:
            slots.append([distances])
        else:
            chosen.append(distances)
    lines, spans = np.zeros(64 * len(slots), np.uint64), np.zeros(64 * len(slots), np.uint64)
    for number, slot in enumerate(slots):
        for middle, end in slot:
            for low in (low for low in range(64) if groups[middle, end] >> low & 1):
                lines[64 * number + low] = (1 | 1 << middle | 1 << end) << low
                spans[64 * number + low] = end
    ordered = [distances for slot in slots for distances in slot]
    columns = zip(*((middle, end, groups[middle, end]) for middle, end in ordered), strict=True)
    middles, ends, lows_of = (np.array(column, np.uint64) for column in columns)
    first = np.cumsum([0, *map(len, slots)])
    return Shifts(middles, ends, lows_of, first, lines, spans)


def jumps_of(shifts: Shifts) -> JumpList:
    """The jumps again, both ways along each line."""
    lines = [[hole for hole in range(64) if int(line) >> hole & 1] for line in shifts.lines if line]
    return tuple((a, over, c) for low, over, high in lines for a, c in ((low, high), (high, low)))


def invariants(jumps: JumpList, holes: int) -> dict[int, int]:
    """Sets of holes whose number of pegs stays odd or even in every jump: {one hole of the set: the set}.

    They are the null space, over the field of two elements, of the lines of three: the Rule of Three of
    Reiss and de Bruijn for any board. Each named hole, as high as possible, is in no other of the sets,
    so the other holes and the parities determine it.
    """
    found = {1 << hole: 0 for hole in reversed(range(holes))}  # a hole -> the holes it is a sum of
    basis: list[tuple[int, int]] = []  # (highest remaining bit, row), fully reduced
    for jump in jumps:
        row = sum(1 << hole for hole in jump)
        for bit, other in basis:
            row ^= other if row & bit else 0
        if row:
            bit = row & -row  # low pivots leave the high holes free
            basis = [(b, other ^ row if other & bit else other) for b, other in basis] + [(bit, row)]
    pivots = {bit: row for bit, row in basis}
    for free in [bit for bit in found if bit not in pivots]:
        found[free] = free | sum(bit for bit, row in pivots.items() if row & free)
    return {bit.bit_length() - 1: members for bit, members in found.items() if members}


def merson_regions(jumps: JumpList, holes: int) -> list[int]:
    """Merson regions, smallest first: sets R such that every jump over a hole of R starts or lands in R.

    While R is full nobody can land in it, so the first jump that changes it starts in it, with a peg that
    lay there: a move of its own (Robin Merson, 1962; told by Beasley). Only minimal sets are useful.
    """
    over: defaultdict[int, set[int]] = defaultdict(set)  # hole -> the two ends of every line it is mid of
    for origin, middle, target in jumps:
        over[middle].add(1 << origin | 1 << target)
    sets = sorted({region for hole in range(holes) for region in _closures(1 << hole, over)}, key=_by_size)
    least: list[int] = []
    for region in sets:
        if not any(smaller & region == smaller for smaller in least):
            least.append(region)
    return least


def _by_size(region: int) -> tuple[int, int]:
    return region.bit_count(), region


def _closures(region: int, over: dict[int, set[int]]) -> Iterator[int]:
    """All ways to add ends of jumped lines until every jump over the region starts or lands in it."""
    frontier, seen = [region], {region}
    while frontier:
        region = frontier.pop()
        members = [hole for hole in range(region.bit_length()) if region >> hole & 1]
        open_ends = next((ends for hole in members for ends in over.get(hole, ()) if not ends & region), 0)
        if not open_ends:
            yield region
        elif len(members) < MAX_REGION_HOLES:
            low = open_ends & -open_ends
            for grown in (region | low, region | (open_ends ^ low)):
                if grown not in seen:
                    seen.add(grown)
                    frontier.append(grown)
