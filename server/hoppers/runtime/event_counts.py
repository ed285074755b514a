"""Counts of events, which any part of the program may raise, and which `metrics` shows."""

import threading


class EventCount:
    """A number of events. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.total = 0

    def add(self) -> None:
        """Count one event."""
        with self._lock:
            self.total += 1


TABLES_BUILT = EventCount()
ANSWER_LOOKUPS = {found: EventCount() for found in ("yes", "no", "damaged")}
"""Look-ups of stored answers, by result."""
