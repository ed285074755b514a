"""The deepening search position by position, for people who watch.

It enters the same positions in the same order as the compiled one (`deepening.descend`), which stays as fast
as it is: nothing here is called by it.
"""

import itertools
from collections.abc import Generator, Iterator
from typing import Any, NamedTuple

from ..compiled import Kernel
from ..puzzle import Question
from ..records import Position, Step
from ..rules import word
from .events import Visit


class Watched(NamedTuple):
    """How the method counts and cuts (see `deepening.Style`), its bound, and what that reads."""

    chains: bool
    slack: int
    bound: Kernel
    tables: Any


class Tally:
    """What a limit has come to so far."""

    def __init__(self) -> None:
        """Nothing."""
        self.cut = False
        self.solved = False


def first_limit(question: Question) -> int:
    """The lowest limit worth a search: 0 only where a move under way may be all that is needed."""
    carries_on = question.puzzle.chains and question.root.active >= 0
    return question.spent if carries_on else max(1, question.spent)


def traced(question: Question, watched: Watched) -> Iterator[Visit]:
    """Every event under limit after limit, until a solution or the end of all lines.

    A question that asks for the first solution ends with it, one that asks for all searches its limit out.
    """
    puzzle, root = question.puzzle, question.root
    if puzzle.obstruction(root, question.goal) is not None or puzzle.is_solved(root, question.goal):
        return
    least = question.spent + _bound(watched, root, question.goal)
    for limit in itertools.count(first_limit(question)):
        tally = Tally()
        if limit >= least:
            yield _visit("enter", limit, 0, None, root, question.spent, 0, True)
            yield from _below(question, watched, limit, [root], question.spent, tally)
        else:
            tally.cut = True
            yield _visit(
                "bound", limit, 0, None, root, question.spent, least - question.spent, watched.chains
            )
        yield _visit("end", limit, 0, None, root, question.spent, 0, False)
        if tally.solved or not tally.cut:
            return


def _below(
    question: Question, watched: Watched, limit: int, line: list[Position], spent: int, tally: Tally
) -> Generator[Visit, None, None]:
    """Everything below the last position of the line, which has been entered."""
    for step in question.puzzle.raw_steps(line[-1]):
        visit = _judged(question, watched, limit, line, step, spent + step.cost)
        yield visit
        tally.cut |= visit.kind in ("limit", "bound")
        tally.solved |= visit.kind == "solved"
        if visit.kind == "enter":
            yield from _below(question, watched, limit, [*line, step.after], visit.spent, tally)
        if tally.solved and not question.find_all:
            return
    yield _visit("leave", limit, len(line) - 1, None, line[-1], spent, 0, False)


def _judged(
    question: Question, watched: Watched, limit: int, line: list[Position], step: Step, spent: int
) -> Visit:
    """What becomes of a step: the same tests in the same order as in the kernel."""
    depth, after = len(line), step.after
    if not watched.chains and depth > 1 and after.state == line[-2].state:
        return _visit("back", limit, depth, step, after, spent, 0, False)
    if spent > limit:
        return _visit("limit", limit, depth, step, after, spent, 0, watched.chains)
    bound = _bound(watched, after, question.goal)
    if not watched.chains and spent - watched.slack + bound > limit:
        return _visit("bound", limit, depth, step, after, spent, bound, False)
    if question.puzzle.is_solved(after, question.goal):
        return _visit("solved", limit, depth, step, after, spent, 0, True)
    if spent + (bound if watched.chains else 1) > limit:
        return _visit("bound" if watched.chains else "limit", limit, depth, step, after, spent, bound, True)
    return _visit("enter", limit, depth, step, after, spent, bound, True)


def _bound(watched: Watched, position: Position, goal: int) -> int:
    return int(watched.bound(word(position.state), position.active, goal, watched.tables))


def _visit(
    kind: str, limit: int, depth: int, step: Step | None, at: Position, spent: int, bound: int, entered: bool
) -> Visit:
    origin, target = (step.origin, step.target) if step is not None else (-1, -1)
    return Visit(kind, limit, depth, origin, target, at.state, at.active, spent, bound, entered)
