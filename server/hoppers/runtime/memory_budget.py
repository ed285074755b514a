"""Memory budget of an engine: the number of bytes that all searches may hold together."""

import threading
import time
from collections.abc import Iterator


class BudgetExceeded(Exception):
    """Refusal of memory because the budget has too few bytes left."""


class MemoryBudget:
    """Number of bytes that the searches of an engine may hold together.

    `size`: all bytes of the budget. `left`: those that no search holds.
    """

    def __init__(self, size: int) -> None:
        self.size = self.left = size
        self.lock = threading.Lock()


class Lease:
    """Share of a memory budget that one search holds. Only one thread at a time uses it.

    A search of several parts has one lease, from which `part` makes one for each of them. The parts run in
    turn, and the bytes of one are never those of another search for the others.
    """

    def __init__(self, budget: MemoryBudget, whole: "Lease | None" = None, most: int | None = None) -> None:
        """`whole`: lease of the search of which this is a part; None for a whole search.

        `most`: largest number of bytes of this lease; None: all of the budget.
        """
        self._budget, self._taken, self._whole = budget, 0, whole
        self._most = budget.size if most is None else most

    def part(self) -> "Lease":
        """Return a new lease for one part of the search that holds this one."""
        return Lease(self._budget, self)

    def take(self, size: int) -> None:
        """Take `size` more bytes from the budget.

        Raises:
            BudgetExceeded: the budget, or the lease, has fewer bytes left.
        """
        with self._budget.lock:
            if size > min(self._budget.left, self._most - self._taken):
                raise BudgetExceeded
            self._move(size)

    def wait_and_take(self, size: int, seconds: float) -> Iterator[None]:
        """Take `size` more bytes as soon as enough are released; yield while waiting.

        While another part of the same search holds bytes, there is no limit to the time, because that part
        goes on, and releases them at its end.

        Raises:
            TimeoutError: other searches did not release enough within `seconds`.
            BudgetExceeded: the budget or the lease is too small, even if nothing else holds a byte.
        """
        until = time.monotonic() + seconds
        while True:
            try:
                return self.take(size)
            except BudgetExceeded:
                if size > self._most - self._taken:
                    raise
            waits_for_part = self._whole is not None and self._whole._taken > self._taken
            if not waits_for_part and time.monotonic() > until:
                raise TimeoutError("other searches hold the memory")
            yield
            if not waits_for_part:
                time.sleep(0.005)

    def give_back(self, size: int) -> None:
        """Give `size` bytes of this lease back to the budget."""
        with self._budget.lock:
            self._move(-size)

    def release(self) -> None:
        """Give all bytes of this lease back to the budget."""
        self.give_back(self._taken)

    def _move(self, size: int) -> None:
        """Move `size` bytes from the budget to this lease, under the lock of the budget."""
        self._budget.left -= size
        self._taken += size
        if self._whole is not None:
            self._whole._taken += size
