"""State in Redis that a fleet shares and can do without: rate limits and proved answers.

A fault of Redis costs a few short timeouts. The process then does without this state for a while (`Breaker`).
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol, cast

from limits import RateLimitItem, parse
from limits.storage import RedisStorage
from limits.strategies import SlidingWindowCounterRateLimiter
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from hoppers.fleet.breaker import Breaker

RATE_TIMEOUT_SECONDS = 0.5
ANSWER_TIMEOUT_SECONDS = 2.0  # longer, because a missing answer costs a search
ANSWER_EXPIRY_SECONDS = 30 * 24 * 3600  # after the last access


def _options(timeout: float) -> dict[str, Any]:
    return {"socket_timeout": timeout, "socket_connect_timeout": timeout, "retry": Retry(NoBackoff(), 1)}


class NamedRate(Protocol):
    """A rate of requests."""

    @property
    def text(self) -> str:
        """The rate as a text, such as "10 per 1 second"."""
        ...


def shared_rate_limit(url: str) -> Callable[[Sequence[tuple[str, NamedRate]]], int | None]:
    """Return a function that counts a request for all servers.

    Its argument has the names for which the request counts, each with a rate. It returns the index of the
    first rate that the request exceeds, -1 if there is none, or None without Redis.
    """
    storage = RedisStorage(url, key_prefix="hoppers:rate", **_options(RATE_TIMEOUT_SECONDS))
    limiter, breaker = SlidingWindowCounterRateLimiter(storage), Breaker()
    items: dict[str, RateLimitItem] = {}

    def count(counted: Sequence[tuple[str, NamedRate]]) -> int | None:
        def first_exceeded() -> int:
            for index, (name, rate) in enumerate(counted):
                if not limiter.hit(items.setdefault(rate.text, parse(rate.text)), name):
                    return index
            return -1

        return breaker.call_or_none(first_exceeded)

    return count


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
