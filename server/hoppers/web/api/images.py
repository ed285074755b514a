"""Boards as pictures of their own: drawn, as pixels for link previews, and the icons of the application."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from flask import Blueprint, Response, abort, current_app, render_template, request

from hoppers.analysis.requests import read_goal
from hoppers.core.puzzle import Puzzle
from hoppers.web.api.play_line import read_steps
from hoppers.web.current import read_puzzle
from hoppers.web.drawing import board_picture, png
from hoppers.web.drawing.palette import embedded_style
from hoppers.web.drawing.picture_options import stand_alone
from hoppers.web.http.i18n import in_words

images = Blueprint("images", __name__)

OPTIONS_OF_PLACE = {"position", "start", "line", "goal", "lang"}
ICON_SIZES = {180, 192, 512}
SMALL_ICON = 48
ROOM = (1080, 560)
"""Most pixels of a board in a link preview."""
KEPT_SECONDS = 3600


def picture_of(puzzle: Puzzle, asked: Mapping[str, str]) -> tuple[str, board_picture.Picture]:
    """The SVG text of where a link leads, with options (see `pictures.stand_alone`), and its numbers."""
    goal = asked.get("goal", puzzle.goal)
    read_goal(puzzle, goal)
    start, steps = read_steps(puzzle, asked)
    position = steps[-1].after if steps else start
    options = {name: value for name, value in asked.items() if name not in OPTIONS_OF_PLACE}
    picture = stand_alone(puzzle, position, goal, options)
    text = render_template(
        "board.svg",
        alone=True,
        picture=picture,
        names=board_picture.glyphs_of(puzzle).values(),
        shape=board_picture.shape_of(puzzle),
        label=f"{in_words(puzzle.texts.title)}, {puzzle.format(position)}",
        style=embedded_style(Path(str(current_app.static_folder), "css/board.css"), picture.theme),
    )
    return text, picture


@images.get("/puzzles/<puzzle_id>/board.png")
def board(puzzle_id: str) -> Response:
    """The same as pixels: `size` wide, or without it as a link preview wants it."""
    puzzle, asked = read_puzzle(puzzle_id), request.args.to_dict()
    text, picture = picture_of(puzzle, asked)
    if "size" in asked:
        return _kept(png.png(text, picture.size or 0, picture.height or 0))
    size = int(min(ROOM[0], ROOM[1] * picture.view[2] / picture.view[3]))
    text, picture = picture_of(puzzle, {**asked, "size": str(size)})
    return _kept(png.preview(text, picture.size or 0, picture.height or 0, picture.theme))


@images.get("/icon-<int:size>.png")
def icon(size: int) -> Response:
    """The application's icon."""
    if size not in ICON_SIZES:
        abort(404)
    return _kept(_icon(str(current_app.static_folder), size))


@images.get("/favicon.ico")
def favicon() -> Response:
    """The icon where browsers look for it that were told of none, as beside a picture or JSON."""
    return _kept(_icon(str(current_app.static_folder), SMALL_ICON))


@lru_cache
def _icon(folder: str, size: int) -> bytes:
    return png.png(Path(folder, "icon.svg").read_text(encoding="utf-8"), size, size)


def _kept(data: bytes) -> Response:
    response = Response(data, mimetype="image/png")
    response.cache_control.public = True
    response.cache_control.max_age = KEPT_SECONDS
    return response
