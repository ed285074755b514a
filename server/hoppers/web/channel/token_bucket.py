"""What somebody may still do: a bucket that fills up again with time."""

import time


class Bucket:
    """So many things at once, and so many a second on average (a token bucket)."""

    def __init__(self, rate: float, most: float) -> None:
        """Full. `rate`: what is earned a second. `most`: how much can be saved up."""
        self._rate, self._most = rate, most
        self._left, self._at = most, time.monotonic()

    def spend(self) -> float:
        """Take one out; returns what is left, below 0 if it was overdrawn.

        What is refused counts as well, so one who insists has to be silent for a while.
        """
        now = time.monotonic()
        self._left = min(self._most, self._left + (now - self._at) * self._rate) - 1
        self._at = now
        return self._left
