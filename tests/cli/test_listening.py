"""Addresses and ports that a server listens on, and how those that it cannot use are refused."""

import http.client
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

from hoppers.web.servers.http_server import listen
from tests import ROOT
from tests.support.command_line import SERVER, run, running_server
from tests.support.processes import wait_for
from tests.support.socket_client import TIMEOUT_SECONDS

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("option", [["run", "--host"], ["serve", "--host"], ["worker", "--metrics-host"]])
@pytest.mark.parametrize("host", ["", " "])
def test_empty_host_is_refused(option: list[str], host: str) -> None:
    done = run(*option, host)
    assert done.exit_code == 2
    assert repr(host) in done.stderr and "0.0.0.0" in done.stderr


@pytest.mark.parametrize(
    "host", ["192.0.2.1", "no.such.host.invalid", "a..b", "x" * 64, "2001:db8::1", "127.0.0.1:80"]
)
def test_host_of_no_address_here_is_told_in_a_line(host: str) -> None:
    done = run("run", "--port", "0", "--host", host)
    assert done.exit_code == 2
    assert done.stderr.startswith(f"Error: cannot listen on {host!r}, port 0: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("port", ["-1", "65536", "80a", "", "99999999999999999999"])
@pytest.mark.parametrize("option", [["run", "--port"], ["serve", "--port"], ["worker", "--metrics-port"]])
def test_port_that_is_none_is_quoted(option: list[str], port: str) -> None:
    done = run(*option, port)
    assert done.exit_code == 2
    assert port in done.stderr.splitlines()[-1] and "Traceback" not in done.stderr


def is_reached(listening: socket.socket, name: str) -> bool:
    """Return whether a connection to a name arrives at a socket, and not at one of another process."""
    try:
        with socket.create_connection((name.strip("[]"), listening.getsockname()[1]), timeout=5):
            listening.accept()[0].close()
    except (ConnectionRefusedError, BlockingIOError):
        return False
    return True


@pytest.mark.parametrize(
    ("host", "answered", "refused"),
    [
        ("::", ["127.0.0.1", "[::1]"], []),
        ("0::0", ["127.0.0.1", "[::1]"], []),
        ("0.0.0.0", ["127.0.0.1"], ["[::1]"]),
        ("::1", ["[::1]"], ["127.0.0.1"]),
        ("localhost", ["127.0.0.1", "localhost"], []),
    ],
)
def test_families_that_a_host_answers(host: str, answered: list[str], refused: list[str]) -> None:
    with listen(host, 0) as listening:
        listening.setblocking(False)
        assert all(is_reached(listening, name) for name in answered)
        assert not any(is_reached(listening, name) for name in refused)


def test_clients_of_both_families_are_local_at_a_dual_server() -> None:
    """`/metrics` is for this machine, whichever family it connects by."""
    with running_server("--port", "0", "--host", "::", HOPPERS_WARM_UP="false") as (_, url):
        port = url.rpartition(":")[2]
        for name in ("127.0.0.1", "[::1]"):
            answer = requests.get(f"http://{name}:{port}/metrics", timeout=TIMEOUT_SECONDS)
            assert (answer.status_code, "hoppers_puzzles" in answer.text) == (200, True)


def status_of(path: Path, page: str) -> int:
    """Request a page over a Unix domain socket; return the status."""
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
        connection = http.client.HTTPConnection("localhost", timeout=TIMEOUT_SECONDS)
        connection.sock = client
        connection.request("GET", page)
        with connection.getresponse() as response:
            return response.status


def test_unix_domain_socket_is_served_and_deleted(tmp_path: Path) -> None:
    path = tmp_path / "hoppers.sock"
    with socket.socket(socket.AF_UNIX) as earlier:  # of a server that was killed
        earlier.bind(str(path))
    with running_server("--uds", str(path), shown="unix:", HOPPERS_WARM_UP="false") as (process, place):
        assert place == f"unix:{path}"
        assert status_of(path, "/puzzles/hoppers") == 200
        assert status_of(path, "/metrics") == 200
        assert run("run", "--uds", str(path)).exit_code == 4
        assert status_of(path, "/healthz") == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(TIMEOUT_SECONDS) == 0
    assert not path.exists()


@pytest.mark.parametrize("command", ["run", "serve"])
def test_unix_domain_socket_replaces_no_file(command: str, tmp_path: Path) -> None:
    path = tmp_path / "letter"
    path.write_text("dear")
    done = run(command, "--uds", str(path))
    assert done.exit_code == 4 and repr(str(path)) in done.stderr
    assert path.read_text() == "dear"
    done = run(command, "--uds", str(tmp_path / "missing" / "socket"))
    assert done.exit_code == 2 and done.stderr.count("\n") == 1
    assert run(command, "--uds", str(tmp_path / ("x" * 300))).exit_code == 2


@pytest.mark.parametrize("options", [["--host", "::1"], ["--port", "8000"], ["--open"]])
def test_options_that_exclude_each_other_are_refused(options: list[str], tmp_path: Path) -> None:
    done = run("run", "--uds", str(tmp_path / "socket"), *options)
    assert done.exit_code == 2 and "--uds" in done.stderr


def test_environment_chooses_host_and_port_and_options_win(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        monkeypatch.setenv("HOPPERS_HOST", "127.0.0.1")
        monkeypatch.setenv("HOPPERS_PORT", port)
        for command in ("run", "serve"):
            done = run(command)
            assert done.exit_code == 4 and f"'127.0.0.1', port {port}: " in done.stderr
            assert "'192.0.2.1', port 0: " in run(command, "--host", "192.0.2.1", "--port", "0").stderr


@pytest.mark.parametrize(
    ("name", "value"), [("HOST", ""), ("HOST", "  "), ("PORT", "tcp://10.0.0.1:8000"), ("PORT", "65536")]
)
def test_host_and_port_of_the_environment_are_checked(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"HOPPERS_{name}", value)
    done = run("run")
    assert done.exit_code == 2 and f"HOPPERS_{name}={value}" in done.stderr


@pytest.mark.parametrize(("host", "opened"), [("0.0.0.0", "127.0.0.1"), ("localhost", "127.0.0.1")])
def test_browser_opens_the_game(host: str, opened: str, tmp_path: Path) -> None:
    note, browser = tmp_path / "note", tmp_path / "browser"
    browser.write_text(f"#!{sys.executable}\nimport sys, urllib.request\n"
                       f"answer = urllib.request.urlopen(sys.argv[1])\n"
                       f"open({str(note)!r}, 'w').write(f'{{answer.status}} {{sys.argv[1]}}')\n")  # fmt: skip
    browser.chmod(0o700)
    environment = {"BROWSER": str(browser), "HOPPERS_WARM_UP": "false", "HOPPERS_HOST": host}
    with running_server("--port", "0", "--open", **environment) as (_, url):
        wait_for(lambda: note.exists() and note.read_text())
        assert note.read_text() == f"200 http://{opened}:{url.rpartition(':')[2]}"


def test_missing_browser_is_said(tmp_path: Path) -> None:
    environment = {"PATH": str(tmp_path), "HOPPERS_WARM_UP": "false", "BROWSER": "", "DISPLAY": ""}
    with running_server("--port", "0", "--open", **environment) as (process, url):
        assert process.stderr is not None
        assert process.stderr.readline() == f"No browser can be started here; open {url} yourself.\n"


@pytest.mark.skipif(sys.platform != "linux", reason="as systemd does")
def test_requests_wait_in_the_socket_of_the_service_manager(tmp_path: Path) -> None:
    """It is told when the server is ready, and no request is refused while the server is started again."""
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager,
    ):
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(TIMEOUT_SECONDS)
        host, port = listening.getsockname()
        for _ in range(2):
            waiting = socket.create_connection((host, port), timeout=TIMEOUT_SECONDS)
            waiting.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            with service(listening.fileno(), tmp_path / "notify"):
                assert manager.recv(100) == b"READY=1"
                assert waiting.recv(100).startswith(b"HTTP/1.1 200 ")
            waiting.close()


@contextmanager
def service(listening: int, notify: Path) -> Iterator[None]:
    """Run `hoppers serve` as systemd does: its socket is descriptor 3 of the process LISTEN_PID."""
    command = f'exec 3<&{listening}; LISTEN_FDS=1 LISTEN_PID=$$ exec "$@"'
    environment = {**os.environ, "NOTIFY_SOCKET": str(notify), "HOPPERS_WARM_UP": "false"}
    process = subprocess.Popen(
        ["bash", "-c", command, "service", *SERVER, "serve"],
        cwd=ROOT,
        env=environment,
        pass_fds=[listening],
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(TIMEOUT_SECONDS) == 0
