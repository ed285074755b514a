"""Hints in front of Flask, at a quarter of the cost: they are what players ask most.

The other way to answer a hint is `positions.show_hint`, with the same content, header by header. Requests
that are unusual in any way, that ask about puzzles that are not warm, or that fail are passed on to it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from flask import Flask

from hoppers.runtime import metrics
from hoppers.web.api import positions
from hoppers.web.api.query import Asked, read
from hoppers.web.http import rate_limit
from hoppers.web.http.response_cache import is_plain
from hoppers.web.servers.event_loop import EventLoop

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

ROUTE = "/api/puzzles/<puzzle_id>/positions/<position>/hint"
PATH = re.compile(r"/api/puzzles/([a-z0-9-]{1,40})/positions/([!-.0-~]{1,80})/hint")
QUERY = re.compile(r"(?:goal=([a-z0-9]{1,40}))?")
"""Far shorter than the longest address that is read."""
VARY = "Accept-Encoding, Accept-Language, Cookie"


class FastHints:
    """WSGI layer that answers hints. Those from a complete table are answered in the event loop itself."""

    def __init__(
        self, app: Flask, wsgi: WSGIApplication, loop: EventLoop, allow: Callable[[str], bool]
    ) -> None:
        """`allow`: counts a request of an address and returns whether it exceeds no rate."""
        self._app, self._wsgi, self._loop, self._allow = app, wsgi, loop, allow
        self._tables: set[tuple[str, int]] = set()
        """Puzzles and goals whose hints come from a complete table, seen with a first hint in a thread: only
        asking the source shows it, which may build or load the table."""
        self._seconds = metrics.HTTP_SECONDS.labels(ROUTE, "200")

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a hint, or pass the request on."""
        began = time.perf_counter()
        answer = None
        if (asked := self._asked(environ)) is not None and self._allow(environ.get("REMOTE_ADDR", "")):
            environ[rate_limit.COUNTED] = True
            answer = self._answer(asked)
        if answer is None:
            return self._wsgi(environ, start_response)
        body, control = answer
        start_response("200 OK", _headers(body, control))
        self._seconds.observe(time.perf_counter() - began)
        return [body]

    def _asked(self, environ: WSGIEnvironment) -> Asked | None:
        """Return the question, if it is a plain one about a hint."""
        path = PATH.fullmatch(environ.get("PATH_INFO", ""))
        query = QUERY.fullmatch(environ.get("QUERY_STRING", ""))
        if path is None or query is None or not is_plain(environ) or self._app.debug:
            return None
        puzzle_id, position = path.groups()
        if self._app.config["WARM_UP"] and not self._app.extensions["warmup"].is_ready(puzzle_id):
            return None
        try:
            return read(puzzle_id, position, query[1])
        except Exception:  # Flask will meet it as well, and has an answer for it
            return None

    def _answer(self, asked: Asked) -> tuple[bytes, str] | None:
        """Return the body and its `Cache-Control`, or None if that fails."""
        try:
            if (asked.puzzle.id, asked.goal) in self._tables:
                return self._hint(asked)
            return self._loop.run(self._first_hint, asked)
        except Exception:  # as above
            return None

    def _first_hint(self, asked: Asked) -> tuple[bytes, str]:
        found = self._hint(asked)
        if asked.puzzle.has_complete_table(asked.goal):
            self._tables.add((asked.puzzle.id, asked.goal))
        return found

    def _hint(self, asked: Asked) -> tuple[bytes, str]:
        fields = positions.hint_of(asked)
        text = self._app.json.dumps(fields, separators=(",", ":")) + "\n"
        return text.encode(), positions.control_of(fields)


def _headers(body: bytes, control: str) -> list[tuple[str, str]]:
    return [
        ("Content-Type", "application/json"),
        ("Content-Length", str(len(body))),
        ("Cache-Control", control),
        ("Vary", VARY),
    ]
