"""The explorer: every legal step with its verdict, and where the position stands among all others."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from flask import Blueprint, Response, make_response, render_template, request

from hoppers.analysis import verdicts
from hoppers.analysis.requests import read_goal, read_puzzle
from hoppers.core.errors import PuzzleError
from hoppers.core.kernels import INTERPRETED
from hoppers.core.model import Position
from hoppers.core.puzzle import Puzzle
from hoppers.web.api.positions import as_fields, kept
from hoppers.web.api.query import About, query, read, ready
from hoppers.web.drawing import board_picture
from hoppers.web.http.i18n import told
from hoppers.web.pages.play import frame, goal_name, script_data

exploring = Blueprint("exploring", __name__)
exploring.context_processor(frame)

ORDER = {verdicts.SOLVED: 0, verdicts.LIVE: 1, verdicts.NOT_KNOWN: 2, verdicts.DEAD_END: 3}
WIDTH, HEIGHT = 560.0, 150.0
"""Of the histogram's drawing."""


class Bar(NamedTuple):
    """How many positions are so many moves from the goal, as it is drawn."""

    moves: int
    positions: int
    x: float
    y: float
    width: float
    height: float
    here: bool


class Chart(NamedTuple):
    """The histogram, and where the position stands in it."""

    bars: list[Bar]
    total: int
    nearer: int
    """Positions that need fewer moves."""


def counts_of(puzzle: Puzzle, goal: int) -> tuple[int, ...] | None:
    """How many positions have 0, 1, 2, … moves left, where there is a complete table."""
    return None if INTERPRETED.get() else _counts_of(puzzle, goal)


@lru_cache(maxsize=64)
def _counts_of(puzzle: Puzzle, goal: int) -> tuple[int, ...] | None:
    counts = puzzle.distribution(goal)
    return None if counts is None else tuple(counts)


@exploring.get("/api/puzzles/<puzzle_id>/distribution")
def distribution(puzzle_id: str) -> Response:
    """How many positions are how far from the goal; null where there is no complete table."""
    puzzle = read_puzzle(puzzle_id)
    goal = ready(puzzle.id, puzzle.start, query(About).goal).goal
    counts = counts_of(puzzle, goal)
    return kept(counts=counts, positions=None if counts is None else sum(counts))


@exploring.get("/puzzles/<puzzle_id>/explore")
def explore(puzzle_id: str) -> Response:
    """The page. A link that means nothing shows the start, and says what was wrong."""
    puzzle = read_puzzle(puzzle_id)
    try:
        goal_text = request.args.get("goal", puzzle.goal)
        asked, fault = read(puzzle_id, request.args.get("position", puzzle.start), goal_text), None
    except PuzzleError as error:
        goal_text = puzzle.goal
        asked, fault = read(puzzle_id, puzzle.start, None), told(error)
    response = make_response(render_template("explore.html", **_scene(asked, goal_text), fault=fault))
    response.status_code = 400 if fault else 200
    response.headers["Cache-Control"] = "no-cache"
    return response


def _scene(asked: Any, goal_text: str) -> dict[str, Any]:
    puzzle, goal, position = asked
    counts = counts_of(puzzle, read_goal(puzzle, goal_text))
    around = None if counts is not None or INTERPRETED.get() else puzzle.around(goal, position)
    known = around.counts if around else counts
    here = verdicts.verdict_of(puzzle, goal, position)  # behind the chart: what is charted is judged, too
    steps = sorted(verdicts.graded_steps(puzzle, goal, position), key=_rank)
    preparation = verdicts.preparation(puzzle, goal, position) if here.verdict == verdicts.NOT_KNOWN else None
    if preparation is None:  # what was under way a moment ago may have ended since
        here = verdicts.verdict_of(puzzle, goal, position)
    return {
        "puzzle": puzzle,
        "goal": goal_text,
        "goal_name": goal_name(puzzle, goal_text),
        "position": puzzle.format(position),
        "picture": board_picture.picture(puzzle, position, goal_text),
        "shape": board_picture.shape_of(puzzle),
        "here": here,
        "steps": [as_fields(puzzle, step) for step in steps],
        "chart": chart(known, here.moves_left) if known else None,
        "around": around,
        "around_start": around and puzzle.format(Position(around.start)),
        "preparation": preparation,
        "is_warming": INTERPRETED.get(),
        "data": {
            **script_data(puzzle),
            "goal": goal_text,
            "words": {},
            "preparing": _will_know_more(preparation),
        },
    }


def _will_know_more(preparation: float | None) -> bool:
    return preparation is not None or INTERPRETED.get()


def _rank(graded: verdicts.GradedStep) -> tuple[int, int, int, int]:
    """Best first: by verdict, by the moves it all takes, then by the holes."""
    step, (verdict, left) = graded
    return ORDER[verdict], step.cost + (left or 0), step.origin, step.target


def chart(counts: Sequence[int], here: int | None) -> Chart:
    """The bars of a histogram; what is there at all is seen, however small."""
    width, most = WIDTH / len(counts), max(counts)
    heights = [max(2.0, count / most * HEIGHT) if count else 0.0 for count in counts]
    bars = [
        Bar(moves, count, moves * width, HEIGHT - height, width, height, moves == here)
        for moves, (count, height) in enumerate(zip(counts, heights, strict=True))
    ]
    return Chart(bars, sum(counts), 0 if here is None else sum(counts[:here]))
