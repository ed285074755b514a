"""Parse the texts of a request for a search, for the channel, the command line and workers."""

import contextlib
from collections.abc import Generator
from typing import NamedTuple

from hoppers.analysis.atlas_results import known_first
from hoppers.analysis.compiling_time import without_compiling
from hoppers.analysis.known_answers import known_answer, known_events
from hoppers.core.errors import checked_length
from hoppers.core.events import Event
from hoppers.core.kernels import MACHINE_CODE
from hoppers.core.model import DEAD
from hoppers.core.puzzle import Method, Question
from hoppers.tablebase.best_method import recorded
from hoppers.tablebase.engine import Engine
from hoppers.tablebase.solutions import SolutionGraph, SolutionGraphs

DEFAULT_METHOD = "best"


class ParsedSearch(NamedTuple):
    """A question and the method that searches for its answer."""

    question: Question
    method: Method
    fresh: bool = False
    """Whether to search even if the answer is known, without using it."""

    @property
    def subject(self) -> dict[str, str]:
        """Puzzle id and English title of the method, for the log."""
        return {"puzzle": self.question.puzzle.id, "method": str(self.method.title)}

    @property
    def is_sound(self) -> bool:
        """Whether the events are proofs: see `Method.is_admissible`."""
        return self.method.is_admissible

    @property
    def _looks_up(self) -> bool:
        return not self.fresh and self.method.may_look_up(self.question)

    @property
    def needs_no_kernel(self) -> bool:
        """Whether a table that numpy builds has the answer, so that `events` calls no kernel."""
        puzzle, goal, position = self.question.puzzle, self.question.goal, self.question.root
        if not self._looks_up or not puzzle.engine.uncompiled_source(puzzle, goal).is_complete:
            return False
        if not self.question.find_all or known_answer(puzzle, goal, position).left == DEAD:
            return True
        graphs: SolutionGraphs = puzzle.engine.resource(SolutionGraphs)
        return isinstance(graphs.find_or_build(puzzle, goal, position), SolutionGraph)

    def events(self) -> Generator[Event, None, None]:
        """Run the search and yield its events; nothing runs before the first `next`. Proofs are recorded.

        Nothing known is used if the search is fresh, or if `Method.may_look_up` forbids it. Otherwise a known
        answer replaces the search. If there is none, the events begin with the best known solution, if any,
        and only shorter ones follow as `Found`.
        """
        looks_up = self._looks_up
        if looks_up and (yield from known_events(self.question)):
            return
        events: Generator[Event, None, None] = (event for event in self.method.search(self.question))
        if self.is_sound:
            events = recorded(self.question, events, self.method.least_saved)
        events = without_compiling(events, lambda: MACHINE_CODE.clock.seconds)
        with contextlib.closing(events):
            yield from known_first(self.question, events) if looks_up else events


def parse_search(
    engine: Engine,
    puzzle_id: str,
    position: str | None = None,
    goal: str | None = None,
    method: str | None = None,
    find_all: bool = False,
    first_move: tuple[int, int] | None = None,
    fresh: bool = False,
) -> ParsedSearch:
    """Parse a search request. The defaults are the puzzle's own start and goal and the method `best`.

    `first_move`: origin and target of the first step of every solution; by default any. `fresh`: see
    `ParsedSearch`.

    Raises:
        PuzzleError: one of the arguments is not valid.
    """
    puzzle = engine.find(puzzle_id)
    start = puzzle.parse(puzzle.start if position is None else position)
    name = DEFAULT_METHOD if method is None else checked_length(method, "invalid_method")
    first = None if first_move is None else puzzle.step(start, *first_move)
    question = Question(puzzle, puzzle.parse_goal(goal), start, find_all, first)
    return ParsedSearch(question, puzzle.method(name), fresh)
