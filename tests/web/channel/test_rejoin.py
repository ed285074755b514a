"""Rejoining searches after a lost connection: no row is lost, repeated or out of order."""

import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial

import pytest
from socketio.exceptions import ConnectionRefusedError

from hoppers.core.errors import PuzzleError
from hoppers.web.channel.handlers import player_of
from tests.conftest import Connect, Serve
from tests.support.scripted_searches import (
    TIMEOUT_SECONDS,
    Script,
    Searches,
    blocked,
    endless,
    run,
    three_limits,
    wait_until_paused,
)
from tests.support.socket_client import ReceivedEvent, raw_client

LONG = ("eight-puzzle", "867254301")
FIRST_LIMITS = [4, 9, 19, 33, 61, 105, 193, 321, 577, 969, 1753]
"""Nodes of limits 1 to 11 of the search LONG by plain iterative deepening."""
ENDLESS = ("fifteen-puzzle", "0c9dfbae37624851")
PLAYER = partial(secrets.token_hex, 16)


@pytest.fixture
def searches() -> Iterator[Searches]:
    searches = Searches(grace_seconds=TIMEOUT_SECONDS)
    yield searches
    searches.close()


def rows_of(events: list[ReceivedEvent]) -> list[tuple[int, int]]:
    return [(fields["limit"], fields["nodes"]) for name, fields in events if name == "exhausted"]


def wait_for_turns(script: Script, turns: int) -> None:
    while script.turns < turns:
        time.sleep(0.001)


def test_a_rejoined_client_receives_each_event_once(connect: Connect) -> None:
    player, received = PLAYER(), list[ReceivedEvent]()
    client = connect(player=player)
    assert client.search("a", *LONG, method="deepening") == {"ok": True}
    for limit in (1, 5, 6):
        while ("exhausted", limit) not in [(name, fields["limit"]) for name, fields in received]:
            received.append(client.receive())
        client.cut()
        client = connect(player=player)
        assert client.call("rejoin", {"ticket": "a", "limit": limit}) == {"ok": True}
    while len(rows_of(received)) < 11:
        received.append(client.receive())
    client.call("stop", {"ticket": "a"})
    received += client.receive_to_end()
    rows = rows_of(received)
    assert [row for row, _ in rows] == list(range(1, len(rows) + 1))
    assert [nodes for _, nodes in rows[:11]] == FIRST_LIMITS
    assert received[-1][1]["total_nodes"] >= sum(nodes for _, nodes in rows)


def test_events_sent_while_disconnected_are_sent_again(connect: Connect) -> None:
    player = PLAYER()
    client = connect(player=player)
    client.search("a", "hoppers", "oooooo.oooooo", method="deepening")
    first = client.receive_to_end()
    client.cut()
    back = connect(player=player)
    assert back.call("rejoin", {"ticket": "a", "limit": 4}) == {"ok": True}
    again = back.receive_to_end()
    assert rows_of(again) == rows_of(first)[4:]
    assert again[-1] == first[-1]
    assert back.receives_nothing_more()


def test_a_ticket_works_for_its_player_only(connect: Connect) -> None:
    client, stranger, nameless = connect(player=PLAYER()), connect(player=PLAYER()), connect()
    client.search("a", *LONG, method="deepening")
    for other in (stranger, nameless):
        answer = other.call("rejoin", {"ticket": "a"})
        assert answer["error"]["code"] == "unknown_ticket"
        assert "'a'" in answer["error"]["message"]
    client.call("stop", {"ticket": "a"})


def test_a_client_that_leaves_cannot_rejoin(serve: Serve, connect: Connect) -> None:
    url, player = serve(SEARCHES=1), PLAYER()
    with closing(raw_client(url, player)) as socket:
        message = {"ticket": "a", "puzzle": ENDLESS[0], "position": ENDLESS[1], "method": "deepening"}
        socket.send(f"42{json.dumps(['search', message])}")
        while '"exhausted"' not in socket.recv():
            pass
        socket.send("41")
        other = connect(url)
        while not other.search("b", *ENDLESS, method="deepening")["ok"]:
            time.sleep(0.05)
    answer = connect(url, player=player).call("rejoin", {"ticket": "a"})
    assert answer["error"]["code"] == "unknown_ticket"


@pytest.mark.parametrize("player", ["short", "x" * 101, 7, ["a"], "\ud800" * 16])
def test_invalid_player_secret_is_refused(player: object) -> None:
    with pytest.raises(ConnectionRefusedError, match="player"):
        player_of({"player": player})


def test_search_is_suspended_while_its_player_is_disconnected(searches: Searches) -> None:
    script, back = run(searches, Script(endless, connection="c1")), Script(endless)
    wait_for_turns(script, 3)
    searches.leave("c1", returns=True)
    wait_until_paused(searches, script)
    turns, sent = script.turns, list(script.sent)
    time.sleep(0.1)
    assert (script.turns, script.sent) == (turns, sent)
    searches.rejoin_script("c2", 0, back)
    wait_for_turns(script, turns + 3)
    assert back.names[0] == "exhausted"
    searches.leave("c1", returns=True)  # the old connection no longer has any effect
    wait_for_turns(script, script.turns + 60)


def test_pause_outlasts_a_disconnection(searches: Searches) -> None:
    script = run(searches, Script(endless, connection="c1"))
    wait_for_turns(script, 3)
    searches.pause("o", "t")
    searches.leave("c1", returns=True)
    searches.rejoin_script("c2", 1, script)
    wait_until_paused(searches, script)
    turns = script.turns
    time.sleep(0.1)
    assert script.turns == turns
    searches.resume("o", "t")
    wait_for_turns(script, turns + 3)


def test_searches_of_a_disconnected_client_end() -> None:
    searches = Searches(most=1, grace_seconds=0.05)
    script = run(searches, Script(endless, connection="c1"))
    wait_for_turns(script, 3)
    searches.leave("c1", returns=True)
    assert script.closed.wait(TIMEOUT_SECONDS)
    assert "stopped" not in script.names
    with pytest.raises(PuzzleError, match="ticket 't'"):
        searches.rejoin_script("c2", 0, script)
    searches.close()


def test_disconnected_players_take_no_thread_each(searches: Searches) -> None:
    run(searches, Script(endless))  # the scheduler starts its threads with the first search
    before = threading.active_count()
    for number in range(50):
        run(searches, Script(endless, player=f"o{number}", connection=f"c{number}"))
        searches.leave(f"c{number}", returns=True)
    assert threading.active_count() <= before


def test_the_end_of_a_search_is_sent_after_a_rejoin(searches: Searches) -> None:
    script, back = run(searches, Script(blocked, connection="c1")), Script(three_limits)
    assert script.started.wait(TIMEOUT_SECONDS)
    searches.stop("o", "t")
    searches.rejoin_script("c2", 0, back)
    assert back.ended.wait(TIMEOUT_SECONDS) and back.names == ["stopped"]
    script.may_continue.set()
