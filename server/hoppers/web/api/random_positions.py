"""Random positions by seed: a seed always gives the same position, on every server."""

import random
import secrets
from functools import cache
from typing import Any, NamedTuple

from hoppers.analysis.requests import of_sane_length, quoted
from hoppers.core.errors import PuzzleError
from hoppers.core.kernels import INTERPRETED
from hoppers.core.model import Deal
from hoppers.core.puzzle import Puzzle
from hoppers.web.http.i18n import localized

SEED_DIGITS = 6


class InvalidRandomKind(PuzzleError):
    """The puzzle has no random positions of this kind, or the seed is too long."""

    code = "invalid_deal"


class RandomPosition(NamedTuple):
    """A position, its seed, and the number of positions of its kind."""

    position: str
    seed: str
    of: int


def new_seed() -> str:
    """Return a random seed of at most `SEED_DIGITS` digits."""
    return str(secrets.randbelow(10**SEED_DIGITS))


def random_position(puzzle: Puzzle, name: str, seed: str) -> RandomPosition:
    """Return the position that `seed` gives among those of the kind `name`.

    Raises:
        InvalidRandomKind: the puzzle has no such kind, or the seed is too long.
    """
    if name not in puzzle.deals:
        known = ", ".join(puzzle.deals) or "none"
        raise InvalidRandomKind(
            "{name} is not dealt by {puzzle}; what is dealt: {known}",
            name=quoted(name),
            puzzle=puzzle.title,
            known=known,
        )
    checked_seed = of_sane_length(seed, InvalidRandomKind)
    kind, generator = puzzle.deals[name], random.Random(f"{puzzle.id}/{name}/{checked_seed}")
    return RandomPosition(kind.draw(generator), seed, position_count(kind))


@cache
def position_count(kind: Deal) -> int:
    """Return the number of positions of a kind."""
    return kind.size()


def random_kinds(puzzle: Puzzle) -> list[dict[str, Any]]:
    """Return name, title and number of positions of each kind of random position.

    The number is None until the kernels are compiled, because counting without them may take seconds.
    """
    return [
        {
            "id": name,
            "title": localized(kind.name),
            "of": None if INTERPRETED.get() else position_count(kind),
        }
        for name, kind in puzzle.deals.items()
    ]
