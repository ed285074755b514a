"""Who may connect at all, what counts as a packet, and how much may wait for one who does not read.

The library accepts any number of connections that never join the channel, keeps the beginnings of binary
messages for ever, and queues without end for a client that does not read.
"""

import json
import threading
import time
from collections.abc import Mapping
from functools import partial
from typing import Any, cast

from flask_socketio import SocketIO
from socketio.packet import Packet

from hoppers.web.channel.manager_lock import one_at_a_time
from hoppers.web.channel.outbox import Outbox
from hoppers.web.channel.session import Pings, converse
from hoppers.web.channel.websocket import Bounds, WebSocket
from hoppers.web.settings import SPARE

JOINING_SECONDS = 5
"""After which a connection that has not joined the channel makes room for a new one."""
MOST_ATTACHMENTS = 4
MOST_PACKETS = 300
"""Packets at once beyond the allowance for messages, which is told in words first."""
CROWD = 250
"""Connections from which on nothing heavy is begun: with fewer the program, all of them and a table of
English 33 in the making have 600 MB."""


class StrictPacket(Packet):  # type: ignore[misc]
    """A packet that holds no more binary attachments than a message of ours could have."""

    def decode(self, encoded_packet: Any) -> int:
        """Read it; returns how many attachments follow.

        Raises:
            ValueError: too many.
        """
        count: int = super().decode(encoded_packet) or 0
        if count > MOST_ATTACHMENTS:
            raise ValueError(f"{count} attachments")
        return count


class ShallowJson:
    """JSON whose depth never overflows the stack: that is an error in the text like any other."""

    dumps = staticmethod(json.dumps)

    @staticmethod
    def loads(text: str) -> Any:
        """Read a text.

        Raises:
            ValueError: it is no JSON, or nested beyond reason.
        """
        try:
            return json.loads(text)
        except RecursionError as error:
            raise ValueError("nested too deeply") from error


READING: dict[str, Any] = {"serializer": StrictPacket, "json": ShallowJson}
"""How Socket.IO is to read packets."""


class Gate:
    """What stands between the connections of one application and its channel."""

    def __init__(self, socketio: SocketIO, config: Mapping[str, Any]) -> None:
        """Nothing is guarded before `guard`."""
        self._server, self._config = cast(Any, socketio).server, config
        self._engine = self._server.eio
        self._pings = Pings(config["PING_SECONDS"])
        self._since: dict[str, tuple[float, str]] = {}
        """Connection -> when it was made, from which address."""
        self._lock = threading.Lock()

    def guard(self) -> None:
        """Stand there."""
        one_at_a_time(self._server.manager)
        most = self._config["MESSAGES_AT_ONCE"] + MOST_PACKETS
        bounds = Bounds(
            self._config["MAX_MESSAGE_LENGTH"],
            2 * self._config["PING_SECONDS"],
            2 * self._config["MESSAGES_PER_SECOND"],
            most,
        )
        self._engine._async = {
            **self._engine._async,
            "queue": partial(Outbox, self.drop_slow),
            "websocket": lambda talk, engine: WebSocket(bounds, partial(converse, talk.__self__)),
        }
        self._engine.on("connect", self.connected)
        self._engine.on("message", self.heard)
        self._engine.on("disconnect", self.disconnected)

    def connected(self, id: str, environ: dict[str, Any]) -> str | None:
        """Let a connection in, or say why not."""
        address = environ.get("REMOTE_ADDR", "")
        with self._lock:
            refusal = self._refusal(address)
            if refusal is None:
                self._since[id] = time.monotonic(), address
        if refusal is None:
            connection = self._engine.sockets[id]
            connection.schedule_ping = partial(self._pings.schedule, connection)
            self._server._handle_eio_connect(id, environ)
        return refusal

    def heard(self, id: str, data: Any) -> None:
        """Hand a packet on; whoever sends one that is none is not kept waiting for an answer: it goes."""
        try:
            self._server._handle_eio_message(id, data)
        except Exception:  # of whatever kind the library's reading of it ends with
            self._close(id)

    def disconnected(self, id: str, reason: str) -> None:
        """Forget a connection, also the half of a message it may have left."""
        with self._lock:
            self._since.pop(id, None)
        self._server._binary_packet.pop(id, None)
        self._engine.sockets.pop(id, None)
        self._server._handle_eio_disconnect(id, reason)

    def count(self) -> int:
        """How many connections there are."""
        return len(self._since)

    def is_crowded(self) -> bool:
        """Whether there are so many that memory is for them."""
        return len(self._since) >= CROWD

    def drop_slow(self, outbox: Outbox) -> None:
        """Drop the client whose packets these are."""
        for connection in list(self._engine.sockets.values()):
            if connection.queue is outbox:
                outbox.cut()
                connection.close(wait=False, abort=True)

    def close(self) -> None:
        """Send every client away; it will come back when it can."""
        for connection in list(self._engine.sockets.values()):
            connection.close(wait=False)

    def _refusal(self, address: str) -> str | None:
        """Why nobody else may connect from an address now; those who never joined make room first."""
        most, most_here = self._config["CONNECTIONS"], self._config["CONNECTIONS_PER_ADDRESS"]
        if len(self._since) >= most + SPARE and not self._make_room(""):
            return f"The server has {len(self._since)} connections, its most."
        if self._count(address) >= most_here + SPARE and not self._make_room(address):
            return f"There are too many connections from {address}."
        return None

    def _count(self, address: str) -> int:
        return sum(other == address for _, other in self._since.values())

    def _make_room(self, address: str) -> bool:
        """End the oldest connection that has had time to join and did not; returns whether there is one."""
        latest = time.monotonic() - JOINING_SECONDS
        for id, (since, other) in self._since.items():
            if since > latest:
                break
            if address in ("", other) and not self._server.manager.sid_from_eio_sid(id, "/"):
                del self._since[id]
                threading.Thread(target=self._close, args=(id,), daemon=True).start()
                return True
        return False

    def _close(self, id: str) -> None:
        connection = self._engine.sockets.get(id)
        if connection is not None:
            connection.close(wait=False)
