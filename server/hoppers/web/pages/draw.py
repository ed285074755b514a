"""The page to draw a board. Its script proves what can be solved, from tables that it builds itself."""

from typing import Any

from flask import Blueprint, render_template, request
from flask_babel import gettext

from hoppers.core.drawings import MAX_HOLES, PREFIX, common_id, drawing_of
from hoppers.core.puzzle import Puzzle
from hoppers.core.texts import Text
from hoppers.drawing import board_picture
from hoppers.tablebase.atlas_data import GRADE_BITS
from hoppers.web.api.positions import url_with_query
from hoppers.web.current import puzzles, read_puzzle
from hoppers.web.http import i18n
from hoppers.web.http.i18n import localized
from hoppers.web.pages.goals import degree_word

blueprint = Blueprint("draw", __name__)

GALLERY = (
    "own-d-1a1a-e-1c-2a",  # a heart
    "own-t-1a-d-1c-1d-3a",  # a star
    "own-d-2a-1c-e-1c-e-2a",  # a tree
    "own-d-2a-1c-e-b1b-b1b",  # a house
    "own-s-b1b-e-e-b1b",  # the letter H
    "own-d-b1b-e-1c-e-b1b",  # a butterfly
)
"""Drawings to begin with, each of which can be solved."""
KNOWN_SHAPES = {
    "own-s-f-f-f-f-f-f": Text("Square, 36 holes"),
    "own-s-3c-3c-3c-i-i-i-3c-3c-3c": Text("Wiegleb’s board of 1779, 45 holes"),
    "own-t-a-b-c-d-e-f-g": Text("Triangle, 28 holes"),
    "own-t-c-d-e-1d-2c": Text("Hexagon, 19 holes"),
    "own-t-d-e-f-g-1f-2e-3d": Text("Hexagon, 37 holes"),
    "own-d-2c-2c-g-g-g-2c-2c": Text("English board with diagonals"),
}
"""Boards of the literature that are not in the gallery."""


@blueprint.get("/draw")
def show() -> str:
    """Return the page, with the drawing `board`; by default the first of the gallery.

    Raise a PuzzleError if there is no such drawing.
    """
    board = request.args.get("board", GALLERY[0])
    puzzle = read_puzzle(board) if board.startswith(PREFIX) else read_puzzle(GALLERY[0])
    data = {
        "board": puzzle.id.removesuffix("-red"),
        "position": request.args.get("position", ""),
        "goal": request.args.get("goal", ""),
        "known": _known_boards(),
        "most": MAX_HOLES,
        "degrees": [degree_word(degree) for degree in range(1, len(GRADE_BITS) + 2)],
        "degreeBits": GRADE_BITS,
        "language": i18n.current_language(),
        "words": i18n.words_with_prefix("draw.", "copied", "refused"),
    }
    return render_template(
        "pages/draw.html",
        data=data,
        gallery=[_entry(read_puzzle(id)) for id in GALLERY],
        known_shapes=[
            _entry(read_puzzle(id)) | {"name": localized(name)} for id, name in KNOWN_SHAPES.items()
        ],
        lattices={
            "s": gettext("Rows and columns"),
            "d": gettext("Diagonals, too"),
            "t": gettext("Triangles"),
        },
        brushes={"hole": gettext("Holes"), "peg": gettext("Pegs"), "red": gettext("Red peg")},
    )


def _entry(puzzle: Puzzle) -> dict[str, Any]:
    """Return a drawing of the gallery: its picture, and the address at which the page opens with it."""
    full = puzzle.parse(puzzle.rules.alphabet[1] * puzzle.holes)
    return {
        "id": puzzle.id,
        "address": url_with_query(".show", {}, {"board": puzzle.id}),
        "picture": board_picture.picture(puzzle, full, puzzle.goal, margin=6),
    }


def _known_boards() -> dict[str, dict[str, str]]:
    """Return the listed peg boards, by the id that all turns and reflections of their drawing share."""
    known: dict[str, dict[str, str]] = {}
    for puzzle in puzzles():
        drawing = drawing_of(puzzle.board) if puzzle.rules.description.get("kind") == "jumps" else None
        if drawing is not None and puzzle.rules.unique == "":
            title = localized(puzzle.texts.title)
            address = url_with_query("pages.play", {"puzzle_id": puzzle.id}, {})
            known.setdefault(common_id(drawing), {"title": title, "address": address})
    return known
