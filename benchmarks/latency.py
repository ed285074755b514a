"""Latency of a hint, of the first row after Search, and of Stop; rival: a small static file.

Measured with a real server in a child process and a real Socket.IO client.
"""

import http.client
import queue
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import socketio

from benchmarks.processes import started, wait_until_warm

HINTS = 500
SEARCHES = 30
START = "oooooo.oooooo"
LONG = {"puzzle": "eight-puzzle", "position": "867254301", "method": "deepening", "find": "all"}
SHORT = {"puzzle": "hoppers", "position": START, "method": "deepening", "find": "all", "first_move": [0, 6]}
NO_RATE_LIMITS = {"HOPPERS_MESSAGES_PER_SECOND": "1000", "HOPPERS_MESSAGES_AT_ONCE": "1000"}
ENDS = ("solved", "unsolvable", "stopped", "failed")


@contextmanager
def server() -> Iterator[str]:
    """Start a server on a free port; yield its host and port once all kernels are compiled."""
    with started("hoppers", "run", "--port", "0", **NO_RATE_LIMITS) as (at, _):
        wait_until_warm(at)
        yield f"{at[0]}:{at[1]}"


def fetch(connection: http.client.HTTPConnection, path: str) -> bytes:
    """Return the body of one response."""
    connection.request("GET", path)
    response = connection.getresponse()
    body = response.read()
    if response.status != 200:
        raise RuntimeError(f"{path} answered {response.status}: {body[:200]!r}")
    return body


def milliseconds(run: Callable[[], object], times: int) -> list[float]:
    """Return the milliseconds of each of `times` runs."""
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        run()
        taken.append((time.perf_counter() - began) * 1000)
    return taken


class Player:
    """A Socket.IO client that queues its events as (name, payload, time)."""

    def __init__(self, address: str) -> None:
        self.events: queue.Queue[tuple[str, dict[str, Any], float]] = queue.Queue()
        self.client = socketio.Client()
        for name in ("progress", "exhausted", *ENDS):
            self.client.on(name, partial(self._arrived, name))
        self.client.connect(f"http://{address}", transports=["websocket"])

    def _arrived(self, name: str, payload: dict[str, Any]) -> None:
        self.events.put((name, payload, time.perf_counter()))

    def first_row(self, number: int) -> float:
        """Return the milliseconds from the request of a search to its first row."""
        began = time.perf_counter()
        self.client.call("search", {**SHORT, "ticket": f"row-{number}"})
        at = self.wait("exhausted")
        self.wait(*ENDS)
        return (at - began) * 1000

    def stop(self, number: int) -> float:
        """Return the milliseconds from the message `stop` to the event `stopped`."""
        self.client.call("search", {**LONG, "ticket": f"stop-{number}"})
        self.wait("progress")
        began = time.perf_counter()
        self.client.emit("stop", {"ticket": f"stop-{number}"})
        return (self.wait("stopped") - began) * 1000

    def wait(self, *names: str) -> float:
        """Wait for an event with one of `names`; return its time."""
        while True:
            name, _, at = self.events.get(timeout=30)
            if name in names:
                return at


def line(name: str, taken: list[float]) -> str:
    """Return one line of the report."""
    ordered = sorted(taken)
    p99 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    median = statistics.median(ordered)
    return f"  {name:42} median {median:7.2f} ms   p99 {p99:7.2f} ms   ({len(ordered)} times)"


def report() -> list[str]:
    """Return the lines of the report."""
    with server() as address:
        connection = http.client.HTTPConnection(address, timeout=30)
        hint = milliseconds(lambda: fetch(connection, f"/api/puzzles/hoppers/positions/{START}/hint"), HINTS)
        bare = milliseconds(lambda: fetch(connection, "/static/icon.svg"), HINTS)
        player = Player(address)
        rows = [player.first_row(number) for number in range(SEARCHES)]
        stops = [player.stop(number) for number in range(SEARCHES)]
        player.client.disconnect()
    return [
        "Latency (server in its own process, one client):",
        line("hint over HTTP", hint),
        line("a small static file from the same server", bare),
        line("Search to first row, over Socket.IO", rows),
        line("Stop to the event 'stopped'", stops),
    ]
