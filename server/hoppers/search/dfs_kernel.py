"""Depth-first search under one move limit: a generic kernel, specialised with a puzzle's rules and a bound.

The kernel runs in slices of a given number of nodes. Its whole state is in arrays, so a search can be paused
or dropped between two slices at no cost. With the kernels `hash_tables.WITH_TABLE` it uses a transposition
table; with the kernels `WITHOUT_TABLE` the compiler removes the calls.
"""

from typing import Any, NamedTuple

from hoppers.core.kernels import kernel
from hoppers.core.rules import count_steps, first_cursor, is_solved, lower_bound, next_step
from hoppers.search.hash_tables import (
    UNSOLVABLE,
    TranspositionTable,
    key_of_state,
    look_up,
    record_counts,
    store_on_leave,
)

PAUSED, FINISHED = 0, 1
DEPTH, NODES, CUT, SOLUTIONS = range(4)


class Stack(NamedTuple):
    """Path from the root to the current position, one entry per position, and counters of the limit."""

    states: Any
    """uint64[depth]: packed states."""
    actives: Any
    """int64[depth]: active holes."""
    moves: Any
    """int64[depth]: moves started up to each position."""
    cursors: Any
    """int64[depth]: cursors with which `next_step` finds the next step of each position."""
    counters: Any
    """int64[4]: DEPTH (-1 when finished), NODES, CUT (pruned positions), SOLUTIONS."""
    first_line: Any
    """uint64: states of the first solution found, root included."""
    line_length: Any
    """int64[1]: number of states in `first_line`."""


class Style(NamedTuple):
    """Two settings of the kernel `descend`, which change the counting of nodes and the pruning."""

    chains: bool
    """Whether a step may continue a move at cost 0.

    If True, a position at the limit is still expanded, and a position beyond the limit counts as a node
    before it is pruned. If False, every step costs 1, and only positions that pass the tests count as nodes.
    """
    slack: int = 0
    """Moves by which spent moves plus the lower bound may exceed the limit without being pruned."""


@kernel
def count_solution(stack: Any, depth: int, state: Any) -> None:
    """Count a solution: the stack up to entry `depth`, then `state`. Store it if it is the first."""
    stack.counters[SOLUTIONS] += 1
    if stack.counters[SOLUTIONS] == 1:
        stack.first_line[: depth + 1] = stack.states[: depth + 1]
        stack.first_line[depth + 1] = state
        stack.line_length[0] = depth + 2


CHAINS, SLACK = Style(chains=False)
"""Placeholders for the fields of `Style`. `specialise` replaces both, and `key_of`, for each method."""
key_of = key_of_state
LISTS_BACK = True
"""Whether `next_step` lists the step that undoes the last one, because no `first_cursor` skips it."""


def descend(
    stack: Stack, table: TranspositionTable, goal: int, limit: int, find_all: bool, budget: int, tables: Any
) -> int:
    """Continue the search of one limit (generic kernel). Return PAUSED or FINISHED.

    `limit`: most moves of a solution. The search pauses after `budget` nodes, or fewer than 256 more.
    """
    states, actives, moves, cursors, counters, _, _ = stack
    depth, nodes, cut = counters[DEPTH], counters[NODES], counters[CUT]
    last = nodes + budget
    parent, parent_active, cursor = states[depth], actives[depth], cursors[depth]  # the entry at `depth`
    while depth >= 0 and nodes < last:
        cursor, _, _, state, active, cost = next_step(parent, parent_active, cursor, tables)
        if cursor < 0:
            key, solutions = key_of(parent, parent_active), counters[SOLUTIONS]
            store_on_leave(table, depth, key, limit - moves[depth], cut, solutions, CHAINS)
            depth -= 1
            parent, parent_active, cursor = states[depth], actives[depth], cursors[depth]
            continue
        spent = moves[depth] + cost
        if not CHAINS:
            # undoing the last step is skipped, not counted as pruned: no limit makes it worth following
            is_back = LISTS_BACK and depth > 0 and state == states[depth - 1]
            if is_back or spent > limit or spent - SLACK + lower_bound(state, active, goal, tables) > limit:
                cut += not is_back
                continue
        nodes += 1
        # a position beyond the limit counts as a node, too: all node counts use this definition
        if CHAINS and spent > limit:
            cut += 1
            continue
        if is_solved(state, active, goal, tables):
            count_solution(stack, depth, state)
            depth = depth if find_all else -1
            continue
        # Without chains the bound has been tested above, perhaps with slack; at least one more move is needed
        left = lower_bound(state, active, goal, tables) if CHAINS else 1
        if spent + left > limit:
            cut += 1
            continue
        known = look_up(table, key_of(state, active))
        if known >= limit - spent:
            # an unsolvable position is not counted as pruned: a limit that prunes nothing ends the search
            cut += known != UNSOLVABLE
            continue
        # children that the limit would prune at once are counted, not made (`core.rules.count_steps`)
        counted, made = count_steps(state, active, tables) if spent + (not CHAINS) == limit else (0, 1)
        record_counts(table, depth + 1, cut, counters[SOLUTIONS])
        if not made:
            nodes, cut = nodes + counted, cut + counted
            key, left = key_of(state, active), limit - spent
            store_on_leave(table, depth + 1, key, left, cut, counters[SOLUTIONS], CHAINS)
            continue
        cursors[depth] = cursor
        depth += 1
        parent, parent_active, cursor = state, active, first_cursor(active, parent_active)
        states[depth], actives[depth], moves[depth] = state, active, spent
    cursors[depth] = cursor
    counters[DEPTH], counters[NODES], counters[CUT] = depth, nodes, cut
    return PAUSED if depth >= 0 else FINISHED
