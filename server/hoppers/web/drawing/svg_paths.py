"""SVG path data of a board: outline, grooves, grain and arrows.

Units are those of `Board.drawn`: 100 from hole to hole, with the y axis pointing down, as in SVG.
"""

import math
import random
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from hoppers.core.board import Board

Point: TypeAlias = tuple[float, float]
Box: TypeAlias = tuple[float, float, float, float]
"""Left, top, right, bottom."""

ARROW_START, ARROW_END = 46.0, 30.0
"""Distance of an arrow's tail and of its tip from the centres of their holes."""
ARROW_HEAD, ARROW_BEND = 26.0, 0.2
"""Length of the head, and height of the curve as a share of the length."""


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
    """Return the convex hull, ordered from the x axis towards the y axis (Andrew's monotone chain)."""
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
    """Return the outline of the convex hull swept by a disc (their Minkowski sum)."""
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
    """Return the lines along which pieces jump: runs of at least three holes; '' if there is only one run."""
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
    """Return the grain of the wood as path data: long wavy strokes. Equal seeds give equal strokes."""
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
    """Return shaft and head of a curved arrow from hole to hole, like `arrow` in static/board/overlays.js."""
    length = math.dist(start, end)
    across_x, across_y = (start[1] - end[1]) / length, (end[0] - start[0]) / length
    bend = ARROW_BEND * length
    control = ((start[0] + end[0]) / 2 + across_x * bend, (start[1] + end[1]) / 2 + across_y * bend)
    tail = towards(start, control, min(ARROW_START, length * 0.3))
    tip = towards(end, control, min(ARROW_END, length * 0.2))
    neck = towards(tip, control, ARROW_HEAD)
    side_x, side_y = (tip[1] - neck[1]) * 0.73, (neck[0] - tip[0]) * 0.73
    left, right = (neck[0] + side_x, neck[1] + side_y), (neck[0] - side_x, neck[1] - side_y)
    return f"M{pair(*tail)}Q{pair(*control)} {pair(*neck)}", f"M{pair(*tip)}L{pair(*left)}L{pair(*right)}z"


def towards(point: Point, goal: Point, distance: float) -> Point:
    """Return the point `distance` away from `point` on the straight line to `goal`."""
    share = distance / math.dist(point, goal)
    return point[0] + (goal[0] - point[0]) * share, point[1] + (goal[1] - point[1]) * share
