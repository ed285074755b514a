"""Shortest solutions, read from the levels of both directions of a bidirectional search.

A level stores the fewest moves of each board. A position with one move more than its board's fewest can lie
on a shortest solution, too, if its active peg jumps on for free.

Each shortest solution passes from the levels of forward search to those of backward search at a meeting. From
all meetings, all positions on shortest solutions are listed. The levels have far more positions.
"""

from collections.abc import Callable, Collection, Generator, Iterator
from functools import partial
from typing import NamedTuple

from hoppers.core.board import Permutation
from hoppers.core.model import DEAD, GivenUp, MovesLeft, Position
from hoppers.puzzles.pegs.bidirectional.kernels import MOVES_SHIFT, NO_LEVEL, Level, find
from hoppers.puzzles.pegs.jump_masks import JumpList, jumps_from, jumps_into
from hoppers.puzzles.pegs.symmetries import apply_symmetry
from hoppers.search.slicing import map_progress
from hoppers.tablebase.solutions import LIMITS

Levels = dict[int, Level]
"""Number of pegs -> level."""
Counted = tuple[Position, int]
"""A position, and the moves made before it or left after it."""
Form = tuple[int, int]
"""Canonical form of a board, and holes of its active peg (see `SearchProblem.canonical`)."""
Neighbours = Callable[[Position, int], Iterator[Counted]]
POSITIONS_PER_SLICE = 50  # a few milliseconds


class Meeting(NamedTuple):
    """A position, with its active peg, at which the directions met."""

    moves: int  # moves of the whole line through the position
    made: int  # moves from the start to the position
    position: Position


class SearchProblem(NamedTuple):
    """Start and solved boards of a search, and the symmetries of the canonical forms in its levels."""

    jumps: JumpList
    holes: int
    root: Position
    goals: list[int]
    images: list[Permutation]

    def canonical(self, board: int, hole: int = -1) -> tuple[int, int]:
        """Return the smallest image of a board, and a mask of the active peg's holes in it.

        `hole`: hole of the active peg, or -1, which gives an empty mask. Several symmetries may give the
        smallest image; the mask then has a hole for each.
        """
        images = [apply_symmetry(board, image) for image in self.images]
        least, active = min(images), 0
        for image, turned in zip(self.images, images, strict=True):
            if turned == least and hole >= 0:
                active |= 1 << image[hole]
        return least, active

    def value(self, level: Level, board: int) -> tuple[int, int] | None:
        """Return the moves and the mask of pegs of a board in a level (see `kernels`); None if not found."""
        forms = [(apply_symmetry(board, image), image) for image in self.images]
        least = min(form for form, _ in forms)
        value = find(level, least)
        if not value:
            return None
        images = [image for form, image in forms if form == least]
        pegs = [hole for hole in range(self.holes) if board >> hole & 1]
        holes = sum(1 << hole for hole in pegs if any(value >> image[hole] & 1 for image in images))
        return value >> MOVES_SHIFT, holes


def boards_through(problem: SearchProblem, forward: Levels, backward: Levels, meeting: Meeting) -> list[int]:
    """Return the board after each jump of a solution through `meeting`."""
    before, position, made = [], meeting.position, meeting.made
    while position.state != problem.root.state:
        before.append(position.state)
        position, made = next(positions_before(problem, forward, position, made))
    boards, position, left = before[::-1], meeting.position, meeting.moves - meeting.made
    while position.state not in problem.goals:
        position, left = next(positions_after(problem, backward, position, left))
        boards.append(position.state)
    return boards


def positions_before(
    problem: SearchProblem, forward: Levels, position: Position, made: int
) -> Iterator[Counted]:
    """Yield each position one jump before `position` on a shortest solution, with the moves made to reach it.

    The first position yielded has the fewest moves of its board, or its board is that of the start.
    """
    board, hole = position
    level = forward.get(board.bit_count() + 1, NO_LEVEL)
    for origin, target, before in jumps_into(problem.jumps, board):
        value = problem.value(level, before) if target == hole else None
        if value is None:
            continue
        moves, actives = value
        if moves + 1 == made:
            others = (peg for peg in range(problem.holes) if actives >> peg & 1 and peg != origin)
            yield from ((Position(before, peg), moves) for peg in others)
        if moves + 1 == made or (moves == made and actives >> origin & 1):
            yield Position(before, origin), made


def positions_after(
    problem: SearchProblem, backward: Levels, position: Position, left: int
) -> Iterator[Counted]:
    """Yield each position one jump after `position` on a shortest solution, with the moves left from it."""
    level = backward.get(position.state.bit_count() - 1, NO_LEVEL)
    for origin, target, after in jumps_from(problem.jumps, position.state):
        value, rest = problem.value(level, after), left - (origin != position.active)
        if value is not None and value[0] - (value[1] >> target & 1) == rest:
            yield Position(after, target), rest


def moves_left_on_solutions(
    problem: SearchProblem, forward: Levels, backward: Levels, meetings: Collection[Meeting]
) -> Generator[float, None, MovesLeft]:
    """Return a function of moves left: exact for positions on shortest solutions, DEAD for all others.

    `meetings`: all meetings under the last limit. Yield the progress, 0 to 1.

    Raises:
        GivenUp: too many positions are on shortest solutions.
    """
    fewest = min(meetings).moves
    met = {(position, fewest - made) for moves, made, position in meetings if moves == fewest}
    found = {problem.canonical(*problem.root): fewest}

    def before(position: Position, left: int) -> Iterator[Counted]:
        steps = positions_before(problem, forward, position, fewest - left)
        return ((at, fewest - made) for at, made in steps)

    yield from map_progress(_spread(problem, met, before, found), lambda done: done / 2)
    steps = _spread(problem, met, partial(positions_after, problem, backward), found)
    yield from map_progress(steps, lambda done: (1 + done) / 2)
    return lambda position: found.get(problem.canonical(*position), DEAD)


def _spread(
    problem: SearchProblem, first: set[Counted], neighbours: Neighbours, found: dict[Form, int]
) -> Generator[float, None, None]:
    """Add to `found` the positions `first` and all that `neighbours` leads to. Yield the share done."""
    known, waiting = {problem.canonical(*position) for position, _ in first}, [*first]
    for number, (position, left) in enumerate(waiting):  # the list grows in the loop
        _add(problem, position, left, found)
        for neighbour in neighbours(position, left):
            form = problem.canonical(*neighbour[0])
            if form not in known:
                known.add(form)
                waiting.append(neighbour)
        if len(waiting) > LIMITS.positions:
            raise GivenUp("many")
        if number % POSITIONS_PER_SLICE == 0:
            yield number / len(waiting)


def _add(problem: SearchProblem, position: Position, left: int, found: dict[Form, int]) -> None:
    """Add a position to `found`; if its active peg has no further jump, also without the active peg."""
    least, active = problem.canonical(*position)
    found[least, active] = left
    if all(origin != position.active for origin, _, _ in jumps_from(problem.jumps, position.state)):
        found[least, 0] = left
