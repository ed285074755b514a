"""Decks of cards and cards of the days: chosen offline from exact tables, and stored in data/decks.json."""

import json
from collections.abc import Iterable
from pathlib import Path

import msgspec

from hoppers.analysis.card_data import VERSION
from hoppers.atlas.results import replace
from hoppers.decks.selection import DECKS, MINI, WEEK, Selection
from hoppers.tablebase.engine import Engine


def deck_text(engine: Engine, deck: str) -> str:
    """Return the cards of a deck as in the data file: a JSON list with one line per card."""
    return _lines(Selection(engine).deck(DECKS[deck]))


def day_texts(engine: Engine) -> tuple[list[str], str]:
    """Return the pools of the days of a week, Monday first, and that of the mini cards, each as JSON."""
    selection = Selection(engine)
    week = [_lines(selection.pool(draws, f"day {day}")) for day, draws in enumerate(WEEK, 1)]
    return week, _lines(selection.pool(MINI, "mini"))


def publish(engine: Engine, data: Path) -> None:
    """Choose all cards and write the data file `data`. Equal tables give an equal file."""
    decks = ",\n".join(f"{json.dumps(deck)}: {deck_text(engine, deck)}" for deck in DECKS)
    week, mini = day_texts(engine)
    days = ",\n".join(week)
    text = f'{{"version": {VERSION}, "decks": {{\n{decks}}},\n"week": [\n{days}],\n"mini": {mini}}}\n'
    replace(data, text)


def _lines(cards: Iterable[msgspec.Struct]) -> str:
    return "[\n" + ",\n".join(msgspec.json.encode(card).decode() for card in cards) + "]"
