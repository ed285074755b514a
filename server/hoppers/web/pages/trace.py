"""The page that plays the trace of a small search on the board."""

from typing import Any

from flask import Blueprint, Response, request

from hoppers.core.errors import PuzzleError
from hoppers.core.puzzle import Puzzle, Question
from hoppers.search import pseudo_code
from hoppers.web.api.trace import traceable_methods, traced_method
from hoppers.web.current import read_puzzle, read_request
from hoppers.web.http.i18n import board_words, localized
from hoppers.web.pages.play import page_response, position_context, script_data

blueprint = Blueprint("trace", __name__)


def code_data(puzzle: Puzzle, method: str) -> list[pseudo_code.Line]:
    """Return the pseudo-code of a method, for the scripts that mark the line of an event."""
    return pseudo_code.code_of(puzzle, puzzle.method(method).algorithm)


@blueprint.get("/puzzles/<puzzle_id>/inside")
def trace(puzzle_id: str) -> Response:
    """Return the trace page. For an invalid link the page shows the puzzle's start and the error."""
    puzzle, fault = read_puzzle(puzzle_id), None
    try:
        parsed = read_request(puzzle_id, request.args.get("position", puzzle.start), request.args.get("goal"))
        method = traced_method(puzzle, request.args.get("method", ""))
    except PuzzleError as error:
        parsed, fault = read_request(puzzle_id, puzzle.start, None), error
        method = traced_method(puzzle, "")
    return page_response("pages/trace.html", fault, **template_context(parsed, method))


def template_context(parsed: Question, method: str) -> dict[str, Any]:
    """Return the variables of `templates/pages/trace.html`, except `fault`."""
    puzzle = parsed.puzzle
    algorithm = puzzle.method(method).algorithm
    return {
        **position_context(parsed),
        "method": method,
        "note": localized(puzzle.method(method).note),
        "has_levels": algorithm.has_levels,
        "node": localized(pseudo_code.node_of(puzzle, algorithm)),
        "groups": _drawn_groups(parsed, puzzle.method(method).groups(puzzle)),
        # a hidden method is offered only while it is watched
        "traceable_methods": {**traceable_methods(puzzle), method: localized(puzzle.method(method).title)},
        "data": {
            **script_data(puzzle, puzzle.goal_text(parsed.goal)),
            "position": puzzle.format(parsed.position),
            "method": method,
            "has_levels": algorithm.has_levels,
            "code": code_data(puzzle, method),
            "words": board_words("trace.", "machine."),
        },
    }


def _drawn_groups(parsed: Question, groups: list[set[int]]) -> list[dict[str, Any]]:
    """Return the letter of each group of holes, the points of its holes, and the number of pieces there."""
    cells, points = parsed.puzzle.cells(parsed.position.state), parsed.puzzle.board.drawn
    return [
        {
            "letter": letter,
            "points": [(round(points[hole][0], 2), round(points[hole][1], 2)) for hole in sorted(holes)],
            "pieces": sum(cells[hole] > 0 for hole in holes),
        }
        for letter, holes in zip("ABCDEFGH", sorted(groups, key=min), strict=False)
    ]
