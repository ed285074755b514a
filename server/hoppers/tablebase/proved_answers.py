"""Proved answers that were costly to find, stored beyond the process and checked when they are read.

An answer is the fewest moves and one solution of that length, or that there is none. Its key is the
program's version, the problem and the canonical form that all symmetric images of a position share. A stored
answer is used only if its checksum is right and its solution, replayed by the rules, reaches the goal.
"""

import hashlib
import json
import logging
from collections.abc import Callable, Iterable
from typing import NamedTuple, Protocol

from hoppers.core.kernels import VERSION
from hoppers.core.model import DEAD, UNKNOWN, Position
from hoppers.runtime.lru_cache import LRUCache
from hoppers.runtime.metrics import ANSWERS

log = logging.getLogger(__name__)

CHECKSUM_BYTES = 8


class AnswerStore(Protocol):
    """Store of bytes under names. The store limits its own size; its methods never raise."""

    def get(self, name: str) -> bytes | None:
        """Return the value stored under a name, or None if there is none."""
        ...

    def put(self, name: str, value: bytes) -> None:
        """Store `value` under a name, if there is room."""
        ...


class NullStore:
    """An answer store that is always empty."""

    def get(self, name: str) -> bytes | None:
        """Return None: the store is empty."""
        return None

    def put(self, name: str, value: bytes) -> None:
        """Do nothing: the store stays empty."""


class CanonicalForm(NamedTuple):
    """Name that all symmetric images of a position share, and maps of states to and from canonical form."""

    name: str
    to_form: Callable[[int], int]  # state -> the state in canonical form
    from_form: Callable[[int], int]  # state in canonical form -> the state


class ReplayRules(NamedTuple):
    """Rules of a problem in plain Python, for replaying stored solutions."""

    form: Callable[[Position], CanonicalForm]
    steps: Callable[[Position], Iterable[tuple[int, Position]]]
    """Position -> (cost, position after) of every legal step. A piece is active only if it can continue."""
    is_end: Callable[[Position], bool]


class ProvedAnswers:
    """Proved answers of one problem: read from a store when needed, and replayed before they are used."""

    def __init__(self, store: AnswerStore, problem: str, rules: ReplayRules) -> None:
        self._store, self._problem, self._rules = store, problem, rules
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
        while left >= 0 and not self._rules.is_end(position):
            near = [(self._known.get(after), cost, after) for cost, after in self._rules.steps(position)]
            on = [(known, after) for known, cost, after in near if known is not None and known + cost == left]
            if not on:
                return None
            left, position = on[0]
            states.append(position.state)
        return states if left == 0 else None

    def learn(self, position: Position, left: int, line: list[int]) -> None:
        """Store a proved answer: the fewest moves `left` with the states `line` of a solution.

        For a dead position `left` is DEAD and `line` is empty. An invalid solution is ignored.
        """
        if isinstance(self._store, NullStore) or position in self._known:
            return
        trail = self._trail(position, left, line)
        if trail is None:
            return
        self._remember(trail)
        form = self._rules.form(position)
        name = self._name(form)
        value = json.dumps([left, [form.to_form(state) for state in line]]).encode()
        self._store.put(name, checksum(name, value) + value)

    def _read(self, position: Position) -> None:
        form = self._rules.form(position)
        name = self._name(form)
        stored = self._store.get(name)
        if stored is None:
            ANSWERS.labels("no").inc()
            return
        try:
            if stored[:CHECKSUM_BYTES] != checksum(name, stored[CHECKSUM_BYTES:]):
                raise ValueError("the checksum differs")
            left, line = json.loads(stored[CHECKSUM_BYTES:])
            trail = self._trail(position, left, [form.from_form(state) for state in line])
            if trail is None:
                raise ValueError("the line does not lead to the end")
        except (ValueError, TypeError) as error:
            log.warning("ignoring a stored answer of %s: %s", self._problem, error)
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
            after = [(cost, after) for cost, after in self._rules.steps(position) if after.state == state]
            if not after:
                return None
            cost, position = after[0]
            left -= cost
            trail[position] = left
        return trail if left == 0 and self._rules.is_end(position) else None

    def _remember(self, trail: dict[Position, int]) -> None:
        for position, left in trail.items():
            self._known.put(position, left)

    def _name(self, form: CanonicalForm) -> str:
        return f"{VERSION}/{self._problem}/{form.name}"


def checksum(name: str, value: bytes) -> bytes:
    """Return a checksum of a name and a value (8 bytes of SHA-256)."""
    return hashlib.sha256(name.encode() + b"\0" + value).digest()[:CHECKSUM_BYTES]
