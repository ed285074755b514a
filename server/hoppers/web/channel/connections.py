"""Connection limits: number of WebSockets, size and rate of their messages, and time that a send may block.

`ConnectionLimits` is a WSGI layer in front of the Socket.IO library, which has no such limits. A WebSocket
is one WSGI request that lasts as long as its connection.
"""

from __future__ import annotations

import logging
import socket
import time
from base64 import b64decode
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from gevent.lock import BoundedSemaphore

from hoppers.runtime.token_bucket import TokenBucket
from hoppers.web.servers.http_server import SOCKET, Unreadable, not_http

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

log = logging.getLogger(__name__)

CONNECTION = "hoppers.connection"
"""Key of the `Connection` in a WSGI environment."""
SPARE = 32  # connections beyond the limits that may exist, so that a refused client can be sent the reason
JOIN_SECONDS = 5.0  # time after which a connection that has not joined may be closed for new ones
SPARE_FRAMES = 300  # frames at once beyond the limit of messages; a client first gets an error message
BUSY_CONNECTIONS = 250
"""Number of connections from which on load is high and no large build begins. Below this number the program,
its connections and a build of the table of English 33 need 600 MB."""
NEEDED_HEADERS = {
    "HTTP_CONNECTION",
    "HTTP_HOST",
    "HTTP_ORIGIN",
    "HTTP_SEC_WEBSOCKET_KEY",
    "HTTP_SEC_WEBSOCKET_VERSION",
    "HTTP_UPGRADE",
    "HTTP_X_FORWARDED_HOST",
    "HTTP_X_FORWARDED_PROTO",
}
"""Headers that are passed to the libraries. Other headers would stay in memory as long as the connection.
Without `Sec-WebSocket-Extensions` the library makes no compressor, which takes 300 kB and saves little."""


class FrameMeter:
    """Counter of the WebSocket frames in a stream of bytes (RFC 6455, section 5.2). Stores no payloads.

    The library checks the size of a message only when the whole message has arrived, and limits no rate.
    """

    def __init__(self) -> None:
        self.message_bytes = 0
        """Announced size of the message under way, over all its frames so far."""
        self._header = bytearray()
        self._payload = 0  # bytes of the current frame still to come

    def feed(self, data: bytes) -> int:
        """Count the next bytes of the stream; return the number of frame headers that end in `data`."""
        frames, at = 0, 0
        while at < len(data):
            skipped = min(self._payload, len(data) - at)
            self._payload -= skipped
            at += skipped
            if at < len(data):
                self._header.append(data[at])
                at += 1
                frames += self._begin_frame()
        return frames

    def _begin_frame(self) -> bool:
        """Return whether the frame header is complete; if so, begin to count its payload."""
        if len(self._header) < 2:
            return False
        is_masked, code = self._header[1] & 0x80, self._header[1] & 0x7F
        length_bytes = {126: 2, 127: 8}.get(code, 0)
        if len(self._header) < 2 + length_bytes + (4 if is_masked else 0):
            return False
        long_length = int.from_bytes(self._header[2 : 2 + length_bytes])
        self._payload = long_length if length_bytes else code
        self._count_message(self._header[0])
        self._header.clear()
        return True

    def _count_message(self, first: int) -> None:
        opcode = first & 0x0F
        if opcode & 0x08:  # a control frame
            return
        if opcode:  # not a continuation: a new message
            self.message_bytes = 0
        self.message_bytes += self._payload


class Connection:
    """The socket of one WebSocket, with the limits of its connection."""

    def __init__(self, own: Any, address: str, config: Mapping[str, Any]) -> None:
        """`own`: a gevent socket. `config`: settings of the application, with the limits.

        `address`: network address of the client; behind trusted proxies, the address in their headers.
        """
        own.settimeout(2 * config["PING_SECONDS"])  # for silence and for sends that are not read
        self._socket, self.address, self.opened_at = own, address, time.monotonic()
        self.joined = False
        self.has_sent = False
        self.release: Callable[[], None] = lambda: None
        """Called when the connection has ended; frees the library's data about the connection."""
        self._max_message = config["MAX_MESSAGE_LENGTH"]
        self._frames = FrameMeter()
        at_once, per_second = config["MESSAGES_AT_ONCE"] + SPARE_FRAMES, 2 * config["MESSAGES_PER_SECOND"]
        self._bucket = TokenBucket(at_once, per_second)
        self._sending = BoundedSemaphore()

    def send(self, data: bytes) -> int:
        """Send all of `data` and return its length.

        The library ignores how much a call has sent, so part of a large message could be lost.

        Raises:
            BrokenPipeError: the client has disconnected, or has not read for twice `PING_SECONDS`.
        """
        with self._sending:
            try:
                self._socket.sendall(data)
            except OSError as error:
                self.end()
                raise BrokenPipeError from error
        self.has_sent = True
        return len(data)

    def recv(self, size: int) -> bytes:
        """Return at most `size` bytes; b'' at the end of the stream, or if the client exceeds a limit."""
        data: bytes = self._socket.recv(size)
        frames = self._frames.feed(data)
        if self._frames.message_bytes > self._max_message or not self._bucket.take(frames):
            log.info("a connection from %s sends too much", self.address)
            return b""
        return data

    def end(self) -> None:
        """Shut the socket down at once; pending reads and writes then return."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Release the socket."""
        self._socket.close()


class ConnectionLimits:
    """WSGI layer that counts WebSockets and refuses those beyond the limits. Runs in the event loop only."""

    def __init__(self, wsgi: WSGIApplication, config: Mapping[str, Any]) -> None:
        """`wsgi`: the Socket.IO library. `config`: settings of the application, with the limits."""
        self._wsgi, self._config = wsgi, config
        self._open: dict[Connection, None] = {}  # oldest first

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Serve a WebSocket until it ends, or refuse it with a reason; pass other requests on unchanged."""
        if "HTTP_UPGRADE" not in environ:
            return self._wsgi(environ, start_response)
        try:
            _check_handshake(environ)
            connection = self._admit(environ)
        except Unreadable as refusal:
            return refusal.respond(start_response)
        needed = {
            name: value for name, value in environ.items() if name[:5] != "HTTP_" or name in NEEDED_HEADERS
        }
        try:
            return self._converse({**needed, SOCKET: connection, CONNECTION: connection}, start_response)
        finally:
            self._open.pop(connection, None)
            if connection.has_sent:
                connection.end()
            connection.release()

    def _converse(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        connection: Connection = environ[CONNECTION]
        try:
            return self._wsgi(environ, start_response)
        except StopIteration:  # the library's sign that the connection is used up
            return []
        except Exception as error:  # the library read an invalid packet
            log.info("a connection from %s is ended: %r", connection.address, error)
            return [] if connection.has_sent else not_http().respond(start_response)

    def count(self) -> int:
        """Return the number of connections."""
        return len(self._open)

    def is_busy(self) -> bool:
        """Return whether load is high: at least `BUSY_CONNECTIONS` connections are open."""
        return len(self._open) >= BUSY_CONNECTIONS

    def close(self) -> None:
        """End all connections; the clients reconnect by themselves."""
        for connection in list(self._open):
            connection.end()

    def _admit(self, environ: WSGIEnvironment) -> Connection:
        """Register and return the connection of a new WebSocket.

        Raises:
            Unreadable: there are too many connections, in all or from its address, and none makes room.
        """
        address = environ.get("REMOTE_ADDR", "")
        if len(self._open) >= self._config["CONNECTIONS"] + SPARE and not self._make_room():
            raise _too_many(f"The server has {len(self._open)} connections, its most.")
        here = sum(connection.address == address for connection in self._open)
        if here >= self._config["CONNECTIONS_PER_ADDRESS"] + SPARE and not self._make_room(address):
            raise _too_many(f"There are too many connections from {address}.")
        connection = Connection(environ[SOCKET], address, self._config)
        self._open[connection] = None
        return connection

    def _make_room(self, address: str = "") -> bool:
        """End the oldest connection that has not joined the channel within `JOIN_SECONDS`.

        `address`: consider only connections from this address; '' for all. Return whether one was ended.
        """
        latest = time.monotonic() - JOIN_SECONDS
        for connection in self._open:
            if connection.opened_at > latest:
                break
            if not connection.joined and address in ("", connection.address):
                del self._open[connection]
                connection.end()
                return True
        return False


def _too_many(message: str) -> Unreadable:
    """Return the refusal of a connection beyond a limit."""
    return Unreadable(HTTPStatus.SERVICE_UNAVAILABLE, "busy", message)


def _check_handshake(environ: WSGIEnvironment) -> None:
    """Refuse handshakes for which the libraries would log a traceback.

    Raises:
        Unreadable: the request is not a WebSocket handshake of version 13.
    """
    connection = [token.strip().lower() for token in environ.get("HTTP_CONNECTION", "").split(",")]
    if (
        environ["REQUEST_METHOD"] != "GET"
        or environ.get("SERVER_PROTOCOL") != "HTTP/1.1"
        or environ["HTTP_UPGRADE"].lower() != "websocket"
        or "upgrade" not in connection
        or environ.get("HTTP_SEC_WEBSOCKET_VERSION") != "13"
        or not _is_key(environ.get("HTTP_SEC_WEBSOCKET_KEY", ""))
        or SOCKET not in environ
    ):
        message = "This is not a WebSocket handshake of version 13."
        raise Unreadable(HTTPStatus.BAD_REQUEST, "invalid_request", message)


def _is_key(text: str) -> bool:
    try:
        return len(b64decode(text, validate=True)) == 16
    except ValueError:
        return False
