"""A worker of the fleet: a process that runs the searches which the task queue delivers."""

import logging
import signal
import threading
import time
from typing import Any

from hoppers.core.kernels import drop_ir
from hoppers.fleet import queue
from hoppers.fleet.followers import Follower
from hoppers.fleet.sessions import RedisSessions
from hoppers.jobs.runner import Runner
from hoppers.jobs.search_job import SearchLimits
from hoppers.runtime import metrics, process_tuning
from hoppers.tablebase.engine import Engine

log = logging.getLogger(__name__)

PARK_SECONDS = 60.0  # after which a paused search leaves its worker, and loses the limit being searched


def serve(engine: Engine, url: str, limits: SearchLimits, rejoin_seconds: float) -> None:
    """Run a worker until SIGTERM or Ctrl-C; then other workers continue its searches.

    `url`: address of Redis. `rejoin_seconds`: time until a session that is not renewed expires.
    """
    process_tuning.shorten_switch_interval()
    process_tuning.limit_arenas()
    sessions, search_ended = RedisSessions(url, rejoin_seconds), threading.Event()
    runner = Runner(sessions, engine, limits, after_end=search_ended.set)
    follower = Follower(sessions, runner, PARK_SECONDS)
    metrics.export_searches(runner.scheduler.counts)
    threading.Thread(
        target=release_memory_after, args=(search_ended,), name="release-memory", daemon=True
    ).start()
    ended = threading.Event()

    def end(*_: Any) -> None:
        threading.Thread(target=follower.close).start()  # a handler must not wait for a lock
        ended.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    queue.work(url, follower.work, ended)


def release_memory_after(search_ended: threading.Event) -> None:
    """Return free memory to the system whenever searches have ended. Never returns."""
    while search_ended.wait():
        search_ended.clear()
        release_memory()
        time.sleep(0.5)  # a release takes some 50 ms


def release_memory() -> None:
    """Return the free memory of this process to the system; a failure is only logged."""
    try:
        drop_ir()
        process_tuning.trim_heap()
    except Exception:
        log.exception("memory could not be released")
