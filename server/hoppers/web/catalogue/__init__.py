"""The texts that scripts show, one file per language; the same keys in each."""

import json
from functools import cache
from pathlib import Path

Entry = str | dict[str, str]
ELSEWHERE = ("race.", "inside.", "classics.", "plot.", "export.")
"""Texts of other pages than the game."""


@cache
def catalogue(language: str) -> dict[str, Entry]:
    """Key -> text with {names}, or its plural forms."""
    path = Path(__file__).with_name(f"{language}.json")
    texts: dict[str, Entry] = json.loads(path.read_text(encoding="utf-8"))
    return texts


def game_words(language: str, other_kinds: set[str]) -> dict[str, Entry]:
    """What the scripts of the game say, but not of other pieces: that would delay the first paint."""
    return {
        key: text
        for key, text in catalogue(language).items()
        if not key.startswith(ELSEWHERE) and key.rpartition(".")[2] not in other_kinds
    }
