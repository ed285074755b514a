"""What the pattern search answers for 4x4 tiles: a stream of limits, and exact distances.

A slide changes the distance by exactly one, so limits rise by two, and beside a position of known distance
one limit decides. Distances proved are remembered.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...exact.answers import Answers, Form, Rules
from ...exact.proof import kept
from ...puzzle import Method, Question
from ...records import UNKNOWN, Position, Source, Words, group_moves
from ...search.deepening import steps_along
from ...search.events import Event, Exhausted, Progress, Solved, Unsolvable
from . import fifteen
from .fifteen import CUT, NODES, PAUSED, SOLUTIONS, Line
from .methods import METHODS
from .patterns import is_loaded, load
from .rules import BITS, sliding_tables

SLICE_NODES = 1 << 17
PATIENCE_NODES = 8_000_000
"""Nodes an answer may cost within a request (about half a second)."""
COSTLY_NODES = 200_000
"""Nodes from which on an answer is worth being kept beyond this process (about 10 ms)."""
REMEMBERED = 1 << 17
MOST_LISTED = 2000
"""Shortest solutions of one position that are kept to be listed."""


def _run(line: Line, position: Position, limit: int, find_all: bool) -> Iterator[int]:
    """Search one limit slice by slice, yielding the nodes so far between slices."""
    fifteen.begin(np.uint64(position.state), limit, find_all, line, load())
    home = sliding_tables(4).home[()]
    while fifteen.descend(line, home, find_all, SLICE_NODES, load()) == PAUSED:
        yield int(line.tally[NODES])


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
    line = fifteen.empty_line()
    least = lower_bound(root)
    if question.spent + least > 1:
        yield Exhausted(question.spent + least - 1, 0, 0, 0.0)
    for left in range(least, fifteen.MOST_MOVES, 2):
        began, limit = time.perf_counter(), question.spent + left
        for nodes in _run(line, root, left, question.find_all):
            yield Progress(limit, nodes, time.perf_counter() - began)
        nodes, cut, solutions = (int(line.tally[count]) for count in (NODES, CUT, SOLUTIONS))
        total += nodes
        if solutions or left == 0:
            moves = _moves(question, line.solutions[0, :left].tolist())
            count = max(solutions, 1) if question.find_all else None
            yield Solved(limit, nodes, time.perf_counter() - began, moves, count, total)
            return
        yield Exhausted(limit, nodes, cut, time.perf_counter() - began)


class Known(NamedTuple):
    """A proved distance; `complete`: all steps that shorten it lead to remembered positions."""

    distance: int
    complete: bool


class FifteenSource:
    """Exact distances by search within a budget of nodes; UNKNOWN beyond it. Never asked of odd positions."""

    def __init__(self) -> None:
        self._known: OrderedDict[int, Known] = OrderedDict()
        self._lock = threading.Lock()
        self._answers = Answers(
            "tiles-4", Rules(_form, _steps, lambda position: position.state == int(sliding_tables(4).home))
        )

    def moves_left(self, position: Position) -> int:
        """The fewest moves to the goal, or UNKNOWN if proving it costs too much."""
        with self._lock:
            known = self._known.get(position.state)
            if known is not None:
                return known.distance
            left = self._answers.moves_left(position)
            if left == UNKNOWN:
                return self._prove(position)
            self._remember(position.state, left)
            return left

    def line(self, position: Position) -> list[int] | None:
        """The states of a kept shortest solution, if one is kept."""
        with self._lock:
            return self._answers.line(position)

    def keep(self, position: Position, left: int, line: list[int]) -> None:
        """Keep what a search proved."""
        with self._lock:
            self._answers.learn(position, left, line)

    def can_list(self, position: Position) -> bool:
        """Find all shortest solutions, so that they can be walked; False if that costs too much."""
        with self._lock:
            known = self._known.get(position.state)
            return (known is not None and known.complete) or self._enumerate(position)

    def _prove(self, position: Position) -> int:
        candidates = self._candidates(position)
        line = fifteen.empty_line()
        for number, limit in enumerate(candidates):
            if number + 1 == len(candidates):
                self._remember(position.state, limit)  # the only one left
                return limit
            if not _finish(line, position, limit, find_all=False):
                return UNKNOWN
            if line.tally[SOLUTIONS]:
                self._remember_lines(position, line, limit, complete=False)
                if line.tally[NODES] > COSTLY_NODES:
                    self._answers.learn(position, limit, line.solutions[0, :limit].tolist())
                return limit
        return UNKNOWN

    def _enumerate(self, position: Position) -> bool:
        line = fifteen.empty_line(MOST_LISTED)
        for limit in self._candidates(position):
            if not _finish(line, position, limit, find_all=True):
                return False
            if line.tally[SOLUTIONS] or limit == 0:
                self._remember_lines(position, line, limit, complete=True)
                return bool(line.tally[SOLUTIONS] <= MOST_LISTED)
        return False

    def _candidates(self, position: Position) -> list[int]:
        """The distances it can have, from what is known of its neighbours; any beside none of them."""
        least = lower_bound(position)
        for state in neighbours(position):
            near = self._known.get(state)
            if near is not None:
                nearer = [] if near.complete else [near.distance - 1]
                return [limit for limit in (*nearer, near.distance + 1) if limit >= least]
        return list(range(least, fifteen.MOST_MOVES, 2))

    def _remember_lines(self, position: Position, line: Line, limit: int, complete: bool) -> None:
        complete = complete and int(line.tally[SOLUTIONS]) <= MOST_LISTED
        self._remember(position.state, limit, complete)
        for solution in line.solutions[: int(line.tally[SOLUTIONS])]:
            for spent, state in enumerate(solution[:limit].tolist(), 1):
                self._remember(state, limit - spent, complete)

    def _remember(self, state: int, distance: int, complete: bool = False) -> None:
        before = self._known.pop(state, None)
        self._known[state] = Known(distance, complete or (before is not None and before.complete))
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)


def lower_bound(position: Position) -> int:
    """The greater of both sums."""
    return int(max(fifteen.bounds(np.uint64(position.state), load())))


def neighbours(position: Position) -> list[int]:
    """The states one slide away."""
    found = []
    for cell in sliding_tables(4).neighbours[position.active].tolist():
        if cell >= 0:
            tile = position.state >> BITS * cell & 15
            found.append(position.state ^ (tile << BITS * cell) ^ (tile << BITS * position.active))
    return found


def _finish(line: Line, position: Position, limit: int, find_all: bool) -> bool:
    """Search a whole limit; False if it costs more than a request may."""
    return all(nodes <= PATIENCE_NODES for nodes in _run(line, position, limit, find_all))


def _form(position: Position) -> Form:
    """A position as it is."""
    return Form(f"{position.state:x}", int, int)


def _steps(position: Position) -> list[tuple[int, Position]]:
    """Every slide; the blank is active."""
    blanks = [cell for cell in sliding_tables(4).neighbours[position.active].tolist() if cell >= 0]
    return [(1, Position(state, cell)) for state, cell in zip(neighbours(position), blanks, strict=True)]


def _is_home(position: Position) -> bool:
    return position.state == int(sliding_tables(4).home)


_SOURCE = FifteenSource()


def fifteen_source(goal: int) -> Source:
    """The source of the only goal."""
    return _SOURCE
