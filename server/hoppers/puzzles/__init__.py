"""The registry: every puzzle of every module in this package. A new puzzle is one more file here."""

import copyreg
import difflib
import importlib
import pkgutil
from collections.abc import Callable

from hoppers.core.errors import UnknownPuzzle
from hoppers.core.puzzle import Puzzle


def _collect() -> dict[str, Puzzle]:
    puzzles: dict[str, Puzzle] = {}
    for module in pkgutil.iter_modules(__path__):
        for puzzle in importlib.import_module(f".{module.name}", __name__).PUZZLES:
            if puzzle.id in puzzles:
                raise ValueError(f"two puzzles are called {puzzle.id!r}")
            puzzles[puzzle.id] = puzzle
    return dict(sorted(puzzles.items(), key=lambda item: item[1].place))


PUZZLES = _collect()
"""Id -> puzzle, in the order of the gallery."""


def find(id: str) -> Puzzle:
    """The puzzle of this id.

    Raises:
        UnknownPuzzle: there is none; the message names the closest one.
    """
    if id not in PUZZLES:
        close = difflib.get_close_matches(id, PUZZLES, 1)
        if close:
            raise UnknownPuzzle("There is no puzzle {id!r}. Did you mean {close!r}?", id=id, close=close[0])
        raise UnknownPuzzle("There is no puzzle {id!r}.", id=id)
    return PUZZLES[id]


def _by_id(puzzle: Puzzle) -> tuple[Callable[[str], Puzzle], tuple[str]]:
    return find, (puzzle.id,)


copyreg.pickle(Puzzle, _by_id)  # another process has its own
