"""Proved answers that were costly, kept beyond the process that found them, and checked when they are read.

An answer is the fewest moves and one line that needs no more, or that there is none. It is kept under the
program's version, the problem, and the one form that all images of a position share. What is read has to
carry its checksum, and its line is played again by the rules; else it is as if it had never been kept. Where
answers are kept is decided by `keep_in`; as long as nobody has, they are not.
"""

import hashlib
import json
import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import NamedTuple, Protocol

from hoppers.core.kernels import VERSION
from hoppers.core.model import DEAD, UNKNOWN, Position
from hoppers.runtime.metrics import ANSWERS

log = logging.getLogger(__name__)

REMEMBERED = 1 << 14
"""Positions of lines read or learnt that each problem remembers."""
CHECKSUM_BYTES = 8


class Store(Protocol):
    """Bytes under names, as many as it likes to keep. Its methods never raise."""

    def get(self, name: str) -> bytes | None:
        """What is kept under a name, if anything is."""
        ...

    def put(self, name: str, value: bytes) -> None:
        """Keep it, if there is room."""
        ...


class Nowhere:
    """A store that keeps nothing."""

    def get(self, name: str) -> bytes | None:
        """Nothing."""
        return None

    def put(self, name: str, value: bytes) -> None:
        """Forget it."""


class Form(NamedTuple):
    """What all images of a position have in common, and the way back from there."""

    name: str
    there: Callable[[int], int]
    """State -> the state in the common form."""
    back: Callable[[int], int]


class Rules(NamedTuple):
    """What is needed of a problem to play a line again."""

    form: Callable[[Position], Form]
    steps: Callable[[Position], Iterable[tuple[int, Position]]]
    """Cost and outcome of every legal step; a piece is in hand only if it can go on."""
    is_end: Callable[[Position], bool]


class _Kept:
    store: Store = Nowhere()


def keep_in(store: Store) -> None:
    """From now on, keep answers of this process there."""
    _Kept.store = store


class Answers:
    """The kept answers of one problem."""

    def __init__(self, problem: str, rules: Rules) -> None:
        """Nothing is read before it is asked for."""
        self._problem, self._rules = problem, rules
        self._known: OrderedDict[Position, int] = OrderedDict()

    def moves_left(self, position: Position) -> int:
        """The fewest moves still to be started, or DEAD, or UNKNOWN if that is not kept."""
        known = self._known.get(position)
        if known is None:
            self._read(position)
            known = self._known.get(position, UNKNOWN)
        return known

    def line(self, position: Position) -> list[int] | None:
        """The states of a kept line from a position to the end; None where none is kept."""
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
        """Keep a proved answer: `left` moves along these states, or DEAD and none."""
        if isinstance(_Kept.store, Nowhere) or position in self._known:
            return
        trail = self._trail(position, left, line)
        if trail is None:
            return
        self._remember(trail)
        form = self._rules.form(position)
        name = self._name(form)
        value = json.dumps([left, [form.there(state) for state in line]]).encode()
        _Kept.store.put(name, checksum(name, value) + value)

    def _read(self, position: Position) -> None:
        form = self._rules.form(position)
        name = self._name(form)
        kept = _Kept.store.get(name)
        if kept is None:
            ANSWERS.labels("no").inc()
            return
        try:
            if kept[:CHECKSUM_BYTES] != checksum(name, kept[CHECKSUM_BYTES:]):
                raise ValueError("the checksum differs")
            left, line = json.loads(kept[CHECKSUM_BYTES:])
            trail = self._trail(position, left, [form.back(state) for state in line])
            if trail is None:
                raise ValueError("the line does not lead to the end")
        except (ValueError, TypeError) as error:
            log.warning("a kept answer of %s is dropped: %s", self._problem, error)
            ANSWERS.labels("damaged").inc()
            return
        ANSWERS.labels("yes").inc()
        self._remember(trail)

    def _trail(self, position: Position, left: int, line: list[int]) -> dict[Position, int] | None:
        """Every position on the line with its moves left; None if the line is not one of so many moves."""
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
        self._known.update(trail)
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)

    def _name(self, form: Form) -> str:
        return f"{VERSION}/{self._problem}/{form.name}"


def checksum(name: str, value: bytes) -> bytes:
    """What tells that a value is whole, and the one that belongs there."""
    return hashlib.sha256(name.encode() + b"\0" + value).digest()[:CHECKSUM_BYTES]
