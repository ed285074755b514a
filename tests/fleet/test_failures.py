"""Two servers and two workers on one Redis, as real processes that are killed or stopped during searches."""

import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from statistics import median

import pytest
import requests
from redis import Redis

from hoppers.fleet.queue import HEARTBEAT_MILLISECONDS
from hoppers.jobs.runner import MAX_STARTS
from hoppers.jobs.service import CHECK_SECONDS
from tests.fleet.fixtures import ENOUGH_ROWS, HOPPERS, Fleet, Player
from tests.support.processes import TIMEOUT_SECONDS, Queue, Server, Worker, wait_for
from tests.support.socket_client import Listener

pytestmark = pytest.mark.slow

FROZEN_SECONDS = 2 * HEARTBEAT_MILLISECONDS / 1000
LIFE_SECONDS = round(4 * CHECK_SECONDS)


def searching_worker(fleet: Fleet, others: tuple[Worker, ...] = ()) -> Worker:
    """Wait until one of the workers that are not among `others` runs a search, and return it."""

    def busy() -> list[Worker]:
        return [
            one
            for one in fleet.workers
            if one not in others and not one.is_dead and any(one.measured("hoppers_searches"))
        ]

    wait_for(busy)
    return busy()[0]


def test_stop_pause_and_replace_reach_the_worker(fleet: Fleet, player: Player) -> None:
    player.search("a")
    player.receive_rows(5)
    assert player.client.call("pause", {"ticket": "a"}) == {"ok": True}
    player.expect_silence()
    rows = len(player.rows)
    player.client.call("resume", {"ticket": "a"})
    player.receive_rows(rows + 1)
    player.client.search("b", *HOPPERS)
    player.received += player.client.receive_until("stopped")
    assert player.received[-1][1]["reason"] == "replaced"
    player.assert_whole()
    assert {fields["ticket"] for _, fields in player.client.receive_to_end()} == {"b"}
    wait_for(lambda: sum(fleet.searching()) == 0)


def test_killed_worker_costs_no_row(fleet: Fleet, player: Player) -> None:
    player.search("a")
    player.receive_rows(ENOUGH_ROWS)
    fleet.searcher().kill()
    player.receive_rows(len(player.rows) + 2)
    assert player.stop("a")[1]["reason"] == "asked"
    player.assert_whole()


def test_ending_worker_hands_its_searches_over(fleet: Fleet, player: Player) -> None:
    player.search("a")
    player.receive_rows(ENOUGH_ROWS)
    fleet.searcher().end()
    player.receive_rows(len(player.rows) + 2)
    player.stop("a")
    player.assert_whole()


def test_frozen_worker_and_its_successor_send_each_row_once(fleet: Fleet, player: Player) -> None:
    player.search("a")
    player.receive_rows(ENOUGH_ROWS)
    frozen = fleet.searcher()
    frozen.signal(signal.SIGSTOP)
    try:
        searching_worker(fleet, others=(frozen,))
    finally:
        frozen.signal(signal.SIGCONT)
    player.receive_rows(len(player.rows) + 2)
    player.stop("a")
    player.assert_whole()
    wait_for(lambda: sum(fleet.searching()) == 0)


def test_search_that_kills_its_workers_fails(fleet: Fleet, player: Player) -> None:
    player.search("a")
    for _ in range(MAX_STARTS):
        searching_worker(fleet).kill()
        for worker in fleet.workers:
            if worker.is_dead:
                worker.start()
    player.received += player.client.receive_to_end()
    name, fields = player.received[-1]
    assert (name, fields["error"]["code"]) == ("failed", "worker_lost")
    assert [limit for limit, _ in player.rows] == list(range(1, len(player.rows) + 1))


def test_killed_server_costs_no_row(fleet: Fleet, player: Player) -> None:
    player.search("a")
    player.receive_rows(10)
    fleet.servers[0].kill()
    player.connect(1)
    last = player.rows[-1][0]
    assert player.client.call("rejoin", {"ticket": "a", "limit": last}) == {"ok": True}
    player.receive_rows(ENOUGH_ROWS)
    player.client.call("pause", {"ticket": "a"})
    fleet.servers[0].start()
    fleet.servers[0].wait()
    player.client.cut()
    player.client.leave()
    player.connect(0)
    assert player.client.call("rejoin", {"ticket": "a", "limit": player.rows[-1][0]}) == {"ok": True}
    player.client.call("resume", {"ticket": "a"})
    player.receive_rows(len(player.rows) + 1)
    player.stop("a")
    player.assert_whole()
    assert player.client.call("rejoin", {"ticket": "b"})["error"]["code"] == "unknown_ticket"


def test_search_stopped_through_another_server_ends_once(fleet: Fleet, player: Player) -> None:
    player.search("a")
    player.receive_rows(10)
    other = Player(fleet, server=1, secret=player.secret)
    assert other.client.call("stop", {"ticket": "a"}) == {"ok": True}
    player.received += player.client.receive_to_end()
    player.assert_whole()
    wait_for(lambda: sum(fleet.searching()) == 0)
    time.sleep(1.0)  # two checks, none of which may begin the search again
    assert player.client.receives_nothing_more() and sum(fleet.searching()) == 0
    other.client.leave()


def test_lost_connections_to_redis_cost_no_row(fleet: Fleet, player: Player) -> None:
    player.search("a")
    player.receive_rows(5)
    with closing(Redis.from_url(fleet.queue.admin_url)) as redis:
        for _ in range(5):
            redis.client_kill_filter(_type="normal", skipme=True)
            time.sleep(0.1)
            player.receive_rows(len(player.rows) + 1)
    player.receive_rows(ENOUGH_ROWS)
    player.stop("a")
    player.assert_whole()


def test_frozen_redis_costs_no_row(fleet: Fleet, player: Player) -> None:
    player.search("a")
    player.receive_rows(10)
    fleet.queue.signal(signal.SIGSTOP)
    time.sleep(FROZEN_SECONDS)
    fleet.queue.signal(signal.SIGCONT)
    player.receive_rows(ENOUGH_ROWS)
    player.stop("a")
    player.assert_whole()


CALLERS = 40
"""Players who ask at the same time, each with an address of their own."""


def refusal_of(server: Server, number: int) -> tuple[str, float]:
    """Ask for a search over a new connection; return the code of the refusal and the seconds that it took."""
    listener = Listener(server.url, headers={"X-Forwarded-For": f"192.0.2.{number}"})
    try:
        began = time.monotonic()
        answer = listener.search("a", *HOPPERS)
        return answer["error"]["code"], time.monotonic() - began
    finally:
        listener.leave()


def seconds_of(url: str) -> float:
    """Return the seconds until a request is answered, whatever its status."""
    began = time.monotonic()
    requests.get(url, timeout=TIMEOUT_SECONDS)
    return time.monotonic() - began


@pytest.mark.parametrize("fault", ["frozen", "full"])
def test_callers_are_refused_at_once_while_redis_takes_nothing(fleet: Fleet, fault: str) -> None:
    """The attack: callers who wait for Redis take all threads for messages, and health checks wait, too."""
    server = fleet.servers[0]
    with ailing(fleet.queue, fault), ThreadPoolExecutor(CALLERS + 1) as pool:
        checks = pool.submit(lambda: [seconds_of(f"{server.url}/healthz") for _ in range(20)])
        first = list(pool.map(partial(refusal_of, server), range(CALLERS)))
        later = list(pool.map(partial(refusal_of, server), range(CALLERS)))
        assert {code for code, _ in (*first, *later)} == {"unreachable"}
        assert max(checks.result()) < 2.5, "health checks wait for nothing"
        if fault != "full":
            assert median(seconds for _, seconds in later) < 0.5, "all but one of two seconds fail at once"
        assert requests.get(f"{server.url}/readyz", timeout=TIMEOUT_SECONDS).status_code == 503
    wait_for(lambda: requests.get(f"{server.url}/readyz", timeout=TIMEOUT_SECONDS).ok)


@contextmanager
def ailing(queue: Queue, fault: str) -> Iterator[None]:
    """Let Redis answer nothing, on connections that stay open, or take no more memory."""
    if fault == "full":
        with closing(Redis.from_url(queue.admin_url)) as redis:
            before = redis.config_get("maxmemory*")
            redis.config_set("maxmemory-policy", "noeviction")
            redis.config_set("maxmemory", 1)
            try:
                yield
            finally:
                for name, value in before.items():
                    if name in ("maxmemory", "maxmemory-policy"):
                        redis.config_set(name, str(value))
        return
    queue.signal(signal.SIGSTOP)
    try:
        yield
    finally:
        queue.signal(signal.SIGCONT)


def test_empty_redis_after_a_restart_costs_no_row(fleet: Fleet, player: Player) -> None:
    player.search("a")
    player.receive_rows(ENOUGH_ROWS)
    fleet.queue.kill()
    with closing(player.another()) as stranger:
        refused = stranger.client.search("b", *HOPPERS)
        assert refused["error"]["code"] == "unreachable"
        fleet.queue.start()
        fleet.queue.wait()
        player.receive_rows(len(player.rows) + 2)
        player.stop("a")
        player.assert_whole()
        wait_for(lambda: stranger.client.search("c", *HOPPERS)["ok"])
        assert stranger.client.receive_to_end()[-1][0] == "solved"


NO_EXPIRY = -1
"""Time to live that Redis reports for a key without expiry; 0 means less than a second."""


def test_keys_of_a_search_expire_and_have_no_secret(fleet: Fleet, player: Player) -> None:
    player.search("a")
    player.receive_rows(5)
    sessions = [key for key in fleet.keys if not key.startswith("hoppers:queue")]
    assert len(sessions) >= 5
    assert NO_EXPIRY not in [fleet.keys.get(key, 0) for key in sessions]
    assert not [key for key, content in fleet.contents().items() if player.secret in key + content]
    player.stop("a")


def test_idle_workers_ask_redis_seldom_and_their_heartbeats_expire(fleet: Fleet) -> None:
    wait_for(lambda: sum(fleet.searching()) == 0)
    with closing(Redis.from_url(fleet.queue.admin_url)) as redis:
        before = redis.info("commandstats")["cmdstat_evalsha"]["calls"]
        time.sleep(2)
        asked = redis.info("commandstats")["cmdstat_evalsha"]["calls"] - before
    assert asked / 2 / len(fleet.workers) < 20, "some ten a second; it once was 33"
    (heartbeats,) = [key for key in fleet.keys if key.endswith("__heartbeats__")]
    assert fleet.keys[heartbeats] != NO_EXPIRY


def test_no_worker_searches_for_a_player_who_does_not_return(fleet: Fleet, player: Player) -> None:
    """A server that renewed the session all the same would do so before its shortened life ends."""
    player.search("a")
    player.receive_rows(5)
    player.client.cut()
    fleet.shorten_lives(LIFE_SECONDS)
    wait_for(lambda: sum(fleet.searching()) == 0)


def test_paused_searches_keep_their_rows(fleet: Fleet, player: Player) -> None:
    """After the loss of their workers, one search is stopped and the other one goes on."""
    with closing(player.another()) as other:
        for one in (player, other):
            one.search("a")
            one.receive_rows(10)
            one.client.call("pause", {"ticket": "a"})
        for one in (player, other):
            one.expect_silence()
        for worker, searches in zip(fleet.workers, fleet.searching(), strict=True):
            if searches:
                worker.kill()
                worker.start()
        time.sleep(FROZEN_SECONDS)
        player.stop("a")
        other.client.call("resume", {"ticket": "a"})
        other.receive_rows(len(other.rows) + 1)
        other.stop("a")
        for one in (player, other):
            one.assert_whole()
