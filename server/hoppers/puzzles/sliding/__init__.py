"""Sliding tiles: a tile next to the blank slides into it; put all in order, the blank last."""

import math
import random
from collections.abc import Callable
from functools import cache
from typing import Any

from hoppers.core.model import Position, Problem, RandomKind, Words
from hoppers.core.puzzle import Gallery, Method, Puzzle, Rules, Solver, Solving, Texts
from hoppers.puzzles.sliding import fifteen_puzzle, rules
from hoppers.puzzles.sliding.lower_bounds import METHODS
from hoppers.tablebase import table_method
from hoppers.tablebase.distance_table import DistanceTable, distance_tables
from hoppers.tablebase.memory import CompleteTables, table_solver


def _validate(cells: tuple[int, ...]) -> Words | None:
    missing = sorted(set(range(len(cells))) - set(cells))
    return Words(f"{missing[0]:x} is missing", f"{missing[0]:x} がありません") if missing else None


def _eight_kind(name: Words, least: int, most: int) -> RandomKind:
    """Return the kind of random 8-puzzle positions that are `least` to `most` moves from the goal."""

    @cache
    def found() -> list[str]:
        return rules.texts_at_distance(3, least, most)

    return RandomKind(name, lambda rng: rng.choice(found()), lambda: len(found()))


def _shuffled(rng: random.Random, side: int) -> str:
    """Return the text of a random solvable position; all are equally likely."""
    cells = list(rules.home_cells(side))
    while True:
        rng.shuffle(cells)
        if not rules.is_odd(tuple(cells), side):
            return "".join(f"{tile:x}" for tile in cells)


def eight_tables() -> CompleteTables[DistanceTable]:
    """Return a function from goal to the complete table of the 8-puzzle."""
    home = Position(rules.pack(rules.home_cells(3)), 8)
    return distance_tables(
        rules.KERNELS, rules.rank, math.factorial(9), rules.sliding_tables(3), lambda goal: [home]
    )


def sliding_puzzle(
    id: str,
    title: Words,
    side: int,
    problems: dict[str, Words],
    solving: Solving,
    random_kinds: dict[str, RandomKind],
) -> Puzzle:
    """Return the puzzle on a square of `side` by `side` cells.

    `problems`: start position as a text -> name. The first is the puzzle's own problem.
    """
    cells = side * side
    home = "".join(f"{tile:x}" for tile in rules.home_cells(side))
    return Puzzle(
        id=id,
        family="sliding",
        board=rules.square(side),
        rules=Rules(
            kernels=rules.KERNELS,
            tables=rules.sliding_tables(side),
            alphabet="0123456789abcdef"[:cells],
            bits_per_cell=rules.BITS,
            goals={home: rules.HOME},
            find_active=lambda cells: cells.index(0),
            validate=_validate,
            goal_image=lambda image, goal: goal if image == tuple(range(len(image))) else None,
            obstruction=lambda position, goal: (
                "parity" if rules.is_odd(rules.unpack(position.state, side), side) else None
            ),
        ),
        texts=Texts(
            title,
            Words(
                "Slide the tiles into the gap until they stand in order, with the gap last.",
                "隙間にタイルを滑らせて番号順に並べ、隙間を最後にしましょう。",
            ),
            Words(
                "Press or swipe a tile in the gap's row or column: it moves towards the gap, "
                "with all between.",
                "隙間と同じ行か列のタイルを押すかスワイプすると、隙間までのタイルがまとめて動きます。",
            ),
            Words(
                "Tap two tiles to swap them, or type the position.",
                "タイルを二つ押すと入れ替わります。文字でも入力できます。",
            ),
        ),
        solving=solving,
        gallery=Gallery(
            problems=tuple(Problem(name, text, home) for text, name in problems.items()),
            pieces=("", *["tile"] * (cells - 1)),
            order=100 + side,
            frame="tray",
            random_kinds=random_kinds,
            arrow_keys=True,
        ),
    )


def _solving(best: Method, open_solver: Callable[[Any, Puzzle], Solver], default_method: str) -> Solving:
    return Solving({**METHODS, "best": best}, open_solver, default_method)


PUZZLES = [
    sliding_puzzle(
        "eight-puzzle",
        Words("8-puzzle", "8パズル"),
        3,
        {
            "867254301": Words("Farthest: 31 moves", "最遠（31手）"),
            "647850321": Words("The other farthest", "もう一つの最遠"),
        },
        _solving(
            table_method.best(METHODS["walking-distance"].search),
            lambda engine, puzzle: table_solver(eight_tables()),
            "manhattan",
        ),
        {
            "easy": _eight_kind(Words("Easy: 8 to 14 moves", "やさしい（8～14手）"), 8, 14),
            "medium": _eight_kind(Words("Medium: 16 to 20 moves", "ふつう（16～20手）"), 16, 20),
            "hard": _eight_kind(Words("Hard: 23 to 28 moves", "むずかしい（23～28手）"), 23, 28),
            "hardest": _eight_kind(Words("The two hardest: 31 moves", "最難の二題（31手）"), 31, 31),
        },
    ),
    sliding_puzzle(
        "fifteen-puzzle",
        Words("15-puzzle", "15パズル"),
        4,
        {
            "e80921f3cd645b7a": Words("Shuffled", "シャッフル"),
            "0c9dfbae37624851": Words("Farthest: 80 moves", "最遠（80手）"),
        },
        _solving(fifteen_puzzle.BEST, fifteen_puzzle.open_solver, "best"),
        {
            "random": RandomKind(
                Words("Shuffle", "シャッフル"), lambda rng: _shuffled(rng, 4), lambda: math.factorial(16) // 2
            ),
        },
    ),
]
