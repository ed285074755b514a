"""What is said over one WebSocket, in the words of Engine.IO, and the pings.

The library's own way costs three threads beside the one that the connection holds anyway: one reads bytes,
one writes, and one waits for the next ping. Here that one reads, whoever has a packet sends it, and one pings
all clients; a thousand players need a thousand threads instead of four thousand.
"""

import logging
import threading
import time
from collections import deque
from contextlib import suppress
from typing import Any

from engineio.exceptions import SocketIsClosedError, UnknownPacketError
from engineio.packet import NOOP, PING, Packet

log = logging.getLogger(__name__)

PROBE, PROBED, UPGRADE = "2probe", "3probe", "5"


def converse(connection: Any, line: Any) -> None:
    """Talk with a client until one side has had enough; `connection` is the library's record of it."""
    if connection.connected and not _upgraded(connection, line):
        return
    connection.connected = connection.upgraded = True
    connection.queue.flow_into(line)
    try:
        while (said := line.wait()) is not None and _taken(connection, said):
            pass
    finally:
        connection.queue.cut()
        connection.close(wait=False, abort=True, reason=connection.server.reason.TRANSPORT_CLOSE)


def _upgraded(connection: Any, line: Any) -> bool:
    """Let a client that polls go over to this WebSocket; returns whether it does."""
    connection.upgrading = True  # whoever polls meanwhile hears nothing
    if line.wait() == PROBE:
        line.send(PROBED)
        connection.queue.put(Packet(NOOP))  # ends the poll under way
        connection.upgraded = (line.wait() or "")[:1] == UPGRADE
    connection.upgrading = False
    return bool(connection.upgraded)


def _taken(connection: Any, said: str | bytes) -> bool:
    """Take in a packet; returns whether another may follow."""
    try:
        connection.receive(Packet(encoded_packet=said))
    except UnknownPacketError:
        return True
    except (SocketIsClosedError, ValueError):  # the latter: it is no packet
        return False
    return True


class Pings:
    """Pings every client so many seconds after its last sign of life."""

    def __init__(self, seconds: float) -> None:
        """The thread starts with the first client."""
        self._seconds = seconds
        self._due: deque[tuple[float, Any]] = deque()
        """In order, for all wait equally long."""
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def schedule(self, connection: Any) -> None:
        """Ping a client next time, unless that is under way: it may say at any time that it is there."""
        with self._changed:
            if connection.last_ping is None:
                return
            connection.last_ping = None
            self._due.append((time.monotonic() + self._seconds, connection))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="pings", daemon=True)
                self._thread.start()
            self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._due)
                at, connection = self._due.popleft()
            time.sleep(max(0.0, at - time.monotonic()))
            try:
                _ping(connection)
            except Exception:  # all others are still to be pinged
                log.exception("a client could not be pinged")


def _ping(connection: Any) -> None:
    if not (connection.closing or connection.closed):
        connection.last_ping = time.time()
        with suppress(SocketIsClosedError):
            connection.send(Packet(PING))
