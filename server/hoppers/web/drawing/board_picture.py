"""A board, a position and options become the numbers that `templates/board.svg` draws.

With that template and `templates/glyphs.svg` the only place that knows how a board looks. One drawing
serves the page, the stand-alone picture and the thumbnails.
"""

import math
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from hoppers.core.board import PITCH
from hoppers.core.model import Position
from hoppers.core.puzzle import Puzzle
from hoppers.web.drawing import svg_paths
from hoppers.web.drawing.svg_paths import Box, bounds, number

HULL_RADIUS, DISC_MARGIN, TRAY_BORDER = 74.0, 108.0, 44.0
WELL_MARGIN = 57.0
EDGE = 12.0
"""How far the edge of the slab shows below its face."""


class Frame(NamedTuple):
    """The slab without pieces, as path data; empty strings draw nothing."""

    face: str
    box: Box
    grain: str
    grooves: str = ""
    rim: str = ""
    well: str = ""
    well_floor: str = ""


class Piece(NamedTuple):
    """A glyph at a hole."""

    hole: int
    x: str
    y: str
    glyph: str

    @property
    def kind(self) -> str:
        """The glyph without a tile's number."""
        return "tile" if self.glyph.startswith("tile") else self.glyph


class Arrow(NamedTuple):
    """Path data of an arrow."""

    shaft: str
    head: str


@dataclass(frozen=True)
class Picture:
    """All that the template needs."""

    puzzle: Puzzle
    frame: Frame
    view: tuple[float, float, float, float]
    """Left, top, width and height of what is shown."""
    holes: list[tuple[str, str]]
    seat: str
    """Glyph of an empty hole ('' draws none)."""
    pieces: list[Piece]
    goal: tuple[str, str] | None = None
    arrows: list[Arrow] = field(default_factory=list)
    last: list[tuple[str, str]] = field(default_factory=list)
    numbers: bool = False
    size: int | None = None
    theme: str = "light"

    @property
    def wide(self) -> bool:
        """Whether it is a strip rather than a square."""
        return self.view[2] > 2 * self.view[3]

    @property
    def view_box(self) -> str:
        """The shown rectangle as SVG wants it."""
        return " ".join(map(number, self.view))

    @property
    def empty(self) -> list[tuple[str, str]]:
        """The holes without a piece, where empty ones are drawn at all."""
        taken = {piece.hole for piece in self.pieces}
        return [spot for hole, spot in enumerate(self.holes) if self.seat and hole not in taken]

    @property
    def height(self) -> int | None:
        """The height in pixels that goes with `size`."""
        return None if self.size is None else round(self.size * self.view[3] / self.view[2])


def picture(puzzle: Puzzle, position: Position, goal: str, margin: float = 10.0) -> Picture:
    """The board as the page shows it."""
    frame = frame_of(puzzle)
    spots = [(number(x), number(y)) for x, y in puzzle.board.drawn]
    return Picture(
        puzzle=puzzle,
        frame=frame,
        view=_view(frame.box, margin),
        holes=spots,
        seat=seat_of(puzzle),
        pieces=_pieces(puzzle, position),
        goal=spots[int(goal)] if is_hole(puzzle, goal) else None,
    )


@cache
def frame_of(puzzle: Puzzle) -> Frame:
    """The slab of a puzzle."""
    return {"hull": _hull, "disc": _disc, "tray": _tray}[puzzle.gallery.frame](puzzle)


def _hull(puzzle: Puzzle) -> Frame:
    spots = puzzle.board.drawn
    box = bounds(spots, HULL_RADIUS)
    face = svg_paths.rounded_hull(spots, HULL_RADIUS)
    return Frame(face, box, svg_paths.grain(box, puzzle.id), svg_paths.grooves(puzzle.board))


def _disc(puzzle: Puzzle) -> Frame:
    left, top, right, bottom = bounds(puzzle.board.drawn)
    middle = ((left + right) / 2, (top + bottom) / 2)
    radius = max(math.dist(middle, spot) for spot in puzzle.board.drawn) + DISC_MARGIN
    box = bounds([middle], radius)
    face, rim = svg_paths.circle(middle, radius), svg_paths.circle(middle, radius - 38)
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
    """The name of what is drawn for a cell value: a tile's name carries its number."""
    glyph = puzzle.gallery.pieces[value]
    return f"tile-{value}" if glyph == "tile" else glyph


def glyphs_of(puzzle: Puzzle) -> dict[str, str]:
    """Character of a text -> glyph, for the characters that draw something."""
    names = [(letter, glyph_of(puzzle, value)) for value, letter in enumerate(puzzle.rules.alphabet)]
    return {letter: glyph for letter, glyph in names if glyph}


def seat_of(puzzle: Puzzle) -> str:
    """The glyph of an empty hole: a wide seat for discs, none under tiles."""
    if puzzle.gallery.frame == "tray":
        return ""
    return "seat" if any(glyph.startswith("disc") for glyph in puzzle.gallery.pieces) else "hole"


def shape_of(puzzle: Puzzle) -> str:
    """The shape of marks round a piece."""
    return "square" if "tile" in puzzle.gallery.pieces else "round"


def is_hole(puzzle: Puzzle, text: str) -> bool:
    """Tell whether a text, such as a goal, names one hole."""
    return text in map(str, range(puzzle.holes))


def _pieces(puzzle: Puzzle, position: Position) -> list[Piece]:
    cells = enumerate(zip(puzzle.cells(position.state), puzzle.board.drawn, strict=True))
    drawn = [(hole, x, y, glyph_of(puzzle, value)) for hole, (value, (x, y)) in cells]
    return [Piece(hole, number(x), number(y), glyph) for hole, x, y, glyph in drawn if glyph]


def places(puzzle: Puzzle) -> tuple[list[tuple[float, float]], float]:
    """Where the buttons over the drawing lie: middles in per cent, and the width of one."""
    left, top, width, height = _view(frame_of(puzzle).box, 10.0)
    middles = [((x - left) / width * 100, (y - top) / height * 100) for x, y in puzzle.board.drawn]
    return middles, 0.98 * PITCH / width * 100
