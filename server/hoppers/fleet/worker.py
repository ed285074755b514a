"""A worker of the fleet: a process that runs the searches which the task queue delivers."""

import signal
import threading
from typing import Any

from hoppers.fleet import queue
from hoppers.fleet.followers import Follower
from hoppers.fleet.sessions import RedisSessions
from hoppers.jobs.runner import Runner
from hoppers.jobs.search_job import SearchLimits
from hoppers.runtime import metrics, process_tuning
from hoppers.tablebase.engine import Engine

PARK_SECONDS = 60.0  # after which a paused search leaves its worker, and loses the limit being searched


def serve(engine: Engine, url: str, limits: SearchLimits, rejoin_seconds: float) -> None:
    """Run a worker until SIGTERM or Ctrl-C; then other workers continue its searches.

    `url`: address of Redis. `rejoin_seconds`: time until a session that is not renewed expires.
    """
    process_tuning.shorten_switch_interval()
    process_tuning.limit_arenas()
    sessions = RedisSessions(url, rejoin_seconds)
    runner = Runner(sessions, engine, limits)
    follower = Follower(sessions, runner, PARK_SECONDS)
    metrics.export_searches(runner.counts)
    ended = threading.Event()

    def end(*_: Any) -> None:
        threading.Thread(target=follower.close).start()  # a handler must not wait for a lock
        ended.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    queue.work(url, follower.work, ended)
