"""Two servers and two workers on one Redis, as real processes that are killed in mid-search."""

import time
from contextlib import closing

from redis import Redis

from hoppers.fleet.heartbeat import ALIVE_MILLISECONDS, MOST_LOOKS, after_look
from tests.fleet.fixtures import ENOUGH, HOPPERS, Fleet, Player
from tests.processes import wait_for


def test_who_is_silent_for_so_many_looks_is_lost() -> None:
    assert (ALIVE_MILLISECONDS, MOST_LOOKS) == (3000, 6)
    sign = None
    for beat, looks in [("1", 0), ("2", 0), ("2", 1), ("2", 2), ("3", 0), ("3", 1), (None, 2), (None, 3)]:
        sign = after_look(sign, beat)
        assert sign == (beat, looks)
    assert after_look(None, None) == (None, 1)
    assert after_look(sign, "1") == ("1", 0)


def handed_over(fleet: Fleet) -> list[float]:
    """How many searches each server has taken from lost workers."""
    return [server.measured("hoppers_searches_handed_over_total") for server in fleet.servers]


def test_stop_pause_and_replace_reach_the_worker(player: Player) -> None:
    player.search("a")
    player.hear_rows(5)
    assert player.client.say("pause", {"ticket": "a"}) == {"ok": True}
    player.hear_silence()
    rows = len(player.rows)
    player.client.say("resume", {"ticket": "a"})
    player.hear_rows(rows + 1)
    player.client.search("b", *HOPPERS)
    player.heard += player.client.hear_until("stopped")
    assert player.heard[-1][1]["reason"] == "replaced"
    player.assert_whole()
    assert {fields["ticket"] for _, fields in player.client.hear_to_the_end()} == {"b"}


def test_a_killed_worker_costs_no_row_and_is_noticed_as_soon_as_is_promised(
    fleet: Fleet, player: Player
) -> None:
    """How soon is counted in looks of the server that noticed it, not by a clock of a busy machine."""
    player.search("a")
    player.hear_rows(ENOUGH)
    before = handed_over(fleet)
    fleet.searcher().kill()
    wait_for(lambda: handed_over(fleet) != before)
    player.hear_rows(len(player.rows) + 2)
    told = zip(fleet.servers, handed_over(fleet), before, strict=True)
    for server in [server for server, now, old in told if now > old]:
        assert 1 <= server.measured("hoppers_worker_silent_looks") <= MOST_LOOKS
    assert player.stop("a")[1]["reason"] == "asked"
    player.assert_whole()


def test_a_worker_that_ends_hands_its_searches_over(fleet: Fleet, player: Player) -> None:
    player.search("a")
    player.hear_rows(ENOUGH)
    fleet.searcher().end()
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


def test_a_server_that_was_deaf_for_a_moment_reads_up(fleet: Fleet, player: Player) -> None:
    player.search("a")
    player.hear_rows(5)
    with closing(Redis.from_url(fleet.queue.url)) as redis:
        for _ in range(5):
            redis.client_kill_filter(_type="pubsub")
            time.sleep(0.1)
            player.hear_rows(len(player.rows) + 1)
    player.hear_rows(ENOUGH)
    player.stop("a")
    player.assert_whole()


NEVER = -1
"""What Redis says of a key that stays; one of 0 seconds is about to go."""


def test_every_key_expires(fleet: Fleet, player: Player) -> None:
    player.search("a")
    player.hear_rows(5)
    player.stop("a")
    assert len(fleet.keys) >= 4
    assert NEVER not in fleet.keys.values()


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
