"""Rate limits that all servers of a fleet share: each client address has token buckets in Redis."""

from collections.abc import Sequence
from typing import Protocol

from hoppers.fleet.redis_client import OptionalRedis
from hoppers.fleet.search_records import PREFIX

TIMEOUT_SECONDS = 0.5
TAKE_TOKENS = """
local time = redis.call('time')
local now, longest = time[1] + time[2] / 1000000, 1
for i = 1, #ARGV / 2 do
  local capacity, refill = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
  local kept = redis.call('hmget', KEYS[1], 'level' .. i, 'at' .. i)
  local level = tonumber(kept[1] or capacity) + math.max(0, now - tonumber(kept[2] or now)) * refill
  level = math.min(capacity, level)
  if level < 1 then return i - 1 end
  redis.call('hset', KEYS[1], 'level' .. i, tostring(level - 1), 'at' .. i, string.format('%.6f', now))
  longest = math.max(longest, math.ceil(capacity / refill))
end
redis.call('expire', KEYS[1], longest)
return -1
"""
"""Key: buckets of an address. Arguments: capacity and refill per second of each rate. Returns the index
of the first bucket that is empty, or -1."""


class TokenRate(Protocol):
    """Capacity and refill of one bucket."""

    @property
    def amount(self) -> int:
        """Capacity of the bucket, in tokens."""
        ...

    @property
    def refill(self) -> float:
        """Tokens that the bucket gains per second."""
        ...


class SharedRateLimit:
    """Token buckets in Redis, one for each client address and rate."""

    def __init__(self, url: str) -> None:
        self._redis = OptionalRedis(url, TIMEOUT_SECONDS)
        self._take = self._redis.client.register_script(TAKE_TOKENS)

    def count(self, address: str, rates: Sequence[TokenRate]) -> int | None:
        """Take a token from each bucket of `address`, in the order of `rates`.

        Return the index of the first empty bucket, -1 if none was empty, or None while Redis is unreachable.
        """
        numbers = [number for rate in rates for number in (rate.amount, rate.refill)]
        return self._redis.run(lambda: int(self._take(keys=[f"{PREFIX}:rate:{address}"], args=numbers)))
