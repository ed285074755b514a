"""The page that compares lower bounds with the true number of moves left, along a shortest solution."""

import itertools
from typing import Any, NamedTuple

from flask import Blueprint, Response

from hoppers.analysis import verdicts
from hoppers.core.model import Position, Step, steps_of
from hoppers.core.puzzle import Method, Puzzle, Question
from hoppers.web.api.trace import bound_of
from hoppers.web.http.i18n import board_words, gettext, localized
from hoppers.web.http.responses import may_change
from hoppers.web.pages.play import page_response, position_context, read_link, script_data

blueprint = Blueprint("solution_bounds", __name__)

MAX_MOVES = 100
"""Most moves of a solution whose positions are compared: no proved solution here has more."""


class Row(NamedTuple):
    """A position on a solution, between two moves."""

    move: str
    """The move that led to it, such as '0–6–8'; empty for the first position."""
    position: str
    moves_left: int
    bounds: list[int]
    """Value of each bound, in the order of the columns."""


class Comparison(NamedTuple):
    """Bounds along one solution."""

    titles: list[str]
    """Title of each column: the methods whose bounds are equal at every position of the solution."""
    rows: list[Row]
    is_proved: bool
    """Whether the solution is proved shortest; otherwise the moves left are only those of this solution."""


def compare(question: Question) -> Comparison | None:
    """Return the bounds along a shortest solution; None without one, and until the kernels are compiled."""
    puzzle, goal, position = question.puzzle, question.goal, question.position
    if not puzzle.is_compiled:
        return None
    verdict, moves = verdicts.solution(puzzle, goal, position)
    if not 0 < len(moves) <= MAX_MOVES:
        return None
    steps = puzzle.replay(position, steps_of(moves))
    positions = [position, *(step.after for step in _last_steps(moves, steps))]
    columns = _columns(question, positions)
    texts = ["", *("–".join(map(str, move)) for move in moves)]
    lefts = range(len(moves), -1, -1)
    rows = [
        Row(text, puzzle.format(puzzle.canonical(at)), left, list(bounds))
        for text, at, left, *bounds in zip(texts, positions, lefts, *columns, strict=True)
    ]
    return Comparison(list(columns.values()), rows, verdict.is_final)


def _last_steps(moves: list[list[int]], steps: list[Step]) -> list[Step]:
    ends = itertools.accumulate(len(move) - 1 for move in moves)
    return [steps[end - 1] for end in ends]


def _columns(question: Question, positions: list[Position]) -> dict[tuple[int, ...], str]:
    """Return the values of every bound at the positions -> the titles of the methods that have it."""
    columns: dict[tuple[int, ...], str] = {}
    for name, method in question.puzzle.solving.methods.items():
        if not (_is_bound(method) and method.is_admissible):
            continue
        values = tuple(bound_of(question._replace(position=at), name)[0] for at in positions)
        title = localized(method.title)
        columns[values] = f"{columns[values]}{gettext(' · ')}{title}" if values in columns else title
    return columns


def has_bounds(puzzle: Puzzle) -> bool:
    """Return whether a method of the puzzle prunes with a lower bound."""
    return any(map(_is_bound, puzzle.solving.methods.values()))


def _is_bound(method: Method) -> bool:
    """Return whether a method that can be traced rests on a lower bound alone."""
    return method.trace is not None and method.algorithm.has_bound and not method.algorithm.has_table


@blueprint.get("/puzzles/<puzzle_id>/bounds")
def compare_bounds(puzzle_id: str) -> Response:
    """Return the page of bounds. For an invalid link it shows the puzzle's start and the error."""
    parsed, fault = read_link(puzzle_id)
    return page_response("pages/solution_bounds.html", fault, **_context(parsed))


def _context(parsed: Question) -> dict[str, Any]:
    puzzle = parsed.puzzle
    comparison = compare(parsed) if has_bounds(puzzle) else None
    if comparison is None or not comparison.is_proved:
        may_change()
    return {
        **position_context(parsed),
        "comparison": comparison,
        "has_bounds": has_bounds(puzzle),
        "is_warming": not puzzle.is_compiled,
        "most": max((row.moves_left for row in comparison.rows), default=1) if comparison else 1,
        "data": {**script_data(puzzle, puzzle.goal_text(parsed.goal)), "words": board_words()},
    }
