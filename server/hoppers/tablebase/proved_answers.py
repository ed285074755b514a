"""Proved answers that were costly to find, stored beyond the process and checked when they are read.

An answer is the fewest moves and one solution of that length, or that there is none. Its key is the
program's version and the canonical form that all symmetric images of a problem share. A stored answer is used
only if its checksum is right and its solution, replayed by the rules, reaches the goal.
"""

import logging

from hoppers.core.board import Permutation
from hoppers.core.kernels import VERSION
from hoppers.core.model import DEAD, UNKNOWN, Position
from hoppers.core.puzzle import Puzzle
from hoppers.runtime.lru_cache import LRUCache
from hoppers.runtime.metrics import ANSWERS
from hoppers.tablebase.bounds import inverse, rearranged

log = logging.getLogger(__name__)


class ProvedAnswers:
    """Proved answers of a puzzle and goal: read from the engine's store when needed, and then replayed."""

    def __init__(self, puzzle: Puzzle, goal: int) -> None:
        self._puzzle, self._goal, self._store = puzzle, goal, puzzle.engine.answers
        self._known: LRUCache[Position, int] = LRUCache(1 << 14)  # positions of stored solutions

    def moves_left(self, position: Position) -> int:
        """Return the fewest moves still to be started, or DEAD, or UNKNOWN if no answer is stored."""
        known = self._known.get(position)
        if known is None:
            self._read(position)
            known = self._known.get(position)
        return UNKNOWN if known is None else known

    def line(self, position: Position) -> list[int] | None:
        """Return the states after each step of a stored solution of a position, or None if none is stored."""
        left, states = self.moves_left(position), []
        while left >= 0 and not self._puzzle.is_solved(position, self._goal):
            near = [(self._known.get(step.after), step) for step in self._puzzle.steps(position)]
            on = [(known, step) for known, step in near if known is not None and known + step.cost == left]
            if not on:
                return None
            left, position = on[0][0], on[0][1].after
            states.append(position.state)
        return states if left == 0 else None

    def learn(self, position: Position, left: int, line: list[int]) -> None:
        """Store a proved answer: the fewest moves `left` with the states `line` of a solution.

        For a dead position `left` is DEAD and `line` is empty. An invalid solution is ignored.
        """
        if not self._store.is_open or position in self._known:
            return
        trail = self._trail(position, left, line)
        if trail is None:
            return
        self._remember(trail)
        name, image = self._form(position)
        self._store.put(name, [left, [rearranged(self._puzzle, state, inverse(image)) for state in line]])

    def _read(self, position: Position) -> None:
        name, image = self._form(position)
        try:
            stored = self._store.get(name)
            if stored is None:
                ANSWERS.labels("no").inc()
                return
            left, line = stored
            trail = self._trail(position, left, [rearranged(self._puzzle, state, image) for state in line])
            if trail is None:
                raise ValueError("the line does not lead to the end")
        except (ValueError, TypeError) as error:
            log.warning("ignoring a stored answer of %s: %s", self._puzzle.id, error)
            ANSWERS.labels("damaged").inc()
            return
        ANSWERS.labels("yes").inc()
        self._remember(trail)

    def _trail(self, position: Position, left: int, line: list[int]) -> dict[Position, int] | None:
        """Return the moves left of every position along the states `line`; None if `line` is no solution."""
        if left == DEAD:
            return {position: DEAD} if not line else None
        trail = {position: left}
        for state in line:
            step = next((step for step in self._puzzle.steps(position) if step.after.state == state), None)
            if step is None:
                return None
            left, position = left - step.cost, step.after
            trail[position] = left
        return trail if left == 0 and self._puzzle.is_solved(position, self._goal) else None

    def _remember(self, trail: dict[Position, int]) -> None:
        for position, left in trail.items():
            self._known.put(position, left)

    def _form(self, position: Position) -> tuple[str, Permutation]:
        """Return the name of a position's answer, and the symmetry that leads to its canonical form."""
        key, image = self._puzzle.engine.bounds.canonical_form(self._puzzle, self._goal, position)
        return f"{VERSION}/{key.name}", image
