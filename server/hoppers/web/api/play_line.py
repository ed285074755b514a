"""A line of play in a link: `start=`, `line=9-3.2-0-6`, `position=`, `goal=`; read, checked and graded."""

import itertools
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from hoppers.analysis import verdicts
from hoppers.analysis.requests import quoted, read_goal, read_position
from hoppers.core.errors import InvalidMove, InvalidPosition
from hoppers.core.model import Position, Step
from hoppers.core.puzzle import Puzzle
from hoppers.web.api.positions import as_fields, from_atlas, graded
from hoppers.web.api.query import Asked
from hoppers.web.api.random_positions import deal

MOST_STEPS = 600
"""Steps in one line; an address holds about as many."""


class Line(NamedTuple):
    """Where play began, the steps since, and the goal as text and code."""

    puzzle: Puzzle
    goal_text: str
    goal: int
    start: Position
    steps: list[verdicts.GradedStep]

    @property
    def end(self) -> Position:
        """The position on the board."""
        return self.steps[-1].step.after if self.steps else self.start

    @property
    def as_json(self) -> dict[str, Any]:
        """The line as scripts keep it."""
        start = self.judged(self.start)
        if start["verdict"] == verdicts.NOT_KNOWN:
            start["atlas"] = from_atlas(Asked(self.puzzle, self.goal, self.start))
        return {
            "start": start,
            "steps": [as_fields(self.puzzle, graded) for graded in self.steps],
        }

    @property
    def here(self) -> dict[str, Any]:
        """The position on the board and its legal steps, graded."""
        return graded(Asked(self.puzzle, self.goal, self.end))

    def judged(self, position: Position) -> dict[str, Any]:
        """A position and its verdict."""
        verdict = verdicts.verdict_of(self.puzzle, self.goal, position)
        return {"position": self.puzzle.format(position), **verdict._asdict()}


def read_line(puzzle: Puzzle, asked: Mapping[str, str]) -> Line:
    """The line of a link. A position alone begins a new line; with a line it must be where that ends.

    Raises:
        PuzzleError: a part means nothing, or they contradict each other.
    """
    goal_text = asked.get("goal", puzzle.goal)
    goal = read_goal(puzzle, goal_text)
    start, steps = read_steps(puzzle, asked)
    return Line(puzzle, goal_text, goal, start, [_graded(puzzle, goal, step) for step in steps])


def read_steps(puzzle: Puzzle, asked: Mapping[str, str]) -> tuple[Position, list[Step]]:
    """Where the line of a link begins, and its steps (see `read_line`).

    Raises:
        PuzzleError: a part means nothing, or they contradict each other.
    """
    line_text, position_text = asked.get("line", ""), asked.get("position")
    begun = asked.get("start") if line_text else position_text or asked.get("start")
    if not begun and "deal" in asked:
        begun = deal(puzzle, asked["deal"], asked.get("seed", "")).position
    start = read_position(puzzle, begun or puzzle.start)
    steps = list(_steps(puzzle, start, line_text))
    end = steps[-1].after if steps else start
    if position_text and read_position(puzzle, position_text) != end:
        raise InvalidPosition(
            "{line} leads to {end!r}, not to {position}",
            line=quoted(line_text),
            end=puzzle.format(end),
            position=quoted(position_text),
        )
    return start, steps


def _steps(puzzle: Puzzle, position: Position, text: str) -> Iterator[Step]:
    """The steps of `9-3.2-0-6`, each checked against the rules."""
    legs = list(_legs(text))
    if len(legs) > MOST_STEPS:
        raise InvalidMove(
            "{text} has {length} steps, more than {most}",
            text=quoted(text),
            length=len(legs),
            most=MOST_STEPS,
        )
    for origin, target in legs:
        step = puzzle.step(position, origin, target)
        yield step
        position = step.after


def _legs(text: str) -> Iterator[tuple[int, int]]:
    for move in filter(None, text.split(".")):
        holes = move.split("-")
        if len(holes) < 2 or not all(hole.isascii() and hole.isdigit() and len(hole) < 4 for hole in holes):
            raise InvalidMove(
                "{move} in {text} is not holes joined by '-', such as '9-3'",
                move=quoted(move),
                text=quoted(text),
            )
        yield from ((int(a), int(b)) for a, b in itertools.pairwise(holes))


def _graded(puzzle: Puzzle, goal: int, step: Step) -> verdicts.GradedStep:
    return verdicts.GradedStep(step, verdicts.verdict_of(puzzle, goal, step.after))
