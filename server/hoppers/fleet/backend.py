"""Parts of a server that runs in a fleet.

`hoppers.web` loads this module only where `QUEUE_URL` is set: its libraries (Redis and Celery) are optional.
"""

from collections.abc import Callable, Mapping
from typing import Any

from hoppers.fleet.answer_store import RedisStore
from hoppers.fleet.pubsub import EventSubscription
from hoppers.fleet.rate_limits import SharedRateLimit
from hoppers.fleet.service import Fleet
from hoppers.jobs.service import EmitTo
from hoppers.tablebase.engine import Engine


def start_searches(
    config: Mapping[str, Any], emit: EmitTo, engine: Engine, is_warm: Callable[[], bool]
) -> Fleet:
    """Start and return the fleet's search service. `emit`: sends an event to a connection of this server."""
    url = config["QUEUE_URL"]
    events = EventSubscription(url, emit)
    fleet = Fleet(engine, url, emit, events, config["SEARCHES"], config["REJOIN_SECONDS"], is_warm)
    events.start()
    return fleet


def answer_store(url: str, max_bytes: int) -> RedisStore:
    """Return the store of proved answers in the fleet's Redis, limited to `max_bytes`."""
    return RedisStore(url, max_bytes)


def shared_rate_limit(url: str) -> SharedRateLimit:
    """Return the rate limit whose token buckets all servers of the fleet share."""
    return SharedRateLimit(url)
