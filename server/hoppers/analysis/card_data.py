"""Decks of cards and the cards of the days, as `python -m tools.cards` has written them to data/decks.json.

A card is a start and a goal with measured facts. The cards of a day depend on the date alone: the pool of its
weekday, and the place of its week in it. From `OTHER_BOARDS` on, the mini card is on a board of its own.
"""

import datetime
from functools import cache
from typing import Literal, NamedTuple

import msgspec

from hoppers.core.model import prebuild_decoder
from hoppers.puzzles import PUZZLES
from hoppers.runtime import PACKAGE

DATA = PACKAGE / "data" / "decks.json"
VERSION = 3
LEVELS = range(1, 5)
"""Levels of the cards of decks."""
FIRST_DAY = datetime.date(2026, 1, 1)
FIRST_MONDAY = FIRST_DAY - datetime.timedelta(FIRST_DAY.weekday())
OTHER_BOARDS = datetime.date(2027, 1, 1)
"""First day whose mini card is on another board than its card; earlier days keep what was published."""
ROUND = 104
"""Weeks in which every card is dealt once or more, whenever they begin."""
DAY_LEVELS = (1, 2, 2, 3, 3, 4, 5)
"""Levels of the cards of Monday to Sunday, of five."""
Idea = Literal["line", "first", "red", "run", "decoy", "home", "greedy"]
"""What a card is about, each a measured fact: see `tools.cards.measures.IDEAS`."""


@prebuild_decoder
class Card(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A card of a deck, in the format of the data file."""

    level: int
    """One of `LEVELS`."""
    puzzle: str
    position: str
    goal: str
    moves: int
    """Fewest moves, proved."""
    solutions: int
    """Number of shortest solutions up to the symmetries that keep position and goal."""
    difficulty: float
    """Fewest bits (two decimals): -log2 of the chance that random play solves it in the fewest moves."""
    idea: Idea
    good: int
    """Number of first steps that begin a shortest solution."""
    costly: int
    """Number of first steps that leave the card solvable, but not in the fewest moves."""
    steps: int
    """Number of legal first steps."""
    run: int
    """Length, in steps, of the longest move that every shortest solution has."""
    line: str
    """A shortest solution, as in links: holes joined by '-', moves by '.'."""

    @property
    def solution(self) -> list[list[int]]:
        """Moves of a shortest solution, each a list of holes visited."""
        return [[int(hole) for hole in move.split("-")] for move in self.line.split(".")]


@prebuild_decoder
class DayCard(msgspec.Struct, frozen=True, forbid_unknown_fields=True, array_like=True):
    """A card in the pool of a weekday, or in that of the mini cards."""

    puzzle: str
    position: str
    goal: str
    moves: int
    """Fewest moves, proved."""
    difficulty: float
    """See `Card.difficulty`."""


@prebuild_decoder
class Deck(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A deck, in the format of the data file."""

    title: str
    """In English."""
    cards: list[Card]
    """By rising difficulty; card n has index n - 1."""


@prebuild_decoder
class CardData(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Content of the data file."""

    version: Literal[3]
    decks: dict[str, Deck]
    week: list[list[DayCard]]
    """Pools of the days of a week, Monday first."""
    mini: list[list[DayCard]]
    """Pools of the mini cards of the days of a week, Monday first."""
    more_mini: list[list[DayCard]]
    """Further mini cards of each weekday, dealt from `OTHER_BOARDS` on."""

    def mini_pools(self) -> list[list[DayCard]]:
        """Return all mini cards of each weekday, Monday first."""
        return [pool + more for pool, more in zip(self.mini, self.more_mini, strict=True)]


class Day(NamedTuple):
    """The two cards of a day."""

    date: datetime.date
    level: int
    """Level of `today`, one of `DAY_LEVELS`."""
    today: DayCard
    mini: DayCard


@cache
def load_cards() -> CardData:
    """Return the content of the data file, read and checked on the first call."""
    return msgspec.json.decode(DATA.read_bytes(), type=CardData)


def cards_of(date: datetime.date) -> Day:
    """Return the cards of a day from `FIRST_DAY` on."""
    data, weekday = load_cards(), date.weekday()
    week = (date - FIRST_MONDAY).days // 7
    minis = data.mini[weekday] if date < OTHER_BOARDS else _minis_on_other_boards(weekday)
    today, mini = (pool[week % len(pool)] for pool in (data.week[weekday], minis))
    return Day(date, DAY_LEVELS[weekday], today, mini)


@cache
def _minis_on_other_boards(weekday: int) -> list[DayCard]:
    """Return the mini cards of a weekday that are on no board of its cards."""
    data = load_cards()
    boards = {PUZZLES[card.puzzle].board for card in data.week[weekday]}
    return [card for card in data.mini_pools()[weekday] if PUZZLES[card.puzzle].board not in boards]


@cache
def first_dates() -> dict[DayCard, datetime.date]:
    """Return the first day of every card of the days."""
    first: dict[DayCard, datetime.date] = {}
    end = OTHER_BOARDS + datetime.timedelta(weeks=ROUND)
    for number in range((end - FIRST_DAY).days):
        day = cards_of(FIRST_DAY + datetime.timedelta(number))
        for card in (day.today, day.mini):
            first.setdefault(card, day.date)
    return first


def has_begun(date: datetime.date, now: datetime.datetime) -> bool:
    """Return whether a day has begun anywhere on earth; the first clocks are 14 hours ahead of UTC.

    `now`: a time with its time zone.
    """
    return date <= (now.astimezone(datetime.UTC) + datetime.timedelta(hours=14)).date()


def present_dates(now: datetime.datetime) -> list[datetime.date]:
    """Return the two or three dates that clocks on earth show, in order. `now`: as in `has_begun`."""
    utc = now.astimezone(datetime.UTC)
    return sorted({(utc + datetime.timedelta(hours=hours)).date() for hours in (-12, 0, 14)})


def read_date(text: str) -> datetime.date | None:
    """Return the day that `text` names in the form 2026-01-31, or None if that is before `FIRST_DAY`."""
    try:
        date = datetime.date.fromisoformat(text)
    except ValueError:
        return None
    return date if date.isoformat() == text and date >= FIRST_DAY else None
