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
    """Share of a memory budget that one search holds. Only one thread at a time uses it."""

    def __init__(self, budget: MemoryBudget) -> None:
        self._budget, self._taken = budget, 0

    def take(self, size: int) -> None:
        """Take `size` more bytes from the budget.

        Raises:
            BudgetExceeded: the budget has fewer bytes left.
        """
        with self._budget.lock:
            if size > self._budget.left:
                raise BudgetExceeded
            self._budget.left -= size
            self._taken += size

    def wait_and_take(self, size: int, seconds: float) -> Iterator[None]:
        """Take `size` more bytes as soon as other searches have released enough; yield while waiting.

        Raises:
            TimeoutError: other searches did not release enough within `seconds`.
            BudgetExceeded: the budget is too small, even without other searches.
        """
        until = time.monotonic() + seconds
        while True:
            try:
                return self.take(size)
            except BudgetExceeded:
                if size > self._budget.size - self._taken:
                    raise
            if time.monotonic() > until:
                raise TimeoutError("other searches hold the memory")
            yield
            time.sleep(0.005)

    def give_back(self, size: int) -> None:
        """Give `size` bytes of this lease back to the budget."""
        with self._budget.lock:
            self._budget.left += size
            self._taken -= size

    def release(self) -> None:
        """Give all bytes of this lease back to the budget."""
        self.give_back(self._taken)
