"""Two servers and two workers on one Redis, as real processes that are killed during searches."""

import json
import math
import time
from contextlib import closing

from redis import Redis

from hoppers.fleet.search_records import BEAT_SECONDS, HEARTBEAT_EXPIRY_MILLISECONDS, OPEN, SearchRecords
from hoppers.fleet.service import CHECK_SECONDS
from hoppers.fleet.watchdog import Heartbeat, after_check
from tests.fleet.fixtures import ENOUGH_ROWS, HOPPERS, Fleet, Player
from tests.support.processes import wait_for

MAX_CHECKS = math.ceil(HEARTBEAT_EXPIRY_MILLISECONDS / 1000 / CHECK_SECONDS)
"""Maximum checks from the last heartbeat of a lost worker until a server notices the loss."""


def test_heartbeat_is_lost_after_six_missed_beats() -> None:
    assert HEARTBEAT_EXPIRY_MILLISECONDS == 1000 * 6 * BEAT_SECONDS
    heartbeat: Heartbeat = (None, 0)
    for beat, checks in [("1", 0), ("2", 0), ("2", 1), ("2", 2), ("3", 0), ("3", 1), (None, 2), (None, 3)]:
        heartbeat = after_check(heartbeat, beat)
        assert heartbeat == (beat, checks)
    assert after_check((None, 0), None) == (None, 1)
    assert after_check(heartbeat, "1") == ("1", 0)


def test_invalid_event_delays_no_other(fleet: Fleet, player: Player) -> None:
    """Two of the events added to the inbox are malformed, and one is for a connection that does not exist."""
    player.search("a")
    player.receive_rows(5)
    with closing(SearchRecords(fleet.queue.url, 60).redis) as redis:
        id = redis.lrange(OPEN, 0, -1)[0]
        inbox = f"hoppers:inbox:{redis.hget(f'hoppers:search:{id}', 'server')}"
        for text in ("no JSON", "[1]", json.dumps([id, "unknown", "exhausted", {}])):
            redis.xadd(inbox, {"message": text})
    player.receive_rows(ENOUGH_ROWS)
    player.stop("a")
    player.assert_whole()


def handed_over(fleet: Fleet) -> list[float]:
    """Return the number of searches that each server has taken from lost workers."""
    return [server.measured("hoppers_searches_handed_over_total") for server in fleet.servers]


def test_stop_pause_and_replace_reach_the_worker(player: Player) -> None:
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


def test_killed_worker_costs_no_row_and_is_noticed_in_time(fleet: Fleet, player: Player) -> None:
    """The delay is counted in checks by the server that noticed the loss: seconds vary on a busy machine."""
    player.search("a")
    player.receive_rows(ENOUGH_ROWS)
    before = handed_over(fleet)
    fleet.searcher().kill()
    wait_for(lambda: handed_over(fleet) != before)
    player.receive_rows(len(player.rows) + 2)
    counts = zip(fleet.servers, handed_over(fleet), before, strict=True)
    for server in [server for server, now, old in counts if now > old]:
        assert 1 <= server.measured("hoppers_worker_silent_looks") <= MAX_CHECKS
    assert player.stop("a")[1]["reason"] == "asked"
    player.assert_whole()


def test_ending_worker_hands_its_searches_over(fleet: Fleet, player: Player) -> None:
    player.search("a")
    player.receive_rows(ENOUGH_ROWS)
    fleet.searcher().end()
    player.receive_rows(len(player.rows) + 2)
    player.stop("a")
    player.assert_whole()


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


def test_lost_connections_to_redis_cost_no_row(fleet: Fleet, player: Player) -> None:
    player.search("a")
    player.receive_rows(5)
    with closing(Redis.from_url(fleet.queue.url)) as redis:
        for _ in range(5):
            for kind in ("normal", "pubsub"):
                redis.client_kill_filter(_type=kind, skipme=True)
            time.sleep(0.1)
            player.receive_rows(len(player.rows) + 1)
    player.receive_rows(ENOUGH_ROWS)
    player.stop("a")
    player.assert_whole()


NO_EXPIRY = -1
"""Time to live that Redis reports for a key without expiry; 0 means less than a second."""


def test_every_key_expires(fleet: Fleet, player: Player) -> None:
    player.search("a")
    player.receive_rows(5)
    player.stop("a")
    assert len(fleet.keys) >= 4
    assert NO_EXPIRY not in fleet.keys.values()


def test_lost_redis_is_reported_and_may_come_back(fleet: Fleet, player: Player) -> None:
    player.search("a")
    player.receive_rows(10)
    fleet.queue.kill()
    player.received += player.client.receive_to_end()
    assert player.received[-1][0] == "failed"
    assert player.received[-1][1]["error"]["code"] == "search_lost"
    refused = player.client.search("b", *HOPPERS)
    assert refused["error"]["code"] == "unreachable"
    fleet.queue.start()
    fleet.queue.wait()
    wait_for(lambda: player.client.search("c", *HOPPERS)["ok"])
    assert player.client.receive_to_end()[-1][0] == "solved"
