"""Searches on several machines: sessions in Redis, and workers that a task queue gives them to.

All code that needs the optional libraries (Redis, dramatiq, limits) is here. See docs/fleet.md.
"""

from hoppers.fleet.breaker import Breaker
from hoppers.fleet.followers import follow_events
from hoppers.fleet.queue import submitter
from hoppers.fleet.sessions import RedisSessions, check_address
from hoppers.fleet.shared_state import RedisStore

__all__ = ["Breaker", "RedisSessions", "RedisStore", "check_address", "follow_events", "submitter"]
