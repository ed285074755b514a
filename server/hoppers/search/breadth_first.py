"""Breadth-first search, from the start or from both ends: all positions in the order of their distance.

A level holds the positions that need equally many moves. The first level with a solved position, or the first
two levels of both directions that share one, give the fewest moves. Every position that was reached stays in
memory, so memory is what limits this search (Moore, "The shortest path through a maze", 1959; Pohl,
"Bi-directional search", 1971). The kernels are in `breadth_kernels`.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from hoppers.core.errors import Busy
from hoppers.core.events import (
    NO_MEMORY,
    Event,
    Exhausted,
    Failed,
    Progress,
    Solved,
    Stopped,
    Unsolvable,
    Visit,
)
from hoppers.core.model import Position
from hoppers.core.puzzle import MAX_STEPS, Algorithm, Method, PuzzleEngine, Question, moves_of
from hoppers.core.texts import Text
from hoppers.runtime.lru_cache import LRUCache
from hoppers.runtime.memory_budget import WAIT_SECONDS, BudgetExceeded, Lease
from hoppers.search import breadth_kernels as kernels
from hoppers.search.breadth_kernels import CURSOR, SIZE, SOLVED, UNCOUNTED, Reached
from hoppers.search.breadth_trace import LevelTrace, Pass, TracedLevel
from hoppers.search.iterative_deepening import checked
from hoppers.search.slicing import Pausable, map_progress, slices
from hoppers.search.trace import visit_dead_root

FIRST_ROOM = 4 * MAX_STEPS  # entries for which a search has room at first
EXPANDED_PER_SLICE = 1 << 12
COPIED_PER_SLICE = 1 << 16
SHARE = 0.4
"""Share of the memory budget of an engine that one search may hold: other searches need some as well."""
KEPT_BYTES = 40_000_000  # of levels that are kept for further pages of their traces
TITLE = Text("Breadth-first")
NOTE = Text(
    "All positions after one move, then all after two, and so on. Each is kept in memory, so none is visited "
    "twice."
)
BOTH_TITLE = Text("Bidirectional breadth-first")
BOTH_NOTE = Text(
    "Levels grow from the start and, with steps taken back, from the goal. The side with the "
    "smaller level goes next, until both have found the same position."
)


class Direction:
    """Breadth-first search in one direction: the positions reached, and the range of its last level."""

    def __init__(self, question: Question, first: Sequence[Position], lease: Lease) -> None:
        """`first`: positions of level 0. `lease`: memory for the positions."""
        puzzle = question.puzzle
        rules, self.chains = puzzle.rules.kernels, puzzle.rules.multi_step_moves
        self._tables, self._goal, self._finds_all = puzzle.rules.tables, question.goal, question.find_all
        settle = rules.specialise(kernels.settle)
        self._reach = rules.specialise(kernels.reach, "breadth", CHAINS=self.chains, settle=settle)
        self._count_solved = rules.specialise(kernels.count_solved)
        self._first, self._lease = first, lease
        self._reached = self._arrays(0)
        self.depth, self.level = 0, range(0)
        self.passes: list[Pass] = []  # the passes that made the last level

    @property
    def reached(self) -> Reached:
        """The arrays of the positions reached; the next level may need others."""
        return self._reached

    @property
    def nodes(self) -> int:
        """Number of positions of the last level so far."""
        return int(self._reached.counters[SIZE]) - self.level.start

    @property
    def memory(self) -> int:
        """Number of bytes of the arrays."""
        return sum(array.nbytes for array in self._reached)

    @property
    def is_solved(self) -> bool:
        """Whether a solved position has been reached."""
        return bool(self._reached.counters[SOLVED])

    def begin(self) -> Pausable[None]:
        """Make level 0. See `advance` for the errors."""
        yield from self._make_room(len(self._first))
        for state, active in self._first:
            kernels.add_first(self._reached, np.uint64(state), active, self.chains)
        yield from self._close_level()

    def advance(self) -> Pausable[None]:
        """Make the next level, until it is whole; or, if one solution is enough, until a slice has found one.

        Raises:
            BudgetExceeded, TimeoutError: memory ran out (see `Lease`).
        """
        before, self.level = self.level, range(self.level.stop, self.level.stop)
        self.depth += 1
        self.passes = []
        yield from self._expand(before, 1)
        yield from self._close_level()

    def _close_level(self) -> Pausable[None]:
        """Follow the steps that continue a move within the last level, in the order of their numbers."""
        start, steps = self.level.start, 0
        if self.chains and self._size > start:
            steps = int(self._reached.steps[start : self._size].min())
        while self.chains and self._size > start and not self._is_over:
            yield from self._expand(range(start, self._size), 0, steps)
            if steps >= self._reached.steps[start : self._size].max():
                break
            steps += 1
        self.level = range(start, self._size)

    @property
    def _size(self) -> int:
        return int(self._reached.counters[SIZE])

    @property
    def _is_over(self) -> bool:
        return self.is_solved and not self._finds_all

    def _expand(self, entries: range, cost: int, steps: int = 0) -> Pausable[None]:
        """Make the steps of one cost from some entries (see `breadth_kernels.reach`)."""
        self._reached.counters[CURSOR], is_whole = entries.start, not entries
        self.passes.append(Pass(entries, cost, steps))
        while not (is_whole or self._is_over):
            try:
                yield from self._make_room(MAX_STEPS)
            except (BudgetExceeded, TimeoutError):
                if not self.is_solved:
                    raise
                # the first solved position of the level is enough, without the number of solutions
                self._finds_all, self._reached.counters[UNCOUNTED] = False, 1
                return
            is_whole = self._reach(
                self._reached,
                self.level.start,
                entries.stop,
                cost,
                steps,
                EXPANDED_PER_SLICE,
                self._goal,
                self._tables,
            )
            yield

    def _arrays(self, room: int) -> Reached:
        """Return empty arrays with room for a number of entries."""
        counted, in_steps = room * self._finds_all, room * self.chains
        return Reached(
            np.zeros(room, np.uint64),
            np.zeros(room, np.int8),
            np.zeros(room, np.int32),
            np.zeros(in_steps, np.uint8),
            np.zeros(counted, np.int64),
            np.zeros(1 << (2 * room - 1).bit_length(), np.int32),
            np.zeros(4, np.int64),
        )

    def _make_room(self, more: int) -> Pausable[None]:
        """Replace the arrays by larger ones if there is no room for `more` entries.

        Raises:
            BudgetExceeded, TimeoutError: memory ran out (see `Lease`).
        """
        old, room = self._reached, len(self._reached.states)
        if self._size + more <= room:
            return
        needed = max(FIRST_ROOM, 2 * room, 2 * more)
        size = self._bytes_of(needed)
        yield from self._lease.wait_and_take(size, WAIT_SECONDS)
        new = self._arrays(needed)
        for start, stop in slices(self._size, COPIED_PER_SLICE) or [(0, 0)]:
            kernels.place_again(old, new, start, stop, self.chains)
            yield
        new.counters[:] = old.counters
        self._reached = new
        self._lease.give_back(self._bytes_of(room) if room else 0)

    def _bytes_of(self, room: int) -> int:
        per_entry = 8 + 1 + 4 + self.chains + 8 * self._finds_all
        return room * per_entry + 4 * (1 << (2 * room - 1).bit_length())

    def count(self) -> Pausable[int | None]:
        """Return the number of shortest solutions in the last level; None if it is not counted exactly."""
        total = 0
        for start, stop in slices(len(self.level), COPIED_PER_SLICE) if self._finds_all else ():
            first = self.level.start
            found = self._count_solved(self._reached, first + start, first + stop, self._goal, self._tables)
            total = total + int(found) if found >= 0 and total >= 0 else -1
            yield
        return total if total > 0 and self.counts_exactly else None

    @property
    def counts_exactly(self) -> bool:
        """Whether all shortest lines to the positions are counted (see `Reached.counters`)."""
        return self._finds_all and not self._reached.counters[UNCOUNTED]

    def line(self, entry: int) -> list[int]:
        """Return the states on a shortest line from a first position to an entry, both included."""
        states = []
        while entry >= 0:
            states.append(int(self._reached.states[entry]))
            entry = int(self._reached.parents[entry])
        return states[::-1]

    def solution(self) -> list[int]:
        """Return the states on a shortest line to the first solved position reached."""
        return self.line(int(self._reached.counters[SOLVED]) - 1)

    def meetings(self, other: "Direction") -> Pausable[tuple[int, int, int | None]]:
        """Look the last level up among the positions of the other direction.

        Return the first entry that both have reached and its entry there, or -1 for none, and the number of
        shortest lines through all of them, None if it is not counted exactly.
        """
        found, there, total = -1, -1, 0
        for start, stop in slices(len(self.level), COPIED_PER_SLICE):
            first = self.level.start
            here = kernels.count_meetings(self._reached, other._reached, first + start, first + stop)
            found, there = (here[0], here[1]) if found < 0 else (found, there)
            total = total + here[2] if here[2] >= 0 and total >= 0 else -1
            yield
        is_exact = total > 0 and self.counts_exactly and other.counts_exactly
        return found, there, total if is_exact else None


class BreadthFirstSearch:
    """One search: its directions, one or two, and the figures of its events."""

    def __init__(self, question: Question, ends: Sequence[Position], lease: Lease) -> None:
        """`ends`: all solved positions, for a search from both ends; none for a search from the start."""
        self._question = question
        self._forward = Direction(question, [question.puzzle.canonical(question.root)], lease)
        self._directions = [self._forward, *([Direction(question, ends, lease)] if ends else [])]
        self._limit = question.spent  # moves of the level in the making
        self._growing = self._directions  # directions that the level belongs to
        self._total = 0  # positions of all levels from `Question.first_limit` to the one before
        self._started = self._began = time.perf_counter()

    def events(self) -> Iterator[Event]:
        """Search level by level until the question is answered or memory runs out, and yield the events."""
        try:
            for direction in self._directions:
                yield from map_progress(direction.begin(), self._progress)
            solved = yield from map_progress(self._answer(), self._progress)
            while solved is None:
                yield from self._end_level()
                yield from map_progress(self._growing[0].advance(), self._progress)
                solved = yield from map_progress(self._answer(), self._progress)
                if not self._growing[0].nodes:
                    yield Unsolvable("exhausted", self._total, time.perf_counter() - self._started)
                    return
            yield solved
        except TimeoutError:
            yield Failed(NO_MEMORY)
        except BudgetExceeded:
            ruled_out, seconds = (
                max(self._limit - 1, self._question.proved),
                time.perf_counter() - self._started,
            )
            yield Stopped("limit", ruled_out, self._total + self._nodes, seconds)

    def run_to(self, limit: int) -> TracedLevel | None:
        """Search up to the level of a limit and return it; None if the search ends before.

        Raises:
            Busy: other searches hold the memory that this one needs.
        """
        for event in self.events():
            if isinstance(event, Failed):
                raise Busy(event.error["message"])
            if isinstance(event, Exhausted | Solved) and event.limit == limit:
                return self._level(event)
            if isinstance(event, Unsolvable) and self._limit == limit:
                return self._level(event)
        return None

    def _level(self, event: Event) -> TracedLevel:
        """Return the last level, with which `event` has come."""
        grown, question = self._growing[0], self._question
        other = next((direction for direction in self._directions if direction is not grown), None)
        solution = None
        if isinstance(event, Solved):
            jumps = [jump for move in event.moves for jump in pairwise(move)]
            solution = question.puzzle.replay(question.root, jumps)
        return TracedLevel(
            grown.depth,
            grown.reached,
            grown.level,
            grown.passes,
            other.reached if other else None,
            grown is not self._forward,
            solution,
        )

    def _end_level(self) -> Iterator[Exhausted]:
        """Report that the level has no solution, if it is to be searched; turn to the smaller direction."""
        if self._limit >= self._question.first_limit:
            yield Exhausted(self._limit, self._nodes, 0, self._seconds, memory=self._memory)
            self._total += self._nodes
        self._limit, self._began = self._limit + 1, time.perf_counter()
        self._growing = [min(self._directions, key=lambda direction: direction.nodes)]

    @property
    def _nodes(self) -> int:
        """Number of positions of the level in the making, so far; 0 below `Question.first_limit`."""
        is_searched = self._limit >= self._question.first_limit
        return sum(direction.nodes for direction in self._growing) if is_searched else 0

    @property
    def _seconds(self) -> float:
        return time.perf_counter() - self._began

    @property
    def _memory(self) -> int:
        return sum(direction.memory for direction in self._directions)

    def _progress(self, _: object) -> Progress:
        limit = max(self._limit, self._question.first_limit)
        return Progress(limit, self._nodes, self._seconds, self._memory)

    def _answer(self) -> Pausable[Solved | None]:
        """Return the solution that the level has, or None."""
        if len(self._directions) == 1:
            count = yield from self._forward.count()
            return self._solved(self._forward.solution(), count) if self._forward.is_solved else None
        backward = self._directions[1]
        grown = self._growing[0]
        entry, there, count = yield from grown.meetings(backward if grown is self._forward else self._forward)
        if entry < 0:
            return None
        before, after = (entry, there) if grown is self._forward else (there, entry)
        return self._solved([*self._forward.line(before), *backward.line(after)[-2::-1]], count)

    def _solved(self, states: list[int], count: int | None) -> Solved:
        """Return the event of a solution: the states on its line, the root included."""
        question, nodes = self._question, self._nodes
        line = moves_of(question, question.puzzle.steps_along(question.root, states[1:]))
        total = self._total + nodes
        return Solved(self._limit, nodes, self._seconds, line, count, total, memory=self._memory)


def _kept_levels(engine: PuzzleEngine) -> LRUCache[tuple[Question, bool, int], TracedLevel]:
    """Return a new cache for the levels of the last few traces (a resource of `engine`)."""
    return LRUCache(KEPT_BYTES, lambda level: level.bytes)


def breadth_first_method(
    ends: Callable[[Question], list[Position]] | None = None,
) -> Method:
    """Return the method of breadth-first search, or with `ends` of breadth-first search from both ends.

    `ends`: question -> all solved positions of the goal. Every step of the puzzle must cost 1, and there
    must be a step back.
    """

    def prepare(question: Question) -> tuple[BreadthFirstSearch, Lease]:
        memory = question.puzzle.engine.memory
        lease = Lease(memory, most=int(SHARE * memory.size))
        return BreadthFirstSearch(question, ends(question) if ends else [], lease), lease

    def search(question: Question) -> Iterator[Event]:
        if question.puzzle.is_solved(question.root, question.goal):
            yield Solved(question.spent, 1, 0.0, moves_of(question, []), 1 if question.find_all else None, 1)
            return
        found, lease = prepare(question)
        try:
            yield from found.events()
        finally:
            lease.release()

    def trace(question: Question, limit: int, nodes: int) -> Iterator[Visit]:
        dead = visit_dead_root(question)
        if dead is not None:
            yield dead
        is_solved = question.puzzle.is_solved(question.root, question.goal)
        if dead is not None or is_solved or limit < question.first_limit:
            return
        level = traced_level(question, limit)
        yield from LevelTrace(question, level, nodes).visits() if level else ()

    def traced_level(question: Question, limit: int) -> TracedLevel | None:
        """Return a level, made now or for an earlier page of the trace; None if the search ends before it."""
        kept = question.puzzle.engine.resource(_kept_levels)
        key = question, ends is not None, limit
        level = kept.get(key)
        if level is None:
            found, lease = prepare(question)
            try:
                level = found.run_to(limit)
            finally:
                lease.release()
            if level is not None:
                kept.put(key, level)
        return level

    algorithm = Algorithm("both ends" if ends else "breadth", node=Text("A node is a position found."))
    label = (BOTH_TITLE, BOTH_NOTE) if ends else (TITLE, NOTE)
    return Method(*label, checked(search), trace, algorithm=algorithm)


BREADTH_FIRST = breadth_first_method()
"""Breadth-first search from the start, a method of every puzzle."""
