"""Hoppers: peg solitaire, sliding tiles and Flip It, with a solver that proves the fewest moves.

The library is what `__all__` lists (see docs/python.md). It is imported when first used: `import hoppers`
itself loads nothing, starts nothing and compiles nothing.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING, Any

from hoppers.runtime import __version__

if TYPE_CHECKING:
    from types import ModuleType

    from flask import Flask

    from hoppers.core.events import Exhausted, Failed, Found, Progress, Solved, Stopped, Unsolvable
    from hoppers.core.model import GivenUp
    from hoppers.core.puzzle import Puzzle as Rules
    from hoppers.library.cards import Card, Day, daily, decks
    from hoppers.library.errors import (
        Error,
        InvalidGoal,
        InvalidMethod,
        InvalidMove,
        InvalidOption,
        InvalidPosition,
        UnknownPuzzle,
    )
    from hoppers.library.moves import Move, Moves
    from hoppers.library.positions import (
        Position,
        Problem,
        Puzzle,
        Reason,
        ReviewedMove,
        Solution,
        Step,
        Table,
        board,
        puzzle,
        warm,
    )
    from hoppers.library.results import data
    from hoppers.library.searches import Search
    from hoppers.library.solution_records import Bounds, Hint, Solutions
    from hoppers.runtime.extras import MissingExtra
    from hoppers.web.settings import Settings

    class _Puzzles(ModuleType):
        """The package `puzzles`, which programs call: see its `__init__`."""

        PUZZLES: dict[str, Rules]

        def __call__(self) -> tuple[Puzzle, ...]: ...

    puzzles: _Puzzles

__all__ = [
    "Bounds",
    "Card",
    "Day",
    "Error",
    "Exhausted",
    "Failed",
    "Found",
    "GivenUp",
    "Hint",
    "InvalidGoal",
    "InvalidMethod",
    "InvalidMove",
    "InvalidOption",
    "InvalidPosition",
    "MissingExtra",
    "Move",
    "Moves",
    "Position",
    "Problem",
    "Progress",
    "Puzzle",
    "Reason",
    "ReviewedMove",
    "Search",
    "Solution",
    "Solutions",
    "Solved",
    "Step",
    "Stopped",
    "Table",
    "UnknownPuzzle",
    "Unsolvable",
    "__version__",
    "board",
    "create_app",
    "daily",
    "data",
    "decks",
    "puzzle",
    "puzzles",
    "warm",
]

_EVENTS = ("Exhausted", "Failed", "Found", "Progress", "Solved", "Stopped", "Unsolvable")
_ERRORS = (
    "Error", "InvalidGoal", "InvalidMethod", "InvalidMove", "InvalidOption", "InvalidPosition",
    "UnknownPuzzle",
)  # fmt: skip
_POSITIONS = (
    "Position", "Problem", "Puzzle", "Reason", "ReviewedMove", "Solution", "Step", "Table", "board", "puzzle",
    "warm",
)  # fmt: skip
_MODULES = {
    **dict.fromkeys(_EVENTS, "core.events"),
    **dict.fromkeys(_ERRORS, "library.errors"),
    **dict.fromkeys(_POSITIONS, "library.positions"),
    **dict.fromkeys(("Card", "Day", "daily", "decks"), "library.cards"),
    **dict.fromkeys(("Bounds", "Hint", "Solutions"), "library.solution_records"),
    "all_puzzles": "library.positions",  # for the package `puzzles`, when it is called
    "GivenUp": "core.model",
    "MissingExtra": "library.errors",
    "Move": "library.moves",
    "Moves": "library.moves",
    "Search": "library.searches",
    "data": "library.results",
}
"""Name -> the module that has it, below this package."""


def __getattr__(name: str) -> Any:
    """Import a name of the library, or the package `puzzles`, which programs may call."""
    if name == "puzzles":
        return importlib.import_module(f"{__name__}.puzzles")
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def create_app(settings: Settings | None = None) -> Flask:
    """Return a new Flask application, with its Socket.IO channel, its engine and its searches.

    `settings`: by default those of the environment (see `hoppers.web.settings.read_settings`). Unless
    `warm_up` is False, kernels are compiled or loaded in the background.

    Raises:
        BundleError: scripts and styles cannot be prepared (see `hoppers.web.bundle`).
        MissingExtra: a package that a server needs is not installed.
        SettingError: a setting is not valid.
    """
    # here, because the library and `python -m hoppers solve` do not need Flask
    from hoppers.runtime.extras import needed_for

    with needed_for("a server", "server"):
        from hoppers.web.app import build
    from hoppers.web.settings import read_settings

    return build(settings or read_settings(os.environ), sys.modules[__name__])
