"""Processing of all responses: response cache, tags, headers for browsers, and compression.

The cache stands in front of Flask and holds answers about positions, which depend on their URL and encoding
alone (see `api.positions.cacheable_json`), and pages without a query. With a thousand players, most requests
repeat another player's recent request. Cached answers count against rate limits.
"""

import gzip
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import lru_cache
from mimetypes import guess_type
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

import brotli
from flask import Response, g, request
from werkzeug.http import is_resource_modified, parse_accept_header
from werkzeug.utils import get_content_type

from hoppers.runtime.clients import ClientAddress
from hoppers.runtime.lru_cache import LRUCache
from hoppers.runtime.metrics import REPEATED
from hoppers.web.bundle import MIN_COMPRESSED_BYTES, SUFFIXES
from hoppers.web.drawing.png import DRAWING
from hoppers.web.http.addresses import FIXED
from hoppers.web.servers.clients import client_in
from hoppers.web.servers.faults import Fault
from hoppers.web.servers.turns import Full

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
}

MAX_BODY_BYTES = 4_000  # largest answer about a position in the response cache; of pages there is an end
ENTRY_BYTES = 1_000  # memory of a cached answer in addition to its body: key, headers and objects

EXPOSED = "ETag, Link, Retry-After, X-Error"
"""Headers of open answers that pages of other sites may read, besides those that every page may."""
CACHE_SECONDS = 3600  # lifetime in caches of answers that never change
DAY_SECONDS = 86_400
IMMUTABLE = ("Cache-Control", "public, max-age=31536000, immutable"), ("Vary", "Accept-Encoding")
"""Headers of files whose path names their version. Those of conditional requests would have no use."""

Headers = list[tuple[str, str]]
Answer = tuple[str, Headers, bytes]
"""Status, headers and whole body of an answer."""
PageState = Callable[[WSGIEnvironment], Hashable]
"""Returns all that a page without a query depends on, except its path and coding."""
Key = tuple[str, str, str | None, Hashable]
"""Path, query and coding of a kept answer, and the result of `PageState` for a page, None for a position."""


def cached(
    wsgi: WSGIApplication, max_bytes: int, allow: Callable[[ClientAddress], bool], page_state: PageState
) -> WSGIApplication:
    """Return the application `wsgi` with a response cache of at most `max_bytes` in front.

    `allow`: see `RateLimit.allow`; called if the answer is in the cache. A request beyond a rate is passed on
    to `wsgi`, which answers 429.
    """
    responses: LRUCache[Key, tuple[tuple[tuple[str, str], ...], bytes]]
    responses = LRUCache(max_bytes, lambda response: len(response[1]) + ENTRY_BYTES)

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        key = _cache_key(environ, page_state)  # before the answer: what changes meanwhile has another key
        if key is None:
            return wsgi(environ, start_response)
        found = responses.get(key)
        if found is None:
            status, headers, body = whole_answer(wsgi, environ)
            is_kept = _is_lasting_answer if key[3] is None else _is_lasting_page
            if is_kept(status, headers, body):
                responses.put(key, (tuple(headers), body))  # not a list: see `collect_garbage`
        elif allow(client_in(environ)):
            REPEATED.inc()
            status, headers, body = _revalidated(environ, *found)
        else:
            return wsgi(environ, start_response)
        start_response(status, headers)
        return [body]

    return answer


def _cache_key(environ: WSGIEnvironment, page_state: PageState) -> Key | None:
    """Return the key of the answer to a request, None if it is not about a position and not for a page."""
    path, query = environ.get("PATH_INFO", ""), environ.get("QUERY_STRING", "")
    is_position = path.startswith("/api/puzzles/") and "/positions/" in path and not path.endswith("/search")
    may_be_page = not query and not path.startswith(FIXED)
    if not (is_position or may_be_page) or not is_plain(environ):
        return None
    coding = accepted_coding(environ.get("HTTP_ACCEPT_ENCODING", ""))
    return path, query, coding, page_state(environ) if may_be_page else None


def _revalidated(environ: WSGIEnvironment, headers: Iterable[tuple[str, str]], body: bytes) -> Answer:
    """Return an answer with status 200, or 304 and no body if the client has it."""
    tag = dict(headers).get("ETag")
    if tag is None or is_resource_modified(environ, tag):
        return "200 OK", [*headers], body
    without = [(name, value) for name, value in headers if not name.lower().startswith("content-")]
    return "304 NOT MODIFIED", without, b""


def with_open_data(wsgi: WSGIApplication) -> WSGIApplication:
    """Return an application that lets pages of all sites read what `_is_open` names (CORS)."""

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path: str = environ.get("PATH_INFO", "")
        if not _is_open(path):
            return wsgi(environ, start_response)
        allowed = [("Access-Control-Allow-Origin", "*"), ("Access-Control-Expose-Headers", EXPOSED)]
        if environ["REQUEST_METHOD"] == "OPTIONS":
            allowed += [
                ("Access-Control-Allow-Methods", "GET, HEAD"),
                ("Access-Control-Allow-Headers", "*"),
                ("Access-Control-Max-Age", str(DAY_SECONDS)),
            ]

        def start(status: str, headers: Headers, *error: Any) -> Callable[[bytes], object]:
            return start_response(status, [*headers, *allowed], *error)

        return wsgi(environ, start)

    return answer


def _is_open(path: str) -> bool:
    """Return whether pages of all sites may read a path: API, data, pictures, scripts and styles.

    In a frame without an origin of its own (`sandbox`) our pages are such pages, too.
    """
    folders = "/api/", "/data/", "/embed/", "/static/"
    return path in ("/api", "/oembed") or path.startswith(folders) or path.endswith((".svg", ".png"))


def with_static_files(wsgi: WSGIApplication, prefix: str, files: Mapping[str, bytes]) -> WSGIApplication:
    """Return an application that answers for `files`, below a path `prefix` that names their version.

    `files`: contents by name, with those of compressed copies. They wait neither for a thread nor for a disk.
    """

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path: str = environ.get("PATH_INFO", "")
        name, method = path.removeprefix(prefix), environ["REQUEST_METHOD"]
        if name == path or name not in files or method not in ("GET", "HEAD"):
            return wsgi(environ, start_response)
        kind = guess_type(name)[0] or "application/octet-stream"
        headers = [*IMMUTABLE, ("Content-Type", get_content_type(kind, "utf-8"))]
        coding = accepted_coding(environ.get("HTTP_ACCEPT_ENCODING", ""))
        body = files.get(name + SUFFIXES[coding]) if coding else None
        if coding and body is not None:
            headers.append(("Content-Encoding", coding))
        else:
            body = files[name]
        start_response("200 OK", [*headers, ("Content-Length", str(len(body)))])
        return [body if method == "GET" else b""]

    return answer


def refusing_when_full(wsgi: WSGIApplication) -> WSGIApplication:
    """Return an application that answers 503 where `wsgi` finds that too much of a client waits already."""

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        try:
            return wsgi(environ, start_response)
        except Full as error:
            return Fault(503, error.code, str(error)).respond(start_response)

    return answer


def is_plain(environ: WSGIEnvironment) -> bool:
    """Return whether a request is a GET request without a body and without an upgrade of the protocol."""
    bare = environ.get("CONTENT_LENGTH", "0") in ("", "0") and "HTTP_TRANSFER_ENCODING" not in environ
    return bare and environ["REQUEST_METHOD"] == "GET" and "HTTP_UPGRADE" not in environ


def whole_answer(wsgi: WSGIApplication, environ: WSGIEnvironment) -> Answer:
    """Call an application; return the status, the headers and the whole body of its answer.

    The application must return the body: data passed to the `write` function of WSGI are lost.
    """
    started: list[Any] = []

    def start(status: str, headers: Headers, *error: Any) -> Callable[[bytes], object]:
        started[:] = [status, headers]
        return bytes

    body = wsgi(environ, start)
    try:
        whole = b"".join(body)
    finally:
        getattr(body, "close", bool)()
    status, headers = started
    return status, headers, whole


def _is_lasting_answer(status: str, headers: Headers, body: bytes) -> bool:
    """Return whether an answer about a position is small, and depends only on its URL and coding."""
    control = dict(headers).get("Cache-Control", "")
    is_public = "public" in control and len(body) <= MAX_BODY_BYTES
    return is_public and _depends_on(status, headers, {"accept-encoding"})


def _is_lasting_page(status: str, headers: Headers, body: bytes) -> bool:
    """Return whether an answer is a page that depends only on its key; not one that `may_change`."""
    found = dict(headers)
    is_page = found.get("Content-Type", "").startswith("text/html")
    is_private = any(word in found.get("Cache-Control", "") for word in ("private", "no-store"))
    language = {"accept-language", "cookie"}
    return is_page and not is_private and _depends_on(status, headers, {"accept-encoding", *language})


def _depends_on(status: str, headers: Headers, names: set[str]) -> bool:
    """Return whether an answer with status 200 depends on no other headers, and sets no cookie."""
    found = {name.lower(): value for name, value in headers}
    varies = {name.strip().lower() for name in found.get("vary", "accept-encoding").split(",")}
    return status.startswith("200 ") and "set-cookie" not in found and varies <= names


def may_change() -> None:
    """Mark the current answer: it shows what the key of the cache does not tell, such as an open verdict."""
    g.may_change = True


def cache_publicly(response: Response) -> Response:
    """Let caches store `response` for `CACHE_SECONDS`; return `response`."""
    response.cache_control.public = True
    response.cache_control.max_age = CACHE_SECONDS
    return response


def with_security_headers(wsgi: WSGIApplication) -> WSGIApplication:
    """Return an application that adds missing security headers to the responses of `wsgi`.

    The application also removes the Date header, so that the HTTP server adds the current time.
    """

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        def start(status: str, headers: Headers, *error: Any) -> Callable[[bytes], object]:
            headers = [(name, value) for name, value in headers if name.lower() != "date"]
            present = {name.lower() for name, _ in headers}
            required = {"X-Content-Type-Options": "nosniff"} if _is_subresource(environ, status) else HEADERS
            missing = [(name, value) for name, value in required.items() if name.lower() not in present]
            return start_response(status, headers + missing, *error)

        return wsgi(environ, start)

    return answer


def _is_subresource(environ: WSGIEnvironment, status: str) -> bool:
    """Return whether the answer is a script or style sheet, to which browsers apply only `nosniff`.

    All headers together would add fifteen kilobytes to the files of one page.
    """
    path = environ["PATH_INFO"]
    return status[0] in "23" and path.startswith("/static/") and path.endswith((".js", ".css"))


def compress(response: Response) -> Response:
    """Compress a large enough text with status 200 if the client accepts a coding; return `response`.

    Every text with status 200 gets `Vary: Accept-Encoding`. A text that has a coding already is not changed.
    """
    if response.status_code != 200 or not is_compressible(response):
        return response
    response.vary.add("Accept-Encoding")
    accepted = request.headers.get("Accept-Encoding", "")
    if "Content-Encoding" in response.headers or accepted_coding(accepted) is None:
        return response
    response.direct_passthrough = False
    data, coding = encoded(response.get_data(), accepted)
    if coding is not None:
        response.set_data(data)
        response.headers["Content-Encoding"] = coding
    return response


def is_compressible(response: Response) -> bool:
    """Return whether a response is a text, which `compress` compresses."""
    text_types = ("text/", "application/json", "application/javascript", "image/svg+xml")
    return (response.mimetype or "").startswith(text_types)


def tag(response: Response) -> Response:
    """Add an ETag to an answer that a client may keep; make it 304 if the client has it already.

    Files have tags of their own, and an answer that must not be stored needs none.
    """
    if g.pop("may_change", False) and not response.cache_control.no_store:
        response.cache_control.private = True
    is_whole = response.status_code == 200 and not (response.direct_passthrough or response.is_streamed)
    if not is_whole or response.cache_control.no_store or DRAWING in request.environ:
        return response
    response.add_etag()
    response.make_conditional(request)
    return response


def encoded(data: bytes, accepted: str) -> tuple[bytes, str | None]:
    """Return `data` in the coding that the Accept-Encoding header `accepted` prefers, and that coding.

    Return unchanged data and None if no coding is accepted, or for less than `MIN_COMPRESSED_BYTES`.
    """
    coding = accepted_coding(accepted)
    if coding is None or len(data) < MIN_COMPRESSED_BYTES:
        return data, None
    return _compressed(data, coding), coding


@lru_cache(maxsize=256)
def accepted_coding(header: str) -> str | None:
    """Return "br" or "gzip", whichever has the higher quality in an Accept-Encoding header; "br" if equal.

    Return None if the header accepts neither. The quality of `identity` is ignored.
    """
    accepted = parse_accept_header(header)
    best = max(("br", "gzip"), key=lambda coding: accepted[coding])  # br if both are equal
    return best if accepted[best] else None


@lru_cache(maxsize=256)
def accepts_gzip(header: str) -> bool:
    """Return whether an Accept-Encoding header accepts "gzip"."""
    return parse_accept_header(header)["gzip"] > 0


@lru_cache(maxsize=256)
def _compressed(data: bytes, coding: str) -> bytes:
    if coding == "br":
        compressed: bytes = brotli.compress(data, quality=5)  # as fast as gzip at level 6
        return compressed
    return gzip.compress(data, 6, mtime=0)
