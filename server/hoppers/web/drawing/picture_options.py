"""Stand-alone pictures of boards: the options in their URLs, and their style sheet.

A stand-alone picture is not part of a page, so it carries the colours of `static/css/board.css` itself.
"""

import itertools
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from hoppers.core.errors import PuzzleError
from hoppers.core.model import Position
from hoppers.core.puzzle import Puzzle
from hoppers.web.drawing import board_picture, svg_paths
from hoppers.web.drawing.svg_paths import Point

MARGIN = 30.0
"""Room for the shadow of the board, which would be clipped at the edge of the picture."""
MIN_WIDTH, MAX_WIDTH = 32, 4096
"""Range of the option `size`, in pixels."""
THEMES = ("light", "dark")
OPTIONS = {"size", "numbers", "arrow", "lastmove", "theme"}

CSS_PROPERTY = re.compile(r"--([\w-]+):\s*([^;]+);")
CSS_LIGHT_DARK = re.compile(r"light-dark\(([^,()]+),\s*([^()]+)\)")
CSS_VAR = re.compile(r"var\(--([\w-]+)(?:,[^()]*)?\)")
CSS_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


class InvalidOption(PuzzleError):
    """Error for a picture option that is unknown or out of range."""

    code = "invalid_option"


def picture_with_options(
    puzzle: Puzzle, position: Position, goal: str, options: Mapping[str, str]
) -> board_picture.Picture:
    """Return the board as a stand-alone picture, with options as in a query string.

    Raises:
        InvalidOption: an option is unknown or out of range; the message quotes the option.
    """
    for name in set(options) - OPTIONS:
        raise InvalidOption(
            "{name!r} is no option of a picture; options are {options}.",
            name=name,
            options=", ".join(sorted(OPTIONS)),
        )
    base = board_picture.picture(puzzle, position, goal, MARGIN)
    arrows = [
        svg_paths.arrow(*_centres(puzzle, ends))
        for ends in _hole_pairs(puzzle, "arrow", options.get("arrow"))
    ]
    last = [hole for ends in _hole_pairs(puzzle, "lastmove", options.get("lastmove")) for hole in ends]
    return board_picture.Picture(
        puzzle=puzzle,
        frame=base.frame,
        view=base.view,
        holes=base.holes,
        seat=base.seat,
        pieces=base.pieces,
        goal=base.goal,
        arrows=[board_picture.Arrow(*arrow) for arrow in arrows],
        last=[base.holes[hole] for hole in dict.fromkeys(last)],
        numbers=_choice("numbers", options.get("numbers", "0"), ("0", "1")) == "1",
        size=_size(options.get("size", "640")),
        theme=_choice("theme", options.get("theme", "light"), THEMES),
    )


def _hole_pairs(puzzle: Puzzle, name: str, text: str | None) -> list[tuple[int, int]]:
    """Return the pairs of holes in a text such as `2-0-6.9-3`: (2, 0), (0, 6), (9, 3)."""
    if not text:
        return []
    pairs: list[tuple[int, int]] = []
    for move in text.split("."):
        holes = move.split("-")
        if len(holes) < 2 or not all(board_picture.is_hole(puzzle, hole) for hole in holes):
            raise InvalidOption(
                "{name}={text!r} is not holes of {puzzle} joined by '-', such as '0-6'.",
                name=name,
                text=text,
                puzzle=puzzle.texts.title,
            )
        pairs += [(int(a), int(b)) for a, b in itertools.pairwise(holes)]
    if any(a == b for a, b in pairs):
        raise InvalidOption("{name}={text!r} stays where it is.", name=name, text=text)
    return pairs


def _centres(puzzle: Puzzle, ends: tuple[int, int]) -> tuple[Point, Point]:
    return puzzle.board.drawn[ends[0]], puzzle.board.drawn[ends[1]]


def _choice(name: str, text: str, allowed: tuple[str, ...]) -> str:
    if text not in allowed:
        raise InvalidOption(
            "{name}={text!r} is none of {options}.", name=name, text=text, options=", ".join(allowed)
        )
    return text


def _size(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and MIN_WIDTH <= int(text) <= MAX_WIDTH):
        raise InvalidOption(
            "size={text!r} is not a width from {least} to {most} pixels.",
            text=text,
            least=MIN_WIDTH,
            most=MAX_WIDTH,
        )
    return int(text)


@cache
def embedded_style(stylesheet: Path, theme: str) -> str:
    """Return the style sheet with the colours of `theme` written out: no variables, no `light-dark()`.

    Programs that render SVG outside a browser support neither variables nor `light-dark()`.
    """
    text = CSS_COMMENT.sub("", stylesheet.read_text(encoding="utf-8"))
    text = CSS_LIGHT_DARK.sub(lambda pair: pair[1 if theme == "light" else 2].strip(), text)
    root, _, rules = text.partition("}")
    properties = dict(CSS_PROPERTY.findall(root))
    return re.sub(r"\s+", " ", CSS_VAR.sub(lambda use: properties[use[1]], rules)).strip()
