"""Random positions by kind and seed, some of a wanted difficulty (fewest bits).

Equal seeds give equal positions, in the library and on every server.
"""

import random

import numpy as np

from hoppers.analysis.fewest_bits import fewest_bits
from hoppers.core.errors import PuzzleError, checked_length, quoted
from hoppers.core.model import NO_SOLUTION, GivenUp, MovesLeft, Position, RandomKind
from hoppers.core.puzzle import Puzzle

DRAWS = 16
"""Most positions that are drawn for one of the wanted difficulty."""


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
    return random_text(puzzle, kind, random.Random(f"{puzzle.id}/{name}/{checked_seed}"))


def random_in_moves(puzzle: Puzzle, goal: int, moves: int, seed: str) -> str:
    """Return the text of a position with this number of moves left, each as likely, from a complete table.

    Raises:
        PuzzleError: there is no complete table, no position needs that many moves, or the seed is too long.
    """
    numbering, checked_seed = puzzle.rules.numbering, checked_length(seed, "invalid_deal")
    if numbering is None:
        raise PuzzleError(
            "{puzzle} has too many positions to choose one by its moves",
            "invalid_deal",
            puzzle=puzzle.texts.title,
        )
    found = np.flatnonzero(puzzle.source(goal).moves_by_number()[numbering.first :] == moves)
    if not len(found) or moves >= NO_SOLUTION:
        raise PuzzleError(
            "No position of {puzzle} needs {moves} moves.",
            "invalid_deal",
            puzzle=puzzle.texts.title,
            moves=moves,
        )
    rng = random.Random(f"{puzzle.id}/{puzzle.goal_text(goal)}/{moves}/{checked_seed}")
    cells = numbering.cells_of(int(rng.choice(found)) + numbering.first)
    return puzzle.format(Position(puzzle.pack(cells), puzzle.rules.find_active(cells)))


def random_text(puzzle: Puzzle, kind: RandomKind, rng: random.Random) -> str:
    """Return the text of a random position of a kind: the same for the same state of `rng`.

    If the program comes with the complete table of the puzzle, its difficulty is that of the kind, or of
    `DRAWS` positions the nearest to it.
    """
    source = puzzle.engine.uncompiled_source(puzzle, puzzle.parse_goal(None))
    if kind.bits is None or not source.is_complete:
        return kind.draw(rng)
    nearest, distance = "", float("inf")
    for _ in range(DRAWS):
        text = kind.draw(rng)
        away = _distance(puzzle, text, kind.bits, source.moves_left)
        if not nearest or away < distance:
            nearest, distance = text, away
        if not away:
            break
    return nearest


def _distance(puzzle: Puzzle, text: str, bits: tuple[float, float], moves_left: MovesLeft) -> float:
    """Return by how many bits the difficulty of a position misses a range."""
    least, below = bits
    try:
        here = fewest_bits(puzzle, puzzle.parse_goal(None), puzzle.parse(text), moves_left)
    except GivenUp:
        return float("inf")
    return max(least - here, 0.0, here - below)
