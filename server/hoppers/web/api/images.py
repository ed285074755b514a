"""Pictures of positions as SVG and PNG files, with options in their URLs, and the icons of the application.

Such a picture is not part of a page, so it contains the rules of `static/css/board.css`. Link previews are
PNG.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from flask import Blueprint, Response, abort, render_template, request

from hoppers.core.errors import PuzzleError
from hoppers.core.puzzle import Puzzle
from hoppers.drawing import board_picture, stand_alone
from hoppers.drawing.picture_options import (
    MAX_WIDTH,
    THEMES,
    PictureOptions,
    checked_choice,
    checked_moves,
    checked_width,
    picture_with_options,
)
from hoppers.drawing.stand_alone import MARGIN
from hoppers.web.api.play_line import read_steps
from hoppers.web.current import read_puzzle
from hoppers.web.drawing import png, result_picture
from hoppers.web.drawing.png import DRAWING, Drawing
from hoppers.web.http.assets import POLICY, static_folder
from hoppers.web.http.i18n import localized
from hoppers.web.http.responses import cache_publicly

blueprint = Blueprint("images", __name__)

OPTIONS = {"size", "numbers", "arrow", "lastmove", "theme"}
MAX_PAIRS = 100  # arrows, or marked steps, in one picture


def read_options(puzzle: Puzzle, texts: Mapping[str, str], max_width: int = MAX_WIDTH) -> PictureOptions:
    """Return the options of a picture from their texts in a query string, by name.

    `max_width`: largest size, in pixels. Raise a PuzzleError, which quotes the option, if one is unknown or
    invalid.
    """
    for name in set(texts) - OPTIONS:
        raise PuzzleError(
            "{name!r} is not a picture option; options are {options}.",
            "invalid_option",
            name=name,
            options=", ".join(sorted(OPTIONS)),
        )
    size = texts.get("size", "640")
    return PictureOptions(
        width=checked_width(size, _number(size), max_width),
        theme=checked_choice("theme", texts.get("theme", THEMES[0]), THEMES),
        numbers=checked_choice("numbers", texts.get("numbers", "0"), ("0", "1")) == "1",
        arrows=_read_moves(puzzle, "arrow", texts.get("arrow", "")),
        last_moves=_read_moves(puzzle, "lastmove", texts.get("lastmove", "")),
    )


def _number(text: str) -> int | None:
    """Return the number in a text, or None."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 5 else None


def _read_moves(puzzle: Puzzle, name: str, text: str) -> list[list[int]]:
    """Return the moves in a text such as `2-0-6.9-3`: [[2, 0, 6], [9, 3]]. No text: no moves.

    Raise a PuzzleError, which names the option `name`, for any other text.
    """
    moves = [_holes(move) for move in text.split(".")] if text else []
    checked = checked_moves(puzzle, name, text, moves, "0-6")
    count = sum(len(move) - 1 for move in checked)
    if count > MAX_PAIRS:
        raise PuzzleError(
            "{name} has {count} pairs of holes, more than {most}.",
            "invalid_option",
            name=name,
            count=count,
            most=MAX_PAIRS,
        )
    return checked


def _holes(text: str) -> list[int] | None:
    """Return the holes in a text such as `2-0-6`, or None if it has another form."""
    holes = [_number(hole) for hole in text.split("-")]
    return [hole for hole in holes if hole is not None] if None not in holes else None


def draw_svg(
    puzzle: Puzzle, args: Mapping[str, str], max_width: int = MAX_WIDTH
) -> tuple[str, board_picture.Picture]:
    """Return the SVG text and the `Picture` of the position that the query string `args` describes.

    `args` holds a line of play or a position (see `read_steps`), a goal, and options of the picture.
    `max_width`: largest size, in pixels. Raise a PuzzleError if one of them is not valid.
    """
    goal = args.get("goal", puzzle.goal)
    puzzle.parse_goal(goal)
    start, steps = read_steps(puzzle, args)
    position = steps[-1].after if steps else start
    of_position = {"position", "start", "line", "goal", "lang"}
    options = {name: value for name, value in args.items() if name not in of_position}
    picture = picture_with_options(puzzle, position, goal, read_options(puzzle, options, max_width))
    label = f"{localized(puzzle.texts.title)}, {puzzle.format(position)}"
    stylesheet = static_folder() / stand_alone.STYLESHEET
    return stand_alone.svg(puzzle, picture, label, stylesheet), picture


@blueprint.get("/puzzles/<puzzle_id>/board.svg")
def board_svg(puzzle_id: str) -> Response:
    """Return a position as SVG; the query string may have options (see `read_options`)."""
    text, _ = draw_svg(read_puzzle(puzzle_id), request.args)
    policy = "default-src 'none'; style-src 'unsafe-inline'"  # the colours of a picture are inline styles
    return cache_publicly(Response(text, mimetype="image/svg+xml", headers={POLICY: policy}))


@blueprint.get("/puzzles/<puzzle_id>/board.png")
def board_png(puzzle_id: str) -> Response:
    """Return a position as PNG: `size` pixels wide, or without `size` a link preview of 1200 × 630."""
    puzzle, args = read_puzzle(puzzle_id), request.args.to_dict()
    if "size" in args:
        text, picture = draw_svg(puzzle, args, png.MAX_WIDTH)
        return _png_response(Drawing(text, picture.size, picture.height))
    max_width, max_height = 1080, 560  # of the board in a link preview, in pixels
    _, _, width, height = board_picture.view_of(puzzle, MARGIN)
    size = int(min(max_width, max_height * width / height))
    text, picture = draw_svg(puzzle, {**args, "size": str(size)})
    return _png_response(png.preview(text, picture.size, picture.height, picture.theme))


def draw_result(puzzle: Puzzle, args: Mapping[str, str]) -> Drawing:
    """Return the picture of a result that the query string `args` describes.

    `args` holds the start and the goal of the game, the medal, the signs of the moves (letters of
    `result_picture.SIGNS`) and the theme. Raise a PuzzleError if one of them is not valid or unknown.
    """
    for name in set(args) - {"start", "goal", "medal", "signs", "theme", "lang"}:
        raise PuzzleError(
            "{name!r} is not an option of a result picture.",
            "invalid_option",
            name=name,
        )
    medal = checked_choice("medal", args.get("medal", "solved"), result_picture.MEDALS)
    signs = args.get("signs", "")
    if len(signs) > result_picture.MAX_SIGNS or not set(signs) <= set(result_picture.SIGNS):
        raise PuzzleError(
            "signs must be at most {most} of the letters {letters}, not {text!r}.",
            "invalid_option",
            text=signs,
            most=result_picture.MAX_SIGNS,
            letters="".join(result_picture.SIGNS),
        )
    _, _, width, height = board_picture.view_of(puzzle, MARGIN)
    board_args = {
        "position": args.get("start", puzzle.start),
        "goal": args.get("goal", puzzle.goal),
        "theme": args.get("theme", "light"),
        "size": str(result_picture.board_width(width, height)),
    }
    board, picture = draw_svg(puzzle, board_args)
    result = result_picture.result_picture((picture.size, picture.height), medal, signs, picture.theme)
    text = render_template(
        "drawing/result.svg", result=result, board=board, label=localized(puzzle.texts.title)
    )
    return Drawing(text, result.width, result.height)


@blueprint.get("/puzzles/<puzzle_id>/result.svg")
def result_svg(puzzle_id: str) -> Response:
    """Return the picture of a result as SVG (see `draw_result`)."""
    text = draw_result(read_puzzle(puzzle_id), request.args).svg
    policy = "default-src 'none'; style-src 'unsafe-inline'"  # the colours of a picture are inline styles
    return cache_publicly(Response(text, mimetype="image/svg+xml", headers={POLICY: policy}))


@blueprint.get("/puzzles/<puzzle_id>/result.png")
def result_png(puzzle_id: str) -> Response:
    """Return the picture of a result as PNG (see `draw_result`)."""
    return _png_response(draw_result(read_puzzle(puzzle_id), request.args))


@blueprint.get("/icon-<int:size>.png")
def icon(size: int) -> Response:
    """Return the icon of the application, `size` pixels wide; 404 for a size that no page uses."""
    if size not in (180, 192, 512):
        abort(404)
    return _png_response(_icon(static_folder(), size))


@blueprint.get("/favicon.ico")
def favicon() -> Response:
    """Return the icon that browsers request when a response, such as a picture, cannot link to an icon."""
    return _png_response(_icon(static_folder(), 48))


@cache
def _icon(folder: Path, size: int) -> Drawing:
    return Drawing((folder / "icon.svg").read_text(encoding="utf-8"), size, size)


def _png_response(drawing: Drawing) -> Response:
    """Return the answer to a request for a picture; its body is drawn after the view (see `Pictures`)."""
    request.environ[DRAWING] = drawing
    return cache_publicly(Response(mimetype="image/png"))
