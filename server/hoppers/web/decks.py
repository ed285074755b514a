"""Decks of cards and cards of the days: by what an address names, and in words."""

import datetime
from typing import NamedTuple

from hoppers.analysis.card_data import Card, Day, Deck, cards_of, has_begun, load_cards, read_date
from hoppers.core.errors import quoted
from hoppers.core.texts import Text
from hoppers.web.http.i18n import gettext, localized, ngettext
from hoppers.web.servers.faults import Fault


class ShownDeck(NamedTuple):
    """A deck as the pages show it, with its title in the language of the request."""

    id: str
    title: str
    cards: list[Card]


def all_decks() -> list[ShownDeck]:
    """Return all decks, in the order of the data file."""
    return [_shown(id, deck) for id, deck in load_cards().decks.items()]


def _shown(id: str, deck: Deck) -> ShownDeck:
    return ShownDeck(id, localized(Text(deck.title)), deck.cards)


def read_deck(text: str) -> ShownDeck:
    """Return the deck with the id `text`; raise a Fault (404) if there is none."""
    decks = load_cards().decks
    if text not in decks:
        raise Fault(
            404,
            "unknown_deck",
            "There is no deck {deck}; decks are {decks}.",
            deck=quoted(text),
            decks=", ".join(decks),
        )
    return _shown(text, decks[text])


def read_number(deck: ShownDeck, text: str) -> int:
    """Return the number of a card of a deck; raise a Fault (404) if there is no such card."""
    numbers = {str(number): number for number in range(1, len(deck.cards) + 1)}
    if text not in numbers:
        raise Fault(
            404,
            "unknown_card",
            "There is no card {card} in the deck {deck}; its cards are 1 to {last}.",
            card=quoted(text),
            deck=deck.title,
            last=len(numbers),
        )
    return numbers[text]


def read_day(text: str) -> Day:
    """Return the cards of the day `text`; raise a Fault (404) unless it has begun somewhere."""
    date = read_date(text)
    if date is None:
        raise Fault(
            404,
            "unknown_day",
            "{day} is not a day with a card; days are written as 2026-01-31 and begin with 2026-01-01.",
            day=quoted(text),
        )
    if not has_begun(date, datetime.datetime.now(datetime.UTC)):
        raise Fault(
            404, "unknown_day", "The day {day} has not begun anywhere on earth yet.", day=quoted(text)
        )
    return cards_of(date)


def idea_text(card: Card) -> str:
    """Return the idea of a card in words, with its measure."""
    match card.idea:
        case "line":
            return str(gettext("exactly one shortest solution"))
        case "first":
            return str(gettext("only one of {steps} ways to begin is good", steps=card.steps))
        case "red":
            return str(gettext("the red peg has to move"))
        case "run":
            return str(gettext("a chain of {steps} jumps", steps=card.run))
        case "decoy":
            decoys = ngettext("{n} trap costs a move", "{n} traps cost a move", card.costly)
            return str(decoys)
        case "home":
            return str(gettext("a tile that is in place has to move"))
        case "greedy":
            return str(gettext("the jump that turns the most discs is wrong"))
