"""The search of 4x4 tiles as a stream of limits: the pattern search, or what an earlier one proved.

A slide changes the distance by exactly one, so limits rise by two.
"""

import time
from collections.abc import Iterator

from hoppers.core.events import Event, Exhausted, Progress, Solved, Unsolvable
from hoppers.core.model import Source, Words, group_moves
from hoppers.core.puzzle import Method, Question
from hoppers.puzzles.sliding import pattern_search
from hoppers.puzzles.sliding.fifteen_source import FifteenSource
from hoppers.puzzles.sliding.methods import METHODS
from hoppers.puzzles.sliding.pattern_databases import is_loaded
from hoppers.puzzles.sliding.pattern_search import CUT, NODES, SOLUTIONS, lower_bound, slices
from hoppers.search.iterative_deepening import steps_along
from hoppers.tablebase.table_method import kept

SLICE_NODES = 1 << 17


def best() -> Method:
    """IDA* with the pattern databases; with the walking distance as long as they are not loaded."""
    return Method(
        Words("Pattern databases", "パターンデータベース"),
        Words(
            "Three groups of tiles were solved once and for all; their exact distances add up to a bound.",
            "タイルを三つの組に分けて解いておいた正確な手数の和が、下界になります。",
        ),
        lambda question: kept(question, _look_up_or_search(question)),
    )


def _look_up_or_search(question: Question) -> Iterator[Event]:
    """What an earlier search of this position proved, or a search."""
    began = time.perf_counter()
    line = None if question.find_all or not is_loaded() else _SOURCE.line(question.root)
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
    reason = question.puzzle.obstruction(root, question.goal)
    if reason is not None:
        yield Unsolvable(reason, 0, time.perf_counter() - started)
        return
    line = pattern_search.new_search()
    least = lower_bound(root.state)
    if question.spent + least > 1:
        yield Exhausted(question.spent + least - 1, 0, 0, 0.0)
    for left in range(least, pattern_search.MAX_MOVES, 2):
        began, limit = time.perf_counter(), question.spent + left
        for nodes in slices(line, root.state, left, question.find_all, SLICE_NODES):
            yield Progress(limit, nodes, time.perf_counter() - began)
        nodes, cut, solutions = (int(line.counters[count]) for count in (NODES, CUT, SOLUTIONS))
        total += nodes
        if solutions or left == 0:
            moves = _moves(question, line.solutions[0, :left].tolist())
            count = max(solutions, 1) if question.find_all else None
            yield Solved(limit, nodes, time.perf_counter() - began, moves, count, total)
            return
        yield Exhausted(limit, nodes, cut, time.perf_counter() - began)


_SOURCE = FifteenSource()


def source_for_goal(goal: int) -> Source:
    """The source of the only goal."""
    return _SOURCE
