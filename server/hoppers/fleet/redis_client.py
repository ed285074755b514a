"""Redis client for optional data (rate limits, proved answers): a fault costs one short timeout."""

import logging
import time
from collections.abc import Callable
from typing import Any, TypeVar

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

log = logging.getLogger(__name__)

PAUSE_SECONDS = 2.0  # after a fault, in which no request is sent

Result = TypeVar("Result")


class OptionalRedis:
    """A Redis client whose requests return None, instead of raising, while Redis is unreachable."""

    def __init__(self, url: str, timeout: float) -> None:
        """Connect on first use. `timeout`: seconds to wait for a response."""
        self.client: Any = Redis.from_url(
            url,
            socket_timeout=timeout,
            socket_connect_timeout=timeout,
            retry=Retry(NoBackoff(), 1),
        )
        self._retry_at = 0.0

    def run(self, request: Callable[[], Result]) -> Result | None:
        """Return the result of `request`, or None while Redis is unreachable."""
        if time.monotonic() < self._retry_at:
            return None
        try:
            return request()
        except RedisError as error:
            log.warning("Redis does not respond (%s); continuing without it for now", error)
            self._retry_at = time.monotonic() + PAUSE_SECONDS
            return None
