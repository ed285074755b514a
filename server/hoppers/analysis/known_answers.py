"""Answers that are known before a search: from the rules, a table, an earlier search, or the atlas.

Only the method "best" may give such an answer in place of a search (see `Method.may_look_up`). The events of
the answer count no nodes. All but `Progress` carry `known`, the kind of proof (None: by the rules).
"""

import time
from collections.abc import Generator

from hoppers.analysis.atlas_results import known_result
from hoppers.core.events import Event, Exhausted, Progress, Solved, Unsolvable
from hoppers.core.model import DEAD, UNKNOWN, GivenUp, KnownAnswer
from hoppers.core.puzzle import Question, moves_of
from hoppers.search.slicing import map_progress
from hoppers.tablebase.solutions import AnswerEvicted, SolutionGraphs, shortest_solution


def known_events(question: Question) -> Generator[Event, None, bool]:
    """Yield the events of an answer that is known without a search. Return whether there is one."""
    began = time.perf_counter()
    answer = _from_invariants(question) or _from_atlas(question)
    answer = answer or _from_source(question) or _from_bounds(question)
    if answer is None:
        return False
    if answer.left == DEAD:
        yield Unsolvable(answer.reason, 0, time.perf_counter() - began, answer.proof or None)
        return True
    fewest = question.spent + answer.left
    if fewest > question.first_limit:
        yield Exhausted(fewest - 1, 0, 0, time.perf_counter() - began, answer.proof)
    count = (yield from _count(question, fewest)) if question.find_all else None
    moves = moves_of(question, answer.steps)
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


def _from_invariants(question: Question) -> KnownAnswer | None:
    """Return an answer if the rules prove at once that no solution exists, else None."""
    reason = question.puzzle.rules.obstruction(question.root, question.goal)
    return None if reason is None else KnownAnswer(DEAD, "", reason)


def _from_atlas(question: Question) -> KnownAnswer | None:
    """Return the answer of a solvable atlas problem whose fewest moves are proved, or None.

    A puzzle with a complete table does not need the atlas, because its table answers as fast. On large boards
    the atlas comes before the source, which would build reachable-set tables along the solution.
    For a root with an active hole the result is None.
    """
    puzzle, goal, root = question.puzzle, question.goal, question.root
    if puzzle.source(goal).is_complete or root.active >= 0:
        return None
    known = known_result(puzzle, puzzle.format(root), puzzle.goal_text(goal))
    return _from_bounds(question) if known is not None and known.state == "proved" else None


def _from_source(question: Question) -> KnownAnswer | None:
    """Return the answer of the puzzle's exact source, or None if the source does not know it."""
    puzzle, goal, root = question.puzzle, question.goal, question.root
    source = puzzle.source(goal)
    answer = source.known_answer(root)
    if answer.left == UNKNOWN:
        return None
    if answer.left == DEAD:
        return answer
    try:
        return answer._replace(steps=list(shortest_solution(puzzle, source, goal, root)))
    except AnswerEvicted:
        return None


def _from_bounds(question: Question) -> KnownAnswer | None:
    """Return the answer proved by tight bounds, or by the atlas for an impossible problem, or None."""
    puzzle, goal, root = question.puzzle, question.goal, question.root
    bounds = puzzle.engine.bounds
    proved = bounds.of(puzzle, goal, root)
    if proved.is_tight:
        proof = "atlas" if bounds.is_lasting(puzzle, goal, root) else "kept"
        return KnownAnswer(proved.least, proof, steps=bounds.line(puzzle, goal, root))
    known = known_result(puzzle, puzzle.format(root), puzzle.goal_text(goal))
    if known is None or known.state != "impossible":
        return None
    return KnownAnswer(DEAD, "atlas", known.reason or "table")
