"""The WebSockets of the channel: limited in what they take in at once, in how long they wait, in memory.

The library behind them limits neither the size of a message while it arrives nor the time for which a send
may block, and gives every connection two compressors of 300 kB that our short messages do not need.
"""

import socket
import struct
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from simple_websocket import ConnectionClosed, Server

from .allowance import Bucket

SOCKETS = ("werkzeug.socket", "gunicorn.socket")
"""Where the servers we run on keep the connection."""
COMPRESSION = "HTTP_SEC_WEBSOCKET_EXTENSIONS"
PACKETS = tuple("0123456b")
"""The first character of every Engine.IO packet that is text."""


class Bounds(NamedTuple):
    """What one connection may do: bytes of a message, seconds that a send may take, packets a second."""

    bytes: int
    seconds: float
    packets: float
    at_once: float


class Wire:
    """A connection that sends all or fails, within so many seconds, and small packets at once."""

    def __init__(self, connection: socket.socket, seconds: float) -> None:
        """Set the connection up."""
        self._connection = connection
        patience = struct.pack("@ll", int(seconds), int(seconds % 1 * 1e6))
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, patience)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, data: bytes) -> None:
        """Send all of it.

        Raises:
            OSError: the other side does not read, or has gone.
        """
        self._connection.sendall(data)

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


class WebSocket:
    """One WebSocket in the shape that Engine.IO asks for."""

    def __init__(self, bounds: Bounds, talk: Callable[[Any], object], server: object) -> None:
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
        self._socket = Server({**plain, name: self._wire}, max_message_size=self._bounds.bytes)
        try:
            self._talk(self)
        finally:
            self._wire.end()
        raise (StopIteration if self._socket.mode == "gunicorn" else ConnectionError)

    def wait(self) -> str | bytes | None:
        """The next packet; None at the end, which comes early for one who sends no packets or too many."""
        with suppress(ConnectionClosed):
            data: str | bytes | None = self._socket.receive()
            if isinstance(data, str) and data[:1] not in PACKETS:
                return None
            return data if self._bucket.spend() >= 0 else None
        return None

    def send(self, message: str | bytes) -> None:
        """Send a packet.

        Raises:
            OSError: the other side does not read, or has gone.
        """
        try:
            self._socket.send(message)
        except ConnectionClosed as error:
            raise OSError from error

    def close(self) -> None:
        """End the conversation, with a word to the other side if that is possible at once."""
        with suppress(ConnectionClosed, OSError):
            self._socket.close()
        self._wire.end()
