"""Depth-first search under one move limit: a generic kernel, specialised with a puzzle's rules and a bound.

The kernel runs in slices of a given number of nodes. Its whole state is in arrays, so a search can be paused
or dropped between two slices at no cost.
"""

from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import Kernel, kernel
from hoppers.core.model import Position
from hoppers.core.puzzle import Question
from hoppers.core.rules import count_steps, first_cursor, is_solved, lower_bound, next_step
from hoppers.search.hash_tables import UNSOLVABLE, key_of, look_up, new_table, record_counts, store_on_leave

PAUSED, FINISHED = 0, 1
DEPTH, NODES, CUT, SOLUTIONS, LENGTH = range(5)  # indices into `Stack.counters`
MAX_NODES_PER_STEP = 256  # upper bound of the nodes that `descend` counts in one pass of its loop


class Stack(NamedTuple):
    """Path from the root to the current position, one entry per position, with counters of one limit."""

    states: Any  # uint64[depth]: packed states
    actives: Any  # int64[depth]: active holes
    moves: Any  # int64[depth]: moves started up to each position
    cursors: Any  # int64[depth]: cursors with which `next_step` finds the next step of each position
    counters: Any  # int64[5]: DEPTH (-1 when finished), NODES, CUT (pruned positions), SOLUTIONS, LENGTH
    first_line: Any  # uint64[depth]: LENGTH states of the first solution found, root included


@kernel
def count_solution(stack: Any, depth: int, state: Any) -> None:
    """Count a solution: the stack up to entry `depth`, then `state`. Store it if it is the first."""
    stack.counters[SOLUTIONS] += 1
    if stack.counters[SOLUTIONS] == 1:
        stack.first_line[: depth + 1] = stack.states[: depth + 1]
        stack.first_line[depth + 1] = state
        stack.counters[LENGTH] = depth + 2


# Placeholders, which `DepthFirstSearch` replaces for each method
CHAINS = True
"""Whether a step may continue a move at cost 0 (`Rules.multi_step_moves`).

If True, a position at the limit is still expanded, and a position beyond the limit counts as a node before it
is pruned. If False, every step costs 1, and only positions within the limit and the bound count as nodes.
"""
SLACK = 0  # without CHAINS: moves so far plus the lower bound may exceed the limit by this number
LISTS_BACK = True
"""Whether `next_step` lists the step that undoes the last one, because no `first_cursor` skips it."""


def descend(stack: Stack, table: Any, goal: int, limit: int, find_all: bool, budget: int, tables: Any) -> int:
    """Continue the search of one limit (generic kernel). Return PAUSED or FINISHED.

    `limit`: most moves of a solution. `table`: transposition table, or None. The search finishes at the first
    solution unless `find_all`. It pauses after `budget` nodes or up to 255 more.
    """
    states, actives, moves, cursors, counters, _ = stack
    depth, nodes, cut = counters[DEPTH], counters[NODES], counters[CUT]
    last = nodes + budget
    parent, parent_active, cursor = states[depth], actives[depth], cursors[depth]  # the entry at `depth`
    while depth >= 0 and nodes < last:
        cursor, _, _, state, active, cost = next_step(parent, parent_active, cursor, tables)
        if cursor < 0:
            key, left = key_of(parent, parent_active, CHAINS), limit - moves[depth]
            store_on_leave(table, depth, key, left, cut, counters[SOLUTIONS], CHAINS)
            depth -= 1
            parent, parent_active, cursor = states[depth], actives[depth], cursors[depth]
            continue
        spent = moves[depth] + cost
        if not CHAINS:
            # the step that undoes the last one is not counted as pruned: it is useless under any limit
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
        known = look_up(table, key_of(state, active, CHAINS))
        if known >= limit - spent:
            # an unsolvable position is not counted as pruned: a limit that prunes nothing ends the search
            cut += known != UNSOLVABLE
            continue
        record_counts(table, depth + 1, cut, counters[SOLUTIONS])
        # children that the limit would prune at once are counted, not made (`core.rules.count_steps`)
        counted, made = count_steps(state, active, tables) if spent + (not CHAINS) == limit else (0, 1)
        if not made:
            nodes, cut = nodes + counted, cut + counted
            key, left = key_of(state, active, CHAINS), limit - spent
            store_on_leave(table, depth + 1, key, left, cut, counters[SOLUTIONS], CHAINS)
            continue
        cursors[depth] = cursor
        depth += 1
        parent, parent_active, cursor = state, active, first_cursor(active, parent_active)
        states[depth], actives[depth], moves[depth] = state, active, spent
    cursors[depth] = cursor
    counters[DEPTH], counters[NODES], counters[CUT] = depth, nodes, cut
    return PAUSED if depth >= 0 else FINISHED


class DepthFirstSearch:
    """The kernel `descend`, specialised for a method, with the arrays that it reads for one question.

    `name`: part of the name of the specialised kernel. `bound`: kernel of the lower bound. `slack`: see
    `SLACK`. `tables`: arrays that rules and bound read. `use_transpositions`: whether to prune positions that
    were searched in vain with as many moves left or more.
    """

    def __init__(
        self, question: Question, name: str, bound: Kernel, slack: int, tables: Any, use_transpositions: bool
    ) -> None:
        rules, self.chains = question.puzzle.rules.kernels, question.puzzle.rules.multi_step_moves
        self.question, self.slack, self.tables = question, slack, tables
        self.table = new_table() if use_transpositions else None
        self._bound = bound
        constants: dict[str, Any] = {"CHAINS": self.chains, "SLACK": slack}
        constants |= {"lower_bound": bound, "LISTS_BACK": rules.first_cursor is first_cursor}
        if not self.chains and bound is not lower_bound:
            constants["count_steps"] = count_steps  # the bound must test every child, so none is only counted
        self._kernel = rules.specialise(descend, f"{name}_{slack}", **constants)

    def bound(self, position: Position) -> int:
        """Return the lower bound of the moves still to be started from a position."""
        return int(self._bound(np.uint64(position.state), position.active, self.question.goal, self.tables))

    def new_stack(self, limit: int) -> Stack:
        """Return a stack that contains the root and has room for any path under the limit."""
        root, depth = self.question.root, max(self.question.puzzle.holes, limit) + 3
        states, first_line = np.zeros(depth, np.uint64), np.zeros(depth, np.uint64)
        actives, moves, cursors = (np.zeros(depth, np.int64) for _ in range(3))
        states[0], actives[0], moves[0] = root.state, root.active, self.question.spent
        return Stack(states, actives, moves, cursors, np.array([0, 1, 0, 0, 0], np.int64), first_line)

    def run(self, stack: Stack, limit: int, budget: int = 1 << 17) -> int:
        """Continue the search of `limit` as `descend` does. Return PAUSED or FINISHED."""
        goal, find_all = self.question.goal, self.question.find_all
        return int(self._kernel(stack, self.table, goal, limit, find_all, budget, self.tables))

    def run_to(self, limit: int, nodes: int) -> Stack:
        """Search `limit` for `nodes` nodes, the root included, or up to 255 fewer. Return the stack.

        The search ends earlier if the limit is finished. With a transposition table, all lower limits are
        searched first, which may take long.
        """
        # the content of the table comes from all lower limits, so they are searched again
        for lower in range(self.question.first_limit, limit) if self.table is not None else ():
            stack = self.new_stack(lower)
            while self.run(stack, lower) == PAUSED:
                pass
        stack = self.new_stack(limit)
        if nodes > MAX_NODES_PER_STEP:
            self.run(stack, limit, nodes - MAX_NODES_PER_STEP)
        return stack
