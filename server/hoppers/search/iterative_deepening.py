"""Iterative deepening: depth-first searches under a rising move limit.

Source: Korf, "Depth-first iterative-deepening: an optimal admissible tree search" (1985). The kernel is
`dfs_kernel.descend`; `DepthFirstSearch` compiles it with the rules of a puzzle family and a bound.
"""

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from hoppers.core.events import (
    NO_MEMORY,
    Event,
    Exhausted,
    Failed,
    Marks,
    Progress,
    Solved,
    Unsolvable,
    Visit,
)
from hoppers.core.kernels import Kernel
from hoppers.core.model import Position, Step
from hoppers.core.puzzle import Algorithm, Method, Puzzle, Question, moves_of
from hoppers.core.rules import lower_bound
from hoppers.core.texts import Text
from hoppers.runtime.memory_budget import WAIT_SECONDS, BudgetExceeded, Lease
from hoppers.search.dfs_kernel import CUT, LENGTH, NODES, PAUSED, SOLUTIONS, DepthFirstSearch
from hoppers.search.hash_tables import TABLE_BYTES
from hoppers.search.trace import Trace

Search = Callable[[Question], Iterator[Event]]


def deepening_method(
    title: Text,
    note: Text,
    name: str = "deepening",
    bound: Kernel = lower_bound,
    *,
    slack: int = 0,
    tables: Callable[[Question], Any] = lambda question: question.puzzle.rules.tables,
    marks: Callable[[Puzzle, Position, int], Marks] = lambda puzzle, position, goal: (),
    skipped: Callable[[Question, Position], tuple[list[Step], Marks]] = lambda question, position: ([], ()),
    use_transpositions: bool = False,
    is_admissible: bool = True,
) -> Method:
    """Return the method of iterative deepening with a lower bound. The default bound, 0, prunes nothing.

    A search with a transposition table still counts all shortest solutions, because positions above a
    solution are not stored. In a puzzle with cycles, the search skips the step that undoes the last
    one. A solution with these two steps would imply a solution that is shorter by two moves, which a lower
    limit would have found.

    `tables`: question -> arrays that rules and bound read; by default the puzzle's tables. `marks`,
    `skipped`: see `Trace`. `name`, `bound`, `slack`, `use_transpositions`: see `DepthFirstSearch`.
    `is_admissible`: see `Method`.
    """

    def prepare(question: Question) -> DepthFirstSearch:
        return DepthFirstSearch(question, name, bound, slack, tables(question), use_transpositions)

    def trace(question: Question, limit: int, nodes: int) -> Iterator[Visit]:
        return Trace(prepare(question), limit, nodes, marks, skipped).visits()

    def search(question: Question) -> Iterator[Event]:
        lease = Lease(question.puzzle.engine.memory)
        try:
            if use_transpositions:
                for _ in lease.wait_and_take(TABLE_BYTES, WAIT_SECONDS):
                    yield Progress(question.first_limit, 0, 0.0)
            events = deepen(prepare(question))
            yield from events if is_admissible else without_proofs(events)
        except (BudgetExceeded, TimeoutError):
            yield Failed(NO_MEMORY)
        finally:
            lease.release()

    algorithm = Algorithm("depth", bound is not lower_bound, slack, use_transpositions)
    return Method(title, note, checked(search), trace, is_admissible=is_admissible, algorithm=algorithm)


def without_proofs(events: Iterator[Event]) -> Iterator[Event]:
    """Yield the events of a search that proves nothing, marked as not proved."""
    for event in events:
        if isinstance(event, Exhausted | Solved | Unsolvable):
            event = replace(event, proved=False)
        yield event


def checked(search: Search) -> Search:
    """Return a search that ends at once if `Rules.obstruction` proves the root dead, else runs `search`."""

    def events(question: Question) -> Iterator[Event]:
        reason = question.puzzle.rules.obstruction(question.root, question.goal)
        if reason is not None:
            yield Unsolvable(reason, 0, 0.0)
            return
        yield from search(question)

    return events


PLAIN = deepening_method(
    Text("Plain iterative deepening"),
    Text("Tries everything up to the limit."),
)
"""Iterative deepening without a lower bound, the simplest method of every puzzle."""


def deepen(search: DepthFirstSearch) -> Iterator[Event]:
    """Run an iterative-deepening search and yield its events, ending with Solved or Unsolvable.

    In a puzzle with cycles, the search of an unsolvable root may never end.
    """
    started, total, question = time.perf_counter(), 0, search.question
    puzzle, root = question.puzzle, question.root
    if puzzle.is_solved(root, question.goal):
        count = 1 if question.find_all else None
        seconds = time.perf_counter() - started
        yield Solved(question.spent, 1, seconds, moves_of(question, []), count, 1)
        return
    least = question.spent + search.bound(root)
    for limit in itertools.count(question.first_limit):
        began, stack = time.perf_counter(), search.new_stack(limit)
        if limit >= least:
            while search.run(stack, limit) == PAUSED:
                yield Progress(limit, int(stack.counters[NODES]), time.perf_counter() - began)
        else:
            # the bound rules the limit out: the root is visited and pruned, or not even visited
            stack.counters[NODES] = stack.counters[CUT] = int(search.chains)
        nodes, cut, solutions = (int(stack.counters[i]) for i in (NODES, CUT, SOLUTIONS))
        total += nodes
        if solutions:
            line = puzzle.steps_along(root, stack.first_line[1 : stack.counters[LENGTH]].tolist())
            count = solutions if question.find_all else None
            seconds = time.perf_counter() - began
            yield Solved(limit, nodes, seconds, moves_of(question, line), count, total)
            return
        yield Exhausted(limit, nodes, cut, time.perf_counter() - began)
        if limit >= least and not cut:
            # nothing was pruned, so all lines were followed to their end and no higher limit has more
            yield Unsolvable("exhausted", total, time.perf_counter() - started)
            return
