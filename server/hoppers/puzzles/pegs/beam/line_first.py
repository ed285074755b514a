"""A search that first looks for good solutions by beam search, then proves the shortest."""

import time
from collections.abc import Iterator

from hoppers.core.events import Event, Exhausted, Found, Progress, Solved
from hoppers.core.puzzle import Question
from hoppers.puzzles.pegs.beam.search import BeamBoard, beam_search
from hoppers.tablebase.table_method import Search, count_solutions, moves_of


def with_beam_first(search: Search, data: BeamBoard) -> Search:
    """Return a search that yields the solutions of a beam search as `Found` before it runs `search`.

    When all limits below the best of these solutions are exhausted, it is proved to be shortest. The search
    then yields `Solved` without searching the limit of that solution.
    """

    def events(question: Question) -> Iterator[Event]:
        best: Found | None = None
        for step in _find_solutions(question, data):
            best = step if isinstance(step, Found) else best
            yield step
        total = 0
        for event in search(question):
            yield event
            total += event.nodes if isinstance(event, Exhausted) else 0
            if best is not None and isinstance(event, Exhausted) and event.limit == best.limit - 1:
                count = (yield from count_solutions(question, best.limit)) if question.find_all else None
                yield Solved(best.limit, 0, 0.0, best.moves, count, total)
                return

    return events


def _find_solutions(question: Question, data: BeamBoard) -> Iterator[Progress | Found]:
    began = time.perf_counter()
    if question.puzzle.rules.obstruction(question.root, question.goal) is not None:
        return
    for steps in beam_search(question, data):
        seconds = time.perf_counter() - began
        if steps is None:
            yield Progress(question.first_limit, 0, seconds)
        else:
            moves = moves_of(question, steps)
            yield Found(len(moves), seconds, moves)
