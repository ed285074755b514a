"""Trace of one level of a breadth-first search: its events in order (see `Visit`), for the trace page.

The compiled search makes the level, and the trace is read from its arrays. The positions found are entries in
the order of their discovery. So a step leads to a new position if and only if it leads to the next entry, and
a trace can begin at any entry.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.events import Visit
from hoppers.core.model import Position, Step
from hoppers.core.puzzle import Puzzle, Question
from hoppers.search.breadth_kernels import CURSOR, SIZE, Reached


class Pass(NamedTuple):
    """Steps of one cost from a range of entries: one turn of the search through them."""

    entries: range
    cost: int
    steps: int
    """Number of steps from a first position: with cost 0, only entries at this distance are expanded."""


class TracedLevel(NamedTuple):
    """A finished level of a search: what its direction has reached, and how the level was made."""

    depth: int
    """Number of moves from the first positions of its direction."""
    reached: Reached
    entries: range
    passes: Sequence[Pass]
    other: Reached | None
    """What the other direction has reached, in a search from both ends; otherwise None."""
    is_backward: bool
    """Whether the level grows from the goal."""
    solution: Sequence[Step] | None
    """The solution with which the level ends the search, if it does."""

    @property
    def bytes(self) -> int:
        """Size of the arrays."""
        both = self.reached, *([self.other] if self.other is not None else [])
        return sum(array.nbytes for reached in both for array in reached)


class LevelTrace:
    """Trace of a level, from the position after its first `nodes` ones."""

    def __init__(self, question: Question, level: TracedLevel, nodes: int) -> None:
        self._puzzle: Puzzle = question.puzzle
        self._goal, self._level, self._reached = question.goal, level, level.reached
        self._chains = self._puzzle.rules.multi_step_moves
        self._next = level.entries.start + nodes  # the next entry that a step finds
        self._is_whole = nodes == 0

    def visits(self) -> Iterator[Visit]:
        """Yield the events of the trace.

        If it does not begin with the level, the level and the position that is being expanded come first, as
        events of kind "line". The next event is then the position found after the first `nodes` ones.
        """
        level = self._level
        if self._is_whole:
            yield Visit(self._opening(), 0, None, self._position(0), level.depth)
            yield from self._first_positions()
        elif self._next in level.entries:
            yield Visit("line", 0, None, self._position(0), level.depth)
        for entry, cost in self._expansions():
            yield from self._expand(entry, cost)
        if level.solution is None:
            yield Visit("complete", 0, None, self._position(0), level.depth)
        spent = 0
        for depth, step in enumerate(level.solution or (), 1):
            spent += step.cost
            yield Visit("path", depth, step, self._puzzle.canonical(step.after), spent)

    def _opening(self) -> str:
        """Return the kind of the event that begins the level."""
        if self._level.other is None:
            return "level"
        return "backward" if self._level.is_backward else "forward"

    def _first_positions(self) -> Iterator[Visit]:
        """Yield the positions of the level where the search begins, if it is level 0."""
        while self._next in self._level.entries and self._reached.parents[self._next] < 0:
            yield Visit("first", 1, None, self._position(self._next), 0, is_node=True)
            self._next += 1

    def _expansions(self) -> Iterator[tuple[int, int]]:
        """Yield each entry to expand and the cost of its steps, from the one that finds the next entry on."""
        if not self._is_whole and self._next not in self._level.entries:
            return
        wanted = -1 if self._is_whole else int(self._reached.parents[self._next])
        for entries, cost in self._turns():
            begin = 0 if wanted < 0 else int(np.searchsorted(entries, wanted))
            if wanted < 0 or (begin < len(entries) and entries[begin] == wanted):
                wanted = -1
                yield from ((int(entry), cost) for entry in entries[begin:])

    def _turns(self) -> Iterator[tuple[Any, int]]:
        """Yield the entries that each pass has expanded, and the cost of its steps."""
        passes, expanded = self._level.passes, int(self._reached.counters[CURSOR])
        for turn in passes:
            # only the last pass may have ended early
            stop = min(turn.entries.stop, expanded) if turn is passes[-1] else turn.entries.stop
            entries = np.arange(turn.entries.start, stop)
            yield entries if turn.cost else entries[self._reached.steps[entries] == turn.steps], turn.cost

    def _expand(self, entry: int, cost: int) -> Iterator[Visit]:
        """Yield the expansion of an entry; of the first one, if it began before the trace, only the rest."""
        before = self._position(entry)
        is_over = self._chains and self._is_solved(before)  # a line ends at its first solved position
        if is_over or (cost == 0 and before.active < 0):
            return
        is_rest, self._is_whole = not self._is_whole, True
        depth, kind = self._level.depth, "take" if cost else "extend"
        yield Visit("line" if is_rest else kind, 1, self._step_to(entry), before, depth - cost)
        for step in self._puzzle.steps(before):
            if step.cost != cost:
                continue
            is_new = self._next in self._level.entries and step.after == self._position(self._next)
            self._next += is_new
            is_rest = is_rest and not is_new
            if not is_rest:
                kind = self._kind(step.after) if is_new else "known"
                yield Visit(kind, 2, step, step.after, depth, is_node=is_new)

    def _kind(self, found: Position) -> str:
        """Return the kind of the event that finds a position."""
        if self._level.other is None:
            return "solved" if self._is_solved(found) else "found"
        return "met" if found.state in self._met else "found"

    @property
    def _met(self) -> set[int]:
        """States of the level that the other direction has reached; only the last level can have any."""
        level, other = self._level, self._level.other
        if other is None or level.solution is None:
            return set()
        if self._meetings is None:
            size = int(other.counters[SIZE])
            states = level.reached.states[level.entries.start : level.entries.stop]
            self._meetings = set(states[np.isin(states, other.states[:size])].tolist())
        return self._meetings

    _meetings: set[int] | None = None

    def _is_solved(self, position: Position) -> bool:
        return self._puzzle.is_solved(position, self._goal)

    def _position(self, entry: int) -> Position:
        return Position(int(self._reached.states[entry]), int(self._reached.actives[entry]))

    def _step_to(self, entry: int) -> Step | None:
        """Return the step by which an entry was found; None for a first position."""
        parent, position = int(self._reached.parents[entry]), self._position(entry)
        if parent < 0:
            return None
        return next(step for step in self._puzzle.steps(self._position(parent)) if step.after == position)
