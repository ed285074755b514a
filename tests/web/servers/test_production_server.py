"""`hoppers serve` in a separate process with real clients, and its shutdown."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import NamedTuple

import pytest
import requests
from click.testing import CliRunner

from hoppers.cli.main import main
from hoppers.cli.serve import url_of
from hoppers.web.servers.http_server import LIMITS, listen
from hoppers.web.settings import SETTINGS, Settings
from tests import ROOT
from tests.conftest import Serve
from tests.support.socket_client import TIMEOUT_SECONDS, Listener
from tests.web.raw_http import answer_to, connected

pytestmark = pytest.mark.slow

HINT = "api/puzzles/hoppers/positions/oooooo.oooooo/hint"


class Hosted(NamedTuple):
    """A server process and its address."""

    process: subprocess.Popen[str]
    url: str

    def end(self, how: signal.Signals) -> str:
        """Send signal `how`, wait for the end, and return the log since the start."""
        self.process.send_signal(how)
        return self.process.communicate(timeout=TIMEOUT_SECONDS)[1]


@pytest.fixture
def hosted(request: pytest.FixtureRequest) -> Iterator[Hosted]:
    """Process of `hoppers serve` for 20 clients. The parameter, if any, is its limit of open files."""
    limit = f"ulimit -n {request.param}; " if hasattr(request, "param") else ""
    settings = {"HOPPERS_CONNECTIONS": "20", "HOPPERS_WARM_UP": "false"}
    process = subprocess.Popen(
        ["sh", "-c", f'{limit}exec "$0" -m hoppers serve --port 0', sys.executable],
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
    process.kill()
    process.communicate(timeout=TIMEOUT_SECONDS)


def test_clients_are_notified_when_the_server_ends(hosted: Hosted) -> None:
    hint = requests.get(f"{hosted.url}/{HINT}", timeout=TIMEOUT_SECONDS)
    assert hint.json()["moves_left"] == 7
    player, watcher, second = (Listener(hosted.url) for _ in range(3))
    assert watcher.search("long", "triangle-21", "oooooo.oooooooooooooo", method="deepening") == {"ok": True}
    for client in (player, second):
        options = {"method": "deepening", "find": "all", "first_move": [0, 6]}
        assert client.search("a", "hoppers", "oooooo.oooooo", **options) == {"ok": True}
        events = client.receive_to_end()
        assert [fields["limit"] for name, fields in events if name == "exhausted"] == [1, 2, 3, 4, 5, 6]
        assert events[-1][1]["total_nodes"] == 44_854
    began = time.monotonic()
    complaints = hosted.end(signal.SIGTERM)
    assert time.monotonic() - began < ENDING_SECONDS
    assert hosted.process.returncode == 0
    assert "Traceback" not in complaints
    assert "SIGKILL" not in complaints
    for client in (player, watcher, second):
        assert client.receive_until("disconnect")
        client.leave()


ENDING_SECONDS = 8  # about two for the server, the rest for a busy machine
UNREADABLE = [
    (b"GET /%s HTTP/1.1\r\n\r\n" % (b"x" * 500_000), 414, "too_long"),
    (b"GET / HTTP/1.1\r\nX-Long: %s\r\n\r\n" % (b"x" * 9_000), 431, "too_long"),
    (b"GET / HTTP/1.1\r\n%s\r\n" % (b"X-Many: 1\r\n" * 200), 431, "too_long"),
    (b"<script>\r\n\r\n", 400, "invalid_request"),
]


def test_pages_are_served_while_all_connections_are_taken_until_interrupted(hosted: Hosted) -> None:
    clients = [Listener(hosted.url) for _ in range(20)]
    assert requests.get(f"{hosted.url}/{HINT}", timeout=TIMEOUT_SECONDS).status_code == 200
    for sent, status, code in UNREADABLE:
        head, body = answer_to(sent, hosted.url)
        assert f" {status} " in head.splitlines()[0] and json.loads(body)["error"]["code"] == code
    assert "SIGKILL" not in hosted.end(signal.SIGINT)
    assert hosted.process.returncode == 0
    for client in clients:
        client.leave()


def test_half_requests_leave_room_for_other_addresses(serve: Serve) -> None:
    url = serve(LIMITS._replace(per_address=100))
    with ExitStack() as stack:
        for _ in range(200):
            stack.enter_context(closing(connected(url, "127.0.0.2"))).sendall(b"GET / HTTP/1.1\r\nHost")
        began = time.monotonic()
        assert requests.get(f"{url}/{HINT}", timeout=TIMEOUT_SECONDS).status_code == 200
        assert time.monotonic() - began < LIMITS.request_seconds / 2
        with closing(connected(url, "127.0.0.2")) as refused:
            assert refused.recv(1) == b""


@pytest.mark.parametrize("hosted", [64], indirect=True)
def test_few_open_files_are_enough_and_one_line_says_so(hosted: Hosted) -> None:
    asked = f"GET /{HINT} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    with ExitStack() as stack:
        clients = [stack.enter_context(closing(connected(hosted.url))) for _ in range(100)]
        for client in clients:
            client.sendall(asked)
        assert all(client.recv(1_000).startswith(b"HTTP/1.1 200") for client in clients)
    assert requests.get(f"{hosted.url}/{HINT}", timeout=TIMEOUT_SECONDS).ok
    log = hosted.end(signal.SIGTERM)
    assert hosted.process.returncode == 0
    (line,) = (line for line in log.splitlines() if re.search("WARNING|ERROR|CRITICAL|Traceback", line))
    assert "64 open files" in line


def test_an_ipv6_address_is_shown_in_brackets() -> None:
    with listen("::1", 0) as listening:
        assert url_of(listening) == f"http://[::1]:{listening.getsockname()[1]}"


def test_systemd_unit_and_nginx_site_match_the_settings() -> None:
    unit = (ROOT / "packaging" / "hoppers.service").read_text()
    started = re.search(r"^ExecStart=\S+/hoppers (.*)$", unit, re.MULTILINE)
    assert started is not None
    assert CliRunner().invoke(main, [*started[1].split(), "--help"]).exit_code == 0
    assert set(re.findall(r"(HOPPERS_[A-Z_]+)=", unit)) <= set(SETTINGS)
    site = (ROOT / "packaging" / "nginx.conf").read_text()
    found = {name: int(value) for name, value in re.findall(r"(\w+(?: \w+)?) (\d+)(?:s|k)?;", site)}
    assert found["proxy_read_timeout"] > 2 * Settings().ping_seconds
    assert found["client_max_body_size"] * 1024 == Settings().max_content_length
    assert set(re.findall(r"^( *)proxy_set_header", site, re.MULTILINE)) == {"    "}, (
        "a location inherits none"
    )
    players = Settings().connections_per_address
    assert found["limit_conn hoppers_sockets"] >= 2 * players, "the server tells refused players why"
    assert found["limit_conn hoppers_pages"] >= players, "all of them open pages at the same time"
    names = re.findall(r"^ *server_name (.*?);", site, re.MULTILINE)
    assert names[:2] == ["_", "_"] and site.count("default_server;") == 4
    assert re.findall(r"HOPPERS_HOSTS=(\S+)", unit) == [*{name.replace(" ", ",") for name in names[2:]}]
