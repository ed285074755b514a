"""Answers to hint requests in front of Flask, at a quarter of the cost: hints are the most frequent requests.

`positions.show_hint` returns hints with an equal body and equal headers. Requests that are unusual in any
way, that name a puzzle whose kernels are not compiled yet, or that fail, are passed on to Flask.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from flask import Flask

from hoppers.analysis.requests import read_goal, read_position, read_puzzle
from hoppers.runtime import metrics
from hoppers.web.api import positions
from hoppers.web.api.query import PositionRequest
from hoppers.web.http import rate_limit
from hoppers.web.http.response_cache import is_plain
from hoppers.web.servers.event_loop import EventLoop

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

ROUTE = "/api/puzzles/<puzzle_id>/positions/<position>/hint"
PATH = re.compile(r"/api/puzzles/([a-z0-9-]{1,40})/positions/([!-.0-~]{1,80})/hint")
QUERY = re.compile(r"(?:goal=([a-z0-9]{1,40}))?")
VARY = "Accept-Encoding, Accept-Language, Cookie"


class FastHints:
    """WSGI layer that answers hints: in the event loop itself while their complete table is in memory.

    All other hints are answered in a thread, because a table may take seconds to build or load.
    """

    def __init__(
        self, app: Flask, wsgi: WSGIApplication, loop: EventLoop, allow: Callable[[str], bool]
    ) -> None:
        """`allow`: counts a request of an address and returns whether it exceeds no rate."""
        self._app, self._wsgi, self._loop, self._allow = app, wsgi, loop, allow
        self._seconds = metrics.HTTP_SECONDS.labels(ROUTE, "200")

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a plain request for a hint; pass any other request on, and also one that fails."""
        began = time.perf_counter()
        answer = None
        if (parsed := self._parse(environ)) is not None and self._allow(environ.get("REMOTE_ADDR", "")):
            environ[rate_limit.COUNTED] = True
            answer = self._answer(parsed)
        if answer is None:
            return self._wsgi(environ, start_response)
        body, control = answer
        start_response("200 OK", _headers(body, control))
        self._seconds.observe(time.perf_counter() - began)
        return [body]

    def _parse(self, environ: WSGIEnvironment) -> PositionRequest | None:
        """Return the position and goal of a plain request for a hint; None for any other request."""
        path = PATH.fullmatch(environ.get("PATH_INFO", ""))
        query = QUERY.fullmatch(environ.get("QUERY_STRING", ""))
        if path is None or query is None or not is_plain(environ) or self._app.debug:
            return None
        puzzle_id, position = path.groups()
        if self._app.config["WARM_UP"] and not self._app.extensions["warmup"].is_ready(puzzle_id):
            return None
        try:
            puzzle = read_puzzle(self._app.extensions["engine"], puzzle_id)
            return PositionRequest(puzzle, read_goal(puzzle, query[1]), read_position(puzzle, position))
        except Exception:  # Flask raises it, too, and answers it
            return None

    def _answer(self, parsed: PositionRequest) -> tuple[bytes, str] | None:
        """Return the body of a hint and its `Cache-Control`, or None if the hint fails."""
        try:
            table = parsed.puzzle.loaded_table(parsed.goal)  # the reference keeps the table in memory
            return self._loop.run(self._hint, parsed) if table is None else self._hint(parsed)
        except Exception:  # as above
            return None

    def _hint(self, parsed: PositionRequest) -> tuple[bytes, str]:
        fields = positions.hint_fields(parsed)
        text = self._app.json.dumps(fields, separators=(",", ":")) + "\n"
        return text.encode(), positions.cache_control(fields)


def _headers(body: bytes, control: str) -> list[tuple[str, str]]:
    return [
        ("Content-Type", "application/json"),
        ("Content-Length", str(len(body))),
        ("Cache-Control", control),
        ("Vary", VARY),
    ]
