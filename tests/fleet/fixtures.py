"""Two servers, two workers and a Redis as real processes, and a client that can change servers."""

import itertools
import secrets
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import Any, NamedTuple

import pytest
from redis import Redis

from hoppers.analysis.requests import parse_search
from hoppers.core.events import Exhausted
from tests.support.engine import ENGINE
from tests.support.processes import TIMEOUT_SECONDS, Queue, Server, Worker, wait_for
from tests.support.socket_client import Listener, ReceivedEvent

LONG = ("fifteen-puzzle", "0c9dfbae37624851")
"""Puzzle and position whose plain iterative deepening would take days."""
HOPPERS = ("hoppers", "oooooo.oooooo")
REJOIN_SECONDS = 30  # shorter than tests wait, longer than a server takes to start
ENOUGH_ROWS = 17  # the limit after these takes long enough to be interrupted


def expected_nodes(rows: int) -> list[int]:
    """Return the nodes of the first `rows` limits of the search LONG, run in this process."""
    events = parse_search(ENGINE, *LONG, method="deepening").events()
    nodes = (event.nodes for event in events if isinstance(event, Exhausted))
    return list(itertools.islice(nodes, rows))


class Fleet(NamedTuple):
    """Running processes of a fleet."""

    queue: Queue
    servers: tuple[Server, Server]
    workers: tuple[Worker, Worker]

    def searcher(self) -> Worker:
        """Wait until the fleet runs exactly one search, and return its worker."""
        wait_for(lambda: sum(self.searching()) == 1)
        return max(self.workers, key=lambda worker: sum(worker.measured("hoppers_searches")))

    def mend(self) -> None:
        """Restart the processes that an earlier test has left dead, and wait until all respond."""
        for process in (self.queue, *self.servers, *self.workers):
            if process.is_dead:
                process.start()
        for waited_for in (self.queue, *self.servers, *self.workers):
            waited_for.wait()

    def searching(self) -> list[int]:
        """Return the number of searches of each worker."""
        return [sum(worker.measured("hoppers_searches")) for worker in self.workers]

    def solved(self) -> list[float]:
        """Return the number of solved searches that each server has delivered."""
        name = 'hoppers_searches_ended_total{event="solved"}'
        return [server.measured(name) for server in self.servers]

    @property
    def keys(self) -> dict[str, int]:
        """Keys of the fleet in Redis, with the seconds until they expire."""
        with closing(Redis.from_url(self.queue.admin_url, decode_responses=True)) as redis:
            return {str(key): redis.ttl(key) for key in redis.keys("*")}

    def shorten_lives(self, seconds: int) -> None:
        """Let all keys of sessions expire after `seconds` unless a server renews them."""
        with closing(Redis.from_url(self.queue.admin_url)) as redis:
            for key in self.keys:
                if not key.startswith("hoppers:queue"):
                    redis.expire(key, seconds)

    def contents(self) -> dict[str, str]:
        """Keys of the fleet in Redis, with all that they hold."""
        with closing(Redis.from_url(self.queue.admin_url)) as redis:
            return {repr(key): repr(redis.dump(key)) for key in redis.keys("*")}


@pytest.fixture(scope="session")
def shared_fleet() -> Iterator[Fleet]:
    """Fleet shared by all tests: starting one takes longer than most tests."""
    with ExitStack() as stack:
        queue = Queue()
        stack.callback(queue.kill)
        settings: dict[str, Any] = {"QUEUE_URL": queue.url, "REJOIN_SECONDS": REJOIN_SECONDS}
        servers, workers = (Server(**settings), Server(**settings)), (Worker(**settings), Worker(**settings))
        fleet = Fleet(queue, servers, workers)
        for process in (*fleet.servers, *fleet.workers):
            stack.callback(process.kill)
        for server in fleet.servers:
            server.wait()
        yield fleet


@pytest.fixture
def fleet(shared_fleet: Fleet) -> Fleet:
    shared_fleet.mend()
    return shared_fleet


@pytest.fixture
def player(fleet: Fleet) -> Iterator["Player"]:
    player = Player(fleet)
    yield player
    player.client.leave()


class Player:
    """A client that collects its events and can reconnect through another server."""

    def __init__(self, fleet: Fleet, server: int = 0, secret: str = "") -> None:
        self.secret, self.received = secret or secrets.token_hex(16), list[ReceivedEvent]()
        self.fleet = fleet
        self.connect(server)

    def another(self) -> "Player":
        """Return another player at the same server."""
        return Player(self.fleet)

    def close(self) -> None:
        self.client.leave()

    def connect(self, server: int) -> None:
        self.client = Listener(self.fleet.servers[server].url, player=self.secret)

    def search(self, ticket: str) -> None:
        assert self.client.search(ticket, *LONG, method="deepening") == {"ok": True}

    def receive_rows(self, count: int) -> None:
        while len(self.rows) < count:
            self.received.append(self.client.receive())

    def expect_silence(self) -> None:
        """Collect late events until none arrives for 0.3 seconds; a running search would send more."""
        until = time.monotonic() + TIMEOUT_SECONDS
        while True:
            time.sleep(0.3)
            if self.client.receives_nothing_more():
                return
            assert time.monotonic() < until
            while not self.client.receives_nothing_more():
                self.received.append(self.client.receive())

    def stop(self, ticket: str) -> ReceivedEvent:
        assert self.client.call("stop", {"ticket": ticket}) == {"ok": True}
        self.received += self.client.receive_to_end()
        return self.received[-1]

    @property
    def rows(self) -> list[tuple[int, int]]:
        return [(fields["limit"], fields["nodes"]) for name, fields in self.received if name == "exhausted"]

    def assert_whole(self) -> None:
        """Assert that every row arrived once and in order, and that the last event sums them up."""
        name, stopped = self.received[-1]
        assert [limit for limit, _ in self.rows] == list(range(1, len(self.rows) + 1))
        assert [nodes for _, nodes in self.rows[:ENOUGH_ROWS]] == expected_nodes(len(self.rows[:ENOUGH_ROWS]))
        assert (name, stopped["limit"]) == ("stopped", len(self.rows))
        assert stopped["total_nodes"] >= sum(nodes for _, nodes in self.rows)
