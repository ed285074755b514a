"""The moves along a chain of boards that a search from both ends has found."""

from collections.abc import Callable, Generator, Iterable
from typing import Any

import numpy as np

from hoppers.core.model import Position, Step, group_moves
from hoppers.core.puzzle import Question
from hoppers.search.slicing import Pausable

LOOKED_THROUGH = 1 << 16
"""Boards between two pauses: a few milliseconds."""


def solution(question: Question, line: list[int], name: Callable[[int], int]) -> Pausable[list[list[int]]]:
    """The moves along a chain of boards, played from the question's own root.

    `name`: what a board and all its images are called in the line.
    """
    steps: list[Step] = [question.first] if question.first is not None else []
    position = question.root
    for number, wanted in enumerate(line):
        run = _run(question, position, wanted, number == 0, name)
        yield
        steps += run
        position = Position(run[-1].after.state if run else position.state)
    return group_moves(steps)


def _run(
    question: Question, position: Position, wanted: int, free: bool, name: Callable[[int], int]
) -> list[Step]:
    """The jumps of one move (or the rest of the move under way) to a board of this name."""
    waiting: list[list[Step]] = [[]]
    while waiting:
        run = waiting.pop()
        end = run[-1].after if run else position
        if name(end.state) == wanted:
            return run
        steps = question.puzzle.raw_steps(end)
        first = not run and not free
        waiting += [[*run, step] for step in steps if first or step.cost == 0]
    raise LookupError("the ends met, but no move leads from one board of the line to the next")


def first_of(lists: Iterable[Any], wanted: Any) -> Generator[None, None, int]:
    """The first board in arrays that is one of those `wanted`, in short steps; there must be one."""
    looked = 0
    for boards in lists:
        for start in range(0, len(boards), LOOKED_THROUGH):
            part = boards[start : start + LOOKED_THROUGH]
            both = part[np.isin(part, wanted)]
            if len(both):
                return int(both[0])
            looked += len(part)
            if looked >= LOOKED_THROUGH:
                looked = 0
                yield
    raise LookupError("none of the boards is wanted")


def rest_starts(question: Question) -> list[Position]:
    """The root, and every board its peg in hand can go on to within its move; the root first."""
    found, waiting = [question.root], [question.root] if question.root.active >= 0 else []
    while waiting:
        steps = question.puzzle.raw_steps(waiting.pop())
        on = [step.after for step in steps if step.cost == 0]
        found, waiting = found + on, waiting + on
    return found
