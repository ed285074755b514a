"""What a hint costs the server, in processor time of the whole process: `python -m benchmarks cost`.

One question after another over kept connections, so that nothing waits for anything; beside it the bare echo.
"""

import http.client
import itertools
import random
from collections.abc import Iterator

from benchmarks.processes import started, used, wait_until_warm
from hoppers.puzzles import PUZZLES

ASKED = 1_500
CONNECTIONS = 50
PUZZLE = "triangle-15"
"""It has a complete table: what is measured is all but the puzzle."""

ECHO = ["benchmarks.echo"]

Address = tuple[str, int]


def positions(count: int) -> list[str]:
    """So many positions of games at random."""
    puzzle, dice, found = PUZZLES[PUZZLE], random.Random(7), dict[str, None]()
    while len(found) < count:
        position = puzzle.parse(dice.choice([*puzzle.starts.values()]))
        while steps := puzzle.steps(position):
            found[puzzle.format(position := dice.choice(steps).after)] = None
    return list(found)[:count]


def cost(at: Address, pid: int, paths: list[str]) -> float:
    """Milliseconds of a core for each of these questions."""
    connections = [http.client.HTTPConnection(*at) for _ in range(CONNECTIONS)]
    asked = zip(itertools.cycle(enumerate(connections)), paths, strict=False)
    for number, connection in enumerate(connections):
        _ask(connection, paths[0], number)
    before = used(pid).cpu
    for (number, connection), path in asked:
        _ask(connection, path, number)
    spent = used(pid).cpu - before
    for connection in connections:
        connection.close()
    return 1000 * spent / len(paths)


def _ask(connection: http.client.HTTPConnection, path: str, number: int) -> None:
    connection.request("GET", path, headers={"X-Forwarded-For": f"10.9.0.{number}"})
    answer = connection.getresponse()
    body = answer.read()
    if answer.status != 200:
        raise RuntimeError(f"{path}: {answer.status} {body[:100]!r}")


def report() -> Iterator[str]:
    """A line for each kind of question."""
    hints = [f"/api/puzzles/{PUZZLE}/positions/{position}/hint" for position in positions(ASKED)]
    yield "Milliseconds of a core for each request, all threads of the server together:"
    with started(*ECHO) as (at, pid):
        yield f"  {'the bare echo':42} {cost(at, pid, ['/echo'] * ASKED):6.2f}"
    with started("hoppers", "serve", "--port", "0", HOPPERS_PROXIES="1") as (at, pid):
        wait_until_warm(at)
        for name in ("a hint not given before", "the same hints again"):
            yield f"  {name:42} {cost(at, pid, hints):6.2f}"
