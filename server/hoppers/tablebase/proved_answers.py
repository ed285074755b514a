"""Proved answers that were costly to find, stored beyond the process and checked when they are read.

An answer is the fewest moves and one solution of that length, or that there is none. Its key is the
program's version and the canonical form that all symmetric images of a problem share. A stored answer is used
only if its checksum is right and its solution, replayed by the rules, reaches the goal.
"""

import logging

from hoppers.core.board import Permutation
from hoppers.core.kernels import VERSION
from hoppers.core.model import DEAD, Position
from hoppers.core.puzzle import Puzzle
from hoppers.runtime.metrics import ANSWERS
from hoppers.tablebase.bounds import inverse, rearranged

log = logging.getLogger(__name__)

Trail = list[tuple[Position, int]]
"""A position and all that follow on a shortest solution, with their moves left; or a dead one and DEAD."""


def read_answer(puzzle: Puzzle, goal: int, position: Position) -> Trail | None:
    """Return the stored answer for a position, or None if none is stored that the rules confirm."""
    name, image = _form(puzzle, goal, position)
    try:
        stored = puzzle.engine.answers.get(name)
        if stored is None:
            ANSWERS.labels("no").inc()
            return None
        left, states = stored
        trail = _trail(puzzle, goal, position, left, [rearranged(puzzle, state, image) for state in states])
        if trail is None:
            raise ValueError("the line does not lead to the end")
    except (ValueError, TypeError) as error:
        log.warning("ignoring a stored answer of %s: %s", puzzle.id, error)
        ANSWERS.labels("damaged").inc()
        return None
    ANSWERS.labels("yes").inc()
    return trail


def write_answer(puzzle: Puzzle, goal: int, position: Position, left: int, states: list[int]) -> None:
    """Store a proved answer: the fewest moves `left`, and `states` after each step of a solution.

    For a dead position `left` is DEAD and `states` is empty. An invalid solution is ignored.
    """
    if puzzle.engine.answers.is_open and _trail(puzzle, goal, position, left, states) is not None:
        name, image = _form(puzzle, goal, position)
        forms = [rearranged(puzzle, state, inverse(image)) for state in states]
        puzzle.engine.answers.put(name, [left, forms])


def _trail(puzzle: Puzzle, goal: int, position: Position, left: int, states: list[int]) -> Trail | None:
    """Return the moves left of every position along `states`, or None if they are no solution."""
    trail = [(position, left)]
    if left == DEAD:
        return trail if not states else None
    for state in states:
        step = next((step for step in puzzle.legal_steps(position) if step.after.state == state), None)
        if step is None:
            return None
        left, position = left - step.cost, puzzle.canonical(step.after)
        trail.append((position, left))
    return trail if left == 0 and puzzle.is_solved(position, goal) else None


def _form(puzzle: Puzzle, goal: int, position: Position) -> tuple[str, Permutation]:
    """Return the name of a position's answer, and the symmetry that leads to its canonical form."""
    key, image = puzzle.engine.bounds.canonical_form(puzzle, goal, position)
    return f"{VERSION}/{key.name}", image
