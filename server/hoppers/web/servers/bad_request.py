"""Answers to what Gunicorn cannot read as a request: no application sees it, the shape is ours all the same.

They quote nothing: what is no request may be anything.
"""

import json
import socket
from contextlib import suppress
from http import HTTPStatus
from typing import NamedTuple

from gunicorn.http.errors import (
    InvalidResponseHeader,
    InvalidResponseHeaderName,
    LimitRequestHeaders,
    LimitRequestLine,
    ParseException,
)
from gunicorn.util import write_nonblock

LONGEST_LINE = 8_190
"""Bytes of a request's first line, and of a header, the most Gunicorn reads; long before, we say ourselves
that an address is too long."""
MOST_HEADERS = 100
LEFT_OVER = 16
"""Times 64 kB of what else came that are read: else the end of the connection would overtake the answer."""


class Refusal(NamedTuple):
    """What is answered."""

    status: HTTPStatus
    code: str
    message: str


def refusal_of(error: BaseException) -> Refusal:
    """What to answer where reading or answering a request has ended with an error."""
    match error:
        case InvalidResponseHeader() | InvalidResponseHeaderName():
            pass
        case LimitRequestLine():
            return Refusal(
                HTTPStatus.REQUEST_URI_TOO_LONG,
                "too_long",
                f"The first line of a request may have {LONGEST_LINE} bytes, and this one has more.",
            )
        case LimitRequestHeaders():
            return Refusal(
                HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
                "too_long",
                f"A request may have {MOST_HEADERS} headers of {LONGEST_LINE} bytes, and this one has more.",
            )
        case ParseException():
            message = "What was sent cannot be read as a request of HTTP/1.1."
            return Refusal(HTTPStatus.BAD_REQUEST, "invalid_request", message)
    return Refusal(
        HTTPStatus.INTERNAL_SERVER_ERROR,
        "internal",
        "The server met a fault of its own, which has been logged.",
    )


def send(refusal: Refusal, client: socket.socket) -> None:
    """Answer with an error in the shape of the API; the connection ends with it.

    Raises:
        OSError: nobody is there any more.
    """
    body = json.dumps({"error": {"code": refusal.code, "message": refusal.message}})
    status = refusal.status
    lines = [
        f"HTTP/1.1 {status.value} {status.phrase}",
        "Connection: close",
        "Cache-Control: no-store",
        "X-Content-Type-Options: nosniff",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
    ]
    write_nonblock(client, "\r\n".join([*lines, "", body]).encode("ascii"))
    client.setblocking(False)
    with suppress(BlockingIOError):
        for _ in range(LEFT_OVER):
            client.recv(65_536)
