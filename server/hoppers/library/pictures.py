"""Boards as SVG text, as a strip of pictures in HTML, and as lines of characters."""

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence

from markupsafe import escape

from hoppers.core.model import Position, cost_of, steps_of
from hoppers.core.puzzle import Puzzle
from hoppers.drawing import board_picture, stand_alone
from hoppers.drawing.picture_options import (
    THEMES,
    PictureOptions,
    checked_choice,
    checked_moves,
    checked_width,
    picture_with_options,
)
from hoppers.drawing.stand_alone import MARGIN
from hoppers.library.arguments import holes_of, whole_number

THUMBNAIL = 150
"""Width of a board in a strip, in pixels."""
COLUMNS = 6
"""Most boards in a row of a picture of a strip."""


def read_options(
    puzzle: Puzzle, size: object, numbers: object, arrows: object, last_move: object, theme: object
) -> PictureOptions:
    """Return the options of `Position.svg`.

    Raises:
        PuzzleError: a size or theme is not valid, or a move does not lead from hole to hole.
    """
    holes = holes_of(last_move)
    marked = [] if last_move is None or holes == [] else [holes]
    drawn = map(holes_of, arrows) if isinstance(arrows, Iterable) else [None]
    return PictureOptions(
        width=checked_width(size, whole_number(size)),
        theme=checked_choice("theme", theme, THEMES),
        numbers=bool(numbers),
        arrows=checked_moves(puzzle, "arrows", arrows, [*drawn], "[[0, 6]]"),
        last_moves=checked_moves(puzzle, "last_move", last_move, marked, "[0, 6]"),
    )


def board_svg(puzzle: Puzzle, position: Position, goal: str, options: PictureOptions) -> str:
    """Return a board as SVG text. `goal`: text of the goal."""
    picture = picture_with_options(puzzle, position, goal, options)
    return stand_alone.svg(puzzle, picture, f"{puzzle.texts.title}, {puzzle.format(position)}")


def board_text(puzzle: Puzzle, position: Position) -> str:
    """Return the board as lines of characters, each hole in its place."""
    points, signs = puzzle.board.points, puzzle.format(position)
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    rows = {y: [" "] * (right - left + 1) for y in sorted({y for _, y in points})}
    for (x, y), sign in zip(points, signs, strict=False):  # what follows the holes is the active peg
        rows[y][x - left] = sign
    return "\n".join("".join(row).rstrip() for row in rows.values())


def strip(puzzle: Puzzle, start: Position, goal: str, moves: Iterable[Sequence[int]]) -> str:
    """Return HTML with the board before each move of a line, its arrows on it, and the last board."""
    shown = [
        _figure(
            board_svg(puzzle, board, goal, PictureOptions(THUMBNAIL, THEMES[0], arrows=arrows)),
            puzzle.format(board),
            caption,
        )
        for board, arrows, caption in _captioned(puzzle, start, moves)
    ]
    return f'<div style="display:flex;flex-wrap:wrap;gap:8px">{"".join(shown)}</div>'


def strip_svg(
    puzzle: Puzzle, start: Position, goal: str, moves: Iterable[Sequence[int]], size: object
) -> str:
    """Return the boards of `strip` as one SVG text. `size`: width of a board in pixels.

    Raises:
        PuzzleError: it is no such width.
    """
    width = checked_width(size, whole_number(size))
    boards = [*_captioned(puzzle, start, moves)]
    _, _, across, down = board_picture.view_of(puzzle, MARGIN)
    height, font = round(width * down / across), max(9, width // 11)
    columns, row = min(COLUMNS, len(boards)), height + 2 * font
    shown = []
    for number, (board, arrows, caption) in enumerate(boards):
        x, y = number % columns * width, number // columns * row
        picture = board_svg(puzzle, board, goal, PictureOptions(width, THEMES[0], arrows=arrows))
        shown.append(picture.replace("<svg ", f'<svg x="{x}" y="{y}" ', 1))
        style = f'x="{x + width / 2:g}" y="{y + height + font}" font-size="{font}" text-anchor="middle"'
        shown.append(f'<text {style} font-family="sans-serif">{caption}</text>')
    sides = f'width="{columns * width}" height="{-(-len(boards) // columns) * row}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {sides}>{"".join(shown)}</svg>'


def _captioned(
    puzzle: Puzzle, start: Position, moves: Iterable[Sequence[int]]
) -> Iterator[tuple[Position, Sequence[Sequence[int]], str]]:
    """Yield the board before each move, with the move as an arrow and in words, and the last board."""
    position, made = start, 0
    for move in moves:
        steps = puzzle.replay(position, steps_of([move]))
        made += cost_of(steps)
        yield position, [move], f"{made}. {'–'.join(map(str, move))}"
        position = steps[-1].after
    yield puzzle.canonical(position), [], ""


def _figure(svg: str, text: str, caption: str) -> str:
    """Return a picture with its caption; as a separate image, so that ids of two pictures never clash."""
    data = b64encode(svg.encode()).decode()
    image = f'<img width="{THUMBNAIL}" alt="{escape(text)}" src="data:image/svg+xml;base64,{data}">'
    return f'<figure style="margin:0;text-align:center">{image}<figcaption>{caption}</figcaption></figure>'
