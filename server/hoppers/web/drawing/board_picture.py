"""Compute the numbers that `templates/board.svg` draws, from a board and a position.

Only this module, that template and `templates/glyphs.svg` know how a board looks. One drawing serves the
page, the stand-alone picture and the thumbnails.
"""

import math
from dataclasses import dataclass, field
from typing import NamedTuple

from hoppers.core.board import PITCH
from hoppers.core.model import Position
from hoppers.core.puzzle import Puzzle, cached_in_puzzle
from hoppers.web.drawing import svg_paths
from hoppers.web.drawing.svg_paths import Box, bounds, number

HULL_RADIUS, DISC_MARGIN, TRAY_BORDER = 74.0, 108.0, 44.0
"""Width of wood around the holes of a hull or a disc, and around the well of a tray."""
WELL_MARGIN = 57.0
"""Distance from the centres of the outer cells to the wall of the well."""
EDGE = 12.0
"""Height of the visible edge below the face of the board."""


class Frame(NamedTuple):
    """The drawing of a board without pieces, as SVG path data; empty strings draw nothing."""

    face: str
    box: Box
    grain: str
    grooves: str = ""
    rim: str = ""
    well: str = ""
    well_floor: str = ""


class Piece(NamedTuple):
    """A piece at a hole, with the glyph that draws the piece."""

    hole: int
    x: str
    y: str
    glyph: str

    @property
    def kind(self) -> str:
        """The name of the glyph, without the number of a tile."""
        return "tile" if self.glyph.startswith("tile") else self.glyph


class Arrow(NamedTuple):
    """An arrow as path data."""

    shaft: str
    head: str


@dataclass(frozen=True)
class Picture:
    """The data of a board and a position for `templates/board.svg`."""

    puzzle: Puzzle
    frame: Frame
    view: tuple[float, float, float, float]
    """Left, top, width and height of the visible rectangle."""
    holes: list[tuple[str, str]]
    seat: str
    """Glyph of an empty hole; '' draws none."""
    pieces: list[Piece]
    goal: tuple[str, str] | None = None
    arrows: list[Arrow] = field(default_factory=list)
    last: list[tuple[str, str]] = field(default_factory=list)
    numbers: bool = False
    size: int | None = None
    theme: str = "light"

    @property
    def wide(self) -> bool:
        """True if the board is more than twice as wide as high."""
        return self.view[2] > 2 * self.view[3]

    @property
    def view_box(self) -> str:
        """The visible rectangle as a viewBox attribute."""
        return " ".join(map(number, self.view))

    @property
    def empty(self) -> list[tuple[str, str]]:
        """The holes without a piece; none if empty holes are not drawn."""
        taken = {piece.hole for piece in self.pieces}
        return [point for hole, point in enumerate(self.holes) if self.seat and hole not in taken]

    @property
    def height(self) -> int | None:
        """The height in pixels of a picture `size` pixels wide."""
        return None if self.size is None else round(self.size * self.view[3] / self.view[2])


def picture(puzzle: Puzzle, position: Position, goal: str, margin: float = 10.0) -> Picture:
    """Return the picture of a position as the page shows it, with `margin` units around the board."""
    frame = frame_of(puzzle)
    points = [(number(x), number(y)) for x, y in puzzle.board.drawn]
    return Picture(
        puzzle=puzzle,
        frame=frame,
        view=_view(frame.box, margin),
        holes=points,
        seat=seat_of(puzzle),
        pieces=_pieces(puzzle, position),
        goal=points[int(goal)] if is_hole(puzzle, goal) else None,
    )


@cached_in_puzzle
def frame_of(puzzle: Puzzle) -> Frame:
    """Return the board of a puzzle without pieces."""
    return {"hull": _hull, "disc": _disc, "tray": _tray}[puzzle.gallery.frame](puzzle)


def _hull(puzzle: Puzzle) -> Frame:
    points = puzzle.board.drawn
    box = bounds(points, HULL_RADIUS)
    face = svg_paths.rounded_hull(points, HULL_RADIUS)
    return Frame(face, box, svg_paths.grain(box, puzzle.id), svg_paths.grooves(puzzle.board))


def _disc(puzzle: Puzzle) -> Frame:
    left, top, right, bottom = bounds(puzzle.board.drawn)
    centre = ((left + right) / 2, (top + bottom) / 2)
    radius = max(math.dist(centre, point) for point in puzzle.board.drawn) + DISC_MARGIN
    box = bounds([centre], radius)
    face, rim = svg_paths.circle(centre, radius), svg_paths.circle(centre, radius - 38)
    return Frame(face, box, svg_paths.grain(box, puzzle.id), rim=rim)


def _tray(puzzle: Puzzle) -> Frame:
    inner = bounds(puzzle.board.drawn, WELL_MARGIN)
    box = bounds(svg_paths.corners(inner), TRAY_BORDER)
    left, top, right, bottom = inner
    return Frame(
        svg_paths.rounded_hull(svg_paths.corners(bounds(svg_paths.corners(inner), TRAY_BORDER - 34)), 34),
        box,
        svg_paths.grain(box, puzzle.id),
        well=svg_paths.rounded_hull(svg_paths.corners(bounds(svg_paths.corners(inner), -16)), 16),
        well_floor=svg_paths.rounded_hull(
            svg_paths.corners((left + 16, top + 24, right - 16, bottom - 16)), 16
        ),
    )


def _view(box: Box, margin: float) -> tuple[float, float, float, float]:
    left, top, right, bottom = box
    return left - margin, top - margin, right - left + 2 * margin, bottom - top + 2 * margin + EDGE


def glyph_of(puzzle: Puzzle, value: int) -> str:
    """Return the glyph of a cell value; the glyph of a tile contains its number."""
    glyph = puzzle.gallery.pieces[value]
    return f"tile-{value}" if glyph == "tile" else glyph


def glyphs_of(puzzle: Puzzle) -> dict[str, str]:
    """Return the glyph of each character of a position text, without characters that draw nothing."""
    names = [(letter, glyph_of(puzzle, value)) for value, letter in enumerate(puzzle.rules.alphabet)]
    return {letter: glyph for letter, glyph in names if glyph}


def seat_of(puzzle: Puzzle) -> str:
    """Return the glyph of an empty hole: a wide seat for discs, none under tiles."""
    if puzzle.gallery.frame == "tray":
        return ""
    return "seat" if any(glyph.startswith("disc") for glyph in puzzle.gallery.pieces) else "hole"


def shape_of(puzzle: Puzzle) -> str:
    """Return the shape of marks around a piece: 'square' for tiles, otherwise 'round'."""
    return "square" if "tile" in puzzle.gallery.pieces else "round"


def is_hole(puzzle: Puzzle, text: str) -> bool:
    """Return whether a text, such as a goal, is the number of a hole."""
    return text in map(str, range(puzzle.holes))


def _pieces(puzzle: Puzzle, position: Position) -> list[Piece]:
    cells = enumerate(zip(puzzle.cells(position.state), puzzle.board.drawn, strict=True))
    drawn = [(hole, x, y, glyph_of(puzzle, value)) for hole, (value, (x, y)) in cells]
    return [Piece(hole, number(x), number(y), glyph) for hole, x, y, glyph in drawn if glyph]


def button_places(puzzle: Puzzle) -> tuple[list[tuple[float, float]], float]:
    """Return the centres of the buttons over the drawing and the width of one, in per cent of the drawing."""
    left, top, width, height = _view(frame_of(puzzle).box, 10.0)
    centres = [((x - left) / width * 100, (y - top) / height * 100) for x, y in puzzle.board.drawn]
    return centres, 0.98 * PITCH / width * 100
