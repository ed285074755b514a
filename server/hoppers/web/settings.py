"""The settings of an application and their defaults."""

import os
from collections.abc import Mapping
from typing import Any

from flask import Config

DEFAULTS = {
    "RESPONSE_CACHE_BYTES": 30_000_000,  # size of the cache of responses about positions
    "MODULES": False,  # serve scripts and styles from static/ without bundling, for development
    "WORKER_PROCESS": True,  # run searches and builds in a separate process, where the system can
    "API_RATE": "1000 per second;60000 per minute",  # requests of one address, static files apart
    "MAX_CONTENT_LENGTH": 16_384,  # largest body of a request, in bytes
    "MAX_MESSAGE_LENGTH": 16_384,  # largest message over the channel, in bytes
    "MAX_URL_LENGTH": 2_000,  # characters
    "CONNECTIONS": 1_200,  # WebSockets, in all
    "CONNECTIONS_PER_ADDRESS": 100,
    "MESSAGES_PER_SECOND": 20,  # average of one connection
    "MESSAGES_AT_ONCE": 60,  # most messages of one connection after a pause
    "PING_SECONDS": 25,  # interval; a client that is silent for twice as long is disconnected
    "QUEUE_URL": "",  # address of Redis, if searches run on the workers of a fleet
    "REJOIN_SECONDS": 60,  # time that a search is kept after its player has lost the connection
    "SEARCHES": 64,  # most searches at the same time
    "SEARCH_SECONDS": 900,  # running time of one search, without time in the queue
    "SEARCH_NODES": 20_000_000_000,
    "SEARCH_THREADS": max(1, (os.cpu_count() or 1) - 1),  # one core is left for other work
    "ANSWERS_BYTES": 100_000_000,  # size of the store of proved answers, on disk or in Redis; 0: no store
    "METRICS": "local",  # addresses that may read /metrics: "local" (this machine), "all", or "off"
    "WARM_UP": True,  # compile in the background; until then pages show verdicts as unknown
    "PROXIES": 0,  # number of trusted proxies in front, whose X-Forwarded headers are used
}


def settings(config: Mapping[str, Any]) -> Config:
    """Return all settings: defaults, then the environment, then `config`."""
    found = Config("")
    found.from_mapping(DEFAULTS)
    found.from_prefixed_env("HOPPERS")
    found.from_mapping(config)
    return found
