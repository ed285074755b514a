"""Sliding tiles: a tile next to the blank slides into it; put all in order, the blank last."""

import math
import random
from collections.abc import Callable
from functools import cache

from hoppers.core.board import Permutation
from hoppers.core.manner import Manner
from hoppers.core.model import Deal, Position, Problem, Source, Words
from hoppers.core.puzzle import Method, Puzzle
from hoppers.puzzles.sliding import fifteen_method
from hoppers.puzzles.sliding.methods import METHODS
from hoppers.puzzles.sliding.rules import (
    BITS,
    RULES,
    home_cells,
    is_odd,
    pack,
    rank,
    sliding_tables,
    square,
    texts_at_distance,
    unpack,
)
from hoppers.tablebase import table_method
from hoppers.tablebase.distance_table import distance_tables

MANNER = Manner(
    Words(
        "Press or swipe a tile in the gap's row or column: it moves towards the gap, with all between.",
        "隙間と同じ行か列のタイルを押すかスワイプすると、隙間までのタイルがまとめて動きます。",
    ),
    Words(
        "Tap two tiles to swap them, or type the position.",
        "タイルを二つ押すと入れ替わります。文字でも入力できます。",
    ),
    steered=True,
)
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


def _home(side: int) -> Position:
    return Position(pack(home_cells(side)), side * side - 1)


def _fault(cells: tuple[int, ...]) -> Words | None:
    missing = sorted(set(range(len(cells))) - set(cells))
    return Words(f"{missing[0]:x} is missing", f"{missing[0]:x} がありません") if missing else None


def _kept(image: Permutation, goal: int) -> bool:
    return image == tuple(range(len(image)))


def _eight_deal(name: Words, least: int, most: int) -> Deal:
    """Positions of the 8-puzzle that are between so many moves from home."""

    @cache
    def found() -> list[str]:
        return texts_at_distance(3, least, most)

    return Deal(name, lambda rng: rng.choice(found()), lambda: len(found()))


def _shuffled(rng: random.Random, side: int) -> str:
    """Any solvable arrangement, each as likely."""
    cells = list(home_cells(side))
    while True:
        rng.shuffle(cells)
        if not is_odd(tuple(cells), side):
            return "".join(f"{tile:x}" for tile in cells)


EIGHT_SOURCE = distance_tables(RULES, rank, math.factorial(9), sliding_tables(3), lambda goal: [_home(3)])
EIGHT_DEALS = {
    "easy": _eight_deal(Words("Easy: 8 to 14 moves", "やさしい（8～14手）"), 8, 14),
    "medium": _eight_deal(Words("Medium: 16 to 20 moves", "ふつう（16～20手）"), 16, 20),
    "hard": _eight_deal(Words("Hard: 23 to 28 moves", "むずかしい（23～28手）"), 23, 28),
    "hardest": _eight_deal(Words("The two hardest: 31 moves", "最難の二題（31手）"), 31, 31),
}
FIFTEEN_DEALS = {
    "random": Deal(
        Words("Shuffle", "シャッフル"), lambda rng: _shuffled(rng, 4), lambda: math.factorial(16) // 2
    ),
}


def sliding_puzzle(
    id: str,
    title: Words,
    side: int,
    problems: dict[str, Words],
    lesson: str,
    source: Callable[[int], Source],
    best: Method,
    deals: dict[str, Deal],
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
        deals=deals,
        manner=MANNER,
    )


PUZZLES = [
    sliding_puzzle(
        "eight-puzzle",
        Words("8-puzzle", "8パズル"),
        3,
        EIGHT,
        "manhattan",
        EIGHT_SOURCE,
        table_method.best(),
        EIGHT_DEALS,
    ),
    sliding_puzzle(
        "fifteen-puzzle",
        Words("15-puzzle", "15パズル"),
        4,
        FIFTEEN,
        "best",
        fifteen_method.source_for_goal,
        fifteen_method.best(),
        FIFTEEN_DEALS,
    ),
]
