"""Questions to searches, by the texts of positions."""

from collections.abc import Iterator

from hoppers.core.events import Exhausted, Solved, Unsolvable
from hoppers.core.puzzle import Question
from tests.support.engine import find


def limits(question: Question, name: str, most: int) -> Iterator[Exhausted | Solved]:
    for event in question.puzzle.solving.methods[name].search(question):
        if isinstance(event, Unsolvable) or getattr(event, "limit", 0) > most:
            return
        if isinstance(event, Exhausted | Solved):
            yield event


def make_question(
    id: str, start: str | None = None, goal: str | None = None, find_all: bool = False
) -> Question:
    puzzle = find(id)
    return Question(puzzle, puzzle.parse_goal(goal), puzzle.parse(start or puzzle.start), find_all)
