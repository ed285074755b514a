"""The compiled rules of peg solitaire, and the arrays that the rules read.

Jumps in a row by the same peg are one move. A jump by the active peg is therefore free; any other jump costs
one move.

A board may have a red peg, which jumps like any other peg but is never jumped over, and so is the last one
left. In a state, bit n is set if hole n has a peg, red or not, and bit RED_BIT + n if it has the red peg.
The red peg needs no rule of its own: each jump of the board is listed twice, for a peg that is not red and
for the red one, and the masks of both demand that the red peg is not in the hole jumped over.
"""

from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import kernel
from hoppers.core.rules import RuleKernels
from hoppers.puzzles.pegs.jump_masks import JumpList, merson_regions

ANYWHERE = -1  # code of the goal that any hole may hold the last peg
RED_BIT = 24
"""Bit of a state that says whether the red peg is in hole 0. Such boards have at most 24 holes, because hash
tables take states of 48 bits."""


class JumpTables(NamedTuple):
    """Arrays of a board's jumps (one entry per jump; masks uint64, holes int64), its corners and regions.

    With a red peg each jump has two entries (see above).
    """

    masks: (
        Any  # bits of a state that decide whether each jump is legal: its three holes, and where red is not
    )
    pegs: Any  # those of `masks` that must be set: the two holes that have pegs before each jump
    flips: Any  # bits that each jump changes; without a red peg, those of `masks`
    origins: Any
    targets: Any
    every: Any  # mask of all holes (a 0-d array, like the next)
    corners: Any  # mask of the holes that no jump passes over
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
            origin, target, after = tables.origins[jump], tables.targets[jump], state ^ tables.flips[jump]
            return np.int64(jump) + 1, origin, target, after, target, 0 if origin == active else 1
        jump += np.uint64(1)
    return -1, 0, 0, state, active, 0


@kernel
def is_solved(state: Any, active: int, goal: int, tables: Any) -> bool:
    """Return whether one peg is left, at the goal hole or, for a negative `goal`, anywhere.

    If the board has a red peg, this is the red one, because no jump captures it.
    """
    pegs = state & tables.every[()]
    if goal >= 0:
        return bool(pegs == np.uint64(1) << np.uint64(goal))
    return bool(pegs != np.uint64(0) and pegs & (pegs - np.uint64(1)) == np.uint64(0))


@kernel
def red_hole(state: Any, tables: Any) -> Any:
    """Return a mask (uint64) of the hole of the red peg, or 0 if the board has no red peg."""
    return (state & ~tables.every[()]) >> np.uint64(RED_BIT)


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


def jump_masks(jump: tuple[int, int, int], has_red: bool, is_red: bool) -> tuple[int, int, int]:
    """Return the entry of a jump (from, over, to) in `masks`, `pegs` and `flips` of `JumpTables`.

    `has_red`: whether one peg of the board is red. `is_red`: whether this peg makes the jump.
    """
    origin, over, target = jump
    pegs = 1 << origin | 1 << over
    line = pegs | 1 << target
    if not has_red:
        return line, pegs, line
    at_origin, reds = 1 << RED_BIT + origin, pegs << RED_BIT
    if is_red:
        return line | reds, pegs | at_origin, line | at_origin | 1 << RED_BIT + target
    return line | reds, pegs, line


def jump_tables(jumps: JumpList, holes: int, has_red: bool = False) -> JumpTables:
    """Return the arrays that the compiled rules read for a board with `jumps` and `holes` holes.

    `has_red`: whether one peg is red.
    """
    kinds = (False, True) if has_red else (False,)
    rows = [(*jump_masks(jump, has_red, is_red), jump) for jump in jumps for is_red in kinds]
    masks, pegs, flips = (np.array([row[field] for row in rows], np.uint64) for field in range(3))
    return JumpTables(
        masks,
        pegs,
        flips,
        np.array([jump[0] for *_, jump in rows], np.int64),
        np.array([jump[2] for *_, jump in rows], np.int64),
        np.array((1 << holes) - 1, np.uint64),
        np.array(sum(1 << hole for hole in never_jumped(jumps, holes)), np.uint64),
        np.array(merson_regions(jumps, holes), np.uint64),
    )
