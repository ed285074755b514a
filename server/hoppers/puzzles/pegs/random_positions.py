"""Random solvable positions of a peg board: jumps are taken back at random from a solved board."""

import random
from collections.abc import Sequence
from typing import NamedTuple

from hoppers.core.model import RandomKind
from hoppers.core.texts import Text

EMPTY, PEG, RED = ".", "o", "r"


class PegLevel(NamedTuple):
    """A level of random positions, for boards of every size."""

    title: Text
    share: float
    """Share of the holes that have a peg."""
    bits: tuple[float, float]
    """Least and most difficulty in bits, for each hole of the board."""


LEVELS = {
    "easy": PegLevel(Text("Easy: {pegs} pegs"), 0.35, (0.05, 0.4)),
    "medium": PegLevel(Text("Medium: {pegs} pegs"), 0.5, (0.4, 0.7)),
    "hard": PegLevel(Text("Hard: {pegs} pegs"), 0.7, (0.7, float("inf"))),
}
"""Levels by the names of their kinds."""


def random_kinds(
    jumps: Sequence[tuple[int, int, int]], holes: int, ends: Sequence[int], has_red: bool
) -> dict[str, RandomKind]:
    """Return the kinds of random positions of a board: few, some and many pegs, of rising difficulty.

    `ends`: holes in which the last peg may end. Every position can be solved; a kind without such positions
    is left out.
    """
    kinds, most_pegs = {}, _most_pegs(jumps, holes, ends)
    for name, level in LEVELS.items():
        pegs = round(level.share * holes)
        if not 2 <= pegs <= most_pegs:
            continue

        def draw(rng: random.Random, pegs: int = pegs) -> str:
            return solvable_position(rng, jumps, holes, ends, pegs, has_red)

        title = level.title._replace(values={"pegs": pegs})
        least, most = level.bits
        kinds[name] = RandomKind(title, draw, None, (holes * least, holes * most))
    return kinds


def _most_pegs(jumps: Sequence[tuple[int, int, int]], holes: int, ends: Sequence[int]) -> int:
    """Return the most pegs of a solvable position that some random games played backwards reach."""
    rng = random.Random(holes)
    return max(sum(cell != EMPTY for cell in _played_back(rng, jumps, holes, ends, holes)) for _ in range(40))


def solvable_position(
    rng: random.Random,
    jumps: Sequence[tuple[int, int, int]],
    holes: int,
    ends: Sequence[int],
    pegs: int,
    has_red: bool,
) -> str:
    """Return a random position with `pegs` pegs that leads to a single peg in one of the holes `ends`.

    Jumps are taken back from the solved board. If none can be taken back, the board is begun again.
    """
    while True:
        cells = _played_back(rng, jumps, holes, ends, pegs, has_red)
        if sum(cell != EMPTY for cell in cells) == pegs:
            return "".join(cells)


def _played_back(
    rng: random.Random,
    jumps: Sequence[tuple[int, int, int]],
    holes: int,
    ends: Sequence[int],
    pegs: int,
    has_red: bool = False,
) -> list[str]:
    """Return a position from which a random game led to a single peg: with `pegs` pegs, or fewer."""
    cells = [EMPTY] * holes
    cells[rng.choice(ends)] = RED if has_red else PEG
    last = -1  # hole of the peg whose jump was taken back last
    for _ in range(pegs - 1):
        before = [jump for jump in jumps if _can_be_taken_back(cells, jump)]
        if not before:
            break
        of_others = [jump for jump in before if jump[2] != last]  # one peg alone would make one move
        origin, over, target = rng.choice(of_others or before)
        cells[origin], cells[over], cells[target] = cells[target], PEG, EMPTY
        last = origin
    return cells


def _can_be_taken_back(cells: list[str], jump: tuple[int, int, int]) -> bool:
    origin, over, target = jump
    return cells[target] != EMPTY and cells[origin] == cells[over] == EMPTY
