"""Turns of clients that wait for the same threads, so that no client delays the others for long.

These are no tasks of the scheduler: a request is one call without slices, and must not wait for searches.
"""

import threading
import time
from collections import Counter, deque
from typing import Generic, TypeVar

from hoppers.core.errors import Busy
from hoppers.runtime.clients import ClientAddress, ClientCounts

ALONE_SECONDS = 1.0  # without another client, after which a client may use several threads

Item = TypeVar("Item")


class Full(Busy):
    """Refusal of work because too much waits already."""

    def __init__(self) -> None:
        super().__init__("Too many requests wait for an answer; please try again in a moment.")


class Turns(Generic[Item]):
    """Waiting items of clients, and how many of each client are being worked on. Thread-safe.

    Clients take turns: each has one item taken before any has its next one. The items of one client are taken
    in the order of their arrival. Only a client that is alone has several items worked on at once: threads
    share the interpreter lock, so each one more makes the items of all others take longer.
    """

    def __init__(self, most_running: int, most_waiting: int, most_in_all: int) -> None:
        """`most_running`: items of a client that is alone that may be worked on at once.

        `most_waiting`, `most_in_all`: items that may wait, of one client and of all.
        """
        self._most_running, self._most_waiting, self._most_in_all = most_running, most_waiting, most_in_all
        self._waiting: dict[ClientAddress, deque[Item]] = {}
        """The items of clients that have any, by client. The client whose turn is next comes first."""
        self._count, self._counts = 0, ClientCounts()  # of items that wait, in all and by client
        self._running: Counter[ClientAddress] = Counter()
        self._latest: tuple[ClientAddress | None, float] = None, -ALONE_SECONDS
        """The client whose item was taken last, and since when only its items were (monotonic clock)."""
        self._closed = False
        self._changed = threading.Condition()

    def add(self, client: ClientAddress, item: Item) -> None:
        """Put an item behind all others of its client; raise Full if too many wait."""
        with self._changed:
            if self.is_full(client):
                raise Full
            self._waiting.setdefault(client, deque()).append(item)
            self._count += 1
            self._counts.add(client)
            self._changed.notify()

    def is_full(self, client: ClientAddress) -> bool:
        """Return whether too many items wait for another one of `client`."""
        is_full = self._counts.full_level(client, self._most_waiting) is not None
        return is_full or self._count >= self._most_in_all

    def take(self) -> tuple[ClientAddress, Item] | None:
        """Wait for the next item that may be worked on; return its client and the item, or None if closed.

        The item counts as being worked on until `end` is called for its client.
        """
        with self._changed:
            while not self._closed:
                client = next(filter(self._may_run, self._waiting), None)
                if client is not None:
                    return client, self._begin(client)
                self._changed.wait()
            return None

    def end(self, client: ClientAddress) -> None:
        """Count one item of a client less as being worked on."""
        with self._changed:
            self._running[client] -= 1
            if not self._running[client]:
                del self._running[client]
            self._changed.notify()

    def close(self) -> None:
        """Drop all waiting items, and let every `take` return None."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._changed.notify_all()

    def _may_run(self, client: ClientAddress) -> bool:
        running = self._running[client]
        return not running or (running < self._most_running and self._is_alone(client))

    def _is_alone(self, client: ClientAddress) -> bool:
        latest, since = self._latest
        return latest is not None and latest == client and time.monotonic() - since >= ALONE_SECONDS

    def _begin(self, client: ClientAddress) -> Item:
        waiting = self._waiting.pop(client)
        item = waiting.popleft()
        if waiting:
            self._waiting[client] = waiting  # at the end of the turns
        self._count -= 1
        self._counts.remove(client)
        self._running[client] += 1
        if self._latest[0] is None or client != self._latest[0]:
            self._latest = client, time.monotonic()
        return item
