"""The card page: one page for `/`, the cards of the days and those of the decks.

It shows a game of one card, and what belongs to it: its week or its deck, and what comes next. A player who
has not solved anything yet gets the first steps in its place: two small boards, which wait in a `template`
element until static/today/arrive.js puts them there before the first paint.
"""

import datetime
from typing import Any

from flask import redirect, render_template, request
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from hoppers.analysis.first_boards import FirstBoard, load_first_boards
from hoppers.core.errors import PuzzleError
from hoppers.core.puzzle import Puzzle
from hoppers.core.texts import Text
from hoppers.web.api.play_line import read_line, read_steps
from hoppers.web.current import read_puzzle, warmup
from hoppers.web.http import i18n
from hoppers.web.http.addresses import url_with_query
from hoppers.web.http.i18n import format_date, ngettext
from hoppers.web.pages import goals
from hoppers.web.pages.play import PageCard, game_context, page_response
from hoppers.web.pages.puzzle_lists import deck_lengths

WORDS = ("card", "deck", "letter", "today")
"""First words of the keys of the texts that the scripts of the page show besides those of every game."""


def card_page(card: PageCard, **front: Any) -> ResponseReturnValue:
    """Return the page of a card, or a redirect to that of its puzzle if the link is of another game.

    A line in the link is not shown, but offered. `front`: further variables of the template, as for `/`.
    """
    puzzle, query = read_puzzle(card.puzzle), request.args.to_dict()
    warmup().prioritise(puzzle.id)
    start, fault = {"start": card.position, "goal": card.goal}, None
    try:
        if not _is_of_card(puzzle, card, query):
            return redirect(url_with_query("pages.play", {"puzzle_id": puzzle.id}, query))
    except PuzzleError as error:
        fault = error
    context = game_context(read_line(puzzle, start), card)
    context["data"] |= {
        "decks": deck_lengths(),
        "moves": card.moves,
        "offered": "" if fault else query.get("line", ""),
        "words": i18n.game_words(set(), *WORDS),
    }
    return page_response(
        "pages/card.html",
        fault,
        **context,
        **front,
        first_steps=_first_steps(),
        sentences=(goals.aim_text(puzzle, card.goal), moves_text(card.moves)),
        weekdays=_weekdays(),
    )


def moves_text(moves: int) -> str:
    """Return the sentence that says how many moves a card needs."""
    return ngettext("{n} move is enough.", "{n} moves are enough.", moves)


def _is_of_card(puzzle: Puzzle, card: PageCard, query: dict[str, str]) -> bool:
    """Return whether a link shows a line from the start of a card to its goal.

    Raises:
        PuzzleError: a part of the link is not valid.
    """
    goal = puzzle.parse_goal(query.get("goal", card.goal))
    start, _ = read_steps(puzzle, {"start": card.position, **query})
    return (puzzle.format(start), puzzle.goal_text(goal)) == (card.position, card.goal)


def _weekdays() -> list[tuple[str, str]]:
    """Return the days of the week, Monday first, as one or two letters and in full."""
    monday = datetime.date(2026, 1, 5)
    days = [monday + datetime.timedelta(number) for number in range(7)]
    return [(format_date(day, "EEEEE"), format_date(day, "EEEE")) for day in days]


def _first_steps() -> Markup:
    """Return the game of the first steps, which begins with the first of its boards."""
    boards = load_first_boards()
    contexts = [_board_context(board) for board in boards]
    lessons = [
        {"text": i18n.localized(Text(board.text)), "line": context["data"]["line"]}
        for board, context in zip(boards, contexts, strict=True)
    ]
    mode = {"isRated": True, "isKept": False, "hasResult": False}
    data = {name: value for name, value in contexts[0]["data"].items() if name != "words"}
    context = {**contexts[0], "data": {**data, "lessons": lessons, "mode": mode}, "lessons": lessons}
    return Markup(render_template("parts/card_game.html", **context))


def _board_context(board: FirstBoard) -> dict[str, Any]:
    return game_context(
        read_line(read_puzzle(board.puzzle), {"start": board.position, "goal": board.goal}), None
    )
