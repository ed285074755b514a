"""Boards as SVG text, as a strip of pictures in HTML, and as lines of characters."""

import itertools
from base64 import b64encode
from collections.abc import Iterable, Sequence

from markupsafe import escape

from hoppers.core.errors import PuzzleError
from hoppers.core.model import Position, cost_of, steps_of
from hoppers.core.puzzle import Puzzle
from hoppers.drawing import board_picture, stand_alone

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
        PuzzleError: the board has no such hole, an arrow leads nowhere, or a size or theme is not valid.
    """
    _check_size_and_theme(size, theme)
    points, pairs = puzzle.board.drawn, [pair for move in arrows for pair in _ends(puzzle, move)]
    base = board_picture.picture(puzzle, position, goal, stand_alone.MARGIN)
    picture = base._replace(
        size=size,
        numbers=numbers,
        arrows=[board_picture.arrow(points[start], points[end]) for start, end in pairs],
        last=[base.holes[hole] for hole in dict.fromkeys(_holes(puzzle, last_move))],
        theme=theme,
    )
    return stand_alone.svg(puzzle, picture, f"{puzzle.texts.title}, {puzzle.format(position)}")


def _check_size_and_theme(size: int, theme: str) -> None:
    if not isinstance(size, int) or size < 1:
        raise PuzzleError("{size!r} is not a width in pixels, from 1 on", "invalid_option", size=size)
    if theme not in THEMES:
        raise PuzzleError(
            "{theme!r} is not a theme; themes are {themes}",
            "invalid_option",
            theme=theme,
            themes=", ".join(THEMES),
        )


def _holes(puzzle: Puzzle, holes: Sequence[int]) -> list[int]:
    for hole in holes:
        if hole not in range(puzzle.holes):
            raise PuzzleError(
                "{hole!r} is not a hole of {puzzle}; its holes are 0 to {last}",
                "invalid_option",
                hole=hole,
                puzzle=puzzle.texts.title,
                last=puzzle.holes - 1,
            )
    return [*map(int, holes)]


def _ends(puzzle: Puzzle, move: Sequence[int]) -> list[tuple[int, int]]:
    """Return the two ends of each arrow of a move."""
    pairs = [*itertools.pairwise(_holes(puzzle, move))]
    if not pairs or any(start == end for start, end in pairs):
        raise PuzzleError(
            "{move!r} is not an arrow: it needs two holes, each not the one before it",
            "invalid_option",
            move=move,
        )
    return pairs


def board_text(puzzle: Puzzle, position: Position) -> str:
    """Return the board as lines of characters, each hole in its place."""
    points, signs = puzzle.board.points, puzzle.format(position)
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    rows = {y: [" "] * (right - left + 1) for y in sorted({y for _, y in points})}
    for (x, y), sign in zip(points, signs, strict=False):  # what follows the holes is the active peg
        rows[y][x - left] = sign
    return "\n".join("".join(row).rstrip() for row in rows.values())


def strip(puzzle: Puzzle, start: Position, goal: str, moves: list[list[int]]) -> str:
    """Return HTML with the board before each move of a line, its arrows on it, and the last board."""
    boards: list[tuple[Position, list[list[int]], str]] = []
    position, made = start, 0
    for move in moves:
        steps = puzzle.replay(position, steps_of([move]))
        made += cost_of(steps)
        boards.append((position, [move], f"{made}. {'–'.join(map(str, move))}"))
        position = steps[-1].after
    boards.append((puzzle.canonical(position), [], ""))
    shown = [
        _figure(board_svg(puzzle, board, goal, THUMBNAIL, arrows=arrows), puzzle.format(board), caption)
        for board, arrows, caption in boards
    ]
    return f'<div style="display:flex;flex-wrap:wrap;gap:8px">{"".join(shown)}</div>'


def _figure(svg: str, text: str, caption: str) -> str:
    """Return a picture with its caption; as an image of its own, so that no names of two pictures clash."""
    data = b64encode(svg.encode()).decode()
    image = f'<img width="{THUMBNAIL}" alt="{escape(text)}" src="data:image/svg+xml;base64,{data}">'
    return f'<figure style="margin:0;text-align:center">{image}<figcaption>{caption}</figcaption></figure>'
