"""Compiled rules that a puzzle family supplies, and the generic kernel `expand` built on them.

A state is a 64-bit word: `Rules.bits_per_cell` bits per hole, hole 0 lowest, or the bits that
`Rules.cell_bits` gives. A position is a state and `active`: the hole of the active peg (-1 for none) or the
gap. `tables` is the puzzle's own tuple of arrays or numbers. The placeholders below define the signatures;
`specialise` replaces them by the kernels of a puzzle.
"""

from typing import Any, NamedTuple

from hoppers.core.kernels import Kernel, kernel, specialise


@kernel
def next_step(state: Any, active: int, cursor: int, tables: Any) -> tuple[int, int, int, Any, int, int]:
    """Return the first legal step at or after `cursor`, which starts at 0 (placeholder for `specialise`).

    The result is (next cursor, origin, target, state after, active after, cost). The next cursor is -1 if
    no legal step is left. The cost is 1, or 0 if the step continues the current move.
    """
    return -1, 0, 0, state, active, 0


@kernel
def first_cursor(active: int, before: int) -> int:
    """Return the cursor with which a search begins the steps of a position (placeholder for `specialise`).

    `active` and `before` are the active holes of the position and of the one before it. The cursor 0 lists
    all steps. A family may return a cursor that skips the step that undoes the last one.
    """
    return 0


@kernel
def is_solved(state: Any, active: int, goal: int, tables: Any) -> bool:
    """Return whether the position reaches the goal (placeholder for `specialise`)."""
    return False


@kernel
def lower_bound(state: Any, active: int, goal: int, tables: Any) -> int:
    """Return a lower bound of the moves still to be started, which never overestimates (admissible).

    This default bound, 0, prunes nothing.
    """
    return 0


@kernel
def count_steps(state: Any, active: int, tables: Any) -> tuple[int, int]:
    """Count the children of a position that the limit would prune (placeholder for `specialise`).

    The result is (number of these children, number of steps that must be made). If the second number is 0,
    the search counts the children as pruned nodes; otherwise it makes all steps. If moves have several steps,
    the search calls this kernel where a further move exceeds the limit: steps at cost 0 must be made. Any
    other search calls it one move below the limit: a step that solves the puzzle must be made, and the step
    that undoes the last one is not counted. By default every step is made.
    """
    return 0, 1


class RuleKernels(NamedTuple):
    """Compiled rules of a puzzle family, and a name that is part of the names of specialised kernels."""

    name: str
    next_step: Kernel
    is_solved: Kernel
    count_steps: Kernel = count_steps
    """Kernel that counts steps which need not be made; by default every step is made."""
    first_cursor: Kernel = first_cursor
    """Kernel that skips the step that undoes the last one; the default skips nothing."""

    def specialise(self, generic: Any, method: str = "", **more: Any) -> Kernel:
        """Return `generic` as a kernel with the rules of this family.

        `method` is part of the kernel's name. `more` gives kernels or constants for further global names,
        such as `lower_bound`.
        """
        name = f"{self.name}_{method}" if method else self.name
        own = self._asdict()
        del own["name"]
        return specialise(generic, name, **{**own, **more})


def expand(state: Any, active: int, tables: Any, states: Any, steps: Any) -> int:
    """Write all legal steps of a position into two arrays (generic kernel).

    `states[i]` is the state after step i, and the row `steps[i]` is (origin, target, active after, cost).
    Return the number of steps written, at most the length of the arrays.
    """
    cursor, made = 0, 0
    while made < len(states):
        cursor, origin, target, after, active_after, cost = next_step(state, active, cursor, tables)
        if cursor < 0:
            break
        states[made] = after
        steps[made, 0], steps[made, 1], steps[made, 2], steps[made, 3] = origin, target, active_after, cost
        made += 1
    return made


def follow(state: Any, active: int, jumps: Any, afters: Any, tables: Any, states: Any, steps: Any) -> int:
    """Make the given steps in turn and write each into two arrays, as `expand` does (generic kernel).

    Return the number of steps made, which is less than the number given if the next step is not legal.

    Args:
        state: packed state of the position, uint64.
        active: active hole of the position, or -1.
        jumps: int64[steps, 2], origin and target of each step; empty if `afters` is given.
        afters: uint64[steps], state after each step; empty if `jumps` is given.
        tables: tables of the rules.
        states: uint64[steps], for the state after each step.
        steps: int64[steps, 4], for the row of each step (see `expand`).
    """
    for made in range(len(states)):
        cursor, is_next = 0, False
        while not is_next:
            cursor, origin, target, after, active_after, cost = next_step(state, active, cursor, tables)
            if cursor < 0:
                return made
            is_next = (
                after == afters[made]
                if len(afters) > 0
                else origin == jumps[made, 0] and target == jumps[made, 1]
            )
        states[made] = after
        steps[made, 0], steps[made, 1], steps[made, 2], steps[made, 3] = origin, target, active_after, cost
        state, active = after, active_after
    return len(states)
