"""The searches of a process: a server without a fleet, or a worker of a fleet. The `Runner` calls it."""

import logging
import threading
import time
from collections.abc import Callable
from functools import partial

from hoppers.analysis.requests import ParsedSearch, read_search
from hoppers.core.events import Events, Failed
from hoppers.core.kernels import drop_ir
from hoppers.jobs.messages import SearchEvent, Totals, WorkerConfig
from hoppers.jobs.scheduler import Scheduler
from hoppers.jobs.search_job import INTERNAL, Job, Read
from hoppers.runtime import process_tuning
from hoppers.tablebase.engine import Engine

log = logging.getLogger(__name__)


class SearchWorker:
    """Searches that run in threads of this process, by id."""

    def __init__(
        self,
        engine: Engine,
        config: WorkerConfig,
        on_event: Callable[[SearchEvent], None] = lambda event: None,
    ) -> None:
        """Start the threads. `on_event`: called in them with each event of a search."""
        self._config, self.on_event = config, on_event
        self._read: Read = partial(read_search, engine)
        self._search_ended = threading.Event()
        # searches may load kernels that the warm-up of this process has not loaded yet
        self.searches = Scheduler(
            config.threads, engine.compiling, self._search_ended.set, memory=engine.memory
        )
        self.stop, self.close = self.searches.stop, self.searches.close
        self.pause, self.resume = self.searches.pause, self.searches.resume

    def start(self, search_id: str, query: dict[str, object], proved: Totals, client: str = "") -> None:
        """Start a search from the first limit that `proved` does not rule out; send `Failed` if that fails.

        `query`: arguments of `read_search`. `client`: whose turns the search takes.
        """
        try:
            search = self._read(**query)
        except Exception:
            log.exception("the search %s could not be started", search_id)
            self.on_event(SearchEvent(search_id, Failed(INTERNAL), proved))
            return
        events = partial(events_after, search)
        self.searches.start(Job(search_id, events, self.on_event, self._config, proved, client))

    def release_memory_after_searches(self) -> None:
        """Return free memory to the system whenever searches have ended. Never returns.

        A separate thread calls this, because releasing memory may wait for the compiler.
        """
        while self._search_ended.wait():
            self._search_ended.clear()
            release_memory()
            time.sleep(0.5)  # a release takes some 50 ms


def events_after(search: ParsedSearch, proved: Totals) -> Events:
    """Return the events of a search above the limits that are ruled out."""
    question = search.question._replace(proved=proved.limit)
    fresh = search.fresh or proved.nodes > 0  # limits were sent; a known answer would not continue them
    return search._replace(question=question, fresh=fresh).events()


def release_memory() -> None:
    """Return the free memory of this process to the system; a failure is only logged."""
    try:
        drop_ir()
        process_tuning.trim_heap()
    except Exception:
        log.exception("memory could not be released")
