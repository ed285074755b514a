"""The WebSockets of the channel: limited in what they take in at once, in how long they wait, in memory.

The library behind them limits neither the size of a message while it arrives nor the time for which a send
may block, has a thread for each that only reads, and gives every connection two compressors of 300 kB that
our short messages do not need.
"""

import selectors
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from simple_websocket import ConnectionClosed, Server
from wsproto.utilities import LocalProtocolError

from hoppers.web.channel.token_bucket import Bucket

SOCKETS = ("werkzeug.socket", "gunicorn.socket")
"""Where the servers we run on keep the connection."""
COMPRESSION = "HTTP_SEC_WEBSOCKET_EXTENSIONS"
AT_ONCE = getattr(socket, "MSG_DONTWAIT", 0)
MOST_READ = 4096
MOST_KEPT = 200_000
"""Bytes that may wait to go out: one packet, and answers to those who ask without reading."""
PACKETS = tuple("0123456b")
"""The first character of every Engine.IO packet that is text."""


class Bounds(NamedTuple):
    """What one connection may do: bytes of a message, seconds that a send may take, packets a second."""

    bytes: int
    seconds: float
    packets: float
    at_once: float


class Wire:
    """A connection on which no send waits: what does not go out at once is kept for `flush`."""

    def __init__(self, connection: socket.socket, seconds: float) -> None:
        """Set the connection up; it takes in what waits within so many seconds, or fails."""
        self._connection, self._seconds = connection, seconds
        self._rest = b""
        self._lock = threading.Lock()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, data: bytes) -> None:
        """Send as much as goes out at once.

        Raises:
            OSError: the other side has gone, or far too much waits for it.
        """
        with self._lock:
            self._rest += data
            self._offer()
            if len(self._rest) > MOST_KEPT:
                raise OSError("the other side does not read")

    def is_clogged(self) -> bool:
        """Whether something waits to go out."""
        return bool(self._rest)

    def flush(self) -> None:
        """Wait until all has gone out.

        Raises:
            OSError: the other side does not read, or has gone.
        """
        until = time.monotonic() + self._seconds
        with selectors.DefaultSelector() as ready:
            try:
                ready.register(self._connection, selectors.EVENT_WRITE)
            except ValueError as error:
                raise OSError("the connection was closed here meanwhile") from error
            while self._rest:
                if not ready.select(max(0.0, until - time.monotonic())):
                    raise OSError("the other side does not read")
                with self._lock:
                    self._offer()

    def _offer(self) -> None:
        with suppress(BlockingIOError):
            self._rest = self._rest[self._connection.send(self._rest, AT_ONCE) :]

    def recv(self, size: int) -> bytes:
        """The next bytes."""
        return self._connection.recv(size)

    def end(self) -> None:
        """Say no more and hear no more; whoever waits for the next bytes wakes up."""
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Release the connection."""
        self._connection.close()


class NoThread:
    """In place of the library's thread that only reads: here whoever waits for a packet reads."""

    name = ""

    def __init__(self, target: object) -> None:
        """Nothing is done."""

    def start(self) -> None:
        """Nor now."""


class WebSocket:
    """One WebSocket in the shape that Engine.IO asks for."""

    def __init__(self, bounds: Bounds, talk: Callable[[Any], object]) -> None:
        """Nothing is said before the call."""
        self._bounds, self._talk = bounds, talk
        self._bucket = Bucket(bounds.packets, bounds.at_once)
        self._socket: Any = None
        self._wire: Any = None

    def __call__(self, environ: dict[str, Any], start_response: object) -> object:
        """Talk until one side has had enough; then tell the server that the connection is used up."""
        name = next(name for name in SOCKETS if name in environ)
        self._wire = Wire(environ[name], self._bounds.seconds)
        plain = {key: value for key, value in environ.items() if key != COMPRESSION}
        self._socket = Server(
            {**plain, name: self._wire}, max_message_size=self._bounds.bytes, thread_class=NoThread
        )
        try:
            self._talk(self)
        finally:
            self._wire.end()
        raise (StopIteration if self._socket.mode == "gunicorn" else ConnectionError)

    def wait(self) -> str | bytes | None:
        """The next packet; None at the end, which comes early for one who sends no packets or too many."""
        with suppress(ConnectionClosed, OSError, LocalProtocolError):
            self._read()
            data: str | bytes | None = self._socket.receive()
            if isinstance(data, str) and data[:1] not in PACKETS:
                return None
            return data if self._bucket.spend() >= 0 else None
        return None

    def _read(self) -> None:
        """Read until there is a message, or an end."""
        while self._socket.connected and not self._socket.input_buffer:
            data = self._wire.recv(MOST_READ)
            if not data:
                self._socket.connected = False
                return
            self._socket.ws.receive_data(data)
            self._socket.connected = self._socket._handle_events()

    def send(self, message: str | bytes) -> None:
        """Send a packet; what does not go out at once is kept for `flush`.

        Raises:
            OSError: the other side does not read, or has gone.
        """
        try:
            self._socket.send(message)
        except ConnectionClosed as error:
            raise OSError from error

    def is_clogged(self) -> bool:
        """Whether something of what was sent has not gone out yet."""
        return bool(self._wire.is_clogged())

    def flush(self) -> None:
        """Wait until all has gone out.

        Raises:
            OSError: the other side does not read, or has gone.
        """
        self._wire.flush()

    def close(self) -> None:
        """End the conversation, with a word to the other side if that is possible at once."""
        with suppress(ConnectionClosed, OSError):
            self._socket.close()
        self._wire.end()

    def end(self) -> None:
        """End it without a word."""
        self._wire.end()
