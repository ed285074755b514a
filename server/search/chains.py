"""The moves along a chain of boards that a search from both ends has found."""

from collections.abc import Callable

from ..puzzle import Question
from ..records import Position, Step, group_moves


def solution(question: Question, line: list[int], name: Callable[[int], int]) -> list[list[int]]:
    """The moves along a chain of boards, played from the question's own root.

    `name`: what a board and all its images are called in the line.
    """
    steps: list[Step] = [question.first] if question.first is not None else []
    position = question.root
    for number, wanted in enumerate(line):
        run = _run(question, position, wanted, number == 0, name)
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
