"""The engine of the application that handles the current request, and its puzzles."""

from typing import cast

from flask import current_app

from hoppers.analysis import requests
from hoppers.core.puzzle import Puzzle
from hoppers.tablebase.engine import Engine


def engine() -> Engine:
    """Return the engine of the current application."""
    return cast(Engine, current_app.extensions["engine"])


def puzzles() -> list[Puzzle]:
    """Return all puzzles, in the order of the gallery."""
    return list(engine().puzzles.values())


def read_puzzle(text: str) -> Puzzle:
    """Return the puzzle with the id `text`.

    Raises:
        UnknownPuzzle: no puzzle has this id.
    """
    return requests.read_puzzle(engine(), text)
