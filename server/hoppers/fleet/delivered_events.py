"""Which rows of its players' searches a server has passed on, so that it can tell what it missed.

While a server does not hear Redis, workers go on telling. Every row is also written down (see `records`), so
whoever hears again passes on what stands behind the last row it knows of, and drops what is then said twice.
"""

import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from hoppers.jobs.search_job import SentEvent, events_after

FINAL = {"solved", "unsolvable", "stopped", "failed"}
SEARCH = "search"
"""The field of a message between processes that names the search it is about."""

Message = dict[str, Any]


class Entry(NamedTuple):
    """Who hears of a search, and the limit of the last row that was passed on."""

    holder: str
    limit: int
    ended: bool = False


class Ledger:
    """The searches whose players are connected to this server."""

    def __init__(self) -> None:
        """None yet."""
        self._entries: dict[str, Entry] = {}
        self._lock = threading.Lock()

    def begin(self, id: str, holder: str, limit: int = -1) -> None:
        """From now on pass a search on; its player has the rows up to a limit."""
        with self._lock:
            self._entries[id] = Entry(holder, limit)

    def forget(self, id: str) -> None:
        """Nobody here hears of it any more."""
        with self._lock:
            self._entries.pop(id, None)

    def is_over(self, id: str) -> bool:
        """Whether the last event of a search has been passed on."""
        entry = self._entries.get(id)
        return entry is None or entry.ended

    def is_news(self, message: Message) -> bool:
        """Note a message between processes; returns whether it is to be passed on."""
        with self._lock:
            entry = self._entries.get(message.get(SEARCH, ""))
            if entry is None or message["room"] != entry.holder:
                return True
            name, fields = message["event"], message["data"][0]
            if entry.ended or (name == "exhausted" and fields["limit"] <= entry.limit):
                return False
            limit = fields["limit"] if name == "exhausted" else entry.limit
            self._entries[message[SEARCH]] = Entry(entry.holder, limit, name in FINAL)
            return True

    def missed(self, told: Callable[[str], list[SentEvent]]) -> Iterator[Message]:
        """What was told of the searches and has not been passed on, as messages between processes."""
        for id, entry in list(self._entries.items()):
            for name, fields in () if entry.ended else events_after(told(id), entry.limit):
                yield {
                    "method": "emit",
                    "event": name,
                    "data": [fields],
                    "namespace": "/",
                    "room": entry.holder,
                    SEARCH: id,
                }
