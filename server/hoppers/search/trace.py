"""The deepening search position by position, for people who watch.

It enters the same positions in the same order as the compiled one (`deepening.descend`), which stays as fast
as it is: nothing here is called by it. To begin in the middle, the compiled search runs to that place, and
its stack is taken over.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from hoppers.core.events import Marks, Visit
from hoppers.core.kernels import Kernel
from hoppers.core.model import Position, Step
from hoppers.core.puzzle import Puzzle, Question
from hoppers.core.rules import RuleKernels, word
from hoppers.search.transposition_table import FOREVER, Memory, keep_left, note, recall


class Watched(NamedTuple):
    """How the method counts and cuts (see `deepening.Style`), its bound, and what that reads."""

    rules: RuleKernels
    chains: bool
    slack: int
    bound: Kernel
    tables: Any
    begin: Callable[[Question, int, int], tuple[Any, Memory | None]]
    """(question, limit, nodes) -> the stack of the compiled search there, and what it remembers."""
    marks: Callable[[Puzzle, Position, int], Marks]
    """What the bound counts in a position."""
    left_out: Callable[[Question, Position], tuple[list[Step], Marks]]
    """Steps that the method never makes from a position, and the holes that tell why."""
    key: Kernel
    """Of a position in the memory."""


@dataclass
class Place:
    """A position on the line, and how far its steps are tried."""

    at: Position
    spent: int
    cursor: int
    origin: int = -1
    target: int = -1


@dataclass
class Tally:
    """What a limit has come to so far."""

    cut: int
    solutions: int


def no_marks(puzzle: Puzzle, position: Position, goal: int) -> Marks:
    """A bound that is not read from single holes."""
    return ()


def nothing_left_out(question: Question, position: Position) -> tuple[list[Step], Marks]:
    """Every legal step is made."""
    return [], ()


def first_limit(question: Question) -> int:
    """The lowest limit worth a search: 0 only where a move under way may be all that is needed."""
    carries_on = question.puzzle.rules.multi_step_moves and question.root.active >= 0
    lowest = question.spent if carries_on else max(1, question.spent)
    return max(lowest, question.proved + 1)


def traced(question: Question, watched: Watched, limit: int, nodes: int = 0) -> Iterator[Visit]:
    """Every event of a limit behind so many nodes; before them, as "line", the line that is being searched.

    A question that asks for the first solution ends with it, one that asks for all searches its limit out.
    """
    puzzle, root, spent = question.puzzle, question.root, question.spent
    reason = puzzle.rules.obstruction(root, question.goal)
    if reason is not None:
        yield _visit(reason, limit, 0, None, root, spent, marks=puzzle.rules.dead_proof(root, question.goal))
    if reason is not None or puzzle.is_solved(root, question.goal):
        return
    bound = _bound(watched, root, question.goal)
    if limit < spent + bound:
        marks = watched.marks(puzzle, root, question.goal)
        yield _visit("bound", limit, 0, None, root, spent, bound, watched.chains, marks)
        yield _visit("end", limit, 0, None, root, spent)
        return
    stack, memory = watched.begin(question, limit, nodes)
    if nodes == 0:
        yield _visit("enter", limit, 0, None, root, spent, 0, True)
    line = _line_of(puzzle, stack)
    walk = _walk(question, watched, limit, line, Tally(int(stack.tally[2]), int(stack.tally[3])), memory)
    behind = int(stack.tally[1])
    while behind < nodes and (visit := next(walk, None)) is not None:
        behind += visit.entered
    for depth, place in enumerate(line if nodes else []):
        step = Step(place.origin, place.target, place.at, 0) if depth else None
        yield _visit("line", limit, depth, step, place.at, place.spent)
    yield from walk


def _line_of(puzzle: Puzzle, stack: Any) -> list[Place]:
    """The line of a stack, with the steps that made it."""
    line: list[Place] = []
    for index in range(int(stack.tally[0]) + 1):
        at = Position(int(stack.states[index]), int(stack.actives[index]))
        place = Place(at, int(stack.moves[index]), int(stack.cursors[index]))
        if line:
            step = next(step for step in puzzle.raw_steps(line[-1].at) if step.after == at)
            place.origin, place.target = step.origin, step.target
        line.append(place)
    return line


def _walk(
    question: Question, watched: Watched, limit: int, line: list[Place], tally: Tally, memory: Memory | None
) -> Iterator[Visit]:
    """Search on from the last position of the line, which has been entered, to the end of the limit."""
    while line:
        last, depth = line[-1], len(line) - 1
        if last.cursor == 0:
            yield from _left_out(question, watched, limit, depth + 1, last)
        step = _next_step(watched, last)
        if step is None:
            _remember(watched, memory, tally, limit, depth, last)
            yield _visit("leave", limit, depth, None, last.at, last.spent)
            line.pop()
            continue
        visit = _judged(question, watched, limit, line, step, memory)
        tally.cut += visit.kind in ("limit", "bound", "seen")
        tally.solutions += visit.kind == "solved"
        if visit.kind == "enter":
            if memory is not None:
                note(memory, depth + 1, tally.cut, tally.solutions)
            line.append(Place(step.after, visit.spent, 0, step.origin, step.target))
        yield visit
        if visit.kind == "solved" and not question.find_all:
            return
    yield _visit("end", limit, 0, None, question.root, question.spent)


def _next_step(watched: Watched, place: Place) -> Step | None:
    state, active = word(place.at.state), place.at.active
    found = watched.rules.next_step(state, active, place.cursor, watched.tables)
    cursor, origin, target, after, active_after, cost = (int(number) for number in found)
    if cursor < 0:
        return None
    place.cursor = cursor
    return Step(origin, target, Position(after, active_after), cost)


def _left_out(question: Question, watched: Watched, limit: int, depth: int, place: Place) -> Iterator[Visit]:
    steps, marks = watched.left_out(question, place.at)
    for step in steps:
        yield _visit("fatal", limit, depth, step, step.after, place.spent + step.cost, marks=marks)


def _remember(
    watched: Watched, memory: Memory | None, tally: Tally, limit: int, depth: int, place: Place
) -> None:
    """Keep that nothing was found below a position, as the compiled search does."""
    if memory is not None:
        key, left = watched.key(word(place.at.state), place.at.active), limit - place.spent
        keep_left(memory, depth, key, left, tally.cut, tally.solutions, watched.chains)


def _judged(
    question: Question, watched: Watched, limit: int, line: list[Place], step: Step, memory: Memory | None
) -> Visit:
    """What becomes of a step: the same tests in the same order as in the kernel."""
    depth, after, spent = len(line), step.after, line[-1].spent + step.cost
    if not watched.chains and depth > 1 and after.state == line[-2].at.state:
        return _visit("back", limit, depth, step, after, spent)
    if spent > limit:
        return _visit("limit", limit, depth, step, after, spent, 0, watched.chains)
    bound = _bound(watched, after, question.goal)
    marks = watched.marks(question.puzzle, after, question.goal)
    if not watched.chains and spent - watched.slack + bound > limit:
        return _visit("bound", limit, depth, step, after, spent, bound, False, marks)
    if question.puzzle.is_solved(after, question.goal):
        return _visit("solved", limit, depth, step, after, spent, 0, True)
    if watched.chains and spent + bound > limit:
        return _visit("bound", limit, depth, step, after, spent, bound, True, marks)
    if not watched.chains and spent + 1 > limit:
        return _visit("limit", limit, depth, step, after, spent, bound, True)
    known = -1 if memory is None else recall(memory, watched.key(word(after.state), after.active))
    if known >= limit - spent:
        return _visit("lost" if known == FOREVER else "seen", limit, depth, step, after, spent, bound, True)
    return _visit("enter", limit, depth, step, after, spent, bound, True)


def _bound(watched: Watched, position: Position, goal: int) -> int:
    return int(watched.bound(word(position.state), position.active, goal, watched.tables))


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
