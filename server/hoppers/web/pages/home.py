"""The home page: the cards of the day, played right there, and below them all that there is to play.

The day is that of the player's clock, which the server does not know. The page therefore holds a game for
each card of each day that it is now anywhere on earth, and for the boards of a first visit. All but one are
in `template` elements; static/today/choose_game.js puts the right one in place before the first paint.
"""

import datetime
from typing import Any, NamedTuple

from flask import Blueprint, Response, make_response, render_template, request
from flask_babel import format_date, gettext
from markupsafe import Markup

from hoppers.analysis.card_data import Day, cards_of, present_dates
from hoppers.analysis.first_boards import FirstBoard, load_first_boards
from hoppers.core.texts import Text
from hoppers.drawing import board_picture
from hoppers.web.api.play_line import read_line
from hoppers.web.current import read_puzzle, warmup
from hoppers.web.http import i18n
from hoppers.web.pages import goals
from hoppers.web.pages.cards import mini_card, today_card
from hoppers.web.pages.play import PageCard, all_glyphs, game_context
from hoppers.web.pages.puzzle_lists import all_decks, boards_of_gallery, deck_lengths, problems_of_gallery

blueprint = Blueprint("home", __name__)

MINI = "mini"
"""Value of `card` in the address for the mini card."""
PREFIXES = ("medal.", "continue", "today.", "next.", "deck.")
"""Beginnings of the keys of the texts that the scripts of the page show besides those of the game."""


class HomeGame(NamedTuple):
    """A game of the home page: a card of a day, or the boards of a first visit."""

    id: str
    """Id of the card, or `first`."""
    context: dict[str, Any]
    """Variables of templates/parts/home_game.html."""
    markup: Markup


@blueprint.get("/")
def show() -> Response:
    """Return the home page, with the card of today by UTC; `card=mini` shows the mini card."""
    now = datetime.datetime.now(datetime.UTC)
    games = [game for date in present_dates(now) for game in _games_of(cards_of(date))]
    suffix = "/mini" if request.args.get("card") == MINI else ""
    shown = next(game for game in games if game.id == f"daily/{now.date()}{suffix}")
    others = [game for game in games if game is not shown]
    page = render_template(
        "pages/home.html",
        shown=shown,
        others=[*others, _first_game()],
        weekdays=_weekdays(),
        boards=boards_of_gallery(),
        problems=problems_of_gallery(),
        decks=[(deck, _thumbnail(deck.cards[0])) for deck in all_decks()],
        glyphs=all_glyphs(),
        data=_page_data(),
    )
    response = make_response(page)
    response.headers["Cache-Control"] = "no-cache"
    return response


def _games_of(day: Day) -> list[HomeGame]:
    """Return the games of the two cards of a day."""
    weekday = format_date(day.date, "EEEE")
    return [
        _game(
            today_card(day),
            kicker=str(gettext("%(weekday)s, level %(level)s", weekday=weekday, level=day.level)),
            moves=day.today.moves,
            level=day.level,
        ),
        _game(
            mini_card(day),
            kicker=str(gettext("%(weekday)s’s mini card", weekday=weekday)),
            moves=day.mini.moves,
            level=0,
        ),
    ]


def _game(card: PageCard, **more: Any) -> HomeGame:
    puzzle = read_puzzle(card.puzzle)
    warmup().prioritise(card.puzzle)
    context = game_context(read_line(puzzle, {"start": card.position, "goal": card.goal}), card)
    is_mini = card.id.endswith("/mini")
    data, aim = _without_words(context), goals.aim_text(puzzle)
    return _drawn(card.id, {**context, **data, **more, "aim": aim, "is_mini": is_mini})


def _drawn(id: str, context: dict[str, Any]) -> HomeGame:
    return HomeGame(id, context, Markup(render_template("parts/home_game.html", **context)))


def _without_words(context: dict[str, Any]) -> dict[str, Any]:
    """Return the data of a game without the texts, which are in those of the page."""
    return {"data": {key: value for key, value in context["data"].items() if key != "words"}}


def _first_game() -> HomeGame:
    """Return the game of the boards of a first visit, which begins with the first of them."""
    boards = load_first_boards()
    contexts = [_board_context(board) for board in boards]
    lessons = [
        {
            "title": i18n.localized(Text(board.title)),
            "text": i18n.localized(Text(board.text)),
            "line": context["data"]["line"],
        }
        for board, context in zip(boards, contexts, strict=True)
    ]
    mode = {"isRated": False, "isKept": False, "hasResult": False}
    data = {**_without_words(contexts[0])["data"], "lessons": lessons, "mode": mode}
    return _drawn("first", {**contexts[0], "data": data, "lessons": lessons})


def _board_context(board: FirstBoard) -> dict[str, Any]:
    puzzle = read_puzzle(board.puzzle)
    return game_context(read_line(puzzle, {"start": board.position, "goal": board.goal}), None)


def _weekdays() -> list[tuple[str, str]]:
    """Return the days of the week, Monday first, as one or two letters and in full."""
    monday = datetime.date(2026, 1, 5)
    days = [monday + datetime.timedelta(number) for number in range(7)]
    return [(format_date(day, "EEEEE"), format_date(day, "EEEE")) for day in days]


def _thumbnail(card: Any) -> board_picture.Picture:
    puzzle = read_puzzle(card.puzzle)
    return board_picture.picture(puzzle, puzzle.parse(card.position), card.goal, margin=6)


def _page_data() -> dict[str, Any]:
    """Return the data for the scripts that are the same for every game of the page."""
    return {
        "language": i18n.current_language(),
        "words": {**i18n.game_words(set()), **i18n.words_with_prefix(*PREFIXES)},
        "decks": deck_lengths(),
    }
