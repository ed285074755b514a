"""Inside a search: its events one by one, for small searches; and the page that plays them on the board."""

import itertools
from typing import Any

from flask import Blueprint, Response, make_response, render_template, request

from ..errors import InvalidMethod, PuzzleError
from ..puzzle import Puzzle, Question
from ..questions import read_puzzle
from ..records import Position
from ..search.events import Visit
from . import drawing
from .api import About, Asked, kept, query, ready
from .languages import in_words, told
from .pages import frame, goal_name, script_data
from .racing import words_for

watching = Blueprint("watching", __name__)
watching.context_processor(frame)

MOST_EVENTS = 2_000
WORDS = ("inside.",)


class Watching(About):
    """What may stand behind the question mark of a recording."""

    method: str = ""


@watching.get("/api/puzzles/<puzzle_id>/positions/<position>/trace")
def trace(puzzle_id: str, position: str) -> Response:
    """The first events of the search, each as a list (see docs/api.md)."""
    wanted = query(Watching)
    asked = ready(puzzle_id, position, wanted.goal)
    method = watched_method(asked.puzzle, wanted.method)
    visits = _visits(asked, method)
    return kept(
        method=method,
        whole=len(visits) <= MOST_EVENTS,
        events=[_as_list(asked.puzzle, visit) for visit in visits[:MOST_EVENTS]],
    )


def watchable(puzzle: Puzzle) -> list[str]:
    """The methods that can be watched."""
    return [name for name, method in puzzle.methods.items() if method.trace is not None]


def watched_method(puzzle: Puzzle, name: str) -> str:
    """The method of this name; '' means the first that can be watched.

    Raises:
        InvalidMethod: there is none, or it cannot be watched.
    """
    names = watchable(puzzle)
    if not name:
        return names[0]
    if puzzle.method(name[:100]).trace is None:
        raise InvalidMethod(
            "{name!r} cannot be watched step by step; {names} can", name=name, names=", ".join(names)
        )
    return name


def _visits(asked: Asked, method: str) -> list[Visit]:
    """One event more than is told, so that it shows whether there are more."""
    begin = asked.puzzle.methods[method].trace
    question = Question(asked.puzzle, asked.goal, asked.position)
    return [] if begin is None else list(itertools.islice(begin(question), MOST_EVENTS + 1))


def _as_list(puzzle: Puzzle, visit: Visit) -> list[Any]:
    text = puzzle.format(Position(visit.state, visit.active))
    step = [visit.origin, visit.target]
    return [visit.kind, visit.limit, visit.depth, *step, text, visit.spent, visit.bound, int(visit.entered)]


@watching.get("/puzzles/<puzzle_id>/inside")
def inside(puzzle_id: str) -> Response:
    """The page. A link that means nothing shows the start, and says what was wrong."""
    goal = request.args.get("goal")
    try:
        asked = (
            ready(puzzle_id, request.args.get("position", ""), goal) if "position" in request.args else None
        )
        asked = asked or _start(puzzle_id, goal)
        method, fault = watched_method(asked.puzzle, request.args.get("method", "")), None
    except PuzzleError as error:
        asked, goal, fault = _start(puzzle_id, None), None, told(error)
        method = watched_method(asked.puzzle, "")
    scene = scene_of(asked, goal or asked.puzzle.goal, method)
    response = make_response(render_template("inside.html", **scene, fault=fault))
    response.status_code = 400 if fault else 200
    response.headers["Cache-Control"] = "no-cache"
    return response


def _start(puzzle_id: str, goal: str | None) -> Asked:
    """The puzzle's own start."""
    return ready(puzzle_id, read_puzzle(puzzle_id).start, goal)


def scene_of(asked: Asked, goal_text: str, method: str) -> dict[str, Any]:
    """Everything the template needs."""
    puzzle, position = asked.puzzle, asked.puzzle.format(asked.position)
    return {
        "puzzle": puzzle,
        "goal": goal_text,
        "goal_name": goal_name(puzzle, goal_text),
        "position": position,
        "picture": drawing.picture(puzzle, asked.position, goal_text),
        "shape": drawing.shape_of(puzzle),
        "method": method,
        "watchable": {name: in_words(puzzle.methods[name].title) for name in watchable(puzzle)},
        "data": {
            **script_data(puzzle),
            "goal": goal_text,
            "position": position,
            "method": method,
            "words": words_for(WORDS),
        },
    }
