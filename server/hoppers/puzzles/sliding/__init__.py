"""Sliding tiles, such as the 8-puzzle: they slide into the blank until all are in order, the blank last."""

import math
import random
from functools import partial

from hoppers.core import notation
from hoppers.core.board import Board
from hoppers.core.model import Position, Problem, RandomKind
from hoppers.core.puzzle import Gallery, Puzzle, Rules, Solving, Texts
from hoppers.core.texts import Text
from hoppers.puzzles.sliding import pattern_source, rules
from hoppers.puzzles.sliding.lower_bounds import METHODS
from hoppers.puzzles.sliding.rules import EIGHT_BOARD, ELEVEN_BOARD, FIFTEEN_BOARD, rectangle
from hoppers.tablebase.best_method import best
from hoppers.tablebase.distance_table import DistanceTable, distance_table

KINDS = {
    "easy": Text("Easy: {least} to {most} moves"),
    "medium": Text("Medium: {least} to {most} moves"),
    "hard": Text("Hard: {least} to {most} moves"),
    "hardest": Text("Hardest: {most} moves"),
}
"""Name of each kind of random positions of a board with a table."""


def _validate(cells: tuple[int, ...]) -> Text | None:
    missing = sorted(set(range(len(cells))) - set(cells))
    return Text("{tile} is missing", {"tile": f"{missing[0]:x}"}) if missing else None


def _table_kinds(board: Board, ranges: dict[str, tuple[int, int]]) -> dict[str, RandomKind]:
    """Return the kinds of random positions of a board with a table: name -> least and most moves."""
    return {name: _kind(board, KINDS[name], *limits) for name, limits in ranges.items()}


def _kind(board: Board, name: Text, least: int, most: int) -> RandomKind:
    """Return the kind of positions that need `least` to `most` moves, both inclusive."""
    found = partial(rules.words_at_distance, board, least, most)
    return RandomKind(
        name._replace(values={"least": least, "most": most}),
        lambda rng: rules.text_of(rng.choice(found()), board),
        lambda: len(found()),
    )


def _shuffled(board: Board) -> dict[str, RandomKind]:
    """Return the kind of random positions that can be solved and are not, all with equal chances."""
    home = list(rules.home_cells(board))

    def draw(rng: random.Random) -> str:
        cells = home.copy()
        while True:
            rng.shuffle(cells)
            if cells != home and not rules.is_odd(tuple(cells), board):
                return "".join(f"{tile:x}" for tile in cells)

    return {"random": RandomKind(Text("Shuffle"), draw, lambda: math.factorial(len(home)) // 2 - 1)}


def tile_table(board: Board) -> DistanceTable:
    """Return the complete table of a board of at most `rules.MAX_TABLE_CELLS` cells, built or loaded."""
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
    featured: bool = True,
) -> Puzzle:
    """Return the puzzle on a board (see `rules.rectangle`).

    `problems`: start position as a text -> name. The first is the puzzle's own problem.
    `opening`, `featured`: see `Gallery`.
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
            order=(100 if featured else 120) + cells,
            frame="tray",
            opening=opening,
            random_kinds=random_kinds,
            arrow_keys=True,
            featured=featured,
        ),
    )


def _table_solving(board: Board) -> Solving:
    """Return the methods of a board with a table."""
    known = best(METHODS["walking-distance"].search)
    return Solving({**METHODS, "best": known}, lambda puzzle, goal: tile_table(board), "manhattan")


def _searched_solving() -> Solving:
    """Return the methods of a board with pattern databases."""
    return Solving(
        {**METHODS, "best": pattern_source.BEST},
        lambda puzzle, goal: pattern_source.PatternSource(puzzle),
        "best",
        lower_bound=pattern_source.least_moves,
        any_solution=pattern_source.any_solution,
        chosen_bound=pattern_source.chosen_pattern,
    )


TWO_BY_THREE, TWO_BY_FIVE = rectangle(3, 2), rectangle(5, 2)


def _size(rows: int, columns: int) -> Text:
    return Text("Tiles {rows}×{columns}", {"rows": rows, "columns": columns})


def _farthest(moves: int) -> Text:
    return KINDS["hardest"]._replace(values={"most": moves})


def _other(moves: int) -> Text:
    return Text("The other {most}-move position", {"most": moves})


PUZZLES = [
    sliding_puzzle(
        "eight-puzzle",
        Text("8-puzzle"),
        EIGHT_BOARD,
        {"867254301": _farthest(31), "647850321": _other(31)},
        _table_solving(EIGHT_BOARD),
        _table_kinds(
            EIGHT_BOARD, {"easy": (8, 14), "medium": (16, 20), "hard": (23, 28), "hardest": (31, 31)}
        ),
        "412703568",
    ),
    sliding_puzzle(
        "fifteen-puzzle",
        Text("15-puzzle"),
        FIFTEEN_BOARD,
        {
            "e80921f3cd645b7a": Text("Shuffled"),
            "0c9dfbae37624851": _farthest(80),
        },
        _searched_solving(),
        _shuffled(FIFTEEN_BOARD),
        "12345a67d908efbc",
    ),
    sliding_puzzle(
        "tiles-2x3",
        _size(2, 3),
        TWO_BY_THREE,
        {"450123": _farthest(21)},
        _table_solving(TWO_BY_THREE),
        _table_kinds(TWO_BY_THREE, {"easy": (5, 9), "medium": (10, 14), "hard": (15, 21)}),
        "504132",
        featured=False,
    ),
    sliding_puzzle(
        "tiles-2x5",
        _size(2, 5),
        TWO_BY_FIVE,
        {"0532194876": _farthest(55), "0937154826": _other(55)},
        _table_solving(TWO_BY_FIVE),
        _table_kinds(
            TWO_BY_FIVE, {"easy": (10, 18), "medium": (24, 32), "hard": (40, 50), "hardest": (55, 55)}
        ),
        "1098462735",
        featured=False,
    ),
    sliding_puzzle(
        "tiles-3x4",
        _size(3, 4),
        ELEVEN_BOARD,
        {"b2037658941a": Text("Shuffled"), "43218b6507a9": _farthest(53)},
        _searched_solving(),
        _shuffled(ELEVEN_BOARD),
        "12736b0459a8",
        featured=False,
    ),
]
