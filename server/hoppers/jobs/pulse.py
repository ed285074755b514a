"""When a worker process counts as hung: it neither sends messages nor works."""

from typing import NamedTuple

from hoppers.runtime.process_work import Work


class Watch(NamedTuple):
    """Times in seconds."""

    look: float = 0.5  # between two looks at a process
    overdue: float = 1.0  # without a message, after which the work of a process is looked at
    silent: float = 1.0  # at rest, after which the server is not ready
    hung: float = 2.0  # at rest, after which a process is killed
    hung_unseen: float = 60.0  # without a message, where the system does not show the work of a process


WATCH = Watch()


class Pulse:
    """Signs of life of one process. All times are of one clock, in seconds.

    A process is at rest if it sends no message, not even a heartbeat, and does not work. A busy process may
    send nothing for seconds, because the compiler keeps the interpreter lock. Under load, a process of low
    priority may wait for a core. Neither is at rest.
    """

    def __init__(self, now: float) -> None:
        self._heard = now
        self._rests_since: float | None = None
        self._work: Work | None = None

    def beat(self, now: float) -> None:
        """Record that the process has sent a message."""
        self._heard, self._rests_since = now, None

    def is_overdue(self, now: float) -> bool:
        """Return whether a message is so late that the work of the process must be looked at."""
        return now - self._heard >= WATCH.overdue

    def look(self, work: Work | None, now: float) -> None:
        """Record what the process has worked so far, if a message is overdue. None: the system hides it."""
        before, self._work = self._work, work
        if work is None:
            self._rests_since = self._heard
        elif self._rests_since is None or work.is_waiting or work != before:
            self._rests_since = now

    def is_silent(self, now: float) -> bool:
        """Return whether the process has been at rest for a while, so that it may hang."""
        return self._rest(now) >= (WATCH.hung_unseen if self._work is None else WATCH.silent)

    def is_hung(self, now: float) -> bool:
        """Return whether the process has been at rest for so long that it must be stopped or deadlocked."""
        return self._rest(now) >= (WATCH.hung_unseen if self._work is None else WATCH.hung)

    def _rest(self, now: float) -> float:
        return 0.0 if self._rests_since is None else now - self._rests_since
