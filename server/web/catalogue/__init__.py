"""The texts that scripts show, one file per language; the same keys in each."""

import json
from functools import cache
from pathlib import Path

Entry = str | dict[str, str]


@cache
def catalogue(language: str) -> dict[str, Entry]:
    """Key -> text with {names}, or its plural forms."""
    path = Path(__file__).with_name(f"{language}.json")
    texts: dict[str, Entry] = json.loads(path.read_text(encoding="utf-8"))
    return texts
