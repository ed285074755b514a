"""The search service: the interface that the channel calls, and its implementation on one machine.

Searches run in the worker process, or in a fleet of workers (`hoppers.fleet`). Where no worker process can
run, and in tests, a scheduler of the same class runs searches in threads of this process.
"""

import itertools
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from hoppers.analysis.requests import ParsedSearch
from hoppers.core.errors import Busy, RaceFull, UnknownTicket
from hoppers.core.events import Event, Progress
from hoppers.core.puzzle import Question
from hoppers.jobs.messages import Command, Queued, SearchEvent, SearchRequest
from hoppers.jobs.search_job import AWAY, REQUESTED, WORKER_LOST, GracePeriods, Read, SearchHandle
from hoppers.jobs.worker_main import SearchWorker
from hoppers.jobs.worker_process import Child, WorkerLost, WorkerProcess

log = logging.getLogger(__name__)

MAX_IN_RACE = 4
MAX_ENDED = 256  # ended searches kept for players that lost the connection before the final event
MAX_LOST_WORKERS = 4  # worker processes that may be lost over one search before it fails


class Unreachable(Busy):
    """Error for a fleet whose Redis does not respond."""

    code = "unreachable"


class EmitTo(Protocol):
    """Function that sends an event to a connection."""

    def __call__(self, name: str, fields: dict[str, Any], /, *, to: str) -> Any:
        """Send the event `name` with its `fields` to the connection `to`.

        An implementation must neither block nor call the search service.
        """
        ...


class SearchService(Protocol):
    """Interface of a service that runs searches for players."""

    def start(self, request: SearchRequest) -> None:
        """Start a search. It replaces the player's other searches, except those of its race."""
        ...

    def stop(self, player: str, ticket: str) -> None:
        """Stop a search if it runs."""
        ...

    def pause(self, player: str, ticket: str) -> None:
        """Pause a search if it runs."""
        ...

    def resume(self, player: str, ticket: str) -> None:
        """Continue a paused search."""
        ...

    def rejoin(self, player: str, ticket: str, limit: int, connection: str) -> None:
        """Send the events after the row of `limit` to a new connection of the player; continue the search."""
        ...

    def leave(self, connection: str, returns: bool) -> None:
        """Pause the searches of a lost connection for a grace period if `returns`, otherwise end them.

        `returns`: the player may come back over another connection.
        """
        ...

    def counts(self) -> dict[str, int]:
        """Return the numbers of running, queued and paused searches."""
        ...

    def close(self) -> None:
        """Release threads, processes and connections."""
        ...


class LocalSearches:
    """The search service of one machine: admission, pauses, lost connections and lost workers.

    After the loss of a worker process each search is sent to the next process with the limits already ruled
    out, so each row arrives once and in order.
    """

    def __init__(
        self,
        process: WorkerProcess | SearchWorker,
        emit: EmitTo,
        max_searches: int,
        grace_seconds: float = 0,
        *,
        read: Read,
        is_compiled: Callable[[str], bool] = lambda puzzle_id: True,
        learn: Callable[[Question, Event], object] = lambda question, event: None,
    ) -> None:
        """`process`: runs the searches; `SearchWorker`: threads of this process do.

        `max_searches`: largest number of searches at once. `grace_seconds`: see `GracePeriods`. `read`:
        parses the query of a request. `is_compiled`: returns whether searches of a puzzle may start (see
        `start_waiting`). `learn`: stores the answer that an event proves.
        """
        self._process, self._emit, self._max_searches = process, emit, max_searches
        self._grace_seconds, self._read = grace_seconds, read
        self._is_compiled, self._learn = is_compiled, learn
        self._ids = map(str, itertools.count(1))
        self._running: dict[tuple[str, str], SearchHandle] = {}
        """Searches by player and ticket."""
        self._by_id: dict[str, SearchHandle] = {}
        self._workers: dict[SearchHandle, Child | SearchWorker] = {}
        """Workers of all searches, except of those that wait until their kernels are compiled."""
        self._paused: list[SearchHandle] = []
        """Paused searches, in the order in which they were paused."""
        self._ended: OrderedDict[tuple[str, str], tuple[float, SearchHandle]] = OrderedDict()
        self._lock = threading.RLock()
        self._grace = GracePeriods(grace_seconds, self._give_up)
        self.on_close: Callable[[], None] = lambda: None
        """Called before the process ends."""
        process.on_event = self._receive
        if isinstance(process, WorkerProcess):
            process.on_lost = self._restart

    def start(self, request: SearchRequest) -> None:
        """Start a search; see `SearchService`.

        Raises:
            Busy: too many searches of other players run.
            RaceFull: too many searches of the race run.
            PuzzleError: the query is invalid.
        """
        self._refuse_if_full(request.player)
        emit = partial(self._emit, to=request.connection)
        handle = SearchHandle(next(self._ids), request, emit, self._read)
        with self._lock:
            for other in self._replaced_by(request):
                self._stop(other, "replaced")
            self._running[request.player, request.ticket] = self._by_id[handle.id] = handle
            self._submit(handle)

    def stop(self, player: str, ticket: str) -> None:
        """Stop a search if it runs; its event `Stopped` is sent before this method returns."""
        with self._lock:
            if handle := self._running.get((player, ticket)):
                self._stop(handle, "asked")

    def pause(self, player: str, ticket: str) -> None:
        """Pause a search if it runs; no event of the search is sent after this method returns."""
        with self._lock:
            if handle := self._running.get((player, ticket)):
                self._pause(handle, REQUESTED)

    def resume(self, player: str, ticket: str) -> None:
        """Continue a search if its player has paused it."""
        with self._lock:
            if handle := self._running.get((player, ticket)):
                self._continue(handle, handle.resume(REQUESTED))

    def rejoin(self, player: str, ticket: str, limit: int, connection: str) -> None:
        """Send missed events to another connection and continue; see `SearchService`.

        Raises:
            UnknownTicket: the search is not known any more.
        """
        with self._lock:
            _, ended = self._ended.get((player, ticket), (0.0, None))
            handle = self._running.get((player, ticket), ended)
            if handle is None:
                raise UnknownTicket(f"There is no search with the ticket {ticket!r} to go on with")
            self._continue(handle, handle.redirect(connection, partial(self._emit, to=connection), limit))

    def leave(self, connection: str, returns: bool) -> None:
        """Pause the searches of a lost connection for the grace period, or end them without an event."""
        with self._lock:
            for handle in [one for one in self._running.values() if one.connection == connection]:
                if not returns:
                    self._drop(handle)
                elif not handle.is_away:
                    self._pause(handle, AWAY)
                    self._grace.begin(handle, connection)

    def counts(self) -> dict[str, int]:
        """Return the numbers of running, queued and paused searches."""
        with self._lock:
            handles = list(self._running.values())
        paused = sum(handle.paused for handle in handles)
        queued = sum(handle.queued for handle in handles)
        return {"running": len(handles) - paused - queued, "queued": queued, "paused": paused}

    def close(self) -> None:
        """End the worker and all threads."""
        self._grace.close()
        self.on_close()
        self._process.close()

    def start_waiting(self, puzzle_id: str) -> None:
        """Start the searches that waited until the kernels of a puzzle were compiled."""
        with self._lock:
            for handle in list(self._by_id.values()):
                if handle not in self._workers and handle.search.question.puzzle.id == puzzle_id:
                    self._submit(handle)

    def _refuse_if_full(self, player: str) -> None:
        """Refuse a search at once if no other search can make room for it. No lock is used.

        Raises:
            Busy: too many searches of other players run.
        """
        running = list(self._running.values())
        is_full = len(running) >= self._max_searches and not self._paused
        if is_full and all(handle.request.player != player for handle in running):
            raise self._busy()

    def _busy(self) -> Busy:
        return Busy(f"The server runs {self._max_searches} searches, its most; please try again in a moment.")

    def _replaced_by(self, request: SearchRequest) -> list[SearchHandle]:
        """Return the player's searches that `request` replaces; if the server is full, stop a paused search.

        Raises:
            Busy, RaceFull: see `start`.
        """
        mine = [one for one in self._running.values() if one.request.player == request.player]
        rivals = [one for one in mine if request.is_rival(one.request)]
        replaced = [one for one in mine if one not in rivals]
        if len(rivals) >= MAX_IN_RACE:
            raise RaceFull(f"{MAX_IN_RACE} searches run under the race {request.race!r} already")
        if len(self._running) - len(replaced) >= self._max_searches:
            others = [one for one in self._paused if one.request.player != request.player]
            if not others:
                raise self._busy()
            self._stop(others[0], "replaced")
        return replaced

    def _submit(self, handle: SearchHandle) -> None:
        """Send a search to a worker, or leave it for `start_waiting` if its kernels are not compiled yet."""
        if not self._is_compiled(handle.search.question.puzzle.id):
            handle.send(Progress(0, 0, 0.0), 0.0)
            return
        while not handle.ended:
            try:
                worker = self._workers[handle] = self._process.current()
                worker.execute("start_search", handle.id, handle.request.query, handle.restart())
                break
            except WorkerLost:
                self._count_loss(handle)
        if handle.paused:
            self._command("pause", handle)

    def _command(self, command: Command, handle: SearchHandle) -> None:
        if worker := self._workers.get(handle):
            worker.execute(command, handle.id)

    def _restart(self, lost: Child) -> None:
        """Send the searches of a lost worker process to the next process."""
        with self._lock:
            for handle in [handle for handle, worker in self._workers.items() if worker is lost]:
                self._count_loss(handle)
                if not handle.ended:
                    log.warning(
                        "restarting search of %s after limit %d: worker lost",
                        handle.search.question.puzzle.id,
                        handle.totals.limit,
                    )
                    self._submit(handle)

    def _count_loss(self, handle: SearchHandle) -> None:
        handle.lost_workers += 1
        if handle.lost_workers >= MAX_LOST_WORKERS:
            handle.fail(WORKER_LOST)
            self._forget(handle)

    def _receive(self, message: SearchEvent) -> None:
        """Send an event of the worker to the player; events of an unknown search are dropped."""
        handle = self._by_id.get(message.search_id)
        if handle is None:
            return
        if not handle.ended and not isinstance(message.event, Queued):
            self._learn_from(handle.search, message.event)
        try:
            handle.send(message.event, message.seconds)
        except Exception:
            log.exception("an event of the search %r could not be sent", handle.request.ticket)
            handle.drop()
        if handle.ended:
            with self._lock:
                self._forget(handle)

    def _learn_from(self, search: ParsedSearch, event: Event) -> None:
        """Store the answer that an event proves; a failure is logged, and the player still gets the event."""
        try:
            if search.is_sound:
                self._learn(search.question, event)
        except Exception:
            log.exception("what a search of %s has proved could not be stored", search.question.puzzle.id)

    def _stop(self, handle: SearchHandle, reason: str) -> None:
        handle.stop(reason)
        self._forget(handle)

    def _drop(self, handle: SearchHandle) -> None:
        handle.drop()
        self._forget(handle)

    def _pause(self, handle: SearchHandle, reason: str) -> None:
        handle.pause(reason)
        if handle not in self._paused:
            self._paused.append(handle)
        self._command("pause", handle)

    def _continue(self, handle: SearchHandle, no_pause_left: bool) -> None:
        """Send a search back to its worker after a pause, unless another pause is left."""
        if handle.ended:  # by a deferred event
            self._forget(handle)
        elif no_pause_left and handle in self._paused:
            self._paused.remove(handle)
            self._command("resume", handle)

    def _give_up(self, handle: SearchHandle, connection: str) -> None:
        """End a search whose grace period for `connection` is over, unless its player has returned."""
        with self._lock:
            if handle.connection == connection and handle.is_away and not handle.ended:
                self._drop(handle)

    def _forget(self, handle: SearchHandle) -> None:
        """Remove an ended search; keep its events for a while if its player may come back."""
        if self._by_id.pop(handle.id, None) is None:
            return
        if handle in self._paused:
            self._paused.remove(handle)
        self._command("stop", handle)
        self._workers.pop(handle, None)
        key, now = (handle.request.player, handle.request.ticket), time.monotonic()
        if self._running.get(key) is handle:
            del self._running[key]
        if handle.connection != handle.request.player and not handle.dropped:
            self._ended[key] = now, handle
        while self._ended and (
            len(self._ended) > MAX_ENDED or next(iter(self._ended.values()))[0] < now - self._grace_seconds
        ):
            self._ended.popitem(last=False)
