"""The front page: the card page with today's card, and below it all that there is to play."""

import datetime
from typing import Any

from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from hoppers.analysis.card_data import cards_of, present_dates
from hoppers.drawing import board_picture
from hoppers.web.current import read_puzzle
from hoppers.web.pages.card_page import card_page
from hoppers.web.pages.cards import mini_card, today_card
from hoppers.web.pages.play import all_glyphs
from hoppers.web.pages.puzzle_lists import all_decks, boards_of_gallery

blueprint = Blueprint("home", __name__)

MINI = "mini"
"""Value of `card` in the address for the mini card."""


@blueprint.get("/")
def show() -> ResponseReturnValue:
    """Return the front page, with the card of today by UTC; a script corrects it by the reader's own date."""
    now = datetime.datetime.now(datetime.UTC)
    day = cards_of(now.date())
    return card_page(
        mini_card(day) if request.args.get("card") == MINI else today_card(day),
        present_dates=present_dates(now),
        decks=[(deck, _thumbnail(deck.cards[0])) for deck in all_decks()],
        boards=boards_of_gallery(),
        glyphs_of_lists=all_glyphs(),
    )


def _thumbnail(card: Any) -> board_picture.Picture:
    puzzle = read_puzzle(card.puzzle)
    return board_picture.picture(puzzle, puzzle.parse(card.position), card.goal, margin=6)
