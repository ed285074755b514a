"""The race page: two to four methods search one position side by side, over Socket.IO."""

import re
from typing import Any

from flask import Blueprint, Response, request
from markupsafe import Markup
from werkzeug.datastructures import MultiDict

from hoppers.core.errors import PuzzleError, quoted
from hoppers.core.puzzle import Puzzle
from hoppers.drawing import board_picture
from hoppers.jobs.service import MAX_IN_RACE
from hoppers.search.pseudo_code import node_of
from hoppers.web.current import read_puzzle
from hoppers.web.http.i18n import board_words, current_language, localized
from hoppers.web.pages.goals import goal_name
from hoppers.web.pages.play import page_response

blueprint = Blueprint("race", __name__)


@blueprint.app_template_filter("breakable")
def breakable(name: str) -> Markup:
    """Return a name that a browser may break between katakana and kanji, in a narrow column."""
    return Markup("<wbr>").join(re.split("(?<=[ァ-ヶー])(?=[一-龠])", name))


@blueprint.get("/puzzles/<puzzle_id>/race")
def race(puzzle_id: str) -> Response:
    """Return the race page. For an invalid link the page shows the puzzle's default race and the error."""
    puzzle, fault = read_puzzle(puzzle_id), None
    try:
        data = _read_race(puzzle, request.args)
    except PuzzleError as error:
        data, fault = _read_race(puzzle, MultiDict()), error
    return page_response(
        "pages/race.html",
        fault,
        puzzle=puzzle,
        picture=board_picture.picture(puzzle, puzzle.parse(data["position"]), data["goal"], margin=6),
        glyphs=board_picture.glyphs_of(puzzle).values(),
        goal_name=goal_name(puzzle, data["goal"]),
        most=min(MAX_IN_RACE, len(puzzle.solving.methods)),
        data=data,
    )


def _read_race(puzzle: Puzzle, args: MultiDict[str, str]) -> dict[str, Any]:
    """Return the `script_data` of a link with the query string `args`, with defaults for missing parts.

    Raise a PuzzleError for invalid parts.
    """
    goal = args.get("goal", puzzle.goal)
    puzzle.parse_goal(goal)
    position = puzzle.format(puzzle.parse(args.get("position", puzzle.start)))
    find = args.get("find", "first")  # as in the search panel
    if find not in ("first", "all"):
        raise PuzzleError("find must be 'first' or 'all', not {find}", find=quoted(find))
    return script_data(puzzle, position, goal, _read_methods(puzzle, args), find)


def _read_methods(puzzle: Puzzle, args: MultiDict[str, str]) -> list[str]:
    """Return the methods in `methods=a,b` or `methods=a&methods=b` (from a form).

    Without any, return the first method of the puzzle and its default one; if they are the same, the second
    method with it. Raise a PuzzleError if a method is unknown, or there are not 2 to `MAX_IN_RACE` different
    ones.
    """
    names = [name for text in args.getlist("methods") for name in text.split(",") if name]
    methods = list(dict.fromkeys(names))
    for name in methods:
        puzzle.method(name[:100])
    if methods and not 2 <= len(methods) <= MAX_IN_RACE:
        raise PuzzleError(
            "{methods} cannot race: a race needs {fewest} to {most} methods",
            "invalid_method",
            methods=quoted(",".join(methods)),
            fewest=2,
            most=MAX_IN_RACE,
        )
    first, *others = puzzle.solving.methods
    return methods or list(dict.fromkeys([first, puzzle.solving.default_method, *others]))[:2]


def script_data(
    puzzle: Puzzle, position: str, goal: str, methods: list[str], find: str = "all"
) -> dict[str, Any]:
    """Return the data of a race for the page and its scripts. Raise a PuzzleError if a method is unknown.

    `find`: whether to search for one shortest solution ('first') or for 'all'.
    """
    kinds = ("race.", "unsolvable.", "export.", "plot.", "copied", "refused.", "lost.")
    of_search = ("search.queued", "search.next", "search.late")
    return {
        "puzzle": puzzle.id,
        "glyphs": board_picture.glyphs_of(puzzle),
        "position": position,
        "goal": goal,
        "find": find,
        "lanes": [
            {
                "method": name,
                "title": localized(method.title),
                "proves": method.is_admissible,
                "node": localized(node_of(puzzle, method.algorithm)),
            }
            for name, method in ((name, puzzle.method(name)) for name in methods)
        ],
        "language": current_language(),
        "words": board_words(*kinds, *of_search),
    }
