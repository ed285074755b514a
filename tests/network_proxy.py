"""A stretch of network between players and a server, which can fall silent and close no connection."""

import socket
import threading
from contextlib import suppress

from tests.processes import PATIENCE


def close(pair: tuple[socket.socket, socket.socket]) -> None:
    """End both connections, whoever still reads them."""
    for end in pair:
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        end.close()


class Proxy:
    """Passes bytes on, both ways, but for the time in which it is `silent`."""

    def __init__(self, port: int) -> None:
        """Listen; `port`: where the server is, on this machine."""
        self._target = port
        self._open = threading.Event()
        self._open.set()
        self._ended, self._lock = False, threading.Lock()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def sleep(self) -> None:
        """Pass nothing on from now on, and close nothing."""
        self._open.clear()

    def wake(self) -> None:
        """Pass on again, and what has waited first."""
        self._open.set()

    def end(self) -> None:
        """Close everything."""
        with self._lock:
            self._ended = True
        self._open.set()
        self._listening.close()
        for pair in self._pairs:
            close(pair)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                threading.Thread(target=self._connect, args=(near,), daemon=True).start()

    def _connect(self, near: socket.socket) -> None:
        self._open.wait(PATIENCE)
        try:
            far = socket.create_connection(("127.0.0.1", self._target))
        except OSError:  # the server is not there
            return near.close()
        with self._lock:
            if self._ended:
                return close((near, far))
            self._pairs.append((near, far))
        for source, target in ((near, far), (far, near)):
            threading.Thread(target=self._pass_on, args=(source, target), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                self._open.wait(PATIENCE)
                target.sendall(data)
        self._open.wait(PATIENCE)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)
