"""Compute the numbers and SVG paths that `templates/drawing/board.svg` draws, from a board and a position.

Only this module and the pictures in `templates/drawing` define the shapes of a board; static/css/board.css
has the colours. Pages, stand-alone pictures and thumbnails all draw a `Picture`. Units are those of
`Board.drawn`: 100 between the nearest holes, with the y axis pointing down, as in SVG.
"""

import math
import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from hoppers.core.board import PITCH, Board
from hoppers.core.model import Position
from hoppers.core.puzzle import Puzzle, cached_in_puzzle

Point: TypeAlias = tuple[float, float]
Box: TypeAlias = tuple[float, float, float, float]
"""Left, top, right, bottom."""


class Frame(NamedTuple):
    """SVG path data that draw a board without pieces, and the board's bounding box; '' draws nothing."""

    face: str  # outline of the wood
    box: Box  # bounding box of `face`
    grain: str  # strokes on the wood
    grooves: str = ""  # lines of holes
    well: str = ""  # recess of a tray, in which tiles move
    well_floor: str = ""


class Picture(NamedTuple):
    """The data of a board and a position for `templates/drawing/board.svg`."""

    frame: Frame
    view: tuple[float, float, float, float]
    """Left, top, width and height of the visible rectangle."""
    holes: list[tuple[str, str]]
    """Centre of each hole."""
    seat: str
    """Glyph of an empty hole; '' draws none."""
    pieces: dict[int, str]
    """Hole -> glyph of the piece in it, without the empty holes."""
    goal: tuple[str, str] | None = None
    """Centre of the goal hole; None if the goal is not a hole."""
    arrows: Sequence[tuple[str, str]] = ()
    """Shaft and head of each arrow, as path data."""
    last: Sequence[tuple[str, str]] = ()
    """Centres of the holes to mark as those of the last move."""
    numbers: bool = False
    """Whether to show the numbers of the holes."""
    size: int = 640
    """Width in pixels."""
    theme: str = "light"
    """Colours: 'light' or 'dark'."""

    @property
    def wide(self) -> bool:
        """True if the visible rectangle is more than twice as wide as high."""
        return self.view[2] > 2 * self.view[3]

    @property
    def view_box(self) -> str:
        """The visible rectangle as a viewBox attribute."""
        return " ".join(map(number, self.view))

    @property
    def empty(self) -> list[tuple[str, str]]:
        """The centres of the holes without a piece; no centres if empty holes are not drawn."""
        return [point for hole, point in enumerate(self.holes) if self.seat and hole not in self.pieces]

    @property
    def dots(self) -> dict[str, str]:
        """Path data with a dot in the hole of each piece, by glyph; all tiles share the path "tile"."""
        paths: dict[str, str] = {}
        for hole, glyph in self.pieces.items():
            kind = "tile" if glyph.startswith("tile") else glyph
            paths[kind] = paths.get(kind, "") + f"M{' '.join(self.holes[hole])}h0"
        return paths

    @property
    def height(self) -> int:
        """Height in pixels."""
        return round(self.size * self.view[3] / self.view[2])


def picture(puzzle: Puzzle, position: Position, goal: str, margin: float = 10.0) -> Picture:
    """Return the picture of a position as the page shows it, with `margin` units around the board."""
    points = [(number(x), number(y)) for x, y in puzzle.board.drawn]
    cells, glyphs = puzzle.format(position).split(":")[0], glyphs_of(puzzle)
    return Picture(
        frame=frame_of(puzzle),
        view=view_of(puzzle, margin),
        holes=points,
        seat=seat_of(puzzle),
        pieces={hole: glyphs[cell] for hole, cell in enumerate(cells) if cell in glyphs},
        goal=points[int(goal)] if is_hole(puzzle, goal) else None,
    )


@cached_in_puzzle
def frame_of(puzzle: Puzzle) -> Frame:
    """Return the drawing of a puzzle's board without pieces."""
    return {"hull": _hull, "tray": _tray}[puzzle.gallery.frame](puzzle)


def _hull(puzzle: Puzzle) -> Frame:
    points, radius = puzzle.board.drawn, 74.0  # width of wood around the centres of the holes
    box = bounds(points, radius)
    face = rounded_hull(points, radius)
    return Frame(face, box, grain(box, puzzle.id), grooves(puzzle.board))


def _tray(puzzle: Puzzle) -> Frame:
    inner = bounds(puzzle.board.drawn, 57.0)  # from the centres of the outer cells to the wall of the well
    box = bounds(corners(inner), 44.0)
    left, top, right, bottom = inner
    return Frame(
        rounded_hull(corners(bounds(corners(inner), 10.0)), 34),
        box,
        grain(box, puzzle.id),
        well=rounded_hull(corners(bounds(corners(inner), -16)), 16),
        well_floor=rounded_hull(corners((left + 16, top + 24, right - 16, bottom - 16)), 16),
    )


def view_of(puzzle: Puzzle, margin: float = 10.0) -> tuple[float, float, float, float]:
    """Return left, top, width and height of the visible rectangle, `margin` units around the board."""
    left, top, right, bottom = frame_of(puzzle).box
    edge = 12.0  # height of the visible edge below the face of the board
    return left - margin, top - margin, right - left + 2 * margin, bottom - top + 2 * margin + edge


@cached_in_puzzle
def glyphs_of(puzzle: Puzzle) -> dict[str, str]:
    """Return the glyph of each character of a position text, without characters that draw nothing.

    The glyph of a tile has its number, such as "tile-3".
    """
    named = enumerate(zip(puzzle.rules.alphabet, puzzle.gallery.pieces, strict=True))
    return {
        letter: f"tile-{value}" if glyph == "tile" else glyph for value, (letter, glyph) in named if glyph
    }


def seat_of(puzzle: Puzzle) -> str:
    """Return the glyph of an empty hole: 'seat' for discs, '' (none) in a tray, otherwise 'hole'."""
    if puzzle.gallery.frame == "tray":
        return ""
    return "seat" if any(glyph.startswith("disc") for glyph in puzzle.gallery.pieces) else "hole"


def shape_of(puzzle: Puzzle) -> str:
    """Return the shape of marks around a piece: 'square' for tiles, otherwise 'round'."""
    return "square" if "tile" in puzzle.gallery.pieces else "round"


def is_hole(puzzle: Puzzle, text: str) -> bool:
    """Return whether a text, such as a goal, is the number of a hole."""
    return text in map(str, range(puzzle.holes))


def button_places(puzzle: Puzzle) -> tuple[list[tuple[float, float]], float]:
    """Return the centre (x, y) of the button over each hole, and the width of all buttons, in per cent.

    `y` is in per cent of the height of the drawing, `x` and the width in per cent of its width.
    """
    left, top, width, height = view_of(puzzle)
    centres = [((x - left) / width * 100, (y - top) / height * 100) for x, y in puzzle.board.drawn]
    return centres, 0.98 * PITCH / width * 100


def number(value: float) -> str:
    """Return a coordinate as text, with at most one decimal."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def pair(x: float, y: float) -> str:
    """Return a point as path data."""
    return f"{number(x)} {number(y)}"


def bounds(points: Sequence[Point], margin: float = 0.0) -> Box:
    """Return the bounding box of the points, `margin` wider on every side."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs) - margin, min(ys) - margin, max(xs) + margin, max(ys) + margin


def corners(box: Box) -> list[Point]:
    """Return the four corners of a rectangle, clockwise from the upper left."""
    left, top, right, bottom = box
    return [(left, top), (right, top), (right, bottom), (left, bottom)]


def hull(points: Sequence[Point]) -> list[Point]:
    """Return the convex hull of `points`, clockwise on the screen (Andrew's monotone chain)."""
    ordered = sorted(set(points))
    return _half(ordered)[:-1] + _half(ordered[::-1])[:-1] or ordered


def _half(ordered: list[Point]) -> list[Point]:
    chain: list[Point] = []
    for point in ordered:
        while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 1e-6:
            chain.pop()
        chain.append(point)
    return chain


def _turn(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def rounded_hull(points: Sequence[Point], radius: float) -> str:
    """Return as path data the convex hull of `points` widened by `radius` (its Minkowski sum with a disc)."""
    vertices = hull(points)
    if len(vertices) == 1:
        return circle(vertices[0], radius)
    path: list[str] = []
    for start, end in zip(vertices, [*vertices[1:], vertices[0]], strict=True):
        length = math.dist(start, end)
        out_x, out_y = (end[1] - start[1]) / length * radius, (start[0] - end[0]) / length * radius
        arc = f"A{number(radius)} {number(radius)} 0 0 1 " if path else "M"
        path.append(f"{arc}{pair(start[0] + out_x, start[1] + out_y)}L{pair(end[0] + out_x, end[1] + out_y)}")
    return "".join(path) + f"A{number(radius)} {number(radius)} 0 0 1 {path[0][1:].split('L')[0]}z"


def circle(middle: Point, radius: float) -> str:
    """Return a circle as path data."""
    across, arc = number(2 * radius), f"a{number(radius)} {number(radius)} 0 1 1"
    return f"M{pair(middle[0] - radius, middle[1])}{arc} {across} 0{arc} -{across} 0z"


def grooves(board: Board) -> str:
    """Return as path data all lines of at least three holes; '' if there are fewer than two such lines."""
    runs = list(_runs(board))
    drawn = [(board.drawn[first], board.drawn[last]) for first, last in runs]
    return "".join(f"M{pair(*start)}L{pair(*end)}" for start, end in drawn) if len(runs) > 1 else ""


def _runs(board: Board) -> Iterator[tuple[int, int]]:
    for x, y in board.points:
        for dx, dy in board.directions:
            ahead = 0
            while (x + (ahead + 1) * dx, y + (ahead + 1) * dy) in board.hole_at:
                ahead += 1
            if ahead > 1 and (x - dx, y - dy) not in board.hole_at:
                yield board.hole_at[x, y], board.hole_at[x + ahead * dx, y + ahead * dy]


def grain(box: Box, seed: str) -> str:
    """Return the grain of the wood as path data: long wavy strokes. Equal arguments give equal paths."""
    generator = random.Random(seed)
    left, top, right, bottom = box
    width, y = right - left, top
    path: list[str] = []
    while True:
        y += generator.uniform(20, 66)
        if y > bottom - 8:
            return "".join(path)
        swell = generator.uniform(1, 10) * generator.choice((1, -1))
        first, second = width * generator.uniform(0.3, 0.4), width * generator.uniform(0.55, 0.7)
        curve = f"c{pair(first / 2, swell)} {pair(first, -swell)} {pair(second, -swell / 3)}"
        path.append(
            f"M{pair(left, y)}{curve}s{pair(width - second, swell)} {pair(width - second, swell / 4)}"
        )


def arrow(start: Point, end: Point) -> tuple[str, str]:
    """Return shaft and head of a curved arrow as path data, like `arrow` in static/board/overlays.js.

    `start` and `end` must differ.
    """
    length = math.dist(start, end)
    across_x, across_y = (start[1] - end[1]) / length, (end[0] - start[0]) / length
    bend = 0.2 * length  # height of the curve
    control = ((start[0] + end[0]) / 2 + across_x * bend, (start[1] + end[1]) / 2 + across_y * bend)
    tail = towards(start, control, min(46.0, length * 0.3))
    tip = towards(end, control, min(30.0, length * 0.2))
    neck = towards(tip, control, 26.0)
    side_x, side_y = (tip[1] - neck[1]) * 0.73, (neck[0] - tip[0]) * 0.73
    left, right = (neck[0] + side_x, neck[1] + side_y), (neck[0] - side_x, neck[1] - side_y)
    shaft = f"M{pair(*tail)}Q{pair(*control)} {pair(*neck)}"
    return shaft, f"M{pair(*tip)}L{pair(*left)}L{pair(*right)}z"


def towards(point: Point, goal: Point, distance: float) -> Point:
    """Return the point `distance` away from `point` on the straight line to `goal`, another point."""
    share = distance / math.dist(point, goal)
    return point[0] + (goal[0] - point[0]) * share, point[1] + (goal[1] - point[1]) * share
