"""Parts of the benchmarks that can be tested without a measurement."""

import asyncio
import os
import socket
import time
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, Message

from benchmarks import client, processes
from benchmarks.client import Browser, Channel
from benchmarks.timed_socket import Delay, TimedSocket

FAR = 70_000  # bytes of a payload whose length takes eight bytes
Result = TypeVar("Result")


def run(steps: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine in a new thread: the tests' thread may run the event loop of a browser."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, steps).result()


def test_closing_a_pipe_ends_its_reader_silently() -> None:
    """A child of a server may hold the other end of the pipe for a long time."""
    read, write = os.pipe()
    pipe = os.fdopen(read)
    pipe.close()
    processes._drain(pipe)
    os.close(write)


def test_an_answer_counts_until_the_kernel_has_it() -> None:
    """The client sleeps when the answer arrives: its delay does not count for the server."""

    async def measured(listening: socket.socket) -> tuple[Delay, float]:
        pipe = await TimedSocket.open(listening.getsockname())
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
        browser, channel = Browser(host, int(port), "10.0.0.1"), Channel(host, int(port), "10.0.0.1")
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
    assert stopped.value == {"ok": True} and not refused["ok"]
    for delay in (hint.delay, page.delay, stopped.delay):
        assert 0 < delay.at_socket <= delay.in_client
