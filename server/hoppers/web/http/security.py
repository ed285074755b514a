"""Response headers, and the size of what is read at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, cast

from flask import Flask, abort, current_app, request

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
}

PARTS = (".js", ".css")
OF_PARTS = {"X-Content-Type-Options": "nosniff"}
"""Of scripts and style sheets: browsers heed the other headers only on what is opened by itself, and a page
of fifty parts would carry fifteen kilobytes of them."""


FILES = {"static", "assets.plain"}
"""Endpoints of files."""


def protect(app: Flask) -> None:
    """Refuse requests that are too long before all else."""
    app.before_request(refuse_long_requests)


def refuse_long_requests() -> None:
    """Abort with 414 for a long address, with 413 for a long body, read or not."""
    if len(request.environ.get("RAW_URI") or request.url) > current_app.config["MAX_URL_LENGTH"]:
        abort(414)
    if (request.content_length or 0) > current_app.config["MAX_CONTENT_LENGTH"]:
        abort(413)


def sealed(wsgi: WSGIApplication) -> WSGIApplication:
    """The application with the headers on every answer that has not set them itself, whoever gives it.

    The date is left to the server, which tells it in any case: sixty parts of a page need not bring it twice.
    """

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        def start(status: str, headers: list[tuple[str, str]], *error: Any) -> Callable[[bytes], object]:
            headers = [(name, value) for name, value in headers if name.lower() != "date"]
            present = {name.lower() for name, _ in headers}
            wanted = OF_PARTS if _is_part(environ, status) else HEADERS
            missing = [(name, value) for name, value in wanted.items() if name.lower() not in present]
            return start_response(status, headers + missing, *error)

        return wsgi(environ, cast("StartResponse", start))

    return answer


def _is_part(environ: WSGIEnvironment, status: str) -> bool:
    path = environ["PATH_INFO"]
    return status[0] in "23" and path.startswith("/static/") and path.endswith(PARTS)


def is_static() -> bool:
    """Whether the request is for a file, which costs next to nothing."""
    return request.endpoint in FILES
