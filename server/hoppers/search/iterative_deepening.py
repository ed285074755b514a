"""Iterative deepening: depth-first searches under a rising limit on the number of moves.

Korf, "Depth-first iterative-deepening: an optimal admissible tree search" (1985). The kernel is
in `descent`; `RuleKernels.specialise` compiles it into each family's rules and bound.
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
from hoppers.core.rules import RuleKernels, lower_bound, word
from hoppers.search.dfs_kernel import CUT, NODES, PAUSED, SOLUTIONS, Stack, descend
from hoppers.search.dfs_kernel import Style as Style
from hoppers.search.trace import Watched, no_marks, nothing_left_out, traced
from hoppers.search.trace import first_limit as first_limit
from hoppers.search.transposition_table import (
    FORGETTING,
    REMEMBERING,
    Memory,
    empty_memory,
    key_of_state,
    key_with_hand,
)

SLICE_NODES = 1 << 17
NEAR = 256
"""More nodes than a kernel may count at a time."""


def deepening(
    title: Words,
    note: Words,
    rules: RuleKernels,
    style: Style,
    name: str = "deepening",
    bound: Kernel = lower_bound,
    tables: Callable[[Puzzle], Any] = attrgetter("tables"),
    marks: Callable[[Puzzle, Position, int], Marks] = no_marks,
    left_out: Callable[[Question, Position], tuple[list[Step], Marks]] = nothing_left_out,
    remembers: bool = False,
) -> Method:
    """The method that deepens depth-first with a lower bound; without one it is the plain search.

    `remembers`: a position that was searched in vain is not searched again with as few moves left or fewer.
    Positions below which there is a solution are not kept, so that all shortest solutions are still counted.
    Where steps can be taken back that is no less true: a way on over the position before would have been
    found, shorter by two, under a lower limit.

    `tables`: what rules and bound read, where a bound needs more than the puzzle's own tables. `marks` and
    `left_out` are for those who watch (see `tracing.Watched`).
    """
    key = key_with_hand if style.chains else key_of_state

    def prepared(question: Question) -> Search:
        compiled_for = {"lower_bound": bound, "CHAINS": style.chains, "SLACK": style.slack, "key_of": key}
        hooks = REMEMBERING if remembers else FORGETTING
        run_slice = rules.specialise(descend, f"{name}_{style.slack}", **compiled_for, **hooks)
        memory = empty_memory() if remembers else NOTHING
        return Search(style, run_slice, bound, tables(question.puzzle), memory)

    def search(question: Question) -> Iterator[Event]:
        return deepen(question, prepared(question))

    def begin(question: Question, limit: int, nodes: int) -> tuple[Stack, Memory | None]:
        """What is remembered comes from all lower limits, so they are searched again."""
        ready = prepared(question)
        for lower in range(first_limit(question), limit) if remembers else ():
            run_to(question, ready, lower, WHOLE)
        return run_to(question, ready, limit, nodes), ready.memory if remembers else None

    def trace(question: Question, limit: int, nodes: int) -> Iterator[Visit]:
        read = tables(question.puzzle)
        watched = Watched(rules, style.chains, style.slack, bound, read, begin, marks, left_out, key)
        return traced(question, watched, limit, nodes)

    return Method(title, note, search, trace)


def plain(rules: RuleKernels, style: Style) -> Method:
    """The plain search, with no bound: the lesson begins with it on every puzzle."""
    title = Words("Plain deepening", "単純な反復深化")
    note = Words(
        "Every line is followed until the limit cuts it.",
        "上限で打ち切られるまで、すべての手順をたどります。",
    )
    return deepening(title, note, rules, style)


class Search(NamedTuple):
    """What a method searches with."""

    style: Style
    run_slice: Kernel
    bound: Kernel
    tables: Any
    memory: Memory


NOTHING = empty_memory(0)
"""For searches that remember nothing."""
WHOLE = np.iinfo(np.int64).max // 2
"""More nodes than any limit has."""


def run_to(question: Question, search: Search, limit: int, nodes: int) -> Stack:
    """The stack of a limit after at most so many nodes, and hardly fewer: the root is the first."""
    stack = _rooted(question, limit)
    if nodes > NEAR:
        goal, budget = question.goal, nodes - NEAR
        search.run_slice(stack, search.memory, goal, limit, question.find_all, budget, search.tables)
    return stack


def deepen(question: Question, search: Search) -> Iterator[Event]:
    """The events of a deepening search."""
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
    for limit in itertools.count(first_limit(question)):
        began = time.perf_counter()
        stack = _rooted(question, limit)
        if limit >= least:
            yield from _search_limit(question, search, stack, limit, began)
        else:
            # the bound rules the limit out: the root is entered and cut, or not even entered
            stack.tally[NODES] = stack.tally[CUT] = int(search.style.chains)
        nodes, cut, solutions = (int(stack.tally[i]) for i in (NODES, CUT, SOLUTIONS))
        total += nodes
        if solutions:
            line = stack.first_line[1 : stack.line_length[0]].tolist()
            yield _solved(question, limit, line, solutions, nodes, began, started, total)
            return
        yield Exhausted(limit, nodes, cut, time.perf_counter() - began)
        if limit >= least and not cut:
            yield Unsolvable("exhausted", total, time.perf_counter() - started)
            return


def _search_limit(
    question: Question, search: Search, stack: Stack, limit: int, began: float
) -> Generator[Event, None, None]:
    """Run slices until the limit is finished, reporting between them."""
    goal, find_all = question.goal, question.find_all
    memory, tables = search.memory, search.tables
    while search.run_slice(stack, memory, goal, limit, find_all, SLICE_NODES, tables) == PAUSED:
        yield Progress(limit, int(stack.tally[NODES]), time.perf_counter() - began)


def _rooted(question: Question, limit: int) -> Stack:
    """A stack with the root entered, deep enough for any line under the limit."""
    depth = max(question.puzzle.holes, limit) + 3
    states, first_line = np.zeros(depth, np.uint64), np.zeros(depth, np.uint64)
    actives, moves, cursors = (np.zeros(depth, np.int64) for _ in range(3))
    states[0], actives[0], moves[0] = question.root.state, question.root.active, question.spent
    tally = np.array([0, 1, 0, 0], np.int64)
    return Stack(states, actives, moves, cursors, tally, first_line, np.zeros(1, np.int64))


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
    """The steps that lead from the position through these states."""
    steps = []
    for state in line:
        step = next(step for step in puzzle.raw_steps(position) if step.after.state == state)
        steps.append(step)
        position = step.after
    return steps
