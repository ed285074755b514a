"""The 8-puzzle and the 15-puzzle: tiles slide into the blank until all are in order, with the blank last."""

import math
import random
from functools import partial

from hoppers.core import notation
from hoppers.core.board import Board
from hoppers.core.model import Position, Problem, RandomKind
from hoppers.core.puzzle import Gallery, Puzzle, Rules, Solving, Texts
from hoppers.core.texts import Text
from hoppers.puzzles.sliding import fifteen_puzzle, rules
from hoppers.puzzles.sliding.lower_bounds import methods_of
from hoppers.puzzles.sliding.rules import EIGHT_BOARD, FIFTEEN_BOARD
from hoppers.tablebase.distance_table import DistanceTable, distance_table


def _validate(cells: tuple[int, ...]) -> Text | None:
    missing = sorted(set(range(len(cells))) - set(cells))
    return Text("{tile} is missing", {"tile": f"{missing[0]:x}"}) if missing else None


def _eight_puzzle_kind(name: Text, least: int, most: int) -> RandomKind:
    """Return the kind of 8-puzzle positions that need `least` to `most` moves, both inclusive."""
    found = partial(rules.texts_at_distance, EIGHT_BOARD, least, most)
    return RandomKind(name, lambda rng: rng.choice(found()), lambda: len(found()))


def _shuffled_fifteen_puzzle(rng: random.Random) -> str:
    """Return a random 15-puzzle position that can be solved and is not, all with equal chances."""
    home = list(rules.home_cells(FIFTEEN_BOARD))
    cells = home.copy()
    while True:
        rng.shuffle(cells)
        if cells != home and not rules.is_odd(tuple(cells), FIFTEEN_BOARD):
            return "".join(f"{tile:x}" for tile in cells)


def tile_table(board: Board) -> DistanceTable:
    """Return the complete table of a board of at most nine cells, built or loaded."""
    cells, tables = len(board.points), rules.sliding_tables(board)
    home = Position(int(tables.home), cells - 1)
    return distance_table(rules.KERNELS, rules.rank, math.factorial(cells), tables, [home])


def _texts(title: Text) -> Texts:
    return Texts(
        title,
        Text("Slide the tiles into order, with the gap at the end."),
        Text("Press or swipe a tile in the gap's row or column; it slides with the tiles between."),
        Text("Tap two tiles to swap them, or type the position."),
    )


def sliding_puzzle(
    id: str,
    title: Text,
    board: Board,
    problems: dict[str, Text],
    solving: Solving,
    random_kinds: dict[str, RandomKind],
    opening: str,
) -> Puzzle:
    """Return the puzzle on a board (see `rules.rectangle`).

    `problems`: start position as a text -> name. The first is the puzzle's own problem.
    `opening`: see `Gallery`.
    """
    cells = len(board.points)
    home = "".join(f"{tile:x}" for tile in rules.home_cells(board))
    return Puzzle(
        id=id,
        family="sliding",
        board=board,
        rules=Rules(
            kernels=rules.KERNELS,
            tables=rules.sliding_tables(board),
            alphabet="0123456789abcdef"[:cells],
            notations=tuple(blank + "123456789abcdef"[: cells - 1] for blank in notation.BLANKS),
            are_numbers=True,
            bits_per_cell=rules.BITS,
            goals={home: rules.HOME},
            find_active=lambda cells: cells.index(0),
            validate=_validate,
            goal_image=lambda image, goal: goal if image == tuple(range(len(image))) else None,
            unique="0123456789abcdef"[:cells],
            numbering=rules.numbering(board) if cells <= rules.MAX_TABLE_CELLS else None,
            description=rules.description(board),
            obstruction=lambda position, goal: (
                "parity" if rules.is_odd(rules.unpack(position.state, board), board) else None
            ),
            dead_reason=lambda position, goal: rules.parity_reason(position, board),
        ),
        texts=_texts(title),
        solving=solving,
        gallery=Gallery(
            problems=tuple(Problem(name, text, home) for text, name in problems.items()),
            pieces=("", *["tile"] * (cells - 1)),
            order=100 + cells,
            frame="tray",
            opening=opening,
            random_kinds=random_kinds,
            arrow_keys=True,
        ),
    )


PUZZLES = [
    sliding_puzzle(
        "eight-puzzle",
        Text("8-puzzle"),
        EIGHT_BOARD,
        {
            "867254301": Text("Hardest: 31 moves"),
            "647850321": Text("The other 31-move position"),
        },
        Solving(
            methods_of(EIGHT_BOARD),
            lambda puzzle, goal: tile_table(EIGHT_BOARD),
            "manhattan",
        ),
        {
            "easy": _eight_puzzle_kind(Text("Easy: 8 to 14 moves"), 8, 14),
            "medium": _eight_puzzle_kind(Text("Medium: 16 to 20 moves"), 16, 20),
            "hard": _eight_puzzle_kind(Text("Hard: 23 to 28 moves"), 23, 28),
            "hardest": _eight_puzzle_kind(Text("The two hardest: 31 moves"), 31, 31),
        },
        "412703568",
    ),
    sliding_puzzle(
        "fifteen-puzzle",
        Text("15-puzzle"),
        FIFTEEN_BOARD,
        {
            "e80921f3cd645b7a": Text("Shuffled"),
            "0c9dfbae37624851": Text("Hardest: 80 moves"),
        },
        Solving(
            {**methods_of(FIFTEEN_BOARD), "best": fifteen_puzzle.BEST},
            lambda puzzle, goal: fifteen_puzzle.FifteenSource(puzzle),
            "best",
            lower_bound=fifteen_puzzle.least_moves,
            any_solution=fifteen_puzzle.any_solution,
            chosen_bound=fifteen_puzzle.chosen_pattern,
        ),
        {
            "random": RandomKind(
                Text("Shuffle"),
                _shuffled_fifteen_puzzle,
                lambda: math.factorial(16) // 2 - 1,
            ),
        },
        "12345a67d908efbc",
    ),
]
