"""Random positions by seed: the same seed deals the same position to everybody."""

import random
import secrets
from functools import cache
from typing import Any, NamedTuple

from hoppers.analysis.requests import checked_length, quoted
from hoppers.core.errors import PuzzleError
from hoppers.core.kernels import INTERPRETED
from hoppers.core.model import Deal
from hoppers.core.puzzle import Puzzle
from hoppers.web.http.i18n import in_words

DIGITS = 6
"""Of a seed that nobody chose."""


class InvalidDeal(PuzzleError):
    """The puzzle deals nothing of this name, or the seed is too long."""

    code = "invalid_deal"


class Dealt(NamedTuple):
    """A position, the seed it came from, and how many there are of its kind."""

    position: str
    seed: str
    of: int


def new_seed() -> str:
    """A seed for a player who has none."""
    return str(secrets.randbelow(10**DIGITS))


def deal(puzzle: Puzzle, name: str, seed: str) -> Dealt:
    """The position of this seed.

    Raises:
        InvalidDeal: there is no such kind of position, or the seed is no short text.
    """
    if name not in puzzle.deals:
        known = ", ".join(puzzle.deals) or "none"
        raise InvalidDeal(
            "{name} is not dealt by {puzzle}; what is dealt: {known}",
            name=quoted(name),
            puzzle=puzzle.title,
            known=known,
        )
    kind, dice = puzzle.deals[name], random.Random(f"{puzzle.id}/{name}/{checked_length(seed, InvalidDeal)}")
    return Dealt(kind.draw(dice), seed, size(kind))


@cache
def size(kind: Deal) -> int:
    """How many positions there are of a kind."""
    return kind.size()


def offers(puzzle: Puzzle) -> list[dict[str, Any]]:
    """What a page may offer: name, words, and how many there are.

    How many is None until the puzzle is compiled: to count may take seconds before that.
    """
    return [
        {"id": name, "title": in_words(kind.name), "of": None if INTERPRETED.get() else size(kind)}
        for name, kind in puzzle.deals.items()
    ]
