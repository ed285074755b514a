"""A limit on what all searches of the process hold in memory together."""

import threading
import time
from collections.abc import Iterator

GLANCE_SECONDS = 0.005
"""How often one that waits for memory looks whether there is some."""


class Full(Exception):
    """There is no memory for more boards."""


class Memory:
    """What all searches of the process may hold together, in bytes."""

    def __init__(self, size: int) -> None:
        """Nothing is taken."""
        self.size = self.left = size
        self.lock = threading.Lock()


class Lease:
    """What one search holds of it."""

    def __init__(self, memory: Memory) -> None:
        """Nothing yet."""
        self._memory, self._held = memory, 0

    def take(self, size: int) -> None:
        """Hold so many bytes more.

        Raises:
            Full: there are not so many left.
        """
        with self._memory.lock:
            if size > self._memory.left:
                raise Full
            self._memory.left -= size
            self._held += size

    def take_in_turn(self, size: int, seconds: float) -> Iterator[None]:
        """Hold so many bytes more as soon as others have given them back; yields while it waits.

        Raises:
            Full: that takes longer, or there never are so many.
        """
        until = time.monotonic() + seconds
        while True:
            try:
                return self.take(size)
            except Full:
                if size > self._memory.size or time.monotonic() > until:
                    raise
            yield
            time.sleep(GLANCE_SECONDS)

    def release(self) -> None:
        """Give all back."""
        with self._memory.lock:
            self._memory.left += self._held
            self._held = 0


SLOT_BYTES = 14
"""Of a slot of a set of boards, and of the lists of boards where the set is as full as it gets."""
