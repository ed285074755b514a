"""Proved answers that were costly to find, stored beyond the process and checked when they are read.

An answer is the fewest moves and one solution of that length, or that there is none. Its key is the
program's version, the problem and the canonical form that all symmetric images of a position share. An answer
that is read has to carry its checksum, and its solution is replayed by the rules; otherwise it is ignored.
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

MAX_REMEMBERED = 1 << 14  # positions of stored solutions in memory, for each problem
CHECKSUM_BYTES = 8


class AnswerStore(Protocol):
    """Bytes under names. The store decides how much it keeps; its methods never raise."""

    def get(self, name: str) -> bytes | None:
        """Return the value under a name, or None."""
        ...

    def put(self, name: str, value: bytes) -> None:
        """Store a value, if there is room."""
        ...


class NullStore:
    """A store that keeps nothing."""

    def get(self, name: str) -> bytes | None:
        """Return None."""
        return None

    def put(self, name: str, value: bytes) -> None:
        """Drop the value."""


class CanonicalForm(NamedTuple):
    """The name that all symmetric images of a position share, and the maps to and from that form."""

    name: str
    there: Callable[[int], int]
    """State -> the state in canonical form."""
    back: Callable[[int], int]


class ReplayRules(NamedTuple):
    """The rules of a problem that a stored solution is replayed by."""

    form: Callable[[Position], CanonicalForm]
    steps: Callable[[Position], Iterable[tuple[int, Position]]]
    """Position -> cost and outcome of every legal step; a piece is active only if it can continue."""
    is_end: Callable[[Position], bool]


class ProvedAnswers:
    """Proved answers of one problem: read from a store when needed, replayed before they are believed."""

    def __init__(self, store: AnswerStore, problem: str, rules: ReplayRules) -> None:
        self._store, self._problem, self._rules = store, problem, rules
        self._known: LRUCache[Position, int] = LRUCache(MAX_REMEMBERED)

    def moves_left(self, position: Position) -> int:
        """Return the fewest moves still to be started, or DEAD, or UNKNOWN if no answer is stored."""
        known = self._known.get(position)
        if known is None:
            self._read(position)
            known = self._known.get(position)
        return UNKNOWN if known is None else known

    def line(self, position: Position) -> list[int] | None:
        """Return the states of a stored solution behind a position, or None."""
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
        """Store a proved answer: `left` moves along the states of `line`, or DEAD and no states."""
        if isinstance(self._store, NullStore) or position in self._known:
            return
        trail = self._trail(position, left, line)
        if trail is None:
            return
        self._remember(trail)
        form = self._rules.form(position)
        name = self._name(form)
        value = json.dumps([left, [form.there(state) for state in line]]).encode()
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
            trail = self._trail(position, left, [form.back(state) for state in line])
            if trail is None:
                raise ValueError("the line does not lead to the end")
        except (ValueError, TypeError) as error:
            log.warning("ignoring a stored answer of %s: %s", self._problem, error)
            ANSWERS.labels("damaged").inc()
            return
        ANSWERS.labels("yes").inc()
        self._remember(trail)

    def _trail(self, position: Position, left: int, line: list[int]) -> dict[Position, int] | None:
        """Return every position on a line with its moves left; None if the line is no solution."""
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
    """Return the checksum that shows a value to be whole and stored under its own name."""
    return hashlib.sha256(name.encode() + b"\0" + value).digest()[:CHECKSUM_BYTES]
