"""Answers that are known before a search: from the rules, a table, an earlier search, or the atlas.

Only the method "best" may give such an answer in place of a search (see `Method.may_look_up`). The events of
the answer count no nodes. All but `Progress` carry `known`, the kind of proof (None: by the rules).
"""

import time
from collections.abc import Generator

from hoppers.analysis.atlas_results import known_result
from hoppers.core.events import Event, Exhausted, Progress, Solved, Unsolvable
from hoppers.core.model import DEAD, UNKNOWN, GivenUp, KnownAnswer, Position
from hoppers.core.puzzle import Puzzle, Question, moves_of
from hoppers.search.slicing import map_progress
from hoppers.tablebase.solutions import SolutionGraphs, steps_of_answer


def known_events(question: Question) -> Generator[Event, None, bool]:
    """Yield the events of an answer that is known without a search. Return whether there is one."""
    began = time.perf_counter()
    answer = known_answer(question.puzzle, question.goal, question.root)
    if answer.left == UNKNOWN:
        return False
    if answer.left == DEAD:
        yield Unsolvable(answer.reason, 0, time.perf_counter() - began, answer.proof or None)
        return True
    fewest = question.spent + answer.left
    if fewest > question.first_limit:
        yield Exhausted(fewest - 1, 0, 0, time.perf_counter() - began, answer.proof)
    count = (yield from _count(question, fewest)) if question.find_all else None
    moves = moves_of(question, steps_of_answer(question.puzzle, question.goal, question.root, answer))
    yield Solved(fewest, 0, time.perf_counter() - began, moves, count, 0, answer.proof)
    return True


def _count(question: Question, fewest: int) -> Generator[Event, None, int | None]:
    """Return the number of shortest solutions: from the atlas if it has the number, otherwise counted.

    Yield `Progress` events while counting. The result is None if counting is given up.
    """
    puzzle, text = question.puzzle, question.puzzle.format(question.position)
    known = known_result(puzzle, text, puzzle.goal_text(question.goal)) if question.first is None else None
    if known is not None and known.count is not None:
        return known.count
    return (yield from count_solutions(question, fewest))


def count_solutions(question: Question, limit: int) -> Generator[Progress, None, int | None]:
    """Return the number of shortest solutions from the question's root, or None if counting is given up.

    Yield `Progress` events with the limit `limit`.
    """
    began = time.perf_counter()
    yield Progress(limit, 0, 0.0)
    graphs: SolutionGraphs = question.puzzle.engine.resource(SolutionGraphs)
    steps = graphs.build(question.puzzle, question.goal, question.root)
    try:
        graph = yield from map_progress(steps, lambda _: Progress(limit, 0, time.perf_counter() - began))
    except GivenUp:
        return None
    return graph.count(graph.root)


def known_answer(puzzle: Puzzle, goal: int, position: Position) -> KnownAnswer:
    """Return what is known of a position without a search, with the place that it comes from.

    Asked in this order: the rules, the puzzle's exact source, and what the engine knows, as of the atlas.
    """
    reason = puzzle.rules.obstruction(position, goal)
    if reason is not None:
        return KnownAnswer(DEAD, "", reason)
    answer = puzzle.source(goal).known_answer(position)
    return puzzle.engine.bounds.answer(puzzle, goal, position) if answer.left == UNKNOWN else answer
