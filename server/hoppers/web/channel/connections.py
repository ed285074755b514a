"""The Socket.IO server, limits of its connections, and the emitter that sends events to clients.

`ConnectionLimits` is a WSGI layer in front of the library, which limits neither the number of WebSockets, nor
the size and rate of their messages, nor the time that a send may block. A WebSocket is one WSGI request that
lasts as long as its connection.
"""

import logging
import math
import re
import socket
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple, cast
from wsgiref.types import StartResponse, WSGIEnvironment

import gevent
from engineio.exceptions import UnknownPacketError
from engineio.packet import PING
from engineio.packet import Packet as EnginePacket
from flask import Flask
from flask_socketio import SocketIO
from gevent.lock import BoundedSemaphore
from socketio.packet import Packet

from hoppers.jobs.service import EmitTo
from hoppers.runtime.token_bucket import TokenBucket
from hoppers.web.servers.clients import client_of
from hoppers.web.servers.event_loop import EventLoop
from hoppers.web.servers.faults import Fault
from hoppers.web.servers.http_server import SOCKET, not_http

log = logging.getLogger(__name__)

KEY = re.compile(r"[A-Za-z0-9+/]{22}==")  # of a WebSocket handshake: 16 bytes in base64
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


class ChannelLimits(NamedTuple):
    """Limits of connections, in addition to those in the settings."""

    spare: int = 32  # connections beyond the settings, over which refused clients receive the reason
    join_seconds: float = 5.0  # age from which a connection that has not joined may be closed for a new one
    spare_frames: int = 300  # frames above the message limit that get errors; with more, the connection ends
    attachments: int = 4  # most binary parts of a message
    queued: int = 512  # events that may wait for one client; with more, the client is disconnected
    slow_queue: int = 32  # waiting events from which on a client gets no progress events
    busy: int = 250
    """Number of connections at which load is high and no large build begins. With fewer, the program, its
    connections and a build of the table of English 33 need 600 MB."""


LIMITS = ChannelLimits()


class FrameMeter:
    """Counter of the WebSocket frames in a stream of bytes (RFC 6455, section 5.2). Stores no payloads.

    The library checks the size of a message only when the whole message has arrived, and limits no rate.
    """

    def __init__(self) -> None:
        self.message_bytes = 0  # of the current message, by the headers of its frames so far
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
        """Begin to count the payload of a frame if its header is complete; return whether it is."""
        header = self._header
        if len(header) < 2:
            return False
        mask_bytes, length = 4 if header[1] & 0x80 else 0, header[1] & 0x7F
        length_bytes = {126: 2, 127: 8}.get(length, 0)
        if len(header) < 2 + length_bytes + mask_bytes:
            return False
        self._payload = int.from_bytes(header[2 : 2 + length_bytes]) if length_bytes else length
        opcode = header[0] & 0x0F
        if opcode < 8:  # else a control frame
            earlier_bytes = 0 if opcode else self.message_bytes  # 0 is a continuation
            self.message_bytes = earlier_bytes + self._payload
        header.clear()
        return True


class Connection:
    """The socket of one WebSocket, with the limits of its connection."""

    def __init__(self, own: Any, address: str, config: Mapping[str, Any]) -> None:
        """`own`: a gevent socket. `config`: settings of the application, with the limits.

        `address`: of the client (see `client_of`); behind trusted proxies, by the address in their headers.
        """
        own.settimeout(2 * config["PING_SECONDS"])  # for a client that is silent or does not read
        self._socket, self.address, self.opened_at = own, address, time.monotonic()
        self.client: Any = None  # the `handlers.Client` that has joined the channel, or None
        self.has_sent = False
        self.engine_socket: Any = None  # the library's data of the connection, once it is open
        self._max_message = config["MAX_MESSAGE_LENGTH"]
        self._frames = FrameMeter()
        at_once = config["MESSAGES_AT_ONCE"] + LIMITS.spare_frames
        self._bucket = TokenBucket(at_once, 2 * config["MESSAGES_PER_SECOND"])
        self._sending = BoundedSemaphore()

    def send(self, data: bytes) -> int:
        """Send all of `data` and return its length; after a partial send, the library would lose the rest.

        If the connection is lost, or the client has not read for twice `PING_SECONDS`, end the connection and
        raise a BrokenPipeError.
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
        """Return at most `size` bytes; b'' at the end of the stream, or if the client exceeds a limit.

        Raise an OSError if the connection is lost, or nothing has arrived for twice `PING_SECONDS`.
        """
        data: bytes = self._socket.recv(size)
        frames = self._frames.feed(data)
        if self._frames.message_bytes > self._max_message or not self._bucket.take(frames):
            log.info("a connection from %s sends too much", self.address)
            return b""
        return data

    def end(self) -> None:
        """Shut the socket down at once, which ends pending reads and writes."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()

    def forget(self) -> None:
        """Remove the library's data of the connection, after its end."""
        if (engine_socket := self.engine_socket) is not None:
            engine = engine_socket.server
            engine.sockets.pop(engine_socket.sid, None)
            engine_socket.close(wait=False, abort=True, reason=engine.reason.TRANSPORT_CLOSE)


class ConnectionLimits:
    """WSGI layer that counts WebSockets and refuses those beyond the limits. Runs in the event loop only."""

    def __init__(self, app: Flask) -> None:
        """Wrap `app.wsgi_app` as it is now: the layer that `socketio_server` has put there."""
        self._wsgi, self._config = app.wsgi_app, app.config
        self._open: dict[Connection, None] = {}  # oldest first

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Serve a WebSocket until it ends, or refuse it with a reason; pass other requests on unchanged."""
        if "HTTP_UPGRADE" not in environ:
            return self._wsgi(environ, start_response)
        try:
            _check_handshake(environ)
            connection = self._admit(environ)
        except Fault as refusal:
            return refusal.respond(start_response)
        return self._serve(connection, environ, start_response)

    def _serve(
        self, connection: Connection, environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[bytes]:
        for name in [name for name in environ if name[:5] == "HTTP_" and name not in NEEDED_HEADERS]:
            del environ[name]
        environ[SOCKET] = connection
        try:
            return self._wsgi(environ, start_response)
        except ConnectionError:  # raised by the library when the WebSocket has ended
            return []
        except Exception as error:  # the library read an invalid packet
            log.info("a connection from %s is ended: %r", connection.address, error)
            return [] if connection.has_sent else not_http().respond(start_response)
        finally:
            self._open.pop(connection, None)
            if connection.has_sent:
                connection.end()
            connection.forget()

    def count(self) -> int:
        """Return the number of open connections."""
        return len(self._open)

    def is_busy(self) -> bool:
        """Return whether load is high: at least `LIMITS.busy` connections are open."""
        return len(self._open) >= LIMITS.busy

    def close(self) -> None:
        """End all connections; the clients reconnect automatically."""
        for connection in list(self._open):
            connection.end()

    def _admit(self, environ: WSGIEnvironment) -> Connection:
        """Register and return the connection of a new WebSocket.

        Raise a Fault (503) if there are too many connections, in all or from the address, and none can be
        ended.
        """
        address = client_of(environ.get("REMOTE_ADDR", ""))
        if len(self._open) >= self._config["CONNECTIONS"] + LIMITS.spare and not self._make_room():
            raise Fault(503, "busy", f"The server has {len(self._open)} connections, its most.")
        here = sum(connection.address == address for connection in self._open)
        if here >= self._config["CONNECTIONS_PER_ADDRESS"] + LIMITS.spare and not self._make_room(address):
            raise Fault(503, "busy", f"There are too many connections from {address}.")
        connection = Connection(environ[SOCKET], address, self._config)
        self._open[connection] = None
        return connection

    def _make_room(self, address: str = "") -> bool:
        """End the oldest connection that has not joined the channel within `LIMITS.join_seconds`, if any.

        Return whether one was ended. `address`: consider only connections from this address; '': all.
        """
        latest = time.monotonic() - LIMITS.join_seconds
        for connection in self._open:
            if connection.opened_at > latest:
                break
            if connection.client is None and address in ("", connection.address):
                del self._open[connection]
                connection.end()
                return True
        return False


def _check_handshake(environ: WSGIEnvironment) -> None:
    """Raise a Fault (400) unless a request with an Upgrade header is a valid WebSocket handshake.

    The libraries would log a traceback for an invalid one.
    """
    connection = [token.strip().lower() for token in environ.get("HTTP_CONNECTION", "").split(",")]
    if (
        environ["REQUEST_METHOD"] != "GET"
        or environ.get("SERVER_PROTOCOL") != "HTTP/1.1"
        or environ["HTTP_UPGRADE"].lower() != "websocket"
        or "upgrade" not in connection
        or environ.get("HTTP_SEC_WEBSOCKET_VERSION") != "13"
        or not KEY.fullmatch(environ.get("HTTP_SEC_WEBSOCKET_KEY", ""))
        or SOCKET not in environ
    ):
        raise Fault(400, "invalid_request", "This is not a WebSocket handshake of version 13.")


class StrictPacket(Packet):  # type: ignore[misc]
    """A Socket.IO packet with at most `LIMITS.attachments` binary attachments."""

    def decode(self, encoded_packet: Any) -> int:
        """Parse a packet; return the number of attachments that follow.

        Raise a ValueError if there are too many. An invalid packet may raise any exception.
        """
        count: int = super().decode(encoded_packet) or 0
        if count > LIMITS.attachments:
            raise ValueError(f"{count} attachments")
        return count


def socketio_server(app: Flask) -> SocketIO:
    """Return a new Socket.IO server, and replace `app.wsgi_app` by its WSGI layer.

    Polling is refused, because its connections cannot be limited.
    """
    # The library would log a traceback for each invalid packet; the handlers below log one line instead.
    logging.getLogger("engineio.server").setLevel(logging.CRITICAL)
    # A `SocketIO` object remembers only its last application, so each application has its own object.
    options: dict[str, Any] = dict(  # some are options of underlying libraries, which the types do not list
        async_mode="gevent",
        async_handlers=False,  # in order: a `stop` never overtakes its `search`
        manage_session=False,
        transports=["websocket"],
        max_http_buffer_size=app.config["MAX_MESSAGE_LENGTH"],
        ping_interval=app.config["PING_SECONDS"],
        ping_timeout=app.config["PING_SECONDS"],
        cors_credentials=False,
        serializer=StrictPacket,
    )
    socketio = SocketIO(app, **options)
    _watch_connections(cast(Any, socketio).server)
    return socketio


def _watch_connections(server: Any) -> None:
    """Make `server` end connections with invalid packets, and keep less memory for connections."""
    engine = server.eio
    connect, read, disconnect = (engine.handlers[name] for name in ("connect", "message", "disconnect"))

    def on_connect(id: str, environ: dict[str, Any]) -> Any:
        connection: Connection = environ[SOCKET]
        own = connection.engine_socket = engine.sockets[id]
        own.receive = partial(receive, own.receive, connection)
        own.schedule_ping = partial(_schedule_ping, own)
        return connect(id, environ)

    def receive(read_packet: Callable[[Any], None], connection: Connection, packet: Any) -> None:
        try:
            read_packet(packet)
        except UnknownPacketError:  # the library would ignore the packet
            connection.end()

    def on_message(id: str, data: Any) -> None:
        try:
            read(id, data)
        except Exception as error:  # of any kind: the library reads packets without checking them
            log.info("a packet cannot be read: %r", error)
            server.environ[id][SOCKET].end()

    def on_disconnect(id: str, reason: str) -> None:
        server._binary_packet.pop(id, None)  # see `servers.http_server` on private names
        disconnect(id, reason)

    engine.on("connect", on_connect)
    engine.on("message", on_message)
    engine.on("disconnect", on_disconnect)


def _schedule_ping(own: Any) -> None:
    """Send a ping to the Engine.IO socket `own` after the interval, unless one is scheduled already.

    Called when the connection opens and with each answer to a ping. The library does this with a sleeping
    green thread for each connection, in 7 kB; a timer takes 1 kB.
    """
    if own.last_ping:
        own.last_ping = None
        gevent.spawn_later(own.server.ping_interval, _ping, own)


def _ping(own: Any) -> None:
    if not (own.closing or own.closed):
        own.last_ping = math.inf  # true, and never too long ago: `Connection` ends silent clients
        own.send(EnginePacket(PING))


def emitter(socketio: SocketIO, loop: EventLoop) -> EmitTo:
    """Return a function that sends events to clients in order. Any thread may call it, and it never waits.

    Its arguments are the event's name and fields, and the Socket.IO id of the client; an unknown id is
    ignored. A progress event is dropped if `LIMITS.slow_queue` packets wait for the client. The connection is
    ended if `LIMITS.queued` packets wait.
    """
    server = cast(Any, socketio).server

    def emit_in_loop(name: str, fields: dict[str, Any], to: str) -> None:
        environ = server.get_environ(to)
        if environ is None:
            return
        connection: Connection = environ[SOCKET]
        waiting = connection.engine_socket.queue.qsize()
        if waiting >= LIMITS.queued:
            log.info("a client that does not read is dropped")
            connection.end()
        elif name != "progress" or waiting < LIMITS.slow_queue:
            socketio.emit(name, fields, to=to)

    return partial(loop.post, emit_in_loop)
