"""The board that pages of other sites embed (see docs/embed.md): its script and its data."""

import json
from typing import Any

from flask import Blueprint, Response, jsonify, url_for
from flask_babel import force_locale, gettext

from hoppers.core.puzzle import Puzzle
from hoppers.core.texts import Text
from hoppers.drawing import board_picture
from hoppers.web.api.positions import cache_publicly
from hoppers.web.current import read_puzzle
from hoppers.web.http.i18n import languages, locale_of, localized, words_with_prefix

blueprint = Blueprint("embed", __name__, url_prefix="/embed")

SCRIPT = "embed/hoppers_board.js"


@blueprint.get("/hoppers-board.js")
def show_script() -> Response:
    """Return a script, at an address that never changes, that loads the one of this version.

    It hands over the sentences for the time when the server cannot be asked for the texts.
    """
    faults = json.dumps({language: _faults(language) for language in languages()}, ensure_ascii=False)
    module = json.dumps(url_for("static", filename=SCRIPT))
    script = f"import {{ faults }} from {module};\nObject.assign(faults, {faults});\n"
    return cache_publicly(Response(script, mimetype="text/javascript"))


def _faults(language: str) -> dict[str, str]:
    with force_locale(locale_of(language)):
        return {
            "unreachable": localized(Text("The board cannot be loaded: its server cannot be reached.")),
            "refused": gettext("The board's server answers with error {status}."),
        }


@blueprint.get("/<puzzle_id>.json")
def show_data(puzzle_id: str) -> Response:
    """Return what the element needs of a puzzle, and its texts, in the language of the request."""
    puzzle = read_puzzle(puzzle_id)
    words = words_with_prefix("embed.", "cell.", "side.", "comma")
    title = localized(puzzle.texts.title)
    return cache_publicly(jsonify(puzzle=script_puzzle(puzzle), title=title, words=words))


def script_puzzle(puzzle: Puzzle) -> dict[str, Any]:
    """Return what scripts need of a puzzle (`Puzzle` in static/game/position.js)."""
    return {
        "id": puzzle.id,
        "multiStepMoves": puzzle.rules.multi_step_moves,
        "arrowKeys": puzzle.gallery.arrow_keys,
        "alphabet": puzzle.rules.alphabet,
        "unique": puzzle.rules.unique,
        "objective": localized(puzzle.texts.objective),
        "points": [[round(x, 1), round(y, 1)] for x, y in puzzle.board.drawn],
        "glyphs": board_picture.glyphs_of(puzzle),
        "start": puzzle.start,
        "goal": puzzle.goal,
    }
