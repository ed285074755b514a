"""HTTP requests as bytes, including requests that client libraries refuse to send."""

import socket
from contextlib import closing

from tests.support.socket_client import TIMEOUT_SECONDS


def connected(url: str, source: str = "127.0.0.1") -> socket.socket:
    """Return a connection to a server from `source`, an address of this machine."""
    host, port = url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), TIMEOUT_SECONDS, source_address=(source, 0))


def answer_to(sent: bytes, url: str, source: str = "127.0.0.1") -> tuple[str, str]:
    """Send bytes; return head and body of everything received until the server ends the connection."""
    with closing(connected(url, source)) as connection:
        connection.sendall(sent)
        head, _, body = received(connection).decode().partition("\r\n\r\n")
        return head, body


def received(connection: socket.socket) -> bytes:
    """Return everything received until the server ends the connection."""
    return b"".join(iter(lambda: connection.recv(65_536), b""))
