"""Reconstruction of moves from the boards that a bidirectional search has found, one board per move."""

from collections.abc import Callable, Generator, Iterable
from typing import Any

import numpy as np

from hoppers.core.model import Position, Step, group_moves
from hoppers.core.puzzle import Question
from hoppers.search.slicing import Pausable

BOARDS_PER_SLICE = 1 << 16  # between two pauses: a few milliseconds


def solution(question: Question, line: list[int], name: Callable[[int], int]) -> Pausable[list[list[int]]]:
    """Return the moves that lead from the question's root along `line`, which names one board per move.

    `name`: maps a board and all its symmetric images to the number that names the board in `line`.
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
    """Return the jumps of one move from `position` to a board named `wanted`.

    `free`: whether only jumps of the active peg may be used, so that the current move is continued.

    Raises:
        LookupError: no move leads to such a board.
    """
    waiting: list[list[Step]] = [[]]
    while waiting:
        run = waiting.pop()
        end = run[-1].after if run else position
        if name(end.state) == wanted:
            return run
        steps = question.puzzle.legal_steps(end)
        first = not run and not free
        waiting += [[*run, step] for step in steps if first or step.cost == 0]
    raise LookupError("the ends met, but no move leads from one board of the line to the next")


def first_wanted(lists: Iterable[Any], wanted: Any) -> Generator[None, None, int]:
    """Return the first board in the arrays `lists` that is one of `wanted`. Yield between short steps.

    Raises:
        LookupError: no board in the arrays is one of `wanted`.
    """
    looked = 0
    for boards in lists:
        for start in range(0, len(boards), BOARDS_PER_SLICE):
            part = boards[start : start + BOARDS_PER_SLICE]
            both = part[np.isin(part, wanted)]
            if len(both):
                return int(both[0])
            looked += len(part)
            if looked >= BOARDS_PER_SLICE:
                looked = 0
                yield
    raise LookupError("none of the boards is wanted")


def rest_starts(question: Question) -> list[Position]:
    """Return the root, and every position that its active peg can reach by continuing its move."""
    found, waiting = [question.root], [question.root] if question.root.active >= 0 else []
    while waiting:
        steps = question.puzzle.legal_steps(waiting.pop())
        on = [step.after for step in steps if step.cost == 0]
        found, waiting = found + on, waiting + on
    return found
