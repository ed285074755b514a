"""Times over Socket.IO, over HTTP and in a browser, compared with times in process and of C programs.

All programs take turns, so that noise of the machine affects all alike; the figures are medians.
"""

import asyncio
import http.client
import queue
import random
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from playwright.sync_api import Browser

from benchmarks.rivals import programs
from hoppers.analysis import verdicts
from hoppers.core.events import Exhausted, Solved
from hoppers.core.puzzle import Question
from tests.browser.chromium import launched
from tests.support.asyncio_client import Channel
from tests.support.child_server import started, wait_until_warm
from tests.support.engine import find

ROUNDS = 3
HINTS = 500
SEED = 15  # of the positions of the 15-puzzle
SEARCHES = 30
NO_RATE_LIMITS = {"HOPPERS_MESSAGES_PER_SECOND": "1000", "HOPPERS_MESSAGES_AT_ONCE": "1000"}
ENDS = ("solved", "unsolvable", "stopped", "failed")
HINTED = ("hoppers", "english-33")
LONG = {"puzzle": "eight-puzzle", "position": "867254301", "method": "deepening", "find": "all"}
PHONE = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 90_000}
"""Network of a slow phone: latency 150 ms, 1.6 Mbps down, 0.7 Mbps up."""
PRESS_HINT = """
let pressed = false;
const observer = new MutationObserver(() => {
    const key = document.querySelector("#hint");
    if (key && !pressed) {
        pressed = true;
        key.click();
    }
    if (document.querySelector("[data-hint]")) {
        observer.disconnect();
        requestAnimationFrame(() => setTimeout(() => (window.hintShown = performance.now())));
    }
});
observer.observe(document, { childList: true, subtree: true, attributeFilter: ["data-hint"] });
"""
"""Script that presses Hint as soon as the key is on the page. `hintShown`: milliseconds until it is drawn.

The page measures itself, because questions from outside would also run on the throttled processor.
"""


class Searched(NamedTuple):
    """A search to measure, and its rival. `find_all`: find all shortest solutions, not only one."""

    name: str
    puzzle: str
    position: str
    method: str
    first: tuple[int, int] | None = None
    find_all: bool = True
    rival: programs.Rival | None = None


SEARCHED = [
    Searched("Hoppers, plain", "hoppers", "oooooo.oooooo", "deepening", (0, 6), rival=programs.hoppers),
    Searched("8-puzzle, plain", "eight-puzzle", "867254301", "deepening", rival=programs.eight_puzzle),
    *(
        Searched(
            f"Modified triangle 21, {method}",
            "triangle-21",
            "oooooo.oooooooooooooo",
            method,
            (14, 6),
            rival=programs.triangle_21(largest),
        )
        for method, largest in (("corners", 1), ("merson", 21))
    ),
    Searched("Modified triangle 21, classes", "triangle-21", "oooooo.oooooooooooooo", "classes", (14, 6)),
    Searched("15-puzzle, 48 moves", "fifteen-puzzle", "e80921f3cd645b7a", "best", find_all=False),
]


Result = TypeVar("Result")


class Run(NamedTuple):
    """One run of a search: nodes of all limits, and seconds from the request to the last event."""

    nodes: int
    seconds: float


@contextmanager
def server() -> Iterator[str]:
    """Start a server as users run it; yield its host and port once it is ready."""
    with started("hoppers", "run", "--port", "0", settings=NO_RATE_LIMITS) as (at, _):
        wait_until_warm(at)
        yield f"{at[0]}:{at[1]}"


class Player:
    """A Socket.IO client in its own thread. Its events are queued as (name, payload, `perf_counter`)."""

    def __init__(self, address: str) -> None:
        self.events: queue.Queue[tuple[str, dict[str, Any], float]] = queue.Queue()
        self._ticket, self._loop = 0, asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self._channel = self._await(self._connected(address))

    async def _connected(self, address: str) -> Channel:
        host, port = address.split(":")
        channel = Channel(host, int(port), "127.0.0.1", self._arrived)
        await channel.connect()
        return channel

    def _await(self, work: Coroutine[Any, Any, Result]) -> Result:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def _arrived(self, name: str, payload: dict[str, Any]) -> None:
        self.events.put((name, payload, time.perf_counter()))

    def search(self, query: dict[str, Any]) -> float:
        """Request a search; return the time of the request (`perf_counter`)."""
        self._ticket += 1
        began = time.perf_counter()
        answer = self._await(self._channel.call("search", {**query, "ticket": str(self._ticket)}))
        if not answer["ok"]:
            raise RuntimeError(f"search refused: {answer}")
        return began

    def stop(self) -> float:
        """Request the end of the latest search; return the time of the request (`perf_counter`)."""
        began = time.perf_counter()
        self._await(self._channel.call("stop", {"ticket": str(self._ticket)}))
        return began

    def leave(self) -> None:
        """Close the connection."""
        self._loop.call_soon_threadsafe(self._channel.leave)

    def wait(self, *names: str) -> tuple[dict[str, Any], float]:
        """Drop events until one has one of `names`; return its payload and time."""
        while True:
            name, payload, at = self.events.get(timeout=300)
            if name in names:
                return payload, at


def streamed(player: Player, search: Searched) -> Run:
    """Run a search over Socket.IO, without the use of known answers."""
    query: dict[str, Any] = {"puzzle": search.puzzle, "position": search.position, "method": search.method}
    query |= {"find": "all" if search.find_all else "first", "fresh": True}
    began = player.search({**query, **({"first_move": list(search.first)} if search.first else {})})
    end, at = player.wait(*ENDS)
    return Run(end["total_nodes"], at - began)


def in_process(search: Searched) -> Run:
    """Run a search in this process to its last event."""
    puzzle = find(search.puzzle)
    position = puzzle.parse(search.position)
    first = puzzle.step(position, *search.first) if search.first else None
    question = Question(puzzle, puzzle.parse_goal(None), position, search.find_all, first)
    began = time.perf_counter()
    events = list(puzzle.method(search.method).search(question))
    seconds = time.perf_counter() - began
    return Run(sum(event.nodes for event in events if isinstance(event, Exhausted | Solved)), seconds)


def hundred_tile_searches(player: Player) -> Iterator[str]:
    """Measure proofs of 100 random positions of the 15-puzzle: all over Socket.IO, then all in process."""
    draw, dice = find("fifteen-puzzle").gallery.random_kinds["random"].draw, random.Random(SEED)
    proofs = [Searched("", "fifteen-puzzle", draw(dice), "best", find_all=False) for _ in range(100)]
    for _ in range(ROUNDS):
        channel = [streamed(player, search) for search in proofs]
        inside = [in_process(search) for search in proofs]
        if [run.nodes for run in channel] != [run.nodes for run in inside]:
            raise RuntimeError("the channel counts other nodes than this process")
        yield f"100 random positions of the 15-puzzle: {_total(channel)}   in process {_total(inside)}"


def _total(runs: list[Run]) -> str:
    seconds = [run.seconds for run in runs]
    return f"{sum(seconds):.2f} s in all, worst {max(seconds):.3f} s"


def searches(player: Player) -> Iterator[str]:
    """Compare searches over Socket.IO, in this process, and in C."""
    yield f"{'search, to its last event':24} {'channel':>10} {'in process':>10} {'C -O3':>10}   ratio   nodes"
    find("fifteen-puzzle").source(0).moves_left(find("fifteen-puzzle").parse("123456789abcde0f"))
    with tempfile.TemporaryDirectory() as folder:
        for search in SEARCHED:
            in_process(search), streamed(player, search)  # loads kernels
            rounds = [
                (streamed(player, search), in_process(search), _rival(search, Path(folder)))
                for _ in range(ROUNDS)
            ]
            yield _row(search.name, rounds)


def _rival(search: Searched, folder: Path) -> programs.RivalResult | None:
    return search.rival(folder) if search.rival and programs.compiler() else None


def _row(name: str, rounds: list[tuple[Run, Run, programs.RivalResult | None]]) -> str:
    channel, inside, rival = (
        statistics.median(run.seconds for run in runs if run) if any(runs) else None
        for runs in zip(*rounds, strict=True)
    )
    assert channel is not None and inside is not None
    nodes = [run.nodes if run else None for run in rounds[0]]
    against = f"{rival * 1e3:7.1f} ms   {channel / rival:5.2f}" if rival else f"{'none':>10}        "
    counted = f"{nodes[0]:,}" + ("" if nodes[0] == nodes[1] else f" (in process {nodes[1]:,})")
    return f"{name:24} {channel * 1e3:7.1f} ms {inside * 1e3:7.1f} ms {against}   {counted}"


def percentiles(name: str, milliseconds: list[float]) -> str:
    """Return a report line with the median and the 99th percentile of `milliseconds`."""
    taken = sorted(milliseconds)
    p99 = taken[min(len(taken) - 1, int(len(taken) * 0.99))]
    return f"{name:44} median {statistics.median(taken):7.2f} ms   p99 {p99:7.2f} ms   ({len(taken)} times)"


def positions(puzzle_id: str, count: int) -> list[str]:
    """Return `count` different positions of random games, as texts."""
    puzzle, dice, found = find(puzzle_id), random.Random(7), dict[str, None]()
    while len(found) < count:
        position = puzzle.parse(dice.choice([*puzzle.starts.values()]))
        while steps := puzzle.steps(position):
            found[puzzle.format(position := dice.choice(steps).after)] = None
    return list(found)[:count]


def fetch(connection: http.client.HTTPConnection, path: str) -> float:
    """Return the milliseconds from a GET request to the end of its response."""
    began = time.perf_counter()
    connection.request("GET", path)
    response = connection.getresponse()
    body = response.read()
    if response.status != 200:
        raise RuntimeError(f"{path} answered {response.status}: {body[:200]!r}")
    return (time.perf_counter() - began) * 1e3


def hints(address: str) -> Iterator[str]:
    """Measure hints along games over HTTP and in this process; rival: a small file from the same server."""
    connection = http.client.HTTPConnection(address, timeout=30)
    yield percentiles("a small file over HTTP", [fetch(connection, "/static/icon.svg") for _ in range(HINTS)])
    for puzzle_id in HINTED:
        puzzle, texts = find(puzzle_id), positions(puzzle_id, HINTS)
        goal, parsed = puzzle.parse_goal(None), [puzzle.parse(text) for text in texts]
        paths = [f"/api/puzzles/{puzzle_id}/positions/{text}/hint" for text in texts]
        verdicts.hint(puzzle, goal, puzzle.parse(puzzle.start))
        over_http = [fetch(connection, path) for path in paths]
        yield percentiles(f"new hint of {puzzle_id} over HTTP", over_http)
        inside = [_timed(partial(verdicts.hint, puzzle, goal, position)) for position in parsed]
        yield percentiles(f"new hint of {puzzle_id} in process", inside)


def _timed(run: Callable[[], object]) -> float:
    began = time.perf_counter()
    run()
    return (time.perf_counter() - began) * 1e3


def first_row(player: Player) -> float:
    """Return the milliseconds from the request of a search to its first event `exhausted`."""
    began = player.search({"puzzle": "hoppers", "position": find("hoppers").start, "method": "deepening"})
    _, at = player.wait("exhausted")
    player.wait(*ENDS)
    return (at - began) * 1e3


def stop(player: Player) -> float:
    """Return the milliseconds from the message `stop` to the event `stopped`."""
    player.search(LONG)
    player.wait("progress")
    began = player.stop()
    return (player.wait("stopped")[1] - began) * 1e3


class Visit(NamedTuple):
    """First visit of a game page: requests, kilobytes over the wire, and seconds until a hint is shown."""

    requests: int
    kilobytes: float
    seconds: float


def first_visit(browser: Browser, address: str, phone: bool) -> Visit:
    """Open a game page in a new browser profile and press Hint as soon as the key is on the page."""
    context = browser.new_context(base_url=f"http://{address}", service_workers="block", locale="en-GB")
    page = context.new_page()
    sizes: list[float] = []
    network = context.new_cdp_session(page)
    network.send("Network.enable")
    network.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    if phone:
        network.send("Network.emulateNetworkConditions", PHONE)
        network.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    page.add_init_script(PRESS_HINT)
    page.goto("/puzzles/hoppers", wait_until="networkidle")
    seconds = page.wait_for_function("() => window.hintShown").json_value() / 1e3
    context.close()
    return Visit(len(sizes), sum(sizes) / 1e3, seconds)


def visits(address: str) -> Iterator[str]:
    """Measure first visits in a browser of this machine, without and with emulation of a slow phone."""
    with launched() as browser:
        for name, phone in (("this machine", False), ("a slow phone", True)):
            found = [first_visit(browser, address, phone) for _ in range(ROUNDS)]
            middle = sorted(found, key=lambda visit: visit.seconds)[ROUNDS // 2]
            yield (
                f"first visit, {name:31} hint after {middle.seconds:5.2f} s   "
                f"{middle.requests} requests, {middle.kilobytes:.0f} kB"
            )


def report() -> Iterator[str]:
    """Yield the lines of the report."""
    with server() as address:
        player = Player(address)
        yield from searches(player)
        yield from hundred_tile_searches(player)
        yield from hints(address)
        yield percentiles("Search to first row, over Socket.IO", [first_row(player) for _ in range(SEARCHES)])
        yield percentiles("Stop to `stopped`, over Socket.IO", [stop(player) for _ in range(SEARCHES)])
        player.leave()
        yield from visits(address)
