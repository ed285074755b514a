"""What exact sources keep in memory, and what they may spend on request."""

import threading
import time
from collections import OrderedDict
from typing import NamedTuple, Protocol

from hoppers.core.model import UNKNOWN, Position


class Known(Protocol):
    """A table or closure."""

    @property
    def bytes(self) -> int:
        """Memory it takes."""
        ...

    def moves_left(self, position: Position) -> int:
        """The fewest moves still to be started, DEAD, or UNKNOWN if the position is outside."""
        ...

    @property
    def counts(self) -> list[int]:
        """How many boards, with none in hand, have 0, 1, 2, … moves left."""
        ...


class Held(NamedTuple):
    """What covers a position, where that starts, and what it says of the position."""

    start: int
    item: Known
    left: int


class Shelf:
    """Tables and closures in memory, of all boards together, the least used ones dropped."""

    def __init__(self, most_bytes: int) -> None:
        """Empty."""
        self._most = most_bytes
        self._items: OrderedDict[tuple[str, int], Known] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, problem: str, start: int, item: Known) -> None:
        """Keep an item made from this start."""
        with self._lock:
            self._items[problem, start] = item
            while len(self._items) > 1 and sum(known.bytes for known in self._items.values()) > self._most:
                self._items.popitem(last=False)

    def moves_left(self, problem: str, position: Position) -> int:
        """What the first item that covers the position says; UNKNOWN if none does."""
        held = self.holder(problem, position)
        return UNKNOWN if held is None else held.left

    def holder(self, problem: str, position: Position) -> Held | None:
        """The first item that covers the position."""
        with self._lock:
            items = [(key, item) for key, item in reversed(self._items.items()) if key[0] == problem]
        for key, item in items:
            left = item.moves_left(position)
            if left != UNKNOWN:
                with self._lock:
                    if key in self._items:
                        self._items.move_to_end(key)
                return Held(key[1], item, left)
        return None


class Allowance:
    """A purse, of seconds or of nodes, that fills up again: spending is refused while it is empty."""

    def __init__(self, full: float, earned: float) -> None:
        """Full. `earned`: what comes back each second."""
        self._full = self._left = full
        self._earned = earned
        self._counted = time.monotonic()

    def left(self) -> float:
        """What may be spent now."""
        now = time.monotonic()
        self._left = min(self._full, self._left + (now - self._counted) * self._earned)
        self._counted = now
        return self._left

    def spend(self, amount: float) -> None:
        """Take so much out, down to nothing."""
        self._left = max(0.0, self.left() - amount)
