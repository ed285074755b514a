"""Iterative deepening: depth-first searches under a rising move limit.

Source: Korf, "Depth-first iterative-deepening: an optimal admissible tree search" (1985). The kernel is
`dfs_kernel.descend`; `RuleKernels.specialise` compiles it with the rules and the bound of each puzzle family.
"""

import itertools
import time
from collections.abc import Callable, Generator, Iterator
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.events import Event, Exhausted, Marks, Progress, Solved, Unsolvable, Visit
from hoppers.core.kernels import Kernel
from hoppers.core.model import Position, Step, Words, group_moves
from hoppers.core.puzzle import Method, Puzzle, Question
from hoppers.core.rules import RuleKernels, count_steps, first_cursor, lower_bound, word
from hoppers.search.dfs_kernel import CUT, NODES, PAUSED, SOLUTIONS, Stack, descend
from hoppers.search.dfs_kernel import Style as Style
from hoppers.search.hash_tables import (
    WITH_TABLE,
    WITHOUT_TABLE,
    TranspositionTable,
    key_of_state,
    key_with_active,
    new_table,
)
from hoppers.search.trace import TracedMethod, no_marks, no_skipped_steps, trace_limit

SLICE_NODES = 1 << 17
MAX_NODES_PER_STEP = 256
"""Upper bound of the nodes that `descend` counts in one pass of its loop."""


def deepening_method(
    title: Words,
    note: Words,
    rules: RuleKernels,
    style: Style,
    name: str = "deepening",
    bound: Kernel = lower_bound,
    tables: Callable[[Question], Any] = attrgetter("puzzle.rules.tables"),
    marks: Callable[[Puzzle, Position, int], Marks] = no_marks,
    skipped: Callable[[Question, Position], tuple[list[Step], Marks]] = no_skipped_steps,
    use_transpositions: bool = False,
) -> Method:
    """Return the method of iterative deepening with a lower bound. The default bound, 0, prunes nothing.

    A search with a transposition table still counts all shortest solutions, because positions above a
    solution are not stored. In a puzzle with cycles, the search skips the step that undoes the last
    one. A solution that begins with this step would imply a solution that is shorter by two moves, which a
    lower limit would have found.

    Args:
        title: name of the method.
        note: one sentence about the method.
        rules: compiled rules of the family.
        style: how the method counts and prunes.
        name: part of the name of the specialised kernel.
        bound: lower bound.
        tables: arrays that rules and bound read, where the bound needs more than the puzzle's tables.
        marks: function for the trace, see `TracedMethod.marks`.
        skipped: function for the trace, see `TracedMethod.skipped`.
        use_transpositions: prune positions that were searched in vain with as many moves left or more.
    """
    key = key_with_active if style.chains else key_of_state

    def prepare(question: Question) -> DeepeningSearch:
        constants = {"lower_bound": bound, "CHAINS": style.chains, "SLACK": style.slack, "key_of": key}
        hooks = WITH_TABLE if use_transpositions else WITHOUT_TABLE
        constants["LISTS_BACK"] = rules.first_cursor is first_cursor
        if not style.chains and bound is not lower_bound:
            constants["count_steps"] = count_steps  # the bound must test every child, so none is only counted
        run_slice = rules.specialise(descend, f"{name}_{style.slack}", **constants, **hooks)
        table = new_table() if use_transpositions else NO_TABLE
        return DeepeningSearch(style, run_slice, bound, tables(question), table)

    def search(question: Question) -> Iterator[Event]:
        return deepen(question, prepare(question))

    def begin(question: Question, limit: int, nodes: int) -> tuple[Stack, TranspositionTable | None]:
        # the content of the table comes from all lower limits, so they are searched again
        prepared = prepare(question)
        for lower in range(question.first_limit, limit) if use_transpositions else ():
            run_to(question, prepared, lower, UNLIMITED_NODES)
        return run_to(question, prepared, limit, nodes), prepared.table if use_transpositions else None

    def trace(question: Question, limit: int, nodes: int) -> Iterator[Visit]:
        read = tables(question)
        method = TracedMethod(rules, style.chains, style.slack, bound, read, begin, marks, skipped, key)
        return trace_limit(question, method, limit, nodes)

    return Method(title, note, search, trace)


def plain_method(rules: RuleKernels, style: Style) -> Method:
    """Return the method of iterative deepening without a bound, with which every puzzle's lesson begins."""
    title = Words("Plain deepening", "単純な反復深化")
    note = Words(
        "Every line is followed until the limit cuts it.",
        "上限で打ち切られるまで、すべての手順をたどります。",
    )
    return deepening_method(title, note, rules, style)


class DeepeningSearch(NamedTuple):
    """Specialised kernel of a method, with the bound and the arrays that a search passes to it."""

    style: Style
    run_slice: Kernel
    bound: Kernel
    tables: Any
    table: TranspositionTable
    """The transposition table; `NO_TABLE` for a search without one."""


NO_TABLE = new_table(0)
"""Argument in place of a transposition table for a search without one: its kernel never reads the table."""
UNLIMITED_NODES = np.iinfo(np.int64).max // 2
"""Node budget larger than the nodes of any limit."""


def run_to(question: Question, search: DeepeningSearch, limit: int, nodes: int) -> Stack:
    """Search `limit` for `nodes` nodes, the root included, or up to 256 fewer. Return the stack."""
    stack = _new_stack(question, limit)
    if nodes > MAX_NODES_PER_STEP:
        goal, budget = question.goal, nodes - MAX_NODES_PER_STEP
        search.run_slice(stack, search.table, goal, limit, question.find_all, budget, search.tables)
    return stack


def deepen(question: Question, search: DeepeningSearch) -> Iterator[Event]:
    """Run an iterative-deepening search and yield its events, ending with Solved or Unsolvable."""
    started, total = time.perf_counter(), 0
    puzzle, root = question.puzzle, question.root
    reason = puzzle.rules.obstruction(root, question.goal)
    if reason is not None:
        yield Unsolvable(reason, 0, time.perf_counter() - started)
        return
    if puzzle.is_solved(root, question.goal):
        yield _solved(question, question.spent, [], 1, 1, 0.0, started)
        return
    least = question.spent + int(search.bound(word(root.state), root.active, question.goal, search.tables))
    for limit in itertools.count(question.first_limit):
        began = time.perf_counter()
        stack = _new_stack(question, limit)
        if limit >= least:
            yield from _search_limit(question, search, stack, limit, began)
        else:
            # the bound rules the limit out: the root is visited and pruned, or not even visited
            stack.counters[NODES] = stack.counters[CUT] = int(search.style.chains)
        nodes, cut, solutions = (int(stack.counters[i]) for i in (NODES, CUT, SOLUTIONS))
        total += nodes
        if solutions:
            line = stack.first_line[1 : stack.line_length[0]].tolist()
            yield _solved(question, limit, line, solutions, nodes, began, started, total)
            return
        yield Exhausted(limit, nodes, cut, time.perf_counter() - began)
        if limit >= least and not cut:
            # nothing was pruned, so all lines were followed to their end and no higher limit has more
            yield Unsolvable("exhausted", total, time.perf_counter() - started)
            return


def _search_limit(
    question: Question, search: DeepeningSearch, stack: Stack, limit: int, began: float
) -> Generator[Event, None, None]:
    """Run the kernel in slices until `limit` is finished, and yield the progress between slices."""
    goal, find_all = question.goal, question.find_all
    table, tables = search.table, search.tables
    while search.run_slice(stack, table, goal, limit, find_all, SLICE_NODES, tables) == PAUSED:
        yield Progress(limit, int(stack.counters[NODES]), time.perf_counter() - began)


def _new_stack(question: Question, limit: int) -> Stack:
    """Return a stack that contains the root and has room for any path under the limit."""
    depth = max(question.puzzle.holes, limit) + 3
    states, first_line = np.zeros(depth, np.uint64), np.zeros(depth, np.uint64)
    actives, moves, cursors = (np.zeros(depth, np.int64) for _ in range(3))
    states[0], actives[0], moves[0] = question.root.state, question.root.active, question.spent
    counters = np.array([0, 1, 0, 0], np.int64)
    return Stack(states, actives, moves, cursors, counters, first_line, np.zeros(1, np.int64))


def _solved(
    question: Question,
    limit: int,
    line: list[int],
    solutions: int,
    nodes: int,
    began: float,
    started: float,
    total: int = 1,
) -> Solved:
    now = time.perf_counter()
    first = [question.first] if question.first is not None else []
    moves = group_moves(first + steps_along(question.puzzle, question.root, line))
    return Solved(
        limit, nodes, now - (began or started), moves, solutions if question.find_all else None, total
    )


def steps_along(puzzle: Puzzle, position: Position, line: list[int]) -> list[Step]:
    """Return the steps that lead from `position` through `line`, the state after each step."""
    steps = []
    for state in line:
        step = next(step for step in puzzle.legal_steps(position) if step.after.state == state)
        steps.append(step)
        position = step.after
    return steps
