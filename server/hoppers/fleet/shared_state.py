"""State in Redis that a fleet shares and can do without: proved answers.

A fault of Redis costs a few short timeouts. The process then does without this state for a while (`Breaker`).
"""

from functools import partial
from typing import Any, cast

from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from hoppers.fleet.breaker import Breaker

ANSWER_TIMEOUT_SECONDS = 2.0  # longer, because a missing answer costs a search
ANSWER_EXPIRY_SECONDS = 30 * 24 * 3600  # after the last access


def _options(timeout: float) -> dict[str, Any]:
    return {"socket_timeout": timeout, "socket_connect_timeout": timeout, "retry": Retry(NoBackoff(), 1)}


class RedisStore:
    """A store of bytes by name in Redis, with the methods `get` and `put` of the store on disk.

    Values expire; which ones leave earlier when memory ends is the policy of Redis (see docs/fleet.md).
    While Redis is unreachable, `get` returns None and `put` stores nothing.
    """

    def __init__(self, url: str) -> None:
        """Connect on first use."""
        self._redis: Any = Redis.from_url(url, **_options(ANSWER_TIMEOUT_SECONDS))
        self._breaker = Breaker()

    def get(self, name: str) -> bytes | None:
        """Return the value stored under `name`; None if there is none or Redis is unreachable."""
        request = partial(self._redis.getex, _answer_key(name), ex=ANSWER_EXPIRY_SECONDS)
        return cast(bytes | None, self._breaker.call_or_none(request))

    def put(self, name: str, value: bytes) -> None:
        """Store `value` under `name`, unless Redis is unreachable."""
        self._breaker.call_or_none(
            partial(self._redis.set, _answer_key(name), value, ex=ANSWER_EXPIRY_SECONDS)
        )


def _answer_key(name: str) -> str:
    return f"hoppers:answer:{name}"
