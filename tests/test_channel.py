"""The channel, spoken by real clients to a real server."""

import json
import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
import requests
import websocket
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from socketio.exceptions import ConnectionError

from .conftest import Connect, Serve, running_app, serving
from .listener import FINAL, PATIENCE, Heard, Listener

HOPPERS = ("hoppers", "oooooo.oooooo")
LONG = ("eight-puzzle", "867254301")
"""With plain deepening it takes seconds."""


def select(events: list[Heard], ticket: str) -> list[Heard]:
    return [(name, fields) for name, fields in events if fields["ticket"] == ticket]


def assert_well_formed(events: list[Heard]) -> None:
    """Limits rise, and exactly the last event is a final one."""
    limits = [fields["limit"] for name, fields in events if name == "exhausted"]
    assert limits == sorted(set(limits))
    assert [name in FINAL for name, _ in events] == [False] * (len(events) - 1) + [True]
    running = [fields["limit"] for name, fields in events if name in ("progress", "exhausted")]
    assert running == sorted(running)


def test_the_published_search(connect: Connect) -> None:
    client = connect()
    answer = client.search("one", *HOPPERS, method="deepening", find="all", first_move=[0, 6])
    assert answer == {"ok": True}
    events = client.hear_to_the_end()
    assert_well_formed(events)
    assert {fields["ticket"] for _, fields in events} == {"one"}
    rows = {fields["limit"]: fields["nodes"] for name, fields in events if name != "progress"}
    assert [rows[limit] for limit in range(2, 8)] == [18, 110, 638, 3010, 11520, 29554]
    name, solved = events[-1]
    assert (name, solved["limit"], solved["count"]) == ("solved", 7, 18)
    assert solved["moves"][0][:2] == [0, 6]
    assert solved["total_nodes"] == sum(rows.values())


def test_the_best_method_proves_every_limit(connect: Connect) -> None:
    client = connect()
    client.search("best", *HOPPERS)
    events = client.hear_to_the_end()
    assert [(name, fields["limit"], fields["nodes"]) for name, fields in events] == [
        *(("exhausted", limit, 0) for limit in range(1, 7)),
        ("solved", 7, 0),
    ]
    assert events[-1][1]["count"] is None


def test_fields_are_those_of_the_contract(connect: Connect) -> None:
    client = connect()
    client.search("a", *LONG, method="deepening")
    progress = client.hear_until("progress")
    client.say("stop", {"ticket": "a"})
    fields = {name: set(payload) for name, payload in progress + client.hear_to_the_end()}
    client.search("a", *HOPPERS)
    fields |= {name: set(payload) for name, payload in client.hear_to_the_end()}
    client.search("a", "eight-puzzle", "123456870")
    fields |= {name: set(payload) for name, payload in client.hear_to_the_end()}
    assert fields == {
        "progress": {"ticket", "limit", "nodes", "seconds"},
        "exhausted": {"ticket", "limit", "nodes", "cut", "seconds"},
        "solved": {"ticket", "limit", "nodes", "seconds", "moves", "count", "total_nodes"},
        "unsolvable": {"ticket", "reason", "total_nodes", "seconds"},
        "stopped": {"ticket", "reason", "limit", "total_nodes", "seconds"},
    }


@pytest.mark.parametrize("method", ["deepening", "corners", "best"])
def test_a_search_in_mid_move_counts_only_moves_still_to_be_started(connect: Connect, method: str) -> None:
    client = connect()
    client.search("at rest", "hoppers", ".ooooo.oo.ooo", method=method, first_move=[2, 0])
    at_rest = client.hear_to_the_end()[-1][1]
    client.search("peg 0 in hand", "hoppers", "o..ooo.oo.ooo:0", method=method)
    in_hand = client.hear_to_the_end()[-1][1]
    assert (at_rest["limit"], in_hand["limit"]) == (5, 4)
    assert at_rest["moves"][0][:2] == [2, 0]


def test_progress_of_a_long_search_and_stop(connect: Connect) -> None:
    client = connect()
    client.search("long", *LONG, method="deepening")
    events = client.hear_until("progress") + client.hear_until("progress") + client.hear_until("progress")
    assert client.say("stop", {"ticket": "long"}) == {"ok": True}
    events += client.hear_to_the_end()
    assert_well_formed(events)
    name, stopped = events[-1]
    assert (name, stopped["reason"]) == ("stopped", "asked")
    assert stopped["limit"] == max(fields["limit"] for name, fields in events if name == "exhausted")
    assert client.heard_nothing_more()


def test_a_new_search_replaces_the_running_one(connect: Connect) -> None:
    client = connect()
    client.search("old", *LONG, method="deepening")
    client.hear_until("exhausted")
    client.search("new", *HOPPERS)
    events = client.hear_until("solved")
    assert select(events, "old")[-1][1]["reason"] == "replaced"
    assert_well_formed(select(events, "old"))
    assert_well_formed(select(events, "new"))
    assert events.index(select(events, "old")[-1]) < events.index(select(events, "new")[0])


def test_the_same_ticket_ends_before_it_begins_again(connect: Connect) -> None:
    client = connect()
    client.search("same", *LONG, method="deepening")
    client.hear_until("exhausted")
    client.search("same", *HOPPERS)
    assert client.hear_to_the_end()[-1][1]["reason"] == "replaced"
    again = client.hear_to_the_end()
    assert again[0][1]["limit"] == 1
    assert_well_formed(again)


def test_a_race_runs_side_by_side(connect: Connect) -> None:
    client = connect()
    for runner in "abcd":
        assert client.search(runner, *LONG, method="deepening", race="r")["ok"]
    refused = client.search("e", *LONG, method="deepening", race="r")
    assert refused["error"]["code"] == "race_full"
    heard: list[Heard] = []
    while any("progress" not in dict(select(heard, runner)) for runner in "abcd"):
        heard.append(client.hear())
    for runner in "abcd":
        client.say("stop", {"ticket": runner})
        heard += client.hear_until("stopped")
    for runner in "abcd":
        assert_well_formed(select(heard, runner))
    assert client.heard_nothing_more()


def test_two_clients_hear_only_their_own(connect: Connect) -> None:
    one, two = connect(), connect()
    one.search("t", *LONG, method="deepening")
    two.search("t", *HOPPERS, method="deepening")
    assert two.hear_to_the_end()[-1][0] == "solved"
    assert two.heard_nothing_more()
    two.say("stop", {"ticket": "t"})
    one.hear_until("progress")
    one.say("stop", {"ticket": "t"})
    assert one.hear_to_the_end()[-1][1]["reason"] == "asked"


def test_a_stale_ticket_stops_nothing(connect: Connect) -> None:
    client = connect()
    client.search("first", *HOPPERS)
    client.hear_to_the_end()
    client.search("second", *LONG, method="deepening")
    assert client.say("stop", {"ticket": "first"}) == {"ok": True}
    client.hear_until("progress")
    client.say("stop", {"ticket": "second"})
    assert client.hear_to_the_end()[-1][1]["ticket"] == "second"


def test_polling_clients_are_served_too(connect: Connect) -> None:
    client = connect(transport="polling")
    client.search("a", *HOPPERS, method="deepening")
    events = client.hear_to_the_end()
    assert_well_formed(events)
    assert events[-1][0] == "solved"


def raw_client(url: str) -> websocket.WebSocket:
    """A connected client that answers nothing by itself."""
    address = url.replace("http", "ws", 1)
    socket = websocket.create_connection(f"{address}/socket.io/?EIO=4&transport=websocket", timeout=PATIENCE)
    socket.send("40")
    return socket


def wait_until_free(client: Listener) -> float:
    """Ask until the only search of a server is over; returns for how many seconds."""
    began = time.monotonic()
    while not client.search("mine", *HOPPERS)["ok"]:
        assert time.monotonic() - began < PATIENCE
    waited = time.monotonic() - began
    assert client.hear_to_the_end()[-1][0] == "solved"
    return waited


def test_leaving_ends_a_search_and_room_is_made(serve: Serve, connect: Connect) -> None:
    url = serve(SEARCHES=1, MESSAGES_AT_ONCE=10_000)
    first, second = Listener(url), connect(url)
    first.search("a", *LONG, method="deepening")
    busy = second.search("b", *LONG, method="deepening")
    assert busy["error"]["code"] == "busy"
    first.leave()
    assert wait_until_free(second) < 1
    returned = connect(url)
    returned.search("a", *LONG, method="deepening")
    assert returned.hear()[1]["limit"] == 1


def test_a_silent_client_is_noticed(serve: Serve, connect: Connect) -> None:
    url = serve(SEARCHES=1, MESSAGES_AT_ONCE=10_000, PING_SECONDS=1)
    with closing(raw_client(url)) as silent:
        message = {"ticket": "a", "puzzle": LONG[0], "position": LONG[1], "method": "deepening"}
        silent.send(f"42{json.dumps(['search', message])}")
        while '"exhausted"' not in silent.recv():
            pass
        second = connect(url)
        assert not second.search("b", *HOPPERS)["ok"]
        assert wait_until_free(second) < 6


def test_a_search_ends_at_its_limits(serve: Serve, connect: Connect) -> None:
    client = connect(serve(SEARCH_SECONDS=0.2))
    client.search("a", *LONG, method="deepening")
    name, stopped = client.hear_to_the_end()[-1]
    assert (name, stopped["reason"]) == ("stopped", "limit")
    assert stopped["limit"] > 5
    assert 0.2 <= stopped["seconds"] < 1


SEARCH = {"ticket": "t", "puzzle": "hoppers", "position": "oooooo.oooooo"}
WRONG: list[tuple[str, tuple[Any, ...], str, str]] = [
    ("search", (), "invalid_request", "not 0"),
    ("search", (SEARCH, SEARCH), "invalid_request", "not 2"),
    ("search", (None,), "invalid_request", "None"),
    ("search", ("hoppers",), "invalid_request", "hoppers"),
    ("search", (b"\x00\x01",), "invalid_request", "bytes"),
    ("search", ([SEARCH],), "invalid_request", "array"),
    ("search", ({},), "invalid_request", "ticket"),
    ("search", ({**SEARCH, "ticket": 7},), "invalid_request", "$.ticket"),
    ("search", ({**SEARCH, "ticket": "t" * 101},), "invalid_request", "$.ticket"),
    ("search", ({**SEARCH, "colour": "red"},), "invalid_request", "colour"),
    ("search", ({**SEARCH, "find": "some"},), "invalid_request", "some"),
    ("search", ({**SEARCH, "first_move": [0]},), "invalid_request", "$.first_move"),
    ("search", ({**SEARCH, "first_move": [0, 6.0]},), "invalid_request", "$.first_move"),
    ("search", ({**SEARCH, "first_move": [0, True]},), "invalid_request", "$.first_move"),
    ("search", ({**SEARCH, "first_move": [0, 7]},), "invalid_move", "[0, 7]"),
    ("search", ({**SEARCH, "first_move": [0, 10**18]},), "invalid_move", "1000000000000000000"),
    ("search", ({**SEARCH, "puzzle": "hopers"},), "unknown_puzzle", "Did you mean 'hoppers'"),
    ("search", ({**SEARCH, "puzzle": "\ud800"},), "unknown_puzzle", "ud800"),
    ("search", ({**SEARCH, "position": "oo"},), "invalid_position", "'oo'"),
    ("search", ({**SEARCH, "position": "o" * 1000},), "invalid_position", "1000 characters"),
    ("search", ({**SEARCH, "position": "oooooo.oooooo:6"},), "invalid_position", "hole 6"),
    ("search", ({**SEARCH, "goal": "13"},), "invalid_goal", "'13'"),
    ("search", ({**SEARCH, "method": "magic"},), "invalid_method", "'magic'"),
    ("stop", (), "invalid_request", "not 0"),
    ("stop", ({"ticket": None},), "invalid_request", "$.ticket"),
    ("stop", ({"ticket": "t", "now": True},), "invalid_request", "now"),
    ("start", (SEARCH,), "invalid_request", "'start'"),
]


@pytest.mark.parametrize(("event", "payload", "code", "quote"), WRONG)
def test_wrong_messages_are_answered(
    generous: Listener, event: str, payload: tuple[Any, ...], code: str, quote: str
) -> None:
    answer = generous.say(event, *payload)
    assert answer["ok"] is False
    assert answer["error"]["code"] == code
    assert quote in answer["error"]["message"]
    assert len(answer["error"]["message"]) < 300


@pytest.fixture(scope="module")
def generous() -> Iterator[Listener]:
    """A client that may say as much as it likes."""
    with running_app(MESSAGES_AT_ONCE=1e9) as app, serving(app) as url:
        listener = Listener(url)
        yield listener
        listener.leave()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
PLAUSIBLE = st.fixed_dictionaries(
    {
        "ticket": JSON | st.just("t"),
        "puzzle": JSON | st.sampled_from(["hoppers", "eight-puzzle", "flip-it-6"]),
        "position": JSON | st.text("o.:0123456789bw_", max_size=16) | st.just("oooooo.oooooo"),
    },
    optional={
        "goal": JSON | st.just("any"),
        "method": JSON | st.just("deepening"),
        "find": JSON | st.just("all"),
        "first_move": JSON | st.just([0, 6]),
        "race": JSON,
    },
)


@settings(max_examples=150, deadline=None)
@given(event=st.sampled_from(["search", "stop"]) | st.text(max_size=10), payload=JSON | PLAUSIBLE)
def test_every_message_is_acknowledged(generous: Listener, event: str, payload: Any) -> None:
    assume(event not in ("connect", "disconnect", "*"))  # the library's own
    answer = generous.say(event, payload)
    assert answer == {"ok": True} or set(answer) == {"ok", "error"}
    assert answer["ok"] or set(answer["error"]) == {"code", "message"}
    assert answer["ok"] or answer["error"]["code"] != "internal"


def test_whoever_says_too_much_is_refused_and_then_disconnected(serve: Serve) -> None:
    client = Listener(serve(MESSAGES_AT_ONCE=10))
    answers = [client.say("stop", {"ticket": "t"}) for _ in range(30)]
    assert [answer["ok"] for answer in answers[:10]] == [True] * 10
    assert answers[-1]["error"]["code"] == "too_many_requests"
    for _ in range(400):
        client.send("stop", {"ticket": "t"})
    assert client.hear() == ("disconnect", {"reason": "server disconnect"})


def test_a_message_that_is_too_long_costs_the_connection_only(connect: Connect) -> None:
    client, other = connect(), connect()
    client.send("search", {**SEARCH, "goal": "x" * 20_000})
    assert client.hear()[0] == "disconnect"
    assert other.search("a", *HOPPERS) == {"ok": True}


@pytest.mark.parametrize(
    "packet", ["40", '42["disconnect"]', "42{}", "42[[[[", "nonsense", '421["stop",' + "9" * 5000]
)
def test_packets_that_are_none_do_no_harm(serve: Serve, connect: Connect, packet: str) -> None:
    url = serve()
    with closing(raw_client(url)) as socket:
        socket.send(packet)
        assert connect(url).search("a", *HOPPERS) == {"ok": True}


def test_connections_are_limited(serve: Serve, connect: Connect) -> None:
    for limits in ({"CONNECTIONS": 2}, {"CONNECTIONS_PER_ADDRESS": 2}):
        url = serve(**limits)
        first, _ = connect(url), connect(url)
        with pytest.raises(ConnectionError):
            connect(url)
        first.leave()
        assert connect(url).search("a", *HOPPERS) == {"ok": True}


def test_pages_of_other_sites_may_not_connect(live_server: str) -> None:
    address = f"{live_server}/socket.io/?EIO=4&transport=polling"
    assert requests.get(address, headers={"Origin": live_server}).status_code == 200
    assert requests.get(address, headers={"Origin": "http://elsewhere.example"}).status_code == 400
