"""The method "best" of the 15-puzzle: IDA* with pattern databases, or the answer of an earlier search.

A slide changes the distance by exactly one, so limits rise by two.
"""

import time
from collections.abc import Iterator

from hoppers.core.events import Event, Exhausted, Progress, Solved, Unsolvable
from hoppers.core.model import Words, group_moves
from hoppers.core.puzzle import Method, Puzzle, Question, Solver
from hoppers.puzzles.sliding import pattern_search
from hoppers.puzzles.sliding.fifteen_source import FifteenSource
from hoppers.puzzles.sliding.methods import METHODS
from hoppers.puzzles.sliding.pattern_databases import is_loaded
from hoppers.puzzles.sliding.pattern_search import CUT, NODES, SOLUTIONS, lower_bound, slices
from hoppers.search.iterative_deepening import steps_along
from hoppers.tablebase.engine import Engine
from hoppers.tablebase.table_method import recorded

NODES_PER_SLICE = 1 << 17


def best() -> Method:
    """Return the method of IDA* with the pattern databases.

    Until the databases are loaded, the method searches with the walking distance.
    """
    return Method(
        Words("Pattern databases", "パターンデータベース"),
        Words(
            "Three groups of tiles were solved once and for all; their exact distances add up to a bound.",
            "タイルを三つの組に分けて解いておいた正確な手数の和が、下界になります。",
        ),
        recorded(_look_up_or_search, learns=False),
    )


def _look_up_or_search(question: Question) -> Iterator[Event]:
    """Yield the events for a saved solution of the position, or the events of a search if none is saved."""
    began = time.perf_counter()
    source = question.puzzle.source(question.goal)
    line = None
    if isinstance(source, FifteenSource) and is_loaded() and not question.find_all:
        line = source.solution_states(question.root)
    if not line:
        yield from _search(question)
        return
    fewest = question.spent + len(line)
    if fewest > 1:
        yield Exhausted(fewest - 1, 0, 0, 0.0)
    yield Solved(fewest, 0, time.perf_counter() - began, _moves(question, line), None, 0)


def _moves(question: Question, states: list[int]) -> list[list[int]]:
    first = [question.first] if question.first is not None else []
    return group_moves(first + steps_along(question.puzzle, question.root, states))


def _search(question: Question) -> Iterator[Event]:
    if not is_loaded():
        yield from METHODS["walking-distance"].search(question)
        return
    started, total, root = time.perf_counter(), 0, question.root
    reason = question.puzzle.rules.obstruction(root, question.goal)
    if reason is not None:
        yield Unsolvable(reason, 0, time.perf_counter() - started)
        return
    line = pattern_search.new_search()
    least = lower_bound(root.state)
    if question.spent + least > 1:
        yield Exhausted(question.spent + least - 1, 0, 0, 0.0)
    for left in range(least, pattern_search.MAX_MOVES, 2):
        began, limit = time.perf_counter(), question.spent + left
        for nodes in slices(line, root.state, left, question.find_all, NODES_PER_SLICE):
            yield Progress(limit, nodes, time.perf_counter() - began)
        nodes, cut, solutions = (int(line.counters[count]) for count in (NODES, CUT, SOLUTIONS))
        total += nodes
        if solutions or left == 0:
            moves = _moves(question, line.solutions[0, :left].tolist())
            count = max(solutions, 1) if question.find_all else None
            yield Solved(limit, nodes, time.perf_counter() - began, moves, count, total)
            return
        yield Exhausted(limit, nodes, cut, time.perf_counter() - began)


def open_solver(engine: Engine, puzzle: Puzzle) -> Solver:
    """Return the solver of the 15-puzzle. One source serves every request, because there is only one goal."""
    source = FifteenSource(engine)
    return Solver(lambda goal: source)
