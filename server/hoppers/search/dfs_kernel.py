"""The depth-first search under one limit, compiled: a generic kernel, into which rules and bound are put.

It runs in slices of a given number of nodes and all its state is in arrays, so a pause costs nothing and it
can be left between two. With the hooks of `memory_of_limits` it remembers; else the compiler leaves them out.
"""

from typing import Any, NamedTuple

from hoppers.core.kernels import kernel
from hoppers.core.rules import count_steps, is_solved, lower_bound, next_step
from hoppers.search.transposition_table import (
    FOREVER,
    Memory,
    keep_left,
    key_of_state,
    note,
    recall,
)

PAUSED, FINISHED = 0, 1
DEPTH, NODES, CUT, SOLUTIONS = range(4)


class Stack(NamedTuple):
    """The line being searched, one entry per position on it, and the four counts of this limit."""

    states: Any
    actives: Any
    moves: Any
    """Moves started up to each position."""
    cursors: Any
    tally: Any
    """DEPTH (-1 when finished), NODES, CUT, SOLUTIONS."""
    first_line: Any
    """States of the first solution found; its length stands in `line_length[0]`."""
    line_length: Any


class Style(NamedTuple):
    """How a method counts and cuts.

    `chains`: a step may be free, so a position at the limit is still expanded, and one beyond it is
    entered, counted and cut at once. Otherwise every step costs 1 and only children that pass the test
    are entered. `slack`: by how many moves the bound is tested looser than it may be.
    """

    chains: bool
    slack: int = 0


@kernel
def count_solution(stack: Any, depth: int, state: Any) -> None:
    """Count a solution whose last state follows entry `depth` of the line; keep the first one."""
    stack.tally[SOLUTIONS] += 1
    if stack.tally[SOLUTIONS] == 1:
        stack.first_line[: depth + 1] = stack.states[: depth + 1]
        stack.first_line[depth + 1] = state
        stack.line_length[0] = depth + 2


CHAINS, SLACK = Style(chains=False)
"""The style the kernel is compiled for; `specialise` puts a method's own in their place."""
key_of = key_of_state


def descend(
    stack: Stack, memory: Memory, goal: int, limit: int, find_all: bool, budget: int, tables: Any
) -> int:
    """Search on for at most `budget` nodes (generic kernel). Returns PAUSED or FINISHED."""
    states, actives, moves, cursors, tally, _, _ = stack
    depth, nodes, cut = tally[DEPTH], tally[NODES], tally[CUT]
    last = nodes + budget
    while depth >= 0 and nodes < last:
        cursor, _, _, state, active, cost = next_step(states[depth], actives[depth], cursors[depth], tables)
        cursors[depth] = cursor
        if cursor < 0:
            key, solutions = key_of(states[depth], actives[depth]), tally[SOLUTIONS]
            keep_left(memory, depth, key, limit - moves[depth], cut, solutions, CHAINS)
            depth -= 1
            continue
        spent = moves[depth] + cost
        if not CHAINS:
            is_back = depth > 0 and state == states[depth - 1]  # the last step taken straight back
            if is_back or spent > limit or spent - SLACK + lower_bound(state, active, goal, tables) > limit:
                cut += not is_back
                continue
        nodes += 1
        if CHAINS and spent > limit:
            cut += 1
            continue
        if is_solved(state, active, goal, tables):
            count_solution(stack, depth, state)
            depth = depth if find_all else -1
            continue
        left = lower_bound(state, active, goal, tables) if CHAINS else 1
        if spent + left > limit:
            cut += 1
            continue
        known = recall(memory, key_of(state, active))
        if known >= limit - spent:
            cut += known != FOREVER
            continue
        costly, free = count_steps(state, active, tables) if CHAINS and spent == limit else (0, 1)
        depth += 1
        note(memory, depth, cut, tally[SOLUTIONS])
        if not free:  # its children would all be entered and cut: they are counted in one go
            nodes, cut = nodes + costly, cut + costly
            keep_left(memory, depth, key_of(state, active), 0, cut, tally[SOLUTIONS], CHAINS)
            depth -= 1
            continue
        states[depth], actives[depth], moves[depth], cursors[depth] = state, active, spent, 0
    tally[DEPTH], tally[NODES], tally[CUT] = depth, nodes, cut
    return PAUSED if depth >= 0 else FINISHED
