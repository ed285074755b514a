"""Response cache for requests about positions, in front of Flask, limited in bytes.

Cached answers depend on their URL and encoding alone (see `api.positions.cacheable_json`). With a thousand
players, most requests repeat another player's recent request. Cached answers count against rate limits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from hoppers.runtime.lru_cache import LRUCache
from hoppers.runtime.metrics import REPEATED

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

MAX_BODY_BYTES = 4_000  # largest body to cache
ENTRY_BYTES = 1_000  # memory of a cached answer in addition to its body: key, headers and objects
PREFIX, INFIX = "/api/puzzles/", "/positions/"

Key = tuple[str, str, str]
Headers = list[tuple[str, str]]


class CachedResponse(NamedTuple):
    """A cached answer with status 200."""

    headers: Headers
    body: bytes


ResponseCache = LRUCache[Key, CachedResponse]
"""The most recently used answers. Thread-safe."""


def response_cache(max_bytes: int) -> ResponseCache:
    """Return an empty response cache of at most `max_bytes`."""
    return LRUCache(max_bytes, lambda response: len(response.body) + ENTRY_BYTES)


def cached(wsgi: WSGIApplication, responses: ResponseCache, allow: Callable[[str], bool]) -> WSGIApplication:
    """Return the application `wsgi` with the cache `responses` in front.

    `allow`: counts a request of an address and returns whether it is within all rates. A request beyond a
    rate is passed on to the application, which answers 429.
    """

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        key = _key(environ)
        if key is None:
            return wsgi(environ, start_response)
        found = responses.get(key)
        if found is None:
            return _answer_and_store(wsgi, environ, start_response, partial(responses.put, key))
        if not allow(environ.get("REMOTE_ADDR", "")):
            return wsgi(environ, start_response)
        REPEATED.inc()
        start_response("200 OK", found.headers)
        return [found.body]

    return answer


def _key(environ: WSGIEnvironment) -> Key | None:
    """Return the cache key of a plain request about a position; None for other requests."""
    path: str = environ.get("PATH_INFO", "")
    if not path.startswith(PREFIX) or INFIX not in path or not is_plain(environ):
        return None
    return path, environ.get("QUERY_STRING", ""), environ.get("HTTP_ACCEPT_ENCODING", "")[:100]


def is_plain(environ: WSGIEnvironment) -> bool:
    """Return whether a request is a GET request without a body and without an upgrade of the protocol."""
    bare = environ.get("CONTENT_LENGTH", "0") in ("", "0") and "HTTP_TRANSFER_ENCODING" not in environ
    return bare and environ["REQUEST_METHOD"] == "GET" and "HTTP_UPGRADE" not in environ


def _answer_and_store(
    wsgi: WSGIApplication,
    environ: WSGIEnvironment,
    start_response: StartResponse,
    store: Callable[[CachedResponse], None],
) -> Iterable[bytes]:
    """Return the application's answer. Pass the answer to `store` if its headers and size allow caching."""
    started: list[Any] = []

    def start(status: str, headers: Headers, *error: Any) -> Callable[[bytes], object]:
        started[:] = [status, headers]
        return start_response(status, headers, *error)

    body = wsgi(environ, start)
    if not started or not _is_cacheable(*started):
        return body
    whole = b"".join(body)
    getattr(body, "close", bool)()
    if len(whole) <= MAX_BODY_BYTES:
        store(CachedResponse(started[1], whole))
    return [whole]


def _is_cacheable(status: str, headers: Headers) -> bool:
    found = {name.lower(): value for name, value in headers}
    return (
        status.startswith("200 ") and "public" in found.get("cache-control", "") and "set-cookie" not in found
    )
