"""Pictures of positions as SVG and PNG files, with options in their URLs, and the icons of the application.

Such a picture is not part of a page, so it contains the rules of `static/css/board.css`. Link previews are
PNG.
"""

import itertools
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from flask import Blueprint, Response, abort, render_template, request

from hoppers.core.errors import PuzzleError
from hoppers.core.model import Position
from hoppers.core.puzzle import Puzzle
from hoppers.drawing import board_picture, stand_alone
from hoppers.drawing.stand_alone import MARGIN
from hoppers.web.api.play_line import read_steps
from hoppers.web.api.positions import cache_publicly
from hoppers.web.current import read_puzzle
from hoppers.web.drawing import png, result_picture
from hoppers.web.drawing.png import DRAWING, Drawing
from hoppers.web.http.assets import POLICY, static_folder
from hoppers.web.http.i18n import localized

blueprint = Blueprint("images", __name__)

OPTIONS = {"size", "numbers", "arrow", "lastmove", "theme"}
MAX_SVG_WIDTH = 4096  # pixels; drawing costs the server nothing, whatever the size
MAX_PAIRS = 100  # arrows, or marked steps, in one picture


def picture_with_options(
    puzzle: Puzzle, position: Position, goal: str, options: Mapping[str, str], max_width: int
) -> board_picture.Picture:
    """Return the data of a stand-alone picture. `options`: texts as in a query string, by name.

    `max_width`: largest size, in pixels.

    Raise a PuzzleError, which quotes the option, if one is unknown or invalid.
    """
    for name in set(options) - OPTIONS:
        raise PuzzleError(
            "{name!r} is not a picture option; options are {options}.",
            "invalid_option",
            name=name,
            options=", ".join(sorted(OPTIONS)),
        )
    arrows = [
        board_picture.arrow(puzzle.board.drawn[start], puzzle.board.drawn[end])
        for start, end in _option_hole_pairs(puzzle, "arrow", options.get("arrow"))
    ]
    last = [hole for ends in _option_hole_pairs(puzzle, "lastmove", options.get("lastmove")) for hole in ends]
    base = board_picture.picture(puzzle, position, goal, MARGIN)
    return base._replace(
        arrows=arrows,
        last=[base.holes[hole] for hole in dict.fromkeys(last)],
        numbers=_choice("numbers", options.get("numbers", "0"), ("0", "1")) == "1",
        size=_size(options.get("size", "640"), max_width),
        theme=_choice("theme", options.get("theme", "light"), ("light", "dark")),
    )


def _option_hole_pairs(puzzle: Puzzle, name: str, text: str | None) -> list[tuple[int, int]]:
    """Return the pairs of holes in a text such as `2-0-6.9-3`: (2, 0), (0, 6), (9, 3). No text: no pairs.

    Raise a PuzzleError, which names the option `name`, for any other text, or if a pair has equal holes.
    """
    if not text:
        return []
    pairs: list[tuple[int, int]] = []
    for move in text.split("."):
        holes = move.split("-")
        if len(holes) < 2 or not all(board_picture.is_hole(puzzle, hole) for hole in holes):
            raise PuzzleError(
                "{name} must be hole numbers of {puzzle} joined by '-', such as 0-6, not {text!r}.",
                "invalid_option",
                name=name,
                text=text,
                puzzle=puzzle.texts.title,
            )
        pairs += [(int(a), int(b)) for a, b in itertools.pairwise(holes)]
    if len(pairs) > MAX_PAIRS:
        raise PuzzleError(
            "{name} has {count} pairs of holes, more than {most}.",
            "invalid_option",
            name=name,
            count=len(pairs),
            most=MAX_PAIRS,
        )
    if any(a == b for a, b in pairs):
        raise PuzzleError("{name}={text!r} does not move anything.", "invalid_option", name=name, text=text)
    return pairs


def _choice(name: str, text: str, allowed: tuple[str, ...]) -> str:
    if text not in allowed:
        raise PuzzleError(
            "{name} must be one of {options}, not {text!r}.",
            "invalid_option",
            name=name,
            text=text,
            options=", ".join(allowed),
        )
    return text


def _size(text: str, most: int) -> int:
    least = 32
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and least <= int(text) <= most):
        raise PuzzleError(
            "size must be {least} to {most} pixels, not {text!r}.",
            "invalid_option",
            text=text,
            least=least,
            most=most,
        )
    return int(text)


def draw_svg(
    puzzle: Puzzle, args: Mapping[str, str], max_width: int = MAX_SVG_WIDTH
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
    picture = picture_with_options(puzzle, position, goal, options, max_width)
    label = f"{localized(puzzle.texts.title)}, {puzzle.format(position)}"
    stylesheet = static_folder() / stand_alone.STYLESHEET
    return stand_alone.svg(puzzle, picture, label, stylesheet), picture


@blueprint.get("/puzzles/<puzzle_id>/board.svg")
def board_svg(puzzle_id: str) -> Response:
    """Return a position as SVG; the query string may have options (see `picture_with_options`)."""
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
    medal = _choice("medal", args.get("medal", "solved"), result_picture.MEDALS)
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
