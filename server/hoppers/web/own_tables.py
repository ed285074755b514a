"""The tables that pages build themselves, with which they answer without the server: see docs/tables.md."""

from typing import Any

from flask import url_for

from hoppers.analysis.published_tables import rules_of
from hoppers.core.puzzle import Puzzle
from hoppers.web.current import puzzles

MAX_SIZE = 1 << 22
"""States of a table that a page builds: 16 MB of memory while it does."""


def table_data(puzzle: Puzzle) -> dict[str, Any] | None:
    """Return the rules of a puzzle and the address of the script that builds its tables; None: too large."""
    numbering = puzzle.rules.numbering
    if numbering is None or numbering.size > MAX_SIZE or not puzzle.rules.description:
        return None
    return {"script": url_for("static", filename="tables/answers.js"), "rules": rules_of(puzzle)}


def streamed_puzzles() -> list[Puzzle]:
    """Return the puzzles of the gallery whose positions the stream deals."""
    return [puzzle for puzzle in puzzles() if puzzle.gallery.featured and table_data(puzzle) is not None]
