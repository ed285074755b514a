"""Players who have lost the connection, and for how long their searches are kept.

One thread for all of them: whoever connects, searches and leaves again and again leaves no thread each time.
"""

import threading
import time
from collections import deque
from collections.abc import Callable

from hoppers.jobs.search_job import Job

GiveUp = Callable[[Job, str], None]
"""Ends a search, if its player is still away since the connection with this name was lost."""


class Absences:
    """The searches whose players are away, the one that was left first at the front."""

    def __init__(self, seconds: float, give_up: GiveUp) -> None:
        """Begin to wait. `seconds`: how long a search is kept."""
        self._seconds, self._give_up = seconds, give_up
        self._gone: deque[tuple[float, Job, str]] = deque()
        self._changed = threading.Condition()
        self._closed = False
        threading.Thread(target=self._wait, name="absences", daemon=True).start()

    def begin(self, job: Job, holder: str) -> None:
        """The player of a search is gone."""
        with self._changed:
            self._gone.append((time.monotonic() + self._seconds, job, holder))
            self._changed.notify()

    def close(self) -> None:
        """Wait no longer."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def _wait(self) -> None:
        while (next_one := self._next()) is not None:
            self._give_up(*next_one)

    def _next(self) -> tuple[Job, str] | None:
        """The next search whose time is over."""
        with self._changed:
            self._changed.wait_for(lambda: self._gone or self._closed)
            if not self._closed:
                self._changed.wait_for(lambda: self._closed, max(0.0, self._gone[0][0] - time.monotonic()))
            if self._closed:
                return None
            _, job, holder = self._gone.popleft()
            return job, holder
