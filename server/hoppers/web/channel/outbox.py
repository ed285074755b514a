"""The packets that wait for one client: never many, and sent by whoever puts one in.

The library has a thread for every client that does nothing but send. Here only a client that reads too slowly
has one, for as long as something waits for it.
"""

import queue
import threading
from contextlib import suppress
from typing import Any, Protocol

MOST_WAITING = 512
"""Packets that may wait for one client; beyond them it is dropped."""
SLOW = 32
"""Packets waiting from which on a client is too slow to be told every bit of progress."""
PROGRESS = '2["progress"'


class Line(Protocol):
    """Where packets go; what it cannot send at once it keeps for `flush`."""

    def send(self, message: str | bytes) -> None:
        """Send without waiting."""

    def is_clogged(self) -> bool:
        """Whether something of what was sent has not gone out yet."""

    def flush(self) -> None:
        """Wait until all has gone out."""

    def close(self) -> None:
        """Say goodbye and end."""

    def end(self) -> None:
        """End without a word."""


class Outbox(queue.Queue[Any]):
    """The packets waiting for one client. It never holds many: the client is `overrun` instead."""

    def __init__(self, overrun: Any) -> None:
        """Empty. `overrun`: called once, in a thread of its own, when the client is too far behind."""
        super().__init__()
        self._overrun, self._full, self._cut = overrun, False, False
        self._line: Line | None = None
        self._turn = threading.Lock()  # held by the one thread that sends

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        """Add a packet; progress is left out for a slow client, who hears the newest later."""
        waiting = self.qsize()
        if item is None or waiting < SLOW:
            super().put(item, block, timeout)
        elif waiting < MOST_WAITING:
            if not str(item.data).startswith(PROGRESS):
                super().put(item, block, timeout)
        elif not self._full:
            self._full = True
            threading.Thread(target=self._overrun, args=(self,), daemon=True).start()
        self._send()

    def flow_into(self, line: Line) -> None:
        """From now on, send what comes in; a packet that is None ends the conversation."""
        self._line = line
        self._send()

    def cut(self) -> None:
        """Send nothing more, not even what waits."""
        self._cut = True
        if self._line is not None:
            self._line.end()
        self._send()

    def _send(self) -> None:
        """Send what waits, unless another thread is at it: that one looks again before it goes."""
        line = self._line
        while line is not None and self.qsize() and self._turn.acquire(blocking=False):
            if self._send_waiting(line):
                self._turn.release()
            else:
                threading.Thread(target=self._insist, args=(line,), daemon=True).start()
                return

    def _insist(self, line: Line) -> None:
        """Wait for a client that reads slowly; the turn is this thread's."""
        try:
            line.flush()
        except OSError:
            self._cut = True
            line.end()
        self._turn.release()
        self._send()

    def _send_waiting(self, line: Line) -> bool:
        """Send all that waits; False as soon as the client does not take it in."""
        with suppress(queue.Empty):
            while self._cut or not line.is_clogged():
                packet = self.get_nowait()
                self._send_one(line, packet)
                self.task_done()
            return False
        return True

    def _send_one(self, line: Line, packet: Any) -> None:
        if self._cut:
            return
        try:
            if packet is not None:
                line.send(packet.encode())
            else:
                self._cut = True
                line.close()
        except Exception:  # whatever it is, whoever put the packet in has no part in it
            self._cut = True
            line.end()
