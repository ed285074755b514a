"""Better ends of found solutions: the end is proved from the first position that a brief search proves.

A solution of a beam search is often a move or two too long. The fewest moves from a position with fewer pegs
are proved in a fraction of a second, and the rest of the solution is replaced where it has more.
"""

import time
from typing import NamedTuple

from hoppers.core.events import Exhausted, Solved
from hoppers.core.model import Step, cost_of, steps_of
from hoppers.core.puzzle import Question
from hoppers.puzzles.pegs.bidirectional.search import search
from hoppers.search.slicing import Pausable


class EndLimits(NamedTuple):
    """Where proofs of an end begin, and how long each may take."""

    shares: tuple[float, ...] = (
        0.75,
        0.6,
        0.45,
    )  # of the holes: pegs of the positions that are tried in turn
    seconds: float = 1.0


LIMITS = EndLimits()


def with_proved_end(
    question: Question, steps: list[Step], limits: EndLimits = LIMITS
) -> Pausable[list[Step]]:
    """Return a solution from the root with a shortest end, from the first position that can be proved.

    `steps`: the solution. Positions on it are tried that have fewer pegs than the root. Yield None between
    slices.
    """
    puzzle, pegs = question.puzzle, question.root.state.bit_count()
    for most in (int(share * puzzle.holes) for share in limits.shares):
        made = pegs - most  # steps: each takes one peg away
        if 0 < made < len(steps):
            end = Question(puzzle, question.goal, puzzle.canonical(steps[made - 1].after))
            shortest = yield from _shortest(end, steps[made:], limits.seconds)
            if shortest is not None:
                return steps[:made] + shortest
    return steps


def _shortest(question: Question, steps: list[Step], seconds: float) -> Pausable[list[Step] | None]:
    """Return the steps of a shortest solution, or None if it is not proved within `seconds`.

    `steps`: a solution, which is the result if all smaller limits are exhausted.
    """
    until = time.monotonic() + seconds
    for event in search(question):
        if isinstance(event, Solved):
            return [*question.puzzle.replay(question.root, steps_of(event.moves))]
        if isinstance(event, Exhausted) and event.limit >= cost_of(steps) - 1:
            return steps
        if time.monotonic() > until:
            break
        yield None
    return None
