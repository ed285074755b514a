"""The pages people see: the gallery and the game, and the pictures and styles that belong to a board."""

import math
from functools import cache
from typing import Any

from flask import (
    Blueprint,
    Response,
    jsonify,
    make_response,
    redirect,
    render_template,
    request,
)
from flask.typing import ResponseReturnValue
from flask_babel import format_decimal, get_locale, gettext

from hoppers.analysis import verdicts
from hoppers.analysis.requests import read_puzzle
from hoppers.core.errors import InvalidPosition, PuzzleError
from hoppers.core.puzzle import Puzzle
from hoppers.puzzles import PUZZLES
from hoppers.web.api.images import picture_of
from hoppers.web.api.play_line import Line, read_line
from hoppers.web.api.positions import kept
from hoppers.web.api.query import address_of, ready
from hoppers.web.api.random_positions import deal, new_seed, offers
from hoppers.web.catalogue import catalogue, game_words
from hoppers.web.drawing import board_picture
from hoppers.web.http import security
from hoppers.web.http.assets import POLICY
from hoppers.web.http.compression import compress
from hoppers.web.http.errors import fault_of
from hoppers.web.http.i18n import LANGUAGES, in_words, told
from hoppers.web.pages import problem_labels
from hoppers.web.pages.gallery import deck, featured, relatives, shelf, subtitle

pages = Blueprint("pages", __name__)
pages.after_app_request(compress)

EMBEDDABLE = security.HEADERS[POLICY].replace("frame-ancestors 'none'", "frame-ancestors *")
"""The policy of a board that other pages may show in a frame: there is nothing on it to steal."""
SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""A picture carries its own colours; the policy of the pages would take them away."""
KEPT_SECONDS = 3600
EASY_TARGET, SMALLEST_TARGET = 44, 24
"""Pixels of a hole that any finger hits, and of the narrowest there is; a longer row scrolls."""


@pages.app_context_processor
def frame() -> dict[str, Any]:
    """What every page of this blueprint may use."""
    return {"glyphs": sprite_glyphs(), "in_words": in_words}


@pages.app_template_filter("counted")
def counted(number: int) -> str:
    """A count as people write it."""
    return str(format_decimal(number))


@pages.app_context_processor
def languages() -> dict[str, Any]:
    """The language of the page, and the address of the same page in the others."""
    spoken = str(get_locale().language)
    place, query = request.view_args or {}, request.args.to_dict()
    known = request.endpoint is not None and not request.endpoint.startswith("api")

    def address(language: str) -> str:
        if not known:
            return f"/?lang={language}"
        return address_of(str(request.endpoint), place, {**query, "lang": language})

    return {
        "language": spoken,
        "gap": catalogue(spoken)["sentence.gap"],
        "other_languages": {name: address(name) for name in LANGUAGES if name != spoken},
    }


@pages.get("/")
def gallery() -> str:
    """All puzzles as pictures."""
    words = catalogue(str(get_locale().language))
    kept = {key: text for key, text in words.items() if key.startswith(("medal.", "continue"))}
    return render_template("gallery.html", cards=featured(), subtitle=subtitle, gallery_words=kept)


@pages.get("/puzzles/<puzzle_id>")
def play(puzzle_id: str) -> ResponseReturnValue:
    """The game. Where a link means nothing, it shows the board at its start and says why."""
    puzzle = read_puzzle(puzzle_id)
    if "deal" in request.args and "seed" not in request.args:
        asked = {**request.args.to_dict(), "seed": str(new_seed())}
        return redirect(address_of(".play", {"puzzle_id": puzzle_id}, asked))
    fault: PuzzleError | None = None
    try:
        line = read_line(puzzle, request.args)
    except PuzzleError as error:
        line, fault = read_line(puzzle, {}), error
    status = fault_of(fault).status if fault else 200
    response = make_response(render_template("play.html", **_scene(line, fault)), status)
    response.headers["Cache-Control"] = "no-cache"
    if "embed" in request.args:
        response.headers[POLICY] = EMBEDDABLE
    return response


def _scene(line: Line, fault: PuzzleError | None) -> dict[str, Any]:
    """Everything the template of the game needs."""
    puzzle, here = line.puzzle, line.here
    return {
        "puzzle": puzzle,
        "picture": board_picture.picture(puzzle, line.end, line.goal_text),
        "shape": board_picture.shape_of(puzzle),
        "glyphs": list(board_picture.glyphs_of(puzzle).values()),
        "layout": layout(puzzle),
        "cells": here["position"].split(":")[0],
        "here": here,
        "goal": line.goal_text,
        "goal_name": goal_name(puzzle, line.goal_text),
        "rules": problem_labels.rules(puzzle, line.goal_text),
        "start": puzzle.format(line.start),
        "spoken": [spoken(puzzle, cell, hole) for hole, cell in enumerate(here["position"].split(":")[0])],
        "fault": fault and told(fault),
        "cards": shelf(puzzle),
        "relatives": relatives(puzzle),
        "starts": problem_labels.starts(puzzle),
        "mark_of": problem_labels.mark_of,
        **problem_labels.map_of(puzzle, puzzle.format(line.start)),
        "offers": offers(puzzle),
        "data": {
            **script_data(puzzle),
            "words": game_words(str(get_locale().language), other_kinds(puzzle)),
            "line": line.as_json,
            "here": here,
            "asked": request.args.to_dict(),
            "goal": line.goal_text,
            "ending": problem_labels.ending(puzzle, line.goal_text),
            "deck": deck(puzzle),
            "typed": request.args.get("position") if isinstance(fault, InvalidPosition) else None,
        },
    }


def script_data(puzzle: Puzzle) -> dict[str, Any]:
    """What the scripts know of a puzzle, and what they say."""
    language = str(get_locale().language)
    return {
        "puzzle": {
            "id": puzzle.id,
            "chains": puzzle.chains,
            "steered": puzzle.manner.steered,
            "alphabet": puzzle.alphabet,
            "objective": in_words(puzzle.objective),
            "points": [[round(x, 1), round(y, 1)] for x, y in puzzle.board.drawn],
            "glyphs": board_picture.glyphs_of(puzzle),
            "start": puzzle.start,
            "goal": puzzle.goal,
        },
        "language": language,
        "words": catalogue(language),
    }


@pages.get("/puzzles/<puzzle_id>/board.svg")
def board(puzzle_id: str) -> Response:
    """The picture of a position, with options (see `pictures.stand_alone`)."""
    text, _ = picture_of(read_puzzle(puzzle_id), request.args)
    return _kept(Response(text, mimetype="image/svg+xml", headers={"Content-Security-Policy": SVG_POLICY}))


@cache
def layout(puzzle: Puzzle) -> str:
    """Where the buttons lie over the drawing: style rules, for the pages allow no other inline styles."""
    middles, size = board_picture.places(puzzle)
    _, _, width, height = board_picture.picture(puzzle, puzzle.parse(puzzle.start), puzzle.goal).view
    narrowest = math.ceil(SMALLEST_TARGET * 100 / size)
    easy = EASY_TARGET * 100 / size
    wide, high = easy + 16, easy * height / width + 60
    rules = [f":root{{--w:{width:.1f};--h:{height:.1f};--d:{size:.2f}}}"]
    rules += [f".board{{min-width:min(100%,{narrowest}px)}}"]
    rules += [f".board.large{{width:max({easy * 1.09:.0f}px,min(160%,{easy * 1.5:.0f}px))}}"]
    rules += [
        f"@media(max-width:{wide:.0f}px),(max-height:{high:.0f}px){{:root{{--offers:26px}}#zoom{{display:inline}}}}"
    ]
    rules += [
        f'[data-hole="{hole}"],[data-place="{hole}"]{{--x:{x:.2f};--y:{y:.2f}}}'
        for hole, (x, y) in enumerate(middles)
    ]
    return "".join(rules)


@pages.get("/api/puzzles/<puzzle_id>/deals/<name>")
def dealt(puzzle_id: str, name: str) -> Response:
    """A random position by seed; without a seed, any."""
    puzzle = read_puzzle(puzzle_id)
    seed = request.args.get("seed")
    answer = jsonify(deal(puzzle, name, new_seed() if seed is None else seed)._asdict())
    return answer if seed is None else _kept(answer)


@pages.get("/api/puzzles/<puzzle_id>/line")
def graded_line(puzzle_id: str) -> Response:
    """The steps of a line, each with the position it leads to and its verdict."""
    return kept(**read_line(read_puzzle(puzzle_id), request.args).as_json)


@pages.get("/api/puzzles/<puzzle_id>/number")
def numbered(puzzle_id: str) -> Response:
    """Which of all shortest solutions a line is, in the order in which they are listed."""
    puzzle = read_puzzle(puzzle_id)
    ready(puzzle.id, puzzle.start, None)
    line = read_line(puzzle, request.args)
    legs = [(graded.step.origin, graded.step.target) for graded in line.steps]
    return kept(number=verdicts.solution_number(puzzle, line.goal, line.start, legs))


def _kept(response: Response) -> Response:
    response.cache_control.public = True
    response.cache_control.max_age = KEPT_SECONDS
    return response


@cache
def sprite_glyphs() -> list[str]:
    """Every glyph of every puzzle, once."""
    return list(
        dict.fromkeys(
            glyph for puzzle in PUZZLES.values() for glyph in board_picture.glyphs_of(puzzle).values()
        )
    )


def other_kinds(puzzle: Puzzle) -> set[str]:
    """Kinds of pieces that only other puzzles have."""
    own = board_picture.glyphs_of(puzzle).values()
    return {glyph.split("-")[0] for glyph in sprite_glyphs()} - {glyph.split("-")[0] for glyph in own}


def goal_name(puzzle: Puzzle, goal: str) -> str:
    """A goal text in words."""
    if board_picture.is_hole(puzzle, goal):
        return str(gettext("in hole %(hole)s", hole=goal))
    return str(gettext("anywhere") if goal == "any" else gettext("in order"))


def spoken(puzzle: Puzzle, cell: str, hole: int) -> str:
    """A hole and what is in it, as scripts say it too (see `Board` in static/board/board.js)."""
    words = catalogue(str(get_locale().language))
    kind, _, side = board_picture.glyphs_of(puzzle).get(cell, "empty").partition("-")
    return str(words[f"cell.{kind}"]).format(hole=hole, side=words.get(f"side.{side}", side))
