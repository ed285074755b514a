"""The gallery and the game page, with the SVG picture, the styles and the lines of play of a board."""

import itertools
import math
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
from hoppers.core.errors import InvalidPosition, PuzzleError
from hoppers.core.puzzle import Puzzle, cached_in_puzzle
from hoppers.tablebase.engine import Engine
from hoppers.web.api.images import draw_svg
from hoppers.web.api.play_line import PlayLine, read_line
from hoppers.web.api.positions import cache_publicly, cacheable_json
from hoppers.web.api.query import read_compiled, url_with_query
from hoppers.web.api.random_positions import new_seed, random_kinds, random_position
from hoppers.web.catalogue import catalogue, game_words
from hoppers.web.current import engine, read_puzzle
from hoppers.web.drawing import board_picture
from hoppers.web.http import security
from hoppers.web.http.assets import POLICY
from hoppers.web.http.errors import fault_of
from hoppers.web.http.i18n import LANGUAGES, localized, localized_error
from hoppers.web.pages import problem_labels
from hoppers.web.pages.gallery import (
    family_members,
    gallery_cards,
    problem_order,
    puzzle_list,
    subtitle,
)

blueprint = Blueprint("pages", __name__)

EMBED_POLICY = security.HEADERS[POLICY].replace("frame-ancestors 'none'", "frame-ancestors *")
"""Content security policy of a page that other sites may embed in a frame: it contains no private data."""
SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Content security policy of a picture, whose colours are inline styles, which pages do not allow."""
EASY_TARGET, MIN_TARGET = 44, 24
"""Width of a hole in pixels that is easy to touch, and the least width; a longer row scrolls."""


@blueprint.app_context_processor
def page_context() -> dict[str, Any]:
    """Return the template variables of every page with boards."""
    return {"glyphs": all_glyphs(), "localized": localized}


@blueprint.app_template_filter("format_count")
def format_count(number: int) -> str:
    """Return a count with the digit grouping of the language."""
    return str(format_decimal(number))


@blueprint.app_context_processor
def language_context() -> dict[str, Any]:
    """Return the language of the page, and the URL of the page in each other language."""
    current = str(get_locale().language)
    place, query = request.view_args or {}, request.args.to_dict()
    is_page = request.endpoint is not None and not request.endpoint.startswith("api")

    def url_in(language: str) -> str:
        if not is_page:
            return f"/?lang={language}"
        return url_with_query(str(request.endpoint), place, {**query, "lang": language})

    return {
        "language": current,
        "gap": catalogue(current)["sentence.gap"],
        "other_languages": {name: url_in(name) for name in LANGUAGES if name != current},
    }


@blueprint.get("/")
def gallery() -> str:
    """Return the gallery: all featured puzzles as cards."""
    words = catalogue(str(get_locale().language))
    gallery_words = {key: text for key, text in words.items() if key.startswith(("medal.", "continue"))}
    return render_template(
        "gallery.html", cards=gallery_cards(), subtitle=subtitle, gallery_words=gallery_words
    )


@blueprint.get("/puzzles/<puzzle_id>")
def play(puzzle_id: str) -> ResponseReturnValue:
    """Return the game page. For an invalid link the page shows the puzzle's start and the error."""
    puzzle = read_puzzle(puzzle_id)
    if "deal" in request.args and "seed" not in request.args:
        query = {**request.args.to_dict(), "seed": str(new_seed())}
        return redirect(url_with_query(".play", {"puzzle_id": puzzle_id}, query))
    fault: PuzzleError | None = None
    try:
        line = read_line(puzzle, request.args)
    except PuzzleError as error:
        line, fault = read_line(puzzle, {}), error
    status = fault_of(fault).status if fault else 200
    response = make_response(render_template("play.html", **_template_context(line, fault)), status)
    response.headers["Cache-Control"] = "no-cache"
    if "embed" in request.args:
        response.headers[POLICY] = EMBED_POLICY
    return response


def _template_context(line: PlayLine, fault: PuzzleError | None) -> dict[str, Any]:
    """Return the variables of `templates/play.html`."""
    puzzle, here = line.puzzle, line.here
    return {
        "puzzle": puzzle,
        "picture": board_picture.picture(puzzle, line.end, line.goal_text),
        "shape": board_picture.shape_of(puzzle),
        "glyphs": list(board_picture.glyphs_of(puzzle).values()),
        "layout_css": layout_css(puzzle),
        "cells": here["position"].split(":")[0],
        "here": here,
        "goal": line.goal_text,
        "goal_name": goal_name(puzzle, line.goal_text),
        "rules": problem_labels.rules_text(puzzle, line.goal_text),
        "start": puzzle.format(line.start),
        "hole_labels": [
            hole_label(puzzle, cell, hole) for hole, cell in enumerate(here["position"].split(":")[0])
        ],
        "fault": fault and localized_error(fault),
        "cards": puzzle_list(puzzle),
        "family": family_members(puzzle),
        "starts": problem_labels.start_choices(puzzle),
        "result_text": problem_labels.result_text,
        **problem_labels.goal_context(puzzle, puzzle.format(line.start)),
        "random_kinds": random_kinds(puzzle),
        "data": {
            **script_data(puzzle),
            "words": game_words(str(get_locale().language), kinds_of_other_puzzles(puzzle)),
            "line": line.as_json,
            "here": here,
            "asked": request.args.to_dict(),
            "goal": line.goal_text,
            "ending": problem_labels.finish_sentence(puzzle, line.goal_text),
            "deck": problem_order(puzzle),
            "typed": request.args.get("position") if isinstance(fault, InvalidPosition) else None,
        },
    }


def script_data(puzzle: Puzzle) -> dict[str, Any]:
    """Return the data of a puzzle for the scripts of a page, and the texts that they show."""
    language = str(get_locale().language)
    return {
        "puzzle": {
            "id": puzzle.id,
            "chains": puzzle.rules.multi_step_moves,
            "steered": puzzle.gallery.arrow_keys,
            "alphabet": puzzle.rules.alphabet,
            "objective": localized(puzzle.texts.objective),
            "points": [[round(x, 1), round(y, 1)] for x, y in puzzle.board.drawn],
            "glyphs": board_picture.glyphs_of(puzzle),
            "start": puzzle.start,
            "goal": puzzle.goal,
        },
        "language": language,
        "words": catalogue(language),
    }


@blueprint.get("/puzzles/<puzzle_id>/board.svg")
def board_svg(puzzle_id: str) -> Response:
    """Return the picture of a position, with options (see `picture_options.picture_with_options`)."""
    text, _ = draw_svg(read_puzzle(puzzle_id), request.args)
    return cache_publicly(Response(text, mimetype="image/svg+xml", headers={POLICY: SVG_POLICY}))


@cached_in_puzzle
def layout_css(puzzle: Puzzle) -> str:
    """Return style rules that place the buttons over the drawing.

    The pages allow no style attributes, so every button has a rule in the style element of the page.
    """
    centres, size = board_picture.button_places(puzzle)
    _, _, width, height = board_picture.picture(puzzle, puzzle.parse(puzzle.start), puzzle.goal).view
    narrowest = math.ceil(MIN_TARGET * 100 / size)
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
        for hole, (x, y) in enumerate(centres)
    ]
    return "".join(rules)


@blueprint.get("/api/puzzles/<puzzle_id>/deals/<name>")
def show_random_position(puzzle_id: str, name: str) -> Response:
    """Return the random position of a seed, or of a new seed if the query has none."""
    puzzle = read_puzzle(puzzle_id)
    seed = request.args.get("seed")
    answer = jsonify(random_position(puzzle, name, new_seed() if seed is None else seed)._asdict())
    return answer if seed is None else cache_publicly(answer)


@blueprint.get("/api/puzzles/<puzzle_id>/line")
def show_play_line(puzzle_id: str) -> Response:
    """Return the steps of a line as JSON, each with the position after the step and its verdict."""
    return cacheable_json(**read_line(read_puzzle(puzzle_id), request.args).as_json)


@blueprint.get("/api/puzzles/<puzzle_id>/number")
def show_solution_number(puzzle_id: str) -> Response:
    """Return the number of a solution in the list of all shortest solutions."""
    puzzle = read_puzzle(puzzle_id)
    read_compiled(puzzle.id, puzzle.start, None)
    line = read_line(puzzle, request.args)
    steps = [(graded.step.origin, graded.step.target) for graded in line.steps]
    return cacheable_json(number=verdicts.solution_number(puzzle, line.goal, line.start, steps))


def all_glyphs() -> list[str]:
    """Return the glyphs of all puzzles of the application, each once."""
    return engine().resource(_collect_glyphs)


def _collect_glyphs(engine: Engine) -> list[str]:
    glyphs = (board_picture.glyphs_of(puzzle).values() for puzzle in engine.puzzles.values())
    return list(dict.fromkeys(itertools.chain.from_iterable(glyphs)))


def kinds_of_other_puzzles(puzzle: Puzzle) -> set[str]:
    """Return the kinds of pieces that only other puzzles have."""
    own = board_picture.glyphs_of(puzzle).values()
    return {glyph.split("-")[0] for glyph in all_glyphs()} - {glyph.split("-")[0] for glyph in own}


def goal_name(puzzle: Puzzle, goal: str) -> str:
    """Return a goal in words, such as "in hole 4", in the language of the page."""
    if board_picture.is_hole(puzzle, goal):
        return str(gettext("in hole %(hole)s", hole=goal))
    return str(gettext("anywhere") if goal == "any" else gettext("in order"))


def hole_label(puzzle: Puzzle, cell: str, hole: int) -> str:
    """Return the accessible name of a hole and its piece, as `Board` in static/board/board.js does."""
    words = catalogue(str(get_locale().language))
    kind, _, side = board_picture.glyphs_of(puzzle).get(cell, "empty").partition("-")
    return str(words[f"cell.{kind}"]).format(hole=hole, side=words.get(f"side.{side}", side))
