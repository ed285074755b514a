"""The line between the processes of a fleet: what one of them emits reaches whoever holds the connection.

Socket.IO's own line waits longer and longer until it listens again after Redis was away, and nobody can tell
whether it does; what is said in the meantime is lost. Here it is read up as soon as the server listens again.
"""

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from redis import Redis
from redis.exceptions import RedisError
from socketio import PubSubManager

from hoppers.fleet.delivered_events import Ledger
from hoppers.jobs.search_job import SentEvent

log = logging.getLogger(__name__)

CHANNEL = "hoppers"
AGAIN_SECONDS = 0.2
"""Between two attempts to listen."""


class Line(PubSubManager):  # type: ignore[misc]
    """Socket.IO's client manager on Redis, for a server."""

    name = "hoppers"

    def __init__(self, url: str) -> None:
        """Nothing is connected before the first client is."""
        super().__init__(channel=CHANNEL)
        self._redis = Redis.from_url(url, socket_timeout=5, socket_connect_timeout=1, health_check_interval=5)
        self.listening = threading.Event()
        self.ledger = Ledger()
        self.read_up: Callable[[str], list[SentEvent]] = lambda id: []
        """What was told of a search."""

    def _publish(self, data: Any) -> None:
        try:
            self._redis.publish(CHANNEL, json.dumps(data))
        except RedisError as error:
            log.warning("other servers could not be told: %s", error)

    def _listen(self) -> Iterator[Any]:
        while True:
            try:
                yield from self._heard()
            except RedisError as error:
                self.listening.clear()
                log.warning("Redis does not answer: %s", error)
                time.sleep(AGAIN_SECONDS)

    def _heard(self) -> Iterator[Any]:
        with self._redis.pubsub() as words:  # type: ignore[no-untyped-call]
            words.subscribe(CHANNEL)
            while True:
                word = words.get_message(timeout=1)
                if word is not None and word["type"] == "subscribe":
                    yield from filter(self.ledger.is_news, self.ledger.missed(self.read_up))
                    self.listening.set()
                elif word is not None and word["type"] == "message":
                    yield from filter(self.ledger.is_news, _read(word["data"]))


def _read(data: bytes) -> Iterator[Any]:
    try:
        yield json.loads(data)
    except ValueError:
        log.warning("a word on the channel %r is none of ours", CHANNEL)
