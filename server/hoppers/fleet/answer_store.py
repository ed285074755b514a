"""Kept answers in Redis, for all servers and workers of a fleet; bounded, the least used dropped."""

from typing import cast

from hoppers.fleet.optional_redis import Asking
from hoppers.fleet.search_records import PREFIX

VALUES, AGES, SUMS = f"{PREFIX}:answers", f"{PREFIX}:answers:ages", f"{PREFIX}:answers:sums"
KEYS = [VALUES, AGES, SUMS]
PATIENCE_SECONDS = 2.0
"""What is asked for here would cost a search."""
KEPT_SECONDS = 30 * 24 * 3600
"""For which all of them are kept if nobody reads or writes any."""

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
"""Arguments: name, seconds."""
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
"""Arguments: name, seconds, value, most bytes of names and values together."""


class RedisStore:
    """Bytes by name, for all who share a Redis. While it is away, nothing is found and nothing kept."""

    def __init__(self, url: str, most_bytes: int) -> None:
        """Nothing is connected before the first question."""
        self._asking, self._most = Asking(url, PATIENCE_SECONDS), most_bytes
        self._get, self._put = map(self._asking.redis.register_script, (GET, PUT))

    def get(self, name: str) -> bytes | None:
        """What is kept under a name, if anything is."""
        value = self._asking.ask(lambda: self._get(keys=KEYS, args=[name, KEPT_SECONDS]))
        return cast(bytes | None, value)

    def put(self, name: str, value: bytes) -> None:
        """Keep it, if Redis is there."""
        self._asking.ask(lambda: self._put(keys=KEYS, args=[name, KEPT_SECONDS, value, self._most]))
