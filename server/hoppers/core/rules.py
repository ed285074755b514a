"""The compiled rules a puzzle supplies, and the little that is built from them for everyone.

A state is a 64-bit word: `bits` per hole, hole 0 lowest. Beside it stands `active`, the hole the rules
must remember: the peg in hand (-1 for none) or the gap. `tables` is the puzzle's own tuple of arrays.
The three functions below are the signatures; `specialise` puts a puzzle's own in their place.
"""

from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import Kernel, kernel, specialise


@kernel
def next_step(state: Any, active: int, cursor: int, tables: Any) -> tuple[int, int, int, Any, int, int]:
    """Find the first legal step at or behind `cursor`, which starts at 0.

    Returns (next cursor, origin, target, state after, active after, cost); next cursor -1: no more.
    The cost is 1, or 0 when the step carries on with the move that is under way.
    """
    return -1, 0, 0, state, active, 0


@kernel
def is_solved(state: Any, active: int, goal: int, tables: Any) -> bool:
    """Tell whether the position reaches the goal."""
    return False


@kernel
def lower_bound(state: Any, active: int, goal: int, tables: Any) -> int:
    """Never more than the moves still to be started."""
    return 0


@kernel
def count_steps(state: Any, active: int, tables: Any) -> tuple[int, int]:
    """Count the legal steps that cost a move, and those that are free, without making any."""
    return 0, 0


class RuleKernels(NamedTuple):
    """Compiled rules of a family under one name, which names the specialised kernels, too.

    `count_steps` is only needed where some steps are free.
    """

    name: str
    next_step: Kernel
    is_solved: Kernel
    count_steps: Kernel = count_steps

    def specialise(self, generic: Any, method: str = "", **more: Any) -> Kernel:
        """Compile `generic` for this family; `more` replaces further names, such as `lower_bound`."""
        name = f"{self.name}_{method}" if method else self.name
        own = {"next_step": self.next_step, "is_solved": self.is_solved, "count_steps": self.count_steps}
        return specialise(generic, name, **own, **more)


def expand(state: Any, active: int, tables: Any, states: Any, steps: Any) -> int:
    """Write all steps: `states[i]` after step i, `steps[i]` = (origin, target, active after, cost).

    Generic kernel. Stops at the length of the arrays; returns how many steps there are.
    """
    cursor, count = 0, 0
    while count < len(states):
        cursor, origin, target, after, active_after, cost = next_step(state, active, cursor, tables)
        if cursor < 0:
            break
        states[count] = after
        steps[count, 0], steps[count, 1], steps[count, 2], steps[count, 3] = (
            origin,
            target,
            active_after,
            cost,
        )
        count += 1
    return count


def word(state: int) -> np.uint64:
    """The state as kernels take it."""
    return np.uint64(state)
