"""Trace of the deepening search: its events in order (see `Visit`), for the page that steps through a search.

The trace visits the same positions in the same order as the compiled search (`dfs_kernel.descend`), which
calls nothing in this module and so stays fast. To start in the middle of a limit, the compiled search runs to
shortly before the required node, and the trace continues in the arrays of its stack.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from hoppers.core.events import Marks, Visit
from hoppers.core.model import Position, Step
from hoppers.core.puzzle import Puzzle, Question
from hoppers.core.reasons import PARITY
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
        self._path: list[Position] = []  # positions from the root to the current one
        self._spent: list[int] = []  # moves started up to each position of the path

    def visits(self) -> Iterator[Visit]:
        """Yield the events of the trace.

        If `nodes` is not 0, the positions from the root to node `nodes` come first, as events of kind "line".
        With `find_all` the trace covers the whole limit; otherwise it ends at the first solution.
        If the rules prove the root dead, this proof is the only event. A solved root has no events. If the
        lower bound of the root rules the limit out, the events are "bound" and "end", whatever `nodes` is.
        """
        root, goal, spent = self._question.root, self._question.goal, self._question.spent
        dead = visit_dead_root(self._question)
        if dead is not None:
            yield dead
        if dead is not None or self._puzzle.is_solved(root, goal):
            return
        bound = self._search.bound(root)
        if self._limit < spent + bound:
            marks = self._marks(self._puzzle, root, goal)
            yield Visit("bound", 0, None, root, spent, bound, self._search.chains, marks)
            yield Visit("end", 0, None, root, spent)
            return
        if self._nodes == 0:
            yield Visit("enter", 0, None, root, spent, 0, True)
        stack = self._search.run_to(self._limit, self._nodes)
        on_path = slice(int(stack.counters[DEPTH]) + 1)
        places = zip(stack.states[on_path].tolist(), stack.actives[on_path].tolist(), strict=True)
        self._path = [Position(state, active) for state, active in places]
        self._spent = stack.moves[on_path].tolist()
        visits, visited = self._search_on(stack), int(stack.counters[NODES])
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
        states = [position.state for position in self._path[1:]]
        steps = [None, *self._puzzle.steps_along(self._question.root, states)]
        for depth, position in enumerate(self._path):
            yield Visit("line", depth, steps[depth], position, self._spent[depth])

    def _steps(self, at: Position, cursor: int = 0) -> Iterator[Step]:
        """Yield the steps that `next_step` lists from a position, from `cursor` on."""
        next_step, tables = self._puzzle.rules.kernels.next_step, self._search.tables
        while True:
            found = next_step(np.uint64(at.state), at.active, cursor, tables)
            cursor, origin, target, after, active, cost = (int(number) for number in found)
            if cursor < 0:
                return
            yield Step(origin, target, Position(after, active), cost)

    def _steps_left(self, depth: int, cursor: int) -> Iterator[Step]:
        """Return the steps that the compiled search has not made from the position at `depth` of its path.

        `cursor`: cursor of the position's next step. The compiled search may use lists without the step that
        undoes the last one (see `core.rules.first_cursor`), but the trace shows this step as skipped.
        """
        at, first_cursor = self._path[depth], self._puzzle.rules.kernels.first_cursor
        steps, left = [*self._steps(at)], [*self._steps(at, cursor)]
        made = steps.index(left[0]) if left else len(steps)
        if depth and made and first_cursor(at.active, self._path[depth - 1].active):
            made -= steps[made - 1].after == self._path[depth - 1]
        return iter(steps[made:])

    def _search_on(self, stack: Stack) -> Iterator[Visit]:
        """Continue from the last position of the path, where `stack` has stopped, and yield the events.

        Stop at the end of the limit or, without `find_all`, at the first solution.
        """
        cut, solutions = int(stack.counters[CUT]), int(stack.counters[SOLUTIONS])
        cursors = stack.cursors[: len(self._path)].tolist()
        waiting = [self._steps_left(depth, cursor) for depth, cursor in enumerate(cursors)]
        # only the compiled search moves a cursor: at 0 it made no step here, and showed none as skipped
        if cursors and cursors[-1] == 0:
            yield from self._visit_skipped()
        while waiting:
            step = next(waiting[-1], None)
            if step is None:
                waiting.pop()
                yield self._leave(cut, solutions)
                continue
            visit = self._classify(step)
            cut += visit.kind in ("limit", "bound", "seen")
            solutions += visit.kind == "solved"
            if visit.kind == "enter":
                record_counts(self._search.table, len(self._path), cut, solutions)
                self._path.append(step.after)
                self._spent.append(visit.spent)
                waiting.append(self._steps(step.after))
            yield visit
            if visit.kind == "enter":
                yield from self._visit_skipped()
            if visit.kind == "solved" and not self._question.find_all:
                return
        yield Visit("end", 0, None, self._question.root, self._question.spent)

    def _visit_skipped(self) -> Iterator[Visit]:
        steps, marks = self._skipped(self._question, self._path[-1])
        for step in steps:
            spent = self._spent[-1] + step.cost
            yield Visit("fatal", len(self._path), step, step.after, spent, marks=marks)

    def _key(self, position: Position) -> Any:
        return np.uint64(key_of(np.uint64(position.state), position.active, self._search.chains))

    def _leave(self, cut: int, solutions: int) -> Visit:
        """Remove the last position from the path, and store it in the table if it was searched in vain.

        `cut`, `solutions`: pruned positions and solutions counted so far.
        """
        position, spent, depth = self._path.pop(), self._spent.pop(), len(self._path)
        key, left, chains = self._key(position), self._limit - spent, self._search.chains
        store_on_leave(self._search.table, depth, key, left, cut, solutions, chains)
        return Visit("leave", depth, None, position, spent)

    def _classify(self, step: Step) -> Visit:
        """Return the event for a step from the path, by the tests of `dfs_kernel.descend` in its order."""
        search, limit, depth = self._search, self._limit, len(self._path)
        after, spent = step.after, self._spent[-1] + step.cost
        if not search.chains and depth > 1 and after.state == self._path[-2].state:
            return Visit("back", depth, step, after, spent)
        if spent > limit:
            return Visit("limit", depth, step, after, spent, 0, search.chains)
        bound, marks = search.bound(after), self._marks(self._puzzle, after, self._question.goal)
        if not search.chains and spent - search.slack + bound > limit:
            return Visit("bound", depth, step, after, spent, bound, False, marks)
        if self._puzzle.is_solved(after, self._question.goal):
            return Visit("solved", depth, step, after, spent, 0, True)
        if search.chains and spent + bound > limit:
            return Visit("bound", depth, step, after, spent, bound, True, marks)
        if not search.chains and spent + 1 > limit:
            return Visit("limit", depth, step, after, spent, bound, True)
        known = look_up(search.table, self._key(after))
        if known >= limit - spent:
            kind = "lost" if known == UNSOLVABLE else "seen"
            return Visit(kind, depth, step, after, spent, bound, True)
        return Visit("enter", depth, step, after, spent, bound, True)


def visit_dead_root(question: Question) -> Visit | None:
    """Return the event that the rules prove the root of a search dead; None if they do not."""
    reason = question.puzzle.rules.obstruction(question.root, question.goal)
    if reason is None:
        return None
    return Visit(reason, 0, None, question.root, question.spent, marks=_dead_marks(question))


def _dead_marks(question: Question) -> Marks:
    """Return marks for the proof that the root is dead: a set of holes, or numbers in holes.

    There are none if the proof needs several sets of numbers, or one for another board than the root.
    """
    puzzle, root, goal = question.puzzle, question.root, question.goal
    reason = puzzle.rules.dead_reason(root, goal)
    if reason is None or not reason.tallies:
        return ()
    first = reason.tallies[0]
    if first.law == PARITY:
        return ((0, tuple(first.numbers)),) if reason.code == "class" else ()
    is_whole = puzzle.is_solved(first.targets[0], goal)
    if len(reason.tallies) > 1 or not is_whole or first.source.state != root.state:
        return ()
    return tuple((number, (hole,)) for hole, number in first.numbers.items())
