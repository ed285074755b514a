"""The settings of an application and their defaults."""

import os
from collections.abc import Mapping
from typing import Any

from flask import Config

DEFAULTS = {
    "RESPONSE_CACHE_BYTES": 30_000_000,  # of responses about positions, cached in memory
    "MODULES": False,  # serve scripts and styles from static/ without bundling, for development
    "WORKER_PROCESS": True,  # run searches and builds in a separate process, where the system can
    "API_RATE": "1000 per second;60000 per minute",  # requests of one address, static files apart
    "MAX_CONTENT_LENGTH": 16_384,  # bytes of a request's body
    "MAX_MESSAGE_LENGTH": 16_384,  # bytes of a message over the channel
    "MAX_URL_LENGTH": 2_000,  # characters
    "CONNECTIONS": 1_200,  # to the channel, in all
    "CONNECTIONS_PER_ADDRESS": 100,
    "MESSAGES_PER_SECOND": 20,  # of one connection, on average
    "MESSAGES_AT_ONCE": 60,  # of one connection, after a pause
    "PING_SECONDS": 10,  # interval; a client that is silent for twice as long is disconnected
    "QUEUE_URL": "",  # address of Redis, if searches run on the workers of a fleet
    "REJOIN_SECONDS": 60,  # time that a search is kept after its player has lost the connection
    "SEARCHES": 64,  # running at the same time
    "SEARCH_SECONDS": 900,  # of a search's own running time
    "SEARCH_NODES": 20_000_000_000,
    "SEARCH_THREADS": max(1, (os.cpu_count() or 1) - 1),  # one core is left for other work
    "ANSWERS_BYTES": 100_000_000,  # of proved answers stored on disk or in Redis; 0 stores none
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
