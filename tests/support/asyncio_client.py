"""Minimal asynchronous client: HTTP/1.1 with keep-alive, and Socket.IO over WebSocket, like a browser.

A thousand clients fit into one process that uses only a part of one core.
"""

import asyncio
import gzip
import json
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

from tests.support.timed_socket import Delay, TimedSocket

TIMEOUT_SECONDS = 30.0  # a response that takes longer is an error
WEBSOCKET_KEY = "AAAAAAAAAAAAAAAAAAAAAA=="  # any sixteen bytes
MASK = bytes(4)  # RFC 6455 asks for a mask; this one leaves the payload unchanged
Result = TypeVar("Result")
TEXT, CLOSE, PING, PONG = 1, 8, 9, 10  # opcodes of frames; 0 continues a text
FINAL = ("solved", "unsolvable", "stopped", "failed")
"""Names of the events that end a search."""


def run(steps: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine in a new thread: that of the tests may run the event loop of a browser."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, steps).result()


class HttpResponse(NamedTuple):
    """One HTTP response, with the time from sending the request to the end of the body."""

    status: int
    body: bytes
    delay: Delay

    def json(self) -> Any:
        """Return the decoded body."""
        return json.loads(self.body)


class Browser:
    """One persistent HTTP connection, opened again if the server has closed it, as browsers do."""

    def __init__(self, host: str, port: int, address: str, language: str = "en") -> None:
        """`address`: the client's own; on Linux, any that begins with 127 will do."""
        self._at, self._address = (host, port), address
        self._pipe: TimedSocket | None = None
        self._headers = (
            f" HTTP/1.1\r\nHost: {host_header(host, port)}\r\nAccept: */*\r\n"
            f"Accept-Encoding: gzip\r\nAccept-Language: {language}\r\n\r\n"
        ).encode()

    async def get(self, path: str) -> HttpResponse:
        """Send a GET request, once more if the connection was closed, and return the response."""
        request = b"GET " + path.encode() + self._headers
        try:
            return await self.send(request)
        except (ConnectionError, asyncio.IncompleteReadError):
            self.leave()
            return await self.send(request)
        except TimeoutError:
            self.leave()  # else the late response would be taken for the next one
            raise

    async def post(self, path: str, body: bytes) -> HttpResponse:
        """Send a POST request and return the response."""
        head = b"POST " + path.encode() + self._headers[:-2]
        return await self.send(head + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)

    async def send(self, request: bytes) -> HttpResponse:
        """Send the bytes of a whole request and return the response."""
        async with asyncio.timeout(TIMEOUT_SECONDS):
            if self._pipe is None or self._pipe.reader.at_eof():
                self.leave()
                self._pipe = await TimedSocket.open(self._at, self._address)
            pipe = self._pipe
            sent_at = pipe.send(request)
            head = await pipe.reader.readuntil(b"\r\n\r\n")
            body = b"" if request.startswith(b"HEAD ") else await _body(pipe.reader, head.lower())
        delay = pipe.delay_since(sent_at)
        if b"\r\nconnection: close\r\n" in head.lower():
            self.leave()
        if body and b"\r\ncontent-encoding: gzip\r\n" in head.lower():
            body = gzip.decompress(body)
        return HttpResponse(int(head.split(maxsplit=2)[1]), body, delay)

    def leave(self) -> None:
        """Close the connection."""
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None


async def _body(reader: asyncio.StreamReader, head: bytes) -> bytes:
    """Return the body that follows `head`, the status line and the headers in lower case."""
    if b"\r\ntransfer-encoding: chunked\r\n" not in head:
        length = head.partition(b"\r\ncontent-length:")[2].partition(b"\r\n")[0]
        return await reader.readexactly(int(length or 0))
    body = b""
    while size := int(await reader.readuntil(b"\r\n"), 16):
        body += (await reader.readexactly(size + 2))[:-2]
    await reader.readuntil(b"\r\n")
    return body


OnEvent = Callable[[str, Any], None]


class Acknowledgement(NamedTuple):
    """The answer to a message, with the time from sending the message to the end of the answer."""

    value: Any
    delay: Delay


class Channel:
    """A Socket.IO client: messages with acknowledgements, and events passed to `on_event`."""

    def __init__(
        self, host: str, port: int, address: str, on_event: OnEvent = lambda name, payload: None
    ) -> None:
        """`address`: as for `Browser`. `on_event`: called with the name and the payload of each event."""
        self._at, self._address, self._on_event, self.is_open = (host, port), address, on_event, False
        self._handshake = handshake(host_header(host, port))
        self._waiting: dict[int, tuple[int, asyncio.Future[Acknowledgement]]] = {}
        """Time of sending (ns since 1970) and future of each message not acknowledged yet, by number."""
        self._number = 0
        self._text = b""
        self._listening: asyncio.Task[None] | None = None
        self._pipe: TimedSocket | None = None
        self._connected: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def connect(self) -> None:
        """Open the WebSocket and join the default namespace."""
        self._pipe = await TimedSocket.open(self._at, self._address)
        self._pipe.send(self._handshake)
        self._listening = asyncio.create_task(self._listen(self._pipe))
        async with asyncio.timeout(TIMEOUT_SECONDS):
            await self._connected

    async def call(self, name: str, *payload: Any) -> Any:
        """Send a message and return its acknowledgement."""
        return (await self.timed_call(name, *payload)).value

    async def timed_call(self, name: str, *payload: Any) -> Acknowledgement:
        """Send a message and return its acknowledgement with the delay."""
        self._number += 1
        answer: asyncio.Future[Acknowledgement] = asyncio.get_running_loop().create_future()
        packet = f"42{self._number}" + json.dumps([name, *payload])
        self._waiting[self._number] = self._send(TEXT, packet.encode()), answer
        async with asyncio.timeout(TIMEOUT_SECONDS):
            return await answer

    def _send(self, opcode: int, payload: bytes) -> int:
        """Send one frame; return the time just before, in nanoseconds since 1970."""
        if self._pipe is None:
            raise ConnectionError("not connected")
        return self._pipe.send(frame(opcode, payload))

    async def _listen(self, pipe: TimedSocket) -> None:
        reason = "the connection has ended"
        try:
            head = await pipe.reader.readuntil(b"\r\n\r\n")
            if not head.startswith(b"HTTP/1.1 101 "):
                raise ConnectionRefusedError(f"refused: {head.split(maxsplit=2)[1].decode()}")
            while True:
                self._handle(*await read_frame(pipe.reader))
        except asyncio.IncompleteReadError:
            pass
        except ConnectionError as error:
            reason = str(error)
        self._end(reason)

    def _end(self, reason: str) -> None:
        self.is_open = False
        futures: list[asyncio.Future[Any]] = [
            self._connected,
            *(answer for _, answer in self._waiting.values()),
        ]
        for future in futures:
            if not future.done():
                future.set_exception(ConnectionError(reason))

    def _handle(self, is_final: bool, opcode: int, payload: bytes) -> None:
        if opcode == PING:
            self._send(PONG, payload)
        elif opcode == CLOSE:
            raise ConnectionAbortedError(f"closed by the server: {int.from_bytes(payload[:2])}")
        else:
            self._text += payload
            if is_final:
                packet, self._text = self._text.decode(), b""
                self._handle_packet(packet)

    def _handle_packet(self, packet: str) -> None:
        """Handle an Engine.IO packet.

        First digit (Engine.IO): 0 open, 2 ping, 4 message. Second digit of a message (Socket.IO):
        0 connected, 2 event, 3 acknowledgement, 4 refused.
        """
        if packet[0] == "0":
            self._send(TEXT, b"40")
        elif packet[0] == "2":
            self._send(TEXT, b"3")
        elif packet[:2] == "40":
            self.is_open = True
            self._connected.set_result(None)
        elif packet[:2] == "42":
            self._on_event(*json.loads(packet[2:]))
        elif packet[:2] == "43":
            self._acknowledge(packet[2:])
        elif packet[:2] == "44":
            self._end(packet)

    def _acknowledge(self, text: str) -> None:
        assert self._pipe is not None
        number, bracket, rest = text.partition("[")
        sent_at, future = self._waiting.pop(int(number))
        if not future.done():
            delay = self._pipe.delay_since(sent_at)
            future.set_result(Acknowledgement(json.loads(bracket + rest)[0], delay))

    def leave(self) -> None:
        """Close the connection."""
        if self._listening is not None:
            self._listening.cancel()
        if self._pipe is not None:
            self._pipe.close()
        self._end("left")


class Searcher(Channel):
    """A client of the channel that keeps the events of its searches."""

    def __init__(self, host: str, port: int, address: str) -> None:
        """See `Channel`."""
        self.events: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()
        super().__init__(host, port, address, lambda *event: self.events.put_nowait(event))

    async def search(self, ticket: str, puzzle: str, position: str, **options: object) -> Any:
        """Ask for a search; return the acknowledgement."""
        query = {"ticket": ticket, "puzzle": puzzle, "position": position, **options}
        return await self.call("search", query)

    async def until(self, ticket: str, *names: str) -> tuple[str, Any]:
        """Drop events up to the next one of a search that has one of these names, and return it."""
        while True:
            name, fields = await self.events.get()
            if name in names and fields["ticket"] == ticket:
                return name, fields


def host_header(host: str, port: int) -> str:
    """Return host and port as in the header `Host`."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def handshake(host: str) -> bytes:
    """Return the request that opens a WebSocket of Socket.IO."""
    return (
        f"GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: {host}\r\n"
        "Connection: Upgrade\r\nUpgrade: websocket\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {WEBSOCKET_KEY}\r\n\r\n"
    ).encode()


def frame(opcode: int, payload: bytes) -> bytes:
    """Return a whole WebSocket frame of a client (RFC 6455, section 5.2)."""
    size = len(payload)
    if size < 126:
        length = bytes([0x80 | size])
    elif size < 1 << 16:
        length = bytes([0x80 | 126]) + size.to_bytes(2)
    else:
        length = bytes([0x80 | 127]) + size.to_bytes(8)
    return bytes([0x80 | opcode]) + length + MASK + payload


async def read_frame(reader: asyncio.StreamReader) -> tuple[bool, int, bytes]:
    """Read a WebSocket frame of a server; return whether it ends its message, its opcode and its payload."""
    first, length = await reader.readexactly(2)
    if length >= 126:
        length = int.from_bytes(await reader.readexactly(2 if length == 126 else 8))
    return bool(first & 0x80), first & 0x0F, await reader.readexactly(length)
