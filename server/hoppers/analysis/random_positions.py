"""Random positions by kind and seed: equal seeds give equal positions, in the library and on every server."""

import random

from hoppers.core.errors import PuzzleError, checked_length, quoted
from hoppers.core.model import RandomKind
from hoppers.core.puzzle import Puzzle


def random_kind(puzzle: Puzzle, name: str) -> RandomKind:
    """Return the kind of random positions with this name.

    Raises:
        PuzzleError: the puzzle has no such kind.
    """
    kinds = puzzle.gallery.random_kinds
    if not kinds:
        raise PuzzleError(
            "{puzzle} has no random positions, so no {name}",
            "invalid_deal",
            puzzle=puzzle.texts.title,
            name=quoted(name),
        )
    if name not in kinds:
        raise PuzzleError(
            "{puzzle} has no random positions {name}; it has {known}",
            "invalid_deal",
            name=quoted(name),
            puzzle=puzzle.texts.title,
            known=", ".join(kinds),
        )
    return kinds[name]


def random_position(puzzle: Puzzle, name: str, seed: str) -> str:
    """Return the text of the random position of the kind `name` for a seed.

    Raises:
        PuzzleError: the puzzle has no such kind, or the seed is too long.
    """
    kind, checked_seed = random_kind(puzzle, name), checked_length(seed, "invalid_deal")
    return kind.draw(random.Random(f"{puzzle.id}/{name}/{checked_seed}"))
