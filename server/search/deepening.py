"""Iterative deepening: depth-first searches under a rising limit on the number of moves.

Korf, "Depth-first iterative-deepening: an optimal admissible tree search" (1985). The kernel below is
generic: `Rules.specialise` compiles it into each family's rules and bound. It runs in slices of a given
number of nodes and all its state is in arrays, so a pause costs nothing and it can be left between two.
"""

import itertools
import time
from collections.abc import Callable, Generator, Iterator
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from ..compiled import Kernel, kernel
from ..puzzle import Method, Puzzle, Question
from ..records import Position, Step, Words, group_moves
from ..rules import Rules, count_steps, is_solved, lower_bound, next_step, word
from .events import Event, Exhausted, Marks, Progress, Solved, Unsolvable, Visit
from .tracing import Watched, no_marks, nothing_left_out, traced
from .tracing import first_limit as first_limit

SLICE_NODES = 1 << 17
PAUSED, FINISHED = 0, 1
DEPTH, NODES, CUT, SOLUTIONS = range(4)
NEAR = 256
"""More nodes than a kernel may count at a time."""


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


def descend(stack: Stack, goal: int, limit: int, find_all: bool, budget: int, tables: Any) -> int:
    """Search on for at most `budget` nodes (generic kernel). Returns PAUSED or FINISHED."""
    states, actives, moves, cursors, tally, _, _ = stack
    depth, nodes, cut = tally[DEPTH], tally[NODES], tally[CUT]
    last = nodes + budget
    while depth >= 0 and nodes < last:
        cursor, _, _, state, active, cost = next_step(states[depth], actives[depth], cursors[depth], tables)
        cursors[depth] = cursor
        if cursor < 0:
            depth -= 1
            continue
        spent = moves[depth] + cost
        if not CHAINS:
            if depth > 0 and state == states[depth - 1]:
                continue  # the last step taken straight back
            if spent > limit or spent - SLACK + lower_bound(state, active, goal, tables) > limit:
                cut += 1
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
        costly, free = count_steps(state, active, tables) if CHAINS and spent == limit else (0, 1)
        if not free:  # its children would all be entered and cut: they are counted in one go
            nodes, cut = nodes + costly, cut + costly
            continue
        depth += 1
        states[depth], actives[depth], moves[depth], cursors[depth] = state, active, spent, 0
    tally[DEPTH], tally[NODES], tally[CUT] = depth, nodes, cut
    return PAUSED if depth >= 0 else FINISHED


def deepening(
    title: Words,
    note: Words,
    rules: Rules,
    style: Style,
    name: str = "deepening",
    bound: Kernel = lower_bound,
    tables: Callable[[Puzzle], Any] = attrgetter("tables"),
    marks: Callable[[Puzzle, Position, int], Marks] = no_marks,
    left_out: Callable[[Question, Position], tuple[list[Step], Marks]] = nothing_left_out,
) -> Method:
    """The method that deepens depth-first with a lower bound; without one it is the plain search.

    `tables`: what rules and bound read, where a bound needs more than the puzzle's own tables. `marks` and
    `left_out` are for those who watch (see `tracing.Watched`).
    """

    def prepared(question: Question) -> Search:
        compiled_for = {"lower_bound": bound, "CHAINS": style.chains, "SLACK": style.slack}
        run_slice = rules.specialise(descend, f"{name}_{style.slack}", **compiled_for)
        return Search(style, run_slice, bound, tables(question.puzzle))

    def search(question: Question) -> Iterator[Event]:
        return deepen(question, prepared(question))

    def begin(question: Question, limit: int, nodes: int) -> tuple[Stack, None]:
        return run_to(question, prepared(question), limit, nodes), None

    def trace(question: Question, limit: int, nodes: int) -> Iterator[Visit]:
        read = tables(question.puzzle)
        watched = Watched(rules, style.chains, style.slack, bound, read, begin, marks, left_out)
        return traced(question, watched, limit, nodes)

    return Method(title, note, search, trace)


class Search(NamedTuple):
    """What a method searches with."""

    style: Style
    run_slice: Kernel
    bound: Kernel
    tables: Any


def run_to(question: Question, search: Search, limit: int, nodes: int) -> Stack:
    """The stack of a limit after at most so many nodes, and hardly fewer: the root is the first."""
    stack = _rooted(question, limit)
    if nodes > NEAR:
        search.run_slice(stack, question.goal, limit, question.find_all, nodes - NEAR, search.tables)
    return stack


def deepen(question: Question, search: Search) -> Iterator[Event]:
    """The events of a deepening search."""
    started, total = time.perf_counter(), 0
    puzzle, root = question.puzzle, question.root
    reason = puzzle.obstruction(root, question.goal)
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
    while search.run_slice(stack, goal, limit, find_all, SLICE_NODES, search.tables) == PAUSED:
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
