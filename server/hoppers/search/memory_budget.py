"""Memory budget: the number of bytes that all searches of a process may hold together."""

import threading
import time
from collections.abc import Iterator

POLL_SECONDS = 0.005
"""Interval at which a search that waits for memory tries again."""


class BudgetExceeded(Exception):
    """Refusal of memory because the budget has too few bytes left."""


class MemoryBudget:
    """Number of bytes that the searches of a process may hold together."""

    def __init__(self, size: int) -> None:
        """`size`: the whole budget, in bytes."""
        self.size = self.left = size
        self.lock = threading.Lock()


class Lease:
    """Share of a memory budget that one search holds."""

    def __init__(self, budget: MemoryBudget) -> None:
        """`budget`: the budget from which bytes are taken."""
        self._budget, self._held = budget, 0

    def take(self, size: int) -> None:
        """Take `size` more bytes from the budget.

        Raises:
            BudgetExceeded: the budget has fewer bytes left.
        """
        with self._budget.lock:
            if size > self._budget.left:
                raise BudgetExceeded
            self._budget.left -= size
            self._held += size

    def wait_and_take(self, size: int, seconds: float) -> Iterator[None]:
        """Take `size` more bytes as soon as other searches have released enough; yield while waiting.

        Raises:
            BudgetExceeded: not enough bytes were released within `seconds`, or the whole budget is smaller.
        """
        until = time.monotonic() + seconds
        while True:
            try:
                return self.take(size)
            except BudgetExceeded:
                if size > self._budget.size or time.monotonic() > until:
                    raise
            yield
            time.sleep(POLL_SECONDS)

    def release(self) -> None:
        """Give all bytes of this lease back to the budget."""
        with self._budget.lock:
            self._budget.left += self._held
            self._held = 0


SLOT_BYTES = 14
"""Bytes per slot of a hash set of boards, including the lists of its boards at the highest load."""
