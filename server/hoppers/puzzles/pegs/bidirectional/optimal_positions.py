"""All positions on shortest solutions, found from every meeting of the directions.

Each shortest solution passes from the levels of forward search to those of backward search at a meeting. From
there moves are taken back to the start within the first levels, and made to the goal within the others. This
lists far fewer positions than the levels have. For a board without its fewest moves, only one case can lie on
a shortest solution: a peg that arrived with one move more and jumps on for free.
"""

from collections.abc import Callable, Generator, Iterator
from functools import partial
from typing import cast

from hoppers.core.events import Event, Unsolvable
from hoppers.core.kernels import kernel_threads, max_threads
from hoppers.core.model import DEAD, GivenUp, MovesLeft, Position
from hoppers.core.puzzle import Question
from hoppers.puzzles.pegs.bidirectional.path import Levels, Problem
from hoppers.puzzles.pegs.bidirectional.search import Context, Searched, deepen, new_context, solved_boards
from hoppers.search.slicing import map_progress
from hoppers.tablebase.memory import Lease
from hoppers.tablebase.solutions import LIMITS

Form = tuple[int, int]
"""Canonical form of a board, and holes of its active peg (see `Problem.canonical`)."""
Valued = tuple[Position, int]
"""A position and its moves left."""
Neighbours = Callable[[Position, int], Iterator[Valued]]
POSITIONS_PER_SLICE = 50  # a few milliseconds


def optimal_positions(question: Question) -> Generator[float, None, MovesLeft]:
    """Search, and return the look-up of moves left: exact on all shortest solutions, DEAD elsewhere.

    Yield the share of the work done.

    Raises:
        GivenUp: the search needs more memory than the budget has, or there are too many positions.
    """
    if not solved_boards(question):
        return lambda position: DEAD
    lease, last = Lease(question.puzzle.engine.memory), cast(Event | None, None)

    def note(event: Event) -> float:
        nonlocal last
        last = event
        return 0.0

    try:
        with kernel_threads(max_threads()) as threads:
            context = new_context(question, lease, threads)._replace(finds_all=True)
            searched = yield from map_progress(deepen(question, context), note)
        if searched is None and not isinstance(last, Unsolvable):
            raise GivenUp("large")
        found = {} if searched is None else (yield from _positions(context, searched))
    finally:
        lease.release()
    return _look_up(context.problem, found)


def _positions(context: Context, searched: Searched) -> Generator[float, None, dict[Form, int]]:
    """Return the positions on shortest solutions with their moves left; yield the share of the work done."""
    problem, meetings = context.problem, context.counts.meetings
    fewest = min(meetings).moves
    met = {(position, fewest - made) for moves, made, position in meetings if moves == fewest}
    found = {problem.canonical(*problem.root): fewest}
    yield from _spread(problem, met, partial(_positions_before, problem, searched.downs, fewest), found)
    yield from _spread(problem, met, partial(_positions_after, problem, searched.ups), found)
    return found


def _spread(
    problem: Problem, first: set[Valued], neighbours: Neighbours, found: dict[Form, int]
) -> Generator[float, None, None]:
    """Add positions to `found`: `first`, and all that `neighbours` leads to. Yield the share done."""
    known, waiting = {problem.canonical(*position) for position, _ in first}, [*first]
    for number, (position, left) in enumerate(waiting):  # grows meanwhile
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


def _add(problem: Problem, position: Position, left: int, found: dict[Form, int]) -> None:
    """Add a position; if its active peg has no further jump, also the position without an active peg."""
    least, active = problem.canonical(*position)
    found[least, active] = left
    if not any(_jumps_of(problem, position)):
        found[least, 0] = left


def _jumps_of(problem: Problem, position: Position) -> Iterator[Position]:
    """Yield the position after each jump of the active peg."""
    board, hole = position
    for origin, over, target in problem.jumps:
        if origin == hole and board >> over & 1 and not board >> target & 1:
            yield Position(board ^ (1 << origin | 1 << over | 1 << target), target)


def _positions_before(
    problem: Problem, downs: Levels, fewest: int, position: Position, left: int
) -> Iterator[Valued]:
    """Yield each position from which the last jump can have been made, on a line of `fewest` moves."""
    board, hole = position
    level, made = downs[board.bit_count() + 1], fewest - left
    for origin, over, target in problem.jumps:
        if target != hole or board >> origin & 1 or board >> over & 1:
            continue
        before = board ^ (1 << origin | 1 << over | 1 << target)
        value = None if before == problem.root.state else problem.value(level, before)
        if value is None:
            continue
        moves, actives = value
        if moves + 1 == made or (moves == made and actives >> origin & 1):
            yield Position(before, origin), left
        if moves + 1 == made:
            others = (peg for peg in range(problem.holes) if actives >> peg & 1 and peg != origin)
            yield from ((Position(before, peg), left + 1) for peg in others)


def _positions_after(problem: Problem, ups: Levels, position: Position, left: int) -> Iterator[Valued]:
    """Yield each position on a shortest path to a goal, one jump later."""
    board, hole = position
    for origin, over, target in problem.jumps if board.bit_count() > 1 else ():
        if not (board >> origin & board >> over & 1) or board >> target & 1:
            continue
        after = board ^ (1 << origin | 1 << over | 1 << target)
        value, rest = problem.value(ups[after.bit_count()], after), left - (origin != hole)
        if value is not None and value[0] - (value[1] >> target & 1) == rest:
            yield Position(after, target), rest


def _look_up(problem: Problem, found: dict[Form, int]) -> MovesLeft:
    """Return the look-up in the positions found."""
    return lambda position: found.get(problem.canonical(*position), DEAD)
