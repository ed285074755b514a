"""Trace of the deepening search: one event per position, for the page that steps through a search.

The trace visits the same positions in the same order as the compiled search (`dfs_kernel.descend`), which
calls nothing in this module and so stays fast. To start in the middle of a limit, the compiled search runs up
to that node, and the trace continues from its stack.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from hoppers.core.events import Marks, Visit
from hoppers.core.kernels import Kernel
from hoppers.core.model import Position, Step
from hoppers.core.puzzle import Puzzle, Question
from hoppers.core.rules import RuleKernels, word
from hoppers.search.dfs_kernel import CUT, DEPTH, NODES, SOLUTIONS
from hoppers.search.hash_tables import (
    UNSOLVABLE,
    TranspositionTable,
    look_up,
    record_counts,
    store_on_leave,
)


class TracedMethod(NamedTuple):
    """Description of a method for the trace: rules, counting style (see `dfs_kernel.Style`) and bound."""

    rules: RuleKernels
    chains: bool
    slack: int
    bound: Kernel
    tables: Any
    """Arrays read by rules and bound."""
    begin: Callable[[Question, int, int], tuple[Any, TranspositionTable | None]]
    """(question, limit, nodes) -> stack of the compiled search after `nodes` nodes, transposition table."""
    marks: Callable[[Puzzle, Position, int], Marks]
    """(puzzle, position, goal) -> holes that the bound counts in the position."""
    skipped: Callable[[Question, Position], tuple[list[Step], Marks]]
    """(question, position) -> steps that the method never makes, and the holes that show the reason."""
    key: Kernel
    """Key of a position in the transposition table."""


@dataclass
class LineEntry:
    """A position on the path being searched, with the cursor of its next step and the step that led to it."""

    at: Position
    spent: int
    cursor: int
    origin: int = -1
    target: int = -1


@dataclass
class TraceCounters:
    """Numbers of pruned positions and of solutions under the current limit so far."""

    cut: int
    solutions: int


def no_marks(puzzle: Puzzle, position: Position, goal: int) -> Marks:
    """Return an empty tuple, for a bound that is not computed from single holes."""
    return ()


def no_skipped_steps(question: Question, position: Position) -> tuple[list[Step], Marks]:
    """Return no steps and no marks, for a method that makes every legal step."""
    return [], ()


def trace_limit(question: Question, method: TracedMethod, limit: int, nodes: int = 0) -> Iterator[Visit]:
    """Yield the events of `limit` that follow the first `nodes` nodes.

    If `nodes` is not 0, the positions from the root to that node come first, as events of kind "line". With
    `question.find_all` the trace covers the whole limit; otherwise it ends at the first solution.
    """
    puzzle, root, spent = question.puzzle, question.root, question.spent
    reason = puzzle.rules.obstruction(root, question.goal)
    if reason is not None:
        yield _visit(reason, limit, 0, None, root, spent, marks=puzzle.rules.dead_proof(root, question.goal))
    if reason is not None or puzzle.is_solved(root, question.goal):
        return
    bound = _bound(method, root, question.goal)
    if limit < spent + bound:
        marks = method.marks(puzzle, root, question.goal)
        yield _visit("bound", limit, 0, None, root, spent, bound, method.chains, marks)
        yield _visit("end", limit, 0, None, root, spent)
        return
    stack, table = method.begin(question, limit, nodes)
    if nodes == 0:
        yield _visit("enter", limit, 0, None, root, spent, 0, True)
    line = _line_of(method, puzzle, stack)
    counters = TraceCounters(int(stack.counters[CUT]), int(stack.counters[SOLUTIONS]))
    visits = _search_on(question, method, limit, line, counters, table)
    visited = int(stack.counters[NODES])
    # the compiled search stops up to 256 nodes early; the trace itself covers the rest
    while visited < nodes and (visit := next(visits, None)) is not None:
        visited += visit.entered
    for depth, entry in enumerate(line if nodes else []):
        step = Step(entry.origin, entry.target, entry.at, 0) if depth else None
        yield _visit("line", limit, depth, step, entry.at, entry.spent)
    yield from visits


def _line_of(method: TracedMethod, puzzle: Puzzle, stack: Any) -> list[LineEntry]:
    """Return the entries of a compiled search's stack, each with the step that led to its position."""
    line: list[LineEntry] = []
    for index in range(int(stack.counters[DEPTH]) + 1):
        at = Position(int(stack.states[index]), int(stack.actives[index]))
        entry = LineEntry(at, int(stack.moves[index]), int(stack.cursors[index]))
        if line:
            entry.cursor = _full_cursor(method, entry, line[-1].at)
            step = next(step for step in puzzle.legal_steps(line[-1].at) if step.after == at)
            entry.origin, entry.target = step.origin, step.target
        line.append(entry)
    return line


def _full_cursor(method: TracedMethod, entry: LineEntry, before: Position) -> int:
    """Return the cursor of an entry in the list of all steps, with the one that undoes the last step.

    `entry.cursor` may belong to a list without that step (see `core.rules.first_cursor`). `before`: the
    position before the entry.
    """
    first = int(method.rules.first_cursor(entry.at.active, before.active))
    if first == 0:
        return entry.cursor
    listed, left = (list(_steps_from(method, entry.at, cursor)) for cursor in (first, entry.cursor))
    made, full = len(listed) - len(left), LineEntry(entry.at, entry.spent, 0)
    while made > 0:
        step = _next_step(method, full)
        made -= step is not None and step.after != before
    return full.cursor


def _steps_from(method: TracedMethod, at: Position, cursor: int) -> Iterator[Step]:
    entry = LineEntry(at, 0, cursor)
    while (step := _next_step(method, entry)) is not None:
        yield step


def _search_on(
    question: Question,
    method: TracedMethod,
    limit: int,
    line: list[LineEntry],
    counters: TraceCounters,
    table: TranspositionTable | None,
) -> Iterator[Visit]:
    """Continue the search from the last entry of `line`, and yield events to the end of the limit."""
    while line:
        last, depth = line[-1], len(line) - 1
        if last.cursor == 0:
            yield from _visit_skipped(question, method, limit, depth + 1, last)
        step = _next_step(method, last)
        if step is None:
            _store(method, table, counters, limit, depth, last)
            yield _visit("leave", limit, depth, None, last.at, last.spent)
            line.pop()
            continue
        visit = _classify(question, method, limit, line, step, table)
        counters.cut += visit.kind in ("limit", "bound", "seen")
        counters.solutions += visit.kind == "solved"
        if visit.kind == "enter":
            if table is not None:
                record_counts(table, depth + 1, counters.cut, counters.solutions)
            line.append(LineEntry(step.after, visit.spent, 0, step.origin, step.target))
        yield visit
        if visit.kind == "solved" and not question.find_all:
            return
    yield _visit("end", limit, 0, None, question.root, question.spent)


def _next_step(method: TracedMethod, entry: LineEntry) -> Step | None:
    state, active = word(entry.at.state), entry.at.active
    found = method.rules.next_step(state, active, entry.cursor, method.tables)
    cursor, origin, target, after, active_after, cost = (int(number) for number in found)
    if cursor < 0:
        return None
    entry.cursor = cursor
    return Step(origin, target, Position(after, active_after), cost)


def _visit_skipped(
    question: Question, method: TracedMethod, limit: int, depth: int, entry: LineEntry
) -> Iterator[Visit]:
    steps, marks = method.skipped(question, entry.at)
    for step in steps:
        yield _visit("fatal", limit, depth, step, step.after, entry.spent + step.cost, marks=marks)


def _store(
    method: TracedMethod,
    table: TranspositionTable | None,
    counters: TraceCounters,
    limit: int,
    depth: int,
    entry: LineEntry,
) -> None:
    """Store a position searched in vain in the transposition table, as the compiled search does."""
    if table is not None:
        key, left = method.key(word(entry.at.state), entry.at.active), limit - entry.spent
        store_on_leave(table, depth, key, left, counters.cut, counters.solutions, method.chains)


def _classify(
    question: Question,
    method: TracedMethod,
    limit: int,
    line: list[LineEntry],
    step: Step,
    table: TranspositionTable | None,
) -> Visit:
    """Return the event for a step, after the tests of `dfs_kernel.descend` in the order of that kernel."""
    depth, after, spent = len(line), step.after, line[-1].spent + step.cost
    if not method.chains and depth > 1 and after.state == line[-2].at.state:
        return _visit("back", limit, depth, step, after, spent)
    if spent > limit:
        return _visit("limit", limit, depth, step, after, spent, 0, method.chains)
    bound = _bound(method, after, question.goal)
    marks = method.marks(question.puzzle, after, question.goal)
    if not method.chains and spent - method.slack + bound > limit:
        return _visit("bound", limit, depth, step, after, spent, bound, False, marks)
    if question.puzzle.is_solved(after, question.goal):
        return _visit("solved", limit, depth, step, after, spent, 0, True)
    if method.chains and spent + bound > limit:
        return _visit("bound", limit, depth, step, after, spent, bound, True, marks)
    if not method.chains and spent + 1 > limit:
        return _visit("limit", limit, depth, step, after, spent, bound, True)
    known = -1 if table is None else look_up(table, method.key(word(after.state), after.active))
    if known >= limit - spent:
        kind = "lost" if known == UNSOLVABLE else "seen"
        return _visit(kind, limit, depth, step, after, spent, bound, True)
    return _visit("enter", limit, depth, step, after, spent, bound, True)


def _bound(method: TracedMethod, position: Position, goal: int) -> int:
    return int(method.bound(word(position.state), position.active, goal, method.tables))


def _visit(
    kind: str,
    limit: int,
    depth: int,
    step: Step | None,
    at: Position,
    spent: int,
    bound: int = 0,
    entered: bool = False,
    marks: Marks = (),
) -> Visit:
    origin, target = (step.origin, step.target) if step is not None else (-1, -1)
    return Visit(kind, limit, depth, origin, target, at.state, at.active, spent, bound, entered, marks)
