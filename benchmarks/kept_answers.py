"""Cached answers per second over eight HTTP connections of one client; rival: a minimal server."""

import socket
import time
from collections.abc import Iterator

from tests.support.child_server import started, wait_until_warm

CONNECTIONS = 8
SECONDS = 5.0
HINT = "/api/puzzles/hoppers/positions/oooooo.oooooo/hint"
NO_RATE_LIMITS = {"HOPPERS_API_RATE": "1000000 per second"}


def answers_a_second(at: tuple[str, int], path: str) -> float:
    """Return the answers per second over `CONNECTIONS` connections, each with one request at a time."""
    request = f"GET {path} HTTP/1.1\r\nHost: {at[0]}:{at[1]}\r\nAccept: */*\r\n\r\n".encode()
    pipes = [socket.create_connection(at) for _ in range(CONNECTIONS)]
    size = 0
    for pipe in pipes:
        pipe.sendall(request)
        size = len(_answer(pipe))
        pipe.sendall(request)
    count, began = 0, time.perf_counter()
    while (taken := time.perf_counter() - began) < SECONDS:
        for pipe in pipes:
            _read(pipe, size)
            pipe.sendall(request)
        count += len(pipes)
    for pipe in pipes:
        pipe.close()
    return count / taken


def _answer(pipe: socket.socket) -> bytes:
    answer = pipe.recv(65_536)
    if not answer.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(f"the server answered {answer[:100]!r}")
    return answer


def _read(pipe: socket.socket, size: int) -> None:
    """Read an answer of `size` bytes; all answers are equal."""
    while size > 0:
        part = len(pipe.recv(size))
        if not part:
            raise ConnectionError("the server closed the connection")
        size -= part


def report() -> Iterator[str]:
    """Yield the lines of the report."""
    yield "The same answer again, eight connections, answers a second:"
    with started("benchmarks.rivals.echo_server") as (at, _):
        yield f"  minimal server  {answers_a_second(at, '/echo'):8,.0f}"
    for command in ("run", "serve"):
        with started("hoppers", command, "--port", "0", settings=NO_RATE_LIMITS) as (at, _):
            wait_until_warm(at)
            yield f"  hoppers {command:8}{answers_a_second(at, HINT):8,.0f}"
