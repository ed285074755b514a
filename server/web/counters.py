"""Where the limiter counts requests: in this process, by windows that expire together.

The library's own counters start a thread for every request, which walks all addresses to find the expired
ones, and which ends with an error now and then when two do so at once.
"""

import threading
import time
from typing import Any

from limits.storage import Storage

URI = "counters://"
SWEEP_SECONDS = 10
"""Between two removals of what has expired."""


class Counters(Storage):
    """Fixed windows. What has expired is removed by whoever counts next, once in a while."""

    STORAGE_SCHEME = [URI.partition(":")[0]]  # noqa: RUF012 - the library's own declaration is no ClassVar

    def __init__(self, uri: str | None = None, wrap_exceptions: bool = False, **options: Any) -> None:
        """Nothing is counted."""
        super().__init__(uri, wrap_exceptions, **options)
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
