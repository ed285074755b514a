"""Trace of the deepening search: its events in order (see `Visit`), for the page that steps through a search.

The trace visits the same positions in the same order as the compiled search (`dfs_kernel.descend`), which
calls nothing in this module and so stays fast. To start in the middle of a limit, the compiled search runs to
shortly before the required node, and the trace continues in the arrays of its stack.
"""

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from hoppers.core.events import Marks, Visit
from hoppers.core.model import Position, Step
from hoppers.core.puzzle import Puzzle, Question
from hoppers.search.dfs_kernel import CUT, DEPTH, NODES, SOLUTIONS, DepthFirstSearch, Stack
from hoppers.search.hash_tables import UNSOLVABLE, key_of, look_up, record_counts, store_on_leave


class Trace:
    """Trace of a depth-first search at one limit, from its node number `nodes` on.

    `marks`: (puzzle, position, goal) -> holes that the bound counts in the position. `skipped`: (question,
    position) -> steps that the method never makes, and the holes that show the reason.
    """

    def __init__(
        self,
        search: DepthFirstSearch,
        limit: int,
        nodes: int,
        marks: Callable[[Puzzle, Position, int], Marks],
        skipped: Callable[[Question, Position], tuple[list[Step], Marks]],
    ) -> None:
        self._search, self._limit, self._nodes = search, limit, nodes
        self._marks, self._skipped = marks, skipped
        self._question, self._puzzle = search.question, search.question.puzzle

    @cached_property
    def _stack(self) -> Stack:
        return self._search.run_to(self._limit, self._nodes)

    def visits(self) -> Iterator[Visit]:
        """Yield the events of the trace.

        If `nodes` is not 0, the positions from the root to node `nodes` come first, as events of kind "line".
        With `find_all` the trace covers the whole limit; otherwise it ends at the first solution.
        If the rules prove the root dead, this proof is the only event. A solved root has no events.
        """
        root, goal, spent = self._question.root, self._question.goal, self._question.spent
        reason = self._puzzle.rules.obstruction(root, goal)
        if reason is not None:
            yield self._visit(reason, 0, None, root, spent, marks=self._puzzle.rules.dead_proof(root, goal))
        if reason is not None or self._puzzle.is_solved(root, goal):
            return
        bound = self._search.bound(root)
        if self._limit < spent + bound:
            marks = self._marks(self._puzzle, root, goal)
            yield self._visit("bound", 0, None, root, spent, bound, self._search.chains, marks)
            yield self._visit("end", 0, None, root, spent)
            return
        if self._nodes == 0:
            yield self._visit("enter", 0, None, root, spent, 0, True)
        visits, visited = self._search_on(), int(self._stack.counters[NODES])
        # the compiled search stops up to 255 nodes early; the trace visits these nodes without yielding them
        while visited < self._nodes and (visit := next(visits, None)) is not None:
            visited += visit.is_node
        if self._nodes:
            yield from self._line()
        yield from visits

    def _line(self) -> Iterator[Visit]:
        """Yield an event of kind "line" for each position of the path, the root first.

        There is none if the limit is finished.
        """
        root, states = self._question.root, self._stack.states[1 : self._depth + 1].tolist()
        path = [None, *self._puzzle.steps_along(root, states)][: self._depth + 1]
        for depth, step in enumerate(path):
            at = root if step is None else step.after
            yield self._visit("line", depth, step, at, self._spent(depth))

    @property
    def _depth(self) -> int:
        return int(self._stack.counters[DEPTH])

    def _at(self, depth: int) -> Position:
        return Position(int(self._stack.states[depth]), int(self._stack.actives[depth]))

    def _spent(self, depth: int) -> int:
        return int(self._stack.moves[depth])

    def _steps(self, at: Position, cursor: int = 0) -> Iterator[Step]:
        """Yield the steps from a position as the kernel lists them, from `cursor` on."""
        next_step, tables = self._puzzle.rules.kernels.next_step, self._search.tables
        while True:
            found = next_step(np.uint64(at.state), at.active, cursor, tables)
            cursor, origin, target, after, active, cost = (int(number) for number in found)
            if cursor < 0:
                return
            yield Step(origin, target, Position(after, active), cost)

    def _steps_left(self, depth: int) -> list[Step]:
        """Return the steps that the compiled search has not made from the position at `depth` of its path.

        The compiled search may use lists without the step that undoes the last one (see
        `core.rules.first_cursor`), but the trace shows this step as skipped.
        """
        at, first_cursor = self._at(depth), self._puzzle.rules.kernels.first_cursor
        steps, left = [*self._steps(at)], [*self._steps(at, int(self._stack.cursors[depth]))]
        made = steps.index(left[0]) if left else len(steps)
        if depth and made and first_cursor(at.active, self._at(depth - 1).active):
            made -= steps[made - 1].after == self._at(depth - 1)
        return steps[made:]

    def _search_on(self) -> Iterator[Visit]:
        """Continue from the last position of the path, and yield the events.

        Stop at the end of the limit or, without `find_all`, at the first solution.
        """
        counters = self._stack.counters
        steps: list[Iterator[Step]] = [iter(self._steps_left(depth)) for depth in range(self._depth + 1)]
        # only the compiled search moves a cursor: at 0 it made no step here, and showed none as skipped
        if steps and self._stack.cursors[self._depth] == 0:
            yield from self._visit_skipped(self._depth)
        while steps:
            depth, step = self._depth, next(steps[-1], None)
            if step is None:
                steps.pop()
                self._store(depth)
                yield self._visit("leave", depth, None, self._at(depth), self._spent(depth))
                counters[DEPTH] -= 1
                continue
            visit = self._classify(depth + 1, step)
            counters[CUT] += visit.kind in ("limit", "bound", "seen")
            counters[SOLUTIONS] += visit.kind == "solved"
            if visit.kind == "enter":
                self._push(step, visit.spent)
                steps.append(self._steps(step.after))
            yield visit
            if visit.kind == "enter":
                yield from self._visit_skipped(depth + 1)
            if visit.kind == "solved" and not self._question.find_all:
                return
        yield self._visit("end", 0, None, self._question.root, self._question.spent)

    def _push(self, step: Step, spent: int) -> None:
        """Add the position after a step to the path."""
        stack, depth = self._stack, self._depth + 1
        stack.counters[DEPTH] = depth
        stack.states[depth], stack.actives[depth] = step.after
        stack.moves[depth] = spent
        record_counts(self._search.table, depth, stack.counters[CUT], stack.counters[SOLUTIONS])

    def _visit_skipped(self, depth: int) -> Iterator[Visit]:
        steps, marks = self._skipped(self._question, self._at(depth))
        for step in steps:
            spent = self._spent(depth) + step.cost
            yield self._visit("fatal", depth + 1, step, step.after, spent, marks=marks)

    def _key(self, position: Position) -> Any:
        return np.uint64(key_of(np.uint64(position.state), position.active, self._search.chains))

    def _store(self, depth: int) -> None:
        """Store the position at `depth` in the transposition table if it was searched in vain."""
        cut, solutions = self._stack.counters[CUT], self._stack.counters[SOLUTIONS]
        key, left = self._key(self._at(depth)), self._limit - self._spent(depth)
        store_on_leave(self._search.table, depth, key, left, cut, solutions, self._search.chains)

    def _classify(self, depth: int, step: Step) -> Visit:
        """Return the event for a step to `depth`, by the tests of `dfs_kernel.descend` in its order."""
        search, limit, goal = self._search, self._limit, self._question.goal
        after, spent = step.after, self._spent(depth - 1) + step.cost
        if not search.chains and depth > 1 and after.state == self._at(depth - 2).state:
            return self._visit("back", depth, step, after, spent)
        if spent > limit:
            return self._visit("limit", depth, step, after, spent, 0, search.chains)
        bound, marks = search.bound(after), self._marks(self._puzzle, after, goal)
        if not search.chains and spent - search.slack + bound > limit:
            return self._visit("bound", depth, step, after, spent, bound, False, marks)
        if self._puzzle.is_solved(after, goal):
            return self._visit("solved", depth, step, after, spent, 0, True)
        if search.chains and spent + bound > limit:
            return self._visit("bound", depth, step, after, spent, bound, True, marks)
        if not search.chains and spent + 1 > limit:
            return self._visit("limit", depth, step, after, spent, bound, True)
        known = look_up(search.table, self._key(after))
        if known >= limit - spent:
            kind = "lost" if known == UNSOLVABLE else "seen"
            return self._visit(kind, depth, step, after, spent, bound, True)
        return self._visit("enter", depth, step, after, spent, bound, True)

    def _visit(
        self,
        kind: str,
        depth: int,
        step: Step | None,
        at: Position,
        spent: int,
        bound: int = 0,
        is_node: bool = False,
        marks: Marks = (),
    ) -> Visit:
        origin, target = (step.origin, step.target) if step is not None else (-1, -1)
        state, active = at
        return Visit(kind, self._limit, depth, origin, target, state, active, spent, bound, is_node, marks)
