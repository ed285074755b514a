"""The stream: endless positions at the player's strength, dealt by the page from the table of a board."""

from flask import Blueprint, render_template, request

from hoppers.core.model import ANY_GOAL
from hoppers.core.puzzle import Puzzle
from hoppers.web.api.play_line import read_line
from hoppers.web.current import read_puzzle, warmup
from hoppers.web.http.addresses import url_with_query
from hoppers.web.http.i18n import gettext, localized, words_with_prefix
from hoppers.web.own_tables import streamed_puzzles
from hoppers.web.pages.play import PageCard, game_context
from hoppers.web.servers.faults import Fault

blueprint = Blueprint("stream", __name__, url_prefix="/stream")

FAST = "three-minutes"
LENGTHS = (3, 5, 10)
"""Minutes of the timed runs."""


@blueprint.get("")
def show_first() -> str:
    """Return the stream of the first board."""
    return _stream_page(streamed_puzzles()[0])


@blueprint.get("/<puzzle_id>")
def show(puzzle_id: str) -> str:
    """Return the stream of a board; raise a Fault (404) if it has none."""
    puzzle = read_puzzle(puzzle_id)
    if puzzle not in streamed_puzzles():
        raise Fault(404, "unknown_stream", "{puzzle} has no stream of positions.", puzzle=puzzle.id)
    return _stream_page(puzzle)


def _stream_page(puzzle: Puzzle) -> str:
    """Return the page at the puzzle's own start; its script deals the first position."""
    warmup().prioritise(puzzle.id)
    goal = ANY_GOAL if ANY_GOAL in puzzle.rules.goals else puzzle.goal
    is_fast = puzzle.rules.multi_step_moves and request.args.get("mode") == FAST
    address = url_with_query(".show", {"puzzle_id": puzzle.id}, {})
    title = gettext("Timed") if is_fast else gettext("Stream")
    card = PageCard(
        id=f"stream/{puzzle.id}",
        title=str(title),
        home=url_with_query("home.show", {}, {}),
        home_title=str(gettext("All boards")),
        puzzle=puzzle.id,
        position=puzzle.start,
        goal=goal,
        address=address,
    )
    context = game_context(read_line(puzzle, {"start": puzzle.start, "goal": goal}), card)
    words = {**context["data"]["words"], **words_with_prefix("stream.", "letter.")}
    mode = {"isRated": True, "isKept": False, "hasResult": not is_fast}
    context["data"] |= {"mode": mode, "words": words}
    return render_template(
        "pages/stream.html",
        boards=[(each, localized(each.texts.title)) for each in streamed_puzzles()],
        is_fast=is_fast,
        has_fast=puzzle.rules.multi_step_moves,
        fast=FAST,
        lengths=LENGTHS,
        **context,
    )
