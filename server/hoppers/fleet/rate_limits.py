"""How much an address asks of all servers of a fleet together."""

from hoppers.fleet.redis_client import OptionalRedis
from hoppers.fleet.search_records import PREFIX

PATIENCE_SECONDS = 0.5
COUNT = """
local count = redis.call('incrby', KEYS[1], ARGV[1])
if count == tonumber(ARGV[1]) then redis.call('expire', KEYS[1], ARGV[2]) end
return count
"""
"""Key: window. Arguments: how many more, and for how many seconds the window is open."""


class Rates:
    """Windows in Redis, in which the requests to all servers are counted."""

    def __init__(self, url: str) -> None:
        """Nothing is counted."""
        self._redis = OptionalRedis(url, PATIENCE_SECONDS)
        self._count = self._redis.client.register_script(COUNT)

    def count(self, key: str, seconds: float, amount: int) -> int | None:
        """Count in a window of so many seconds; returns the number in it, or None while Redis is away."""
        name, whole = f"{PREFIX}:rate:{key}", max(1, round(seconds))
        return self._redis.run(lambda: int(self._count(keys=[name], args=[amount, whole])))
