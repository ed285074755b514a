"""A thread-safe cache that drops its least recently used entries.

It is our own because that of cachetools has no lock, and refuses a value larger than the whole cache.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class LRUCache(Generic[Key, Value]):
    """A cache whose entries have a total size of at most `max_size`; least recently used ones are dropped.

    An entry has the size `size_of(value)`, which must not change, for example in bytes; by default 1. A value
    larger than the whole cache is not stored; with `keeps_newest`, it is the only entry. Thread-safe.
    """

    def __init__(
        self, max_size: int, size_of: Callable[[Value], int] = lambda value: 1, *, keeps_newest: bool = False
    ) -> None:
        """`keeps_newest`: the newest value of any size stays, because computing it again takes long."""
        self._max_size, self._size_of, self._keeps_newest = max_size, size_of, keeps_newest
        self._entries: OrderedDict[Key, Value] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def get(self, key: Key) -> Value | None:
        """Return the value of a key, which becomes the most recently used; None if there is none."""
        with self._lock:
            if key not in self._entries:
                return None
            self._entries.move_to_end(key)
            return self._entries[key]

    def put(self, key: Key, value: Value) -> None:
        """Store a value as the most recently used one; drop the least recently used beyond `max_size`.

        The previous value of the key is dropped, also if the new one is too large to be stored.
        """
        size = self._size_of(value)
        with self._lock:
            self._drop(key)
            if size > self._max_size and not self._keeps_newest:
                return
            self._size += size
            self._entries[key] = value
            while self._size > self._max_size and len(self._entries) > 1:
                self._drop(next(iter(self._entries)))

    def _drop(self, key: Key) -> None:
        if key in self._entries:
            self._size -= self._size_of(self._entries.pop(key))

    def items(self) -> list[tuple[Key, Value]]:
        """Return all entries, the most recently used first, without changing their order."""
        with self._lock:
            return list(reversed(self._entries.items()))

    def __contains__(self, key: Key) -> bool:
        return key in self._entries
