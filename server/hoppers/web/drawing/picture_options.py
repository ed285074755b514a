"""Pictures that stand alone: the options in their addresses, and what comes of them."""

import itertools
from collections.abc import Mapping

from hoppers.core.errors import PuzzleError
from hoppers.core.model import Position
from hoppers.core.puzzle import Puzzle
from hoppers.web.drawing import board_picture, svg_paths
from hoppers.web.drawing.svg_paths import Spot

MARGIN = 30.0
"""Room for the shadow, which nothing shows beyond the edge of a picture."""
SMALLEST, LARGEST = 32, 4096
THEMES = ("light", "dark")
OPTIONS = {"size", "numbers", "arrow", "lastmove", "theme"}


class InvalidOption(PuzzleError):
    """An option of a picture is out of range."""

    code = "invalid_option"


def stand_alone(
    puzzle: Puzzle, position: Position, goal: str, options: Mapping[str, str]
) -> board_picture.Picture:
    """The board as a picture of its own, with options as in a query string.

    Raises:
        InvalidOption: an option is unknown or out of range; the message quotes it.
    """
    for name in set(options) - OPTIONS:
        raise InvalidOption(
            "{name!r} is no option of a picture; options are {options}.",
            name=name,
            options=", ".join(sorted(OPTIONS)),
        )
    base = board_picture.picture(puzzle, position, goal, MARGIN)
    arrows = [svg_paths.arrow(*_ends(puzzle, leg)) for leg in _legs(puzzle, "arrow", options.get("arrow"))]
    last = [hole for leg in _legs(puzzle, "lastmove", options.get("lastmove")) for hole in leg]
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


def _legs(puzzle: Puzzle, name: str, text: str | None) -> list[tuple[int, int]]:
    """Pairs of holes from `2-0-6`, or several of them with dots between."""
    if not text:
        return []
    legs = []
    for move in text.split("."):
        holes = move.split("-")
        if len(holes) < 2 or not all(board_picture.is_hole(puzzle, hole) for hole in holes):
            raise InvalidOption(
                "{name}={text!r} is not holes of {puzzle} joined by '-', such as '0-6'.",
                name=name,
                text=text,
                puzzle=puzzle.texts.title,
            )
        legs += [(int(a), int(b)) for a, b in itertools.pairwise(holes)]
    if any(a == b for a, b in legs):
        raise InvalidOption("{name}={text!r} stays where it is.", name=name, text=text)
    return legs


def _ends(puzzle: Puzzle, leg: tuple[int, int]) -> tuple[Spot, Spot]:
    return puzzle.board.drawn[leg[0]], puzzle.board.drawn[leg[1]]


def _choice(name: str, text: str, allowed: tuple[str, ...]) -> str:
    if text not in allowed:
        raise InvalidOption(
            "{name}={text!r} is none of {options}.", name=name, text=text, options=", ".join(allowed)
        )
    return text


def _size(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and SMALLEST <= int(text) <= LARGEST):
        raise InvalidOption(
            "size={text!r} is not a width from {least} to {most} pixels.",
            text=text,
            least=SMALLEST,
            most=LARGEST,
        )
    return int(text)
