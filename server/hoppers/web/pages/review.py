"""The review of a game.

The server draws the board and the moves. The scripts compute what each move cost from the analyses of its
positions, because the steps that were taken back are known only to the browser.
"""

from typing import Any

from flask import Blueprint, Response, redirect, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from hoppers.core.errors import PuzzleError
from hoppers.core.puzzle import Puzzle, Question
from hoppers.web.api.play_line import PlayLine, read_line
from hoppers.web.current import read_puzzle
from hoppers.web.http import i18n
from hoppers.web.http.i18n import gettext, localized
from hoppers.web.own_tables import streamed_puzzles
from hoppers.web.pages.cards import find_card
from hoppers.web.pages.play import (
    kinds_of_other_puzzles,
    page_response,
    position_context,
    script_data,
)

blueprint = Blueprint("review", __name__)


@blueprint.get("/puzzles/<puzzle_id>/review")
def review(puzzle_id: str) -> Response:
    """Return the review of a line of play, or of a single position at which a good step is to be found.

    It leads back to the card or the stream that `card` names, if the line is of it. If the link is invalid,
    the page shows the puzzle's start and the error.
    """
    puzzle, fault = read_puzzle(puzzle_id), None
    try:
        line = read_line(puzzle, request.args)
    except PuzzleError as error:
        line, fault = read_line(puzzle, {}), error
    return page_response("pages/review.html", fault, **_template_context(line))


def _template_context(line: PlayLine) -> dict[str, Any]:
    puzzle, goal = line.puzzle, line.puzzle.goal_text(line.goal)
    start = puzzle.format(line.start)
    words = {**i18n.game_words(kinds_of_other_puzzles(puzzle)), **i18n.words_with_prefix("review.")}
    return {
        **position_context(Question(puzzle, line.goal, line.start)),
        "start": start,
        "way_back": _way_back(puzzle, start, goal),
        "data": {**script_data(puzzle, goal), "words": words, "line": line.as_json},
    }


def _way_back(puzzle: Puzzle, start: str, goal: str) -> tuple[str, str]:
    """Return address and title of the page on which the game was played."""
    id, title = request.args.get("card", ""), localized(puzzle.texts.title)
    if id.startswith(f"stream/{puzzle.id}/") and puzzle in streamed_puzzles():
        return url_for("stream.show", puzzle_id=puzzle.id), f"{title} · {gettext('Stream')}"
    card = find_card(id)
    if card and (card.puzzle, card.position, card.goal) == (puzzle.id, start, goal):
        return card.address, f"{title} · {card.title}"
    return url_for("pages.play", puzzle_id=puzzle.id, position=start, goal=goal), title


@blueprint.get("/again")
def again() -> BaseResponse:
    """Redirect from the former page of own mistakes to the stream, whose first deals they are."""
    return redirect(url_for("stream.show_first"), 308)
