"""Where the limiter counts requests: in this process, by windows that expire together, or for a whole fleet.

The library's own counters start a thread for every request, which walks all addresses to find the expired
ones, and which ends with an error now and then when two do so at once.
"""

import threading
import time
from collections.abc import Callable
from typing import Any

from limits.storage import Storage

URI = "counters://"
SWEEP_SECONDS = 10
"""Between two removals of what has expired."""


Elsewhere = Callable[[str, float, int], int | None]
"""Counts (key, seconds of the window, how many more) for all servers; None if that cannot be done now."""


def nowhere(key: str, expiry: float, amount: int) -> None:
    """There are no other servers."""


class Counters(Storage):
    """Fixed windows. What has expired is removed by whoever counts next, once in a while."""

    STORAGE_SCHEME = [URI.partition(":")[0]]  # noqa: RUF012 - the library's own declaration is no ClassVar

    def __init__(
        self,
        uri: str | None = None,
        wrap_exceptions: bool = False,
        elsewhere: Elsewhere = nowhere,
        **options: Any,
    ) -> None:
        """Nothing is counted. `elsewhere`: who counts, whenever that is possible."""
        super().__init__(uri, wrap_exceptions, **options)
        self._elsewhere = elsewhere
        self._counts: dict[str, tuple[int, float]] = {}
        """Key -> how many, and when its window ends."""
        self._sweep_at = 0.0
        self._lock = threading.Lock()

    @property
    def base_exceptions(self) -> type[Exception]:
        """What may go wrong: nothing of its own."""
        return ValueError

    def incr(self, key: str, expiry: float, amount: int = 1) -> int:
        """Count; returns the number in the window."""
        everywhere = self._elsewhere(key, expiry, amount)
        return self._count(key, expiry, amount) if everywhere is None else everywhere

    def _count(self, key: str, expiry: float, amount: int) -> int:
        now = time.time()
        with self._lock:
            if now > self._sweep_at:
                self._counts = {name: kept for name, kept in self._counts.items() if kept[1] > now}
                self._sweep_at = now + SWEEP_SECONDS
            count, until = self._counts.get(key, (0, 0.0))
            if until <= now:
                count, until = 0, now + expiry
            self._counts[key] = count + amount, until
            return count + amount

    def get(self, key: str) -> int:
        """The number in the window."""
        count, until = self._counts.get(key, (0, 0.0))
        return count if until > time.time() else 0

    def get_expiry(self, key: str) -> float:
        """When the window ends."""
        return self._counts.get(key, (0, time.time()))[1]

    def check(self) -> bool:
        """It always works."""
        return True

    def reset(self) -> int | None:
        """Forget everything; returns how many windows there were."""
        with self._lock:
            count, self._counts = len(self._counts), {}
        return count

    def clear(self, key: str) -> None:
        """Forget one."""
        with self._lock:
            self._counts.pop(key, None)
