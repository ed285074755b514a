"""The pages people see: the gallery and the game, and the pictures and styles that belong to a board."""

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, cast

from flask import Blueprint, Response, current_app, jsonify, make_response, render_template, request, url_for
from flask_babel import get_locale, gettext

from .. import judge
from ..errors import PuzzleError
from ..puzzle import Puzzle
from ..puzzles import PUZZLES
from ..questions import read_goal, read_position, read_puzzle
from ..warmup import Warmup
from . import drawing
from .api import ready
from .catalogue import catalogue
from .compression import compress
from .languages import LANGUAGES, in_words
from .lines import Line, read_line
from .palette import embedded_style
from .pictures import stand_alone

pages = Blueprint("pages", __name__)
pages.after_app_request(compress)

SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""A picture carries its own colours; the policy of the pages would take them away."""
PICTURE_OPTIONS = {"position", "goal", "lang"}
KEPT_SECONDS = 3600
FAMILY_SHOWN = 8
"""Puzzles of one family that are shown at once."""


class Card(NamedTuple):
    """A puzzle in the gallery or on the shelf."""

    puzzle: Puzzle
    title: str
    picture: drawing.Picture


@pages.context_processor
def frame() -> dict[str, Any]:
    """What every page of this blueprint may use."""
    return {"glyphs": sprite_glyphs(), "in_words": in_words}


@pages.app_context_processor
def languages() -> dict[str, Any]:
    """The language of the page, and the address of the same page in the others."""
    spoken = str(get_locale().language)
    place = {**(request.view_args or {}), **request.args.to_dict()}
    known = request.endpoint is not None and not request.endpoint.startswith("api")

    def address(language: str) -> str:
        return (
            url_for(str(request.endpoint), **{**place, "lang": language}) if known else f"/?lang={language}"
        )

    return {
        "language": spoken,
        "other_languages": {name: address(name) for name in LANGUAGES if name != spoken},
    }


@pages.get("/")
def gallery() -> str:
    """All puzzles as pictures."""
    words = catalogue(str(get_locale().language))
    kept = {key: text for key, text in words.items() if key.startswith(("medal.", "continue"))}
    return render_template("gallery.html", families=families(), subtitle=subtitle, gallery_words=kept)


@pages.get("/puzzles/<puzzle_id>")
def play(puzzle_id: str) -> Response:
    """The game. A link that means nothing shows the board at its start, and says what was wrong."""
    puzzle = read_puzzle(puzzle_id)
    ready(puzzle.id, puzzle.start, None)
    try:
        line, fault = read_line(puzzle, request.args), None
    except PuzzleError as error:
        line, fault = read_line(puzzle, {}), str(error)
    response = make_response(render_template("play.html", **_scene(line, fault)))
    response.status_code = 400 if fault else 200
    response.headers["Cache-Control"] = "no-cache"
    return response


def _scene(line: Line, fault: str | None) -> dict[str, Any]:
    """Everything the template of the game needs."""
    puzzle, here = line.puzzle, line.here
    return {
        "puzzle": puzzle,
        "picture": drawing.picture(puzzle, line.end, line.goal_text),
        "shape": drawing.shape_of(puzzle),
        "cells": here["position"].split(":")[0],
        "here": here,
        "goal": line.goal_text,
        "goal_name": goal_name(puzzle, line.goal_text),
        "start": puzzle.format(line.start),
        "spoken": [spoken(puzzle, cell, hole) for hole, cell in enumerate(here["position"].split(":")[0])],
        "fault": fault,
        "cards": shelf(puzzle),
        "data": {**script_data(puzzle), "line": line.as_json, "here": here, "goal": line.goal_text},
    }


def script_data(puzzle: Puzzle) -> dict[str, Any]:
    """What the scripts know of a puzzle, and what they say."""
    language = str(get_locale().language)
    return {
        "puzzle": {
            "id": puzzle.id,
            "chains": puzzle.chains,
            "points": [[round(x, 1), round(y, 1)] for x, y in puzzle.board.drawn],
            "glyphs": drawing.glyphs_of(puzzle),
            "start": puzzle.start,
            "goal": puzzle.goal,
        },
        "language": language,
        "words": catalogue(language),
    }


@pages.get("/puzzles/<puzzle_id>/board.svg")
def board(puzzle_id: str) -> Response:
    """The picture of a position, with options (see `pictures.stand_alone`)."""
    puzzle = read_puzzle(puzzle_id)
    goal = request.args.get("goal", puzzle.goal)
    read_goal(puzzle, goal)
    position = read_position(puzzle, request.args.get("position", puzzle.start))
    options = {name: value for name, value in request.args.items() if name not in PICTURE_OPTIONS}
    picture = stand_alone(puzzle, position, goal, options)
    text = render_template(
        "board.svg",
        alone=True,
        picture=picture,
        names=drawing.glyphs_of(puzzle).values(),
        shape=drawing.shape_of(puzzle),
        label=f"{in_words(puzzle.title)}, {puzzle.format(position)}",
        style=embedded_style(Path(str(current_app.static_folder), "board.css"), picture.theme),
    )
    return _kept(Response(text, mimetype="image/svg+xml", headers={"Content-Security-Policy": SVG_POLICY}))


@pages.get("/puzzles/<puzzle_id>/layout.css")
def layout(puzzle_id: str) -> Response:
    """Where the buttons lie over the drawing: a style sheet, for the pages allow no inline styles."""
    puzzle = read_puzzle(puzzle_id)
    middles, size = drawing.places(puzzle)
    _, _, width, height = drawing.picture(puzzle, puzzle.parse(puzzle.start), puzzle.goal).view
    rules = [f".board{{--w:{width:.1f};--h:{height:.1f};--d:{size:.2f}}}"]
    rules += [f'[data-hole="{hole}"]{{--x:{x:.2f};--y:{y:.2f}}}' for hole, (x, y) in enumerate(middles)]
    return _kept(Response("\n".join(rules), mimetype="text/css"))


@pages.get("/api/puzzles/<puzzle_id>/line")
def graded_line(puzzle_id: str) -> Response:
    """The steps of a line, each with the position it leads to and its verdict."""
    puzzle = read_puzzle(puzzle_id)
    ready(puzzle.id, puzzle.start, None)
    return _kept(jsonify(read_line(puzzle, request.args).as_json))


def _kept(response: Response) -> Response:
    response.cache_control.public = True
    response.cache_control.max_age = KEPT_SECONDS
    return response


@cache
def sprite_glyphs() -> list[str]:
    """Every glyph of every puzzle, once."""
    return list(
        dict.fromkeys(glyph for puzzle in PUZZLES.values() for glyph in drawing.glyphs_of(puzzle).values())
    )


def families() -> list[tuple[list[Card], list[Card]]]:
    """The puzzles as pictures, family by family, as in the gallery; of a big family the rest apart."""
    grouped: dict[str, list[Card]] = {}
    for puzzle in PUZZLES.values():
        grouped.setdefault(puzzle.family, []).append(_card(puzzle))
    return [(cards[:FAMILY_SHOWN], cards[FAMILY_SHOWN:]) for cards in grouped.values()]


def shelf(current: Puzzle) -> list[Card]:
    """The puzzles beside the board: the first of every family, and the one that is played."""
    return [
        card
        for first, rest in families()
        for card in [*first, *[card for card in rest if card.puzzle is current]]
    ]


def _card(puzzle: Puzzle) -> Card:
    return Card(puzzle, in_words(puzzle.title), _thumbnail(puzzle))


@cache
def _thumbnail(puzzle: Puzzle) -> drawing.Picture:
    return drawing.picture(puzzle, puzzle.parse(puzzle.start), puzzle.goal, margin=6)


def subtitle(puzzle: Puzzle) -> str:
    """How many holes, and the fewest moves from the start where they are known."""
    holes = gettext("%(number)s places", number=puzzle.holes)
    par = shortest(puzzle) if is_warm(puzzle) else None
    return str(
        holes if par is None else gettext("%(holes)s, %(moves)s moves at best", holes=holes, moves=par)
    )


def is_warm(puzzle: Puzzle) -> bool:
    """Whether judging takes no time: the gallery never waits for a compiler."""
    return cast(Warmup, current_app.extensions["warmup"]).is_ready(puzzle.id)


@cache
def shortest(puzzle: Puzzle) -> int | None:
    """The fewest moves from the start."""
    return judge.judge(puzzle, puzzle.parse_goal(None), puzzle.parse(puzzle.start)).moves_left


def goal_name(puzzle: Puzzle, goal: str) -> str:
    """A goal text in words."""
    if drawing.is_hole(puzzle, goal):
        return str(gettext("in hole %(hole)s", hole=goal))
    return str(gettext("anywhere") if goal == "any" else gettext("in order"))


def spoken(puzzle: Puzzle, cell: str, hole: int) -> str:
    """A hole and what is in it, as scripts say it too (see `Board` in static/board.js)."""
    words = catalogue(str(get_locale().language))
    kind, _, side = drawing.glyphs_of(puzzle).get(cell, "empty").partition("-")
    return str(words[f"cell.{kind}"]).format(hole=hole, side=words.get(f"side.{side}", side))
