"""Processor time of the server per hint request; rival: a minimal Flask server.

Requests are sent one after another over persistent connections, so no request waits for another.
"""

import http.client
import itertools
import random
from collections.abc import Iterator

from benchmarks.processes import started, used, wait_until_warm
from tests.support.engine import PUZZLES

REQUESTS = 1_500
CONNECTIONS = 50
PUZZLE = "triangle-15"
"""A puzzle with a complete table: the look-up itself costs almost nothing."""

Address = tuple[str, int]


def positions(puzzle_id: str, count: int) -> list[str]:
    """Return `count` different positions of random games, as texts."""
    puzzle, dice, found = PUZZLES[puzzle_id], random.Random(7), dict[str, None]()
    while len(found) < count:
        position = puzzle.parse(dice.choice([*puzzle.starts.values()]))
        while steps := puzzle.steps(position):
            found[puzzle.format(position := dice.choice(steps).after)] = None
    return list(found)[:count]


def cost(at: Address, pid: int, paths: list[str]) -> float:
    """Return the processor time of the server `pid` per request, in milliseconds."""
    connections = [http.client.HTTPConnection(*at) for _ in range(CONNECTIONS)]
    requests = zip(itertools.cycle(enumerate(connections)), paths, strict=False)
    for number, connection in enumerate(connections):
        _get(connection, paths[0], number)
    before = used(pid).cpu
    for (number, connection), path in requests:
        _get(connection, path, number)
    spent = used(pid).cpu - before
    for connection in connections:
        connection.close()
    return 1000 * spent / len(paths)


def _get(connection: http.client.HTTPConnection, path: str, number: int) -> None:
    connection.request("GET", path, headers={"X-Forwarded-For": f"10.9.0.{number}"})
    response = connection.getresponse()
    body = response.read()
    if response.status != 200:
        raise RuntimeError(f"{path}: {response.status} {body[:100]!r}")


def report() -> Iterator[str]:
    """Yield the lines of the report."""
    hints = [f"/api/puzzles/{PUZZLE}/positions/{position}/hint" for position in positions(PUZZLE, REQUESTS)]
    yield "Milliseconds of processor time per request, all threads of the server together:"
    with started("benchmarks.rivals.echo_server") as (at, pid):
        yield f"  {'minimal server':42} {cost(at, pid, ['/echo'] * REQUESTS):6.2f}"
    with started("hoppers", "serve", "--port", "0", HOPPERS_PROXIES="1") as (at, pid):
        wait_until_warm(at)
        for name in ("hint, first time", "hint, from the response cache"):
            yield f"  {name:42} {cost(at, pid, hints):6.2f}"
