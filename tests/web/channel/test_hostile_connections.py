"""Hostile connections by raw sockets: the server closes each, and frees its memory."""

import json
import socket
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from typing import Any, NoReturn
from unittest.mock import Mock

import pytest
import requests
import websocket

from hoppers.web.channel.connections import LIMITS
from tests.conftest import Connect
from tests.support.processes import wait_for
from tests.web.channel.guarded import ADDRESS, Guarded, Poller, client_of, limit
from tests.web.raw_http import answer_to

pytestmark = pytest.mark.slow


def is_ended(connection: Any) -> bool:
    """Return whether the server closes the connection; skip packets sent before."""
    try:
        while connection.recv() not in ("", "1", "41"):
            pass
    except websocket.WebSocketTimeoutException:
        return False
    except (websocket.WebSocketException, OSError):
        return True
    return True


@pytest.mark.parametrize(
    "packet",
    [
        "nonsense",
        "9",
        "4",
        "4nonsense",
        "42{",
        '4{"a": 1}',
        "4" + "[" * 15_000,
        "42" + "[" * 15_000,
        '421234567890["stop"' * 3,
        '451000000-["search", {}]',
        f'45{LIMITS.attachments + 1}-["search", {{}}]',
        f'42{LIMITS.attachments + 1}-["search", {{}}]',
        "44",
        "47",
        b"an attachment of nothing",
    ],
)
def test_invalid_packet_ends_the_connection(guarded: Guarded, packet: str | bytes) -> None:
    with guarded.open() as connection:
        send = connection.send if isinstance(packet, str) else connection.send_binary
        send(packet)
        assert is_ended(connection)
    wait_for(lambda: not guarded.engine.sockets)


HALF = '451-["search",{"_placeholder":true,"num":0}]'


def test_half_a_message_is_dropped_with_its_connection(guarded: Guarded) -> None:
    halves = guarded.app.extensions["socketio"].server._binary_packet
    for parting in ("", "41", "1"):
        with guarded.open() as connection:
            connection.send(HALF)
            wait_for(lambda: len(halves) == 1)
            if parting:
                connection.send(parting)
        wait_for(lambda: not halves)


@pytest.mark.parametrize("packets", [[HALF], ["40", "41", HALF], [HALF.replace("451-", "451-/x,")]])
def test_half_a_message_of_nobody_ends_the_connection(guarded: Guarded, packets: list[str]) -> None:
    with guarded.open(join=False) as connection:
        for packet in packets:
            connection.send(packet)
        wait_for(lambda: not guarded.engine.sockets)
    assert not guarded.app.extensions["socketio"].server._binary_packet


def test_endless_message_is_not_collected(guarded: Guarded) -> None:
    with guarded.open() as connection:
        with suppress(OSError):  # the connection may end before all is sent
            for number in range(8):
                opcode = websocket.ABNF.OPCODE_TEXT if number == 0 else websocket.ABNF.OPCODE_CONT
                connection.send_frame(websocket.ABNF.create_frame("4" * 4096, opcode, fin=0))
        assert is_ended(connection)


def test_packets_without_a_message_are_counted(serve_guarded: Callable[..., Guarded]) -> None:
    guarded = serve_guarded(MESSAGES_AT_ONCE=10, PING_SECONDS=60)
    with guarded.open() as connection:
        try:
            for _ in range(LIMITS.spare_packets + 200):
                connection.send("3")
        except OSError:
            pass
        assert is_ended(connection)


def test_no_connection_has_a_compressor(guarded: Guarded) -> None:
    offer = ["Sec-WebSocket-Extensions: permessage-deflate"]
    with guarded.open(header=offer) as connection:
        assert "sec-websocket-extensions" not in connection.getheaders()


def test_connections_that_never_join_are_limited_and_make_room(
    serve_guarded: Callable[..., Guarded], monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch, spare=1)
    for limits in ({"CONNECTIONS": 2}, {"CONNECTIONS_PER_ADDRESS": 2}):
        guarded = serve_guarded(**limits)
        engine = guarded.app.extensions["engine"]
        with ExitStack() as stack:
            limit(monkeypatch, busy=3)
            assert not engine.is_busy()
            idle = [stack.enter_context(guarded.open(join=False)) for _ in range(3)]
            assert engine.is_busy()
            with pytest.raises(websocket.WebSocketBadStatusException, match="503"):
                stack.enter_context(guarded.open(join=False))
            limit(monkeypatch, join_seconds=0)
            stack.enter_context(guarded.open())
            assert is_ended(idle[0])
            limit(monkeypatch, join_seconds=60)


def narrow() -> list[tuple[int, int, int]]:
    """Return options of a socket with a small receive buffer."""
    return [(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)]


def test_a_client_that_does_not_read_is_disconnected_early(
    serve_guarded: Callable[..., Guarded], connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch, queued=40)
    guarded = serve_guarded()
    emit = guarded.emitter()
    with guarded.open(sockopt=narrow()):
        client, most = client_of(guarded), 0
        (connection,) = guarded.engine.sockets.values()
        while not connection.closed:
            for name in ("progress", "exhausted"):
                emit(name, {"limit": 1, "text": "x" * 10_000}, client)
            guarded.wait_for_the_loop()  # else many events could be queued between two checks
            most = max(most, connection.queue.qsize())
    assert LIMITS.slow_queue <= most <= 42  # including the packet that ends the connection
    assert connect(guarded.url).search("a", "hoppers", "oooooo.oooooo") == {"ok": True}


def test_a_slow_client_gets_results_but_not_all_progress(
    serve_guarded: Callable[..., Guarded], monkeypatch: pytest.MonkeyPatch
) -> None:
    guarded, sent = serve_guarded(), list[str]()
    emit = guarded.emitter()
    monkeypatch.setattr(
        guarded.app.extensions["socketio"], "emit", lambda name, fields, to: sent.append(name)
    )
    with guarded.open():
        (connection,) = guarded.engine.sockets.values()
        queue = Mock(wraps=connection.queue, **{"qsize.side_effect": lambda: len(sent)})
        monkeypatch.setattr(connection, "queue", queue)
        for _ in range(100):
            for name in ("progress", "exhausted"):
                emit(name, {}, client_of(guarded))
        wait_for(lambda: sent.count("exhausted") == 100)
    assert sent.count("progress") == LIMITS.slow_queue // 2


def test_sending_to_a_client_that_does_not_read_ends(serve_guarded: Callable[..., Guarded]) -> None:
    guarded = serve_guarded(PING_SECONDS=2)  # a busy machine may take half a second to connect
    emit = guarded.emitter()
    with guarded.open(sockopt=narrow()):
        client = client_of(guarded)
        for _ in range(LIMITS.queued):
            emit("exhausted", {"text": "x" * 10_000}, client)
        wait_for(lambda: not guarded.engine.sockets)


def test_long_messages_arrive_whole_at_a_late_reader(serve_guarded: Callable[..., Guarded]) -> None:
    guarded = serve_guarded()
    emit = guarded.emitter()
    with guarded.open(sockopt=narrow()) as connection:
        for number in range(3):
            emit("exhausted", {"limit": number, "text": "x" * 300_000}, client_of(guarded))
        time.sleep(0.3)
        for number in range(3):
            name, fields = json.loads(connection.recv().removeprefix("42"))
            assert (name, fields) == ("exhausted", {"limit": number, "text": "x" * 300_000})


def test_events_of_many_threads_arrive_in_the_order_of_each(serve_guarded: Callable[..., Guarded]) -> None:
    guarded = serve_guarded()
    emit = guarded.emitter()
    with guarded.open() as connection:
        client = client_of(guarded)

        def send(name: str) -> None:
            for number in range(50):
                emit("exhausted", {"from": name, "limit": number}, client)

        threads = [threading.Thread(target=send, args=(name,)) for name in "abc"]
        for thread in threads:
            thread.start()
        events = [json.loads(connection.recv().removeprefix("42"))[1] for _ in range(150)]
        for thread in threads:
            thread.join()
    for name in "abc":
        assert [event["limit"] for event in events if event["from"] == name] == list(range(50))


def test_clients_take_no_threads_and_all_are_pinged(serve_guarded: Callable[..., Guarded]) -> None:
    guarded = serve_guarded(PING_SECONDS=2)  # the first clients wait until all are connected
    before = threading.active_count()
    with ExitStack() as stack:
        clients = [stack.enter_context(guarded.open()) for _ in range(20)]
        for _ in range(2):
            for client in clients:
                assert client.recv() == "2"
                client.send("3")
        assert threading.active_count() <= before + 4


HANDSHAKE = {
    "Host": "127.0.0.1",
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}
BAD_HANDSHAKES = {
    "no key": {"Sec-WebSocket-Key": None},
    "a short key": {"Sec-WebSocket-Key": "c2hvcnQ="},
    "a key that is none": {"Sec-WebSocket-Key": "*" * 24},
    "no version": {"Sec-WebSocket-Version": None},
    "an old version": {"Sec-WebSocket-Version": "8"},
    "another protocol": {"Upgrade": "h2c"},
    "no upgrade": {"Connection": "close"},
    "no host": {"Host": None},
}


FIRST_LINE = f"GET /{ADDRESS} HTTP/1.1"
BAD_FIRST_LINES = {
    "another method": FIRST_LINE.replace("GET", "POST"),
    "an old protocol": FIRST_LINE.replace("1.1", "1.0"),
    "another transport": FIRST_LINE.replace("websocket", "polling"),
}


@pytest.mark.parametrize("changes", BAD_HANDSHAKES.values(), ids=BAD_HANDSHAKES)
def test_bad_handshakes_are_answered_with_400(guarded: Guarded, changes: dict[str, str | None]) -> None:
    assert_refused(guarded, handshake({**HANDSHAKE, **changes}))


@pytest.mark.parametrize("first_line", BAD_FIRST_LINES.values(), ids=BAD_FIRST_LINES)
def test_handshakes_of_another_kind_are_answered_with_400(guarded: Guarded, first_line: str) -> None:
    assert_refused(guarded, handshake({**HANDSHAKE, "Content-Length": "0"}, first_line))


@pytest.mark.parametrize("changes", BAD_HANDSHAKES.values(), ids=BAD_HANDSHAKES)
def test_polling_survives_a_spoilt_handshake(
    poll: Callable[..., Poller], guarded: Guarded, changes: dict[str, str | None]
) -> None:
    poller = poll(guarded)
    first_line = f"{FIRST_LINE.removesuffix(' HTTP/1.1')}&sid={poller.id} HTTP/1.1"
    head, _ = answer_to(handshake({**HANDSHAKE, **changes}, first_line), guarded.url)
    assert " 400 " in head.splitlines()[0]
    assert poller.post('421["stop",{"ticket":"a"}]').ok
    (answer,) = json.loads(poller.get().text.removeprefix("431"))
    assert answer["error"]["code"] == "unknown_ticket", "the session goes on and is answered"


def assert_refused(guarded: Guarded, request: bytes) -> None:
    before = set(guarded.engine.sockets)  # sessions that clients of earlier tests have left
    head, body = answer_to(request, guarded.url)
    assert " 400 " in head.splitlines()[0]
    assert json.loads(body)["error"]["code"] == "invalid_request"
    assert set(guarded.engine.sockets) <= before
    assert guarded.app.extensions["connections"].count() <= len(before)


def handshake(headers: Mapping[str, str | None], first_line: str = FIRST_LINE) -> bytes:
    lines = [f"{name}: {value}" for name, value in headers.items() if value is not None]
    return "\r\n".join([first_line, *lines, "", ""]).encode()


def test_headers_that_nothing_needs_are_not_kept(guarded: Guarded) -> None:
    """Otherwise each connection could keep a hundred headers of 8 kB in memory."""
    with guarded.open(header=[f"X-Long-{number}: {'x' * 8_000}" for number in range(20)]):
        server = guarded.app.extensions["socketio"].server
        kept = sum(len(str(environ)) for environ in server.environ.values())
        assert 0 < kept < 10_000 * len(server.environ)


def test_connections_are_counted_by_the_trusted_proxys_address(
    serve_guarded: Callable[..., Guarded],
) -> None:
    guarded = serve_guarded(PROXIES=1, CONNECTIONS_PER_ADDRESS=1)
    with ExitStack() as stack:
        for address in ("192.0.2.1", "192.0.2.2"):
            header = [f"X-Forwarded-For: {address}"]
            stack.enter_context(guarded.open(header=header))
        with guarded.open(join=False, header=["X-Forwarded-For: 192.0.2.2"]) as third:
            third.send("40")
            assert "192.0.2.2" in third.recv()


def broken(*arguments: object, **more: object) -> NoReturn:
    raise ZeroDivisionError("a secret in /a/folder")


def test_a_fault_in_a_handler_is_acknowledged_without_details(
    connect: Connect, serve_guarded: Callable[..., Guarded], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hoppers.web.app.parse_search", broken)
    guarded = serve_guarded()
    answer = connect(guarded.url).search("a", "hoppers", "oooooo.oooooo")
    assert answer["error"]["code"] == "internal"
    assert "secret" not in str(answer)
    assert "folder" not in str(answer)


@pytest.mark.parametrize(
    "address",
    ["socket.io/", "socket.io/?EIO=4&transport=polling", "static/../server/commands.py", "static/x"],
)
def test_answers_of_the_engine_and_of_files_have_the_headers(guarded: Guarded, address: str) -> None:
    response = requests.get(f"{guarded.url}/{address}", headers={"Origin": guarded.url})
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Content-Security-Policy"].startswith("default-src 'self'")
    open_to = "*" if address.startswith("static/") else guarded.url
    assert response.headers.get("Access-Control-Allow-Origin", open_to) == open_to
    assert "Access-Control-Allow-Credentials" not in response.headers
