"""Shortest solutions, read from the levels of both directions of a bidirectional search.

A level stores the fewest moves of each board. A position with one move more than its board's fewest can lie
on a shortest solution, too, if its active peg jumps on for free.

Each shortest solution passes from the levels of forward search to those of backward search at a meeting. From
all meetings, all positions on shortest solutions are listed. The levels have far more positions.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from hoppers.core.board import Permutation
from hoppers.core.model import DEAD, GivenUp, MovesLeft, Position, Progressing
from hoppers.puzzles.pegs.bidirectional.kernels import MOVES_SHIFT, NO_LEVEL, Level, find
from hoppers.puzzles.pegs.jump_masks import JumpList, holes_of, jumps_from, jumps_into
from hoppers.puzzles.pegs.symmetries import apply_symmetry
from hoppers.search.slicing import map_progress
from hoppers.tablebase.solutions import LIMITS

Counted = tuple[Position, int]
"""A position, and the moves made before it or left after it."""
Form = tuple[int, int]
"""Canonical form of a board, and holes of its active peg (see `SearchLevels.canonical`)."""
Neighbours = Callable[[Position, int], Iterator[Counted]]
POSITIONS_PER_SLICE = 50  # a few milliseconds


class Meeting(NamedTuple):
    """A position, with its active peg, at which the directions met."""

    moves: int  # moves of the whole line through the position
    made: int  # moves from the start to the position
    position: Position


class SearchLevels(NamedTuple):
    """Levels of both directions of a search, and the problem and symmetries that they belong to."""

    jumps: JumpList
    root: Position
    goals: list[int]  # solved boards
    images: Sequence[Permutation]  # symmetries of the canonical forms
    forward: dict[int, Level]  # number of pegs -> level of forward search
    backward: dict[int, Level]  # the same of backward search

    def canonical(self, board: int, hole: int = -1) -> Form:
        """Return the smallest image of a board, and a mask of the active peg's holes in it.

        `hole`: hole of the active peg, or -1, which gives an empty mask. Several symmetries may give the
        smallest image; the mask then has a hole for each.
        """
        least, images = self._least_image(board)
        return least, sum({1 << image[hole] for image in images}) if hole >= 0 else 0

    def _least_image(self, board: int) -> tuple[int, list[Permutation]]:
        """Return the smallest image of a board, and the symmetries that lead to it."""
        boards = [apply_symmetry(board, image) for image in self.images]
        least = min(boards)
        return least, [image for image, other in zip(self.images, boards, strict=True) if other == least]

    def solution(self, meeting: Meeting) -> list[int]:
        """Return the board after each jump of a solution through `meeting`.

        `meeting` must have the fewest moves of all meetings.
        """
        before, position, made = [], meeting.position, meeting.made
        while position.state != self.root.state:
            before.append(position.state)
            position, made = next(self._before(position, made))
        boards, position, left = before[::-1], meeting.position, meeting.moves - meeting.made
        while position.state not in self.goals:
            position, left = next(self._after(position, left))
            boards.append(position.state)
        return boards

    def moves_left(self, meetings: Collection[Meeting]) -> Progressing[MovesLeft]:
        """Return a function of moves left: exact for positions on shortest solutions, DEAD for all others.

        `meetings`: all meetings under the last limit, at least one.

        Raises:
            GivenUp: too many positions are on shortest solutions.
        """
        fewest = min(meetings).moves
        met = {(position, fewest - made) for moves, made, position in meetings if moves == fewest}
        found = {self.canonical(*self.root): fewest}

        def before(position: Position, left: int) -> Iterator[Counted]:
            return ((at, fewest - made) for at, made in self._before(position, fewest - left))

        found |= yield from map_progress(self._spread(met, before), lambda done: done / 2)
        found |= yield from map_progress(self._spread(met, self._after), lambda done: (1 + done) / 2)
        problem = self._replace(forward={}, backward={})  # the result outlives the memory of the levels
        return lambda position: found.get(problem.canonical(*position), DEAD)

    def _before(self, position: Position, made: int) -> Iterator[Counted]:
        """Yield positions one jump before `position`, each with the moves to reach it.

        They include all that are on shortest solutions. Whether the start reaches a position with one move
        more than the fewest of its board is not tested. The first position has the fewest moves of its board,
        or its board is that of the start.
        """
        board, hole = position
        level = self.forward.get(board.bit_count() + 1, NO_LEVEL)
        for origin, target, before in jumps_into(self.jumps, board):
            value = self._value(level, before) if target == hole else None
            if value is None:
                continue
            moves, actives = value
            if moves + 1 == made:
                yield from ((Position(before, peg), moves) for peg in holes_of(actives) if peg != origin)
            if moves + 1 == made or (moves == made and actives >> origin & 1):
                yield Position(before, origin), made

    def _after(self, position: Position, left: int) -> Iterator[Counted]:
        """Yield each position one jump after `position` on a shortest solution, with the moves left there."""
        level = self.backward.get(position.state.bit_count() - 1, NO_LEVEL)
        for origin, target, after in jumps_from(self.jumps, position.state):
            value, rest = self._value(level, after), left - (origin != position.active)
            if value is not None and value[0] - (value[1] >> target & 1) == rest:
                yield Position(after, target), rest

    def _value(self, level: Level, board: int) -> tuple[int, int] | None:
        """Return a board's fewest moves in a level, and the mask of its possible active pegs (see `kernels`).

        The mask has the holes of `board`, not of its canonical form. None: the level lacks the board.
        """
        least, images = self._least_image(board)
        value = find(level, least)
        if not value:
            return None
        actives = (hole for hole in holes_of(board) if any(value >> image[hole] & 1 for image in images))
        return value >> MOVES_SHIFT, sum(1 << hole for hole in actives)

    def _spread(self, first: set[Counted], neighbours: Neighbours) -> Progressing[dict[Form, int]]:
        """Return the moves left of the positions `first` and of all that `neighbours` leads to, by form.

        Yield the share done.

        Raises:
            GivenUp: there are too many positions.
        """
        found, waiting = {self.canonical(*position): left for position, left in first}, [*first]
        for number, (position, left) in enumerate(waiting):  # the list grows in the loop
            if all(origin != position.active for origin, _, _ in jumps_from(self.jumps, position.state)):
                found[self.canonical(position.state)] = left  # also without the peg, as it cannot jump on
            for neighbour in neighbours(position, left):
                form = self.canonical(*neighbour[0])
                if form not in found:
                    found[form] = neighbour[1]
                    waiting.append(neighbour)
            if len(waiting) > LIMITS.positions:
                raise GivenUp("many")
            if number % POSITIONS_PER_SLICE == 0:
                yield number / len(waiting)
        return found
