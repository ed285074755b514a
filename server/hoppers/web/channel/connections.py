"""The Socket.IO server, limits of its connections, and the emitter that sends events to clients.

`ConnectionLimits` is a WSGI layer in front of the library, which limits neither the number of connections,
nor the size and rate of their messages, nor the time that a send may block. A connection is carried by
requests (long polling) or by a WebSocket, which is one WSGI request that lasts as long as its connection.
Both run in the event loop; a poll that waits for an event takes no thread.
"""

import logging
import math
import re
import socket
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from io import BytesIO
from typing import Any, NamedTuple, cast
from urllib.parse import parse_qs
from wsgiref.types import StartResponse, WSGIEnvironment

import gevent
from engineio.exceptions import EngineIOError, SocketIsClosedError, UnknownPacketError
from engineio.packet import PING
from engineio.packet import Packet as EnginePacket
from engineio.payload import Payload
from flask import Flask
from flask_socketio import SocketIO
from gevent.lock import BoundedSemaphore
from socketio.packet import Packet

from hoppers.jobs.service import EmitTo
from hoppers.runtime.clients import ClientAddress, ClientCounts
from hoppers.runtime.token_bucket import TokenBucket
from hoppers.web.servers.clients import client_in
from hoppers.web.servers.event_loop import EventLoop
from hoppers.web.servers.faults import Fault
from hoppers.web.servers.http_server import SOCKET, not_http
from hoppers.web.settings import Settings

log = logging.getLogger(__name__)

CONNECTION = "hoppers.connection"
"""Key in a WSGI environment under which requests of the channel have their `Connection`."""
SEPARATOR = b"\x1e"  # of packets in the body of a request
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
    spare_packets: int = 300  # above the message limit, which get errors; with more, the connection ends
    attachments: int = 4  # most binary parts of a message
    queued: int = 512  # events that may wait for one client; with more, the client is disconnected
    slow_queue: int = 32  # waiting events from which on a client gets no progress events
    busy: int = 250
    """Number of connections at which load is high and no large build begins. With fewer, the program, its
    connections and a build of the table of English 33 need 600 MB."""


LIMITS = ChannelLimits()


class FrameMeter:
    """Counter of the WebSocket frames in a stream of bytes (RFC 6455, section 5.2). Stores no payloads.

    The library checks the size of a message only when the whole message has arrived, and limits no rate. Its
    decoder (wsproto) would unmask each message a second time, in two to six times the time.
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
    """One client's connection (a session of Engine.IO) with its limits, whatever carries it.

    It is carried by requests (long polling), by a WebSocket, or first by requests and then by a WebSocket.
    """

    def __init__(self, address: ClientAddress, settings: Settings) -> None:
        """`address`: of the client that has opened it."""
        self.address, self.opened_at = address, time.monotonic()
        self.received_at = self.opened_at  # time of the last packet
        self.client: Any = None  # the `handlers.Client` that has joined the channel, or None
        self.engine_socket: Any = None  # the library's data of the connection, once it is open
        self.web_socket: WebSocket | None = None
        self.is_ended = False
        self.under_way: frozenset[str] = frozenset()  # kinds of its requests that are not answered yet
        self.ping_seconds = settings.ping_seconds
        self.max_message = settings.max_message_length
        self._timer: Any = None
        at_once, rate = settings.messages_at_once, 2 * settings.messages_per_second
        self._packets = TokenBucket(at_once + LIMITS.spare_packets, rate)
        self._polls = TokenBucket(at_once, rate, floor=-1)

    def accepts(self, packets: int, size: int) -> bool:
        """Count packets; return whether they are within the rate, and `size` bytes within the limit."""
        if size <= self.max_message and self._packets.take(packets):
            return True
        log.info("a connection from %s sends too much", self.address)
        return False

    def wait_for_turn(self) -> None:
        """Delay a poll beyond the rate. The packets that arrive meanwhile share its answer."""
        left = self._polls.spend()
        if left < 0:
            gevent.sleep(-left / self._polls.refill)

    def end(self) -> None:
        """End the connection at once, with its requests or its WebSocket. This does not wait."""
        self.is_ended = True
        if self.web_socket is not None:
            self.web_socket.end()
        own = self.engine_socket
        if own is not None and not own.upgraded:
            own.close(wait=False, reason=own.server.reason.TRANSPORT_CLOSE)

    def read_request(self, environ: WSGIEnvironment) -> None:
        """Read the packets in the body of a request; the library calls this in place of its own method.

        If a packet is not valid or the client exceeds a limit, end the connection, and raise an
        EngineIOError, which answers 400. The library would answer 200, and read at most 16 packets.
        """
        body: bytes = environ["wsgi.input"].read()
        try:
            if not self.accepts(body.count(SEPARATOR) + 1, len(body)):
                raise ValueError("too much was sent")
            for text in body.split(SEPARATOR):
                self.engine_socket.receive(EnginePacket(encoded_packet=text.decode()))
            if self.engine_socket.queue.qsize() >= LIMITS.queued:
                raise ValueError("the client does not poll")
        except Exception as error:  # of any kind: the library reads packets without checking them
            log.info("a connection from %s is ended: %r", self.address, error)
            self.end()
        if self.is_ended:
            raise EngineIOError

    def receive(self, read_packet: Callable[[Any], None], packet: Any) -> None:
        """Pass a packet to `read_packet`, a method of the library, or end the connection.

        Raise a SocketIsClosedError if the connection has ended.
        """
        if self.engine_socket.closed:
            raise SocketIsClosedError
        self.received_at = time.monotonic()
        try:
            read_packet(packet)
        except UnknownPacketError:  # the library would ignore the packet
            self.end()

    def next_packets(self, poll: Callable[[], list[Any]]) -> list[Any]:
        """Wait for packets to send with `poll`, a method of the library; return as many as clients read.

        The Python client refuses an answer with more packets. `poll` empties the queue.
        """
        packets, most = poll(), Payload.max_decode_packets
        for packet in packets[most:]:
            self.engine_socket.queue.put(packet)
        return packets[:most]

    def schedule_ping(self) -> None:
        """Send a ping after the interval, unless one is scheduled already.

        Called when the connection opens and with each answer to a ping. The library does this with a sleeping
        green thread for each connection, in 7 kB, which keeps an ended connection until it wakes.
        """
        if self.engine_socket.last_ping:
            self.engine_socket.last_ping = None
            self._start_timer(self.ping_seconds, self._ping)

    def _ping(self) -> None:
        self.engine_socket.last_ping = math.inf  # true, and never too long ago for the library's own check
        self.engine_socket.send(EnginePacket(PING))
        if not self.engine_socket.upgraded:  # a silent WebSocket ends without help
            self._start_timer(self.ping_seconds, self._end_if_silent)

    def _end_if_silent(self) -> None:
        """End a connection without a WebSocket after twice `PING_SECONDS` without a packet."""
        left = self.received_at + 2 * self.ping_seconds - time.monotonic()
        if left <= 0 and self.web_socket is None:
            self.end()
        else:
            self._start_timer(max(left, 1.0), self._end_if_silent)

    def _start_timer(self, seconds: float, call: Callable[[], None]) -> None:
        """Make `call` in the event loop after some time, in place of an earlier call that has not begun."""
        self.stop_timer()
        self._timer = gevent.get_hub().loop.timer(seconds)
        self._timer.start(call)

    def stop_timer(self) -> None:
        """Drop the call that the timer would make."""
        if self._timer is not None:
            self._timer.close()
            self._timer = None


class WebSocket:
    """The socket of a WebSocket, with the limits of its connection."""

    def __init__(self, own: Any, connection: Connection) -> None:
        """`own`: a gevent socket."""
        own.settimeout(2 * connection.ping_seconds)  # for a client that is silent or does not read
        self._socket, self._connection = own, connection
        self.has_sent = False
        self._frames = FrameMeter()
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
        return data if self._connection.accepts(frames, self._frames.message_bytes) else b""

    def end(self) -> None:
        """Shut the socket down at once, which ends pending reads and writes."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()


class ConnectionLimits:
    """WSGI layer that counts connections and refuses those beyond the limits. Runs in the event loop only."""

    def __init__(self, app: Flask, allow: Callable[[ClientAddress], bool]) -> None:
        """Wrap `app.wsgi_app` as it is now: the layer that `socketio_server` has put there.

        `allow`: see `RateLimit.allow`; called for requests that belong to no connection yet.
        """
        self._wsgi, self._allow = app.wsgi_app, allow
        self._settings: Settings = app.extensions["settings"]
        self._open: dict[Connection, None] = {}  # oldest first
        self._server: Any = app.extensions["socketio"].server
        self._engine: Any = self._server.eio
        self._watch_engine()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request, or serve a WebSocket until it ends; refuse either with a reason."""

        def start(status: str, headers: list[tuple[str, str]], *error: Any) -> Callable[[bytes], object]:
            return start_response(status, [*headers, ("Cache-Control", "no-store")], *error)

        try:
            connection, kind = self._check(environ)
        except Fault as refusal:
            return refusal.respond(start_response)
        environ[CONNECTION] = connection
        connection.under_way |= {kind}
        try:
            if kind == "upgrade":
                return self._serve_web_socket(connection, environ, start)
            if kind == "GET":
                connection.wait_for_turn()
            return self._wsgi(environ, start)
        finally:
            connection.under_way -= {kind}
            if connection.engine_socket is None:  # refused by the library
                self._open.pop(connection, None)

    def _check(self, environ: WSGIEnvironment) -> tuple[Connection, str]:
        """Return the connection of a request, a new one if it opens one, and the kind of the request.

        Raise a Fault if the request is not valid or exceeds a limit.
        """
        query, method = parse_qs(environ.get("QUERY_STRING", "")), environ["REQUEST_METHOD"]
        is_upgrade = "HTTP_UPGRADE" in environ
        if is_upgrade != (query.get("transport") == ["websocket"]):
            raise Fault(400, "invalid_request", "transport=websocket needs a WebSocket handshake.")
        if is_upgrade:
            _check_handshake(environ)
        elif method not in ("GET", "POST"):
            raise Fault.of_method("GET", "POST")
        (id,) = query.get("sid", [""])[:1]
        most, is_new = self._settings.max_message_length, not id and method == "GET"
        if int(environ.get("CONTENT_LENGTH") or 0) > most:
            if id:
                self._find(id, environ).end()
            raise Fault(413, "too_long", "A message may have {most} bytes, and this one has more.", most=most)
        connection = self._admit(environ) if is_new else self._find(id, environ)
        kind = "upgrade" if is_upgrade else method
        if kind in connection.under_way:
            raise Fault(400, "invalid_request", "Another request of this connection is under way.")
        if is_new or is_upgrade:
            _shrink(environ)
        return connection, kind

    def _find(self, id: str, environ: WSGIEnvironment) -> Connection:
        """Return the connection `id`; raise a Fault (400, 429) if there is none.

        The 96 random bits of `id` are its secret. The address proves nothing: a client's may change between
        two requests, behind the gateways of a mobile network or of several lines.
        """
        with suppress(KeyError):
            connection: Connection = self._engine.get_session(id)
            return connection
        self._count_request(client_in(environ))
        raise Fault(400, "invalid_request", "There is no such connection; open a new one.")

    def _serve_web_socket(
        self, connection: Connection, environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[bytes]:
        """Serve a WebSocket until it ends. A connection that it could not take over goes on without it."""
        is_new = connection.engine_socket is None
        web_socket = connection.web_socket = environ[SOCKET] = WebSocket(environ[SOCKET], connection)
        try:
            return self._wsgi(environ, start_response)
        except ConnectionError:  # raised by the library when the WebSocket has ended
            return []
        except Exception as error:  # the library read an invalid packet
            log.info("a connection from %s is ended: %r", connection.address, error)
            connection.end()
            return [] if web_socket.has_sent else not_http().respond(start_response)
        finally:
            connection.web_socket = None
            if web_socket.has_sent:
                web_socket.end()
            own = connection.engine_socket
            if own is not None and (is_new or own.upgraded):
                own.close(wait=False, abort=True, reason=self._engine.reason.TRANSPORT_CLOSE)

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
        """Register and return a new connection.

        Raise a Fault (429) if the address sends too many requests, or a Fault (503) if there are too many
        connections, in all or from the address, and none can be ended.
        """
        address = client_in(environ)
        self._count_request(address)
        if len(self._open) >= self._settings.connections + LIMITS.spare and not self._make_room():
            raise Fault(503, "busy", f"The server has {len(self._open)} connections, its most.")
        here = ClientCounts(connection.address for connection in self._open)
        full = here.full_level(address, self._settings.connections_per_address + LIMITS.spare)
        if full is not None and not self._make_room(full):
            raise Fault(503, "busy", f"There are too many connections from {full}.")
        connection = Connection(address, self._settings)
        self._open[connection] = None
        return connection

    def _count_request(self, address: ClientAddress) -> None:
        if not self._allow(address):
            raise Fault(429, "too_many_requests", f"Too many requests from {address}.")

    def _make_room(self, network: str = "") -> bool:
        """End the oldest connection that has not joined the channel within `LIMITS.join_seconds`, if any.

        Return whether one was ended. `network`: whose connections are considered, on any level; '': all.
        """
        latest = time.monotonic() - LIMITS.join_seconds
        for connection in self._open:
            if connection.opened_at > latest:
                break
            if connection.client is None and (not network or network in connection.address.names):
                del self._open[connection]
                connection.end()
                return True
        return False

    def _watch_engine(self) -> None:
        """Make the library end connections with invalid packets, and keep less memory for connections."""
        server, engine = self._server, self._engine
        connect, read, disconnect = (engine.handlers[name] for name in ("connect", "message", "disconnect"))

        def on_connect(id: str, environ: dict[str, Any]) -> Any:
            connection: Connection = environ[CONNECTION]
            own = connection.engine_socket = engine.sockets[id]
            engine.save_session(id, connection)
            own.receive = partial(connection.receive, own.receive)
            own.schedule_ping = connection.schedule_ping
            if connection.web_socket is None:
                own.handle_post_request = connection.read_request
                own.poll = partial(connection.next_packets, own.poll)
            return connect(id, environ)

        def on_message(id: str, data: Any) -> None:
            try:
                read(id, data)
            except Exception as error:  # of any kind: the library reads packets without checking them
                log.info("a packet cannot be read: %r", error)
                server.environ[id][CONNECTION].end()

        def on_disconnect(id: str, reason: str) -> None:
            connection = engine.sockets.pop(id).session
            connection.stop_timer()
            self._open.pop(connection, None)
            disconnect(id, reason)

        engine.on("connect", on_connect)
        engine.on("message", on_message)
        engine.on("disconnect", on_disconnect)


def _shrink(environ: WSGIEnvironment) -> None:
    """Remove what the libraries do not need from the environment, which they keep with the connection."""
    for name in [name for name in environ if name[:5] == "HTTP_" and name not in NEEDED_HEADERS]:
        del environ[name]
    environ["wsgi.input"] = BytesIO()


def _check_handshake(environ: WSGIEnvironment) -> None:
    """Raise a Fault (400) unless a request with an Upgrade header is a valid WebSocket handshake.

    The library (wsproto) checks it only when the connection is open or being taken over, and a connection
    whose handshake a proxy has spoilt must go on polling.
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


class StrictPacket(Packet):  # type: ignore[misc]  # the library has no types
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
    """Return a new Socket.IO server, and replace `app.wsgi_app` by its WSGI layer."""
    # The library would log a traceback for each invalid packet; the handlers below log one line instead.
    logging.getLogger("engineio.server").setLevel(logging.CRITICAL)
    settings: Settings = app.extensions["settings"]
    # A `SocketIO` object remembers only its last application, so each application has its own object.
    options: dict[str, Any] = dict(  # some are options of underlying libraries, which the types do not list
        async_mode="gevent",
        async_handlers=False,  # in order: a `stop` never overtakes its `search`
        manage_session=False,
        max_http_buffer_size=settings.max_message_length,
        ping_interval=settings.ping_seconds,
        ping_timeout=settings.ping_seconds,
        cors_credentials=False,
        serializer=StrictPacket,
    )
    return SocketIO(app, **options)


def emitter(socketio: SocketIO, loop: EventLoop) -> EmitTo:
    """Return a function that sends events to clients in order. Any thread may call it, and it never waits.

    Its arguments are the event's name and fields, and the Socket.IO id of the client; an unknown id is
    ignored. A progress event is dropped if `LIMITS.slow_queue` packets wait for the client. The connection is
    ended if `LIMITS.queued` packets wait.
    """
    server = cast(Any, socketio).server

    def emit_in_loop(name: str, fields: dict[str, object], to: str) -> None:
        environ = server.get_environ(to)
        if environ is None:
            return
        connection: Connection = environ[CONNECTION]
        waiting = connection.engine_socket.queue.qsize()
        if waiting >= LIMITS.queued:
            log.info("a client that does not read is dropped")
            connection.end()
        elif name != "progress" or waiting < LIMITS.slow_queue:
            socketio.emit(name, fields, to=to)

    return partial(loop.post, emit_in_loop)
