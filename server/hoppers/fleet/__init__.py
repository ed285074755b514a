"""Searches on several machines: servers write them to Redis, workers take and run them (see docs/fleet.md).

Every event of a search is stored in Redis next to its request. A worker that takes a search over continues
after the last stored row. This package holds all code that needs the optional Redis library.
"""

from hoppers.fleet.optional_state import RedisStore, shared_rate_limit
from hoppers.fleet.service import Fleet

__all__ = ["Fleet", "RedisStore", "shared_rate_limit"]
