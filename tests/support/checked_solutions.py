"""Solutions of searches, replayed by the naive rules."""

import itertools
from collections.abc import Iterable, Sequence

from hoppers.core.events import Event, Exhausted, Progress, Solved
from hoppers.core.model import Position, Step
from hoppers.core.puzzle import Puzzle, Question
from hoppers.puzzles.pegs.bidirectional import search as bidirectional
from tests import naive


def replay(puzzle: Puzzle, position: Position, moves: Iterable[Sequence[int]]) -> tuple[Position, int]:
    """Play moves by the naive rules; return the last position and the number of moves spent."""
    text, cost = puzzle.format(position), 0
    for move in moves:
        for origin, target in itertools.pairwise(move):
            found = [step for step in naive.rules(puzzle.id).steps(text) if step[:2] == (origin, target)]
            assert found, f"{origin}-{target} is not legal in {text}"
            text, cost = found[0][2], cost + found[0][3]
    return puzzle.parse(text), cost


def check_solution(question: Question, solved: Solved) -> None:
    end, cost = replay(question.puzzle, question.position, solved.moves)
    assert question.puzzle.is_solved(end, question.goal)
    assert cost == solved.limit


def events_of(puzzle: Puzzle, position: Position, goal: int, first: Step | None = None) -> list[Event]:
    """Run the bidirectional search, check its limits and solution, and return its events without progress."""
    question = Question(puzzle, goal, position, first=first)
    found = bidirectional.search(question)
    events: list[Event] = [event for event in found if not isinstance(event, Progress)]
    limits = [event.limit for event in events if isinstance(event, Exhausted)]
    assert limits == [*range(question.first_limit, question.first_limit + len(limits))]
    if isinstance(events[-1], Solved):
        check_solution(question, events[-1])
    return events
