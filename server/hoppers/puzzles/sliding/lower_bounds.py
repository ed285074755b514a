"""Lower bounds for sliding tiles: Manhattan distance, linear conflict and walking distance.

Linear conflict and walking distance are never below Manhattan distance. No bound counts the blank as a tile.
"""

import itertools
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.board import Board
from hoppers.core.events import Marks
from hoppers.core.kernels import kernel
from hoppers.core.model import Position
from hoppers.core.puzzle import Method, Puzzle
from hoppers.core.texts import Text
from hoppers.puzzles.sliding.rules import BITS, SlidingTables, size_of, sliding_tables, tile_at
from hoppers.search.breadth_first import BREADTH_FIRST, breadth_first_method
from hoppers.search.hash_tables import slot_of
from hoppers.search.iterative_deepening import PLAIN, deepening_method


@kernel
def manhattan(state: Any, active: int, goal: int, tables: Any) -> int:
    """Return the sum over all tiles of the rows and columns between the tile and its home."""
    total = 0
    for cell in range(len(tables.degrees)):
        total += tables.distances[cell, tile_at(state, cell)]
    return total


@kernel
def conflicts(content: Any, length: int, width: int, line: int, by_row: bool) -> Any:
    """Return the number of tiles that must leave a row or column so that its other tiles can reach home.

    Only tiles in their home line count: all but the longest increasing subsequence of them must leave.

    `content`: tiles of the line, four bits each. `length`: cells in the line. `width`: cells in a row.
    `line`: number of the row or column. `by_row`: whether the line is a row; otherwise it is a column.
    """
    homes, lengths = np.zeros(length, np.int64), np.zeros(length, np.int64)
    count, longest = 0, 0
    for place in range(length):
        tile = tile_at(content, place) - 1
        if tile < 0 or (tile // width if by_row else tile % width) != line:
            continue
        # lengths[i]: length of the longest increasing subsequence of home cells that ends with the i-th tile
        homes[count], lengths[count] = (tile % width if by_row else tile // width), 1
        for before in range(count):
            if homes[before] < homes[count]:
                lengths[count] = max(lengths[count], lengths[before] + 1)
        longest = max(longest, lengths[count])
        count += 1
    return count - longest


class Lines(NamedTuple):
    """Contributions of whole rows, or of whole columns, to the bounds, and half of the walking distance.

    The content of a line is its tiles, four bits each. A bound looks up one number per line. Walking distance
    then looks up one distance for all rows, and one for all columns.
    """

    added: Any  # uint8[line, content]: 2 for each tile that must leave; in a row also its Manhattan distances
    counts: Any  # uint16[content]: numbers of tiles whose home is in each line; `count_bits` each
    count_bits: int  # bits of a number of tiles in one line
    keys: Any  # uint64[slots]: matrices of the walking distance, open addressing, 0 in a free slot
    walks: Any  # uint8[slots]: distance from home of the matrix in the same slot of `keys`


class LineTables(NamedTuple):
    """The two directions of lines on a board."""

    rows: Lines
    columns: Lines


@kernel
def row_of(state: Any, row: int, width: int) -> Any:
    """Return the tiles of `row` on a board with `width` cells in a row: 4 bits each, first cell lowest."""
    return state >> np.uint64(4 * width * row) & np.uint64((1 << 4 * width) - 1)


@kernel
def column_of(state: Any, column: int, width: int) -> Any:
    """Return the tiles of `column` on a board with `width` cells in a row, and at most four rows.

    They have 4 bits each, the first cell lowest.
    """
    # Cells of a column are 4 * width bits apart in the state and 4 bits apart in the content. Each shift
    # moves one more cell to its place. With fewer than four rows the last masks take bits that are all 0.
    line, gap = state >> np.uint64(4 * column), np.uint64(4 * (width - 1))
    upper = line & np.uint64(0xF) | line >> gap & np.uint64(0xF0)
    return upper | line >> gap + gap & np.uint64(0xF00) | line >> gap + gap + gap & np.uint64(0xF000)


@kernel
def linear_conflict(state: Any, active: int, goal: int, tables: Any) -> Any:
    """Return the Manhattan distance plus 2 for each tile that must leave its home row or column.

    Source: Hansson, Mayer and Yung, "Criticizing solutions to relaxed models yields powerful admissible
    heuristics" (1992).
    """
    rows, columns, total = tables.lines.rows.added, tables.lines.columns.added, 0
    width = len(columns)
    for row in range(len(rows)):
        total += rows[row, row_of(state, row, width)]
    for column in range(width):
        total += columns[column, column_of(state, column, width)]
    return total


@kernel
def fill_lines(
    width: int, length: int, by_row: bool, distances: Any, bits: int, added: Any, counts: Any
) -> None:
    """Fill the arrays `added` and `counts` of `Lines`, all 0, for all possible line contents.

    `width`: cells of a row. `length`: cells of a line. `by_row`: whether the lines are rows. `distances`:
    Manhattan distances from home, by cell and tile. `bits`: see `Lines.count_bits`. Contents with a number
    that no tile has stay 0.
    """
    for content in range(1 << 4 * length):
        state, valid = np.uint64(content), True
        for place in range(length):
            valid = valid and tile_at(state, place) < len(distances)
        if not valid:
            continue
        for line in range(len(added)):
            added[line, content] = 2 * conflicts(state, length, width, line, by_row)
            for place in range(length if by_row else 0):
                added[line, content] += distances[line * width + place, tile_at(state, place)]
        for place in range(length):
            tile = tile_at(state, place) - 1
            if tile >= 0:
                counts[content] += 1 << bits * (tile // width if by_row else tile % width)


@kernel
def walk_lengths(state: Any, lines: Any) -> tuple[Any, Any]:
    """Return the two parts of the walking distance: lower bounds of the vertical and the horizontal moves."""
    rows, columns, across, down = lines.rows, lines.columns, np.uint64(0), np.uint64(0)
    width, height = len(columns.added), len(rows.added)
    for row in range(height):
        across |= np.uint64(rows.counts[row_of(state, row, width)]) << np.uint64(
            rows.count_bits * height * row
        )
    for column in range(width):
        place = np.uint64(columns.count_bits * width * column)
        down |= np.uint64(columns.counts[column_of(state, column, width)]) << place
    vertical = np.int64(rows.walks[slot_of(across, rows.keys)])
    return vertical, np.int64(columns.walks[slot_of(down, columns.keys)])


@kernel
def walking_distance(state: Any, active: int, goal: int, tables: Any) -> Any:
    """Return the fewest vertical moves if only rows mattered, plus the fewest horizontal if only columns.

    Source: Ken'ichiro Takahashi, 15 puzzle solver (2001).
    """
    vertical, horizontal = walk_lengths(state, tables.lines)
    return vertical + horizontal


@cache
def bound_tables(board: Board) -> SlidingTables:
    """Return the tables of a board of at most four rows: those of the rules, and `lines`."""
    return sliding_tables(board)._replace(lines=LineTables(_lines(board, True), _lines(board, False)))


def _lines(board: Board, by_row: bool) -> Lines:
    """Return the contributions of the rows of a board, or of its columns."""
    width, height = size_of(board)
    number, length = (height, width) if by_row else (width, height)
    added, counts = np.zeros((number, 1 << BITS * length), np.uint8), np.zeros(1 << BITS * length, np.uint16)
    bits, distances = length.bit_length(), _walk_from_home(number, length)
    fill_lines(width, length, by_row, sliding_tables(board).distances, bits, added, counts)
    slots = 1 << (2 * len(distances)).bit_length()
    keys, walks = np.zeros(slots, np.uint64), np.zeros(slots, np.uint8)
    for matrix, distance in distances.items():
        key = np.uint64(sum(count << bits * place for place, count in enumerate(matrix)))
        slot = slot_of(key, keys)
        keys[slot], walks[slot] = key, distance
    return Lines(added, counts, bits, keys, walks)


@cache
def _walk_from_home(number: int, length: int) -> dict[tuple[int, ...], int]:
    """Return the distance from home of every matrix of the walking distance, by breadth-first search.

    `matrix[line * number + home line]` counts the tiles in a line by home line, for rows or for columns:
    `number` lines of `length` cells. The blank's line has one tile fewer. A move brings any tile of a
    neighbouring line into the blank's line.
    """
    lines = itertools.product(range(number), repeat=2)
    start = tuple((now == line) * (length - (line == number - 1)) for now, line in lines)
    distances, reached = {start: 0}, [(start, number - 1)]
    for matrix, gap in reached:  # grows meanwhile; `gap` is the blank's line
        for now, line in itertools.product((gap - 1, gap + 1), range(number)):
            if 0 <= now < number and matrix[now * number + line]:
                counts = list(matrix)
                counts[now * number + line] -= 1
                counts[gap * number + line] += 1
                after = tuple(counts)
                if after not in distances:
                    distances[after] = distances[matrix] + 1
                    reached.append((after, now))
    return distances


def distance_marks(puzzle: Puzzle, position: Position, goal: int) -> Marks:
    """Return a mark for each tile that is not home: its Manhattan distance and its cell."""
    distances = puzzle.rules.tables.distances
    placed = enumerate(puzzle.cells(position.state))
    return tuple((int(distances[at]), (at[0],)) for at in placed if distances[at])


def conflict_marks(puzzle: Puzzle, position: Position, goal: int) -> Marks:
    """Return `distance_marks` and a mark for each row and column in which tiles block each other.

    The mark has the cells of these tiles; its number is 2 for each tile that must leave the row or column.
    """
    found, (width, height) = distance_marks(puzzle, position, goal), size_of(puzzle.board)
    lines = [(True, row) for row in range(height)] + [(False, column) for column in range(width)]
    for by_row, line in lines:
        first, last, step = (line * width, (line + 1) * width, 1) if by_row else (line, puzzle.holes, width)
        cells = tuple(range(first, last, step))
        content = (row_of if by_row else column_of)(np.uint64(position.state), line, width)
        aside = int(conflicts(np.uint64(content), len(cells), width, line, by_row))
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
    width, _ = size_of(puzzle.board)
    tiles = [(cell, tile - 1) for cell, tile in enumerate(puzzle.cells(position.state))]
    rows = tuple(cell for cell, home in tiles if home >= 0 and cell // width != home // width)
    columns = tuple(cell for cell, home in tiles if home >= 0 and cell % width != home % width)
    walks = walk_lengths(np.uint64(position.state), bound_tables(puzzle.board).lines)
    return tuple((int(moves), cells) for moves, cells in zip(walks, (rows, columns), strict=True) if moves)


METHODS: dict[str, Method] = {
    "deepening": PLAIN,
    "manhattan": deepening_method(
        Text("Manhattan distance (as printed)"),
        Text(
            "A line is pruned when its tiles are too far from home for the limit; as in the articles, the "
            "test allows one move more than necessary."
        ),
        "manhattan",
        manhattan,
        slack=1,  # as published, for equal node counts: one move too loose
        marks=distance_marks,
    ),
    "manhattan-tight": deepening_method(
        Text("Manhattan distance"),
        Text("A line is pruned as soon as its tiles are too far from home for the limit."),
        "manhattan",
        manhattan,
        marks=distance_marks,
    ),
    "linear-conflict": deepening_method(
        Text("Linear conflict"),
        Text("Manhattan distance plus two moves for every tile that must step aside to let another pass."),
        "linear_conflict",
        linear_conflict,
        tables=lambda question: bound_tables(question.puzzle.board),
        marks=conflict_marks,
    ),
    "walking-distance": deepening_method(
        Text("Walking distance"),
        Text("The fewest vertical moves if only rows mattered, plus the fewest horizontal if only columns."),
        "walking",
        walking_distance,
        tables=lambda question: bound_tables(question.puzzle.board),
        marks=walking_marks,
    ),
    "memory": deepening_method(
        Text("Manhattan distance + transposition table"),
        Text(
            "The Manhattan distance. Besides, a position from which no solution was found is stored. It "
            "is pruned when it is reached again with as many moves left or fewer."
        ),
        "memory",
        manhattan,
        marks=distance_marks,
        use_transpositions=True,
    ),
    "breadth-first": BREADTH_FIRST,
    "bidirectional": breadth_first_method(
        lambda question: [Position(int(question.puzzle.rules.tables.home), question.puzzle.holes - 1)]
    ),
}
"""Methods for every board of at most four rows, by id."""
