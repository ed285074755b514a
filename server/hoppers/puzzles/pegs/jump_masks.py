"""Facts that follow from a board's list of jumps: bit masks, parity invariants, Merson regions.

A jump is (from, over, to), and every line of three holes can be jumped both ways. A line is therefore one bit
pattern that a jump toggles: before the jump it has two neighbouring pegs, afterwards one at the other end.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import kernel

JumpList = tuple[tuple[int, int, int], ...]
CHUNK_BITS = 11  # bits of a word per look-up (see `chunk_tables`)
MAX_JUMPS = 256  # more jumps than any board has


class Shifts(NamedTuple):
    """Lines of three holes, arranged so that shifts of the board word find many jumps at a time.

    A group is the set of all lines with the same shape: the middle hole is `middles` bits above the lowest
    hole, and the other end is `ends` bits above the lowest hole. `lows` is a mask of the lowest holes of all
    lines of the group (all three: uint64[groups]).

    A slot is a few groups in which no hole is the lowest hole of two lines, so one word can mark a slot's
    jumps by their lowest holes. The groups of slot s are `first[s]:first[s + 1]` (int64[slots + 1]).

    The line of a slot with its lowest hole at `low` has number n = 64 * slot + low and mask `lines[n]`; its
    highest hole is `spans[n]` bits above `low` (both: uint64[64 * slots], 0 where there is no line).
    """

    middles: Any
    ends: Any
    lows: Any
    first: Any
    lines: Any
    spans: Any


@kernel
def popcount(word: Any) -> int:
    """Return the number of bits set in a word (uint64).

    LLVM recognises the loop and emits one instruction.
    """
    count = 0
    while word != np.uint64(0):
        word &= word - np.uint64(1)
        count += 1
    return count


@kernel
def lowest_bit(word: Any) -> Any:
    """Return the index of the lowest bit set in a word (uint64), or 64 if the word is 0."""
    return np.uint64(popcount((word & (~word + np.uint64(1))) - np.uint64(1)))


@kernel
def forward_jumps(board: Any, slot: int, shifts: Any) -> Any:
    """Return the lines of a slot in which a jump is possible: a mask (uint64) of their lowest holes."""
    # A jump is possible where the middle hole is full and exactly one end is: the peg at that end jumps.
    lows = np.uint64(0)
    for group in range(shifts.first[slot], shifts.first[slot + 1]):
        ends_differ = board ^ (board >> shifts.ends[group])
        lows |= (board >> shifts.middles[group]) & ends_differ & shifts.lows[group]
    return lows


@kernel
def backward_jumps(board: Any, slot: int, shifts: Any) -> Any:
    """Return the lines of a slot in which a jump can be taken back: a mask (uint64) of their lowest holes."""
    # A jump taken back is a jump of the complement: the middle hole is empty and exactly one end is full.
    return forward_jumps(~board, slot, shifts)


@kernel
def line_ends(board: Any, low: Any, line: Any, shifts: Any) -> tuple[Any, Any]:
    """Return the full and the empty end (holes, uint64) of a line, of whose ends exactly one has a peg.

    The two holes are origin and target of a jump to be made, or target and origin of a jump to be taken back.
    `low`: lowest hole of the line. `line`: number of the line, 64 * slot + low.
    """
    at_low, span = board >> low & np.uint64(1), shifts.spans[line]
    return low + span * (np.uint64(1) - at_low), low + span * at_low


def holes_of(mask: int) -> tuple[int, ...]:
    """Return the numbers of the holes in a mask, ascending."""
    return tuple(hole for hole in range(mask.bit_length()) if mask >> hole & 1)


def shift_groups(jumps: JumpList) -> Shifts:
    """Return the lines of `jumps`, arranged in groups and slots (see `Shifts`)."""
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
            for low in holes_of(groups[middle, end]):
                lines[64 * number + low] = (1 | 1 << middle | 1 << end) << low
                spans[64 * number + low] = end
    rows = [(middle, end, groups[middle, end]) for slot in slots for middle, end in slot]
    middles, ends, lows_of = np.array(rows, np.uint64).reshape(-1, 3).T.copy()
    return Shifts(middles, ends, lows_of, np.cumsum([0, *map(len, slots)]), lines, spans)


def jumps_of(shifts: Shifts) -> JumpList:
    """Return the jumps (from, over, to) of all lines, in both directions."""
    lines = [holes_of(int(line)) for line in shifts.lines if line]
    return tuple((a, over, c) for low, over, high in lines for a, c in ((low, high), (high, low)))


def jumps_from(jumps: JumpList, board: int) -> Iterator[tuple[int, int, int]]:
    """Yield (origin, target, board after) of each jump that a board allows."""
    for origin, over, target in jumps:
        line = 1 << origin | 1 << over | 1 << target
        if board & line == line ^ 1 << target:
            yield origin, target, board ^ line


def jumps_into(jumps: JumpList, board: int) -> Iterator[tuple[int, int, int]]:
    """Yield (origin, target, board before) of each jump that may have led to a board."""
    for origin, over, target in jumps:
        line = 1 << origin | 1 << over | 1 << target
        if board & line == 1 << target:
            yield origin, target, board ^ line


def invariants(jumps: JumpList, holes: int) -> dict[int, int]:
    """Return sets of holes whose number of pegs keeps its parity in every jump, as {hole: mask of the set}.

    The sets are a basis of the null space, over the field of two elements, of the lines of three holes. For
    the English board this is the Rule of Three of Reiss (1857) and de Bruijn (1972). The hole that names a
    set is as high as possible and in no other set. Whether it has a peg follows from the other holes of its
    set and the parity.
    """
    sets = {hole: 1 << hole for hole in reversed(range(holes))}  # a basis for the jumps processed so far
    for jump in jumps:
        line = sum(1 << hole for hole in jump)
        changed = [hole for hole, members in sets.items() if (members & line).bit_count() & 1]
        if changed:  # the sum of two such sets keeps its parity
            lowest = sets.pop(changed.pop())  # the high holes keep their sets
            for hole in changed:
                sets[hole] ^= lowest
    return sets


def merson_regions(jumps: JumpList, holes: int) -> list[int]:
    """Return masks of the minimal Merson regions of at most 9 holes, smallest first.

    A region is a set R of holes such that every jump over a hole of R starts or lands in R. While R is full
    no peg can land in it. So the first jump that changes R starts in R. Unless the active peg makes it, it
    begins a new move (Robin Merson, 1962, in Beasley, "The Ins and Outs of Peg Solitaire"). A region that
    contains another region adds nothing, so only minimal regions are returned.
    """
    over: defaultdict[int, set[int]] = defaultdict(set)  # hole -> both ends of each line with that middle
    for origin, middle, target in jumps:
        over[middle].add(1 << origin | 1 << target)
    least: list[int] = []
    for region in sorted(_regions(holes, over), key=lambda region: (region.bit_count(), region)):
        if not any(smaller & region == smaller for smaller in least):
            least.append(region)
    return least


def _regions(holes: int, over: dict[int, set[int]]) -> Iterator[int]:
    """Yield Merson regions of at most 9 holes, among them all minimal ones.

    Larger regions are seldom full. From each hole, a region grows by one end of a line whose middle it
    contains, until every such line has an end in the region. `over`: hole -> masks of the two ends of each
    line with that middle.
    """
    frontier = [1 << hole for hole in range(holes)]
    seen = {*frontier}
    while frontier:
        region = frontier.pop()
        members = holes_of(region)
        open_ends = next((ends for hole in members for ends in over.get(hole, ()) if not ends & region), 0)
        if not open_ends:
            yield region
        elif len(members) < 9:
            low = open_ends & -open_ends
            for grown in (region | low, region | (open_ends ^ low)):
                if grown not in seen:
                    seen.add(grown)
                    frontier.append(grown)


def chunk_tables(basis: Any, origin: Any = 0) -> Any:
    """Return look-up tables [chunk, bits of the chunk] for an affine map over the field of two elements.

    A chunk is CHUNK_BITS bits of a word. The image of the word is the exclusive or of one entry per chunk.
    `basis`: change of the image by each bit, in the dtype of the result. `origin`: image of zero.
    """
    chunks = -(-len(basis) // CHUNK_BITS)
    tables = np.zeros((chunks, 1 << CHUNK_BITS, *basis.shape[1:]), basis.dtype)
    for bit, image in enumerate(basis):
        table, half = tables[bit // CHUNK_BITS], 1 << bit % CHUNK_BITS
        table[half : 2 * half] = table[:half] ^ image
    tables[0] ^= origin
    return tables


@kernel
def mapped(word: Any, tables: Any) -> Any:
    """Return the image of a word (uint64) under the map whose chunk tables are `tables`."""
    image = tables[0, word & np.uint64((1 << CHUNK_BITS) - 1)]
    for chunk in range(1, len(tables)):
        image ^= tables[chunk, word >> np.uint64(CHUNK_BITS * chunk) & np.uint64((1 << CHUNK_BITS) - 1)]
    return image


def two_moves(jumps: JumpList) -> tuple[int, int]:
    """Return a board of three pegs that two moves solve, and the finishing hole, to compile kernels with."""
    return next(
        (1 << a | 1 << c | 1 << d, goal)
        for a, over, goal in jumps
        for c, d, landing in jumps
        if landing == over and not {a, goal} & {c, d}
    )
