"""Random positions by seed: a seed always gives the same position, on every server."""

import random
import secrets
from functools import cache
from typing import Any, NamedTuple

from hoppers.analysis.requests import checked_length, quoted
from hoppers.core.errors import PuzzleError
from hoppers.core.model import RandomKind
from hoppers.core.puzzle import Puzzle
from hoppers.web.http.i18n import localized

SEED_DIGITS = 6


class InvalidRandomKind(PuzzleError):
    """Error for a kind of random positions that the puzzle lacks, or for a seed that is too long."""

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
    if name not in puzzle.gallery.random_kinds:
        known = ", ".join(puzzle.gallery.random_kinds) or "none"
        raise InvalidRandomKind(
            "{name} is not dealt by {puzzle}; what is dealt: {known}",
            name=quoted(name),
            puzzle=puzzle.texts.title,
            known=known,
        )
    checked_seed = checked_length(seed, InvalidRandomKind)
    kind, generator = puzzle.gallery.random_kinds[name], random.Random(f"{puzzle.id}/{name}/{checked_seed}")
    return RandomPosition(kind.draw(generator), seed, position_count(kind))


@cache
def position_count(kind: RandomKind) -> int:
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
            "of": None if not puzzle.is_compiled else position_count(kind),
        }
        for name, kind in puzzle.gallery.random_kinds.items()
    ]
