"""Decks of cards and cards of the days: chosen offline from exact tables, and stored in data/decks.json."""

import itertools
import json
from collections.abc import Iterable
from pathlib import Path

import msgspec

from hoppers.analysis.card_data import VERSION, Card, DayCard
from hoppers.tablebase.engine import Engine
from tools.atlas.results import replace
from tools.cards.selection import DECKS, MINI, WEEK, Selection


def deck_text(engine: Engine, deck: str) -> str:
    """Return the cards of a deck as in the data file: a JSON list with one line per card."""
    return _lines(Selection(engine).deck(DECKS[deck]))


def choose_days(
    engine: Engine, decks: Iterable[list[Card]]
) -> tuple[list[list[DayCard]], list[list[DayCard]]]:
    """Return the pools of the days of a week, Monday first, and those of the mini cards.

    None of their cards is like another or like one of `decks`. Mini cards, which are the rarest, come first.
    """
    selection = Selection(engine, chosen=itertools.chain.from_iterable(decks))
    mini = [selection.pool(draws, f"mini {day}") for day, draws in enumerate(MINI, 1)]
    week = [selection.pool(draws, f"day {day}") for day, draws in enumerate(WEEK, 1)]
    return week, mini


def publish(engine: Engine, data: Path) -> None:
    """Choose all cards and write the data file `data`. Equal tables give an equal file."""
    decks = {deck: Selection(engine).deck(levels) for deck, levels in DECKS.items()}
    week, mini = choose_days(engine, decks.values())
    named = ",\n".join(f"{json.dumps(deck)}: {_lines(cards)}" for deck, cards in decks.items())
    days = f'"week": {_pools(week)},\n"mini": {_pools(mini)}'
    replace(data, f'{{"version": {VERSION}, "decks": {{\n{named}}},\n{days}}}\n')


def _pools(pools: list[list[DayCard]]) -> str:
    return "[\n" + ",\n".join(map(_lines, pools)) + "]"


def _lines(cards: Iterable[msgspec.Struct]) -> str:
    return "[\n" + ",\n".join(msgspec.json.encode(card).decode() for card in cards) + "]"
