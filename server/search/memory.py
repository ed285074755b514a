"""A limit on what all searches of the process hold in memory together."""

import threading


class Full(Exception):
    """There is no memory for more boards."""


class Memory:
    """What all searches of the process may hold together, counted in slots of their sets."""

    def __init__(self, slots: int) -> None:
        """Nothing is taken."""
        self.left = slots
        self.lock = threading.Lock()


class Lease:
    """What one search holds of it."""

    def __init__(self, memory: Memory) -> None:
        """Nothing yet."""
        self._memory, self._held = memory, 0

    def take(self, slots: int) -> None:
        """Hold so many more.

        Raises:
            Full: there are not so many left.
        """
        with self._memory.lock:
            if slots > self._memory.left:
                raise Full
            self._memory.left -= slots
            self._held += slots

    def release(self) -> None:
        """Give all back."""
        with self._memory.lock:
            self._memory.left += self._held
            self._held = 0


MEMORY = Memory(1 << 25)
"""About 450 MB with the lists of boards."""
