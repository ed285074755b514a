"""The Socket.IO server of an application, and the emitter that sends events to its clients."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, cast

from engineio.exceptions import UnknownPacketError
from flask import Flask
from flask_socketio import SocketIO
from socketio.packet import Packet

from hoppers.web.channel.connections import CONNECTION, Connection
from hoppers.web.servers.event_loop import EventLoop

log = logging.getLogger(__name__)

PATH = "/socket.io"
MAX_ATTACHMENTS = 4  # binary parts of a message
MAX_QUEUED = 512  # events that may wait for one client; with more, the client is disconnected
SLOW_QUEUE = 32  # waiting events from which on a client gets no progress events


class StrictPacket(Packet):  # type: ignore[misc]
    """A Socket.IO packet with at most `MAX_ATTACHMENTS` binary attachments."""

    def decode(self, encoded_packet: Any) -> int:
        """Parse a packet; return the number of attachments that follow.

        Raises:
            ValueError: there are more than `MAX_ATTACHMENTS`.
        """
        count: int = super().decode(encoded_packet) or 0
        if count > MAX_ATTACHMENTS:
            raise ValueError(f"{count} attachments")
        return count


def build(app: Flask, config: Mapping[str, Any]) -> SocketIO:
    """Return a Socket.IO server of `app`. Polling is refused, because its connections cannot be limited."""
    # The library would log a traceback for each invalid packet; our own handlers write their own lines.
    logging.getLogger("engineio.server").setLevel(logging.CRITICAL)
    # A new object for every application: an object remembers only its last application.
    options: dict[str, Any] = dict(  # some are options of underlying libraries, which the types do not list
        async_mode="gevent",
        async_handlers=False,  # in order: a `stop` never overtakes its `search`
        manage_session=False,
        transports=["websocket"],
        max_http_buffer_size=config["MAX_MESSAGE_LENGTH"],
        ping_interval=config["PING_SECONDS"],
        ping_timeout=config["PING_SECONDS"],
        cors_credentials=False,
        serializer=StrictPacket,
    )
    socketio = SocketIO(app, **options)
    _watch_connections(cast(Any, socketio).server)
    return socketio


def _watch_connections(server: Any) -> None:
    """End connections with invalid packets, and free the library's data about ended connections."""
    engine = server.eio
    connect, read, disconnect = (engine.handlers[name] for name in ("connect", "message", "disconnect"))

    def on_connect(id: str, environ: dict[str, Any]) -> Any:
        connection: Connection = environ[CONNECTION]
        connection.release = partial(release, id)
        own = engine.sockets[id]
        own.receive = partial(receive, own.receive, connection)
        return connect(id, environ)

    def receive(read_packet: Callable[[Any], None], connection: Connection, packet: Any) -> None:
        try:
            read_packet(packet)
        except UnknownPacketError:  # the library would ignore it
            connection.end()

    def on_message(id: str, data: Any) -> None:
        try:
            read(id, data)
        except Exception as error:  # of any kind: the library reads packets without checking them
            log.info("a packet cannot be read: %r", error)
            server.environ[id][CONNECTION].end()

    def on_disconnect(id: str, reason: str) -> None:
        server._binary_packet.pop(id, None)  # see `servers.http_server` on private names
        disconnect(id, reason)

    def release(id: str) -> None:
        if (own := engine.sockets.pop(id, None)) is not None:
            own.close(wait=False, abort=True, reason=engine.reason.TRANSPORT_CLOSE)

    engine.on("connect", on_connect)
    engine.on("message", on_message)
    engine.on("disconnect", on_disconnect)


class Emitter:
    """Sender of events to clients, in order; callable from any thread."""

    def __init__(self, socketio: SocketIO, loop: EventLoop) -> None:
        self._socketio, self._server, self._loop = socketio, cast(Any, socketio).server, loop

    def __call__(self, name: str, fields: dict[str, Any], to: str) -> None:
        """Send an event to the client with the Socket.IO id `to`, without waiting; ignore an unknown id."""
        self._loop.post(self.emit_in_loop, name, fields, to)

    def emit_in_loop(self, name: str, fields: dict[str, Any], to: str) -> None:
        """Queue an event for a client, in the event loop.

        A client that does not read first gets no more progress events and is then disconnected.
        """
        environ = self._server.get_environ(to)
        if environ is None:
            return
        queued = self.queued(to)
        if queued >= MAX_QUEUED:
            log.info("a client that does not read is dropped")
            environ[CONNECTION].end()
        elif name != "progress" or queued < SLOW_QUEUE:
            self._socketio.emit(name, fields, to=to)

    def queued(self, to: str) -> int:
        """Return the number of packets that wait to be sent to the client `to`."""
        own = self._server.eio.sockets.get(self._server.manager.eio_sid_from_sid(to, "/"))
        return 0 if own is None else int(own.queue.qsize())
