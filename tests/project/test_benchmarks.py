"""Parts of the benchmarks that can be tested without a measurement."""

import asyncio
import os
import socket
import time
from typing import Any

import pytest
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, Message

from benchmarks.right_answers import Board, fault_in_hint, fault_in_solution, fault_in_verdict
from tests.support import asyncio_client as client
from tests.support import child_server
from tests.support.asyncio_client import Browser, Channel, run
from tests.support.timed_socket import Delay, TimedSocket

FAR = 70_000  # bytes of a payload whose length takes eight bytes


def test_closing_a_pipe_ends_its_reader_silently() -> None:
    """A child of a server may hold the other end of the pipe for a long time."""
    read, write = os.pipe()
    pipe = os.fdopen(read)
    pipe.close()
    child_server.read_lines(pipe, print)
    os.close(write)


def test_an_answer_counts_until_the_kernel_has_it() -> None:
    """The client sleeps when the answer arrives: its delay does not count for the server."""

    async def measured(listening: socket.socket) -> tuple[Delay, float]:
        pipe = await TimedSocket.open(listening.getsockname(), "127.0.0.1")
        server, _ = listening.accept()
        time.sleep(0.2)  # the kernel begins to note times a moment after the first socket has asked for them
        sent_at = pipe.send(b"question")
        assert server.recv(100) == b"question"
        server.sendall(b"answer")
        answered = (time.time_ns() - sent_at) / 1e9
        time.sleep(0.05)
        assert await pipe.reader.readexactly(6) == b"answer"
        delay = pipe.delay_since(sent_at)
        server.close()
        assert await pipe.reader.read() == b""
        pipe.close()
        return delay, answered

    with socket.create_server(("127.0.0.1", 0)) as listening:
        delay, answered = run(measured(listening))
    assert 0 < delay.at_socket <= answered < answered + 0.05 <= delay.in_client


@pytest.mark.parametrize("size", [0, 125, 126, 65_535, FAR])
def test_frames_are_those_of_the_protocol(size: int) -> None:
    """The library wsproto reads the frames of the client, and the client reads the frames of wsproto."""

    async def read(data: bytes) -> tuple[bool, int, bytes]:
        reader = asyncio.StreamReader()
        reader.feed_data(data)
        return await client.read_frame(reader)

    text, server = "x" * size, WSConnection(ConnectionType.SERVER)
    server.receive_data(
        b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " + client.WEBSOCKET_KEY.encode() + b"\r\n\r\n"
    )
    handshake = list(server.events())
    assert len(handshake) == 1
    server.send(AcceptConnection())
    server.receive_data(client.frame(client.TEXT, text.encode()))
    assert "".join(event.data for event in server.events() if isinstance(event, Message)) == text
    assert run(read(server.send(Message(text)))) == (True, client.TEXT, text.encode())


def test_client_plays_with_the_server(live_server: str) -> None:
    host, port = live_server.removeprefix("http://").split(":")

    async def played() -> tuple[client.HttpResponse, client.HttpResponse, client.Acknowledgement, Any]:
        browser, channel = Browser(host, int(port), "127.0.0.1"), Channel(host, int(port), "127.0.0.1")
        await channel.connect()
        hint = await browser.get("/api/puzzles/hoppers/positions/oooooo.oooooo/hint")
        page = await browser.get("/")
        stopped = await channel.timed_call("stop", {"ticket": "none"})
        refused = await channel.call("nonsense")
        browser.leave()
        channel.leave()
        return hint, page, stopped, refused

    hint, page, stopped, refused = run(played())
    assert hint.json()["moves_left"] == 7 and page.body.startswith(b"<!")
    assert stopped.value["error"]["code"] == "unknown_ticket" and not refused["ok"]
    for delay in (hint.delay, page.delay, stopped.delay):
        assert 0 < delay.at_socket <= delay.in_client


START = "oooooo.oooooo"
STEP, WORSE, ILLEGAL = {"from": 0, "to": 6}, {"from": 2, "to": 0}, {"from": 0, "to": 1}


@pytest.fixture(scope="module")
def hoppers() -> Board:
    """Hoppers with the right answers of the load test."""
    return Board("hoppers")


@pytest.mark.parametrize(
    ("verdict", "moves_left", "is_wrong"),
    [
        ("live", 7, False),
        ("live", 6, True),
        ("dead", None, True),
        ("solved", 0, True),
        ("unknown", None, None),
    ],
)
def test_wrong_verdicts_are_found(
    hoppers: Board, verdict: str, moves_left: int | None, is_wrong: bool | None
) -> None:
    fault = fault_in_verdict(hoppers, START, {"verdict": verdict, "moves_left": moves_left})
    assert (None if fault is None else bool(fault)) == is_wrong


@pytest.mark.parametrize(
    ("position", "left", "step", "is_wrong"),
    [(START, 7, STEP, False), (START, 7, ILLEGAL, True), (".ooooo.oo.ooo", 5, WORSE, False)],
)
def test_wrong_hints_are_found(
    hoppers: Board, position: str, left: int, step: dict[str, int], is_wrong: bool
) -> None:
    answer = {"verdict": "live", "moves_left": left, "step": step, "proved": True}
    assert bool(fault_in_hint(hoppers, position, answer)) == is_wrong


def test_steps_that_waste_a_move_are_found(hoppers: Board) -> None:
    best = {origin_target for origin_target, (after, cost) in hoppers.steps(".ooooo.oo.ooo").items()
            if (rest := hoppers.left(after)) is not None and cost + rest == 5}  # fmt: skip
    for origin, target in hoppers.steps(".ooooo.oo.ooo"):
        answer = {"verdict": "live", "moves_left": 5, "step": {"from": origin, "to": target}, "proved": True}
        assert bool(fault_in_hint(hoppers, ".ooooo.oo.ooo", answer)) == ((origin, target) not in best)


@pytest.mark.parametrize(
    ("moves", "is_wrong"),
    [
        ([[0, 6], [9, 3], [2, 0, 6], [11, 1], [10, 0, 2, 6], [8, 4], [12, 2, 6]], False),
        ([[0, 6], [9, 3]], True),
        ([[0, 1]], True),
    ],
)
def test_wrong_solutions_are_found(hoppers: Board, moves: list[list[int]], is_wrong: bool) -> None:
    assert bool(fault_in_solution(hoppers, START, {"moves": moves, "proved": True})) == is_wrong
