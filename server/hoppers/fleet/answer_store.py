"""Proved answers in Redis, shared by all servers and workers; bounded, least recently used dropped first."""

from typing import cast

from hoppers.fleet.redis_client import OptionalRedis
from hoppers.fleet.search_records import PREFIX

VALUES, AGES, SUMS = f"{PREFIX}:answers", f"{PREFIX}:answers:ages", f"{PREFIX}:answers:sums"
KEYS = [VALUES, AGES, SUMS]
TIMEOUT_SECONDS = 2.0  # a missing answer costs a search
EXPIRY_SECONDS = 30 * 24 * 3600  # since the last access to any answer

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
"""Arguments: name, seconds to expiry."""
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
"""Arguments: name, seconds to expiry, value, limit for the bytes of all names and values."""


class RedisStore:
    """A store of bytes by name in Redis, with the methods of `DiskStore`.

    While Redis is unreachable, `get` returns None and `put` stores nothing.
    """

    def __init__(self, url: str, most_bytes: int) -> None:
        """Connect on first use. `most_bytes`: limit for all names and values together."""
        self._redis, self._most = OptionalRedis(url, TIMEOUT_SECONDS), most_bytes
        self._get, self._put = map(self._redis.client.register_script, (GET, PUT))

    def get(self, name: str) -> bytes | None:
        """Return the value stored under `name`; None if there is none or Redis is unreachable."""
        value = self._redis.run(lambda: self._get(keys=KEYS, args=[name, EXPIRY_SECONDS]))
        return cast(bytes | None, value)

    def put(self, name: str, value: bytes) -> None:
        """Store `value` under `name`, unless Redis is unreachable."""
        self._redis.run(lambda: self._put(keys=KEYS, args=[name, EXPIRY_SECONDS, value, self._most]))
