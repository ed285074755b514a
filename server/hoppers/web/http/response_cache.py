"""Answers about positions that were given before are given again before any framework looks at the request.

They depend on nothing but their address (see `api.kept`), and most of what a thousand players ask was asked
a moment ago. They count as requests like all others.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from hoppers.runtime.metrics import REPEATED

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

MOST_BYTES = 4_000
"""Of an answer that is kept."""
BEGINNING, MIDDLE = "/api/puzzles/", "/positions/"

Key = tuple[str, str, str]
Headers = list[tuple[str, str]]


class Kept(NamedTuple):
    """An answer."""

    headers: Headers
    body: bytes


class Answers:
    """The answers given last, at most so many."""

    def __init__(self, most: int) -> None:
        """None yet."""
        self._most, self._lock = most, threading.Lock()
        self._kept: OrderedDict[Key, Kept] = OrderedDict()

    def find(self, key: Key) -> Kept | None:
        """The answer to give again."""
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def keep(self, key: Key, answer: Kept) -> None:
        """Keep one, and forget the one that nobody has asked for longest."""
        with self._lock:
            self._kept[key] = answer
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)


def repeating(wsgi: WSGIApplication, answers: Answers, may: Callable[[str], bool]) -> WSGIApplication:
    """The application with the answers in front. `may`: counts a request of an address, False if too many.

    Whoever asks too much is handed on to the application, which says so.
    """

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        key = _key(environ)
        if key is None:
            return wsgi(environ, start_response)
        found = answers.find(key)
        if found is None:
            return _first(wsgi, environ, start_response, lambda kept: answers.keep(key, kept))
        if not may(environ.get("REMOTE_ADDR", "")):
            return wsgi(environ, start_response)
        REPEATED.inc()
        start_response("200 OK", found.headers)
        return [found.body]

    return answer


def _key(environ: WSGIEnvironment) -> Key | None:
    """What the answer depends on; None for what is no such question."""
    path: str = environ.get("PATH_INFO", "")
    if not path.startswith(BEGINNING) or MIDDLE not in path or not is_plain(environ):
        return None
    return path, environ.get("QUERY_STRING", ""), environ.get("HTTP_ACCEPT_ENCODING", "")[:100]


def is_plain(environ: WSGIEnvironment) -> bool:
    """Whether a request asks for an answer and nothing else: it has no body and wants no other protocol."""
    bare = environ.get("CONTENT_LENGTH", "0") in ("", "0") and "HTTP_TRANSFER_ENCODING" not in environ
    return bare and environ["REQUEST_METHOD"] == "GET" and "HTTP_UPGRADE" not in environ


def _first(
    wsgi: WSGIApplication,
    environ: WSGIEnvironment,
    start_response: StartResponse,
    keep: Callable[[Kept], None],
) -> Iterable[bytes]:
    """The application's answer, which is kept if it may be."""
    told: list[Any] = []

    def start(status: str, headers: Headers, *error: Any) -> Callable[[bytes], object]:
        told[:] = [status, headers]
        return start_response(status, headers, *error)

    body = wsgi(environ, start)
    if not told or not _is_lasting(*told):
        return body
    whole = b"".join(body)
    getattr(body, "close", _nothing)()
    if len(whole) <= MOST_BYTES:
        keep(Kept(told[1], whole))
    return [whole]


def _nothing() -> None:
    """What there is to do for a body that need not be closed."""


def _is_lasting(status: str, headers: Headers) -> bool:
    found = {name.lower(): value for name, value in headers}
    return (
        status.startswith("200 ") and "public" in found.get("cache-control", "") and "set-cookie" not in found
    )
