"""Security headers and compression of responses."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

import brotli
from flask import Flask, Response, request

from hoppers.web.bundle import MIN_COMPRESSED_BYTES

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

SUBRESOURCE_HEADERS = {"X-Content-Type-Options": "nosniff"}
"""Headers of scripts and style sheets. Browsers apply the other headers only to documents, and the files of
one page would carry fifteen kilobytes of them."""
CODINGS = ("br", "gzip")
"""Content codings, the preferred one first."""
BROTLI_QUALITY = 5  # takes as long as gzip's 6


def with_security_headers(wsgi: WSGIApplication) -> WSGIApplication:
    """Return an application that adds missing security headers to the responses of `wsgi`.

    The application also removes the Date header, which the HTTP server adds to each file of a page.
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
    return status[0] in "23" and path.startswith("/static/") and path.endswith((".js", ".css"))


def compress_responses(app: Flask) -> None:
    """Make `app` compress its text responses."""
    app.after_request(compress)


def compress(response: Response) -> Response:
    """Return `response`, compressed if it is a text of at least `MIN_COMPRESSED_BYTES`.

    A page with all its scripts shrinks to a third.
    """
    text_types = ("text/", "application/json", "application/javascript", "image/svg+xml")
    if response.status_code != 200 or not (response.mimetype or "").startswith(text_types):
        return response
    response.vary.add("Accept-Encoding")
    coding = accepted_coding()
    if "Content-Encoding" in response.headers or coding is None:
        return response
    response.direct_passthrough = False
    data = response.get_data()
    if len(data) >= MIN_COMPRESSED_BYTES:
        response.set_data(_encoded(data, coding))
        response.headers["Content-Encoding"] = coding
    return response


def accepted_coding() -> str | None:
    """Return the content coding that the client of the current request prefers, or None."""
    accepted = request.accept_encodings
    best = max(CODINGS, key=lambda coding: accepted[coding])
    return best if accepted[best] else None


@lru_cache(maxsize=256)
def _encoded(data: bytes, coding: str) -> bytes:
    if coding == "br":
        compressed: bytes = brotli.compress(data, quality=BROTLI_QUALITY)
        return compressed
    return gzip.compress(data, 6, mtime=0)
