"""`serve`, in a process of its own: gunicorn with real clients, and how it ends."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from typing import NamedTuple

import pytest
import requests
from click.testing import CliRunner

from hoppers.cli.commands import main
from hoppers.web.channel.websocket import Wire
from hoppers.web.servers.gunicorn import PAGE_THREADS, fewest_threads, options
from hoppers.web.settings import DEFAULTS, settings
from tests import ROOT
from tests.socket_client import PATIENCE, Listener

HINT = "api/puzzles/hoppers/positions/oooooo.oooooo/hint"


class Hosted(NamedTuple):
    """A server process and its address."""

    process: subprocess.Popen[str]
    url: str

    def end(self, how: signal.Signals) -> str:
        """End it; returns what it said since it started."""
        self.process.send_signal(how)
        return self.process.communicate(timeout=PATIENCE)[1]


@pytest.fixture
def hosted() -> Iterator[Hosted]:
    """`serve` for 20 clients."""
    settings = {"HOPPERS_CONNECTIONS": "20", "HOPPERS_WARM_UP": "false"}
    process = subprocess.Popen(
        [sys.executable, "-m", "hoppers", "serve", "--port", "0"],
        cwd=ROOT,
        env={**os.environ, **settings},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    said = ""
    while (found := re.search(r"Listening at: (http://\S+)", said)) is None:
        said = process.stderr.readline()
        assert said, "it ended before it listened"
    yield Hosted(process, found[1])
    process.kill()  # the worker notices
    process.communicate(timeout=PATIENCE)


def test_clients_play_until_the_server_ends_and_then_they_are_told(hosted: Hosted) -> None:
    hint = requests.get(f"{hosted.url}/{HINT}", timeout=PATIENCE)
    assert hint.json()["moves_left"] == 7
    player, watcher, poller = (
        Listener(hosted.url, transport=transport) for transport in ("websocket", "websocket", "polling")
    )
    assert watcher.search("long", "triangle-21", "oooooo.oooooooooooooo", method="deepening") == {"ok": True}
    for client in (player, poller):
        asked = {"method": "deepening", "find": "all", "first_move": [0, 6]}
        assert client.search("a", "hoppers", "oooooo.oooooo", **asked) == {"ok": True}
        events = client.hear_to_the_end()
        assert [fields["limit"] for name, fields in events if name == "exhausted"] == [1, 2, 3, 4, 5, 6]
        assert events[-1][1]["total_nodes"] == 44_854
    complaints = hosted.end(signal.SIGTERM)
    assert hosted.process.returncode == 0
    assert "Traceback" not in complaints
    assert "SIGKILL" not in complaints
    for client in (player, watcher, poller):
        assert client.hear_until("disconnect")
        client.leave()


UNREADABLE = [
    (b"GET /%s HTTP/1.1\r\n\r\n" % (b"x" * 9_000), 414, "too_long"),
    (b"GET / HTTP/1.1\r\nX-Long: %s\r\n\r\n" % (b"x" * 9_000), 431, "too_long"),
    (b"GET / HTTP/1.1\r\n%s\r\n" % (b"X-Many: 1\r\n" * 200), 431, "too_long"),
    (b"<script>\r\n\r\n", 400, "invalid_request"),
]


def answer_to(sent: bytes, url: str) -> str:
    """All that the server says to some bytes until it ends the connection."""
    host, port = url.removeprefix("http://").split(":")
    with closing(socket.create_connection((host, int(port)), PATIENCE)) as connection:
        connection.sendall(sent)
        return b"".join(iter(lambda: connection.recv(65_536), b"")).decode()


def test_pages_are_served_while_every_connection_is_taken_and_ctrl_c_ends_them(hosted: Hosted) -> None:
    clients = [Listener(hosted.url) for _ in range(20)]
    assert requests.get(f"{hosted.url}/{HINT}", timeout=PATIENCE).status_code == 200
    for sent, status, code in UNREADABLE:
        head, body = answer_to(sent, hosted.url).split("\r\n\r\n")
        assert f" {status} " in head.splitlines()[0] and json.loads(body)["error"]["code"] == code
    assert "SIGKILL" not in hosted.end(signal.SIGINT)
    assert hosted.process.returncode == 0
    for client in clients:
        client.leave()


def test_there_are_threads_for_all_who_may_connect_and_for_pages() -> None:
    assert fewest_threads() > settings({})["CONNECTIONS"] + PAGE_THREADS
    assert options("::1", 1, 10, "text")["bind"] == "[::1]:1"
    refused = CliRunner().invoke(main, ["serve", "--threads", "100"])
    assert refused.exit_code == 2
    assert "--threads 100 are too few" in refused.stderr


def test_the_process_that_watches_over_the_server_loads_no_solver() -> None:
    loading = (
        "import sys, hoppers.__main__, hoppers.web.servers.gunicorn;"
        "print({'numba', 'flask_socketio'} & {*sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", loading],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    assert done.stdout == "set()\n"


def test_small_packets_are_sent_at_once() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        closing(socket.create_connection(listening.getsockname())),
        closing(listening.accept()[0]) as accepted,
    ):
        accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 0)
        Wire(accepted, 1)
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_who_waits_for_a_slow_reader_hears_that_the_connection_was_closed() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        closing(socket.create_connection(listening.getsockname())),
        closing(listening.accept()[0]) as accepted,
    ):
        wire = Wire(accepted, 1)
        accepted.setblocking(False)
        while not wire.is_clogged():
            wire.send(bytes(100_000))  # which nobody reads
        wire.close()
        with pytest.raises(OSError, match="closed here"):
            wire.flush()


def test_the_unit_starts_what_there_is_and_the_site_outwaits_a_ping() -> None:
    unit = (ROOT / "packaging" / "hoppers.service").read_text()
    started = re.search(r"^ExecStart=\S+/hoppers (.*)$", unit, re.MULTILINE)
    assert started is not None
    assert CliRunner().invoke(main, [*started[1].split(), "--help"]).exit_code == 0
    assert {name for name in re.findall(r"HOPPERS_([A-Z_]+)=", unit)} <= {*DEFAULTS, "CACHE"}
    site = (ROOT / "packaging" / "nginx.conf").read_text()
    found = {name: int(value) for name, value in re.findall(r"(\w+(?: \w+)?) (\d+)(?:s|k)?;", site)}
    assert found["proxy_read_timeout"] > 2 * settings({})["PING_SECONDS"]
    assert found["client_max_body_size"] * 1024 == settings({})["MAX_CONTENT_LENGTH"]
    assert set(re.findall(r"^( *)proxy_set_header", site, re.MULTILINE)) == {"    "}, (
        "a location inherits none"
    )
    assert found["limit_conn hoppers_connections"] <= settings({})["CONNECTIONS_PER_ADDRESS"]
