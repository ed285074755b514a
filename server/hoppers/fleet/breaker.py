"""A breaker in front of calls of Redis: while Redis is away, they fail at once instead of after a timeout."""

import logging
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from redis.exceptions import ConnectionError, RedisError, TimeoutError

log = logging.getLogger(__name__)

PAUSE_SECONDS = 2.0  # between two calls that try whether Redis is there again

Result = TypeVar("Result")


class Breaker:
    """Calls of Redis: after one has not reached it, others fail at once, but for one every `PAUSE_SECONDS`.

    Without it, a few callers who wait for timeouts would take all threads for messages. Thread-safe.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._retry_at: float | None = None  # None while Redis is there

    def call(self, request: Callable[[], Result]) -> Result:
        """Return the result of `request`; raise a RedisError if it fails, or Redis has been away lately."""
        self._require_turn()
        try:
            result = request()
        except (ConnectionError, TimeoutError) as error:
            log.warning("Redis does not respond (%s); continuing without it for now", error)
            with self._lock:
                self._retry_at = time.monotonic() + PAUSE_SECONDS
            raise
        with self._lock:
            self._retry_at = None
        return result

    def call_or_none(self, request: Callable[[], Result]) -> Result | None:
        """Return the result of `request`; None if it fails, or Redis has been away lately."""
        try:
            return self.call(request)
        except RedisError:
            return None

    def _require_turn(self) -> None:
        """Return if this call may be made; raise a ConnectionError if another one tries now."""
        now = time.monotonic()
        with self._lock:
            if self._retry_at is None:
                return
            if now < self._retry_at:
                raise ConnectionError("Redis has not responded lately")
            self._retry_at = now + PAUSE_SECONDS
