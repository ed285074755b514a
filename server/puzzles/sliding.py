"""Sliding tiles: a tile next to the blank slides into it; put all in order, the blank last.

A state has four bits per cell, 0 for the blank; `active` is the blank's cell.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ..board import SQUARE, Board, Permutation
from ..compiled import kernel
from ..exact.proof import best
from ..exact.reversible import distance_tables
from ..puzzle import Puzzle
from ..records import Position, Problem, Words
from ..rules import Rules
from ..search.deepening import Style, deepening

BITS = 4
HOME = 0
"""The code of the only goal."""


class Tables(NamedTuple):
    """Neighbours of each cell (-1 where there are fewer than four), Manhattan distances, the goal."""

    neighbours: Any
    distances: Any
    """distances[cell, tile]: slides from the cell to the tile's home, 0 for the blank."""
    home: Any
    """The solved state (a 0-d array)."""


@kernel
def tile_at(state: Any, cell: int) -> Any:
    """What the cell holds."""
    return np.int64(state >> np.uint64(4 * cell) & np.uint64(15))


@kernel
def next_step(state: Any, active: int, cursor: int, tables: Any) -> tuple[int, int, int, Any, int, int]:
    """The next neighbour, at or behind number `cursor`, whose tile slides into the blank."""
    if cursor >= 4 or tables.neighbours[active, cursor] < 0:
        return -1, 0, 0, state, active, 0
    origin = tables.neighbours[active, cursor]
    tile = np.uint64(tile_at(state, origin))
    after = state ^ (tile << np.uint64(4 * origin)) ^ (tile << np.uint64(4 * active))
    return cursor + 1, origin, active, after, origin, 1


@kernel
def is_solved(state: Any, active: int, goal: int, tables: Any) -> bool:
    """All tiles are home."""
    return bool(state == tables.home[()])


@kernel
def manhattan(state: Any, active: int, goal: int, tables: Any) -> int:
    """Each tile needs at least the slides to its home row and column; the blank is not counted."""
    total = 0
    for cell in range(len(tables.neighbours)):
        total += tables.distances[cell, tile_at(state, cell)]
    return total


@kernel
def rank(state: Any, active: int, tables: Any) -> int:
    """The arrangement's number among all permutations (Lehmer code, first cell first)."""
    number, seen = 0, 0
    cells = len(tables.neighbours)
    for cell in range(cells):
        tile = tile_at(state, cell)
        smaller = tile
        for lower in range(tile):
            smaller -= seen >> lower & 1
        number = number * (cells - cell) + smaller
        seen |= 1 << tile
    return number


RULES = Rules("sliding", next_step, is_solved)
PLAIN = deepening(
    Words("Plain deepening", "単純な反復深化"),
    Words(
        "Every line is followed until the limit cuts it.",
        "制限で打ち切られるまで、すべての手順をたどります。",
    ),
    RULES,
    Style(chains=False),
)
MANHATTAN = deepening(
    Words("Manhattan distance", "マンハッタン距離"),
    Words(
        "A line is left as soon as its tiles are further from home than the limit allows; tested as "
        "published, one move looser than it may be.",
        "タイルが目的地から遠すぎて制限内に収まらない手順は、すぐに打ち切ります。発表どおり、一手ゆるく判定します。",
    ),
    RULES,
    Style(chains=False, slack=1),
    "manhattan",
    manhattan,
)
MANHATTAN_STRICT = deepening(
    Words("Manhattan distance, tight", "マンハッタン距離（厳密）"),
    Words("The same bound, tested as tightly as it may be.", "同じ下界を、ぎりぎりまで厳しく判定します。"),
    RULES,
    Style(chains=False),
    "manhattan",
    manhattan,
)


def sliding_tables(side: int, board: Board) -> Tables:
    """The arrays the rules read, for a square of `side` by `side` cells."""
    cells = side * side
    neighbours = [[*near, *[-1] * (4 - len(near))] for near in board.neighbours]
    distances = [[_distance(board, cell, tile) for tile in range(cells)] for cell in range(cells)]
    home = sum(tile << BITS * cell for cell, tile in enumerate(_home(cells)))
    return Tables(np.array(neighbours, np.int64), np.array(distances, np.int64), np.array(home, np.uint64))


def _home(cells: int) -> tuple[int, ...]:
    return (*range(1, cells), 0)


def _distance(board: Board, cell: int, tile: int) -> int:
    if tile == 0:
        return 0
    (x, y), (home_x, home_y) = board.points[cell], board.points[tile - 1]
    return abs(x - home_x) + abs(y - home_y)


def is_odd(cells: tuple[int, ...], side: int) -> bool:
    """Whether the arrangement cannot be reached: a slide swaps the blank, changing permutation and colour.

    Johnson and Story, "Notes on the 15 puzzle" (1879).
    """
    inversions = sum(a > b for i, a in enumerate(cells) for b in cells[i + 1 :] if a and b)
    rows_up = side - 1 - cells.index(0) // side
    return (inversions + (rows_up if side % 2 == 0 else 0)) % 2 == 1


def _fault(cells: tuple[int, ...]) -> str | None:
    missing = sorted(set(range(len(cells))) - set(cells))
    return f"{missing[0]:x} is missing" if missing else None


def _kept(image: Permutation, goal: int) -> bool:
    return image == tuple(range(len(image)))


def sliding_puzzle(id: str, title: Words, side: int, problems: dict[str, Words], lesson: str) -> Puzzle:
    """The puzzle on a square. `problems`: position text -> name; the first is the start."""
    cells = side * side
    board = Board.from_text("\n".join(["o" * side] * side), SQUARE)
    tables = sliding_tables(side, board)
    home = "".join(f"{tile:x}" for tile in _home(cells))
    solved = Position(int(tables.home), cells - 1)
    return Puzzle(
        id=id,
        family="sliding",
        title=title,
        objective=Words(
            "Slide the tiles into the gap until they stand in order, with the gap last.",
            "隙間にタイルを滑らせて番号順に並べ、隙間を最後にしましょう。",
        ),
        board=board,
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
        obstruction=lambda position, goal: "parity" if is_odd(_cells(position.state, cells), side) else None,
        source=distance_tables(RULES, rank, math.factorial(cells), tables, lambda goal: [solved]),
        methods={
            "deepening": PLAIN,
            "manhattan": MANHATTAN,
            "manhattan-tight": MANHATTAN_STRICT,
            "best": best(),
        },
        lesson=lesson,
        kept=_kept,
        place=100 + side,
    )


def _cells(state: int, cells: int) -> tuple[int, ...]:
    return tuple(state >> BITS * cell & 15 for cell in range(cells))


PUZZLES = [
    sliding_puzzle(
        "eight-puzzle",
        Words("8-puzzle", "8パズル"),
        3,
        {
            "867254301": Words("Farthest, 31 moves", "最遠 31手"),
            "647850321": Words("The other farthest", "もう一つの最遠"),
        },
        "manhattan",
    )
]
