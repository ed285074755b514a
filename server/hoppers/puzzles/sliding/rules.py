"""Rules of sliding tiles on a rectangle: compiled, and on whole arrays.

A state has four bits per cell, 0 for the blank; `active` is the cell of the blank.

The compiled rules serve all searches except `pattern_search`, which has its own kernel. The array version
lists all positions at a given distance from home. On the 8-puzzle it takes a tenth of a second and no
compiled kernel, so that a new server can offer random positions at once.
"""

import itertools
import math
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.board import SQUARE, Board
from hoppers.core.kernels import kernel
from hoppers.core.model import NO_SOLUTION, Position
from hoppers.core.numbering import StateNumbering
from hoppers.core.reasons import PARITY, Reason, StepTally, Tally
from hoppers.core.rules import RuleKernels
from hoppers.core.texts import Text

BITS = 4
HOME = 0  # the code of the only goal
MAX_TABLE_CELLS = 10  # cells of a board that has a complete table
NO_CELL = 16  # marks the end of a list in `SlidingTables.lists`
LISTS = 17  # lists per cell of the blank: all its neighbours; then its neighbours except cell 0, 1, … 15
LIST_LENGTH = 8  # entries of `SlidingTables.lists` per list: at most four cells, the others NO_CELL


class SlidingTables(NamedTuple):
    """Arrays of a board that the compiled rules and the lower bounds take."""

    distances: Any  # int64[cell, tile]: Manhattan distance from the cell to the tile's home, 0 for the blank
    home: Any  # uint64, a 0-d array: the solved state
    lists: Any  # uint64, flat: LISTS lists of LIST_LENGTH cells per cell of the blank; see `first_cursor`
    degrees: Any  # int64[cell]: number of neighbours of each cell
    nearest: Any  # uint64[cell]: state one slide from home with the blank in the cell, 0 if there is none
    lines: Any = None  # `LineTables`, if the lower bound needs them


@kernel
def tile_at(state: Any, cell: int) -> Any:
    """Return the number of the tile in `cell`, 0 for the blank."""
    return np.int64(state >> np.uint64(4 * cell) & np.uint64(15))


@kernel
def first_cursor(active: int, before: int) -> int:
    """Return the first cursor of the list of the blank's neighbours except cell `before` (-1: of all).

    See `core.rules.first_cursor`.
    """
    return (before + 1) * LIST_LENGTH


@kernel
def next_step(state: Any, active: int, cursor: int, tables: Any) -> Any:
    """Return the slide of the tile that `cursor` points to; see `core.rules.next_step`.

    A cursor is an index into the part of `SlidingTables.lists` for the blank's cell. All numbers are
    unsigned: with signed ones the compiler would test every index for being negative.
    """
    two, blank = np.uint64(2), np.uint64(active)
    origin = tables.lists[blank * np.uint64(LISTS * LIST_LENGTH) + np.uint64(cursor)]
    if origin == np.uint64(NO_CELL):
        return -1, 0, 0, state, active, 0
    tile = state >> (origin << two) & np.uint64(15)
    # the blank is 0, so the same tile toggled in both cells empties one and fills the other
    after = state ^ (tile << (origin << two)) ^ (tile << (blank << two))
    return cursor + 1, np.int64(origin), active, after, np.int64(origin), 1


@kernel
def is_solved(state: Any, active: int, goal: int, tables: Any) -> bool:
    """Return whether all tiles are home."""
    return bool(state == tables.home[()])


@kernel
def rank(state: Any, active: int, tables: Any) -> int:
    """Return the number of an arrangement among all permutations (Lehmer code, first cell first)."""
    number, seen = 0, 0
    cells = len(tables.degrees)
    for cell in range(cells):
        tile = tile_at(state, cell)
        # the digit of a cell is the number of smaller tiles that follow it
        smaller = tile
        for lower in range(tile):
            smaller -= seen >> lower & 1
        number = number * (cells - cell) + smaller
        seen |= 1 << tile
    return number


@kernel
def count_steps(state: Any, active: int, tables: Any) -> Any:
    """Return the number of slides that do not undo the last one, and 1 if a slide solves the puzzle, else 0.

    See `core.rules.count_steps`.
    """
    blank = np.uint64(active)
    return tables.degrees[blank] - 1, int(state == tables.nearest[blank])


KERNELS = RuleKernels("sliding", next_step, is_solved, count_steps, first_cursor)


@cache
def rectangle(width: int, height: int) -> Board:
    """Return the board of `width` by `height` cells, at most 16 in all."""
    return Board.from_text("\n".join(["o" * width] * height), SQUARE)


def size_of(board: Board) -> tuple[int, int]:
    """Return the width and the height of a rectangle, in cells."""
    last_column, last_row = board.points[-1]
    return last_column + 1, last_row + 1


EIGHT_BOARD, ELEVEN_BOARD, FIFTEEN_BOARD = rectangle(3, 3), rectangle(4, 3), rectangle(4, 4)


@cache
def sliding_tables(board: Board) -> SlidingTables:
    """Return the arrays that the rules take on a board, without `lines`, which only some bounds need."""
    cells = len(board.points)
    points, distances = np.array(board.points), np.zeros((cells, cells), np.int64)
    distances[:, 1:] = np.abs(points[:, np.newaxis] - points[:-1]).sum(axis=2)  # the home of tile 1 is cell 0
    home = sum(tile << BITS * cell for cell, tile in enumerate(home_cells(board)))
    lists = np.full((cells, LISTS, LIST_LENGTH), NO_CELL, np.uint64)
    for cell, number in itertools.product(range(cells), range(LISTS)):
        others = [near for near in board.neighbours[cell] if near != number - 1]
        lists[cell, number, : len(others)] = others
    nearest = np.zeros(cells, np.uint64)
    for cell in board.neighbours[-1]:
        tile = home >> BITS * cell & 15
        nearest[cell] = home ^ tile << BITS * cell ^ tile << BITS * (cells - 1)
    return SlidingTables(
        distances,
        np.array(home, np.uint64),
        lists.reshape(-1),
        np.array([len(near) for near in board.neighbours], np.int64),
        nearest,
    )


def unpack(state: int, board: Board) -> tuple[int, ...]:
    """Return the tiles of a state, cell by cell."""
    return tuple(state >> BITS * cell & 15 for cell in range(len(board.points)))


def home_cells(board: Board) -> tuple[int, ...]:
    """Return the tiles of the solved position, cell by cell: in order, the blank last."""
    return (*range(1, len(board.points)), 0)


def is_odd(cells: tuple[int, ...], board: Board) -> bool:
    """Return whether the arrangement is unsolvable by parity.

    See `disorder`, which is 0 for the solved arrangement. Source: Johnson and Story, "Notes on the 15 puzzle"
    (1879).
    """
    return sum(disorder(cells, board).values()) % 2 == 1


def disorder(cells: tuple[int, ...], board: Board) -> dict[int, int]:
    """Return numbers of cells whose total keeps its parity in every slide, as {cell: number}.

    The number of a tile's cell is that of smaller tiles in later cells (its inversions). A horizontal slide
    changes none. A vertical slide passes width - 1 tiles, so on an even width it changes the parity of the
    inversions and that of the blank's row together: there the blank's cell has the number of rows below it.
    """
    numbers = {
        cell: sum(0 < later < tile for later in cells[cell + 1 :]) for cell, tile in enumerate(cells) if tile
    }
    blank = cells.index(0)
    (width, height), (_, row) = size_of(board), board.points[blank]
    return {**numbers, blank: height - 1 - row} if width % 2 == 0 else numbers


def parity_reason(position: Position, board: Board) -> Reason | None:
    """Return why an arrangement is unsolvable by parity, or None if it is not."""
    cells, home = unpack(position.state, board), home_cells(board)
    if not is_odd(cells, board):
        return None
    blank, numbers = cells.index(0), disorder(cells, board)
    afters = {cell: _swapped(cells, cell, blank) for cell in board.neighbours[blank]}
    after = [StepTally(cell, blank, sum(disorder(row, board).values())) for cell, row in afters.items()]
    target = Position(sum(tile << BITS * cell for cell, tile in enumerate(home)), len(home) - 1)
    written, total = {cell: number for cell, number in numbers.items() if number}, sum(numbers.values())
    tally = Tally(PARITY, position, (target,), written, total, 0, tuple(after))
    sentence = Text(
        "Each number counts the smaller tiles that come later. Their sum, {total}, is odd, and no slide "
        "changes that; in order it would be 0. So the goal cannot be reached.",
        {"total": total},
    )
    if blank in numbers:
        sentence = Text(
            "Each number counts the smaller tiles that come later, that of the gap the rows below it. Their "
            "sum, {total}, is odd, and no slide changes that; in order it would be 0. So the goal cannot "
            "be reached.",
            {"total": total},
        )
    return Reason("parity", sentence, (tally,))


def _swapped(cells: tuple[int, ...], one: int, other: int) -> tuple[int, ...]:
    """Return the tiles after those of two cells change places."""
    row = list(cells)
    row[one], row[other] = row[other], row[one]
    return tuple(row)


def numbering(board: Board) -> StateNumbering:
    """Return the numbers of the states of a board of at most MAX_TABLE_CELLS cells: those of `rank`.

    A rectangle's symmetries would exchange tiles, so only the identity is one of the rules.
    """
    cells = len(board.points)
    return StateNumbering(
        math.factorial(cells),
        lambda image, numbers: numbers,
        lambda goal, numbers: ~_are_odd(_unranked(numbers, cells), board),
        lambda row: int(_ranked(np.array([row]))[0]),
        lambda number: tuple(_unranked(np.array([number]), cells)[0].tolist()),
        lambda goal: _fewest_moves(board),
    )


def _ranked(tiles: Any) -> Any:
    """Return the number of each row of `tiles`: see `rank`."""
    cells, numbers = tiles.shape[1], np.zeros(len(tiles), np.int64)
    for cell in range(cells):
        smaller = (tiles[:, cell + 1 :] < tiles[:, cell : cell + 1]).sum(axis=1)
        numbers = numbers * (cells - cell) + smaller
    return numbers


def _fewest_moves(board: Board) -> Any:
    """Return the fewest moves until the tiles are in order, by number of the state (uint8)."""
    cells = len(board.points)
    moves = np.full(math.factorial(cells), NO_SOLUTION, np.uint8)
    places = np.array([BITS * (cells - 1 - cell) for cell in range(cells)], np.uint64)
    for distance, words in enumerate(_levels(board)):
        moves[_ranked(words[:, None] >> places & np.uint64(15))] = distance
    return moves


def description(board: Board) -> dict[str, object]:
    """Return the rules as data (see `Rules.description`): the neighbours of each cell, and its colour."""
    colours = [(x + y) % 2 for x, y in board.points]
    return {"kind": "slides", "neighbours": board.neighbours, "colours": colours}


def _unranked(numbers: Any, cells: int) -> Any:
    """Return the tiles of states (int64[state, cell]), from their numbers."""
    tiles = np.empty((len(numbers), cells), np.int64)
    for cell in reversed(range(cells)):
        numbers, tiles[:, cell] = np.divmod(numbers, cells - cell)
        later = tiles[:, cell + 1 :]
        later += later >= tiles[:, cell : cell + 1]  # the digits count the tiles that are left
    return tiles


def _are_odd(tiles: Any, board: Board) -> Any:
    """Return whether each row of `tiles` is unsolvable by parity: what `is_odd` returns for one."""
    cells = tiles.shape[1]
    swaps = sum((tiles[:, :cell] > tiles[:, cell : cell + 1]).sum(axis=1) for cell in range(1, cells))
    colours = np.array(board.points).sum(axis=1)
    home = cells - 1  # swaps that order the home position: the blank passes all tiles
    return (swaps + home + colours[np.argmin(tiles, axis=1)] + colours[-1]) % 2 == 1


@cache
def words_at_distance(board: Board, least: int, most: int) -> Any:
    """Return all arrangements `least` to `most` slides from home, both inclusive, as in `_levels`, sorted.

    `least` must not exceed the distance of the farthest arrangement.
    """
    return np.sort(np.concatenate(_levels(board)[least : most + 1]))


def texts_at_distance(board: Board, least: int, most: int) -> list[str]:
    """Return the texts of the arrangements of `words_at_distance`."""
    return [text_of(word, board) for word in words_at_distance(board, least, most).tolist()]


def text_of(word: Any, board: Board) -> str:
    """Return the text of an arrangement that is given as a hex number."""
    return f"{word:0{len(board.points)}x}"


@cache
def _levels(board: Board) -> list[Any]:
    """Return all `levels` of a board of at most MAX_TABLE_CELLS cells."""
    return [*levels(board)]


def levels(board: Board) -> Iterator[Any]:
    """Yield the arrangements 0, 1, 2, … slides from home: sorted uint64 arrays of texts read as hex numbers.

    The algorithm is a breadth-first search on whole arrays. A slide changes the distance by exactly one,
    because it changes the parity of the permutation. So a slide from the last level leads to a new
    arrangement or to the level before, the only one to compare with.
    """
    home = int("".join(f"{tile:x}" for tile in home_cells(board)), 16)
    before, level = np.zeros(0, np.uint64), np.array([home], np.uint64)
    while len(level):
        yield level
        reached = np.sort(np.concatenate([*_slide_all(level, board)]))
        # `np.unique` takes five times as long; no arrangement is the number 0
        distinct = reached[np.diff(reached, prepend=np.uint64(0)) > 0]
        before, level = level, np.setdiff1d(distinct, before, assume_unique=True)


def _slide_all(words: Any, board: Board) -> Iterator[Any]:
    """Yield the arrangements after one slide: an array for each cell of the blank and neighbour of it."""
    first = BITS * (len(board.points) - 1)
    for cell, cells in enumerate(board.neighbours):
        blank = np.uint64(first - BITS * cell)
        here = words[words >> blank & np.uint64(15) == np.uint64(0)]
        for neighbour in cells:
            place = np.uint64(first - BITS * neighbour)
            tile = here >> place & np.uint64(15)
            yield here ^ tile << place ^ tile << blank
