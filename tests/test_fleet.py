"""Two servers and their workers on one Redis, as real processes that are killed in mid-search."""

import itertools
import secrets
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, expect
from redis import Redis

from server.questions import read_search
from server.search.events import Exhausted

from .browser_fixtures import PUBLISHED, by_clicks, expect_faults, opened, press, steps_of, verdict
from .listener import Heard, Listener
from .processes import Queue, Server, Worker, wait_for

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
    workers: list[Worker]

    @property
    def keys(self) -> dict[str, int]:
        """Every key of ours, and for how many seconds it will be there."""
        with closing(Redis.from_url(self.queue.url, decode_responses=True)) as redis:
            return {str(key): redis.ttl(key) for key in redis.keys("hoppers:*")}


@pytest.fixture(scope="module")
def fleet() -> Iterator[Fleet]:
    with ExitStack() as stack:
        queue = Queue()
        stack.callback(queue.kill)
        worker = Worker(QUEUE_URL=queue.url)
        servers = Server(QUEUE_URL=queue.url), Server(QUEUE_URL=queue.url)
        for process in (*servers, worker):
            stack.callback(process.kill)
        for server in servers:
            server.wait()
        workers = [worker]
        yield Fleet(queue, servers, workers)
        for worker in workers:
            worker.kill()


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


def test_the_same_events_as_in_one_process(fleet: Fleet) -> None:
    client = Listener(fleet.servers[1].url)
    assert client.search("one", *HOPPERS, method="deepening", find="all", first_move=[0, 6]) == {"ok": True}
    events = [(name, fields) for name, fields in client.hear_to_the_end() if name != "queued"]
    rows = {fields["limit"]: fields["nodes"] for name, fields in events if name != "progress"}
    assert [rows[limit] for limit in range(2, 8)] == [18, 110, 638, 3010, 11520, 29554]
    name, solved = events[-1]
    assert (name, solved["limit"], solved["count"], solved["ticket"]) == ("solved", 7, 18, "one")
    assert client.search("two", "hoppers", "oo")["error"]["code"] == "invalid_position"
    client.leave()


def test_stop_pause_and_replace_reach_the_worker(player: Player) -> None:
    player.search("a")
    player.hear_rows(5)
    assert player.client.say("pause", {"ticket": "a"}) == {"ok": True}
    time.sleep(0.3)
    rows = len(player.rows)
    while not player.client.heard_nothing_more():
        player.heard.append(player.client.hear())
        rows = len(player.rows)
    time.sleep(0.2)
    assert player.client.heard_nothing_more()
    player.client.say("resume", {"ticket": "a"})
    player.hear_rows(rows + 1)
    player.client.search("b", *HOPPERS)
    player.heard += player.client.hear_until("stopped")
    assert player.heard[-1][1]["reason"] == "replaced"
    player.assert_whole()
    assert {fields["ticket"] for _, fields in player.client.hear_to_the_end()} == {"b"}


@pytest.mark.browser
def test_two_pages_play_through_two_servers(fleet: Fleet, browser: Browser) -> None:
    with opened(browser, fleet.servers[0].url) as one, opened(browser, fleet.servers[1].url) as two:
        for page in (one, two):
            page.goto("/puzzles/hoppers")
            page.get_by_label("Method").select_option("deepening")
            press(page, "Search")
        for page in (one, two):
            expect(page.locator('[data-limit="7"]')).to_have_attribute("data-state", "solved")
            press(page, "Hint")
            expect(page.locator('[data-hint="from"]')).to_have_count(1)
            for origin, target in steps_of(PUBLISHED):
                by_clicks(page, origin, target)
            expect(verdict(page)).to_have_attribute("data-verdict", "solved")


@pytest.mark.browser
def test_a_page_plays_on_while_its_server_is_gone(fleet: Fleet, browser: Browser) -> None:
    server, (puzzle, position) = fleet.servers[1], LONG
    with opened(browser, server.url) as page:
        expect_faults(page, "WebSocket", "Failed to load resource")
        page.goto(f"/puzzles/{puzzle}?position={position}")
        page.get_by_label("Method").select_option("deepening")
        press(page, "Search")
        expect(page.locator('[data-limit="12"][data-state="exhausted"]')).to_be_visible()
        server.kill()
        expect(page.locator(".banner")).to_contain_text("you can keep playing")
        server.start()
        server.wait()
        expect(page.locator(".banner")).to_be_hidden(timeout=60_000)
        expect(page.locator("#solver .say")).not_to_contain_text("does it again")
        press(page, "Stop")
        expect(page.locator("#solver .say")).to_contain_text("Stopped.")
        limits = page.locator("[data-limit]").evaluate_all("(rows) => rows.map((row) => +row.dataset.limit)")
        assert limits == list(range(1, len(limits) + 1))


def test_a_killed_worker_costs_no_row(fleet: Fleet, player: Player) -> None:
    player.search("a")
    player.hear_rows(ENOUGH)
    fleet.workers.append(Worker(QUEUE_URL=fleet.queue.url))
    fleet.workers.pop(0).kill()
    player.hear_rows(len(player.rows) + 2)
    assert player.stop("a")[1]["reason"] == "asked"
    player.assert_whole()


def test_a_worker_that_ends_hands_its_searches_over(fleet: Fleet, player: Player) -> None:
    player.search("a")
    player.hear_rows(ENOUGH)
    fleet.workers.append(Worker(QUEUE_URL=fleet.queue.url))
    fleet.workers.pop(0).end()
    player.hear_rows(len(player.rows) + 2)
    player.stop("a")
    player.assert_whole()


def test_a_killed_server_costs_no_row(fleet: Fleet, player: Player) -> None:
    player.search("a")
    player.hear_rows(10)
    fleet.servers[0].kill()
    player.connect(1)
    last = player.rows[-1][0]
    assert player.client.say("rejoin", {"ticket": "a", "limit": last}) == {"ok": True}
    player.hear_rows(ENOUGH)
    player.client.say("pause", {"ticket": "a"})
    fleet.servers[0].start()
    fleet.servers[0].wait()
    player.client.cut()
    player.client.leave()
    player.connect(0)
    assert player.client.say("rejoin", {"ticket": "a", "limit": player.rows[-1][0]}) == {"ok": True}
    player.client.say("resume", {"ticket": "a"})
    player.hear_rows(len(player.rows) + 1)
    player.stop("a")
    player.assert_whole()
    assert player.client.say("rejoin", {"ticket": "b"})["error"]["code"] == "unknown_ticket"


def test_every_key_expires(fleet: Fleet, player: Player) -> None:
    player.search("a")
    player.hear_rows(5)
    player.stop("a")
    assert len(fleet.keys) >= 4
    assert min(fleet.keys.values()) > 0


def test_a_killed_redis_is_told_in_words_and_comes_back(fleet: Fleet, player: Player) -> None:
    player.search("a")
    player.hear_rows(10)
    fleet.queue.kill()
    player.heard += player.client.hear_to_the_end()
    assert player.heard[-1][0] == "failed"
    assert player.heard[-1][1]["error"]["code"] == "search_lost"
    refused = player.client.search("b", *HOPPERS)
    assert refused["error"]["code"] == "unreachable"
    fleet.queue.start()
    fleet.queue.wait()
    wait_for(lambda: player.client.search("c", *HOPPERS)["ok"])
    assert player.client.hear_to_the_end()[-1][0] == "solved"
