"""Stand-alone pictures of boards (PNG for link previews), and the icons of the application."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from flask import Blueprint, Response, abort, current_app, render_template, request

from hoppers.analysis.requests import read_goal
from hoppers.core.puzzle import Puzzle
from hoppers.web.api.play_line import read_steps
from hoppers.web.api.positions import cache_publicly
from hoppers.web.current import read_puzzle
from hoppers.web.drawing import board_picture, png
from hoppers.web.drawing.picture_options import embedded_style, picture_with_options
from hoppers.web.http.i18n import localized

blueprint = Blueprint("images", __name__)

POSITION_ARGUMENTS = {"position", "start", "line", "goal", "lang"}
"""Names in a query string that select the position; all others are options of the picture."""
ICON_SIZES = {180, 192, 512}
FAVICON_SIZE = 48
MAX_PREVIEW_BOARD = (1080, 560)
"""Largest width and height, in pixels, of the board in a link preview."""


def draw_svg(puzzle: Puzzle, args: Mapping[str, str]) -> tuple[str, board_picture.Picture]:
    """Return the SVG text and the `Picture` of the position that a link leads to.

    `args` also holds the options of the picture (see `picture_options.picture_with_options`).
    """
    goal = args.get("goal", puzzle.goal)
    read_goal(puzzle, goal)
    start, steps = read_steps(puzzle, args)
    position = steps[-1].after if steps else start
    options = {name: value for name, value in args.items() if name not in POSITION_ARGUMENTS}
    picture = picture_with_options(puzzle, position, goal, options)
    text = render_template(
        "board.svg",
        alone=True,
        picture=picture,
        names=board_picture.glyphs_of(puzzle).values(),
        shape=board_picture.shape_of(puzzle),
        label=f"{localized(puzzle.texts.title)}, {puzzle.format(position)}",
        style=embedded_style(Path(str(current_app.static_folder), "css/board.css"), picture.theme),
    )
    return text, picture


@blueprint.get("/puzzles/<puzzle_id>/board.png")
def board_png(puzzle_id: str) -> Response:
    """Return the board as PNG: `size` pixels wide, or without `size` in the shape of a link preview."""
    puzzle, args = read_puzzle(puzzle_id), request.args.to_dict()
    text, picture = draw_svg(puzzle, args)
    if "size" in args:
        return _png_response(png.render_png(text, picture.size or 0, picture.height or 0))
    max_width, max_height = MAX_PREVIEW_BOARD
    size = int(min(max_width, max_height * picture.view[2] / picture.view[3]))
    text, picture = draw_svg(puzzle, {**args, "size": str(size)})
    return _png_response(png.render_preview(text, picture.size or 0, picture.height or 0, picture.theme))


@blueprint.get("/icon-<int:size>.png")
def icon(size: int) -> Response:
    """Return the icon of the application, `size` pixels wide; 404 for a size that no page uses."""
    if size not in ICON_SIZES:
        abort(404)
    return _png_response(_icon(str(current_app.static_folder), size))


@blueprint.get("/favicon.ico")
def favicon() -> Response:
    """Return the icon for responses that cannot link to one, such as pictures and JSON.

    Browsers request this URL for such responses.
    """
    return _png_response(_icon(str(current_app.static_folder), FAVICON_SIZE))


@lru_cache
def _icon(folder: str, size: int) -> bytes:
    return png.render_png(Path(folder, "icon.svg").read_text(encoding="utf-8"), size, size)


def _png_response(data: bytes) -> Response:
    return cache_publicly(Response(data, mimetype="image/png"))
