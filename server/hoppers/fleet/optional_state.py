"""State in Redis that a fleet shares and can do without: rate limits and proved answers.

A fault of Redis costs a few short timeouts. The process then works without this state for `PAUSE_SECONDS`.
"""

import logging
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from hoppers.fleet.search_records import PREFIX

log = logging.getLogger(__name__)

PAUSE_SECONDS = 2.0  # pause after a fault, without requests to Redis


def optional_scripts(url: str, timeout: float, *scripts: str) -> list[Callable[..., Any]]:
    """Return a function for each Lua script: (keys, arguments) -> result of the script in Redis.

    The result is None if Redis fails, or has failed within `PAUSE_SECONDS`. The scripts share a connection,
    made on first use. `timeout`: seconds to wait for a response.
    """
    retry = Retry(NoBackoff(), 1)
    client: Any = Redis.from_url(url, socket_timeout=timeout, socket_connect_timeout=timeout, retry=retry)
    retry_at = 0.0

    def run(script: Callable[..., Any], keys: list[str], arguments: list[Any]) -> Any:
        nonlocal retry_at
        if time.monotonic() < retry_at:
            return None
        try:
            return script(keys=keys, args=arguments)
        except RedisError as error:
            log.warning("Redis does not respond (%s); continuing without it for now", error)
            retry_at = time.monotonic() + PAUSE_SECONDS
            return None

    return [partial(run, client.register_script(script)) for script in scripts]


TAKE_TOKENS = """
local time = redis.call('time')
local now, longest = time[1] + time[2] / 1000000, 1
for i = 1, #ARGV / 2 do
  local capacity, refill = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
  local saved = redis.call('hmget', KEYS[1], 'level' .. i, 'at' .. i)
  local level = tonumber(saved[1] or capacity) + math.max(0, now - tonumber(saved[2] or now)) * refill
  level = math.min(capacity, level)
  if level < 1 then return i - 1 end
  redis.call('hset', KEYS[1], 'level' .. i, tostring(level - 1), 'at' .. i, string.format('%.6f', now))
  longest = math.max(longest, math.ceil(capacity / refill))
end
redis.call('expire', KEYS[1], longest)
return -1
"""
"""Lua script that takes a token from each bucket up to the first empty one. Key: buckets of an address.
Arguments: capacity and refill per second of each rate. Returns the index of the empty bucket, or -1."""


def shared_rate_limit(url: str) -> Callable[[str, Sequence[Any]], int | None]:
    """Return a function that takes a token from each bucket of an address, up to the first empty one.

    Each rate has a bucket. The rates are objects with the capacity of a bucket (`amount`) and its tokens per
    second (`refill`). The function returns the index of the first empty bucket, -1 if none was empty, or None
    while Redis is unreachable.
    """
    (take,) = optional_scripts(url, 0.5, TAKE_TOKENS)

    def count(address: str, rates: Sequence[Any]) -> int | None:
        numbers = [number for rate in rates for number in (rate.amount, rate.refill)]
        return cast(int | None, take([f"{PREFIX}:rate:{address}"], numbers))

    return count


ANSWER_KEYS = [f"{PREFIX}:answers", f"{PREFIX}:answers:ages", f"{PREFIX}:answers:sums"]
ANSWER_EXPIRY_SECONDS = 30 * 24 * 3600  # counted from the last access to any answer

TOUCH = """
local function touch(name)
  redis.call('zadd', KEYS[2], redis.call('hincrby', KEYS[3], 'age', 1), name)
  for _, key in ipairs(KEYS) do redis.call('expire', key, ARGV[2]) end
end
"""
GET = f"""{TOUCH}
local value = redis.call('hget', KEYS[1], ARGV[1])
if value then touch(ARGV[1]) end
return value
"""
"""Lua script that reads a value and records the access. Arguments: name, seconds to expiry."""
PUT = f"""{TOUCH}
local function size(name)
  local bytes = redis.call('hstrlen', KEYS[1], name)
  return bytes > 0 and bytes + #name or 0
end
local change = -size(ARGV[1])
redis.call('hset', KEYS[1], ARGV[1], ARGV[3])
local bytes = redis.call('hincrby', KEYS[3], 'bytes', change + size(ARGV[1]))
touch(ARGV[1])
while bytes > tonumber(ARGV[4]) do
  local oldest = redis.call('zpopmin', KEYS[2])[1]
  if not oldest then break end
  bytes = redis.call('hincrby', KEYS[3], 'bytes', -size(oldest))
  redis.call('hdel', KEYS[1], oldest)
end
"""
"""Lua script that stores a value and, beyond the limit, removes the values unused for longest. Arguments:
name, seconds to expiry, value, limit for the bytes of all names and values."""


class RedisStore:
    """A store of bytes by name in Redis, with the methods `get` and `put` of `DiskStore`.

    While Redis is unreachable, `get` returns None and `put` stores nothing.
    """

    def __init__(self, url: str, max_bytes: int) -> None:
        """Connect on first use. `max_bytes`: limit for all names and values together."""
        self._max_bytes = max_bytes
        # a longer timeout than for rates, because a missing answer costs a search
        self._get, self._put = optional_scripts(url, 2.0, GET, PUT)

    def get(self, name: str) -> bytes | None:
        """Return the value stored under `name`; None if there is none or Redis is unreachable."""
        return cast(bytes | None, self._get(ANSWER_KEYS, [name, ANSWER_EXPIRY_SECONDS]))

    def put(self, name: str, value: bytes) -> None:
        """Store `value` under `name`, unless Redis is unreachable."""
        self._put(ANSWER_KEYS, [name, ANSWER_EXPIRY_SECONDS, value, self._max_bytes])
