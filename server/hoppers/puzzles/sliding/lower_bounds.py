"""Lower bounds for sliding tiles: Manhattan distance, linear conflict and walking distance.

Linear conflict and walking distance are never below Manhattan distance. No bound counts the blank as a tile.
"""

import itertools
import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.board import Board
from hoppers.core.events import Marks
from hoppers.core.kernels import kernel
from hoppers.core.model import Position
from hoppers.core.puzzle import Method, Puzzle
from hoppers.core.texts import Text
from hoppers.puzzles.sliding.rules import BITS, SlidingTables, rectangle, sliding_tables, tile_at
from hoppers.search.breadth_first import BREADTH_FIRST, breadth_first_method
from hoppers.search.hash_tables import slot_of
from hoppers.search.iterative_deepening import PLAIN, deepening_method
from hoppers.tablebase import table_method

COUNT_BITS = 3
"""Bits of an entry of a walking-distance matrix, which counts 0 to 4 tiles (see `_walk_from_home`)."""
SLOTS = 1 << 16  # slots of the hash table of walking-distance matrices


@kernel
def manhattan(state: Any, active: int, goal: int, tables: Any) -> int:
    """Return the sum over all tiles of the rows and columns between the tile and its home."""
    total = 0
    for cell in range(len(tables.degrees)):
        total += tables.distances[cell, tile_at(state, cell)]
    return total


@kernel
def conflicts(content: Any, side: int, line: int, by_row: bool) -> Any:
    """Return the number of tiles that must leave a row or column so that its other tiles can reach home.

    Only tiles in their home line count: all but the longest increasing subsequence of them must leave.

    `content`: tiles of the line, four bits each. `side`: cells in a line, at most 4. `line`: number of the
    row or column. `by_row`: whether the line is a row; otherwise it is a column.
    """
    homes, lengths = np.zeros(4, np.int64), np.zeros(4, np.int64)
    count, longest = 0, 0
    for place in range(side):
        tile = tile_at(content, place) - 1
        if tile < 0 or (tile // side if by_row else tile % side) != line:
            continue
        # lengths[i]: length of the longest increasing subsequence of home cells that ends with the i-th tile
        homes[count], lengths[count] = (tile % side if by_row else tile // side), 1
        for before in range(count):
            if homes[before] < homes[count]:
                lengths[count] = max(lengths[count], lengths[before] + 1)
        longest = max(longest, lengths[count])
        count += 1
    return count - longest


class LineTables(NamedTuple):
    """Contributions of whole lines to the bounds, and walking distances.

    A line is a row or column. Its content is its tiles, four bits each. A bound looks up one number per line.
    Walking distance then looks up one distance for all rows, and one for all columns.
    """

    rows: Any  # uint8[row, content]: sum of Manhattan distances, plus 2 for each tile that must leave the row
    columns: Any  # uint8[column, content]: 2 for each tile that must leave the column
    counts: Any  # uint64[2, content]: numbers of tiles whose home is in each row, and column; COUNT_BITS each
    keys: Any  # uint64[SLOTS]: matrices of the walking distance, open addressing, 0 in a free slot
    walks: Any  # uint8[SLOTS]: distance from home of the matrix in the same slot of `keys`


@kernel
def row_of(state: Any, row: int, side: int) -> Any:
    """Return the tiles of `row` on a board of `side` by `side` cells: 4 bits each, first cell lowest."""
    return state >> np.uint64(4 * side * row) & np.uint64((1 << 4 * side) - 1)


@kernel
def column_of(state: Any, column: int, side: int) -> Any:
    """Return the tiles of `column` on a board of `side` by `side` cells: 4 bits each, first cell lowest."""
    # Cells of a column are 4 * side bits apart in the state and 4 bits apart in the content. Each shift moves
    # one more cell to its place. On a board of three by three the last mask takes bits that are all 0.
    line, gap = state >> np.uint64(4 * column), np.uint64(4 * (side - 1))
    upper = line & np.uint64(0xF) | line >> gap & np.uint64(0xF0)
    return upper | line >> gap + gap & np.uint64(0xF00) | line >> gap + gap + gap & np.uint64(0xF000)


@kernel
def linear_conflict(state: Any, active: int, goal: int, tables: Any) -> Any:
    """Return the Manhattan distance plus 2 for each tile that must leave its home row or column.

    Source: Hansson, Mayer and Yung, "Criticizing solutions to relaxed models yields powerful admissible
    heuristics" (1992).
    """
    lines, total = tables.lines, 0
    side = len(lines.rows)
    for line in range(side):
        total += lines.rows[line, row_of(state, line, side)]
        total += lines.columns[line, column_of(state, line, side)]
    return total


@kernel
def fill_lines(side: int, distances: Any, rows: Any, columns: Any, counts: Any) -> None:
    """Fill the arrays `rows`, `columns` and `counts` of `LineTables`, all 0, for all possible line contents.

    `side`: cells of a line. `distances`: Manhattan distances from home, by cell and tile. Contents with a
    number that no tile has stay 0.
    """
    for content in range(1 << 4 * side):
        state, valid = np.uint64(content), True
        for place in range(side):
            valid = valid and tile_at(state, place) < side * side
        if not valid:
            continue
        for line in range(side):
            rows[line, content] = 2 * conflicts(state, side, line, True)
            columns[line, content] = 2 * conflicts(state, side, line, False)
            for place in range(side):
                rows[line, content] += distances[line * side + place, tile_at(state, place)]
        for place in range(side):
            tile = tile_at(state, place) - 1
            if tile >= 0:
                counts[0, content] += np.uint64(1) << np.uint64(COUNT_BITS * (tile // side))
                counts[1, content] += np.uint64(1) << np.uint64(COUNT_BITS * (tile % side))


@kernel
def walk_lengths(state: Any, lines: Any) -> tuple[Any, Any]:
    """Return the two parts of the walking distance: lower bounds of the vertical and the horizontal moves."""
    side, rows, columns = len(lines.rows), np.uint64(0), np.uint64(0)
    for line in range(side):
        place = np.uint64(COUNT_BITS * side * line)
        rows |= lines.counts[0, row_of(state, line, side)] << place
        columns |= lines.counts[1, column_of(state, line, side)] << place
    vertical = np.int64(lines.walks[slot_of(rows, lines.keys)])
    return vertical, np.int64(lines.walks[slot_of(columns, lines.keys)])


@kernel
def walking_distance(state: Any, active: int, goal: int, tables: Any) -> Any:
    """Return the fewest vertical moves if only rows mattered, plus the fewest horizontal if only columns.

    Source: Ken'ichiro Takahashi, 15 puzzle solver (2001).
    """
    vertical, horizontal = walk_lengths(state, tables.lines)
    return vertical + horizontal


@cache
def bound_tables(side: int) -> SlidingTables:
    """Return the tables of a board of `side` by `side` cells: those of the rules, and `lines`."""
    keys, walks = np.zeros(SLOTS, np.uint64), np.zeros(SLOTS, np.uint8)
    for matrix, distance in _walk_from_home(side).items():
        key = np.uint64(sum(count << COUNT_BITS * place for place, count in enumerate(matrix)))
        slot = slot_of(key, keys)
        keys[slot], walks[slot] = key, distance
    rows, columns = np.zeros((2, side, 1 << 4 * side), np.uint8)
    counts = np.zeros((2, 1 << 4 * side), np.uint64)
    rules = sliding_tables(rectangle(side, side))
    fill_lines(side, rules.distances, rows, columns, counts)
    return rules._replace(lines=LineTables(rows, columns, counts, keys, walks))


def _walk_from_home(side: int) -> dict[tuple[int, ...], int]:
    """Return the distance from home of every matrix of the walking distance, by breadth-first search.

    `matrix[line * side + home line]` counts the tiles in a line by home line, for rows or for columns. The
    blank's line has one tile fewer. A move brings any tile of a neighbouring line into the blank's line.
    """
    homes = range(side * side - 1)
    lines = itertools.product(range(side), repeat=2)
    start = tuple(sum(home // side == now == line for home in homes) for now, line in lines)
    distances, reached = {start: 0}, [(start, side - 1)]
    for matrix, gap in reached:  # grows meanwhile; `gap` is the blank's line
        for now, line in itertools.product((gap - 1, gap + 1), range(side)):
            if 0 <= now < side and matrix[now * side + line]:
                counts = list(matrix)
                counts[now * side + line] -= 1
                counts[gap * side + line] += 1
                after = tuple(counts)
                if after not in distances:
                    distances[after] = distances[matrix] + 1
                    reached.append((after, now))
    return distances


def side_of(board: Board) -> int:
    """Return the number of cells in a row of a square board.

    For any other board, return the square root of the number of its cells, rounded down.
    """
    return math.isqrt(len(board.points))


def distance_marks(puzzle: Puzzle, position: Position, goal: int) -> Marks:
    """Return a mark for each tile that is not home: its Manhattan distance and its cell."""
    distances = puzzle.rules.tables.distances
    placed = enumerate(puzzle.cells(position.state))
    return tuple((int(distances[at]), (at[0],)) for at in placed if distances[at])


def conflict_marks(puzzle: Puzzle, position: Position, goal: int) -> Marks:
    """Return `distance_marks` and a mark for each row and column in which tiles block each other.

    The mark has the cells of these tiles; its number is 2 for each tile that must leave the row or column.
    """
    side, found = side_of(puzzle.board), distance_marks(puzzle, position, goal)
    for by_row, line in itertools.product((True, False), range(side)):
        cells = tuple(line * side + place if by_row else place * side + line for place in range(side))
        content = (row_of if by_row else column_of)(np.uint64(position.state), line, side)
        aside = int(conflicts(np.uint64(content), side, line, by_row))
        if aside:
            found += ((2 * aside, _blocking_cells(position, cells)),)
    return found


def _blocking_cells(position: Position, cells: tuple[int, ...]) -> tuple[int, ...]:
    """Return the cells of the line `cells` whose tiles have their homes in it and block another such tile."""
    here = [(cell, (position.state >> BITS * cell & 15) - 1) for cell in cells]
    own = [(cell, home) for cell, home in here if home in cells]
    return tuple(cell for cell, home in own if any((cell - other) * (home - away) < 0 for other, away in own))


def walking_marks(puzzle: Puzzle, position: Position, goal: int) -> Marks:
    """Return the two parts of the walking distance as marks, without a part that is 0.

    The mark of the vertical moves has the cells of all tiles outside their home rows, that of the horizontal
    moves the cells of all tiles outside their home columns.
    """
    side = side_of(puzzle.board)
    tiles = [(cell, tile - 1) for cell, tile in enumerate(puzzle.cells(position.state))]
    rows = tuple(cell for cell, home in tiles if home >= 0 and cell // side != home // side)
    columns = tuple(cell for cell, home in tiles if home >= 0 and cell % side != home % side)
    walks = walk_lengths(np.uint64(position.state), bound_tables(side).lines)
    return tuple((int(moves), cells) for moves, cells in zip(walks, (rows, columns), strict=True) if moves)


def methods_of(board: Board) -> dict[str, Method]:
    """Return the methods for a board by id, without `SQUARE_METHODS` if the board is not a square.

    The method "best" searches with the strongest of their bounds.
    """
    has_all = board == rectangle(side_of(board), side_of(board))
    methods = {name: method for name, method in METHODS.items() if has_all or name not in SQUARE_METHODS}
    strongest = METHODS["walking-distance" if has_all else "manhattan-tight"]
    breadth_first = {"breadth-first": BREADTH_FIRST, "bidirectional": BIDIRECTIONAL}
    return {**methods, **breadth_first, "best": table_method.best(strongest.search)}


BIDIRECTIONAL = breadth_first_method(
    lambda question: [Position(int(question.puzzle.rules.tables.home), question.puzzle.holes - 1)]
)
SQUARE_METHODS = {"linear-conflict", "walking-distance"}
"""Ids of the methods whose tables need rows and columns of equal length."""
METHODS = {
    "deepening": PLAIN,
    "manhattan": deepening_method(
        Text("Manhattan distance (as printed)"),
        Text(
            "A line is pruned as soon as its tiles are too far from home for the limit; as in the articles, "
            "the test lets through one move more than it needs to."
        ),
        "manhattan",
        manhattan,
        slack=1,  # as published, for equal node counts: one move too loose
        marks=distance_marks,
    ),
    "manhattan-tight": deepening_method(
        Text("Manhattan distance"),
        Text("The same bound with the tightest valid test."),
        "manhattan",
        manhattan,
        marks=distance_marks,
    ),
    "linear-conflict": deepening_method(
        Text("Linear conflict"),
        Text("Manhattan distance plus two moves for every tile that must step aside to let another pass."),
        "linear_conflict",
        linear_conflict,
        tables=lambda question: bound_tables(side_of(question.puzzle.board)),
        marks=conflict_marks,
    ),
    "walking-distance": deepening_method(
        Text("Walking distance"),
        Text("The fewest vertical moves if only rows mattered, plus the fewest horizontal if only columns."),
        "walking",
        walking_distance,
        tables=lambda question: bound_tables(side_of(question.puzzle.board)),
        marks=walking_marks,
    ),
    "memory": deepening_method(
        Text("Manhattan distance + transposition table"),
        Text(
            "The Manhattan distance. Besides, an arrangement from which no solution was found is stored, and "
            "pruned when another line reaches it with no more moves left."
        ),
        "memory",
        manhattan,
        marks=distance_marks,
        use_transpositions=True,
    ),
}
