"""The registry of puzzles, collected from the list `PUZZLES` of each module in this package.

A module may also have a function `make_puzzle`, for puzzles that are not listed but made from their ids.

Another installed distribution adds its own by entry points in the group `hoppers.puzzles`, which name such
modules (see CONTRIBUTING.md). One that cannot be used is left out, and logged.

The library calls this package: `hoppers.puzzles()` returns all puzzles as programs use them.
"""

import importlib
import logging
import pkgutil
import sys
from collections.abc import Callable, Iterable
from importlib.metadata import EntryPoint
from types import ModuleType
from typing import Any

from hoppers.core.puzzle import Puzzle
from hoppers.runtime.puzzle_packages import puzzle_entry_points

log = logging.getLogger(__name__)


class Registry(dict[str, Puzzle]):
    """Id -> puzzle. `registry[id]` also has puzzles that are made from their ids and not listed."""

    def __init__(self, puzzles: dict[str, Puzzle], makers: Iterable[Callable[[str], Puzzle | None]]) -> None:
        """`makers`: functions from an id to its puzzle, or None if the id is of another kind."""
        super().__init__(puzzles)
        self._makers = [*makers]

    def __missing__(self, id: str) -> Puzzle:
        made = next(filter(None, (make(id) for make in self._makers)), None)
        if made is None:
            raise KeyError(id)
        return made


def collect() -> Registry:
    """Return the puzzles of this package and of other distributions by their ids, in the gallery's order."""
    puzzles: dict[str, Puzzle] = {}
    modules = [importlib.import_module(f".{each.name}", __name__) for each in pkgutil.iter_modules(__path__)]
    for module in modules:
        puzzles = _with(puzzles, module.PUZZLES)
    for point in puzzle_entry_points():
        try:
            puzzles = _with(puzzles, _installed_puzzles(point))
        except Exception as error:  # of any kind: the code is not ours
            log.error("no puzzles from %s: %s", _origin(point), error or type(error).__name__)
    makers = [module.make_puzzle for module in modules if hasattr(module, "make_puzzle")]
    return Registry(dict(sorted(puzzles.items(), key=lambda item: item[1].gallery.order)), makers)


def _with(puzzles: dict[str, Puzzle], more: list[Puzzle]) -> dict[str, Puzzle]:
    """Return `puzzles` and `more`; raise a ValueError if two have the same id."""
    joined = dict(puzzles)
    for puzzle in more:
        if puzzle.id in joined:
            raise ValueError(f"two puzzles are called {puzzle.id!r}")
        joined[puzzle.id] = puzzle
    return joined


def _installed_puzzles(point: EntryPoint) -> list[Puzzle]:
    """Return the list `PUZZLES` of another distribution; raise a TypeError if it contains anything else."""
    puzzles = list(importlib.import_module(point.module).PUZZLES)
    for puzzle in puzzles:
        if not isinstance(puzzle, Puzzle):
            raise TypeError(f"{puzzle!r} is not a puzzle")
    return puzzles


def _origin(point: EntryPoint) -> str:
    distribution = f"{point.dist.name} {point.dist.version}" if point.dist else "an unknown distribution"
    return f"the module {point.value} of {distribution}"


PUZZLES = collect()
"""Id -> puzzle, in the order of the gallery. These puzzles have no engine (see `tablebase.engine`)."""


class _CallablePackage(ModuleType):
    """This package, which is also the function of the library that has its name."""

    def __call__(self) -> Any:
        """Return all puzzles as programs use them: what `hoppers` has under the name `all_puzzles`."""
        return sys.modules[__name__.partition(".")[0]].all_puzzles()


sys.modules[__name__].__class__ = _CallablePackage
