"""The compiled rules of peg solitaire, and the arrays that the rules read.

Jumps in a row by the same peg are one move. A jump by the active peg is therefore free; any other jump costs
one move.
"""

from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import kernel
from hoppers.core.rules import RuleKernels
from hoppers.puzzles.pegs.jump_masks import JumpList, merson_regions

ANYWHERE = -1  # code of the goal that any hole may hold the last peg


class JumpTables(NamedTuple):
    """Arrays of a board's jumps (one entry per jump; masks uint64, holes int64), its corners and regions."""

    masks: Any  # mask of the three holes of each jump
    pegs: Any  # mask of the two holes that have pegs before each jump
    origins: Any
    targets: Any
    corners: Any  # mask of the holes that no jump passes over (a 0-d array)
    regions: Any  # Merson regions, smallest first (uint64)
    to_goal: Any = None  # `RegionTables` of a goal, if the region bound needs them


@kernel
def next_step(state: Any, active: int, cursor: int, tables: Any) -> Any:
    """Return the first legal jump whose number is at least `cursor`.

    The loop counts with unsigned numbers. With signed numbers every look-up would be tested for a negative
    index.

    Returns:
        (next cursor or -1 if no jump is left, origin, target, board after the jump, active hole after the
            jump, cost)
    """
    jump, jumps = np.uint64(cursor), np.uint64(len(tables.masks))
    while jump < jumps:
        if state & tables.masks[jump] == tables.pegs[jump]:
            origin, target, after = tables.origins[jump], tables.targets[jump], state ^ tables.masks[jump]
            return np.int64(jump) + 1, origin, target, after, target, 0 if origin == active else 1
        jump += np.uint64(1)
    return -1, 0, 0, state, active, 0


@kernel
def is_solved(state: Any, active: int, goal: int, tables: Any) -> bool:
    """Return whether one peg is left, at the goal hole or, for a negative `goal`, anywhere."""
    if goal >= 0:
        return bool(state == np.uint64(1) << np.uint64(goal))
    return bool(state != np.uint64(0) and state & (state - np.uint64(1)) == np.uint64(0))


@kernel
def count_steps(state: Any, active: int, tables: Any) -> Any:
    """Return how many legal jumps are not by the active peg, and how many are (`core.rules.count_steps`).

    Jumps are compared without branches, so that the compiler can process several at a time.
    """
    legal = free = np.int64(0)
    for jump in range(len(tables.masks)):
        able = np.int64(state & tables.masks[jump] == tables.pegs[jump])
        legal += able
        free += able & np.int64(tables.origins[jump] == active)
    return legal - free, free


KERNELS = RuleKernels("pegs", next_step, is_solved, count_steps)


def never_jumped(jumps: JumpList, holes: int) -> set[int]:
    """Return the holes that no jump passes over (corners): a peg there cannot be captured."""
    return set(range(holes)) - {over for _, over, _ in jumps}


def jump_tables(jumps: JumpList, holes: int) -> JumpTables:
    """Return the arrays that the compiled rules read for a board with `jumps` and `holes` holes."""
    bits = [(1 << a | 1 << b | 1 << c, 1 << a | 1 << b) for a, b, c in jumps]
    return JumpTables(
        np.array([mask for mask, _ in bits], np.uint64),
        np.array([pegs for _, pegs in bits], np.uint64),
        np.array([origin for origin, _, _ in jumps], np.int64),
        np.array([target for _, _, target in jumps], np.int64),
        np.array(sum(1 << hole for hole in never_jumped(jumps, holes)), np.uint64),
        np.array(merson_regions(jumps, holes), np.uint64),
    )
