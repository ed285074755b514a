"""Redis for what can do without it: rates and kept answers. A fault costs neither long nor often."""

import logging
import time
from collections.abc import Callable
from typing import Any, TypeVar

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

log = logging.getLogger(__name__)

PAUSE_SECONDS = 2.0
"""After a fault, for which nothing is asked."""

Result = TypeVar("Result")


class Asking:
    """A Redis that may be away."""

    def __init__(self, url: str, patience: float) -> None:
        """Nothing is connected before the first question. `patience`: seconds that an answer may take."""
        self.redis: Any = Redis.from_url(
            url,
            socket_timeout=patience,
            socket_connect_timeout=patience,
            retry=Retry(NoBackoff(), 1),
        )
        self._again = 0.0

    def ask(self, act: Callable[[], Result]) -> Result | None:
        """What it answers; None while it is away."""
        if time.monotonic() < self._again:
            return None
        try:
            return act()
        except RedisError as error:
            log.warning("Redis does not answer (%s); the machine does without for a moment", error)
            self._again = time.monotonic() + PAUSE_SECONDS
            return None
