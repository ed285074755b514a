"""The HTTP server of `run`, `serve` and the tests: gevent's `pywsgi`, with additional limits.

A request is read whole, with its body, within a few seconds, before the application is called. A connection
that sends nothing for a while is closed. All connections are served by one thread (see `event_loop`).

Private names of libraries, in the whole transport:
- `WSGIHandler._handle_client_error` (gevent): called with every error in reading a request. gevent calls it a
  hook for subclasses. Without it, too many headers print a traceback, and all refusals are empty bodies.
- `Server._binary_packet` (python-socketio, in `channel.socketio_server`): unfinished binary messages, which
  the library keeps after their connections have ended.
"""

from __future__ import annotations

import logging
import re
import socket
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPException
from io import BytesIO
from typing import TYPE_CHECKING, Any

import gevent
from gevent import pywsgi
from gevent.pool import Pool

from hoppers.web.servers import unreadable
from hoppers.web.servers.unreadable import MAX_HEADERS, MAX_LINE_BYTES, Unreadable

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

    from hoppers.web.servers.event_loop import EventLoop

log = logging.getLogger(__name__)

IDLE_SECONDS = (
    30.0  # a kept-alive connection may be silent between two requests; opening one costs much of a hint
)
REQUEST_SECONDS = 10.0  # from the first line of a request to the last byte of its body
SEND_SECONDS = 60.0  # for one piece of an answer; a client that does not read would hold its place for ever
STOPPING_SECONDS = 1.0  # after which a stopping server no longer waits for requests under way
MAX_CONNECTIONS = 3_000  # of all kinds at once; more wait in the system's queue
MAX_PER_ADDRESS = 1_000  # of them from one address, where no proxy is in front; more are closed at once
BACKLOG = 1_024  # connections that the system accepts ahead of the server
MAX_BODY_BYTES = 16_384  # unless the application allows another size
DRAINED_BYTES = (
    1 << 20
)  # read and dropped before a refusal: else the end of the connection overtakes the answer

SOCKET = "gunicorn.socket"
"""Key in a WSGI environment under which simple-websocket looks for the socket of a connection."""
TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class HeaderLines:
    """Reader of the header lines of a request, limited in length and number."""

    def __init__(self, stream: Any) -> None:
        self._stream, self._count = stream, 0

    def readline(self, size: int = -1) -> bytes:
        """Return the next line; `size` is ignored.

        Raises:
            Unreadable: the line is too long, or there are too many lines.
        """
        line: bytes = self._stream.readline(MAX_LINE_BYTES + 3)
        self._count += 1
        if len(line) > MAX_LINE_BYTES + 2 or self._count > MAX_HEADERS + 1:
            raise unreadable.headers_too_large()
        return line


class RequestHandler(pywsgi.WSGIHandler):  # type: ignore[misc]
    """Handler of one connection, which serves its requests one after the other."""

    refusal: Unreadable | None = None
    body = b""

    def handle(self) -> None:
        """Serve the connection until its end; small packets leave at once.

        A WebSocket sets a time limit of its own (see `channel.connections`).
        """
        self.socket.settimeout(SEND_SECONDS)
        with suppress(OSError):  # the client may have gone already
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        super().handle()

    def read_requestline(self) -> str:
        """Return the first line of the next request, or '' after `IDLE_SECONDS` of silence."""
        self.server.idle.add(self)
        try:
            gevent.sleep(0)  # a client that sends requests without pause must not block other connections
            with gevent.Timeout(IDLE_SECONDS, False):
                return str(super().read_requestline())
            return ""
        finally:
            self.server.idle.discard(self)

    def handle_one_request(self) -> Any:
        """Serve one request; return the result for `pywsgi`, in which refusals have a JSON body."""
        result = super().handle_one_request()
        if not isinstance(result, tuple):
            return result
        refusal = self.refusal or (
            unreadable.line_too_long() if "414" in result[0] else unreadable.not_http()
        )
        log.warning("invalid request from %s: %s", self.client_address[0], refusal)
        self._drain()
        return refusal.status_line, refusal.encoded()

    def read_request(self, line: str) -> bool:
        """Read the headers and the body of the request whose first line is `line`; return True.

        Raises:
            Unreadable: the bytes are not a valid HTTP request, or they arrive too slowly.
        """
        try:
            with gevent.Timeout(REQUEST_SECONDS, unreadable.too_slow()):
                if len(line.split()) != 3:
                    raise unreadable.not_http()
                super().read_request(line)
                if not self.path.startswith("/"):
                    raise unreadable.not_http()
                self.body = self._read_body()
        except Unreadable:
            raise
        except HTTPException as error:  # more headers than Python's own reader takes
            raise unreadable.headers_too_large() from error
        except (ValueError, OSError) as error:
            raise unreadable.not_http() from error
        return True

    def MessageClass(self, stream: Any, *rest: Any) -> Any:
        """Return the headers at the beginning of `stream`.

        Raises:
            Unreadable: a proxy could read the headers differently, which allows request smuggling.
        """
        headers = super().MessageClass(HeaderLines(stream), *rest)
        lengths = headers.get_all("content-length", [])
        encodings = [coding.lower() for coding in headers.get_all("transfer-encoding", [])]
        if (
            headers.defects
            or not all(TOKEN.fullmatch(name) for name in headers)
            or not all(length.isascii() and length.isdigit() for length in lengths)
            or len(lengths) + len(encodings) > 1
            or encodings not in ([], ["chunked"])
            or (self.request_version == "HTTP/1.1" and len(headers.get_all("host", [])) != 1)
        ):
            raise unreadable.not_http()
        return headers

    def _read_body(self) -> bytes:
        """Return the body. Of a body that is too long, return at most the beginning.

        The connection of such a request is closed after the response.
        """
        is_chunked = "transfer-encoding" in self.headers
        if (self.content_length or 0) > self.server.max_body:
            self._drain()
            self.close_connection = True
            return b""
        waiting = self.socket if self.headers.get("expect", "").lower() == "100-continue" else None
        reader = pywsgi.Input(self.rfile, self.content_length, socket=waiting, chunked_input=is_chunked)
        body: bytes = reader.read(self.server.max_body + 1) if is_chunked else reader.read()
        if len(body) > self.server.max_body:
            self.close_connection = True
        return body

    def _drain(self) -> None:
        """Read and drop further bytes of the client, at most `DRAINED_BYTES`, for `STOPPING_SECONDS`."""
        with gevent.Timeout(STOPPING_SECONDS, False):
            self.socket.settimeout(0.05)
            left = DRAINED_BYTES
            try:
                while left > 0 and (data := self.socket.recv(1 << 16)):
                    left -= len(data)
            except OSError:
                return
            finally:
                self.socket.settimeout(SEND_SECONDS)

    def get_environ(self) -> dict[str, Any]:
        """Return the WSGI environment of the request, with its body in memory."""
        environ: dict[str, Any] = super().get_environ()
        self.wsgi_input = pywsgi.Input(BytesIO(), 0)
        environ.update({"wsgi.input": BytesIO(self.body), "RAW_URI": self.path, SOCKET: self.socket})
        return environ

    def handle_one_response(self) -> None:
        """Call the application and send its answer; then mark the connection of a WebSocket to close."""
        super().handle_one_response()
        if "HTTP_UPGRADE" in self.environ:
            self.close_connection = True

    def handle_error(self, kind: Any, error: Any, trace: Any) -> None:
        """Log an error that the application let through, and answer it; end a client that does not read."""
        self.close_connection = True
        if self.headers_sent and isinstance(error, TimeoutError):
            log.warning("%s did not read its answer in time", self.client_address[0])
            return
        log.error("a request failed", exc_info=(kind, error, trace))
        if not self.headers_sent:
            for part in unreadable.internal().respond(self.start_response):
                self.write(part)

    def _handle_client_error(self, error: Exception) -> tuple[str, bytes]:
        self.refusal = error if isinstance(error, Unreadable) else None
        return "400", b""

    def log_request(self) -> None:
        """Do nothing: a log line for each request would cost as much time as a hint."""

    def log_error(self, message: str, *arguments: Any) -> None:
        """Log an error of `pywsgi` as a warning of the program's own logger."""
        log.warning(message, *arguments)


class HttpServer(pywsgi.WSGIServer):  # type: ignore[misc]
    """An HTTP server on a listening socket, with its event loop."""

    def __init__(
        self,
        listening: socket.socket,
        wsgi: WSGIApplication,
        loop: EventLoop,
        close_connections: Callable[[], None] = lambda: None,
        max_per_address: float = float("inf"),
    ) -> None:
        """Make the current thread the thread of `loop`; the server has to run in this thread.

        `close_connections`: ends all WebSockets when the server stops.
        """
        loop.attach()
        self._loop, self._close_connections, self._max_per_address = loop, close_connections, max_per_address
        self._addresses: Counter[str] = Counter()
        self.max_body = MAX_BODY_BYTES
        self.idle: set[RequestHandler] = set()
        """Connections that wait for their next request."""
        own = gevent.socket.socket(listening.family, listening.type, fileno=listening.detach())
        pool = Pool(MAX_CONNECTIONS)
        super().__init__(own, wsgi, log=None, error_log=log, spawn=pool, handler_class=RequestHandler)

    def handle(self, connection: Any, address: Any) -> None:
        """Serve a connection, or close it if its address has `max_per_address` open connections."""
        host = address[0]
        if self._addresses[host] >= self._max_per_address:
            connection.close()
            return
        self._addresses[host] += 1
        try:
            super().handle(connection, address)
        finally:
            self._addresses[host] -= 1
            if not self._addresses[host]:
                del self._addresses[host]

    def stop(self, timeout: float | None = STOPPING_SECONDS) -> None:
        """Accept no more connections, end idle ones, and wait at most `timeout` seconds for requests."""
        self.close()
        self._close_connections()
        for handler in list(self.idle):
            with suppress(OSError):
                handler.socket.shutdown(socket.SHUT_RDWR)
        super().stop(timeout)

    def serve_until_stopped(self) -> None:
        """Serve in the current thread until `stop` is called, then detach the event loop."""
        try:
            self.serve_forever()
        finally:
            self._loop.detach()


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens at `host` and `port`; port 0 selects any free port.

    Raises:
        OSError: the port is taken, or `host` is not an address of this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=BACKLOG)
