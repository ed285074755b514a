"""Options of a picture, checked in one place for the library, the API and link previews."""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from hoppers.core.errors import PuzzleError, quoted
from hoppers.core.model import Position
from hoppers.core.puzzle import Puzzle
from hoppers.drawing import board_picture
from hoppers.drawing.board_picture import Picture
from hoppers.drawing.stand_alone import MARGIN

THEMES = ("light", "dark")
MIN_WIDTH, MAX_WIDTH = 32, 4096  # pixels; drawing costs nothing, whatever the size


class PictureOptions(NamedTuple):
    """How to draw a position; moves are given by their holes."""

    width: int
    """Pixels."""
    theme: str
    numbers: bool = False
    """Whether to show the numbers of the holes."""
    arrows: Sequence[Sequence[int]] = ()
    """Moves to draw."""
    last_moves: Sequence[Sequence[int]] = ()
    """Moves whose holes are marked as those of the last move."""


def picture_with_options(puzzle: Puzzle, position: Position, goal: str, options: PictureOptions) -> Picture:
    """Return the stand-alone picture of a position with valid options. `goal`: text of the goal."""
    points, arrows = puzzle.board.drawn, itertools.chain(*map(itertools.pairwise, options.arrows))
    base = board_picture.picture(puzzle, position, goal, MARGIN)
    return base._replace(
        size=options.width,
        theme=options.theme,
        numbers=options.numbers,
        arrows=[board_picture.arrow(points[start], points[end]) for start, end in arrows],
        last=[base.holes[hole] for hole in dict.fromkeys(itertools.chain(*options.last_moves))],
    )


def checked_width(given: object, width: int | None, most: int = MAX_WIDTH) -> int:
    """Return a width in pixels if it is from `MIN_WIDTH` to `most`.

    `given`: the value as it was given, for the error. `width`: what was read from it; None for no number.

    Raises:
        PuzzleError: it is not.
    """
    if width is None or not MIN_WIDTH <= width <= most:
        raise PuzzleError(
            "size must be {least} to {most} pixels, not {size}.",
            "invalid_option",
            size=quoted(given),
            least=MIN_WIDTH,
            most=most,
        )
    return width


def checked_choice(name: str, value: object, allowed: tuple[str, ...]) -> str:
    """Return the value of the option `name` if it is one of `allowed`; else raise a PuzzleError."""
    if not isinstance(value, str) or value not in allowed:
        raise PuzzleError(
            "{name} must be one of {options}, not {value}.",
            "invalid_option",
            name=name,
            value=quoted(value),
            options=", ".join(allowed),
        )
    return value


def checked_moves(
    puzzle: Puzzle, name: str, given: object, moves: Sequence[list[int] | None], example: str
) -> list[list[int]]:
    """Return the moves of the option `name`: at least two holes each, every one other than the one before.

    Args:
        puzzle: puzzle whose holes they visit.
        name: name of the option, for the error.
        given: value as it was given, for the error.
        moves: what was read from it; None for anything but a list of numbers.
        example: a valid move in the form of `given`, for the error.

    Raises:
        PuzzleError: a move is not valid.
    """
    checked = [move for move in moves if move is not None and len(move) > 1]
    if len(checked) < len(moves) or not {*itertools.chain(*checked)} <= {*range(puzzle.holes)}:
        raise PuzzleError(
            "{name} must be hole numbers of {puzzle}, such as {example}, not {value}.",
            "invalid_option",
            name=name,
            puzzle=puzzle.texts.title,
            example=example,
            value=quoted(given),
        )
    if any(start == end for move in checked for start, end in itertools.pairwise(move)):
        raise PuzzleError(
            "{name}={value} does not move anything.", "invalid_option", name=name, value=quoted(given)
        )
    return checked
