"""All positions on shortest solutions, found from every meeting of the directions.

Each shortest solution passes from the levels of forward search to those of backward search at a meeting. From
there moves are taken back to the start within the first levels, and made to the goal within the others. This
lists far fewer positions than the levels have.
"""

from collections.abc import Callable, Generator, Iterator
from functools import partial

from hoppers.core.events import Event, Exhausted, Progress, Unsolvable
from hoppers.core.kernels import kernel_threads, max_threads
from hoppers.core.model import DEAD, GivenUp, MovesLeft, Position
from hoppers.core.puzzle import Question
from hoppers.puzzles.pegs.bidirectional.path import Counted, Problem, positions_after, positions_before
from hoppers.puzzles.pegs.bidirectional.search import (
    TUNING,
    Context,
    Searched,
    deepen,
    new_context,
    solved_boards,
)
from hoppers.puzzles.pegs.jump_masks import jumps_from
from hoppers.search.slicing import map_progress
from hoppers.tablebase.memory import Lease
from hoppers.tablebase.solutions import LIMITS

Form = tuple[int, int]
"""Canonical form of a board, and holes of its active peg (see `Problem.canonical`)."""
Neighbours = Callable[[Position, int], Iterator[Counted]]
POSITIONS_PER_SLICE = 50  # a few milliseconds
SEARCH_SHARE = 0.8  # of the progress; the positions before the meetings take half of the rest


class SearchProgress:
    """Progress of a search, 0 to 1, estimated from its nodes: a limit has several times those of the last.

    `event`: the last event of the search.
    """

    def __init__(self, fewest: int | None) -> None:
        """`fewest`: moves of the best known solution; without one there is no estimate."""
        self.event: Event | None = None
        self._fewest, self._nodes_before, self._done = fewest, 0, 0.0

    def update(self, event: Event) -> float:
        """Return the progress at an event; it never falls."""
        self.event = event
        if isinstance(event, Exhausted):
            self._nodes_before = event.nodes
        if isinstance(event, Progress) and self._nodes_before and self._fewest is not None:
            of_limit = max(event.nodes, TUNING.per_move * self._nodes_before)
            limits = sum(TUNING.per_move**more for more in range(self._fewest - event.limit + 1))
            self._done = max(self._done, min(1.0, event.nodes / max(of_limit * limits, 1)))
        return self._done


def optimal_positions(question: Question) -> Generator[float, None, MovesLeft]:
    """Search, and return the look-up of moves left: exact on all shortest solutions, DEAD elsewhere.

    Yield the progress, 0 to 1; that of the search is 0 while no solution is known.

    Raises:
        GivenUp: the search needs more memory than the budget has, or there are too many positions.
    """
    if not solved_boards(question):
        return lambda position: DEAD
    puzzle = question.puzzle
    lease = Lease(puzzle.engine.memory)
    progress = SearchProgress(puzzle.engine.bounds.of(puzzle, question.goal, question.root).most)
    try:
        with kernel_threads(max_threads()) as threads:
            context = new_context(question, lease, threads)._replace(finds_all=True)
            events = deepen(question, context)
            searched = yield from map_progress(events, lambda event: SEARCH_SHARE * progress.update(event))
        if searched is None and not isinstance(progress.event, Unsolvable):
            raise GivenUp("large")
        found = {} if searched is None else (yield from _positions(context, searched))
    finally:
        lease.release()
    return _look_up(context.problem, found)


def _positions(context: Context, searched: Searched) -> Generator[float, None, dict[Form, int]]:
    """Return the positions on shortest solutions with their moves left; yield the progress of the whole."""
    problem, meetings = context.problem, context.counts.meetings
    fewest = min(meetings).moves
    met = {(position, fewest - made) for moves, made, position in meetings if moves == fewest}
    found = {problem.canonical(*problem.root): fewest}

    def before(position: Position, left: int) -> Iterator[Counted]:
        steps = positions_before(problem, searched.downs, position, fewest - left)
        return ((at, fewest - made) for at, made in steps)

    half = (1 - SEARCH_SHARE) / 2
    steps = _spread(problem, met, before, found)
    yield from map_progress(steps, lambda done: SEARCH_SHARE + half * done)
    steps = _spread(problem, met, partial(positions_after, problem, searched.ups), found)
    yield from map_progress(steps, lambda done: 1 + half * (done - 1))
    return found


def _spread(
    problem: Problem, first: set[Counted], neighbours: Neighbours, found: dict[Form, int]
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
    if all(origin != position.active for origin, _, _ in jumps_from(problem.jumps, position.state)):
        found[least, 0] = left


def _look_up(problem: Problem, found: dict[Form, int]) -> MovesLeft:
    """Return the look-up in the positions found."""
    return lambda position: found.get(problem.canonical(*position), DEAD)
