"""A worker of the fleet: the same searches, sharing this machine in the same way, for other processes.

Celery brings ids; one thread listens to what is wished of the searches here, another gives signs of life.
"""

import logging
import secrets
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from celery.signals import worker_shutting_down
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from hoppers.core.errors import UnknownTicket
from hoppers.fleet.celery_app import celery_app, deliver, register_task
from hoppers.fleet.found_solutions import FoundSolutions
from hoppers.fleet.heartbeat import BEAT_SECONDS
from hoppers.fleet.search_records import COMMANDS, NotOwner, SearchRecord, SearchRecords
from hoppers.jobs.remote_search import WORKER_LOST
from hoppers.jobs.scheduler import Jobs
from hoppers.jobs.search_job import AWAY, Emit, Job, Limits
from hoppers.jobs.service import job_of
from hoppers.jobs.turns import SHARING
from hoppers.runtime import metrics, process_tuning

log = logging.getLogger(__name__)

GLANCE_SECONDS = 0.05
"""How often a delivery looks whether its search needs it no longer."""
MOST_TRIES = 3
"""Workers that may be lost over one search before it is given up."""
MOST = 1_000
"""Searches in one process, paused ones included; Celery brings far fewer that run."""
QUIETLY = ["--loglevel=WARNING", "--without-gossip", "--without-mingle", "--without-heartbeat"]


class Worker:
    """The searches that run in this process."""

    def __init__(self, records: SearchRecords, jobs: Jobs, limits: Limits, celery: Any) -> None:
        """Nothing runs; `live` begins to look after what will."""
        self.name = secrets.token_hex(8)
        self._records, self._jobs, self._limits, self._celery = records, jobs, limits, celery
        self._found_solutions = FoundSolutions(records.redis)
        self._mine: dict[str, Job] = {}
        self._attending = threading.Lock()
        self._leaving = threading.Event()

    def live(self) -> None:
        """Listen to wishes and give signs of life, each in a thread of its own, until `leave`."""
        for name, act in (("words", self._listen), ("life", self._beat)):
            threading.Thread(target=self._insist, args=(act,), name=name, daemon=True).start()

    def _insist(self, act: Callable[[], None]) -> None:
        """Do it until `leave`, also while Redis comes and goes."""
        while not self._leaving.is_set():
            try:
                act()
            except (RedisError, OperationalError) as error:
                log.warning("Redis does not answer (%s); the worker asks again", error)
                self._leaving.wait(BEAT_SECONDS)

    def leave(self) -> None:
        """Let others take over what runs here."""
        self._leaving.set()
        for job in list(self._mine.values()):
            job.mute()
        self._records.delete_heartbeat(self.name)

    def search(self, id: str) -> None:
        """Run a search that was brought here, for as long as it takes turns."""
        if self._leaving.is_set() or not self._records.claim(id, self.name):
            return
        record = self._records.read_for_worker(id)
        if record is None:
            return
        job = self._begun(record)
        while not (job.is_over or job.paused):
            time.sleep(GLANCE_SECONDS)

    def _begun(self, record: SearchRecord) -> Job:
        """The search behind the last row that was told, under way."""
        told = self._records.sent_events(record.id)
        order = record.order._replace(owner=record.id)  # in this process every search is its own
        job = job_of(order, self._emitter(record), self._limits, told)
        if self._records.count_attempt(record.id) > MOST_TRIES:
            job.fail(WORKER_LOST)
        elif "stop" in record.commands:
            job.stop(record.commands["stop"])
        else:
            with self._attending:  # no word may come between, for who is told of it could be lost
                self._mine[record.id] = job
                self._jobs.start(job)
                self._heed(record, job)
            self._attend(record.id)  # again, for what was said before it was one of mine was not heard
        return job

    def _emitter(self, record: SearchRecord) -> Emit:
        """How a search tells its events; a way that it finds is for the hints of all servers, too."""
        tell = self._records.emitter(record.id, self.name, record.order.holder)

        def emit(name: str, fields: dict[str, Any]) -> None:
            tell(name, fields)
            if name == "found":
                with suppress(RedisError):  # they do without it
                    self._found_solutions.write(record.order.asked, fields["moves"])

        return emit

    def _listen(self) -> None:
        with self._records.redis.pubsub(ignore_subscribe_messages=True) as words:
            words.subscribe(COMMANDS)
            while not self._leaving.is_set():
                word = words.get_message(timeout=BEAT_SECONDS)
                if word is not None:
                    self._obey(word["data"])

    def _obey(self, word: str) -> None:
        """Do what a word says, if it is about a search that is here; what is to stop is stopped at once."""
        id, _, reason = word.partition(" ")
        job = self._mine.get(id)
        if job is not None and reason:
            with suppress(NotOwner):
                self._jobs.stop(id, job.ticket, reason)
        elif job is not None:
            self._attend(id)

    def _beat(self) -> None:
        """A sign of life, and a look at all searches, should a word have been lost."""
        self._records.send_heartbeat(self.name)
        for id in list(self._mine):
            self._attend(id)
        self._records.extend_expiry(list(self._mine))
        self._leaving.wait(BEAT_SECONDS)

    def _attend(self, id: str) -> None:
        with self._attending, suppress(NotOwner):
            job = self._mine.get(id)
            if job is not None:
                self._attend_to(id, job)

    def _attend_to(self, id: str, job: Job) -> None:
        record = self._records.read_for_worker(id)
        if record is not None:
            self._heed(record, job)
            self._mind_server(record, job)
        if record is None or record.worker != self.name:
            self._jobs.discard(id, job.ticket)
        if job.is_over:
            del self._mine[id]
            if record is not None and not record.ended and self._records.claim(id, "", before=self.name):
                self._hand_back(record, job)

    def _mind_server(self, record: SearchRecord, job: Job) -> None:
        """A search whose server is lost stands aside until its player comes back through another one."""
        if record.server and not self._records.is_alive(record.server):
            self._jobs.leave(job.holder)
        elif job.is_away and "away" not in record.commands:
            self._jobs.resume(record.id, job.ticket, AWAY)

    def _hand_back(self, record: SearchRecord, job: Job) -> None:
        """Let go of a search that ended without a word: its player stayed away, or Redis was."""
        if job.is_away and job.holder == record.order.holder:
            self._records.delete(record.id)
        else:
            deliver(self._celery, record.id)

    def _heed(self, record: SearchRecord, job: Job) -> None:
        """Do what is wished of a search."""
        id, ticket, wishes = record.id, job.ticket, record.commands
        if "replay" in wishes:
            self._tell_again(record, job, int(wishes["replay"]))
        elif "away" in wishes:
            self._jobs.leave(job.holder)
        (self._jobs.pause if "asked" in wishes else self._jobs.resume)(id, ticket)
        if "stop" in wishes:
            self._jobs.stop(id, ticket, wishes["stop"])

    def _tell_again(self, record: SearchRecord, job: Job, limit: int) -> None:
        holder = record.order.holder
        emit = self._emitter(record)
        again = partial(self._records.publish, record.id, to=holder)
        try:
            self._jobs.rejoin(record.id, job.ticket, limit, holder, emit, again)
        except UnknownTicket:
            log.debug("the search %s was given up while its player came back", record.id)


def serve(url: str, threads: int, limits: Limits, rejoin_seconds: float) -> None:
    """Run a worker until it is told to end."""
    process_tuning.shorten_switch_interval()
    celery = celery_app(url)
    jobs = Jobs(threads, MOST, rejoin_seconds)
    metrics.export_searches(jobs.counts)
    worker = Worker(SearchRecords(url, rejoin_seconds), jobs, limits, celery)
    register_task(celery, worker.search)
    worker_shutting_down.connect(lambda **_: worker.leave(), weak=False)
    worker.live()
    room = str(threads * SHARING)
    celery.worker_main(
        ["worker", "--pool=threads", f"--concurrency={room}", f"--hostname={worker.name}@%h", *QUIETLY]
    )
