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


class Subscription(NamedTuple):
    """Connection that receives the events of a search, and the limit of the last delivered row."""

    connection: str
    limit: int
    ended: bool = False


class DeliveredEvents:
    """Record of the rows that this server has delivered for the searches of its connections. Thread-safe."""

    def __init__(self) -> None:
        self._subscriptions: dict[str, Subscription] = {}
        self._lock = threading.Lock()

    def add(self, id: str, connection: str, limit: int = -1) -> None:
        """Register `connection`, which has the rows up to `limit`, as the receiver of a search's events."""
        with self._lock:
            self._subscriptions[id] = Subscription(connection, limit)

    def remove(self, id: str) -> None:
        """Remove the registration of a search; an unknown id is ignored."""
        with self._lock:
            self._subscriptions.pop(id, None)

    def is_complete(self, id: str) -> bool:
        """Return whether the final event of a search has been delivered, or the search is not registered."""
        subscription = self._subscriptions.get(id)
        return subscription is None or subscription.ended

    def open_ids(self) -> list[str]:
        """Return the ids of the registered searches whose final event has not been delivered."""
        return [id for id in list(self._subscriptions) if not self.is_complete(id)]

    def end(self, id: str) -> bool:
        """Deliver no further event of a search; return False if the search had ended already."""
        with self._lock:
            if self.is_complete(id):
                return False
            self._subscriptions[id] = self._subscriptions[id]._replace(ended=True)
            return True

    def is_new(self, message: Message) -> bool:
        """Return whether `message` still has to be delivered, and record it as delivered."""
        with self._lock:
            subscription = self._subscriptions.get(message.search)
            if subscription is None or message.connection != subscription.connection:
                return True
            is_row, limit = message.event == "exhausted", subscription.limit
            if is_row:
                limit = message.fields["limit"]
            if subscription.ended or (is_row and limit <= subscription.limit):
                return False
            ended = message.event in FINAL
            self._subscriptions[message.search] = subscription._replace(limit=limit, ended=ended)
            return True

    def missed(self, id: str, sent: list[SentEvent]) -> list[Message]:
        """Return a message for each event of a search that is not delivered yet.

        `sent`: all stored events of the search.
        """
        subscription = self._subscriptions.get(id)
        if subscription is None or subscription.ended:
            return []
        return [
            Message(id, subscription.connection, name, fields)
            for name, fields in events_after(sent, subscription.limit)
        ]


class EventSubscription:
    """Subscription of one server to the events of its fleet, with a thread that delivers them."""

    def __init__(
        self,
        url: str,
        emit: EmitTo,
        delivered: DeliveredEvents,
        sent_events: Callable[[str], list[SentEvent]],
        on_fault: Callable[[str], None],
    ) -> None:
        """`url`: address of Redis. `emit`: sends an event to a connection of this server.

        `sent_events`: returns all stored events of a search id. `on_fault`: called with the id of a search
        one of whose events cannot be delivered.
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
        for id in self._delivered.open_ids():
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
            if self._delivered.end(id):
                self._on_fault(id)
