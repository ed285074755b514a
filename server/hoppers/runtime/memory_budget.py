"""Memory budget of an engine: the number of bytes that all searches may hold together."""

import threading
import time
from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import contextmanager

WAIT_SECONDS = 10.0  # longest wait of a search until others release memory


class BudgetExceeded(Exception):
    """Refusal of memory because the budget has too few bytes left."""


class MemoryBudget:
    """Number of bytes that the searches of an engine may hold together.

    `size`: all bytes of the budget. `left`: those that no search holds. A scheduler runs each slice of a task
    within `used_by`, and so learns which tasks hold bytes and which wait for some.
    """

    def __init__(self, size: int) -> None:
        self.size = self.left = size
        self.lock = threading.Lock()
        self.held: Counter[Hashable] = Counter()
        """Bytes that each task holds, by its id; '' for what runs outside `used_by`."""
        self.wanted: Counter[Hashable] = Counter()
        """Bytes that each task waits for, by its id."""
        self._user = threading.local()

    @contextmanager
    def used_by(self, task_id: Hashable) -> Iterator[None]:
        """Count the leases that this thread makes during the block as those of a task."""
        self._user.id = task_id
        try:
            yield
        finally:
            self._user.id = ""

    @property
    def user(self) -> Hashable:
        """The task that this thread is running; '' for none."""
        return getattr(self._user, "id", "")


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
        self._user: Hashable = budget.user if whole is None else whole._user
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
        try:
            while True:
                try:
                    return self.take(size)
                except BudgetExceeded:
                    if size > self._most - self._taken:
                        raise
                waits_for_part = self._whole is not None and self._whole._taken > self._taken
                if not waits_for_part:
                    if time.monotonic() > until:
                        raise TimeoutError("other searches hold the memory")
                    self._budget.wanted[self._user] = size
                yield
                if not waits_for_part:
                    time.sleep(0.005)
        finally:
            self._budget.wanted.pop(self._user, None)

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
        self._budget.held[self._user] += size
        if not self._budget.held[self._user]:
            del self._budget.held[self._user]
        self._taken += size
        if self._whole is not None:
            self._whole._taken += size
