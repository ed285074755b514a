"""Iterative deepening with a memory: a position that was searched in vain is not searched again.

For puzzles whose steps cannot be taken back (boards of pegs): a line never meets a position twice, so what
was found below one does not depend on how it was reached. Positions below which there is a solution are not
remembered, so that all shortest solutions are still counted.
"""

from collections.abc import Callable, Iterator
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from ..compiled import Kernel
from ..puzzle import Method, Puzzle, Question
from ..records import Words
from ..rules import Rules, is_solved, lower_bound, next_step
from .deepening import (
    CUT,
    DEPTH,
    FINISHED,
    NODES,
    PAUSED,
    SOLUTIONS,
    Search,
    Stack,
    Style,
    count_solution,
    deepen,
    run_to,
)
from .events import Event, Marks, Visit
from .memory_of_limits import FOREVER, Memory, empty_memory, keep, recall
from .tracing import Watched, first_limit, nothing_left_out, traced

STYLE = Style(chains=True)
WHOLE = np.iinfo(np.int64).max // 2
"""More nodes than any limit has."""


def descend_remembering(
    stack: Any, memory: Any, goal: int, limit: int, find_all: bool, budget: int, tables: Any
) -> int:
    """Search on for at most `budget` nodes (generic kernel). Returns PAUSED or FINISHED."""
    states, actives, moves, cursors, tally, _, _ = stack
    depth, nodes, cut = tally[DEPTH], tally[NODES], tally[CUT]
    last = nodes + budget
    while depth >= 0 and nodes < last:
        cursor, _, _, state, active, cost = next_step(states[depth], actives[depth], cursors[depth], tables)
        cursors[depth] = cursor
        if cursor < 0:
            if tally[SOLUTIONS] == memory.solutions[depth]:
                left = FOREVER if cut == memory.cuts[depth] else limit - moves[depth]
                keep(memory, states[depth], actives[depth], left)
            depth -= 1
            continue
        spent = moves[depth] + cost
        nodes += 1
        if spent > limit:
            cut += 1
            continue
        if is_solved(state, active, goal, tables):
            count_solution(stack, depth, state)
            if not find_all:
                depth = -1
            continue
        if spent + lower_bound(state, active, goal, tables) > limit:
            cut += 1
            continue
        known = recall(memory, state, active)
        if known >= limit - spent:
            cut += known != FOREVER
            continue
        depth += 1
        states[depth], actives[depth], moves[depth], cursors[depth] = state, active, spent, 0
        memory.cuts[depth], memory.solutions[depth] = cut, tally[SOLUTIONS]
    tally[DEPTH], tally[NODES], tally[CUT] = depth, nodes, cut
    return PAUSED if depth >= 0 else FINISHED


def remembering(
    title: Words,
    note: Words,
    rules: Rules,
    name: str,
    bound: Kernel,
    marks: Callable[[Puzzle, Any, int], Marks],
    tables: Callable[[Puzzle], Any] = attrgetter("tables"),
) -> Method:
    """The method that deepens with a lower bound and a memory."""

    def prepared(question: Question) -> tuple[Search, Memory]:
        memory = empty_memory()
        kernel = rules.specialise(descend_remembering, name, lower_bound=bound)
        return Search(STYLE, partial(_run, kernel, memory), bound, tables(question.puzzle)), memory

    def search(question: Question) -> Iterator[Event]:
        return deepen(question, prepared(question)[0])

    def begin(question: Question, limit: int, nodes: int) -> tuple[Stack, Memory]:
        """What is remembered comes from all lower limits, so they are searched again."""
        ready, memory = prepared(question)
        for lower in range(first_limit(question), limit):
            run_to(question, ready, lower, WHOLE)
        return run_to(question, ready, limit, nodes), memory

    def trace(question: Question, limit: int, nodes: int) -> Iterator[Visit]:
        read = tables(question.puzzle)
        watched = Watched(rules, True, 0, bound, read, begin, marks, nothing_left_out)
        return traced(question, watched, limit, nodes)

    return Method(title, note, search, trace)


def _run(kernel: Kernel, memory: Memory, stack: Any, *more: Any) -> int:
    """The kernel in the form of the plain one; a new line begins with the counts of its root."""
    if stack.tally[NODES] == 1:
        memory.cuts[0] = memory.solutions[0] = 0
    return int(kernel(stack, memory, *more))
