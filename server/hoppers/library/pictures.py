"""Boards as SVG text, as a strip of pictures in HTML, and as lines of characters."""

import itertools
from base64 import b64encode
from collections.abc import Iterable, Sequence

from markupsafe import escape

from hoppers.core.errors import PuzzleError
from hoppers.core.model import Position, Step, cost_of
from hoppers.core.puzzle import Puzzle
from hoppers.drawing import board_picture, stand_alone
from hoppers.library.errors import quoted_object

THUMBNAIL = 150
"""Width of a board in a strip, in pixels."""
THEMES = ("light", "dark")


def board_svg(
    puzzle: Puzzle,
    position: Position,
    goal: str,
    size: int = 320,
    numbers: bool = False,
    arrows: Iterable[Sequence[int]] = (),
    last_move: Sequence[int] = (),
    theme: str = "light",
) -> str:
    """Return a board as SVG text.

    Args:
        puzzle: puzzle of the position.
        position: what stands on the board.
        goal: text of the goal.
        size: width in pixels.
        numbers: whether to show the numbers of the holes.
        arrows: moves to draw, each as the holes that it visits.
        last_move: holes to mark as those of the last move.
        theme: "light" or "dark".

    Raises:
        Error: `size` or `theme` is not one of these, or a hole is none of the board.
    """
    if theme not in THEMES:
        raise _bad_option("theme", theme, "'light' or 'dark'")
    if not isinstance(size, int) or size < 1:
        raise _bad_option("size", size, "a number of pixels")
    pairs = [pair for move in arrows for pair in itertools.pairwise(_holes(puzzle, "arrows", move))]
    points, marked = puzzle.board.drawn, dict.fromkeys(_holes(puzzle, "last_move", last_move))
    base = board_picture.picture(puzzle, position, goal, stand_alone.MARGIN)
    picture = base._replace(
        size=size,
        numbers=numbers,
        arrows=[board_picture.arrow(points[start], points[end]) for start, end in pairs],
        last=[base.holes[hole] for hole in marked],
        theme=theme,
    )
    return stand_alone.svg(puzzle, picture, f"{puzzle.texts.title}, {puzzle.format(position)}")


def _holes(puzzle: Puzzle, name: str, move: Sequence[int]) -> list[int]:
    """Return the holes of a move given as the option `name`; raise PuzzleError if it is none."""
    holes = [*move] if isinstance(move, Sequence) else [-1]
    if any(hole not in range(puzzle.holes) for hole in holes):
        raise _bad_option(name, move, f"holes of the board, 0 to {puzzle.holes - 1}")
    return holes


def _bad_option(name: str, value: object, expected: str) -> PuzzleError:
    sentence = "{name}={value}: expected {expected}"
    return PuzzleError(sentence, "invalid_option", name=name, value=quoted_object(value), expected=expected)


def board_text(puzzle: Puzzle, position: Position) -> str:
    """Return the board as lines of characters, each hole in its place."""
    points, signs = puzzle.board.points, puzzle.format(position)
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    rows = {y: [" "] * (right - left + 1) for y in sorted({y for _, y in points})}
    for (x, y), sign in zip(points, signs, strict=False):  # what follows the holes is the active peg
        rows[y][x - left] = sign
    return "\n".join("".join(row).rstrip() for row in rows.values())


def strip(puzzle: Puzzle, start: Position, goal: str, steps: Sequence[Step]) -> str:
    """Return HTML with the board before each move of a line, its arrows on it, and the last board."""
    boards: list[tuple[Position, list[list[int]], str]] = []
    position, made = start, 0
    for move in _moves(steps):
        holes = [step.origin for step in move] + [move[-1].target]
        made += cost_of(move)
        boards.append((position, [holes], f"{made}. {'–'.join(map(str, holes))}"))
        position = move[-1].after
    boards.append((puzzle.canonical(position), [], ""))
    shown = [
        _figure(board_svg(puzzle, board, goal, THUMBNAIL, arrows=arrows), puzzle.format(board), caption)
        for board, arrows, caption in boards
    ]
    return f'<div style="display:flex;flex-wrap:wrap;gap:8px">{"".join(shown)}</div>'


def _moves(steps: Sequence[Step]) -> list[list[Step]]:
    """Return the steps of each move: a step at cost 0 continues the move before it."""
    moves: list[list[Step]] = []
    for step in steps:
        if step.cost == 0 and moves:
            moves[-1].append(step)
        else:
            moves.append([step])
    return moves


def _figure(svg: str, text: str, caption: str) -> str:
    """Return a picture with its caption; as an image of its own, so that no names of two pictures clash."""
    data = b64encode(svg.encode()).decode()
    image = f'<img width="{THUMBNAIL}" alt="{escape(text)}" src="data:image/svg+xml;base64,{data}">'
    return f'<figure style="margin:0;text-align:center">{image}<figcaption>{caption}</figcaption></figure>'
