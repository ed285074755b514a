"""The race: two to four methods on one position, side by side; the searches run over the channel."""

import re
from typing import Any, NamedTuple

from flask import Blueprint, Response, make_response, render_template, request
from flask_babel import get_locale
from markupsafe import Markup

from hoppers.analysis.requests import quoted, read_goal, read_position, read_puzzle
from hoppers.core.errors import InvalidMethod, PuzzleError
from hoppers.core.puzzle import Puzzle
from hoppers.jobs.service import MAX_IN_RACE
from hoppers.web.catalogue import Entry, catalogue
from hoppers.web.drawing import board_picture
from hoppers.web.http.i18n import in_words, told
from hoppers.web.pages.play import frame, goal_name

racing = Blueprint("racing", __name__)
racing.context_processor(frame)

FEWEST = 2
WORDS = (
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
"""Beginnings of the keys that the race's scripts use."""
SCRIPTS_MEET = re.compile("(?<=[ァ-ヶー])(?=[一-龠])")
"""Between katakana and kanji, where a name may be broken if a column has no room for it."""


@racing.app_template_filter("breakable")
def breakable(name: str) -> Markup:
    """A name for a narrow column."""
    return Markup("<wbr>").join(SCRIPTS_MEET.split(name))


class Race(NamedTuple):
    """Who runs, and where."""

    puzzle: Puzzle
    position: str
    goal: str
    methods: list[str]
    find: str


@racing.get("/puzzles/<puzzle_id>/race")
def race(puzzle_id: str) -> Response:
    """The page of a race. A link that means nothing shows the puzzle's own, and says what was wrong."""
    puzzle = read_puzzle(puzzle_id)
    try:
        wanted, fault = _read_race(puzzle), None
    except PuzzleError as error:
        wanted, fault = Race(puzzle, puzzle.start, puzzle.goal, usual(puzzle), "all"), told(error)
    response = make_response(render_template("race.html", **_scene(wanted), fault=fault))
    response.status_code = 400 if fault else 200
    response.headers["Cache-Control"] = "no-cache"
    return response


def usual(puzzle: Puzzle) -> list[str]:
    """The plainest method beside the one worth watching, or beside the next in the list."""
    names = list(puzzle.methods)
    others = [name for name in (puzzle.lesson, *names) if name != names[0]]
    return [names[0], *others[:1]]


def _read_race(puzzle: Puzzle) -> Race:
    """The race of a link; what it leaves out is usual.

    Raises:
        PuzzleError: a part means nothing.
    """
    goal = request.args.get("goal", puzzle.goal)
    read_goal(puzzle, goal)
    position = puzzle.format(read_position(puzzle, request.args.get("position", puzzle.start)))
    find = request.args.get("find", "all")
    if find not in ("first", "all"):
        raise PuzzleError("{find} is neither 'first' nor 'all'", find=quoted(find))
    return Race(puzzle, position, goal, _read_methods(puzzle), find)


def _read_methods(puzzle: Puzzle) -> list[str]:
    """The methods named, once each: `methods=a,b`, or `methods=a&methods=b` as a form sends them."""
    names = [name for text in request.args.getlist("methods") for name in text.split(",") if name]
    wanted = list(dict.fromkeys(names))
    for name in wanted:
        puzzle.method(name[:100])
    if wanted and not FEWEST <= len(wanted) <= MAX_IN_RACE:
        raise InvalidMethod(
            "{number} methods cannot race: from {fewest} to {most} can",
            number=len(wanted),
            fewest=FEWEST,
            most=MAX_IN_RACE,
        )
    return wanted or usual(puzzle)


def _scene(race: Race) -> dict[str, Any]:
    puzzle = race.puzzle
    return {
        "race": race,
        "puzzle": puzzle,
        "picture": board_picture.picture(puzzle, puzzle.parse(race.position), race.goal, margin=6),
        "goal_name": goal_name(puzzle, race.goal),
        "data": script_data(race),
    }


def script_data(race: Race) -> dict[str, Any]:
    """What the scripts of a race need."""
    return {
        "puzzle": race.puzzle.id,
        "position": race.position,
        "goal": race.goal,
        "find": race.find,
        "lanes": [_lane(race.puzzle, name) for name in race.methods],
        "language": str(get_locale().language),
        "words": words_for(WORDS),
    }


def _lane(puzzle: Puzzle, name: str) -> dict[str, str]:
    method = puzzle.method(name)
    return {"method": name, "title": in_words(method.title), "note": in_words(method.note)}


def words_for(beginnings: tuple[str, ...]) -> dict[str, Entry]:
    """The part of the catalogue that a page needs."""
    words = catalogue(str(get_locale().language))
    return {key: text for key, text in words.items() if key.startswith(beginnings)}
