"""Texts that the scripts show: one JSON file per language, all with equal keys."""

import json
from functools import cache
from pathlib import Path

CatalogueEntry = str | dict[str, str]
"""A text with {placeholders}, or its plural forms."""
OTHER_PAGES = ("race.", "inside.", "classics.", "plot.", "export.")
"""Prefixes of keys that the game page does not use."""


@cache
def catalogue(language: str) -> dict[str, CatalogueEntry]:
    """Return all texts in `language` by key."""
    path = Path(__file__).with_name(f"{language}.json")
    texts: dict[str, CatalogueEntry] = json.loads(path.read_text(encoding="utf-8"))
    return texts


def game_words(language: str, other_kinds: set[str]) -> dict[str, CatalogueEntry]:
    """Return the texts of the game page, without those about the piece kinds in `other_kinds`.

    Every text is part of the page, so unused ones would delay the first paint.
    """
    return {
        key: text
        for key, text in catalogue(language).items()
        if not key.startswith(OTHER_PAGES) and key.rpartition(".")[2] not in other_kinds
    }
