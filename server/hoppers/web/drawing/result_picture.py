"""Lay out the picture of a result: the start of the game, its medal, and a sign for each move.

The signs say what happened at a move, not which move it was. There is no text, because the renderer of PNG
files may have no font. `templates/drawing/result.svg` has the shapes.
"""

from collections.abc import Iterator
from typing import NamedTuple

WIDTH = 640  # pixels, as all lengths here
MAX_BOARD = (560, 480)
"""Largest width and height of the board."""
MARGIN = 40
PITCH = 34
"""Distance from sign to sign."""
MEDAL_SPACE = 72
"""Room for the medal, left of the signs."""
SIGNS = {"b": "best", "c": "costs", "l": "lost", "a": "late", "o": "open", "h": "help"}
"""Letter in an address -> what happened at a move (see `static/review/grades.js`)."""
MEDALS = ("optimal", "assisted", "solved", "lost")
MAX_SIGNS = 100


class Mark(NamedTuple):
    """A sign and the place of its middle."""

    name: str
    x: int
    y: int


class ResultPicture(NamedTuple):
    """The data of `templates/drawing/result.svg`."""

    width: int
    height: int
    board: tuple[int, int]
    """Left and top of the board."""
    medal: Mark
    signs: list[Mark]
    theme: str
    """Colours: 'light' or 'dark'."""


def board_width(width: float, height: float) -> int:
    """Return the width at which a board with sides in this proportion fits."""
    return int(min(MAX_BOARD[0], MAX_BOARD[1] * width / height))


def result_picture(board: tuple[int, int], medal: str, signs: str, theme: str) -> ResultPicture:
    """Return the picture of a result.

    `board`: width and height of the drawn board. `medal`: one of `MEDALS`. `signs`: letters of `SIGNS`.
    """
    width, height = board
    top = MARGIN // 2 + height + MARGIN
    marks = list(_sign_marks(signs, top))
    middle = (top + (marks[-1].y if marks else top)) // 2
    bottom = max(top + PITCH, marks[-1].y if marks else top) + MARGIN
    return ResultPicture(
        WIDTH,
        bottom,
        ((WIDTH - width) // 2, MARGIN // 2),
        Mark(medal, MARGIN + MEDAL_SPACE // 2 - PITCH // 2, middle),
        marks,
        theme,
    )


def _sign_marks(signs: str, top: int) -> Iterator[Mark]:
    """Yield the marks of the signs, in rows from `top` down."""
    left = MARGIN + MEDAL_SPACE
    per_row = (WIDTH - MARGIN - left) // PITCH + 1
    for at, letter in enumerate(signs):
        row, column = divmod(at, per_row)
        yield Mark(SIGNS[letter], left + column * PITCH, top + row * PITCH)
