"""The runner: proofs and events, priority, memory, and what waits for the compiler."""

import contextlib
import itertools
import os
import queue
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from functools import partial
from typing import Any, TypeAlias

import pytest

from hoppers import puzzles
from hoppers.analysis.requests import parse_search
from hoppers.core.events import Event, Exhausted, Failed, Found, Progress, Solved
from hoppers.jobs.memory_sessions import MemorySessions
from hoppers.jobs.runner import MAX_STARTS, Runner
from hoppers.jobs.search_job import INTERNAL, SearchLimits
from hoppers.jobs.service import SearchService
from hoppers.jobs.sessions import SearchRequest, Session, SessionEvent, Totals
from hoppers.runtime.builder import Builder
from hoppers.runtime.process_tuning import NICE
from hoppers.runtime.scheduler import Scheduler
from hoppers.tablebase.engine import Engine
from tests.support.engine import ENGINE
from tests.support.processes import TIMEOUT_SECONDS, wait_for
from tests.support.scripted_searches import SOLVED, Script, Search, Searches, run

pytestmark = pytest.mark.slow

LIMITS = SearchLimits(seconds=900, nodes=10**12)
HARD = {"puzzle_id": "fifteen-puzzle", "position": "0c9dfbae37624851", "method": "deepening"}
QUERY: dict[str, Any] = {"puzzle_id": "eight-puzzle", "position": "087264351", "method": "deepening"}
Sent: TypeAlias = tuple[str, dict[str, Any]]


class Player:
    """A player whose searches run in this process."""

    def __init__(self, is_compiled: Callable[[str], bool] = lambda puzzle_id: True, **options: Any) -> None:
        self.events: queue.Queue[Sent] = queue.Queue()
        self.sessions, read = MemorySessions(60), partial(parse_search, ENGINE)
        self.runner = Runner(self.sessions, ENGINE, LIMITS, is_compiled=is_compiled)
        self.searches = SearchService(
            self.sessions,
            self.runner.submit,
            self._receive,
            8,
            read=read,
            on_close=[self.runner.close],
            **options,
        )
        self.sessions.on_event, self.sessions.on_change = self.searches.receive, self.runner.follow

    def _receive(self, name: str, fields: dict[str, Any], to: str) -> None:
        self.events.put((name, fields))

    def search(self, ticket: str = "t", player: str = "player", **query: Any) -> None:
        self.searches.start(SearchRequest(player, "connection", ticket, "", {**QUERY, **query}))

    def receive(self) -> Sent:
        return self.events.get(timeout=TIMEOUT_SECONDS)

    def receive_all(self) -> Iterator[Sent]:
        """Yield all events up to the one that ends the search."""
        while True:
            name, fields = self.receive()
            yield name, fields
            if name in ("solved", "unsolvable", "stopped", "failed"):
                return


@pytest.fixture
def make_player() -> Iterator[Callable[..., Player]]:
    """Provide a function that makes a player, whose threads end with the test."""
    with contextlib.ExitStack() as stack:

        def make(**options: Any) -> Player:
            player = Player(**options)
            stack.callback(player.searches.close)
            return player

        yield make


@pytest.mark.skipif(sys.platform != "linux", reason="threads have a priority of their own on Linux only")
def test_searches_and_builds_have_a_lower_priority() -> None:
    here, found = os.getpriority(os.PRIO_PROCESS, 0), queue.Queue[int]()

    def search(script: Script) -> Search:
        found.put(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
        yield SOLVED

    def build() -> Generator[float, None, None]:
        found.put(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
        yield from ()

    with contextlib.closing(Searches()) as searches:
        run(searches, Script(search))
        assert found.get(timeout=TIMEOUT_SECONDS) == min(19, here + NICE)
    Builder(Scheduler()).submit("build", build)
    assert found.get(timeout=TIMEOUT_SECONDS) == min(19, here + NICE)
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == here


def test_a_search_that_fails_is_closed_and_says_so() -> None:
    def search(script: Script) -> Search:
        yield Exhausted(1, 1, 0, 0.0)
        raise ValueError("this search is broken")

    with contextlib.closing(Searches()) as searches:
        script = run(searches, Script(search))
        assert script.ended.wait(TIMEOUT_SECONDS) and script.closed.wait(TIMEOUT_SECONDS)
    assert script.names == ["exhausted", "failed"] and script.last["error"] == INTERNAL


def test_an_event_that_cannot_be_stored_fails_its_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def search(script: Script) -> Search:
        yield Exhausted(1, 1, 0, 0.0)
        yield Found(5, 0.0, [])
        yield SOLVED

    with contextlib.closing(Searches()) as searches:
        append = searches.sessions.append

        def store(id: str, event: Event, totals: Totals) -> bool:
            if isinstance(event, Found):
                raise TypeError("an event that cannot be stored")
            return append(id, event, totals)

        monkeypatch.setattr(searches.sessions, "append", store)
        script = run(searches, Script(search))
        assert script.ended.wait(TIMEOUT_SECONDS) and script.closed.wait(TIMEOUT_SECONDS)
    assert script.names == ["exhausted", "failed"] and script.last["error"] == INTERNAL


@pytest.fixture
def run_alone() -> Iterator[Callable[..., queue.Queue[SessionEvent]]]:
    """Provide a function that runs a search of an engine for no player, and returns its coming events."""
    with contextlib.ExitStack() as stack:

        def start(engine: Engine, query: dict[str, object], **options: Any) -> queue.Queue[SessionEvent]:
            sessions, sent = MemorySessions(60), queue.Queue[SessionEvent]()
            sessions.on_event = sent.put
            runner = Runner(sessions, engine, LIMITS, **options)
            stack.callback(runner.close)
            for id in "12":
                sessions.create(id, Session(SearchRequest("p", "c", id, "", query), Totals(0)))
                runner.submit(id)
            return sent

        yield start


def test_a_proof_is_learned_before_its_event_is_sent(make_player: Callable[..., Player]) -> None:
    order: list[str] = []
    player = make_player(learn=lambda question, event: order.append(type(event).__name__.lower()))
    emit = player.searches._emit

    def note(name: str, fields: dict[str, Any], to: str) -> None:
        order.append(f"sent {name}")
        emit(name, fields, to)

    player.searches._emit = note
    player.search(puzzle_id="hoppers", position=None, method="best")
    assert [name for name, _ in player.receive_all()][-1] == "solved"
    assert order[-2:] == ["solved", "sent solved"]


def test_events_arrive_even_if_storing_their_proofs_fails(
    make_player: Callable[..., Player], caplog: pytest.LogCaptureFixture
) -> None:
    def learn(question: object, event: object) -> None:
        raise ValueError("nothing can be stored")

    player = make_player(learn=learn)
    player.search(puzzle_id="hoppers", position=None, method="best")
    assert [name for name, _ in player.receive_all()][-1] == "solved"
    assert "nothing can be stored" in caplog.text


def test_searches_answer_while_kernels_are_deferred(
    run_alone: Callable[..., queue.Queue[SessionEvent]],
) -> None:
    """`best` of a puzzle with a complete table never searches."""
    engine = Engine(puzzles.PUZZLES)
    engine.defer_kernels(engine.puzzles)
    sent = run_alone(engine, {"puzzle_id": "hoppers", "method": "best"})
    while not isinstance(event := sent.get(timeout=TIMEOUT_SECONDS).event, Solved):
        assert isinstance(event, Exhausted | Progress)
    assert event.limit == 7


def test_a_search_starts_once_its_kernels_are_compiled(make_player: Callable[..., Player]) -> None:
    is_compiled = set[str]()
    player = make_player(is_compiled=is_compiled.__contains__)
    player.search()
    assert player.receive() == ("progress", {"ticket": "t", "limit": 0, "nodes": 0, "seconds": 0.0})
    player.runner.start_waiting()
    is_compiled.add("hoppers")
    player.runner.start_waiting()
    assert player.runner.counts() == {"running": 0, "queued": 0, "paused": 0}
    is_compiled.add("eight-puzzle")
    player.runner.start_waiting()
    assert "exhausted" in [name for name, _ in itertools.islice(player.receive_all(), 3)]
    player.searches.stop("player", "t")


@pytest.mark.parametrize(
    ("position", "find_all", "ends"),
    [
        ("oooooo.oooooo", False, ["exhausted", "solved"]),
        (".oo.ooooooooo", True, ["progress", "solved"]),
        ("oo..........o", True, ["unsolvable"]),
    ],
)
def test_a_table_of_numpy_answers_while_nothing_is_compiled(
    make_player: Callable[..., Player], position: str, find_all: bool, ends: list[str]
) -> None:
    player = make_player(is_compiled=lambda puzzle_id: False)
    player.search(puzzle_id="hoppers", position=position, method="best", find_all=find_all)
    events = [*player.receive_all()]
    assert [name for name, _ in events][-1] == ends[-1]
    fields = events[-1][1]
    assert fields["known"] == "table" and fields["total_nodes"] == 0
    assert fields.get("count") == (18 if position.startswith(".oo") else None)


def test_a_search_begun_too_often_fails(make_player: Callable[..., Player]) -> None:
    """It may be what ends its workers."""
    player = make_player()
    request = SearchRequest("player", "connection", "t", "", QUERY)
    player.sessions.create("1", Session(request, Totals()))
    for _ in range(MAX_STARTS):
        assert player.sessions.begin("1")
    player.runner.submit("1")
    (failed,) = player.sessions.events("1")
    assert isinstance(failed.event, Failed) and failed.event.error["code"] == "worker_lost"


def test_stop_emits_immediately_and_ends_the_search(make_player: Callable[..., Player]) -> None:
    player = make_player()
    player.search("long", **HARD, fresh=True)
    while player.receive()[0] != "exhausted":
        pass
    player.searches.stop("player", "long")
    with contextlib.suppress(queue.Empty):
        while (event := player.events.get_nowait())[0] != "stopped":
            pass
    assert event[0] == "stopped" and event[1]["reason"] == "asked"
    wait_for(lambda: player.runner.counts() == {"running": 0, "queued": 0, "paused": 0})
    player.search("next", puzzle_id="hoppers", position=None, method="best")
    assert {fields["ticket"] for _, fields in player.receive_all()} == {"next"}


def test_eight_searches_share_a_thread_evenly(make_player: Callable[..., Player]) -> None:
    player, last = make_player(), dict[str, int]()
    for number in range(8):
        player.search(str(number), f"player {number}", **HARD)
    while len(last) < 8 or min(last.values()) < 18:  # by then the first to start have lost their lead
        name, fields = player.receive()
        if name == "exhausted":
            last[fields["ticket"]] = fields["limit"]
    for ticket in last:
        player.searches.stop(f"player {ticket}", ticket)
    assert max(last.values()) - min(last.values()) <= 2
