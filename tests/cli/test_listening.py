"""Addresses and ports that a server listens on, and how those that it cannot use are refused."""

import socket

import pytest
import requests

from hoppers.web.servers.http_server import listen
from tests.support.command_line import run, running_server
from tests.support.socket_client import TIMEOUT_SECONDS


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
        port = listening.getsockname()[1]
        for name in answered:
            socket.create_connection((name.strip("[]"), port), timeout=5).close()
        for name in refused:
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection((name.strip("[]"), port), timeout=5)


def test_clients_of_both_families_are_local_at_a_dual_server() -> None:
    """`/metrics` is for this machine, whichever family it connects by."""
    with running_server("--port", "0", "--host", "::", HOPPERS_WARM_UP="false") as (_, url):
        port = url.rpartition(":")[2]
        for name in ("127.0.0.1", "[::1]"):
            answer = requests.get(f"http://{name}:{port}/metrics", timeout=TIMEOUT_SECONDS)
            assert (answer.status_code, "hoppers_puzzles" in answer.text) == (200, True)
