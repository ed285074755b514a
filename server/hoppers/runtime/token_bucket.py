"""A token bucket, which limits a rate, such as requests, search nodes or build time per second.

It is our own because the package limits counts hits in windows, which nothing can overspend (`spend`).
"""

import threading
import time


class TokenBucket:
    """A bucket of at most `capacity` tokens, full at first, that gains `refill` per second. Thread-safe."""

    __slots__ = ("_floor", "_level", "_lock", "_updated", "capacity", "refill")

    def __init__(self, capacity: float, refill: float, floor: float = 0.0) -> None:
        """`floor`: lowest level that `spend` can reach; below 0, overspending has to be earned back."""
        self.capacity, self.refill, self._floor = capacity, refill, floor
        self._level, self._updated = capacity, time.monotonic()
        self._lock = threading.Lock()

    def level(self) -> float:
        """Return the tokens left now."""
        with self._lock:
            return self._refilled()

    def take(self, amount: float = 1.0) -> bool:
        """Remove `amount` tokens and return True, or return False if the bucket has fewer."""
        with self._lock:
            level = self._refilled()
            if level < amount:
                return False
            self._level = level - amount
            return True

    def spend(self, amount: float = 1.0) -> float:
        """Remove `amount` tokens, but only down to `floor`; return the tokens left, negative if overspent."""
        with self._lock:
            self._level = max(self._floor, self._refilled() - amount)
            return self._level

    def _refilled(self) -> float:
        now = time.monotonic()
        self._level = min(self.capacity, self._level + (now - self._updated) * self.refill)
        self._updated = now
        return self._level
