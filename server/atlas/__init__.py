"""The atlas: results worth printing, computed once by `python -m server atlas` and kept in docs/atlas.

A section is a list of entries that can be computed one by one. Each result is written as soon as it is
known, so the command may be stopped and started again at any time, and only what is missing is computed.
"""

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

Result = dict[str, Any]


class Entry(NamedTuple):
    """One result: its key, a line of text to show while it is computed, and how to compute it."""

    key: str
    label: str
    compute: Callable[[], Result]


class Section(NamedTuple):
    """Results that stand in one table. `render` turns the results by key into a page of Markdown."""

    name: str
    entries: list[Entry]
    render: Callable[[dict[str, Result]], str]
    merge: Callable[[Result, Result], Result] = lambda known, new: new
    """The known result and a new one, made with more time, become one."""


SEARCH_SECONDS = 60.0


def sections(seconds: float = SEARCH_SECONDS) -> list[Section]:
    """All sections, in the order of the atlas; `seconds` for each search that may not reach its end."""
    from . import flips, pegs, sliding

    return [*pegs.sections(seconds), sliding.section(), flips.section()]


def read(folder: Path, name: str) -> dict[str, Result]:
    """The results of a section so far, by key."""
    path = folder / f"{name}.json"
    results: dict[str, Result] = json.loads(path.read_text()) if path.exists() else {}
    return results


def missing(folder: Path, section: Section, again: bool = False) -> list[Entry]:
    """The entries that have no result yet; `again`: also those whose result is not proved."""
    done = read(folder, section.name)
    return [
        entry
        for entry in section.entries
        if entry.key not in done or (again and not done[entry.key].get("proved", True))
    ]


def compute(folder: Path, section: Section, again: bool = False) -> Iterator[Entry]:
    """Compute what is missing, yielding each entry before its turn; write after each, whole or not at all."""
    for entry in missing(folder, section, again):
        yield entry
        new, done = entry.compute(), read(folder, section.name)
        known = done.get(entry.key)
        done[entry.key] = new if known is None else section.merge(known, new)
        write(folder, section, done)


def write(folder: Path, section: Section, results: dict[str, Result]) -> None:
    """Write a section's results and its page."""
    order = {entry.key: place for place, entry in enumerate(section.entries)}
    ordered = dict(sorted(results.items(), key=lambda item: order.get(item[0], len(order))))
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(result)}" for key, result in ordered.items())
    _replace(folder / f"{section.name}.json", "{\n" + lines + "\n}\n")
    _replace(folder / f"{section.name}.md", section.render(ordered))


def _replace(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
        file.write(text)
    os.chmod(file.name, 0o644)
    os.replace(file.name, path)
