"""A TCP connection in an asyncio loop that records when the kernel received its data.

The clients of the load test share the machine with the server. The time at which a client gets to read an
answer includes its own waiting for a core; the time at which the kernel received the answer does not.
"""

import asyncio
import socket
import struct
import sys
import time
from typing import NamedTuple

SO_TIMESTAMPNS = 35  # <asm-generic/socket.h>; Python has no name for it
TIMESPEC = struct.Struct("@ll")  # seconds and nanoseconds
ANCILLARY_BYTES = socket.CMSG_SPACE(TIMESPEC.size)
CHUNK_BYTES = 65_536
SEND_BUFFER_BYTES = 1 << 20


class Delay(NamedTuple):
    """Seconds from just before a request was sent until its answer had arrived."""

    at_socket: float
    """Until the kernel had received the last byte of the answer."""
    in_client: float
    """Until the client had read the answer."""


class TimedSocket:
    """A connection whose received data are in `reader`. Outside Linux, data count as arrived when read."""

    def __init__(self, own: socket.socket) -> None:
        """`own`: a connected socket."""
        own.setblocking(False)
        own.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        own.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        if sys.platform == "linux":
            own.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.reader = asyncio.StreamReader()
        self._own, self._sent_at, self._received_at = own, 0, 0
        asyncio.get_running_loop().add_reader(own, self._read)

    @classmethod
    async def open(cls, at: tuple[str, int], source: str) -> "TimedSocket":
        """Return a socket connected to host and port from `source`, an address of this machine."""
        own = socket.socket(socket.AF_INET6 if ":" in source else socket.AF_INET, socket.SOCK_STREAM)
        own.setblocking(False)
        try:
            own.bind((source, 0))
            await asyncio.get_running_loop().sock_connect(own, at)
        except BaseException:
            own.close()
            raise
        return cls(own)

    def send(self, data: bytes) -> int:
        """Send all of `data`; return the time just before, in nanoseconds since 1970.

        Raises:
            ConnectionError: the server has closed the connection, or reads too slowly.
        """
        began = time.time_ns()
        try:
            if self._own.send(data) == len(data):
                return began
        except BlockingIOError:
            pass
        raise ConnectionError("the server does not read")

    def delay_since(self, sent_at: int) -> Delay:
        """Return the delays from `sent_at` (ns since 1970) until the newest data arrived, and until now."""
        return Delay((self._received_at - sent_at) / 1e9, (time.time_ns() - sent_at) / 1e9)

    def close(self) -> None:
        """Close the connection."""
        asyncio.get_running_loop().remove_reader(self._own)
        self._own.close()
        self.reader.feed_eof()

    def _read(self) -> None:
        """Pass received data to `reader`, and record the time at which the kernel received the last byte."""
        try:
            data, ancillary, _, _ = self._own.recvmsg(CHUNK_BYTES, ANCILLARY_BYTES)
        except BlockingIOError:
            return
        except OSError as error:
            asyncio.get_running_loop().remove_reader(self._own)
            self.reader.set_exception(error)
            return
        self._received_at = next((_nanoseconds(found) for _, _, found in ancillary), time.time_ns())
        self.reader.feed_data(data)
        if not data:
            asyncio.get_running_loop().remove_reader(self._own)
            self.reader.feed_eof()


def _nanoseconds(timespec: bytes) -> int:
    seconds, nanoseconds = TIMESPEC.unpack(timespec)
    return int(seconds * 1_000_000_000 + nanoseconds)
