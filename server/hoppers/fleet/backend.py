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
    """Return the searches of the fleet. `emit`: sends an event to a client that is connected here."""
    url = config["QUEUE_URL"]
    events = EventSubscription(url, emit)
    fleet = Fleet(engine, url, emit, events, config["SEARCHES"], config["REJOIN_SECONDS"], is_warm)
    events.start()
    return fleet


def answer_store(url: str, max_bytes: int) -> RedisStore:
    """Return the proved answers that the fleet shares."""
    return RedisStore(url, max_bytes)


def shared_rate_limit(url: str) -> SharedRateLimit:
    """Return the token buckets that all servers share."""
    return SharedRateLimit(url)
