"""Searches on several machines: servers write them to Redis, workers take and run them (see docs/fleet.md).

Every event of a search except progress and queue places is stored in Redis with its request. A worker that
takes over a search continues after the last limit ruled out. All code that needs the optional Redis library
is here.
"""

from hoppers.fleet.optional_state import RedisStore, shared_rate_limit
from hoppers.fleet.search_records import check_address
from hoppers.fleet.service import Fleet

__all__ = ["Fleet", "RedisStore", "check_address", "shared_rate_limit"]
