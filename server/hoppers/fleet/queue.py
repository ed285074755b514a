"""The task queue of a fleet: dramatiq on Redis delivers the id of each search to a worker at least once.

If a worker is lost, its searches are delivered again after `HEARTBEAT_MILLISECONDS`. To deliver a search
twice does no harm (see `fleet.followers`). `do_fetch` and `_dispatch` of the broker are not documented.
"""

import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import dramatiq
from dramatiq.brokers.redis import RedisBroker
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from hoppers.core.errors import Busy
from hoppers.core.machine_code import SOURCES_DIGEST
from hoppers.fleet.breaker import Breaker

SEARCHES_AT_ONCE = 64  # of one worker, which gives them turns
YIELD_SECONDS = 0.05  # by which a worker takes its next search later, for each of up to eight that it has
HEARTBEAT_MILLISECONDS = 3_000  # after which a silent worker counts as lost
IDLE_MILLISECONDS = 250  # longest time between two looks of an idle worker for work
RENEWAL_SECONDS = 3  # between two renewals of the key of heartbeats, which expires with the last worker


class IdleFirst(RedisBroker):
    """A broker whose workers take one search at a time, idle workers first."""

    def __init__(self, url: str, room: int = 0, client: Redis | None = None) -> None:
        """`room`: searches that this worker runs at once. Each version of the program has its own queue.

        `client`: of Redis, at `url`; None: one whose calls wait.
        """
        super().__init__(
            url=url,
            client=client,
            namespace=f"hoppers:queue:{SOURCES_DIGEST}",
            middleware=[],  # neither retries nor a time limit: the searches have both
            heartbeat_timeout=HEARTBEAT_MILLISECONDS,
            maintenance_chance=1_000_000,  # each look for work looks for lost workers, too
        )
        self._room, self._renewed_at = room, -float(RENEWAL_SECONDS)

    def do_fetch(self, queue_name: str, room: int) -> Any:
        """Fetch a message. `room`: number of messages that this worker may still have."""
        time.sleep(YIELD_SECONDS * min(8, max(0, self._room - room)))
        found = self._dispatch("fetch")(queue_name, 1)
        if time.monotonic() - self._renewed_at > RENEWAL_SECONDS:
            self._renewed_at = time.monotonic()
            self.client.expire(f"{self.namespace}:__heartbeats__", 2000 * RENEWAL_SECONDS)
        return found


def search_task(broker: IdleFirst, run: Callable[[str], object]) -> Any:
    """Return the task "search", which calls `run` with the id of a search in a worker."""
    return dramatiq.actor(broker=broker, actor_name="search", queue_name="searches")(run)


def submitter(url: str, breaker: Breaker) -> Callable[[str, object], None]:
    """Return a function that queues a search by its id; it raises Busy if Redis fails.

    The worker parses the request itself, so the function ignores the parsed one.
    """
    client = Redis.from_url(url, socket_timeout=1, socket_connect_timeout=1, retry=Retry(NoBackoff(), 1))
    task = search_task(IdleFirst(url, client=client), lambda id: None)

    def submit(id: str, search: object) -> None:
        try:
            breaker.call(partial(task.send, id))
        except (dramatiq.errors.ConnectionError, RedisError) as error:
            sentence = "The machines that search cannot be reached at the moment; please try again soon."
            raise Busy(sentence, "unreachable") from error

    return submit


def work(url: str, run: Callable[[str], bool], until: threading.Event) -> None:
    """Run searches until `until` is set; then return once all calls of `run` have ended.

    `run`: runs a search to its end and returns whether another worker has to continue it.
    """
    broker = IdleFirst(url, SEARCHES_AT_ONCE)

    def run_or_pass_on(id: str) -> None:
        if run(id):
            task.send(id)

    task = search_task(broker, run_or_pass_on)
    worker = dramatiq.Worker(broker, worker_threads=SEARCHES_AT_ONCE, worker_timeout=IDLE_MILLISECONDS)
    worker.queue_prefetch = SEARCHES_AT_ONCE  # by default it would fetch searches that it cannot run yet
    worker.start()
    until.wait()
    worker.stop()
