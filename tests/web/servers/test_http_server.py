"""The HTTP server with clients that are slow, silent, broken or gone."""

import contextvars
import json
import math
import re
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing

import gevent
import pytest
from flask import Flask, Response
from gevent.lock import BoundedSemaphore
from werkzeug.wsgi import ClosingIterator

from hoppers.runtime.clients import client_of
from hoppers.web.servers import http_server, turns
from hoppers.web.servers.event_loop import MESSAGES, OWN, REQUESTS, EventLoop, WorkQueue
from hoppers.web.servers.http_server import LIMITS, listen, wait_for_turn
from hoppers.web.servers.turns import Full
from hoppers.web.settings import Settings
from tests.conftest import MakeApp, Serve, serving
from tests.support.clients import named
from tests.web.raw_http import answer_to, connected, received

RESET = struct.pack("ii", 1, 0)
"""Socket option that makes closing reset the connection."""


def test_response_is_closed_after_a_connection_reset() -> None:
    left, closed = threading.Event(), threading.Event()
    app = Flask(__name__)

    def body() -> Iterator[bytes]:
        yield b"whole"
        left.wait(60)

    @app.get("/")
    def page() -> Response:
        return Response(ClosingIterator(body(), closed.set), headers={"Content-Length": "5"})

    with (
        serving(app) as url,
        closing(socket.create_connection(("127.0.0.1", int(url.split(":")[-1])))) as reader,
    ):
        reader.sendall(b"GET / HTTP/1.0\r\n\r\n")
        received = b""
        while not received.endswith(b"whole"):
            received += reader.recv(1000)
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        reader.close()
        left.set()
        assert closed.wait(60)


def test_a_client_that_does_not_read_is_ended_in_time(caplog: pytest.LogCaptureFixture) -> None:
    closed, app = threading.Event(), Flask(__name__)

    @app.get("/")
    def page() -> Response:
        return Response(ClosingIterator((bytes(1 << 20) for _ in range(64)), closed.set))

    with serving(app, limits=LIMITS._replace(send_seconds=0.5)) as url, closing(connected(url)) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert closed.wait(10)
    assert "did not read its answer" in caplog.text and "a request failed" not in caplog.text


def test_taken_port_raises_an_os_error() -> None:
    with listen("127.0.0.1", 0) as taken, pytest.raises(OSError, match="in use"):
        listen("127.0.0.1", taken.getsockname()[1])


HEAD = "POST /api/puzzles HTTP/1.1\r\nHost: localhost\r\n"
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
UNREADABLE = {
    "no request": ("<script>\r\n\r\n", 400),
    "HTTP/0.9": ("GET /\r\n\r\n", 400),
    "HTTP/2": ("GET / HTTP/2.0\r\nHost: localhost\r\n\r\n", 400),
    "no host": ("GET / HTTP/1.1\r\n\r\n", 400),
    "two hosts": ("GET / HTTP/1.1\r\nHost: localhost\r\nHost: y\r\n\r\n", 400),
    "another server": ("GET http://elsewhere.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
    "a header without a colon": ("GET / HTTP/1.1\r\nHost: localhost\r\nnonsense\r\n\r\n", 400),
    "a space before the colon": ("GET / HTTP/1.1\r\nHost: localhost\r\nX : y\r\n\r\n", 400),
    "a folded header": ("GET / HTTP/1.1\r\nHost: localhost\r\nX: y\r\n z\r\n\r\n", 400),
    "a carriage return in a header": ("GET / HTTP/1.1\r\nHost: localhost\r\nX: y\rHost: z\r\n\r\n", 400),
    "blanks before a zero": (f"GET / HTTP/1.1\r\nHost: localhost\r\nX:{' ' * 8_000}\0\r\n\r\n", 400),
    "two lengths": (f"{HEAD}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400),
    "length and chunks": (f"{HEAD}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    "a length that is none": (f"{HEAD}Content-Length: 1_0\r\n\r\n0123456789", 400),
    "a signed length": (f"{HEAD}Content-Length: +1\r\n\r\n0", 400),
    "another coding": (f"{HEAD}Transfer-Encoding: gzip\r\n\r\n", 400),
    "a chunk that is none": (f"{HEAD}Transfer-Encoding: chunked\r\n\r\nxyz\r\n", 400),
    "a long blank line": (f"{' ' * 9_000}\r\n\r\n", 414),
    "a long line without a version": (f"GET /{'x' * 9_000}\r\n\r\n", 414),
    "an endless first line": (f"GET /{'x' * 500_000} HTTP/1.1\r\nHost: localhost\r\n\r\n", 414),
    "a long header": (f"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: {'x' * 9_000}\r\n\r\n", 431),
    "many headers": ("GET / HTTP/1.1\r\nHost: localhost\r\n" + 101 * "X-Many: 1\r\n" + "\r\n", 431),
}


@pytest.mark.parametrize(("sent", "status"), UNREADABLE.values(), ids=UNREADABLE)
def test_unreadable_requests_are_answered_in_json(live_server: str, sent: str, status: int) -> None:
    head, body = answer_to(sent.encode(), live_server)
    assert f" {status} " in head.splitlines()[0]
    assert "Connection: close" in head and "Content-Type: application/json" in head
    error = json.loads(body)["error"]
    assert set(error) == {"code", "message"} and "script" not in error["message"]


@pytest.mark.parametrize("slash", ["%2F", "%2f"])
def test_escaped_slash_separates_rows_of_a_position(live_server: str, slash: str) -> None:
    address = f"/api/puzzles/hoppers/positions/{slash.join(['ooo', 'ooo', '.', 'ooo', 'ooo'])}/hint"
    head, body = answer_to(
        f"GET {address} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode(), live_server
    )
    assert " 200 " in head.splitlines()[0] and json.loads(body)["verdict"] == "live"


def test_bodies_are_read_whole_and_long_ones_refused(live_server: str) -> None:
    most = Settings().max_content_length
    for length in (3, most, most + 1, 1_000_000):
        sent = f"{HEAD}Connection: close\r\nContent-Length: {length}\r\n\r\n".encode() + b"x" * length
        head, _ = answer_to(sent, live_server)
        assert f" {413 if length > most else 405} " in head.splitlines()[0]


def test_endless_declared_body_is_read_for_a_while(serve: Serve) -> None:
    with closing(connected(serve(LIMITS._replace(drain_seconds=0.3)))) as connection:
        connection.sendall(f"{HEAD}Content-Length: 1000000000\r\n\r\n".encode())
        began = time.monotonic()
        with pytest.raises(OSError):
            while time.monotonic() - began < 10:
                connection.sendall(b"x")
                time.sleep(0.02)


def test_connections_beyond_the_limit_wait_until_one_ends(serve: Serve) -> None:
    url = serve(LIMITS._replace(connections=2))
    with ExitStack() as stack:
        held = [stack.enter_context(closing(connected(url))) for _ in range(2)]
        for connection in held:
            connection.sendall(HEALTH)
            connection.recv(1)
        waiting = stack.enter_context(closing(connected(url)))
        waiting.sendall(HEALTH)
        waiting.settimeout(0.5)
        with pytest.raises(TimeoutError):
            waiting.recv(1)
        held[0].close()
        waiting.settimeout(60)
        assert waiting.recv(8) == b"HTTP/1.1"


def test_endless_body_is_not_collected(live_server: str) -> None:
    with closing(connected(live_server)) as connection:
        connection.sendall(f"{HEAD}Transfer-Encoding: chunked\r\n\r\n".encode())
        with pytest.raises(OSError):
            for _ in range(10_000):
                connection.sendall(b"1000\r\n" + b"x" * 4_096 + b"\r\n")


def test_a_half_request_is_ended_in_time(serve: Serve) -> None:
    url = serve(LIMITS._replace(request_seconds=0.3))
    for half in ("GET / HTTP/1.1\r\nHost: localhost\r\nX-", f"{HEAD}Content-Length: 9\r\n\r\nhalf"):
        head, body = answer_to(half.encode(), url)
        assert " 408 " in head.splitlines()[0] and json.loads(body)["error"]["code"] == "invalid_request"


def test_headers_that_trickle_in_are_ended_in_time(serve: Serve) -> None:
    with closing(connected(serve(LIMITS._replace(request_seconds=0.5)))) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        began = time.monotonic()
        with pytest.raises(OSError):
            for number in range(1_000):
                connection.sendall(f"X-{number}: y\r\n".encode())
                time.sleep(0.02)
        assert time.monotonic() - began < 10


def test_idle_connections_are_closed(serve: Serve) -> None:
    url = serve(LIMITS._replace(idle_seconds=0.3))
    with closing(connected(url)) as silent, closing(connected(url)) as polite:
        polite.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert received(polite).startswith(b"HTTP/1.1 200")
        assert received(silent) == b""


def test_idle_connections_are_closed_sooner_while_many_are_open(serve: Serve) -> None:
    """Else those who hold all connections and send nothing would make every other client wait."""
    limits = LIMITS._replace(connections=20, idle_seconds=60.0, full_idle_seconds=0.2)
    url = serve(limits)
    with ExitStack() as stack:
        early = stack.enter_context(closing(connected(url)))
        early.sendall(HEALTH)
        assert early.recv(65_536)
        for _ in range(19):
            stack.enter_context(closing(connected(url)))
        began = time.monotonic()
        head, _ = answer_to(HEALTH.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"), url)
        assert " 200 " in head.splitlines()[0] and time.monotonic() - began < 10
        early.settimeout(0.1)
        with pytest.raises(TimeoutError):  # it was open while few were, and has its whole time
            early.recv(1)


def test_the_server_goes_on_while_all_connections_wait_for_threads() -> None:
    """Then the loop has nothing to wait for but threads, and gevent would end it."""
    app = Flask(__name__)

    @app.get("/")
    def page() -> str:
        loop: EventLoop = app.extensions["loop"]
        loop.run(OWN, time.sleep, 0.3)
        return "done"

    with serving(app, limits=LIMITS._replace(connections=1)) as url:
        for _ in range(2):
            request = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            assert answer_to(request, url)[1] == "done"


@pytest.mark.parametrize("upgrade", ["h2c", "websocket", "TLS/1.0", ""])
def test_ignored_upgrade_ends_the_connection_and_says_so(live_server: str, upgrade: str) -> None:
    """A proxy would send the next request over the connection, and lose it."""
    asked = f"GET /api/puzzles HTTP/1.1\r\nHost: localhost\r\nUpgrade: {upgrade}\r\n\r\n"
    head, body = answer_to(asked.encode(), live_server)
    assert head.startswith("HTTP/1.1 200") and json.loads(body)["puzzles"]
    assert re.findall(r"(?im)^connection: *(\S+)", head) == ["close"]


def test_only_answers_that_end_the_connection_say_so(live_server: str) -> None:
    with closing(connected(live_server)) as connection:
        connection.sendall(HEALTH)
        assert b"onnection:" not in connection.recv(65_536)
    head, _ = answer_to(HEALTH.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"), live_server)
    assert re.findall(r"(?im)^connection: *(\S+)", head) == ["close"]


def test_many_half_requests_delay_no_other_request(live_server: str) -> None:
    halves = [connected(live_server) for _ in range(300)]
    for half in halves:
        half.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-")
    began = time.monotonic()
    head, _ = answer_to(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", live_server)
    assert " 200 " in head.splitlines()[0] and time.monotonic() - began < 5
    for half in halves:
        half.close()


def test_small_packets_leave_at_once(live_server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = list[int]()
    handle_one = http_server.RequestHandler.handle_one_request

    def watched(handler: http_server.RequestHandler) -> object:
        seen.append(handler.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        return handle_one(handler)

    monkeypatch.setattr(http_server.RequestHandler, "handle_one_request", watched)
    answer_to(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", live_server)
    assert seen and all(seen)


def test_a_fault_of_the_application_is_answered_in_json() -> None:
    app = Flask(__name__)

    @app.get("/")
    def page() -> Response:
        raise ZeroDivisionError("a secret")

    app.config["PROPAGATE_EXCEPTIONS"] = True
    with serving(app) as url:
        head, body = answer_to(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", url)
    assert " 500 " in head.splitlines()[0] and json.loads(body)["error"]["code"] == "internal"


def test_failing_call_in_the_loop_stops_no_later_call(make_app: MakeApp) -> None:
    app, made = make_app(), threading.Event()
    with serving(app):
        app.extensions["loop"].post(lambda: 1 // 0)
        app.extensions["loop"].post(made.set)
        assert made.wait(60)


def test_work_begins_in_order_of_arrival_after_a_failure() -> None:
    began, failures = list[int](), list[object]()

    def put_work() -> None:
        work, held = WorkQueue(REQUESTS._replace(threads=1)), threading.Event()
        first = work.put(named("a"), held.wait, 60)
        failing = work.put(named("a"), int, "no number")
        results = [work.put(named("a"), began.append, number) for number in range(20)]
        held.set()
        gevent.wait([first, failing, *results], timeout=60)
        failures.append(failing.exception)
        work.kill()
        gevent.get_hub().destroy(destroy_loop=True)

    thread = threading.Thread(target=put_work)
    thread.start()
    thread.join(60)
    assert began == list(range(20)) and isinstance(failures[0], ValueError)


def test_loop_runs_work_in_threads_with_the_callers_context(make_app: MakeApp) -> None:
    app, found = make_app(), list[object]()
    loop, name = app.extensions["loop"], contextvars.ContextVar("name", default="")

    def in_loop() -> None:
        name.set("mine")
        found.append(threading.get_ident())
        found.extend(loop.run(OWN, lambda: (threading.get_ident(), name.get())))
        with pytest.raises(ZeroDivisionError):
            loop.run(OWN, lambda: 1 // 0, queue=MESSAGES)
        done.set()

    done = threading.Event()
    with serving(app):
        loop.post(gevent.spawn, in_loop)
        assert done.wait(60)
    assert found[0] != found[1] and found[2] == "mine"


def test_requests_beyond_the_queue_are_refused_at_once(
    make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "ALONE_SECONDS", math.inf)  # the first client has one thread
    app = make_app()
    page = b"GET /puzzles/hoppers HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    running, refused, release = threading.Event(), threading.Event(), threading.Event()
    loop: EventLoop = app.extensions["loop"]

    def hold() -> None:
        running.set()
        release.wait(60)

    def ask() -> None:
        try:
            loop.run(client_of("127.0.0.1"), hold)
        except Full:
            refused.set()

    def fill() -> None:
        while not refused.is_set():
            gevent.spawn(ask)
            gevent.sleep(0)

    with serving(app) as url:
        try:
            loop.post(gevent.spawn, ask)
            assert running.wait(60)
            loop.post(gevent.spawn, fill)
            assert refused.wait(60)
            head, body = answer_to(page, url, "127.0.0.1")
            assert " 503 " in head.splitlines()[0] and "Retry-After: 2" in head and '"busy"' in body
            assert " 200 " in answer_to(page, url, "127.0.0.2")[0].splitlines()[0]
        finally:
            release.set()


def test_the_loop_reads_in_turns_of_the_clients() -> None:
    """A connection of another client is read between those of a client with many."""
    order = list[str]()

    def read(turn: BoundedSemaphore, name: str) -> None:
        wait_for_turn(turn)
        order.append(name)

    def in_rounds() -> None:
        many, other = BoundedSemaphore(), BoundedSemaphore()
        readers = [gevent.spawn(read, many, f"many {number}") for number in range(20)]
        readers.append(gevent.spawn(read, other, "other"))
        gevent.joinall(readers, timeout=60)
        gevent.get_hub().destroy(destroy_loop=True)

    thread = threading.Thread(target=in_rounds)
    thread.start()
    thread.join(60)
    assert [name for name in order if name != "other"] == [f"many {number}" for number in range(20)]
    assert order.index("other") <= 2


@pytest.mark.parametrize("path", ["/puzzles/hoppers", "/api/puzzles", "/puzzles/hoppers/board.png?size=32"])
def test_connections_of_one_ipv6_network_count_together(make_app: MakeApp, path: str) -> None:
    client = make_app(API_RATE="2 per day", PROXIES=1).test_client()

    def status_of(address: str) -> int:
        return client.get(path, headers={"X-Forwarded-For": address}).status_code

    assert [status_of(f"2001:db8:0:1::{number}") for number in range(1, 4)] == [200, 200, 429]
    assert status_of("2001:db8:0:2::1") == 200
