"""Pictures of boards that need no page: SVG with its own colours, from `templates/drawing/board.svg`.

Any number of them may stand in one page, because different pictures share no id and no class. Of equal ones
the first may be hidden: browsers then draw no gradient, but the plain colour named behind it.
"""

import hashlib
import re
from functools import cache, lru_cache
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
_MARK = "\0"
"""Stands for what the ids and classes of a picture begin with."""


def svg(puzzle: Puzzle, picture: Picture, label: str, stylesheet: Path | None = None) -> str:
    """Return the SVG text of a picture. `label`: its accessible name.

    `stylesheet`: file of the colours; by default that of the program.
    """
    return with_own_names(scoped_svg(puzzle, picture, label, stylesheet))


def scoped_svg(puzzle: Puzzle, picture: Picture, label: str, stylesheet: Path | None = None) -> str:
    """Return what `svg` does, with the ids and classes of the templates, for the tree of an element."""
    style = embedded_style(stylesheet or resource_folder() / "static" / STYLESHEET, picture.theme)
    names, shape = board_picture.glyphs_of(puzzle).values(), board_picture.shape_of(puzzle)
    template = _templates().get_template("drawing/board.svg")
    return template.render(alone=True, picture=picture, names=names, shape=shape, label=label, style=style)


def with_own_names(text: str) -> str:
    """Return a picture with a digest of it before each id and class."""
    own = f"h{hashlib.sha256(text.encode()).hexdigest()[:8]}-"
    before, style, rest = text.partition("<style>")
    shapes, end, layers = rest.partition("</defs>")
    return f"{_marked(before)}{style}{_marked_shapes(shapes)}{end}{_marked(layers)}".replace(_MARK, own)


def _marked(text: str) -> str:
    """Return elements with the mark before each id and class."""
    for name in (' id="', ' href="#', "url(#", ' class="'):
        text = text.replace(name, name + _MARK)
    return re.sub(r' (class="[^" ]+ [^"]+)', lambda names: " " + names[1].replace(" ", " " + _MARK), text)


@lru_cache(maxsize=256)
def _marked_shapes(text: str) -> str:
    """Return the style and the definitions of a picture with the mark before each id and class."""
    style, definitions = text.split("</style>")
    for paint, stops in re.findall(r'Gradient id="([^"]+)".*?>(.*?)</\w+Gradient>', definitions):
        plain = f"url(#{paint}) {_plain_colour(stops, style)}"
        style, definitions = (part.replace(f"url(#{paint})", plain) for part in (style, definitions))
    style = re.sub(r"\.(?=[a-z])|url\(#|href=\W#", rf"\g<0>{_MARK}", style)
    return f"{style}</style>{_marked(definitions)}"


def _plain_colour(stops: str, style: str) -> str:
    """Return a colour for where a gradient cannot be drawn: none if it is partly transparent."""
    names = re.findall(' class="([^"]+)', stops)
    rules = [re.findall(rf"\.{name} ?{{([^}}]*)", style)[0] for name in names]
    middle = re.findall("stop-color: ?([^;]+)", rules[len(rules) // 2])[0].strip()
    return "none" if any("stop-opacity" in rule for rule in rules) else middle


@cache
def _templates() -> jinja2.Environment:
    loader = jinja2.FileSystemLoader(resource_folder() / "templates")
    return jinja2.Environment(loader=loader, autoescape=True)


@cache
def without_comments(path: Path) -> str:
    """Return the text of a style sheet without its comments, as it was at the first call."""
    return re.sub(r"/\*.*?\*/\s*", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)


@cache
def paper(theme: str) -> str:
    """Return the colour of the page around a board, from the style sheet of the pages."""
    sheet = without_comments(resource_folder() / "static" / "css" / "style.css")
    ((light, dark),) = re.findall(r"--table:\s*light-dark\((#\w+),\s*(#\w+)\)", sheet)
    return str(light if theme == "light" else dark)


@cache
def embedded_style(stylesheet: Path, theme: str) -> str:
    """Return the style sheet with the colours of `theme` written out: no variables, no `light-dark()`.

    Programs that render SVG outside a browser support neither variables nor `light-dark()`.
    """
    light_dark = r"light-dark\(([^,()]+),\s*([^()]+)\)"
    number = 1 if theme == "light" else 2
    sheet, _, _ = without_comments(stylesheet).partition("@supports not")  # web/older_browsers.py
    text = re.sub(light_dark, lambda pair: pair[number].strip(), sheet)
    root, _, rules = text.partition("}")
    properties = dict(re.findall(r"--([\w-]+):\s*([^;]+)", root))
    rules = re.sub(r"var\(--([\w-]+)(?:,[^()]*)?\)", lambda use: properties[use[1]], rules)
    return re.sub(r"\s+", " ", rules).strip()
