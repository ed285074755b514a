"""The search service of one machine, called by the Socket.IO channel.

Searches run in the worker process. Where no worker process can run, and in tests, a `SearchWorker` runs them
in threads of this process. `fleet.service.Fleet` is the service of several machines.
"""

import itertools
import logging
import threading
from collections.abc import Callable, Iterable
from typing import Any

from hoppers.core.errors import Busy, PuzzleError
from hoppers.core.events import Event, Progress
from hoppers.core.puzzle import Question
from hoppers.jobs.messages import Queued, SearchEvent, SearchRequest
from hoppers.jobs.search_job import REQUESTED, WORKER_LOST, Emit, Read, SearchHandle
from hoppers.jobs.worker_main import SearchWorker
from hoppers.jobs.worker_process import Child, WorkerProcess
from hoppers.runtime.lru_cache import LRUCache

log = logging.getLogger(__name__)

MAX_IN_RACE = 4
GRACE_CHECK_SECONDS = 0.5  # between two checks for searches whose players have not returned
MAX_LOST_WORKERS = 4  # losses of a worker process after which a search fails


EmitTo = Callable[[str, dict[str, Any], str], None]
"""Function that sends an event, given by name and fields, to a connection.

It must neither block nor call the search service.
"""


def check_race(request: SearchRequest, others: Iterable[SearchRequest]) -> None:
    """Raise PuzzleError if the race of a search is full. `others`: running searches of the player."""
    if sum(map(request.is_rival, others)) >= MAX_IN_RACE:
        raise PuzzleError(f"{MAX_IN_RACE} searches run under the race {request.race!r} already", "race_full")


def unknown_ticket(ticket: str) -> PuzzleError:
    """Return the error for a ticket that names no search of the player."""
    return PuzzleError(f"There is no search with the ticket {ticket!r} to go on with", "unknown_ticket")


class LocalSearches:
    """The search service of one machine: admission, pauses, lost connections and lost workers.

    After the loss of a worker process each search is sent to the next process with the limits already ruled
    out, so each `Exhausted` arrives once and in order. After `MAX_LOST_WORKERS` losses it fails.
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
        """`process`: runs the searches, in a worker process or in threads of this one (`SearchWorker`).

        `max_searches`: most searches at once. `grace_seconds`: time for which a search of a lost connection
        stays paused. `is_compiled`: returns whether searches of a puzzle may start (see `start_waiting`).
        `learn`: stores what, if anything, an event proves.
        """
        self._process, self._emit, self._max_searches = process, emit, max_searches
        self._read, self._is_compiled, self._learn = read, is_compiled, learn
        self._ids = map(str, itertools.count(1))
        self._running: dict[str, SearchHandle] = {}
        """Searches that have not ended, by id, oldest first."""
        self._ended: LRUCache[tuple[str, str], SearchHandle] = LRUCache(256)
        """Ended searches by player and ticket, for players who reconnect and may have missed the end."""
        self._lock = threading.RLock()
        self._grace_seconds, self._closed = grace_seconds, threading.Event()
        threading.Thread(target=self._end_graces, name="grace-periods", daemon=True).start()
        process.on_event = self._receive
        if isinstance(process, WorkerProcess):
            process.on_lost.append(self._restart)

    def start(self, request: SearchRequest) -> None:
        """Start a search. It replaces the player's other searches, except its rivals (see `is_rival`).

        If the server is still full, the search also replaces the oldest paused search of another player.

        Raises:
            Busy: the server is full, and no search of another player is paused.
            PuzzleError: too many searches of the race run, or the query is invalid.
        """
        self._refuse_if_full(request.player)
        emit = self._emit_to(request.connection)
        handle = SearchHandle(next(self._ids), request, emit, self._read, on_end=self._forget)
        with self._lock:
            for other in self._replaced_by(request):
                other.stop("replaced")
            self._running[handle.id] = handle
            if self._may_start(handle):
                self._submit(handle)
            else:  # `start_waiting` submits the search; meanwhile the player sees empty progress
                handle.send(Progress(0, 0, 0.0), handle.totals)

    def stop(self, player: str, ticket: str) -> None:
        """Stop a search if it runs; `Stopped` is sent before this method returns."""
        with self._lock:
            if handle := self._find(player, ticket):
                handle.stop("asked")

    def pause(self, player: str, ticket: str) -> None:
        """Pause a search if it runs; no event of its worker is sent from then on until it continues."""
        with self._lock:
            if handle := self._find(player, ticket):
                handle.pause(REQUESTED)

    def resume(self, player: str, ticket: str) -> None:
        """Continue a search if its player has paused it."""
        with self._lock:
            if handle := self._find(player, ticket):
                handle.resume(REQUESTED)

    def rejoin(self, player: str, ticket: str, limit: int, connection: str) -> None:
        """Send missed events of a search, and all later ones, to a new connection of its player.

        `limit`: highest limit whose event `Exhausted` the client has; the events after it are sent, or all
        events if there is none up to `limit`. The pause for the lost connection ends. A search that its
        player has paused stays paused.

        Raises:
            PuzzleError: the search is not known any more.
        """
        with self._lock:
            handle = self._find(player, ticket) or self._ended.get((player, ticket))
            if handle is None:
                raise unknown_ticket(ticket)
            handle.redirect(connection, self._emit_to(connection), limit)

    def leave(self, connection: str, returns: bool) -> None:
        """Pause the searches of a lost connection for the grace period, or end them without an event.

        `returns`: whether the player may come back over another connection.
        """
        with self._lock:
            for handle in [one for one in self._handles() if one.request.connection == connection]:
                handle.leave(self._grace_seconds if returns else 0)
                handle.end_grace()

    def counts(self) -> dict[str, int]:
        """Return the numbers of running, queued and paused searches."""
        handles = self._handles()
        paused = sum(handle.paused for handle in handles)
        queued = sum(handle.queued for handle in handles)
        return {"running": len(handles) - paused - queued, "queued": queued, "paused": paused}

    def close(self) -> None:
        """End the worker and all threads."""
        self._closed.set()
        self._process.close()

    def _end_graces(self) -> None:
        while not self._closed.wait(GRACE_CHECK_SECONDS):
            for handle in self._handles():
                handle.end_grace()

    def start_waiting(self) -> None:
        """Submit the searches whose kernels were not compiled when they were started, but are now."""
        with self._lock:
            for handle in self._handles():
                if handle.execute is None and self._may_start(handle):
                    self._submit(handle)

    def _handles(self) -> list[SearchHandle]:
        return list(self._running.values())  # in one step: a search may end in any thread

    def _may_start(self, handle: SearchHandle) -> bool:
        return self._is_compiled(handle.search.question.puzzle.id)

    def _emit_to(self, connection: str) -> Emit:
        return lambda name, fields: self._emit(name, fields, connection)

    def _find(self, player: str, ticket: str) -> SearchHandle | None:
        key = player, ticket
        return next((one for one in self._handles() if one.request.key == key), None)

    def _refuse_if_full(self, player: str) -> None:
        """Raise Busy if the server is full, no search is paused and `player` has none. This takes no lock."""
        running = self._handles()
        if len(running) >= self._max_searches and not any(
            handle.paused or handle.request.player == player for handle in running
        ):
            raise self._busy()

    def _busy(self) -> Busy:
        return Busy(f"The server runs {self._max_searches} searches, its most; please try again in a moment.")

    def _replaced_by(self, request: SearchRequest) -> list[SearchHandle]:
        """Return the player's searches that `request` replaces; raise Busy or PuzzleError as `start` does.

        If the server would be full even without them, stop the oldest paused search of another player.
        """
        running = self._handles()
        mine = [handle for handle in running if handle.request.player == request.player]
        check_race(request, [handle.request for handle in mine])
        replaced = [handle for handle in mine if not request.is_rival(handle.request)]
        if len(running) - len(replaced) >= self._max_searches:
            paused = [handle for handle in running if handle.paused and handle not in mine]
            if not paused:
                raise self._busy()
            paused[0].stop("replaced")
        return replaced

    def _submit(self, handle: SearchHandle) -> None:
        """Send a search to the worker.

        If no worker process can be started, try again. After `MAX_LOST_WORKERS` losses and failed starts in
        all, the search fails.
        """
        while not handle.ended:
            if worker := self._process.current():
                return handle.submit(worker.execute)
            self._count_loss(handle)

    def _restart(self, lost: Child) -> None:
        """Send the searches of a lost worker process to the next process."""
        with self._lock:
            # bound methods of one object are equal
            for handle in [one for one in self._handles() if one.execute == lost.execute]:
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

    def _receive(self, message: SearchEvent) -> None:
        """Store what an event of the worker proves, and send the event to the player; log a failure.

        A method that is wrong on purpose (see `is_sound`) proves nothing. Events of an unknown search are
        dropped.
        """
        handle = self._running.get(message.search_id)
        if handle is None:
            return
        search, event = handle.search, message.event
        if not (handle.ended or isinstance(event, Queued)) and search.is_sound:
            try:
                self._learn(search.question, event)
            except Exception:
                log.exception("what a search of %s has proved could not be stored", search.question.puzzle.id)
        try:
            handle.send(event, message.totals)
        except Exception:
            log.exception("an event of the search %r could not be sent", handle.request.ticket)

    def _forget(self, handle: SearchHandle) -> None:
        """Remove an ended search; store it for `rejoin` if its player may come back."""
        if handle.request.connection != handle.request.player and not handle.dropped:
            self._ended.put(handle.request.key, handle)
        self._running.pop(handle.id, None)
