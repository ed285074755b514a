"""Scripted searches, run by a scheduler in this process, to test the delivery of their events."""

import threading
import time
from collections.abc import Callable, Generator
from typing import Any, NamedTuple, cast

from hoppers.analysis.requests import ParsedSearch as ParsedSearch
from hoppers.core.events import Event, Exhausted, Found, Progress, Solved
from hoppers.core.puzzle import Question
from hoppers.jobs.memory_sessions import MemorySessions
from hoppers.jobs.runner import Runner
from hoppers.jobs.search_job import SearchLimits
from hoppers.jobs.service import SearchService
from hoppers.jobs.sessions import SearchRequest
from hoppers.puzzles import PUZZLES
from hoppers.tablebase.engine import Engine
from tests.support.engine import find

SOLVED = Solved(3, 10, 0.0, [[0, 6]], None, 10)
TIMEOUT_SECONDS = 60
"""Seconds after which a test stops waiting for an expected event."""
Limits = tuple[float, int]
"""Seconds and nodes after which a search is stopped."""
WITHOUT_LIMITS = (float("inf"), 1 << 60)

Search = Generator[Event, None, None]


class Script:
    """A search whose events the function `search` yields, and all events sent to its client."""

    def __init__(
        self,
        search: Callable[["Script"], Search],
        ticket: str = "t",
        player: str = "o",
        race: str = "",
        connection: str = "",
        client: str = "",
    ):
        """`client`: by default each player is a client of its own."""
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.turns = 0
        self.started, self.ended, self.closed = threading.Event(), threading.Event(), threading.Event()
        self.may_continue = threading.Event()
        self._search = search
        self.request = SearchRequest(
            player, connection or f"{player} {id(self)}", ticket, race, {"script": self}, client or player
        )

    def events(self) -> Search:
        try:
            self.started.set()
            yield from self._search(self)
        finally:
            self.closed.set()

    def receive(self, name: str, fields: dict[str, Any]) -> None:
        self.sent.append((name, fields))
        if name not in ("queued", "progress", "found", "exhausted"):
            self.ended.set()

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.sent]

    @property
    def last(self) -> dict[str, Any]:
        return self.sent[-1][1]


class Parsed(NamedTuple):
    """Stand-in for a parsed request; its puzzle has no effect."""

    question: Question
    script: Script
    fresh: bool = False
    is_sound: bool = True

    @property
    def subject(self) -> dict[str, str]:
        return {}

    def events(self) -> Search:
        return self.script.events()


def read(script: Script) -> ParsedSearch:
    puzzle = find("hoppers")
    question = Question(puzzle, puzzle.parse_goal(None), puzzle.parse(puzzle.start))
    return cast(ParsedSearch, Parsed(question, script))


class Searches(SearchService):
    """Searches of a server whose scheduler runs in threads of this process."""

    def __init__(
        self, threads: int = 1, most: int = 8, grace_seconds: float = 60, limits: Limits = WITHOUT_LIMITS
    ) -> None:
        self.sessions = MemorySessions(grace_seconds)
        engine = Engine(PUZZLES, threads=threads, memory=100)
        self.scheduler, self.memory = engine.scheduler, engine.memory
        self.runner = Runner(self.sessions, engine, SearchLimits(*limits), read=read)
        closing = [self.runner.close, self.scheduler.close]
        super().__init__(self.sessions, self.runner.submit, self._send_to, most, read=read, on_close=closing)
        self.sessions.on_event, self.sessions.on_change = self.receive, self.runner.follow
        self._scripts: dict[tuple[str, str], Script] = {}

    def start(self, request: SearchRequest) -> None:
        self._scripts[request.connection, request.ticket] = cast(Script, request.query["script"])
        super().start(request)

    def _send_to(self, name: str, fields: dict[str, Any], to: str) -> None:
        self._scripts[to, fields["ticket"]].receive(name, fields)

    def rejoin_script(self, connection: str, limit: int, script: Script) -> None:
        """Let the player "o" rejoin its search "t"; `script` receives the events of the connection."""
        self._scripts[connection, "t"] = script
        self.rejoin("o", "t", limit, connection)

    def runs(self, script: Script) -> bool:
        return any(one.request.query["script"] is script for one in self.sessions.open().values())


def three_limits(script: Script) -> Search:
    for limit in (1, 2):
        yield Exhausted(limit, 10 * limit, 0, 0.0)
    yield SOLVED


def long_solution_first(script: Script) -> Search:
    yield Found(5, 0.0, [[0, 6]])
    yield from three_limits(script)


def endless(script: Script) -> Search:
    yield Exhausted(1, 100, 0, 0.0)
    while True:
        script.turns += 1
        time.sleep(0.001)
        yield Progress(2, script.turns, 0.0)


def blocked(script: Script) -> Search:
    """Stay in one slice until `may_continue` is set, like a search whose kernel is being compiled."""
    assert script.may_continue.wait(TIMEOUT_SECONDS)
    yield SOLVED


def broken(script: Script) -> Search:
    yield Exhausted(1, 1, 0, 0.0)
    raise ZeroDivisionError("a secret")


def endless_without_events(script: Script) -> Search:
    yield from ()


def wait_until_paused(searches: Searches, script: Script) -> None:
    """Wait until the current slice of a paused search has ended."""
    id = searches.sessions.find(*script.request.key)
    until = time.monotonic() + TIMEOUT_SECONDS
    while id not in [task.id for task in list(searches.scheduler._waiting) if task.paused]:
        assert time.monotonic() < until
        time.sleep(0.001)


def run(searches: Searches, script: Script) -> Script:
    searches.start(script.request)
    return script
