"""Cards of the decks and of the days, as positions with what is known about them."""

import datetime
import itertools
from dataclasses import dataclass

from hoppers.analysis import card_data
from hoppers.core.errors import quoted
from hoppers.library.errors import InvalidOption
from hoppers.library.positions import Position, puzzle


@dataclass(frozen=True)
class Card:
    """A card of a deck.

    `moves`: fewest moves, proved. `solutions`: number of shortest ones up to symmetry. `line`: one of them.
    """

    number: int
    level: int
    position: Position
    moves: int
    solutions: int
    difficulty: float
    line: str


@dataclass(frozen=True)
class Day:
    """The two cards of a day, as positions. `level`: of the first, 1 to 4."""

    date: datetime.date
    level: int
    position: Position
    mini: Position


def decks() -> dict[str, tuple[Card, ...]]:
    """Return the decks by their ids; the card with the number n is at n - 1."""
    stored = card_data.load_cards().decks
    return {id: tuple(map(_card, itertools.count(1), deck.cards)) for id, deck in stored.items()}


def daily(date: datetime.date | str) -> Day:
    """Return the cards of a day, such as "2026-01-31", the same as on every server.

    Raises:
        InvalidOption: it is not a day, is before 2026, or has not begun anywhere on earth.
    """
    day = card_data.read_date(date if isinstance(date, str) else date.isoformat()[:10])
    if day is None or not card_data.has_begun(day, datetime.datetime.now(datetime.UTC)):
        sentence = "{date} is not a day with a card: they begin with 2026-01-01 and end with today"
        raise InvalidOption(sentence, "invalid_option", date=quoted(date))
    cards = card_data.cards_of(day)
    return Day(day, cards.level, _position(cards.today), _position(cards.mini))


def _card(number: int, card: card_data.Card) -> Card:
    return Card(number, card.level, _position(card), card.moves, card.solutions, card.difficulty, card.line)


def _position(card: card_data.Card | card_data.DayCard) -> Position:
    return puzzle(card.puzzle).position(card.position, card.goal)
