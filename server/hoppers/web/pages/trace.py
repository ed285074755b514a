"""Inside a search: its events one by one, for small searches; and the page that plays them on the board."""

from functools import lru_cache
from typing import Annotated, Any, NamedTuple

import msgspec
from flask import Blueprint, Response, make_response, render_template, request

from hoppers.core import schemas
from hoppers.core.errors import InvalidMethod, PuzzleError
from hoppers.core.events import Exhausted, Progress, Solved, Unsolvable, Visit
from hoppers.core.model import Position
from hoppers.core.puzzle import Puzzle, Question
from hoppers.search.trace import first_limit
from hoppers.web.api.positions import kept
from hoppers.web.api.query import About, Asked, query, read, ready
from hoppers.web.current import read_puzzle
from hoppers.web.drawing import board_picture
from hoppers.web.http.i18n import in_words, told
from hoppers.web.pages.play import frame, goal_name, script_data
from hoppers.web.pages.race import words_for

watching = Blueprint("watching", __name__)
watching.context_processor(frame)

MOST_NODES = 3_000_000
"""A limit that begins beyond so many nodes cannot be watched."""
PAGE_NODES = 500
WORDS = ("inside.", "failed.", "sentence.gap")


@schemas.prebuild_decoder
class Watching(About):
    """What may stand behind the question mark of a recording."""

    method: str = ""
    limit: int | None = None
    page: Annotated[int, msgspec.Meta(ge=0)] = 0


class Limits(NamedTuple):
    """What every limit of a search comes to: (limit, nodes, cut, result), and whether that is all of them."""

    rows: list[tuple[int, int, int, str]]
    whole: bool


class Page(NamedTuple):
    """The events of a limit from one node to another, and the line with which they begin."""

    line: list[Visit]
    events: list[Visit]


@watching.get("/api/puzzles/<puzzle_id>/positions/<position>/trace")
def trace(puzzle_id: str, position: str) -> Response:
    """A page of the events of a limit, each as a list, and what all limits come to (see docs/api.md)."""
    wanted = query(Watching)
    asked = ready(puzzle_id, position, wanted.goal)
    method = watched_method(asked.puzzle, wanted.method)
    limits = limits_of(asked, method)
    limit = limits.rows[0][0] if wanted.limit is None else wanted.limit
    _check_page(limits, limit, wanted.page)
    page = page_of(asked, method, limit, wanted.page)
    return kept(
        method=method,
        limits=limits.rows,
        whole=limits.whole,
        page_nodes=PAGE_NODES,
        limit=limit,
        page=wanted.page,
        line=[_as_list(asked.puzzle, visit) for visit in page.line],
        events=[_as_list(asked.puzzle, visit) for visit in page.events],
    )


def watchable(puzzle: Puzzle) -> list[str]:
    """The methods that can be watched."""
    return [name for name, method in puzzle.solving.methods.items() if method.trace is not None]


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


@lru_cache(maxsize=256)
def limits_of(asked: Asked, method: str) -> Limits:
    """Run the search itself, as far as it may be watched, and count."""
    question = Question(*asked)
    rows: list[tuple[int, int, int, str]] = []
    for event in asked.puzzle.method(method).search(question):
        before = sum(nodes for _, nodes, _, _ in rows)
        match event:
            case Exhausted(limit=limit, nodes=nodes, cut=cut):
                rows.append((limit, nodes, cut, "exhausted"))
            case Solved(limit=limit, nodes=nodes):
                return Limits([*rows, (limit, nodes, 0, "solved")], True)
            case Unsolvable():
                return Limits(rows or [(first_limit(question), 0, 0, "unsolvable")], True)
            case Progress(nodes=nodes) if before + nodes > MOST_NODES:
                break
    return Limits(rows, False)


def _check_page(limits: Limits, limit: int, page: int) -> None:
    """Refuse what cannot be watched.

    Raises:
        PuzzleError: there is no such limit, or no such page of it.
    """
    nodes = {row[0]: row[1] for row in limits.rows}
    if limit not in nodes:
        last = limits.rows[-1][0]
        first = limits.rows[0][0]
        raise PuzzleError(
            "limit {limit} cannot be watched; {first} to {last} can", limit=limit, first=first, last=last
        )
    if page and page * PAGE_NODES >= nodes[limit]:
        raise PuzzleError(
            "limit {limit} has {nodes} nodes, so no page {page}", limit=limit, nodes=nodes[limit], page=page
        )


def page_of(asked: Asked, method: str, limit: int, number: int) -> Page:
    """From one node to another: what happens up to the first of them is on the page before."""
    begin = asked.puzzle.method(method).trace
    page, nodes = Page([], []), 0
    for visit in begin(Question(*asked), limit, number * PAGE_NODES) if begin is not None else ():
        nodes += visit.entered
        if nodes > PAGE_NODES:
            break
        if visit.kind == "line":
            page.line.append(visit)
        elif number == 0 or nodes:
            page.events.append(visit)
        elif visit.kind == "leave":
            page.line.pop()
    return page


def _as_list(puzzle: Puzzle, visit: Visit) -> list[Any]:
    text = puzzle.format(Position(visit.state, visit.active))
    step = [visit.origin, visit.target]
    fields = [visit.kind, visit.limit, visit.depth, *step, text, visit.spent, visit.bound, int(visit.entered)]
    marks = [[number, *holes] for number, holes in visit.marks]
    return [*fields, marks] if marks else fields


@watching.get("/puzzles/<puzzle_id>/inside")
def inside(puzzle_id: str) -> Response:
    """The page. A link that means nothing shows the start, and says what was wrong."""
    goal = request.args.get("goal")
    try:
        asked = (
            read(puzzle_id, request.args.get("position", ""), goal) if "position" in request.args else None
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
    return read(puzzle_id, read_puzzle(puzzle_id).start, goal)


def scene_of(asked: Asked, goal_text: str, method: str) -> dict[str, Any]:
    """Everything the template needs."""
    puzzle, position = asked.puzzle, asked.puzzle.format(asked.position)
    return {
        "puzzle": puzzle,
        "goal": goal_text,
        "goal_name": goal_name(puzzle, goal_text),
        "position": position,
        "picture": board_picture.picture(puzzle, asked.position, goal_text),
        "shape": board_picture.shape_of(puzzle),
        "method": method,
        "note": in_words(puzzle.method(method).note),
        "watchable": {name: in_words(puzzle.solving.methods[name].title) for name in watchable(puzzle)},
        "data": {
            **script_data(puzzle),
            "goal": goal_text,
            "position": position,
            "method": method,
            "words": words_for(WORDS),
        },
    }
