"""Long polling by raw requests: the limits of sockets apply, and hostile requests get their own answers."""

import gc
import json
import time
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Event
from typing import Any

import pytest
import requests
import websocket

from hoppers.web.channel.connections import LIMITS
from tests.support.processes import wait_for
from tests.support.socket_client import TIMEOUT_SECONDS
from tests.web.channel.guarded import Guarded, Poller, client_of, limit

pytestmark = pytest.mark.slow

Serve = Callable[..., Guarded]
Poll = Callable[..., Poller]
SEARCH = '420["search",{"ticket":"a","puzzle":"hoppers","position":"oooooo.oooooo"}]'


def code_of(response: requests.Response) -> str:
    return str(response.json()["error"]["code"])


def is_free(guarded: Guarded) -> bool:
    """Return whether the server holds nothing of any connection."""
    server = guarded.app.extensions["socketio"].server
    held = guarded.engine.sockets, server.environ, server._binary_packet
    return not any(held) and guarded.app.extensions["connections"].count() == 0


def test_a_search_streams_its_rows_over_requests(poll: Poll, guarded: Guarded) -> None:
    poller = poll(guarded)
    assert poller.post(SEARCH.replace('"position"', '"method":"deepening","position"')).text == "OK"
    packets: list[str] = []
    while not any(packet.startswith('42["solved"') for packet in packets):  # a ping may come behind it
        answer = poller.get()
        assert answer.headers["Cache-Control"] == "no-store"
        packets += answer.text.split("\x1e")
    assert '430[{"ok":true}]' in packets
    events = [json.loads(packet[2:]) for packet in packets if packet.startswith("42")]
    rows = [fields["limit"] for name, fields in events if name == "exhausted"]
    assert rows == [1, 2, 3, 4, 5, 6]
    assert poller.post("1").text == "OK"
    assert poller.get().status_code == 400
    assert is_free(guarded)


INVALID = [
    "",
    "nonsense",
    "9",
    "4",
    "42{",
    '4{"a": 1}',
    "4" + "[" * 15_000,
    "42" + "[" * 15_000,
    '451000000-["search", {}]',
    f'45{LIMITS.attachments + 1}-["search", {{}}]',
    "44",
    "b*",
    "bAAAA",
    b"\xff\xfe",
    b"4\x00\xff",
    "d=4",
    "2probe",
    '0{"sid":"x"}',
]


@pytest.mark.parametrize("packet", INVALID)
def test_an_invalid_packet_is_answered_with_400_and_ends_polling(
    poll: Poll, guarded: Guarded, packet: str | bytes, caplog: pytest.LogCaptureFixture
) -> None:
    poller = poll(guarded)
    assert poller.post(packet).status_code == 400
    assert poller.post("3").status_code == 400
    assert is_free(guarded)
    assert not [record for record in caplog.records if record.exc_info]


def test_packets_after_the_end_join_nothing(poll: Poll, guarded: Guarded) -> None:
    for packets in (("1", "40"), ("41", "1", "40"), ("9", "40"), ("nonsense", "40")):
        poller = poll(guarded)
        assert poller.post(*packets).status_code == 400
        assert is_free(guarded)
        assert not guarded.app.extensions["socketio"].server.manager.rooms.get("/", {}).get(None)


def test_half_a_binary_message_is_dropped_with_its_connection(poll: Poll, guarded: Guarded) -> None:
    poller = poll(guarded)
    assert poller.post('451-["search",{"_placeholder":true,"num":0}]').ok
    assert not is_free(guarded)
    poller.post("1")
    assert is_free(guarded)


def test_too_large_bodies_end_the_connection(poll: Poll, guarded: Guarded) -> None:
    for body, status in ((b"4" * 20_000, 413), (b"4" * (1 << 20), 413), (iter([b"4" * 20_000]), 400)):
        poller = poll(guarded)
        answer = requests.post(poller.address, data=body, timeout=TIMEOUT_SECONDS)
        assert answer.status_code == status
        assert poller.get().status_code == 400
        assert is_free(guarded)
    answer = requests.request("GET", poll(guarded).address.partition("&sid")[0], data=b"4" * 20_000)
    assert (answer.status_code, code_of(answer)) == (413, "too_long")


def test_packets_are_counted_whatever_carries_them(poll: Poll, serve_guarded: Serve) -> None:
    guarded = serve_guarded(MESSAGES_AT_ONCE=10, MESSAGES_PER_SECOND=1)
    poller = poll(guarded)
    assert poller.post(*["3"] * 300).ok
    assert poller.post(*["3"] * 300).status_code == 400
    poller = poll(guarded)
    assert poller.post(*['421["stop",{"ticket":"a"}]'] * 50).ok
    answers: list[str] = []
    while len(answers) < 50:
        answers += poller.get().text.split("\x1e")
    assert sum("unknown_ticket" in answer for answer in answers) == 10
    assert sum("too_many_requests" in answer for answer in answers) == 40


def test_an_answer_has_at_most_the_packets_that_clients_read(poll: Poll, guarded: Guarded) -> None:
    poller, emit = poll(guarded), guarded.emitter()
    client = client_of(guarded)
    for number in range(100):
        emit("exhausted", {"limit": number}, client)
    guarded.wait_for_the_loop()
    received: list[str] = []
    while len(received) < 100:
        packets = poller.get().text.split("\x1e")
        assert len(packets) <= 16
        received += packets
    assert [json.loads(packet[2:])[1]["limit"] for packet in received] == list(range(100))
    poller.post("1")


UNKNOWN = ["x", "../x", "%00", "%FF", "a" * 1_000, "AAAAAAAAAAAAAAAAAAAA"]


@pytest.mark.parametrize("id", UNKNOWN)
def test_unknown_connections_are_refused(guarded: Guarded, id: str) -> None:
    address = f"{guarded.url}/socket.io/?EIO=4&transport=polling&sid={id}"
    for method in ("GET", "POST"):
        answer = requests.request(method, address, data="40" if method == "POST" else None)
        assert (answer.status_code, code_of(answer)) == (400, "invalid_request")
    assert is_free(guarded)


ODD = {
    "no version": ("GET", "transport=polling", 400),
    "an old version": ("GET", "EIO=3&transport=polling", 400),
    "an unknown transport": ("GET", "EIO=4&transport=webtransport", 400),
    "a socket without a handshake": ("GET", "EIO=4&transport=websocket", 400),
    "a message of nothing": ("POST", "EIO=4&transport=polling", 400),
    "an empty id": ("POST", "EIO=4&transport=polling&sid=", 400),
    "another method": ("PUT", "EIO=4&transport=polling", 405),
    "a preflight": ("OPTIONS", "EIO=4&transport=polling", 405),
    "JSONP without a number": ("GET", "EIO=4&transport=polling&j=x", 400),
}


@pytest.mark.parametrize(("method", "query", "status"), ODD.values(), ids=ODD)
def test_odd_requests_open_nothing(guarded: Guarded, method: str, query: str, status: int) -> None:
    answer = requests.request(method, f"{guarded.url}/socket.io/?{query}", timeout=TIMEOUT_SECONDS)
    assert answer.status_code == status
    assert answer.headers.get("Allow") == ("GET, POST" if status == 405 else None)
    assert answer.headers["Cache-Control"] == "no-store"
    assert is_free(guarded)


def test_pages_of_other_sites_may_not_poll(poll: Poll, guarded: Guarded) -> None:
    own = poll(guarded, Origin=guarded.url)
    assert own.opening.headers["Access-Control-Allow-Origin"] == guarded.url
    foreign = poll(guarded, Origin="http://elsewhere.example")
    assert foreign.opening.status_code == 400
    own.post("1")
    assert is_free(guarded)


def test_connections_are_counted_whatever_carries_them(
    poll: Poll, serve_guarded: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch, spare=1)
    for limits in ({"CONNECTIONS": 2}, {"CONNECTIONS_PER_ADDRESS": 2}):
        guarded = serve_guarded(**limits)
        with guarded.open():
            pollers = [poll(guarded), poll(guarded, join=False)]
            assert guarded.app.extensions["connections"].count() == 3
            assert pollers[1].post("40").ok
            assert pollers[1].get().text.startswith("44{")
            assert poll(guarded).opening.status_code == 503
            with pytest.raises(websocket.WebSocketBadStatusException, match="503"), guarded.open():
                pass
            limit(monkeypatch, join_seconds=0)
            assert poll(guarded, join=False).opening.ok
            assert pollers[1].is_ended()
            assert pollers[0].post("3").ok
            limit(monkeypatch, join_seconds=60)
            pollers[0].post("1")
            assert poll(guarded, join=False).opening.ok


def test_a_silent_connection_ends_and_one_that_answers_does_not(poll: Poll, serve_guarded: Serve) -> None:
    guarded = serve_guarded(PING_SECONDS=1)
    silent = [poll(guarded), poll(guarded, join=False)]
    alive, began = poll(guarded), time.monotonic()
    while time.monotonic() - began < 4:
        assert alive.get().text == "2"
        assert alive.post("3").ok
    assert [*guarded.engine.sockets] == [alive.id]
    assert all(poller.get().status_code == 400 for poller in silent)
    only_polls = poll(guarded)
    alive.post("1")
    wait_for(only_polls.is_ended)
    assert is_free(guarded)


def test_a_client_that_does_not_poll_is_dropped(
    poll: Poll, serve_guarded: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch, queued=40)
    guarded = serve_guarded(MESSAGES_AT_ONCE=1_000)
    poller, emit = poll(guarded), guarded.emitter()
    (own,), client = guarded.engine.sockets.values(), client_of(guarded)
    while not own.closed:
        emit("exhausted", {"text": "x" * 10_000}, client)
        guarded.wait_for_the_loop()
    assert own.queue.qsize() <= 42
    assert poller.post("3").status_code == 400
    acknowledged = poll(guarded)
    stop = '421["stop",{"ticket":"a"}]'
    assert [acknowledged.post(*[stop] * 20).status_code for _ in range(3)] == [200, 400, 400]
    assert is_free(guarded)


def test_a_second_poll_is_refused_while_one_waits(poll: Poll, guarded: Guarded) -> None:
    poller = poll(guarded)
    with ThreadPoolExecutor() as threads:
        first = threads.submit(poller.get)
        (own,) = guarded.engine.sockets.values()
        wait_for(lambda: own.session.under_way)
        second = requests.get(poller.address, timeout=TIMEOUT_SECONDS)
        assert (second.status_code, code_of(second)) == (400, "invalid_request")
        guarded.emitter()("exhausted", {"limit": 1}, client_of(guarded))
        assert first.result().text == '42["exhausted",{"limit":1}]'
    poller.post("1")


def test_a_second_body_is_refused_while_one_is_read(
    poll: Poll, serve_guarded: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = Event()
    monkeypatch.setattr("hoppers.web.app.parse_search", lambda *request, **more: go_on.wait(TIMEOUT_SECONDS))
    poller = poll(serve_guarded())
    with ThreadPoolExecutor() as threads:
        first = threads.submit(poller.post, SEARCH)
        wait_for(lambda: poller_is_reading(poller))
        go_on.set()
        assert first.result().ok
    assert poller.post("1").ok


def poller_is_reading(poller: Poller) -> bool:
    return requests.post(poller.address, data="3", timeout=TIMEOUT_SECONDS).status_code == 400


def test_polls_that_wait_take_no_threads(poll: Poll, guarded: Guarded) -> None:
    pollers = [poll(guarded) for _ in range(12)]
    with ThreadPoolExecutor(len(pollers)) as threads:
        waiting = [threads.submit(poller.get) for poller in pollers]
        wait_for(lambda: all(own.session.under_way for own in guarded.engine.sockets.values()))
        for path in ("/puzzles/hoppers", "/healthz", "/api/puzzles"):
            assert requests.get(guarded.url + path, timeout=TIMEOUT_SECONDS).ok
        assert not any(poll.done() for poll in waiting)
        for poller in pollers:
            assert poller.post("1").ok
        assert [poll.result().ok for poll in waiting] == [True] * len(waiting)
    assert is_free(guarded)


def test_polls_beyond_the_rate_wait_and_share_an_answer(poll: Poll, serve_guarded: Serve) -> None:
    guarded = serve_guarded(MESSAGES_AT_ONCE=5, MESSAGES_PER_SECOND=5)
    poller, emit = poll(guarded), guarded.emitter()
    client, began, answers = client_of(guarded), time.monotonic(), 0
    received: list[str] = []
    while time.monotonic() - began < 1.5:
        for _ in range(3):
            emit("exhausted", {"limit": 1}, client)
        answer = poller.get()
        assert answer.status_code == 200
        answers += 1
        received += answer.text.split("\x1e")
    assert answers <= 5 + 1.5 * 10 + 2
    assert len(received) >= 3 * (answers - 1)


def test_opening_counts_as_a_request_and_polling_does_not(poll: Poll, serve_guarded: Serve) -> None:
    guarded = serve_guarded(API_RATE="4 per hour")
    poller = poll(guarded)
    for _ in range(10):
        assert poller.post("3").ok
    opened = [poll(guarded, join=False).opening.status_code for _ in range(4)]
    assert opened == [200, 200, 200, 429]
    assert requests.get(f"{poller.address}x").status_code == 429
    assert poller.post(SEARCH).ok


def upgrade(poller: Poller) -> Any:
    """Return a WebSocket that is about to carry a connection."""
    address = poller.address.replace("http", "ws", 1).replace("transport=polling", "transport=websocket")
    return websocket.create_connection(address, timeout=TIMEOUT_SECONDS)


def test_an_upgraded_connection_is_one_and_takes_no_more_requests(poll: Poll, guarded: Guarded) -> None:
    poller = poll(guarded)
    socket = upgrade(poller)
    socket.send("2probe")
    assert socket.recv() == "3probe"
    with pytest.raises(websocket.WebSocketBadStatusException, match="400"):
        upgrade(poller)
    assert poller.get().text == "6"
    socket.send("5")
    socket.send(SEARCH)
    while "solved" not in (text := socket.recv()):
        assert text
    assert guarded.app.extensions["connections"].count() == 1
    for answer in (poller.get(), poller.post("3")):
        assert answer.status_code == 400
    socket.shutdown()
    wait_for(lambda: is_free(guarded))


def wait_for_the_end(socket: Any) -> None:
    with suppress(websocket.WebSocketException, OSError):
        while socket.recv():
            pass
    socket.shutdown()


@pytest.mark.parametrize("packet", ["9", "4", "2other", "3probe", b"\xff"])
def test_polling_goes_on_after_an_upgrade_that_is_given_up(
    poll: Poll, guarded: Guarded, packet: str | bytes
) -> None:
    poller = poll(guarded)
    socket = upgrade(poller)
    (socket.send if isinstance(packet, str) else socket.send_binary)(packet)
    wait_for_the_end(socket)
    assert poller.post('421["stop",{"ticket":"a"}]').ok
    assert "There is no search with the ticket 'a'" in poller.get().text


@pytest.mark.parametrize("packets", [[""], ["nonsense"], ["2probe", ""], ["2probe", "5", "9"]])
def test_an_upgrade_with_an_invalid_packet_ends_the_connection(
    poll: Poll, guarded: Guarded, packets: list[str]
) -> None:
    poller = poll(guarded)
    socket = upgrade(poller)
    for packet in packets:
        socket.send(packet)
    wait_for_the_end(socket)
    wait_for(lambda: is_free(guarded))
    assert poller.get().status_code == 400


def test_polling_that_ends_during_an_upgrade_ends_both(poll: Poll, guarded: Guarded) -> None:
    poller = poll(guarded)
    socket = upgrade(poller)
    socket.send("2probe")
    assert socket.recv() == "3probe"
    assert poller.post("1").ok
    socket.send("5")
    wait_for_the_end(socket)
    wait_for(lambda: is_free(guarded))


def test_nothing_is_kept_of_an_ended_connection(poll: Poll, guarded: Guarded) -> None:
    with guarded.open():
        pollers = [poll(guarded), poll(guarded, join=False)]
        kept = [weakref.ref(own.session) for own in guarded.engine.sockets.values()]
        for poller in pollers:
            poller.post("1")
    wait_for(lambda: is_free(guarded))
    for _ in range(50):  # the event loop may hold a frame of the last request
        gc.collect()
        if not any(connection() for connection in kept):
            return
        time.sleep(0.1)
    raise AssertionError(kept)
