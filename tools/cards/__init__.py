"""Decks of cards and cards of the days: chosen offline from exact tables, and stored in data/decks.json."""

import itertools
import json
from collections.abc import Iterable
from pathlib import Path

import msgspec

from hoppers.analysis.card_data import VERSION, Card, DayCard, Deck
from hoppers.tablebase.engine import Engine
from tools.atlas.results import replace
from tools.cards.selection import DECKS, MINI, MORE_MINI, WEEK, DeckDraws, Selection


def choose_deck(engine: Engine, deck: DeckDraws) -> Deck:
    """Return a deck with the cards that its draws choose."""
    return Deck(deck.title, Selection(engine).deck(deck.levels))


def deck_text(deck: Deck) -> str:
    """Return a deck as in the data file: JSON with one line per card."""
    return f'{{"title": {json.dumps(deck.title)}, "cards": {_lines(deck.cards)}}}'


def choose_days(engine: Engine, decks: Iterable[list[Card]]) -> dict[str, list[list[DayCard]]]:
    """Return the pools of days by their names in the data file, each for the days of a week, Monday first.

    None of their cards is like another or like one of `decks`. Mini cards, which are the rarest, come first.
    """
    selection = Selection(engine, chosen=itertools.chain.from_iterable(decks))
    mini = [selection.pool(draws, f"mini {day}") for day, draws in enumerate(MINI, 1)]
    week = [selection.pool(draws, f"day {day}") for day, draws in enumerate(WEEK, 1)]
    return {"week": week, "mini": mini, "more_mini": choose_more_mini(selection)}


def choose_more_mini(selection: Selection) -> list[list[DayCard]]:
    """Return further mini cards of each weekday, drawn after all others."""
    return [selection.pool(draws, f"more mini {day}") for day, draws in enumerate(MORE_MINI, 1)]


def publish(engine: Engine, data: Path) -> None:
    """Choose all cards and write the data file `data`. Equal tables give an equal file."""
    decks = {id: choose_deck(engine, draws) for id, draws in DECKS.items()}
    pools = choose_days(engine, [deck.cards for deck in decks.values()])
    named = ",\n".join(f"{json.dumps(id)}: {deck_text(deck)}" for id, deck in decks.items())
    days = ",\n".join(f'"{name}": {pools_text(pool)}' for name, pool in pools.items())
    replace(data, f'{{"version": {VERSION}, "decks": {{\n{named}}},\n{days}}}\n')


def pools_text(pools: list[list[DayCard]]) -> str:
    """Return pools as in the data file."""
    return "[\n" + ",\n".join(map(_lines, pools)) + "]"


def _lines(cards: Iterable[msgspec.Struct]) -> str:
    return "[\n" + ",\n".join(msgspec.json.encode(card).decode() for card in cards) + "]"
