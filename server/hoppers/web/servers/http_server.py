"""The HTTP server of the commands `run` and `serve`, and of the tests: gevent's `pywsgi`, with more limits.

A request is read whole, with its body, within a few seconds, before the application is called. A connection
that sends nothing for a while is closed. All connections are served by one thread (see `event_loop`).
Requests that never reach the application are refused in the error format of the API (see `Fault.respond`).

One private name of a library is used, `WSGIHandler._handle_client_error` (gevent), which is called with every
error in reading a request. gevent calls it a hook for subclasses. Without it, too many headers print a
traceback, and all refusals have empty bodies.
"""

import errno
import logging
import re
import signal
import socket
import sys
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import gevent
from flask import Flask
from gevent import pywsgi
from gevent.lock import BoundedSemaphore
from gevent.pool import Pool

from hoppers.runtime.clients import ClientAddress, ClientCounts, client_of
from hoppers.web.servers.faults import INTERNAL, Fault
from hoppers.web.settings import MAX_CONNECTIONS, Settings

if sys.platform != "win32":
    import resource

log = logging.getLogger(__name__)


class Limits(NamedTuple):
    """Limits of the HTTP server."""

    idle_seconds: float = 30.0  # between two requests; opening a connection takes much of the time of a hint
    full_idle_seconds: float = 1.0  # the same while as many connections are open as can be
    request_seconds: float = 10.0  # from the first line of a request to the last byte of its body
    send_seconds: float = 60.0  # for one piece of an answer, because a client may never read
    stopping_seconds: float = 1.0  # longest wait of a stopping server for requests under way
    connections: int = MAX_CONNECTIONS  # of all kinds at once; more wait in the system's queue
    own_files: int = 1_000  # for tables, pipes, databases and listening sockets, but at most half of all
    per_address: int = 1_000  # connections from one address, if there is no proxy; more are closed at once
    read_bytes: int = 2_048  # read buffer of a connection: with 8 kB, a thousand players take 10 MB more
    backlog: int = 1_024  # connections that the system accepts ahead of the server
    headers: int = 100
    line_bytes: int = 8_190  # of the first line, and of each header
    drained_bytes: int = 1 << 20  # read and dropped before a refusal: unread bytes may destroy the answer
    drain_seconds: float = 1.0  # longest time for reading and dropping


LIMITS = Limits()

ESCAPED_SLASH = re.compile("%2F", re.IGNORECASE)
SOCKET = "werkzeug.socket"
"""Key in a WSGI environment under which simple-websocket looks for the socket of a connection.

With `gunicorn.socket`, python-engineio would make a class for each connection, in 2 kB.
For a WebSocket, `channel.connections` replaces the socket by its `WebSocket`.
"""
BOUND_TO = "hoppers.bound_to"
"""Key in a WSGI environment: the address that the server listens on, such as `127.0.0.1` or `::`."""
LOCAL = ("127.0.0.1", 0)
"""Address and port of the clients of a Unix domain socket, which have none: they are on this machine."""
TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
FIRST_LINE = re.compile(rf"{TOKEN} /[!-~]* HTTP/1\.[01]\r?\n")
"""The first line of a request (RFC 9112, section 3) for a path, in ASCII."""
FIELD = re.compile(rb"(%s):([\t\x20-\x7e\x80-\xff]*)\r?\n" % TOKEN.encode())
"""A header line (RFC 9112, section 5): its name, and its value with the white space around it.

A pattern that separated the white space would take time cubic in its length.
"""


def not_http() -> Fault:
    """Return the refusal of bytes that break the grammar of HTTP. It does not quote them."""
    return Fault(400, "invalid_request", "What was sent cannot be read as a request of HTTP/1.1.")


def read_headers(stream: Any, limits: Limits) -> pywsgi.OldMessage:
    """Read `stream` up to the end of the headers, and return them in the class of `pywsgi`.

    Raise a Fault if a line is too long or is not a header, or if there are too many lines. The parser that
    `pywsgi` would use takes a lone carriage return for the end of a line, which a proxy does not.
    """
    headers = pywsgi.OldMessage()
    while (line := stream.readline(limits.line_bytes + 3)) not in (b"\r\n", b"\n"):
        if len(line) > limits.line_bytes + 2 or len(headers) == limits.headers:
            sentence = "A request may have {headers} headers of {most} bytes, and this one has more."
            raise Fault(431, "too_long", sentence, headers=limits.headers, most=limits.line_bytes)
        found = FIELD.fullmatch(line)
        if found is None:
            raise not_http()
        name, value = (part.decode("latin-1").strip(" \t") for part in found.groups())
        headers[name] = value  # adds one
    return headers


def wait_for_turn(reading: BoundedSemaphore) -> None:
    """Wait until it is the turn of a connection, and one round of the loop longer.

    `reading`: shared by all connections of a client. So a round reads one request of each client, and a
    client with many connections makes no other wait.
    """
    with reading:
        gevent.sleep(0)


class RequestHandler(pywsgi.WSGIHandler):  # type: ignore[misc]  # gevent has no types
    """Handler of one connection, which serves its requests one after the other."""

    body = b""
    command = ""
    environ: Any
    headers: Any
    response_headers: Any
    result: Any
    rfile: Any

    def handle(self) -> None:
        """Serve the connection until its end, with a small read buffer and no delay for small packets.

        Sending may take `send_seconds`; WebSockets have another limit (see `channel.connections`).
        """
        self.socket.settimeout(self.server.limits.send_seconds)
        with suppress(OSError):  # the client may have gone already
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.rfile.close()
        self.rfile = self.socket.makefile("rb", self.server.limits.read_bytes)
        super().handle()

    def read_requestline(self) -> str:
        """Return the first line of the next request; '' if it is late, or if the client closes first."""
        self.server.idle.add(self)
        self.environ = self.headers = self.response_headers = None  # of the request before, in 5 kB
        self.command = ""
        try:
            wait_for_turn(self.server.turn_of(self.client_address[0]))
            with gevent.Timeout(self.server.idle_seconds(), False):
                return str(self.rfile.readline(self.server.limits.line_bytes), "latin-1")
            return ""
        finally:
            self.server.idle.discard(self)

    def read_request(self, line: str) -> bool:
        """Read the headers and the body of the request whose first line is `line`; return True.

        Raise a Fault if the request is not valid, exceeds a limit, or arrives too slowly. Any exception
        refuses the request (see `_handle_client_error`).
        """
        if len(line) == self.server.limits.line_bytes and not line.endswith("\n"):
            sentence = "The request line is longer than {most} bytes."
            raise Fault(414, "too_long", sentence, most=self.server.limits.line_bytes)
        with gevent.Timeout(self.server.limits.request_seconds, False):
            if not FIRST_LINE.fullmatch(line):
                raise not_http()
            super().read_request(line)
            self.close_connection |= self.headers.get("upgrade") is not None  # after the answer
            self.body = self._read_body()
            return True
        raise Fault(408, "invalid_request", "The request did not arrive in time.")

    def MessageClass(self, stream: Any, *rest: Any) -> pywsgi.OldMessage:
        """Return the headers at the beginning of `stream`; raise a Fault if they are not valid.

        Headers that a proxy could read differently are not valid: they would allow request smuggling.
        """
        headers = read_headers(stream, self.server.limits)
        lengths = headers.get_all("content-length", [])
        encodings = [coding.lower() for coding in headers.get_all("transfer-encoding", [])]
        if (
            not all(length.isascii() and length.isdigit() for length in lengths)
            or len(lengths) + len(encodings) > 1
            or encodings not in ([], ["chunked"])
            or (self.request_version == "HTTP/1.1" and len(headers.get_all("host", [])) != 1)
        ):
            raise not_http()
        return headers

    def _read_body(self) -> bytes:
        """Return the body of the request; b"" if its declared length exceeds `max_body` bytes.

        A chunked body is cut off after `max_body` + 1 bytes. After the response to a body that is too long,
        the connection is closed.
        """
        if (self.content_length or 0) > self.server.max_body:
            self._drain()
            self.close_connection = True
            return b""
        waiting = self.socket if self.headers.get("expect", "").lower() == "100-continue" else None
        is_chunked = bool(self.headers.get("transfer-encoding"))
        reader = pywsgi.Input(self.rfile, self.content_length, socket=waiting, chunked_input=is_chunked)
        body: bytes = reader.read(self.server.max_body + 1)
        if len(body) > self.server.max_body:
            self.close_connection = True
        return body

    def _drain(self) -> None:
        """Read and drop up to `drained_bytes`, for up to `drain_seconds`, until no data arrives for 50 ms."""
        with gevent.Timeout(self.server.limits.drain_seconds, False):
            self.socket.settimeout(0.05)
            left = self.server.limits.drained_bytes
            try:
                while left > 0 and (data := self.socket.recv(1 << 16)):
                    left -= len(data)
            except OSError:
                return
            finally:
                self.socket.settimeout(self.server.limits.send_seconds)

    def get_environ(self) -> dict[str, Any]:
        """Return the WSGI environment of the request, with its body in memory.

        An escaped slash is no border in the path, but part of a text: of a position, where it separates rows
        like a blank. As a slash it would lead to an address that is not there.
        """
        environ: dict[str, Any] = super().get_environ()
        path = self.path.partition("?")[0]
        if ESCAPED_SLASH.search(path):
            environ["PATH_INFO"] = unquote(ESCAPED_SLASH.sub("%20", path), "latin-1")
        self.wsgi_input = pywsgi.Input(BytesIO(), 0)  # empty: after the answer `pywsgi` reads it to its end
        environ.update({"wsgi.input": BytesIO(self.body), SOCKET: self.socket})
        return environ

    def process_result(self) -> None:
        """Send headers and body of a complete answer in one piece; leave streams and WebSockets to `pywsgi`.

        `pywsgi` sends two pieces, and each system call gives up the interpreter lock.
        """
        if self.status is None or not isinstance(self.result, list):  # an ended WebSocket, or a stream
            super().process_result()
            return
        self.finalize_headers()
        fields = (name + b": " + value for name, value in self.response_headers)
        body = b"" if self.command == "HEAD" else b"".join(self.result)
        answer = b"\r\n".join([b"HTTP/1.1 " + self.status, *fields, b"", body])
        self.headers_sent, self.response_length = True, len(answer)
        self.socket.sendall(answer)

    def finalize_headers(self) -> None:
        """Complete the headers of an answer, which says so if the connection ends with it."""
        super().finalize_headers()
        if self.close_connection and b"connection" not in {name.lower() for name, _ in self.response_headers}:
            self.response_headers.append((b"Connection", b"close"))

    def handle_error(self, kind: Any, error: Any, trace: Any) -> None:
        """Log an uncaught exception, answer 500 if no headers were sent, and close the connection."""
        self.close_connection = True
        if isinstance(error, gevent.GreenletExit):  # the server stops
            return
        if self.headers_sent and isinstance(error, TimeoutError):
            log.warning("%s did not read its answer in time", self.client_address[0])
            return
        log.error("a request failed", exc_info=(kind, error, trace))
        if not self.headers_sent:
            self._answer_fault(INTERNAL)

    def _handle_client_error(self, error: Exception) -> None:
        """Refuse a request that could not be read. The result None makes `pywsgi` end the connection.

        Bodies are read whole before the application is called, so no part of an answer has been sent.
        """
        refusal = error if isinstance(error, Fault) else not_http()
        log.warning("invalid request from %s: %s", self.client_address[0], refusal)
        self._drain()
        self._answer_fault(refusal)

    def _answer_fault(self, fault: Fault) -> None:
        self.result = fault.respond(self.start_response)
        self.process_result()

    def log_request(self) -> None:
        """Do nothing: a log line for each request would cost as much time as a hint."""


class HttpServer(pywsgi.WSGIServer):  # type: ignore[misc]  # gevent has no types
    """An HTTP server on a listening socket, with its event loop."""

    def __init__(self, app: Flask, listening: socket.socket, limits: Limits = LIMITS) -> None:
        """Make the current thread the thread of the application's loop, and accept connections.

        `app`: has the extensions `settings`, `loop` and `connections`.
        `listening`: taken over by the server, unusable afterwards.
        """
        self.limits = limits
        self._loop, self._connections = app.extensions["loop"], app.extensions["connections"]
        self._loop.attach()
        settings: Settings = app.extensions["settings"]
        self._is_behind_proxy = settings.proxies > 0
        self._max_per_address = float("inf") if self._is_behind_proxy else limits.per_address
        self._open = ClientCounts()
        """Numbers of open connections."""
        self._turns: dict[ClientAddress, BoundedSemaphore] = {}
        self.max_body = settings.max_content_length  # bytes
        self.idle: set[RequestHandler] = set()
        """Connections that wait for their next request."""
        environ = {BOUND_TO: LOCAL[0] if _is_unix(listening) else listening.getsockname()[0]}
        own = gevent.socket.socket(listening.family, listening.type, fileno=listening.detach())
        pool = Pool(most_connections(limits))
        parts: dict[str, Any] = {"spawn": pool, "handler_class": RequestHandler, "environ": environ}
        super().__init__(own, app, log=None, error_log=log, **parts)
        gevent.get_hub().print_exception = log_failure
        self.start()  # runs the loop to look up the host; `stop` must not be called before this returns

    def handle(self, connection: Any, address: Any) -> None:
        """Serve a connection, or close it if its client has `_max_per_address` open connections."""
        address = address or LOCAL
        client = client_of(address[0])
        if self._open.full_level(client, self._max_per_address):
            connection.close()
            return
        self._open.add(client)
        try:
            super().handle(connection, address)
        finally:
            self._open.remove(client)
            if client not in self._open:
                self._turns.pop(client, None)

    def turn_of(self, address: str) -> BoundedSemaphore:
        """Return what the connections of a client share (see `wait_for_turn`).

        A proxy is one address for all clients, and serves these in turns itself.
        """
        if self._is_behind_proxy:
            return BoundedSemaphore()
        return self._turns.setdefault(client_of(address), BoundedSemaphore())

    def idle_seconds(self) -> float:
        """Return how long a connection may wait for its next request: less while more than half are open.

        A proxy relies on the whole time, and keeps few connections.
        """
        if self._is_behind_proxy:
            return self.limits.idle_seconds
        free: float = min(1.0, 2 * self.pool.free_count() / self.pool.size)
        usual, full = self.limits.idle_seconds, self.limits.full_idle_seconds
        return full + free * (usual - full)

    def stop(self, timeout: float | None = LIMITS.stopping_seconds) -> None:
        """Stop accepting, end idle connections and those of the channel, and wait for running requests.

        After `timeout` seconds (None: one second) the remaining requests are killed.
        """
        self.close()
        self._connections.close()
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


def log_failure(context: object, kind: Any, error: Any, trace: Any) -> None:
    """Log the exception that has ended a green thread; gevent would print it as it is.

    Where no file can be opened, gevent has failed to accept a connection, and tries again.
    """
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
        log.warning("the system allows no more open files; new connections wait")
        return
    log.error("a green thread failed", exc_info=(kind, error, trace))


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens at `host` and `port`; port 0 selects any free port.

    A name is looked up, an IPv4 address of it preferred. At `::` the socket answers IPv4, too, where the
    system can do so.

    Raises:
        OSError: the port is taken, or `host` is not an address of this machine.
        ValueError: `host` is not the name of a host.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    family, *_, address = min(found, key=lambda entry: entry[0] != socket.AF_INET)
    is_dual = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
    return socket.create_server(address, family=family, backlog=LIMITS.backlog, dualstack_ipv6=is_dual)


def listen_unix(path: Path) -> socket.socket:
    """Return a Unix domain socket that listens at `path`, instead of one that no process listens at any more.

    Who may enter the folder may connect.

    Raises:
        OSError: a process listens there, another file is there, or the path cannot be used.
    """
    own = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        _remove_stale_socket(path)
        own.bind(str(path))
        path.chmod(0o666)
        own.listen(LIMITS.backlog)
    except BaseException:
        own.close()
        raise
    return own


def _remove_stale_socket(path: Path) -> None:
    """Delete a socket at `path` that refuses connections; leave everything else alone."""
    if path.is_socket():
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            try:
                probe.connect(str(path))
            except ConnectionRefusedError:
                path.unlink()


def _is_unix(listening: socket.socket) -> bool:
    return listening.family == getattr(socket, "AF_UNIX", None)  # Windows has none


def serve_until_signal(app: Flask, listening: socket.socket) -> None:
    """Serve until SIGTERM or Ctrl-C; then end all connections within some two seconds."""
    server = HttpServer(app, listening)
    for number in (signal.SIGTERM, signal.SIGINT):
        gevent.signal_handler(number, server.stop)
    server.serve_until_stopped()


def raise_file_limit() -> None:
    """Raise this process's limit of open files to what the server may need, as far as the system allows.

    Log a warning if the system allows fewer; do nothing on Windows. Each connection takes one file; a
    WebSocket takes no second file.
    """
    wanted = LIMITS.connections + LIMITS.own_files
    if sys.platform == "win32":
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    if allowed < wanted:
        sentence = "the system allows %d open files; %d may be needed, and %d connections are served at once"
        log.warning(sentence, allowed, wanted, most_connections(LIMITS))


def most_connections(limits: Limits) -> int:
    """Return how many connections are served at once, as far as this process's limit of open files allows."""
    if sys.platform == "win32":
        return limits.connections
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return limits.connections
    return min(limits.connections, files - min(limits.own_files, files // 2))
