"""TCP proxy between clients and a server that can stop forwarding, cut connections, and forbid WebSockets."""

import socket
import threading
from contextlib import suppress
from pathlib import Path

from tests.support.processes import TIMEOUT_SECONDS


def close(pair: tuple[socket.socket, socket.socket]) -> None:
    """Shut down and close both connections."""
    for end in pair:
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        end.close()


def connected(target: int | Path) -> socket.socket:
    """Return a connection to a port of this machine or to a Unix domain socket."""
    if isinstance(target, int):
        return socket.create_connection(("127.0.0.1", target))
    far = socket.socket(socket.AF_UNIX)
    try:
        far.connect(str(target))
    except OSError:
        far.close()
        raise
    return far


class Proxy:
    """Proxy that forwards bytes in both directions, except between `sleep` and `wake`."""

    def __init__(self, port: int | Path, refusal: bytes | None = None) -> None:
        """Listen on a free port. `port`: the server's port on this machine, or its Unix domain socket.

        `refusal`: sent in answer to a WebSocket handshake, which is then not forwarded. None: forward it.
        """
        self._target, self._refusal = port, refusal
        self.refused = 0
        """Number of WebSocket handshakes that were not forwarded."""
        self._open = threading.Event()
        self._open.set()
        self._ended, self._lock = False, threading.Lock()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._silent: set[socket.socket] = set()
        threading.Thread(target=self._accept, daemon=True).start()

    def sleep(self) -> None:
        """Stop forwarding; leave the connections open."""
        self._open.clear()

    def wake(self) -> None:
        """Forward again, beginning with the bytes sent in the meantime."""
        self._open.set()

    def silence(self) -> None:
        """Leave the present connections half open: what is sent over them is lost."""
        with self._lock:
            self._silent |= {end for pair in self._pairs for end in pair}

    def cut(self) -> None:
        """Close all connections."""
        with self._lock:
            pairs, self._pairs = self._pairs, []
        for pair in pairs:
            close(pair)

    def end(self) -> None:
        """Close the proxy and all connections."""
        with self._lock:
            self._ended = True
        self._open.set()
        self._listening.close()
        self.cut()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                threading.Thread(target=self._connect, args=(near,), daemon=True).start()

    def _connect(self, near: socket.socket) -> None:
        self._open.wait(TIMEOUT_SECONDS)
        try:
            far = connected(self._target)
        except OSError:  # the server does not listen
            return near.close()
        with self._lock:
            if self._ended:
                return close((near, far))
            self._pairs.append((near, far))
        for source, target in ((near, far), (far, near)):
            threading.Thread(target=self._forward, args=(source, target), daemon=True).start()

    def _forward(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                if source in self._silent:
                    continue
                self._open.wait(TIMEOUT_SECONDS)
                if self._refusal is not None and b"\r\nUpgrade: websocket\r\n" in data:
                    self.refused += 1
                    source.sendall(self._refusal)
                    return close((source, target))
                target.sendall(data)
        self._open.wait(TIMEOUT_SECONDS)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)
