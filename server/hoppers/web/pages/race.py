"""The race page: two to four methods search one position side by side, over Socket.IO."""

import re
from typing import Any, NamedTuple

from flask import Blueprint, Response, make_response, render_template, request
from flask_babel import get_locale
from markupsafe import Markup

from hoppers.analysis.requests import quoted, read_goal, read_position
from hoppers.core.errors import InvalidMethod, PuzzleError
from hoppers.core.puzzle import Puzzle
from hoppers.jobs.service import MAX_IN_RACE
from hoppers.web.catalogue import CatalogueEntry, catalogue
from hoppers.web.current import read_puzzle
from hoppers.web.drawing import board_picture
from hoppers.web.http.i18n import localized, localized_error
from hoppers.web.pages.play import goal_name, page_context

blueprint = Blueprint("race", __name__)
blueprint.context_processor(page_context)

MIN_METHODS = 2
WORD_PREFIXES = (
    "race.",
    "row.",
    "failed.",
    "stopped.",
    "unsolvable.",
    "export.",
    "plot.",
    "search.queued",
    "search.next",
    "search.bound",
    "search.count",
    "search.late",
    "sentence.gap",
    "comma",
    "copied",
)
"""Prefixes of the catalogue keys that the scripts of a race use."""
SCRIPT_BOUNDARY = re.compile("(?<=[ァ-ヶー])(?=[一-龠])")
"""Boundary between katakana and kanji, where a Japanese name may be broken in a narrow column."""


@blueprint.app_template_filter("breakable")
def breakable(name: str) -> Markup:
    """Return a name that a browser may break at script boundaries."""
    return Markup("<wbr>").join(SCRIPT_BOUNDARY.split(name))


class Race(NamedTuple):
    """The methods of a race, and the problem they search."""

    puzzle: Puzzle
    position: str
    goal: str
    methods: list[str]
    find: str


@blueprint.get("/puzzles/<puzzle_id>/race")
def race(puzzle_id: str) -> Response:
    """Return the race page. For an invalid link the page shows the puzzle's default race and the error."""
    puzzle = read_puzzle(puzzle_id)
    try:
        shown, fault = _read_race(puzzle), None
    except PuzzleError as error:
        shown = Race(puzzle, puzzle.start, puzzle.goal, default_methods(puzzle), "all")
        fault = localized_error(error)
    response = make_response(render_template("race.html", **_template_context(shown), fault=fault))
    response.status_code = 400 if fault else 200
    response.headers["Cache-Control"] = "no-cache"
    return response


def default_methods(puzzle: Puzzle) -> list[str]:
    """Return the names of two methods of a puzzle: the first in its list, and its default method.

    If the first method is the default, the second method in the list is returned with it.
    """
    names = list(puzzle.solving.methods)
    others = [name for name in (puzzle.solving.default_method, *names) if name != names[0]]
    return [names[0], *others[:1]]


def _read_race(puzzle: Puzzle) -> Race:
    """Return the race of a link, with defaults for missing parts.

    Raises:
        PuzzleError: a part is not valid.
    """
    goal = request.args.get("goal", puzzle.goal)
    read_goal(puzzle, goal)
    position = puzzle.format(read_position(puzzle, request.args.get("position", puzzle.start)))
    find = request.args.get("find", "all")
    if find not in ("first", "all"):
        raise PuzzleError("{find} is neither 'first' nor 'all'", find=quoted(find))
    return Race(puzzle, position, goal, _read_methods(puzzle), find)


def _read_methods(puzzle: Puzzle) -> list[str]:
    """Return the named methods without duplicates: `methods=a,b`, or `methods=a&methods=b` from a form."""
    names = [name for text in request.args.getlist("methods") for name in text.split(",") if name]
    methods = list(dict.fromkeys(names))
    for name in methods:
        puzzle.method(name[:100])
    if methods and not MIN_METHODS <= len(methods) <= MAX_IN_RACE:
        raise InvalidMethod(
            "{number} methods cannot race: from {fewest} to {most} can",
            number=len(methods),
            fewest=MIN_METHODS,
            most=MAX_IN_RACE,
        )
    return methods or default_methods(puzzle)


def _template_context(race: Race) -> dict[str, Any]:
    puzzle = race.puzzle
    return {
        "race": race,
        "puzzle": puzzle,
        "picture": board_picture.picture(puzzle, puzzle.parse(race.position), race.goal, margin=6),
        "goal_name": goal_name(puzzle, race.goal),
        "data": script_data(race),
    }


def script_data(race: Race) -> dict[str, Any]:
    """Return the data of a race for the scripts of the page."""
    return {
        "puzzle": race.puzzle.id,
        "position": race.position,
        "goal": race.goal,
        "find": race.find,
        "lanes": [_lane_fields(race.puzzle, name) for name in race.methods],
        "language": str(get_locale().language),
        "words": words_with_prefix(WORD_PREFIXES),
    }


def _lane_fields(puzzle: Puzzle, name: str) -> dict[str, str]:
    method = puzzle.method(name)
    return {"method": name, "title": localized(method.title), "note": localized(method.note)}


def words_with_prefix(prefixes: tuple[str, ...]) -> dict[str, CatalogueEntry]:
    """Return the catalogue entries with one of the key prefixes."""
    words = catalogue(str(get_locale().language))
    return {key: text for key, text in words.items() if key.startswith(prefixes)}
