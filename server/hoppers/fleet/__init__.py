"""Searches on several machines: sessions in Redis, and workers that a task queue gives them to.

All code that needs the optional libraries (Redis, dramatiq, limits) is here. See docs/fleet.md.
"""

from hoppers.fleet.queue import submitter
from hoppers.fleet.sessions import RedisSessions
from hoppers.fleet.shared_state import RedisStore, shared_rate_limit

__all__ = ["RedisSessions", "RedisStore", "shared_rate_limit", "submitter"]
