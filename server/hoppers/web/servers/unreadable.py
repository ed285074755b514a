"""Refusals of requests that never reach the application, in the error format of the API.

Refusals quote nothing of the request, because it may consist of any bytes.
"""

import json
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

MAX_LINE_BYTES = (
    8_190  # of the first line of a request, and of a header; longer URLs are refused much earlier
)
MAX_HEADERS = 100


class Unreadable(ValueError):
    """Error for a request that is refused before the application is called."""

    def __init__(self, status: HTTPStatus, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code = status, code

    @property
    def headers(self) -> list[tuple[str, str]]:
        """Headers of the answer."""
        return [
            ("Connection", "close"),
            ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(self.body))),
        ]

    @property
    def body(self) -> bytes:
        """Body of the answer, in the error format of the API."""
        return json.dumps({"error": {"code": self.code, "message": str(self)}}).encode("ascii")

    def encoded(self) -> bytes:
        """Return the whole answer as bytes: status line, headers and body."""
        lines = [
            f"HTTP/1.1 {self.status_line}",
            *(f"{name}: {value}" for name, value in self.headers),
            "",
            "",
        ]
        return "\r\n".join(lines).encode("ascii") + self.body

    def respond(self, start_response: Callable[..., Any]) -> list[bytes]:
        """Call `start_response` with status and headers, and return the body, as a WSGI application."""
        start_response(self.status_line, self.headers)
        return [self.body]

    @property
    def status_line(self) -> str:
        """Status code and reason phrase, as WSGI requires."""
        return f"{self.status.value} {self.status.phrase}"


def line_too_long() -> Unreadable:
    """Return the refusal of a request whose first line is too long."""
    message = f"The first line of a request may have {MAX_LINE_BYTES} bytes, and this one has more."
    return Unreadable(HTTPStatus.REQUEST_URI_TOO_LONG, "too_long", message)


def headers_too_large() -> Unreadable:
    """Return the refusal of a request whose headers are too long or too many."""
    message = f"A request may have {MAX_HEADERS} headers of {MAX_LINE_BYTES} bytes, and this one has more."
    return Unreadable(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "too_long", message)


def not_http() -> Unreadable:
    """Return the refusal of bytes that break the grammar of HTTP."""
    message = "What was sent cannot be read as a request of HTTP/1.1."
    return Unreadable(HTTPStatus.BAD_REQUEST, "invalid_request", message)


def too_slow() -> Unreadable:
    """Return the refusal of a request that does not arrive in time."""
    return Unreadable(HTTPStatus.REQUEST_TIMEOUT, "invalid_request", "The request did not arrive in time.")


def no_websocket() -> Unreadable:
    """Return the refusal of an invalid WebSocket handshake."""
    message = "This is not a WebSocket handshake of version 13."
    return Unreadable(HTTPStatus.BAD_REQUEST, "invalid_request", message)


def too_many_connections(reason: str) -> Unreadable:
    """Return the refusal of a connection beyond a limit. `reason`: the message."""
    return Unreadable(HTTPStatus.SERVICE_UNAVAILABLE, "busy", reason)


def internal() -> Unreadable:
    """Return the answer to a request for which the application raised an exception."""
    message = "The server met a fault of its own, which has been logged."
    return Unreadable(HTTPStatus.INTERNAL_SERVER_ERROR, "internal", message)
