"""The server for play on this machine: Werkzeug's, which is not made for the open internet."""

import socket
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any

from flask import Flask
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server
from werkzeug.wsgi import ClosingIterator

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


class QuietHandler(WSGIRequestHandler):
    """Logs neither requests nor bytes that are none, such as those behind the end of a WebSocket.

    Small packets are sent at once: an event must not wait until the acknowledgement before it was received.
    """

    disable_nagle_algorithm = True

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Say nothing."""

    def log_error(self, format: str, *args: Any) -> None:
        """Say nothing."""


def listen(host: str, port: int) -> socket.socket:
    """Listen at this address; port 0 is any free one.

    Raises:
        OSError: the port is taken, or the host is none of this machine's.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family)


def always_closed(app: "WSGIApplication") -> "WSGIApplication":
    """Close every answer, with its file: Werkzeug does not if the reader resets the connection at the end."""

    def answer(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterator[bytes]:
        with closing(ClosingIterator(app(environ, start_response))) as parts:
            yield from map(bytes, parts)  # a map has no end of its own: the answer is closed once

    return answer


def local_server(app: Flask, listening: socket.socket) -> BaseWSGIServer:
    """A server that takes over a listening socket: Werkzeug's own way to say "taken" is to exit."""
    host, port = listening.getsockname()[:2]
    with listening:
        return make_server(
            host,
            port,
            always_closed(app),
            threaded=True,
            request_handler=QuietHandler,
            fd=listening.fileno(),
        )
