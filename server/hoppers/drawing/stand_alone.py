"""Pictures of boards that need no page: SVG with its own colours, from `templates/drawing/board.svg`."""

import re
from functools import cache
from pathlib import Path

import jinja2

from hoppers.core.puzzle import Puzzle
from hoppers.drawing import board_picture
from hoppers.drawing.board_picture import Picture
from hoppers.runtime import resource_folder

STYLESHEET = "css/board.css"
"""Path, below the folder of static files, of the style sheet with the colours of boards."""
MARGIN = 30.0
"""Units around a board; a smaller margin would clip the shadow."""


def svg(puzzle: Puzzle, picture: Picture, label: str, stylesheet: Path | None = None) -> str:
    """Return the SVG text of a picture. `label`: its accessible name.

    `stylesheet`: file of the colours; by default that of the program.
    """
    style = embedded_style(stylesheet or resource_folder() / "static" / STYLESHEET, picture.theme)
    names, shape = board_picture.glyphs_of(puzzle).values(), board_picture.shape_of(puzzle)
    template = _templates().get_template("drawing/board.svg")
    return template.render(alone=True, picture=picture, names=names, shape=shape, label=label, style=style)


@cache
def _templates() -> jinja2.Environment:
    loader = jinja2.FileSystemLoader(resource_folder() / "templates")
    return jinja2.Environment(loader=loader, autoescape=True)


@cache
def without_comments(path: Path) -> str:
    """Return the text of a style sheet without its comments, as it was at the first call."""
    return re.sub(r"/\*.*?\*/\s*", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)


@cache
def embedded_style(stylesheet: Path, theme: str) -> str:
    """Return the style sheet with the colours of `theme` written out: no variables, no `light-dark()`.

    Programs that render SVG outside a browser support neither variables nor `light-dark()`.
    """
    light_dark = r"light-dark\(([^,()]+),\s*([^()]+)\)"
    number = 1 if theme == "light" else 2
    text = re.sub(light_dark, lambda pair: pair[number].strip(), without_comments(stylesheet))
    root, _, rules = text.partition("}")
    properties = dict(re.findall(r"--([\w-]+):\s*([^;]+)", root))
    rules = re.sub(r"var\(--([\w-]+)(?:,[^()]*)?\)", lambda use: properties[use[1]], rules)
    return re.sub(r"\s+", " ", rules).strip()
