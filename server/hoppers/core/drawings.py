"""Drawings of boards as short texts, such as `own-s-2c-e-e-e-d`: ids of boards that people draw.

After `own-` comes the lattice: s has rows and columns, d both diagonals, too, and t is triangular. Then come
the rows, from the top, joined by `-`: a number counts free places, a letter is a run of holes (a one,
b two, …, v twenty-two). Rows of a triangular lattice are sheared: each begins half a hole further left than
the one above.

A drawing has one spelling, wherever it stands on the lattice. The twin for pages is static/tables/drawing.js.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple, Self

from hoppers.core.board import CHECKERED, EIGHT, SLANTED, SQUARE, TRIANGULAR, Board, Point
from hoppers.core.errors import PuzzleError

PREFIX = "own-"
MAX_HOLES = 45
MAX_SIDE = 40
"""Rows and columns of a drawing at most."""
LONGEST_RUN = 22
"""Holes that one letter stands for at most: v."""
DIRECTIONS = {"s": SQUARE, "d": EIGHT, "t": TRIANGULAR}


class BoardDrawing(NamedTuple):
    """Holes on a lattice; the least column and row are 0."""

    lattice: str
    points: tuple[Point, ...]
    """Column and row of each hole, in reading order."""

    @classmethod
    def of(cls, lattice: str, points: list[Point]) -> Self:
        """Return the drawing of some holes anywhere on the lattice."""
        left, top = min(x for x, _ in points), min(y for _, y in points)
        moved = sorted(((x - left, y - top) for x, y in points), key=lambda point: point[::-1])
        return cls(lattice, tuple(moved))

    @property
    def id(self) -> str:
        """The id that spells the drawing."""
        last = self.points[-1][1]
        rows = ([x for x, y in self.points if y == row] for row in range(last + 1))
        return f"{PREFIX}{self.lattice}-{'-'.join(''.join(_spelled(columns)) for columns in rows)}"

    def board(self) -> Board:
        """Return the board of the drawing."""
        if self.lattice != "t":
            return Board(self.points, DIRECTIONS[self.lattice])
        return Board(tuple((2 * x - y, y) for x, y in self.points), TRIANGULAR, SLANTED)


def _spelled(columns: list[int]) -> Iterator[str]:
    """Yield the parts of the text of a row."""
    end, place = 0, 0
    while place < len(columns):
        first, begin = columns[place], place
        while place < len(columns) and columns[place] == first + place - begin < first + LONGEST_RUN:
            place += 1
        yield (str(first - end) if first > end else "") + chr(96 + place - begin)
        end = first + place - begin


def read_drawing(id: str) -> BoardDrawing:
    """Return the drawing that an id spells.

    Raises:
        PuzzleError: it spells none, or one in another way than `BoardDrawing.id`, or one that is too large.
    """
    found = re.fullmatch(r"own-([sdt])-((?:[0-9]{1,2}|[a-v]|-)+)", id)
    points = [] if found is None else [*_points(found[2].split("-"))]
    if found is None or not points:
        raise PuzzleError(
            "{id!r} draws no board. Behind {prefix} come the lattice (s, d or t) and the rows: numbers for "
            "free places and letters for runs of holes, such as {example}.",
            "unknown_puzzle",
            id=id,
            prefix=PREFIX,
            example="own-s-2c-e-e-e-d",
        )
    if len(points) > MAX_HOLES:
        raise PuzzleError(
            "{id!r} has {holes} holes; a drawn board has at most {most}.",
            "unknown_puzzle",
            id=id,
            holes=len(points),
            most=MAX_HOLES,
        )
    drawing = BoardDrawing.of(found[1], points)
    if max(max(x, y) for x, y in drawing.points) >= MAX_SIDE:
        raise PuzzleError(
            "{id!r} is wider or higher than {most} places.", "unknown_puzzle", id=id, most=MAX_SIDE
        )
    if drawing.id != id:
        raise PuzzleError(
            "{id!r} is spelled wrong; right is {right!r}.", "unknown_puzzle", id=id, right=drawing.id
        )
    return drawing


def _points(rows: list[str]) -> Iterator[Point]:
    for y, row in enumerate(rows):
        x = 0
        for free, run in re.findall(r"([0-9]+)|([a-v])", row):
            length = int(free) if free else ord(run) - 96
            if run:
                yield from ((x + place, y) for place in range(length))
            x += length


def drawing_of(board: Board) -> BoardDrawing | None:
    """Return the drawing of a board, as it stands; None if its lines are those of no lattice."""
    if board.directions == CHECKERED:  # turned by 45 degrees
        return BoardDrawing.of("d", [((x + y) // 2, (y - x) // 2) for x, y in board.points])
    if board.directions == TRIANGULAR:
        return BoardDrawing.of("t", [((x + y) // 2, y) for x, y in board.points])
    lattice = next((name for name, lines in DIRECTIONS.items() if lines == board.directions), None)
    return None if lattice is None else BoardDrawing.of(lattice, [*board.points])


def turned(drawing: BoardDrawing) -> Iterator[BoardDrawing]:
    """Yield a drawing as it looks after each turn and reflection of its lattice, itself first."""
    points = [*drawing.points]
    for _ in range(2):
        for _ in range(6 if drawing.lattice == "t" else 4):
            yield BoardDrawing.of(drawing.lattice, points)
            points = [(x - y, x) if drawing.lattice == "t" else (-y, x) for x, y in points]
        points = [(y, x) for x, y in points]


def common_id(drawing: BoardDrawing) -> str:
    """Return an id that all turns and reflections of a drawing share: the first of theirs by the alphabet."""
    return min(each.id for each in turned(drawing))
