"""Holes, lines and symmetries derived from the drawings."""

import pytest

from tests import naive
from tests.support.engine import find


@pytest.mark.parametrize(
    ("puzzle", "holes", "jumps", "symmetries"),
    [
        ("hoppers", 13, 32, 8),
        ("diamond-13", 13, 32, 8),
        ("triangle-15", 15, 36, 6),
        ("triangle-21", 21, 48, 6),
        ("english-33", 33, 76, 8),
        ("french-37", 37, 92, 8),
        ("diamond-41", 41, 100, 8),
    ],
)
def test_boards_have_their_known_counts(puzzle: str, holes: int, jumps: int, symmetries: int) -> None:
    board = find(puzzle).board
    assert (len(board.points), len(board.jumps), len(board.symmetries)) == (holes, jumps, symmetries)


@pytest.mark.parametrize(
    "puzzle", ["hoppers", "diamond-13", "triangle-15", "triangle-21", "english-33", "french-37", "diamond-41"]
)
def test_jumps_match_the_numbered_pictures(puzzle: str) -> None:
    game = naive.rules(puzzle)
    assert isinstance(game, naive.Pegs)
    assert sorted(find(puzzle).board.jumps) == sorted(game.jumps)


def test_triangle_21_has_lines_of_seven_holes() -> None:
    lines = set(find("triangle-21").board.lines(7))
    assert {(0, 2, 4, 7, 11, 17, 20), (1, 2, 3, 5, 8, 13, 19), (12, 13, 14, 15, 16, 17, 18)} <= lines


@pytest.mark.parametrize("puzzle", ["hoppers", "triangle-15", "eight-puzzle"])
def test_symmetries_form_a_group(puzzle: str) -> None:
    images = set(find(puzzle).board.symmetries)
    assert next(iter(find(puzzle).board.symmetries)) == tuple(range(find(puzzle).holes))
    assert all(tuple(a[b[hole]] for hole in range(len(a))) in images for a in images for b in images)


def test_drawn_holes_are_a_pitch_apart() -> None:
    for name in ("hoppers", "diamond-13", "triangle-21", "flip-it-8"):
        drawn = find(name).board.drawn
        assert (
            min(
                ((ax - bx) ** 2 + (ay - by) ** 2) ** 0.5
                for ax, ay in drawn
                for bx, by in drawn
                if (ax, ay) != (bx, by)
            )
            > 99.9
        )
