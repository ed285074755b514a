"""Security headers of responses, and limits on the size of requests."""

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

SUBRESOURCES = (".js", ".css")
SUBRESOURCE_HEADERS = {"X-Content-Type-Options": "nosniff"}
"""Headers of scripts and style sheets. Browsers apply the other headers only to documents, and the files of
one page would carry fifteen kilobytes of them."""

FILE_ENDPOINTS = {"static", "assets.unversioned_file"}


def init_app(app: Flask) -> None:
    """Make `app` refuse requests that are too long, before any other work."""
    app.before_request(refuse_long_requests)


def refuse_long_requests() -> None:
    """Abort with 414 for a long URL, with 413 for a long body, even one that no view reads."""
    if len(request.environ.get("RAW_URI") or request.url) > current_app.config["MAX_URL_LENGTH"]:
        abort(414)
    if (request.content_length or 0) > current_app.config["MAX_CONTENT_LENGTH"]:
        abort(413)


def with_security_headers(wsgi: WSGIApplication) -> WSGIApplication:
    """Return an application that adds missing security headers to the responses of `wsgi`.

    It also removes the Date header, because the HTTP server adds one to each of the sixty files of a page.
    """

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        def start(status: str, headers: list[tuple[str, str]], *error: Any) -> Callable[[bytes], object]:
            headers = [(name, value) for name, value in headers if name.lower() != "date"]
            present = {name.lower() for name, _ in headers}
            required = SUBRESOURCE_HEADERS if _is_subresource(environ, status) else HEADERS
            missing = [(name, value) for name, value in required.items() if name.lower() not in present]
            return start_response(status, headers + missing, *error)

        return wsgi(environ, cast("StartResponse", start))

    return answer


def _is_subresource(environ: WSGIEnvironment, status: str) -> bool:
    path = environ["PATH_INFO"]
    return status[0] in "23" and path.startswith("/static/") and path.endswith(SUBRESOURCES)


def is_static() -> bool:
    """Return whether the current request is for a static file, which costs next to nothing."""
    return request.endpoint in FILE_ENDPOINTS
