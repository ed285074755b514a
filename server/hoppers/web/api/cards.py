"""JSON API: decks of cards, and the cards of the days."""

import datetime

from flask import Blueprint, Response, jsonify

from hoppers.analysis.card_data import (
    Card,
    Day,
    DayCard,
    cards_of,
    present_dates,
)
from hoppers.web.api import answers
from hoppers.web.api.operations import LanguageQuery, operation
from hoppers.web.decks import all_decks, idea_text, read_day, read_deck
from hoppers.web.http.i18n import gettext
from hoppers.web.http.responses import cache_publicly
from hoppers.web.random_play import fewest_text

blueprint = Blueprint("api_cards", __name__, url_prefix="/api")


@blueprint.get("/decks")
@operation(answers.DeckList)
def list_decks(query: LanguageQuery) -> Response:
    """Return all decks with their numbers of cards."""
    decks = [answers.DeckSummary(id=deck.id, title=deck.title, cards=len(deck.cards)) for deck in all_decks()]
    return cache_publicly(jsonify(answers.DeckList(decks=decks)))


@blueprint.get("/decks/<deck_id>")
@operation(answers.DeckAnswer)
def show_deck_data(deck_id: str, query: LanguageQuery) -> Response:
    """Return all cards of a deck with their measures."""
    deck = read_deck(deck_id)
    cards = [card_fields(number, card) for number, card in enumerate(deck.cards, 1)]
    about = gettext("fewest bits: how unlikely random play is to solve the card in the fewest moves")
    answer = answers.DeckAnswer(id=deck.id, title=deck.title, measures=[about], cards=cards)
    return cache_publicly(jsonify(answer))


def card_fields(number: int, card: Card) -> answers.CardAnswer:
    """Return the JSON fields of a card."""
    return {
        "number": number,
        "level": card.level,
        "puzzle": card.puzzle,
        "position": card.position,
        "goal": card.goal,
        "moves": card.moves,
        "solutions": card.solutions,
        "difficulty": card.difficulty,
        "idea": card.idea,
        "measures": [idea_text(card), fewest_text(card.difficulty)],
    }


@blueprint.get("/daily/<date>")
@operation(answers.DayAnswer)
def show_day_data(date: str, query: LanguageQuery) -> Response:
    """Return the two cards of a day."""
    return cache_publicly(jsonify(_day_fields(read_day(date))))


@blueprint.get("/daily")
@operation(answers.DaysAnswer)
def show_present_days(query: LanguageQuery) -> Response:
    """Return the cards of the two or three days that are today somewhere on earth, in order."""
    dates = present_dates(datetime.datetime.now(datetime.UTC))
    answer: answers.DaysAnswer = {"days": [_day_fields(cards_of(date)) for date in dates]}
    response = jsonify(answer)
    response.headers["Cache-Control"] = "no-store"  # else a cache would show them a day too long
    return response


def _day_fields(day: Day) -> answers.DayAnswer:
    """Return the two cards of a day as JSON."""
    return {
        "date": day.date.isoformat(),
        **_day_card_fields(day.today),
        "level": day.level,
        "mini": _day_card_fields(day.mini),
    }


def _day_card_fields(card: DayCard) -> answers.DayCard:
    return {"puzzle": card.puzzle, "position": card.position, "goal": card.goal, "moves": card.moves}
