"""Two servers, two workers and a Redis as real processes, and a player who changes servers."""

import itertools
import secrets
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import NamedTuple

import pytest
from redis import Redis

from hoppers.analysis.requests import read_search
from hoppers.core.events import Exhausted
from tests.processes import PATIENCE, Queue, Server, Worker, wait_for
from tests.socket_client import Heard, Listener

LONG = ("fifteen-puzzle", "0c9dfbae37624851")
"""Nobody will see the end of it by plain deepening."""
HOPPERS = ("hoppers", "oooooo.oooooo")
ENOUGH = 17
"""Rows after which a search is long enough to be interrupted."""


def undisturbed(rows: int) -> list[int]:
    """The nodes of as many limits of the same search, run here and now."""
    events = read_search(*LONG, method="deepening").events()
    nodes = (event.nodes for event in events if isinstance(event, Exhausted))
    return list(itertools.islice(nodes, rows))


class Fleet(NamedTuple):
    """What runs."""

    queue: Queue
    servers: tuple[Server, Server]
    workers: tuple[Worker, Worker]

    def searcher(self) -> Worker:
        """The worker that has the only search there is."""
        wait_for(lambda: sum(self.searching()) == 1)
        return max(self.workers, key=lambda worker: sum(worker.measured("hoppers_searches")))

    def mend(self) -> None:
        """Start again what a test that failed left dead."""
        for process in (self.queue, *self.servers, *self.workers):
            if process.is_dead:
                process.start()
        for waited_for in (self.queue, *self.servers):
            waited_for.wait()

    def searching(self) -> list[int]:
        """How many searches each worker has."""
        return [sum(worker.measured("hoppers_searches")) for worker in self.workers]

    def ended(self) -> list[int]:
        """How many searches each worker has brought to an end."""
        return [sum(worker.measured("hoppers_searches_ended_total")) for worker in self.workers]

    @property
    def keys(self) -> dict[str, int]:
        """Every key of ours, and for how many seconds it will be there."""
        with closing(Redis.from_url(self.queue.url, decode_responses=True)) as redis:
            return {str(key): redis.ttl(key) for key in redis.keys("hoppers:*")}


@pytest.fixture(scope="session")
def lasting_fleet() -> Iterator[Fleet]:
    """One for all tests: to start it takes longer than most of them."""
    with ExitStack() as stack:
        queue = Queue()
        stack.callback(queue.kill)
        servers = Server(QUEUE_URL=queue.url), Server(QUEUE_URL=queue.url)
        fleet = Fleet(queue, servers, (Worker(QUEUE_URL=queue.url), Worker(QUEUE_URL=queue.url)))
        for process in (*fleet.servers, *fleet.workers):
            stack.callback(process.kill)
        for server in fleet.servers:
            server.wait()
        yield fleet


@pytest.fixture
def fleet(lasting_fleet: Fleet) -> Fleet:
    lasting_fleet.mend()
    return lasting_fleet


@pytest.fixture
def player(fleet: Fleet) -> Iterator["Player"]:
    player = Player(fleet)
    yield player
    player.client.leave()


class Player:
    """A client that collects what it hears, and can come back through another server."""

    def __init__(self, fleet: Fleet) -> None:
        self.secret, self.heard = secrets.token_hex(16), list[Heard]()
        self.fleet = fleet
        self.connect(0)

    def connect(self, server: int) -> None:
        self.client = Listener(self.fleet.servers[server].url, player=self.secret)

    def search(self, ticket: str) -> None:
        assert self.client.search(ticket, *LONG, method="deepening") == {"ok": True}

    def hear_rows(self, count: int) -> None:
        while len(self.rows) < count:
            self.heard.append(self.client.hear())

    def hear_silence(self) -> None:
        """Hear what is still on its way, until nothing comes for a while; a search that runs tells more."""
        until = time.monotonic() + PATIENCE
        while True:
            time.sleep(0.3)
            if self.client.heard_nothing_more():
                return
            assert time.monotonic() < until
            while not self.client.heard_nothing_more():
                self.heard.append(self.client.hear())

    def stop(self, ticket: str) -> Heard:
        assert self.client.say("stop", {"ticket": ticket}) == {"ok": True}
        self.heard += self.client.hear_to_the_end()
        return self.heard[-1]

    @property
    def rows(self) -> list[tuple[int, int]]:
        return [(fields["limit"], fields["nodes"]) for name, fields in self.heard if name == "exhausted"]

    def assert_whole(self) -> None:
        """Every row came once and in order, and the end adds them up."""
        name, stopped = self.heard[-1]
        assert [limit for limit, _ in self.rows] == list(range(1, len(self.rows) + 1))
        assert [nodes for _, nodes in self.rows[:ENOUGH]] == undisturbed(len(self.rows[:ENOUGH]))
        assert (name, stopped["limit"]) == ("stopped", len(self.rows))
        assert stopped["total_nodes"] >= sum(nodes for _, nodes in self.rows)
