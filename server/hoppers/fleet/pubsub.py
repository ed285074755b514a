"""Events between the processes of a fleet by Redis pub/sub; events missed during an outage are caught up.

An event published by any process reaches the server that holds the player's connection. Socket.IO's own
manager waits longer and longer before it subscribes again after an outage, does not show whether it is
subscribed, and loses the events published meanwhile. Workers continue to publish then, and every row is also
stored in Redis (see `search_records`). Once subscribed again, a server delivers the stored rows after its
last delivered one, and drops rows that arrive twice.
"""

import json
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from redis import Redis
from redis.exceptions import RedisError

from hoppers.jobs.search_job import SentEvent, events_after
from hoppers.jobs.service import EmitTo

log = logging.getLogger(__name__)

CHANNEL = "hoppers"
RETRY_SECONDS = 0.2  # between two attempts to subscribe
FINAL = {"solved", "unsolvable", "stopped", "failed"}


class Message(NamedTuple):
    """An event of a search on its way to the server of the player's connection; published as a JSON list."""

    search: str
    connection: str
    event: str
    fields: dict[str, Any]


class Receiver(NamedTuple):
    """Connection of this server that receives the events of a search."""

    connection: str
    ticket: str
    limit: int
    """Limit of the last delivered row."""
    ended: bool = False
    """Whether the final event has been delivered."""


class DeliveredEvents:
    """The searches of this server's connections, and the rows delivered to each. Thread-safe."""

    def __init__(self) -> None:
        self._receivers: dict[str, Receiver] = {}
        self._lock = threading.Lock()

    def add(self, id: str, connection: str, ticket: str, limit: int = -1) -> None:
        """Register `connection`, which has the rows up to `limit`, as the receiver of a search's events."""
        with self._lock:
            self._receivers[id] = Receiver(connection, ticket, limit)

    def remove(self, id: str) -> Receiver | None:
        """Remove the receiver of a search and return it; None for an unknown id."""
        with self._lock:
            return self._receivers.pop(id, None)

    def remove_connection(self, connection: str) -> list[str]:
        """Remove the receivers over a closed connection; return the ids of their searches."""
        with self._lock:
            removed = [id for id, receiver in self._receivers.items() if receiver.connection == connection]
            for id in removed:
                del self._receivers[id]
            return removed

    def ids(self) -> list[str]:
        """Return the ids of all searches that have a receiver."""
        return list(self._receivers)

    def is_complete(self, id: str) -> bool:
        """Return whether the final event of a search has been delivered, or the search has no receiver."""
        receiver = self._receivers.get(id)
        return receiver is None or receiver.ended

    def end(self, id: str) -> Receiver | None:
        """Deliver no further event of a search; return its receiver, or None if the search has ended."""
        with self._lock:
            if self.is_complete(id):
                return None
            self._receivers[id] = self._receivers[id]._replace(ended=True)
            return self._receivers[id]

    def is_new(self, message: Message) -> bool:
        """Return whether `message` still has to be delivered, and record it as delivered."""
        with self._lock:
            receiver = self._receivers.get(message.search)
            if receiver is None or message.connection != receiver.connection:
                return True
            is_row, limit = message.event == "exhausted", receiver.limit
            if is_row:
                limit = message.fields["limit"]
            if receiver.ended or (is_row and limit <= receiver.limit):
                return False
            ended = message.event in FINAL
            self._receivers[message.search] = receiver._replace(limit=limit, ended=ended)
            return True

    def missed(self, id: str, sent: list[SentEvent]) -> list[Message]:
        """Return a message for each event of a search that is not delivered yet.

        `sent`: all stored events of the search.
        """
        receiver = self._receivers.get(id)
        if receiver is None or receiver.ended:
            return []
        rest = events_after(sent, receiver.limit)
        return [Message(id, receiver.connection, name, fields) for name, fields in rest]


class EventSubscription:
    """Subscription of one server to the events of its fleet, with a thread that delivers them."""

    def __init__(
        self,
        url: str,
        emit: EmitTo,
        delivered: DeliveredEvents,
        sent_events: Callable[[str], list[SentEvent]],
        on_fault: Callable[[str, Receiver], None],
    ) -> None:
        """`url`: address of Redis. `emit`: sends an event to a connection of this server.

        `sent_events`: returns all stored events of a search id. `on_fault`: called with the id and the
        receiver of a search one of whose events cannot be delivered.
        """
        self._redis = Redis.from_url(url, socket_timeout=5, socket_connect_timeout=1, health_check_interval=5)
        self._emit, self._delivered = emit, delivered
        self._sent_events, self._on_fault = sent_events, on_fault
        self._closed = threading.Event()
        self.listening = threading.Event()
        """Set while the server is subscribed."""

    def start(self) -> None:
        """Start the thread that delivers events until `close`."""
        threading.Thread(target=self._run, name="fleet-events", daemon=True).start()

    def close(self) -> None:
        """Stop delivering events, within a second."""
        self._closed.set()

    def _run(self) -> None:
        while not self._closed.is_set():
            try:
                self._listen()
            except RedisError as error:
                log.warning("Redis does not respond: %s", error)
            except Exception:
                log.exception("the subscription to the events of the fleet failed")
            self.listening.clear()
            self._closed.wait(RETRY_SECONDS)

    def _listen(self) -> None:
        """Subscribe and deliver messages. After each subscription, first deliver the missed events."""
        with self._redis.pubsub() as channel:  # type: ignore[no-untyped-call]
            channel.subscribe(CHANNEL)
            while not self._closed.is_set():
                received = channel.get_message(timeout=1)
                if received is not None and received["type"] == "subscribe":
                    self._deliver_missed()
                    self.listening.set()
                elif received is not None and received["type"] == "message":
                    self._deliver_published(received["data"])

    def _deliver_missed(self) -> None:
        for id in self._delivered.ids():
            with self._end_on_fault(id):
                for message in self._delivered.missed(id, self._sent_events(id)):
                    self._deliver(message)

    def _deliver_published(self, data: bytes) -> None:
        try:
            message = Message(*json.loads(data))
        except (TypeError, ValueError):
            log.warning("ignoring an invalid message on the channel %r", CHANNEL)
            return
        with self._end_on_fault(message.search):
            self._deliver(message)

    def _deliver(self, message: Message) -> None:
        if self._delivered.is_new(message):
            self._emit(message.event, message.fields, message.connection)

    @contextmanager
    def _end_on_fault(self, id: str) -> Iterator[None]:
        """Return a context manager that ends a search if one of its events cannot be delivered.

        Delivering the event again would fail again. Errors of Redis are raised, because they may pass.
        """
        try:
            yield
        except RedisError:
            raise
        except Exception:
            log.exception("an event of the search %s cannot be delivered, so the search ends", id)
            if receiver := self._delivered.end(id):
                self._on_fault(id, receiver)
