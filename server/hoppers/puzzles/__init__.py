"""The registry of puzzles, collected from the list `PUZZLES` of each module in this package.

The library calls this package: `hoppers.puzzles()` returns all puzzles as programs use them.
"""

import copyreg
import importlib
import pkgutil
import sys
from types import ModuleType
from typing import Any

from hoppers.core.puzzle import Puzzle


def _collect() -> dict[str, Puzzle]:
    puzzles: dict[str, Puzzle] = {}
    for module in pkgutil.iter_modules(__path__):
        for puzzle in importlib.import_module(f".{module.name}", __name__).PUZZLES:
            if puzzle.id in puzzles:
                raise ValueError(f"two puzzles are called {puzzle.id!r}")
            puzzles[puzzle.id] = puzzle
    return dict(sorted(puzzles.items(), key=lambda item: item[1].gallery.order))


PUZZLES = _collect()
"""Id -> puzzle, in the order of the gallery. These puzzles have no engine (see `tablebase.engine`)."""


def registered(id: str) -> Puzzle:
    """Return the puzzle of the registry with the id `id`. Unpickling a puzzle calls this function.

    Raises:
        KeyError: no puzzle has this id.
    """
    return PUZZLES[id]


# only the id is pickled: every process has its own registry
copyreg.pickle(Puzzle, lambda puzzle: (registered, (puzzle.id,)))


class _CallablePackage(ModuleType):
    """This package, which is also the function of the library that has its name."""

    def __call__(self) -> Any:
        """Return all puzzles of the library: see `hoppers.library.positions.all_puzzles`."""
        return importlib.import_module("hoppers.library.positions").all_puzzles()


sys.modules[__name__].__class__ = _CallablePackage
