"""The gallery and the game page, and the variables and script data that pages about a position share."""

import itertools
import math
import re
from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

from flask import Blueprint, Response, make_response, redirect, render_template, request
from flask.typing import ResponseReturnValue

from hoppers.analysis.random_positions import random_in_moves
from hoppers.core.errors import PuzzleError, quoted
from hoppers.core.puzzle import Puzzle, Question, cached_in_puzzle
from hoppers.drawing import board_picture
from hoppers.runtime import LESSONS
from hoppers.search.pseudo_code import node_of
from hoppers.web.api.embed import script_puzzle
from hoppers.web.api.play_line import PlayLine, new_seed, random_kinds, read_line
from hoppers.web.api.positions import graded_fields, is_final
from hoppers.web.current import puzzles, read_puzzle, read_request, require_answers
from hoppers.web.decks import all_decks
from hoppers.web.http import i18n, responses
from hoppers.web.http.addresses import url_with_query
from hoppers.web.http.assets import POLICY
from hoppers.web.http.i18n import format_decimal
from hoppers.web.own_tables import table_data
from hoppers.web.pages import goals
from hoppers.web.pages.puzzle_lists import family_members, problem_order, puzzle_list
from hoppers.web.pages.status_line import status_texts
from hoppers.web.random_play import fact_about

blueprint = Blueprint("pages", __name__)
blueprint.add_app_template_filter(format_decimal, "format_count")


class PageCard(NamedTuple):
    """A card of a deck or of a day, as the game page shows it."""

    id: str
    """Id in the page, such as `hoppers/17` or `daily/2026-01-31`."""
    title: str
    home: str
    """Address of the page that lists the card."""
    home_title: str
    puzzle: str
    position: str
    goal: str
    address: str
    """Address of the game itself, without a query."""
    moves: int = 0
    """Fewest moves, proved; 0 where the page deals position after position."""
    cards: int = 0
    """Number of cards of its deck, or 0."""

    @property
    def is_mini(self) -> bool:
        """Whether it is the mini card of a day."""
        return self.id.endswith("/mini")

    @property
    def day(self) -> str:
        """The date of a card of a day, '' for others."""
        kind, _, rest = self.id.partition("/")
        return rest.partition("/")[0] if kind == "daily" else ""


@blueprint.app_context_processor
def page_context() -> dict[str, Any]:
    """Return the template variables of every page, such as its language and its URLs in other languages."""
    current = i18n.current_language()
    place, query = request.view_args or {}, request.args.to_dict(flat=False)
    is_page = request.endpoint is not None and not request.endpoint.startswith("api")

    def url_in(language: str) -> str:
        if not is_page:
            return f"/?lang={language}"
        return url_with_query(str(request.endpoint), place, {**query, "lang": language})

    return {
        "localized": i18n.localized,
        "data_words": lambda: i18n.words_with_prefix("data.", "comma"),
        "language_name": i18n.language_name,
        "language": current,
        "gap": i18n.catalogue()["sentence.gap"],
        "other_languages": {name: url_in(name) for name in i18n.languages() if name != current},
    }


@blueprint.get("/puzzles/<puzzle_id>")
def play(puzzle_id: str) -> ResponseReturnValue:
    """Return the game page. If the line of play is invalid, the page shows the puzzle's start and the error.

    If only the lesson is invalid, the page shows the line and the error. A request for a random position
    without a seed is redirected to a URL with a new seed, and one for a number of `moves` to a position that
    needs as many, dealt at random. With `embed` it is a page that any site may show
    in a frame.
    """
    puzzle = read_puzzle(puzzle_id)
    if "deal" in request.args and "seed" not in request.args:
        query = {**request.args.to_dict(), "seed": new_seed()}
        return redirect(url_with_query(".play", {"puzzle_id": puzzle_id}, query))
    args = request.args.to_dict()
    if "moves" in args and "position" not in args:
        return redirect(url_with_query(".play", {"puzzle_id": puzzle_id}, _dealt(puzzle, args)))
    if puzzle.gallery.opening and not args.keys() & {"position", "start", "deal", "line"}:
        args["start"] = puzzle.gallery.opening
    return embedded_page(puzzle, args) if "embed" in args else play_page(puzzle, args)


def _dealt(puzzle: Puzzle, args: Mapping[str, str]) -> dict[str, str]:
    """Return the query of a random position with a number of moves left.

    Raises:
        PuzzleError: there is none, or it is not a number.
    """
    goal, moves = puzzle.parse_goal(args.get("goal")), args["moves"]
    if not re.fullmatch(r"[0-9]{1,3}", moves):
        raise PuzzleError("{moves} is not a number of moves", "invalid_deal", moves=quoted(moves))
    require_answers(puzzle)
    position = random_in_moves(puzzle, goal, int(moves), new_seed())
    return {"position": position, "goal": puzzle.goal_text(goal)}


def embedded_page(puzzle: Puzzle, args: Mapping[str, str]) -> Response:
    """Return a page with the element of docs/embed.md alone, at the end of the line in `args`."""
    fault = None
    try:
        line = read_line(puzzle, args)
    except PuzzleError as error:
        line, fault = read_line(puzzle, {}), error
    _, _, width, height = board_picture.view_of(puzzle)
    response = page_response(
        "pages/embedded.html",
        fault,
        puzzle=puzzle,
        position=puzzle.format(line.end),
        goal=puzzle.goal_text(line.goal),
        aspect=round(width / height, 3),
    )
    # any page may frame this one, also a local file, which `*` would not match
    response.headers[POLICY] = responses.HEADERS[POLICY].replace(" frame-ancestors 'none';", "")
    return response


def play_page(puzzle: Puzzle, args: Mapping[str, str]) -> Response:
    """Return the game page for the line of play in `args` (see `play`)."""
    fault, lesson = None, args.get("lesson")
    try:
        line = read_line(puzzle, args)
    except PuzzleError as error:
        line, fault = read_line(puzzle, {}), error
    try:
        check_lesson(lesson)
    except PuzzleError as error:
        fault, lesson = fault or error, None
    context = {**game_context(line, None), **_page_context(line)}
    is_position_invalid = fault is not None and fault.code == "invalid_position"
    context["data"]["invalidPosition"] = args.get("position") if is_position_invalid else None
    return page_response("pages/play.html", fault, lesson=lesson, **context)


def check_lesson(text: str | None) -> None:
    """Raise a PuzzleError unless `text`, the number of the lesson that a page links back to, exists.

    None: the page links to no lesson.
    """
    if text is None:
        return
    numbers = [path.stem for path in LESSONS.glob("*.json")]
    if text not in numbers:
        raise PuzzleError(
            "There is no lesson {text}; lessons are 1 to {last}", text=quoted(text), last=len(numbers)
        )


def game_context(line: PlayLine, card: PageCard | None) -> dict[str, Any]:
    """Return the variables of `templates/parts/game.html` and of the page around it.

    The verdict is hidden until the end of the game, but not in Study. A card is rated: there it always is,
    and the address stays that of the card.
    """
    puzzle, question = line.puzzle, Question(line.puzzle, line.goal, line.end)
    here, line_json, goal = graded_fields(question), line.as_json, puzzle.goal_text(line.goal)
    return {
        **position_context(question),
        "card": card,
        "fact": "" if card else fact_about(puzzle, puzzle.format(line.start), goal),
        "here": here,
        "status": status_texts(line, line_json["start"], here, is_hidden=is_verdict_hidden(card)),
        "rules": goals.rules_text(puzzle, goal),
        "data": {
            **script_data(puzzle, goal),
            "address": card.address if card else url_with_query("pages.play", {"puzzle_id": puzzle.id}, {}),
            "card": card.id if card else None,
            "mode": {"isRated": card is not None, "isKept": True, "hasResult": True},
            "words": i18n.game_words(kinds_of_other_puzzles(puzzle), *(() if card else i18n.STUDY_WORDS)),
            "line": line_json,
            "analysis": here,
            "analysisIsFinal": is_final(here),
            "query": request.args.to_dict(),
            "ending": goals.finish_sentence(puzzle, goal),
            "problems": problem_order(puzzle),
            "starts": list(puzzle.starts.values()),
        },
    }


def is_verdict_hidden(card: PageCard | None) -> bool:
    """Return whether the verdict is hidden until the end: on cards, and wherever it is not Study."""
    return card is not None or request.args.get("depth") != "study"


def _page_context(line: PlayLine) -> dict[str, Any]:
    """Return the further variables of `templates/pages/play.html`, except `fault` and `lesson`."""
    puzzle = line.puzzle
    return {
        "start": puzzle.format(line.start),
        "cards": puzzle_list(puzzle),
        "family": family_members(puzzle),
        "starts": goals.start_labels(puzzle),
        "result_text": goals.result_text,
        "node_of": partial(node_of, puzzle),
        **goals.goal_context(puzzle, puzzle.format(line.start)),
        "random_kinds": random_kinds(puzzle),
        "decks": [deck for deck in all_decks() if puzzle.id in {card.puzzle for card in deck.cards}],
    }


def page_response(template: str, fault: PuzzleError | None, **context: Any) -> Response:
    """Return a page made from `template`. `fault`: error in the link; the page shows it, with status 400."""
    sentence = i18n.as_sentence(i18n.localized(fault.text)) if fault else None
    response = make_response(render_template(template, **context, fault=sentence), 400 if fault else 200)
    response.headers["Cache-Control"] = "no-cache"
    return response


def read_link(puzzle_id: str) -> tuple[Question, PuzzleError | None]:
    """Return the position of the link to a page; if the link is invalid, the puzzle's start and the error."""
    start = read_puzzle(puzzle_id).start
    try:
        return read_request(puzzle_id, request.args.get("position", start), request.args.get("goal")), None
    except PuzzleError as error:
        return read_request(puzzle_id, start, None), error


def position_context(parsed: Question) -> dict[str, Any]:
    """Return the template variables of a page about one position, those of its board included."""
    puzzle, goal = parsed.puzzle, parsed.puzzle.goal_text(parsed.goal)
    position = puzzle.format(parsed.position)
    cells = position.split(":")[0]
    return {
        "puzzle": puzzle,
        "goal": goal,
        "goal_name": goals.goal_name(puzzle, goal),
        "position": position,
        "picture": board_picture.picture(puzzle, parsed.position, goal),
        "glyphs": list(board_picture.glyphs_of(puzzle).values()),
        "shape": board_picture.shape_of(puzzle),
        "layout_css": layout_css(puzzle),
        "cells": cells,
        "hole_labels": [hole_label(puzzle, cell, hole) for hole, cell in enumerate(cells)],
    }


def script_data(puzzle: Puzzle, goal: str) -> dict[str, Any]:
    """Return the data of a puzzle and a goal for the scripts of a page, and the language of the page."""
    return {
        "puzzle": script_puzzle(puzzle),
        "table": table_data(puzzle),
        "goal": goal,
        "language": i18n.current_language(),
    }


@cached_in_puzzle
def layout_css(puzzle: Puzzle) -> str:
    """Return the style rules that depend on the board: its sizes, and the place of each hole in per cent.

    The places are those of the buttons over the drawing, and of the goals in the goal chooser. The pages
    allow no style attributes, so every hole has a rule in the style element of the page.
    """
    centres, size = board_picture.button_places(puzzle)
    _, _, width, height = board_picture.view_of(puzzle)
    narrowest = math.ceil(24 * 100 / size)  # holes are 24 pixels wide, or less if the page is too narrow
    easy = 44 * 100 / size  # a hole of 44 pixels is easy to touch
    wide, high = easy + 16, easy * height / width + 60
    rules = [
        f":root{{--w:{width:.1f};--h:{height:.1f};--d:{size:.2f};--least:{narrowest}px}}",
        f".board.large{{width:max({easy * 1.09:.0f}px,min(160%,{easy * 1.5:.0f}px))}}",
        f"@media(max-width:{wide:.0f}px),(max-height:{high:.0f}px){{#zoom{{display:inline-flex}}}}",
    ]
    places = (
        f'[data-hole="{hole}"],[data-place="{hole}"]{{--x:{x:.2f};--y:{y:.2f}}}'
        for hole, (x, y) in enumerate(centres)
    )
    return "".join([*rules, *places])


def all_glyphs() -> list[str]:
    """Return the glyphs of all puzzles of the application, each once."""
    glyphs = (board_picture.glyphs_of(puzzle).values() for puzzle in puzzles())
    return list(dict.fromkeys(itertools.chain.from_iterable(glyphs)))


@cached_in_puzzle
def kinds_of_other_puzzles(puzzle: Puzzle) -> set[str]:
    """Return the kinds of pieces that only other puzzles have."""
    own = board_picture.glyphs_of(puzzle).values()
    return {glyph.split("-")[0] for glyph in all_glyphs()} - {glyph.split("-")[0] for glyph in own}


def hole_label(puzzle: Puzzle, cell: str, hole: int) -> str:
    """Return the accessible name of a hole and its piece. `Board` in static/board/board.js adds its marks.

    `cell`: character of the hole in the text of the position.
    """
    words = i18n.catalogue()
    name = board_picture.glyphs_of(puzzle).get(cell, "empty")
    kind, _, side = name.partition("-")
    text = words.get(f"cell.{name}", words[f"cell.{kind}"])
    return str(text).format(hole=hole, side=words.get(f"side.{side}", side))
