"""A worker of the fleet: a process that runs searches and is controlled by records in Redis.

One thread takes waiting searches while the worker has room, one listens for commands to its searches, and one
sends heartbeats.
"""

import logging
import secrets
import signal
import threading
from contextlib import suppress
from functools import partial

from redis.exceptions import RedisError

from hoppers.analysis.requests import read_search
from hoppers.fleet.search_records import BEAT_SECONDS, COMMANDS, SearchRecord, SearchRecords, start_thread
from hoppers.jobs.messages import SearchEvent, WorkerConfig
from hoppers.jobs.scheduler import MAX_SHARING
from hoppers.jobs.search_job import AWAY, REQUESTED, WORKER_LOST, SearchHandle
from hoppers.jobs.service import MAX_LOST_WORKERS
from hoppers.jobs.worker_main import SearchWorker
from hoppers.runtime import metrics, process_tuning
from hoppers.tablebase.engine import Engine

log = logging.getLogger(__name__)


class Worker:
    """A worker of the fleet, with the searches that run in its process."""

    def __init__(
        self, engine: Engine, config: WorkerConfig, records: SearchRecords, grace_seconds: float
    ) -> None:
        """`grace_seconds`: time for which a search of a lost connection stays paused."""
        self._read = partial(read_search, engine)
        self._local = SearchWorker(engine, config, self._receive)
        self.counts = self._local.searches.counts
        """Function that returns the numbers of running, queued and paused searches."""
        self.name = secrets.token_hex(8)
        self._records, self._grace_seconds = records, grace_seconds
        self._capacity = config.threads * MAX_SHARING
        self._handles: dict[str, SearchHandle] = {}
        self._starting = ""
        """Id of the search that `_take` is starting, or has failed to start; "" if there is none."""
        self._checking = threading.Lock()
        self._leaving = threading.Event()
        self._may_take = threading.Event()
        """Set when a search may wait for a worker, or when a search of this worker has ended."""

    def start(self) -> None:
        """Start the threads that run until `leave`, and one that releases memory and never ends."""
        for name, act in (("take", self._take), ("commands", self._listen), ("heartbeat", self._beat)):
            start_thread(name, act, self._leaving)
        release = self._local.release_memory_after_tasks
        threading.Thread(target=release, name="release-memory", daemon=True).start()

    def leave(self) -> None:
        """Stop sending events and heartbeats, and make the searches of this worker wait for other workers."""
        self._leaving.set()
        with self._checking:  # a check between the two calls would delete a search whose player is away
            for id, handle in self._handles.items():
                handle.drop()
                self._records.claim(id, "", before=self.name)
        self._records.delete_heartbeat(self.name)

    def _take(self) -> None:
        """Start waiting searches while there is room; then wait for `_may_take`, at most `BEAT_SECONDS`.

        If the call before failed to start a search, that search waits again, as if this worker were lost.
        """
        if self._starting and self._starting not in self._handles:
            self._records.claim(self._starting, "", before=self.name, is_lost=True)
        self._starting = ""
        while self._has_room() and (id := self._records.take(self.name)):
            self._starting = id
            if record := self._records.read_for_worker(id):
                self._begin(record)
            self._starting = ""
        self._may_take.wait(BEAT_SECONDS)
        self._may_take.clear()

    def _has_room(self) -> bool:
        running = [handle for handle in list(self._handles.values()) if not (handle.ended or handle.paused)]
        return len(running) < self._capacity and not self._leaving.is_set()

    def _begin(self, record: SearchRecord) -> None:
        """Start a search, or continue it after the last limit ruled out; execute the stored commands.

        A search over which `MAX_LOST_WORKERS` workers were lost fails instead.
        """
        emit = self._records.emitter(record, self.name)
        if record.lost_workers > MAX_LOST_WORKERS:  # `SearchHandle.fail` could not be called, either
            log.warning("the search %s cannot be started and is given up", record.id)
            metrics.SEARCHES_ENDED.labels("failed").inc()
            emit("failed", {"ticket": record.request.ticket, "error": WORKER_LOST})
            return
        sent = self._records.sent_events(record.id)
        handle = SearchHandle(
            record.id, record.request, emit, self._read, sent, on_end=lambda handle: self._may_take.set()
        )
        if record.lost_workers >= MAX_LOST_WORKERS:
            handle.fail(WORKER_LOST)
        elif "stop" in record.commands:
            handle.stop(record.commands["stop"])
        else:
            with self._checking:  # no command may be handled in between: its replay could be lost
                self._handles[record.id] = handle
                handle.submit(self._local.execute)
                self._apply(record, handle)
            self._check(record.id)  # again, for commands that came before the search was in `_handles`

    def _receive(self, message: SearchEvent) -> None:
        if handle := self._handles.get(message.search_id):
            handle.send(message.event, message.totals)

    def _listen(self) -> None:
        with self._records.redis.pubsub(ignore_subscribe_messages=True) as channel:
            channel.subscribe(COMMANDS)
            while not self._leaving.is_set():
                message = channel.get_message(timeout=BEAT_SECONDS)
                if message is not None:
                    self._read_command(message["data"])

    def _read_command(self, message: str) -> None:
        """Execute a command for a search of this worker; a stop is executed without reading the record.

        A command for any other search wakes the thread that takes searches, because the search may wait.
        """
        id, _, reason = message.partition(" ")
        handle = self._handles.get(id)
        if handle is None:
            self._may_take.set()
        elif reason:
            handle.stop(reason)
        else:
            self._check(id)

    def _beat(self) -> None:
        """Send a heartbeat, end grace periods, restart the expiry of this worker's searches, and wait.

        The records of the searches are read, too, in case a command was lost.
        """
        self._records.send_heartbeat(self.name)
        for id, handle in list(self._handles.items()):
            handle.end_grace()
            self._check(id)
        handles = list(self._handles.items())
        self._records.extend_expiry({id: handle.request.player for id, handle in handles})
        self._leaving.wait(BEAT_SECONDS)

    def _check(self, id: str) -> None:
        with self._checking:
            handle = self._handles.get(id)
            if handle is None:
                return
            record = self._records.read_for_worker(id)
            if record is not None:
                self._apply(record, handle)
                self._follow_server(record, handle)
            if record is None or record.worker != self.name:
                handle.drop()
            if handle.ended:
                del self._handles[id]
                if record is not None and record.worker == self.name and not record.ended:
                    self._hand_back(record, handle)

    def _follow_server(self, record: SearchRecord, handle: SearchHandle) -> None:
        """Start the grace period of a search whose server is lost; end it if the server or player is back."""
        if self._records.heartbeat(record.server) is None:
            handle.leave(self._grace_seconds)
        elif handle.is_away and "away" not in record.commands:
            handle.resume(AWAY)

    def _hand_back(self, record: SearchRecord, handle: SearchHandle) -> None:
        """Make a search of this worker that ended without a final event wait for another worker.

        If its player did not return, delete its record instead.
        """
        if not (handle.is_away and handle.request.connection == record.request.connection):
            self._records.claim(record.id, "", before=self.name)
        elif self._records.claim(record.id, self.name, before=self.name):  # it is still this worker's
            self._records.delete(record.id)

    def _apply(self, record: SearchRecord, handle: SearchHandle) -> None:
        commands = record.commands
        if "replay" in commands:
            replay = partial(self._records.send, record)
            limit, emit = int(commands["replay"]), self._records.emitter(record, self.name)
            handle.redirect(record.request.connection, emit, limit, replay)
        elif "away" in commands:
            handle.leave(self._grace_seconds)
        if "paused" in commands:
            handle.pause(REQUESTED)
        else:
            handle.resume(REQUESTED)
        if "stop" in commands:
            handle.stop(commands["stop"])


def serve(engine: Engine, url: str, config: WorkerConfig, rejoin_seconds: float) -> None:
    """Run a worker until SIGTERM or Ctrl-C.

    `url`: address of Redis. `rejoin_seconds`: time for which a search of a lost connection stays paused, and
    the events of an ended search are stored.
    """
    process_tuning.shorten_switch_interval()
    process_tuning.limit_arenas()
    worker = Worker(engine, config, SearchRecords(url, rejoin_seconds), rejoin_seconds)
    metrics.export_searches(worker.counts)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # raises KeyboardInterrupt, as Ctrl-C does
    with suppress(KeyboardInterrupt):
        worker.start()
        threading.Event().wait()
    try:
        worker.leave()
    except RedisError as error:
        log.warning("Redis does not respond (%s); other workers will continue the searches", error)
