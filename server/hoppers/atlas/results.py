"""Results worth printing, computed once by `python -m hoppers atlas` and kept in docs/atlas.

A section is a list of entries that can be computed one by one. Each result is written as soon as it is
known, so the command may be stopped and started again at any time, and only what is missing is computed.
`publish.py` writes what the pages show of them into one small file of the program.
"""

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

Result = dict[str, Any]
Results = dict[str, Result]


class Entry(NamedTuple):
    """One result: its key, a line of text to show while it is computed, and how to compute it.

    `compute` is given the results of the section so far, its own from an earlier run among them.
    """

    key: str
    label: str
    compute: Callable[[Results], Result]


def _never(key: str, results: Results) -> bool:
    return False


class Section(NamedTuple):
    """Results that stand in one table. `render` turns the results by key into a page of Markdown."""

    name: str
    entries: list[Entry]
    render: Callable[[Results], str]
    lacks: Callable[[str, Results], bool] = _never
    """Whether a result that is there has not all that belongs to it."""


class Effort(NamedTuple):
    """What a search that may not reach its end is given at most."""

    seconds: float = 60.0
    gigabytes: float = 0.5


def read(folder: Path, name: str) -> Results:
    """The results of a section so far, by key."""
    path = folder / f"{name}.json"
    results: Results = json.loads(path.read_text()) if path.exists() else {}
    return results


def missing(folder: Path, section: Section, again: bool = False) -> list[Entry]:
    """The entries that have no result yet, or not all of it; `again`: also those that are not proved."""
    done = read(folder, section.name)
    return [entry for entry in section.entries if _is_due(entry, section, done, again)]


def _is_due(entry: Entry, section: Section, done: Results, again: bool) -> bool:
    known = done.get(entry.key)
    if known is None or section.lacks(entry.key, done):
        return True
    return again and not known.get("proved", True)


def compute(folder: Path, section: Section, again: bool = False) -> Iterator[Entry]:
    """Compute what is missing, yielding each entry before its turn; write after each, whole or not at all."""
    for entry in section.entries:
        if _is_due(entry, section, read(folder, section.name), again):
            yield entry
            result = entry.compute(read(folder, section.name))
            write(folder, section, {**read(folder, section.name), entry.key: result})


def write(folder: Path, section: Section, results: Results) -> None:
    """Write a section's results and its page."""
    order = {entry.key: place for place, entry in enumerate(section.entries)}
    ordered = dict(sorted(results.items(), key=lambda item: order.get(item[0], len(order))))
    replace(folder / f"{section.name}.json", in_lines(ordered))
    replace(folder / f"{section.name}.md", section.render(ordered))


def in_lines(results: dict[str, Any]) -> str:
    """The text of a JSON file with a line for each key."""
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(result)}" for key, result in results.items())
    return "{\n" + lines + "\n}\n"


def replace(path: Path, text: str) -> None:
    """Write a file, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
        file.write(text)
    os.chmod(file.name, 0o644)
    os.replace(file.name, path)
