"""The board that pages of other sites embed (see docs/embed.md): script, data, and its frame by oEmbed."""

import json
import re
import xml.etree.ElementTree as ElementTree
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from flask import Blueprint, Response, jsonify, request, url_for
from markupsafe import Markup

from hoppers.core.errors import quoted
from hoppers.core.puzzle import Puzzle
from hoppers.drawing import board_picture, stand_alone
from hoppers.web.api.play_line import read_steps
from hoppers.web.current import read_puzzle
from hoppers.web.http.addresses import page_path, url_with_query
from hoppers.web.http.assets import static_folder
from hoppers.web.http.i18n import languages, localized, translations_in, words_with_prefix
from hoppers.web.http.responses import cache_publicly
from hoppers.web.own_tables import table_data
from hoppers.web.servers.faults import Fault

blueprint = Blueprint("embed", __name__)

SCRIPT = "embed/hoppers_board.js"


@blueprint.get("/embed/hoppers-board.js")
def show_script() -> Response:
    """Return a script, at an address that never changes, that loads the one of this version.

    It hands over the sentences for the time when the server cannot be asked for the texts.
    """
    faults = json.dumps({language: _faults(language) for language in languages()}, ensure_ascii=False)
    module = json.dumps(url_for("static", filename=SCRIPT))
    script = f"import {{ faults }} from {module};\nObject.assign(faults, {faults});\n"
    return cache_publicly(Response(script, mimetype="text/javascript"))


def _faults(language: str) -> dict[str, str]:
    texts = translations_in(language)
    return {
        "unreachable": texts.gettext("The board cannot be loaded: its server cannot be reached."),
        "refused": texts.gettext("The board's server answers with error {status}."),
        "missing": texts.gettext("Which puzzle? Set the attribute puzzle."),
    }


WORDS = (
    *("cell.", "comma", "count.", "embed.", "note.ways", "piece."),
    *("say.", "sentence.gap", "side.", "typed."),
)
"""First parts of the keys of the texts that the element shows and says."""


@blueprint.get("/embed/<puzzle_id>.json")
def show_data(puzzle_id: str) -> Response:
    """Return what the element needs of a puzzle: its drawing, and texts in the language of the request."""
    puzzle = read_puzzle(puzzle_id)
    goal = request.args.get("goal", puzzle.goal)
    puzzle.parse_goal(goal)
    stylesheet = stand_alone.without_comments(static_folder() / stand_alone.STYLESHEET)
    return cache_publicly(
        jsonify(
            puzzle=script_puzzle(puzzle),
            title=localized(puzzle.texts.title),
            words=words_with_prefix(*WORDS),
            drawing=_drawing(puzzle, goal),
            style=stylesheet.replace(":root", ":host", 1),
            table=table_data(puzzle),
        )
    )


def _drawing(puzzle: Puzzle, goal: str) -> list[Any]:
    """Return the picture of the puzzle's start as a tree, without its style (static/embed/drawing.js)."""
    picture = board_picture.picture(puzzle, puzzle.parse(puzzle.start), goal)
    return _tree(ElementTree.fromstring(stand_alone.scoped_svg(puzzle, picture, "")))


def _tree(element: ElementTree.Element) -> list[Any]:
    """Return an element as name, attributes, and content: its text, and trees."""
    name = element.tag.rpartition("}")[2]
    text = (element.text or "").strip()
    content = [_tree(child) for child in element if child.tag.rpartition("}")[2] not in ("style", "title")]
    return [name, dict(element.attrib), *([text] if text else []), *content]


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
        "jumps": puzzle.board.jumps if puzzle.rules.multi_step_moves else [],
    }


FRAME = (480, 640)
"""Most width and height of a frame with a board, in pixels."""


@blueprint.get("/oembed")
def show_frame() -> Response:
    """Return how to show the page of a game in a frame, as oEmbed 1.0 describes it.

    Raise a Fault if `url` is not the page of a puzzle here (404), or for another format than JSON (501).
    """
    link, form = request.args.get("url", ""), request.args.get("format", "json")
    if form != "json":
        raise Fault(501, "unknown_format", "{format} is not offered; JSON is.", format=quoted(form))
    address = urlsplit(link)
    found = re.fullmatch(r"/puzzles/([^/]+)", page_path(address.path))
    if not found or f"{address.scheme}://{address.netloc}/" != request.host_url:
        raise Fault(404, "unknown_page", "{url} is not the page of a puzzle here.", url=quoted(link))
    puzzle, query = read_puzzle(found[1]), dict(parse_qsl(address.query))
    start, steps = read_steps(puzzle, query)
    position = puzzle.format(steps[-1].after if steps else start)
    here = {"position": position, "goal": puzzle.goal_text(puzzle.parse_goal(query.get("goal")))}
    width, height = (
        min(most, int(text)) if (text := request.args.get(name, "")).isdecimal() and len(text) < 6 else most
        for name, most in zip(("maxwidth", "maxheight"), FRAME, strict=True)
    )
    title, host = localized(puzzle.texts.title), request.host_url.rstrip("/")
    frame = host + url_with_query("pages.play", {"puzzle_id": puzzle.id}, {**here, "embed": "1"})
    html = Markup('<iframe src="{}" width="{}" height="{}" title="{}"></iframe>')
    return jsonify(
        version="1.0",
        type="rich",
        title=title,
        provider_name="Hoppers",
        provider_url=request.host_url,
        html=html.format(frame, width, height, title),
        width=width,
        height=height,
        thumbnail_url=host + url_with_query("images.board_png", {"puzzle_id": puzzle.id}, here),
        thumbnail_width=1200,
        thumbnail_height=630,
    )
