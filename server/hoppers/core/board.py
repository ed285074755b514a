"""Boards: holes, straight lines and symmetries, derived from a drawing in text.

All tables of a board (jumps, neighbours, symmetries, centres of the holes) are computed from the drawing, so
that no fact is written down twice.
"""

import cmath
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Self, TypeAlias

Point: TypeAlias = tuple[int, int]
Permutation: TypeAlias = tuple[int, ...]

PITCH = 100.0  # distance between the two nearest neighbours, in drawing units

SQUARE: tuple[Point, ...] = ((1, 0), (0, 1))
"""Directions (dx, dy) of the rows and columns of a square lattice, without the opposite directions."""
EIGHT: tuple[Point, ...] = ((1, 0), (0, 1), (1, 1), (1, -1))  # a square lattice with diagonals
CHECKERED: tuple[Point, ...] = ((2, 0), (0, 2), (1, 1), (1, -1))  # one colour of a chequered board
TRIANGULAR: tuple[Point, ...] = ((2, 0), (1, 1), (1, -1))  # holes of a row are two columns apart
SLANTED = 3**0.5  # height of a drawn row divided by the width of a column, for rows shifted by half a hole


@dataclass(frozen=True)
class Board:
    """Holes on an integer lattice, numbered in reading order, and the directions of lines through them."""

    points: tuple[Point, ...]
    directions: tuple[Point, ...]
    stretch: float = 1.0  # drawn height of a row divided by the drawn width of a column

    @classmethod
    def from_text(cls, drawing: str, directions: tuple[Point, ...], stretch: float = 1.0) -> Self:
        """Return the board drawn in a text, in which every character except a space is a hole."""
        rows = drawing.strip("\n").splitlines()
        points = [(x, y) for y, row in enumerate(rows) for x, mark in enumerate(row) if mark != " "]
        return cls(tuple(points), directions, stretch)

    @cached_property
    def rows(self) -> list[str]:
        """The drawing of the holes as texts, an `o` for each hole (see `from_text`)."""
        (left, right), (top, bottom) = ((min(line), max(line)) for line in zip(*self.points, strict=True))
        marks = (
            "".join("o" if (x, y) in self.hole_at else " " for x in range(left, right + 1))
            for y in range(top, bottom + 1)
        )
        return [row.rstrip() for row in marks]

    @cached_property
    def hole_at(self) -> dict[Point, int]:
        """Number of the hole at each lattice point."""
        return {point: hole for hole, point in enumerate(self.points)}

    def lines(self, length: int) -> Iterator[tuple[int, ...]]:
        """Yield all straight runs of `length` neighbouring holes, each in both directions."""
        for x, y in self.points:
            for dx, dy in self.directions:
                run = [self.hole_at.get((x + i * dx, y + i * dy)) for i in range(length)]
                holes = tuple(hole for hole in run if hole is not None)
                if len(holes) == length:
                    yield holes
                    yield holes[::-1]

    @cached_property
    def jumps(self) -> tuple[tuple[int, int, int], ...]:
        """All jumps that the lines allow, as sorted triples of holes (from, over, to)."""
        return tuple(sorted((a, b, c) for a, b, c in self.lines(3)))

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """Sorted neighbours of each hole along the lines."""
        pairs = sorted(set(self.lines(2)))
        return tuple(tuple(b for a, b in pairs if a == hole) for hole in range(len(self.points)))

    @cached_property
    def drawn(self) -> tuple[tuple[float, float], ...]:
        """Centres of the holes in drawing units; the nearest two are `PITCH` apart."""
        flat = [(x, y * self.stretch) for x, y in self.points]
        step = min(math.hypot(dx, dy * self.stretch) for dx, dy in self.directions)
        nearest = min((math.dist(flat[a], flat[b]) for a, b in self.lines(2)), default=step)
        left, top = min(x for x, _ in flat), min(y for _, y in flat)
        return tuple(((x - left) * PITCH / nearest, (y - top) * PITCH / nearest) for x, y in flat)

    @cached_property
    def symmetries(self) -> tuple[Permutation, ...]:
        """Permutations of the holes that map the drawing onto itself and lines onto lines.

        `symmetry[hole]` is the image of the hole. The identity comes first.
        """
        pairs = set(self.lines(2))
        found = []
        for turn in range(12):
            for mirror in (1, -1):
                image = self._turned(turn * math.pi / 6, mirror)
                if image is not None and {(image[a], image[b]) for a, b in pairs} == pairs:
                    found.append(image)
        return tuple(dict.fromkeys(found))

    def _turned(self, angle: float, mirror: int) -> Permutation | None:
        """Return the permutation of the holes by a turn of `angle` radians about the centre, or None.

        If `mirror` is -1, the board is reflected before the turn. None means that a hole has no image.
        """
        places = [complex(x, y) for x, y in self.drawn]
        centre = sum(places) / len(places)
        image = []
        for place in places:
            x, y = (place - centre).real * mirror, (place - centre).imag
            target = centre + complex(x, y) * cmath.rect(1, angle)
            hole = min(range(len(places)), key=lambda hole: abs(places[hole] - target))
            if abs(places[hole] - target) > 1:
                return None
            image.append(hole)
        return tuple(image)
