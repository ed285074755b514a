"""Malformed messages on the channel: each is answered, and no other client is affected."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
import websocket
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from socketio.exceptions import ConnectionError

from tests.conftest import Connect, Serve, running_app, serving
from tests.support.socket_client import TIMEOUT_SECONDS, Listener, raw_client

HOPPERS = ("hoppers", "oooooo.oooooo")
SEARCH = {"ticket": "t", "puzzle": "hoppers", "position": "oooooo.oooooo"}
WRONG: list[tuple[str, tuple[Any, ...], str, str]] = [
    ("search", (), "invalid_request", "not 0"),
    ("search", (SEARCH, SEARCH), "invalid_request", "not 2"),
    ("search", (None,), "invalid_request", "'null' is not an object"),
    (
        "search",
        ({"ticket": "b", "fresh": True},),
        "invalid_request",
        '\'{"ticket": "b", "fresh": true}\' has no puzzle',
    ),
    ("search", ("hoppers",), "invalid_request", "hoppers"),
    ("search", (b"\x00\x01",), "invalid_request", "b'"),
    ("search", ([SEARCH],), "invalid_request", '[{"ticket": "t"'),
    ("search", ({},), "invalid_request", "'{}' has no ticket"),
    ("search", ({**SEARCH, "ticket": 7},), "invalid_request", "'ticket=7' is not valid: ticket is a text of"),
    ("search", ({**SEARCH, "ticket": "t" * 101},), "invalid_request", "ticket is a text of at most 100"),
    ("search", ({**SEARCH, "colour": "red"},), "invalid_request", "'colour=red' is not known here"),
    (
        "search",
        ({**SEARCH, "find": "some"},),
        "invalid_request",
        "'find=some' is not valid: find is 'all' or 'first'",
    ),
    (
        "search",
        ({**SEARCH, "fresh": 1},),
        "invalid_request",
        "'fresh=1' is not valid: fresh is true or false",
    ),
    (
        "search",
        ({**SEARCH, "first_move": [0]},),
        "invalid_request",
        "first_move is a list of 2 whole numbers",
    ),
    ("search", ({**SEARCH, "first_move": [0, 6.0]},), "invalid_request", "'first_move=[0, 6.0]'"),
    ("search", ({**SEARCH, "first_move": [0, True]},), "invalid_request", "'first_move=[0, true]'"),
    ("search", ({**SEARCH, "first_move": [0, 7]},), "invalid_move", "[0, 7]"),
    ("search", ({**SEARCH, "first_move": [0, 10**18]},), "invalid_move", "1000000000000000000"),
    ("search", ({**SEARCH, "puzzle": "hopers"},), "unknown_puzzle", "Did you mean 'hoppers'"),
    *[
        ("search", ({**SEARCH, name: "\ud800"},), "invalid_request", f"'{name}=\\ud800' is not valid")
        for name in SEARCH
    ],
    ("search", ({**SEARCH, "\ud800": 1},), "invalid_request", "ud800"),
    ("search", ({"\ud800": "\ud800"},), "invalid_request", "ud800"),
    ("\ud800", (), "invalid_request", "ud800"),
    ("stop", ({"ticket": "\udfff"},), "invalid_request", "half of a surrogate pair"),
    ("stop", ({"ticket": ["\udfff"]},), "invalid_request", "half of a surrogate pair"),
    ("stop", ("\ud800",), "invalid_request", "is not an object with names"),
    ("stop", ({"ticket": "never"},), "unknown_ticket", "'never'"),
    ("pause", ({"ticket": "never"},), "unknown_ticket", "'never'"),
    ("resume", ({"ticket": "never"},), "unknown_ticket", "'never'"),
    ("search", ({**SEARCH, "position": "oo"},), "invalid_position", "'oo'"),
    ("search", ({**SEARCH, "position": "o" * 1000},), "invalid_position", "1000 characters"),
    ("search", ({**SEARCH, "position": "oooooo.oooooo:6"},), "invalid_position", "hole 6"),
    ("search", ({**SEARCH, "goal": "13"},), "invalid_goal", "'13'"),
    ("search", ({**SEARCH, "method": "magic"},), "invalid_method", "'magic'"),
    ("stop", (), "invalid_request", "not 0"),
    ("stop", ({"ticket": None},), "invalid_request", "'ticket=null' is not valid"),
    ("stop", ({"ticket": "t", "now": True},), "invalid_request", "names are ticket"),
    (
        "rejoin",
        ({"ticket": "t", "limit": "5"},),
        "invalid_request",
        "'limit=5' is not valid: limit is a whole",
    ),
    ("start", (SEARCH,), "invalid_request", "'start'"),
]


@pytest.mark.parametrize(("event", "payload", "code", "quote"), WRONG)
def test_wrong_messages_are_answered(
    generous: Listener, event: str, payload: tuple[Any, ...], code: str, quote: str
) -> None:
    answer = generous.call(event, *payload)
    assert answer["ok"] is False
    assert answer["error"]["code"] == code
    assert quote in answer["error"]["message"]
    assert len(answer["error"]["message"]) < 300


@pytest.fixture(scope="module")
def generous() -> Iterator[Listener]:
    """Client without a limit on messages."""
    with running_app(MESSAGES_AT_ONCE=1e9) as app, serving(app) as url:
        listener = Listener(url)
        yield listener
        listener.leave()


TEXTS = st.text(max_size=20) | st.text("a\ud800\udfff", max_size=4)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
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


@settings(max_examples=60, deadline=None)
@example(event="search", payload="\ud800")
@example(event="search", payload=["\ud800"])
@given(event=st.sampled_from(["search", "stop"]) | st.text(max_size=10), payload=JSON | PLAUSIBLE)
def test_every_message_is_acknowledged(generous: Listener, event: str, payload: Any) -> None:
    assume(event not in ("connect", "disconnect", "*"))  # reserved by the library
    answer = generous.call(event, payload)
    assert answer == {"ok": True} or set(answer) == {"ok", "error"}
    assert answer["ok"] or set(answer["error"]) == {"code", "message"}
    assert answer["ok"] or answer["error"]["code"] != "internal"


def test_too_many_messages_end_the_connection_after_a_refusal(serve: Serve, connect: Connect) -> None:
    client = connect(serve(MESSAGES_AT_ONCE=10, MESSAGES_PER_SECOND=0.1))
    answers = [client.call("stop", {"ticket": "t"}) for _ in range(30)]
    assert [answer["error"]["code"] for answer in answers[:10]] == ["unknown_ticket"] * 10
    assert answers[-1]["error"]["code"] == "too_many_requests"
    for _ in range(400):
        client.send("stop", {"ticket": "t"})
    assert client.receive()[0] == "disconnect"  # messages in transit may hide the server's reason


def test_too_long_message_ends_only_its_connection(connect: Connect) -> None:
    client, other = connect(), connect()
    client.send("search", {**SEARCH, "goal": "x" * 20_000})
    assert client.receive()[0] == "disconnect"
    assert other.search("a", *HOPPERS) == {"ok": True}


@pytest.mark.parametrize(
    "packet", ["40", '42["disconnect"]', "42{}", "42[[[[", "nonsense", '421["stop",' + "9" * 5000]
)
def test_invalid_packet_does_not_affect_other_clients(
    live_server: str, connect: Connect, packet: str
) -> None:
    with closing(raw_client(live_server)) as socket:
        socket.send(packet)
        assert connect().search("a", *HOPPERS) == {"ok": True}


def test_connections_are_limited(serve: Serve, connect: Connect) -> None:
    for limits in ({"CONNECTIONS": 2}, {"CONNECTIONS_PER_ADDRESS": 2}):
        url = serve(**limits)
        first, _ = connect(url), connect(url)
        with pytest.raises(ConnectionError):
            connect(url)
        first.leave()
        assert connect(url).call("stop", {"ticket": "a"})["error"]["code"] == "unknown_ticket"


def test_pages_of_other_sites_may_not_connect(live_server: str) -> None:
    address = f"{live_server.replace('http', 'ws', 1)}/socket.io/?EIO=4&transport=websocket"
    websocket.create_connection(address, timeout=TIMEOUT_SECONDS, origin=live_server).close()
    with pytest.raises(websocket.WebSocketBadStatusException, match="400"):
        websocket.create_connection(address, timeout=TIMEOUT_SECONDS, origin="http://elsewhere.example")
