"""All positions on shortest solutions of a position whose closure would be too large, by a search."""

from collections.abc import Generator

from hoppers.core.events import Event, Exhausted, Progress, Unsolvable
from hoppers.core.kernels import kernel_threads, max_threads
from hoppers.core.model import DEAD, GivenUp, MovesLeft
from hoppers.core.puzzle import Question
from hoppers.puzzles.pegs.bidirectional.path import moves_left_on_solutions
from hoppers.puzzles.pegs.bidirectional.search import TUNING, deepen, new_context, solved_boards
from hoppers.search.slicing import map_progress
from hoppers.tablebase.memory import Lease

SEARCH_SHARE = 0.8  # of the progress


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
        if isinstance(progress.event, Unsolvable):
            return lambda position: DEAD
        if searched is None or not searched.has_all_meetings:
            raise GivenUp("large")
        steps = moves_left_on_solutions(context.problem, searched.downs, searched.ups, searched.meetings)
        return (yield from map_progress(steps, lambda done: 1 + (1 - SEARCH_SHARE) * (done - 1)))
    finally:
        lease.release()
