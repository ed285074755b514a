"""Minimal asynchronous client: HTTP/1.1 with keep-alive, and Socket.IO over WebSocket, like a browser.

A thousand clients fit into one process that uses only a part of one core.
"""

import asyncio
import gzip
import json
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, CloseConnection, Event, Message, Ping, RejectConnection, Request

TIMEOUT_SECONDS = 30.0  # a response that takes longer is an error


class HttpResponse(NamedTuple):
    """One HTTP response; `seconds` from sending the request to the end of the body."""

    status: int
    body: bytes
    seconds: float

    def json(self) -> Any:
        """Return the decoded body."""
        return json.loads(self.body)


class Browser:
    """One persistent HTTP connection, opened again if the server has closed it, as browsers do."""

    def __init__(self, host: str, port: int, address: str) -> None:
        """`address`: the client address that a proxy in front of the server would forward."""
        self._at, self._address = (host, port), address
        self._pipe: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self.opened = 0

    async def get(self, path: str) -> HttpResponse:
        """Send a GET request and read the response."""
        request = (
            f"GET {path} HTTP/1.1\r\nHost: {self._at[0]}:{self._at[1]}\r\n"
            f"X-Forwarded-For: {self._address}\r\nAccept: */*\r\n"
            "Accept-Encoding: gzip\r\nAccept-Language: en\r\n\r\n"
        ).encode()
        try:
            return await self.send(request)
        except (ConnectionError, asyncio.IncompleteReadError):
            self.leave()
            return await self.send(request)
        except TimeoutError:
            self.leave()  # else the late response would be taken for the next one
            raise

    async def send(self, request: bytes) -> HttpResponse:
        """Send a raw request and read the response."""
        began = time.perf_counter()
        async with asyncio.timeout(TIMEOUT_SECONDS):
            if self._pipe is None or self._pipe[0].at_eof():
                self.leave()
                self._pipe = await asyncio.open_connection(*self._at)
                self.opened += 1
            reader, writer = self._pipe
            writer.write(request)
            status, body = await self._read(reader, request.startswith(b"HEAD "))
        return HttpResponse(status, body, time.perf_counter() - began)

    async def _read(self, reader: asyncio.StreamReader, headers_only: bool) -> tuple[int, bytes]:
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines if ": " in line)
        status = int(first.split()[1])
        body = b""
        if not headers_only and status not in (204, 304):
            body = await _body(reader, headers)
        if headers.get("connection") == "close":
            self.leave()
        return status, gzip.decompress(body) if headers.get("content-encoding") == "gzip" and body else body

    def leave(self) -> None:
        """Close the connection."""
        if self._pipe is not None:
            self._pipe[1].close()
            self._pipe = None


async def _body(reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes:
    if headers.get("transfer-encoding") != "chunked":
        return await reader.readexactly(int(headers.get("content-length", 0)))
    body = b""
    while size := int(await reader.readuntil(b"\r\n"), 16):
        body += (await reader.readexactly(size + 2))[:-2]
    await reader.readuntil(b"\r\n")
    return body


OnEvent = Callable[[str, Any], None]


class Channel:
    """A Socket.IO client: messages with acknowledgements, and events passed to `on_event`."""

    def __init__(
        self, host: str, port: int, address: str, on_event: OnEvent = lambda name, payload: None
    ) -> None:
        """`on_event` is called with the name and the payload of each event."""
        self._at, self._address, self._on_event = (host, port), address, on_event
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._number = 0
        self._text = ""
        self._listening: asyncio.Task[None] | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._connected: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.is_open = False

    async def connect(self) -> None:
        """Open the WebSocket and join the default namespace."""
        self._reader, self._writer = await asyncio.open_connection(*self._at)
        self._socket = WSConnection(ConnectionType.CLIENT)
        target = "/socket.io/?EIO=4&transport=websocket"
        headers = [(b"X-Forwarded-For", self._address.encode())]
        host = f"{self._at[0]}:{self._at[1]}"
        self._writer.write(self._socket.send(Request(host=host, target=target, extra_headers=headers)))
        self._listening = asyncio.create_task(self._listen())
        async with asyncio.timeout(TIMEOUT_SECONDS):
            await self._connected

    async def call(self, name: str, *payload: Any) -> Any:
        """Send a message and return its acknowledgement."""
        self._number += 1
        answer = self._waiting[self._number] = asyncio.get_running_loop().create_future()
        self.send(f"42{self._number}" + json.dumps([name, *payload]))
        async with asyncio.timeout(TIMEOUT_SECONDS):
            return await answer

    def send(self, packet: str) -> None:
        """Send a raw Engine.IO packet."""
        self._write(Message(packet))

    def _write(self, event: Event) -> None:
        assert self._writer is not None
        self._writer.write(self._socket.send(event))

    async def _listen(self) -> None:
        try:
            while data := await self._reader.read(65_536):
                self._socket.receive_data(data)
                for event in self._socket.events():
                    self._handle(event)
        except ConnectionError:
            pass
        self._end("the connection has ended")

    def _end(self, reason: str) -> None:
        self.is_open = False
        for future in (self._connected, *self._waiting.values()):
            if not future.done():
                future.set_exception(ConnectionError(reason))

    def _handle(self, event: object) -> None:
        match event:
            case Message(data=data, message_finished=finished):
                self._text += str(data)
                if finished:
                    packet, self._text = self._text, ""
                    self._handle_packet(packet)
            case Ping():
                self._write(event.response())
            case RejectConnection():
                self._end(f"refused: {event.status_code}")
            case CloseConnection():
                self._end(f"closed by the server: {event.code}")
            case AcceptConnection() | _:
                pass

    def _handle_packet(self, packet: str) -> None:
        """Handle a packet.

        First digit (Engine.IO): 0 open, 2 ping, 4 message. Second digit of a message (Socket.IO):
        0 connected, 2 event, 3 acknowledgement, 4 refused.
        """
        if packet[0] == "0":
            self.send("40")
        elif packet[0] == "2":
            self.send("3")
        elif packet[:2] == "40":
            self.is_open = True
            self._connected.set_result(None)
        elif packet[:2] == "42":
            self._on_event(*json.loads(packet[2:]))
        elif packet[:2] == "43":
            number, bracket, rest = packet[2:].partition("[")
            self._waiting.pop(int(number)).set_result(json.loads(bracket + rest)[0])
        elif packet[:2] == "44":
            self._end(packet)

    def leave(self) -> None:
        """Close the connection."""
        if self._listening is not None:
            self._listening.cancel()
        if self._writer is not None:
            self._writer.close()
        self._end("left")
