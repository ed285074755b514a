"""Events that workers and other servers publish in Redis, passed on to the clients that are connected here.

Socket.IO's own Redis manager waits longer and longer until it listens again after Redis was away, and does
not show whether it does; what is published in the meantime is lost. Here missed events are read up as soon as
the server listens again. A real thread waits for Redis, and hands each event to the event loop.
"""

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from redis import Redis
from redis.exceptions import RedisError

from hoppers.fleet.delivered_events import Ledger, Message
from hoppers.jobs.search_job import Told
from hoppers.jobs.service import Tell

log = logging.getLogger(__name__)

CHANNEL = "hoppers"
RETRY_SECONDS = 0.2


class EventSubscription:
    """The subscription of one server to the events of its fleet."""

    def __init__(self, url: str, emit: Tell) -> None:
        """`emit`: send an event to a client, if it is connected here."""
        self._redis = Redis.from_url(url, socket_timeout=5, socket_connect_timeout=1, health_check_interval=5)
        self._emit = emit
        self._closed = threading.Event()
        self.listening = threading.Event()
        self.ledger = Ledger()
        self.read_up: Callable[[str], list[Told]] = lambda id: []
        """Return the events of a search that are written down."""

    def start(self) -> None:
        """Listen in a thread of its own until `close`."""
        threading.Thread(target=self._run, name="fleet-events", daemon=True).start()

    def close(self) -> None:
        """Stop listening within a second."""
        self._closed.set()

    def _run(self) -> None:
        while not self._closed.is_set():
            try:
                self._listen()
            except RedisError as error:
                self.listening.clear()
                log.warning("Redis does not answer: %s", error)
                time.sleep(RETRY_SECONDS)
            except Exception:
                log.exception("an event of the fleet was not passed on")

    def _listen(self) -> None:
        with self._redis.pubsub() as channel:  # type: ignore[no-untyped-call]
            channel.subscribe(CHANNEL)
            while not self._closed.is_set():
                message = channel.get_message(timeout=1)
                if message is not None and message["type"] == "subscribe":
                    self._pass_on(self.ledger.missed(self.read_up))
                    self.listening.set()
                elif message is not None and message["type"] == "message":
                    self._pass_on(_read(message["data"]))

    def _pass_on(self, messages: Iterator[Message]) -> None:
        for message in filter(self.ledger.is_news, messages):
            self._emit(message["event"], message["data"][0], to=message["room"])


def _read(data: bytes) -> Iterator[Message]:
    try:
        message: Any = json.loads(data)
    except ValueError:
        message = None
    if isinstance(message, dict) and message.get("method") == "emit":
        yield message
    else:
        log.warning("a message on the channel %r is no event", CHANNEL)
