"""Reconstruction of a solution from the levels of both directions of a search."""

from collections.abc import Iterator
from typing import NamedTuple

from hoppers.core.board import Permutation
from hoppers.core.model import Position
from hoppers.puzzles.pegs.bidirectional.kernels import MOVES_SHIFT, Level, find
from hoppers.puzzles.pegs.jump_masks import JumpList
from hoppers.puzzles.pegs.symmetries import apply_symmetry

Levels = dict[int, Level]
"""Number of pegs -> level."""
Jump = tuple[int, int]
"""Origin and target."""


class Problem(NamedTuple):
    """Start and solved boards of a search, and the symmetries under which its levels are canonical."""

    jumps: JumpList
    holes: int
    root: Position
    goals: list[int]
    images: list[Permutation]

    def canonical(self, board: int, hole: int = -1) -> tuple[int, int]:
        """Return the smallest image of a board, and the holes of the active peg in images equal to it."""
        images = [apply_symmetry(board, image) for image in self.images]
        least, active = min(images), 0
        for image, turned in zip(self.images, images, strict=True):
            if turned == least and hole >= 0:
                active |= 1 << image[hole]
        return least, active

    def value(self, level: Level, board: int) -> tuple[int, int] | None:
        """Return the moves of a board in a level and the holes of pegs that may be active, or None."""
        forms = [(apply_symmetry(board, image), image) for image in self.images]
        least = min(form for form, _ in forms)
        value = find(level, least)
        if not value:
            return None
        images = [image for form, image in forms if form == least]
        pegs = [hole for hole in range(self.holes) if board >> hole & 1]
        holes = sum(1 << hole for hole in pegs if any(value >> image[hole] & 1 for image in images))
        return value >> MOVES_SHIFT, holes


def jumps_through(problem: Problem, downs: Levels, ups: Levels, meeting: Position, made: int) -> list[Jump]:
    """Return the jumps of the solution on which the directions met, after `made` moves."""
    return _from_root(problem, downs, meeting, made) + _to_goal(problem, ups, meeting)


def _from_root(problem: Problem, downs: Levels, position: Position, made: int) -> list[Jump]:
    found: list[Jump] = []
    while position.state != problem.root.state:
        position, made, jump = next(_jumps_into(problem, downs, position, made))
        found.append(jump)
    return found[::-1]


def _jumps_into(
    problem: Problem, downs: Levels, position: Position, made: int
) -> Iterator[tuple[Position, int, Jump]]:
    """Yield (position before, moves made before, jump) for each jump that leads to a position."""
    board = position.state
    for origin, over, target in problem.jumps:
        if target != position.active or board >> origin & 1 or board >> over & 1:
            continue
        before = board ^ (1 << origin | 1 << over | 1 << target)
        value = problem.value(downs[before.bit_count()], before)
        if value is None:
            continue
        moves, actives = value
        if moves == made and actives >> origin & 1:
            yield Position(before, origin), moves, (origin, target)
        elif moves + 1 == made:
            yield Position(before, actives.bit_length() - 1), moves, (origin, target)


def _to_goal(problem: Problem, ups: Levels, meeting: Position) -> list[Jump]:
    board, hole = meeting
    found: list[Jump] = []
    while board not in problem.goals:
        value = problem.value(ups[board.bit_count()], board)
        assert value is not None
        moves, actives = value
        hole = hole if actives >> hole & 1 else actives.bit_length() - 1
        board, target = next(_jumps_out(problem, ups, board, hole, moves))
        found.append((hole, target))
        hole = target
    return found


def _jumps_out(problem: Problem, ups: Levels, board: int, hole: int, moves: int) -> Iterator[tuple[int, int]]:
    """Yield (board after, target) for each jump of the peg in `hole` on a shortest path to a goal."""
    for origin, over, target in problem.jumps:
        if origin != hole or not board >> over & 1 or board >> target & 1:
            continue
        after = board ^ (1 << origin | 1 << over | 1 << target)
        value = problem.value(ups[after.bit_count()], after)
        if value is not None and 1 + value[0] - (value[1] >> target & 1) == moves:
            yield after, target
