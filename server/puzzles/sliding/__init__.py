"""Sliding tiles: a tile next to the blank slides into it; put all in order, the blank last."""

import math
from collections.abc import Callable

from ...board import Permutation
from ...exact import proof
from ...exact.reversible import distance_tables
from ...puzzle import Method, Puzzle
from ...records import Position, Problem, Source, Words
from . import fifteen_answers
from .fifteen_answers import fifteen_source
from .methods import METHODS
from .rules import BITS, RULES, home_cells, is_odd, pack, rank, sliding_tables, square, unpack

HOME = 0
"""The code of the only goal."""
EIGHT = {
    "867254301": Words("Farthest: 31 moves", "最遠（31手）"),
    "647850321": Words("The other farthest", "もう一つの最遠"),
}


FIFTEEN = {
    "e80921f3cd645b7a": Words("Shuffled", "シャッフル"),
    "0c9dfbae37624851": Words("Farthest: 80 moves", "最遠（80手）"),
}


def _fault(cells: tuple[int, ...]) -> str | None:
    missing = sorted(set(range(len(cells))) - set(cells))
    return f"{missing[0]:x} is missing" if missing else None


def _kept(image: Permutation, goal: int) -> bool:
    return image == tuple(range(len(image)))


def sliding_puzzle(
    id: str,
    title: Words,
    side: int,
    problems: dict[str, Words],
    lesson: str,
    source: Callable[[int], Source],
    best: Method,
) -> Puzzle:
    """The puzzle on a square. `problems`: position text -> name; the first is the start."""
    cells = side * side
    tables = sliding_tables(side)
    home = "".join(f"{tile:x}" for tile in home_cells(side))
    return Puzzle(
        id=id,
        family="sliding",
        title=title,
        objective=Words(
            "Slide the tiles into the gap until they stand in order, with the gap last.",
            "隙間にタイルを滑らせて番号順に並べ、隙間を最後にしましょう。",
        ),
        board=square(side),
        alphabet="0123456789abcdef"[:cells],
        bits=BITS,
        pieces=("", *["tile"] * (cells - 1)),
        frame="tray",
        start=next(iter(problems)),
        goal=home,
        goals={home: HOME},
        starts={text: text for text in problems},
        problems=tuple(Problem(name, text, home) for text, name in problems.items()),
        rules=RULES,
        tables=tables,
        chains=False,
        find_active=lambda cells: cells.index(0),
        find_fault=_fault,
        obstruction=lambda position, goal: "parity" if is_odd(unpack(position.state, side), side) else None,
        source=source,
        methods=METHODS | {"best": best},
        lesson=lesson,
        kept=_kept,
        place=100 + side,
    )


def _home(side: int) -> Position:
    return Position(pack(home_cells(side)), side * side - 1)


PUZZLES = [
    sliding_puzzle(
        "eight-puzzle",
        Words("8-puzzle", "8パズル"),
        3,
        EIGHT,
        "manhattan",
        distance_tables(RULES, rank, math.factorial(9), sliding_tables(3), lambda goal: [_home(3)]),
        proof.best(),
    ),
    sliding_puzzle(
        "fifteen-puzzle",
        Words("15-puzzle", "15パズル"),
        4,
        FIFTEEN,
        "best",
        fifteen_source,
        fifteen_answers.best(),
    ),
]
