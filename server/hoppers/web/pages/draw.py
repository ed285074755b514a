"""The page to draw a board. Its script proves what can be solved, from tables that it builds itself."""

from functools import cache
from typing import Any, Literal

import msgspec
from flask import Blueprint, render_template, request

from hoppers.core.drawings import MAX_HOLES, PREFIX, common_id, drawing_of
from hoppers.core.model import prebuild_decoder
from hoppers.core.texts import Text
from hoppers.drawing import board_picture
from hoppers.runtime import PACKAGE
from hoppers.tablebase.atlas_data import GRADE_BITS
from hoppers.web.current import puzzles, read_puzzle
from hoppers.web.http import i18n
from hoppers.web.http.addresses import url_with_query
from hoppers.web.http.i18n import gettext, localized
from hoppers.web.pages.goals import degree_word

blueprint = Blueprint("draw", __name__)

DATA = PACKAGE / "data" / "drawings.json"


@prebuild_decoder
class SampleDrawing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A drawn board that the page offers. Its title is in English."""

    id: str
    title: str
    list: Literal["first", "known"]
    """`first`: to begin with, and it can be solved; `known`: of the literature, and not in the gallery."""


@cache
def load_samples() -> list[SampleDrawing]:
    """Return the drawings that the page offers, read and checked on the first call."""
    return msgspec.json.decode(DATA.read_bytes(), type=list[SampleDrawing])


@blueprint.get("/draw")
def show() -> str:
    """Return the page, with the drawing `board`; by default the first of the gallery.

    Raise a PuzzleError if there is no such drawing.
    """
    samples = load_samples()
    board = request.args.get("board", "")
    puzzle = read_puzzle(board if board.startswith(PREFIX) else samples[0].id)
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
        first=[_entry(sample) for sample in samples if sample.list == "first"],
        known=[_entry(sample) for sample in samples if sample.list == "known"],
        choices=(("lattice", gettext("Jumps"), _lattices()), ("brush", gettext("Tap to place"), _brushes())),
    )


def _lattices() -> dict[str, str]:
    return {"s": gettext("Straight"), "d": gettext("Diagonal, too"), "t": gettext("Triangular")}


def _brushes() -> dict[str, str]:
    """Return the names of what a tap changes."""
    return {
        "hole": gettext("Holes"),
        "peg": gettext("Pegs"),
        "red": gettext("Red peg"),
        "goal": gettext("Goal"),
    }


def _entry(sample: SampleDrawing) -> dict[str, Any]:
    """Return a drawing of a list: its title and picture, and the address at which the page opens with it."""
    puzzle = read_puzzle(sample.id)
    full = puzzle.parse(puzzle.rules.alphabet[1] * puzzle.holes)
    return {
        "id": sample.id,
        "title": localized(Text(sample.title)),
        "address": url_with_query(".show", {}, {"board": sample.id}),
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
