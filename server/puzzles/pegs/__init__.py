"""Peg solitaire: jump over a neighbour into an empty hole; the jumped peg leaves.

A run of jumps by the same peg is one move, so a jump by the peg in hand is free and any other costs one.
A board is a drawing and its directions; jumps, corners and symmetries come from them.
"""

from typing import Any, NamedTuple

import numpy as np

from ..board import CHECKERED, EIGHT, TRIANGULAR, Board, Permutation
from ..compiled import kernel
from ..exact.pegs import complete_tables
from ..exact.proof import best
from ..puzzle import Puzzle
from ..records import Problem, Words
from ..rules import Rules
from ..search.deepening import Style, deepening

ANYWHERE = -1


class Tables(NamedTuple):
    """The jumps of a board, one entry each: three-hole masks and the two pegs they need, and corners."""

    masks: Any
    pegs: Any
    origins: Any
    targets: Any
    corners: Any
    """Mask of the holes that no jump passes over (a 0-d array)."""


@kernel
def next_step(state: Any, active: int, cursor: int, tables: Any) -> tuple[int, int, int, Any, int, int]:
    """The next legal jump at or behind number `cursor`."""
    for jump in range(cursor, len(tables.masks)):
        if state & tables.masks[jump] == tables.pegs[jump]:
            origin, target = tables.origins[jump], tables.targets[jump]
            return jump + 1, origin, target, state ^ tables.masks[jump], target, 0 if origin == active else 1
    return -1, 0, 0, state, active, 0


@kernel
def is_solved(state: Any, active: int, goal: int, tables: Any) -> bool:
    """One peg is left, at the goal hole or anywhere."""
    if goal >= 0:
        return bool(state == np.uint64(1) << np.uint64(goal))
    return bool(state != np.uint64(0) and state & (state - np.uint64(1)) == np.uint64(0))


@kernel
def corner_bound(state: Any, active: int, goal: int, tables: Any) -> int:
    """Pegs in corners: none can be captured, so each has to move or be the last one.

    The last peg is the last that moved, so this holds for every goal. The peg in hand does not count: it
    may go on within its move.
    """
    if state & (state - np.uint64(1)) == np.uint64(0):
        return 0
    left = state & tables.corners
    if active >= 0:
        left &= ~(np.uint64(1) << np.uint64(active))
    count = 0
    while left != np.uint64(0):
        left &= left - np.uint64(1)
        count += 1
    return count


RULES = Rules("pegs", next_step, is_solved)
STYLE = Style(chains=True)
PLAIN = deepening(
    Words("Plain deepening", "単純な反復深化"),
    Words(
        "Every line is followed until the limit cuts it.",
        "制限で打ち切られるまで、すべての手順をたどります。",
    ),
    RULES,
    STYLE,
)
CORNERS = deepening(
    Words("Corner bound", "隅の下界"),
    Words(
        "A peg in a corner cannot be captured, so each one still costs a move of its own.",
        "隅のペグは取られないので、それぞれ動かすのに一手かかります。",
    ),
    RULES,
    STYLE,
    "corners",
    corner_bound,
)


def jump_tables(board: Board) -> Tables:
    """The arrays the rules read, from the board's jumps."""
    jumps = board.jumps
    bits = [(1 << a | 1 << b | 1 << c, 1 << a | 1 << b) for a, b, c in jumps]
    corners = set(range(len(board.points))) - {over for _, over, _ in jumps}
    return Tables(
        np.array([mask for mask, _ in bits], np.uint64),
        np.array([pegs for _, pegs in bits], np.uint64),
        np.array([origin for origin, _, _ in jumps], np.int64),
        np.array([target for _, _, target in jumps], np.int64),
        np.array(sum(1 << hole for hole in corners), np.uint64),
    )


def _fault(cells: tuple[int, ...]) -> str | None:
    return None if any(cells) else "there is no peg on it"


def _kept(image: Permutation, goal: int) -> bool:
    return goal == ANYWHERE or image[goal] == goal


def _vacated(holes: int, vacancy: int) -> str:
    return "".join("." if hole == vacancy else "o" for hole in range(holes))


def _problem(holes: int, start: int, end: int) -> Problem:
    name = f"{start} → {end}"
    return Problem(Words(name, name), _vacated(holes, start), str(end))


def peg_puzzle(
    id: str,
    title: Words,
    board: Board,
    problems: list[tuple[int, int]],
    frame: str = "hull",
    lesson: str = "deepening",
) -> Puzzle:
    """The puzzle on a board. `problems`: (vacancy, finish) of the classic ones, the first is the start."""
    holes = len(board.points)
    tables = jump_tables(board)
    return Puzzle(
        id=id,
        family="pegs",
        title=title,
        objective=Words(
            "Jump one peg over another into an empty hole; the jumped peg is taken away. Leave one.",
            "ペグを隣のペグの上から空いた穴へ跳ばすと、跳び越されたペグは取り除かれます。一本だけ残しましょう。",
        ),
        board=board,
        alphabet=".o",
        bits=1,
        pieces=("", "peg"),
        frame=frame,
        start=_vacated(holes, problems[0][0]),
        goal=str(problems[0][1]),
        goals={**{str(hole): hole for hole in range(holes)}, "any": ANYWHERE},
        starts={str(hole): _vacated(holes, hole) for hole in range(holes)},
        problems=tuple(_problem(holes, start, end) for start, end in problems),
        rules=RULES,
        tables=tables,
        chains=True,
        find_active=lambda cells: -1,
        find_fault=_fault,
        obstruction=lambda position, goal: None,
        source=complete_tables(board.jumps, holes),
        methods={"deepening": PLAIN, "corners": CORNERS, "best": best()},
        lesson=lesson,
        kept=_kept,
        place=holes,
    )


HOPPERS = Board.from_text(
    """
o o o
 o o
o o o
 o o
o o o
""",
    CHECKERED,
)
DIAMOND_13 = Board.from_text(
    """
  o
 ooo
ooooo
 ooo
  o
""",
    EIGHT,
)
TRIANGLE_15 = Board.from_text(
    """
    o
   o o
  o o o
 o o o o
o o o o o
""",
    TRIANGULAR,
    stretch=3**0.5,
)
TRIANGLE_21 = Board.from_text(
    """
     o o
      o
     o o
    o o o
   o o o o
o o o o o o o
 o         o
""",
    TRIANGULAR,
    stretch=3**0.5,
)

PUZZLES = [
    peg_puzzle("hoppers", Words("Hoppers", "ホッパーズ"), HOPPERS, [(6, 6)]),
    peg_puzzle("diamond-13", Words("Diamond 13", "ダイヤ 13"), DIAMOND_13, [(6, 6)]),
    peg_puzzle(
        "triangle-15", Words("Triangle 15", "三角 15"), TRIANGLE_15, [(0, 0), (1, 1), (3, 3), (4, 12)]
    ),
    peg_puzzle("triangle-21", Words("Triangle 21", "三角 21"), TRIANGLE_21, [(6, 6)], lesson="corners"),
]
