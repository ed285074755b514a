"""The exact maximum number of disjoint full Merson regions, by look-up.

Regions of one hole meet no other region and are simply counted. For the others a table has the best packing
of every set of regions. Exact packings make a consistent bound: a move starts in at most one region of a
packing and cannot break the others, so the bound never falls by more than the one move. Greedy packings may
fall by more.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import kernel
from hoppers.puzzles.pegs.bitboards.jump_masks import JumpList, merson_regions, popcount

CHUNK_BITS = 11  # bits per table look-up
MAX_WIDE_REGIONS = 20  # regions of several holes; the table has one byte for every set of them


class Packing(NamedTuple):
    """Look-up tables of Merson regions. A set of regions is a word, one bit each, one-hole regions lowest."""

    full: Any
    """Chunks of a board -> regions whose holes in the chunk are all filled (uint32[chunks, 2048])."""
    singles: Any
    """Set of the regions of one hole (a 0-d uint32 array)."""
    best: Any
    """Set of regions of several holes, shifted down -> maximum number of disjoint regions in it (uint8)."""


@kernel
def full_regions(board: Any, packing: Any) -> Any:
    """Return the set of Merson regions that are full on a board (uint32)."""
    full = ~np.uint32(0)
    for chunk in range(len(packing.full)):
        full &= packing.full[chunk, board >> np.uint64(CHUNK_BITS * chunk) & np.uint64((1 << CHUNK_BITS) - 1)]
    return full


@kernel
def max_disjoint(chosen: Any, packing: Any) -> int:
    """Return the maximum number of disjoint regions in the set `chosen` (uint32)."""
    singles = packing.singles[()]
    return int(popcount(np.uint64(chosen & singles)) + packing.best[(chosen & ~singles) // (singles + 1)])


@kernel
def fill_packings(conflicts: Any, best: Any) -> None:
    """Fill `best` with the maximum number of disjoint regions in every set (dynamic programming).

    Args:
        conflicts: `conflicts[r]` is the set of regions that share a hole with region r, r included (int64).
        best: uint8[2**regions], zero; filled in place.
    """
    for chosen in range(1, len(best)):
        lowest = popcount(np.uint64((chosen & -chosen) - 1))
        # Leave the lowest region out, or take it and drop those that share a hole with it.
        without_it, with_it = best[chosen & (chosen - 1)], best[chosen & ~conflicts[lowest]] + 1
        best[chosen] = max(without_it, with_it)


@cache
def packing_of(jumps: JumpList, holes: int) -> Packing:
    """Return the look-up tables of a board's Merson regions."""
    return make_packing(merson_regions(jumps, holes), holes)


def make_packing(regions: list[int], holes: int) -> Packing:
    """Return the look-up tables of `regions`, masks of holes sorted by size."""
    singles = sum(region.bit_count() == 1 for region in regions)
    regions = regions[: singles + MAX_WIDE_REGIONS]
    wide = regions[singles:]
    conflicts = [sum(1 << number for number, other in enumerate(wide) if other & one) for one in wide]
    best = np.zeros(1 << len(wide), np.uint8)
    fill_packings(np.array(conflicts, np.int64), best)
    chunks = -(-holes // CHUNK_BITS)
    every = np.uint32((1 << len(regions)) - 1)
    full = np.full((chunks, 1 << CHUNK_BITS), every, np.uint32)
    numbers = np.arange(1 << CHUNK_BITS)
    for number, region in enumerate(regions):
        for chunk in range(chunks):
            part = region >> CHUNK_BITS * chunk & (1 << CHUNK_BITS) - 1
            full[chunk, numbers & part != part] &= np.uint32(~(1 << number) & 0xFFFFFFFF)
    return Packing(full, np.array((1 << singles) - 1, np.uint32), best)
