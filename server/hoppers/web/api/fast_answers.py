"""Hints and verdicts in front of Flask: most requests for a hint or the verdicts of a position.

These are the most frequent requests, and Flask would take half of their time. Requests that are not plain GET
requests, that name a puzzle whose kernels are not loaded yet, or that fail, go on to Flask. The views of
`api.positions` answer them with the same fields and headers.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from flask import Flask

from hoppers.analysis.requests import read_goal, read_position, read_puzzle
from hoppers.runtime import metrics
from hoppers.web.api.positions import PositionRequest, cache_control, graded_fields, hint_fields
from hoppers.web.current import warmup_progress
from hoppers.web.http.limits import COUNTED
from hoppers.web.http.responses import encoded, is_plain
from hoppers.web.servers.event_loop import EventLoop

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

ROUTE = "/api/puzzles/<puzzle_id>/positions/<position>"
HINT = "/hint"
PATH = re.compile(rf"/api/puzzles/([a-z0-9-]{{1,40}})/positions/([!-.0-~]{{1,80}})({HINT})?")
QUERY = re.compile(r"(?:goal=([a-z0-9]{1,40}))?(?:&lang=ja)?")


class FastRequest(NamedTuple):
    """A request for a hint, or for the verdicts of a position, with the client's Accept-Encoding header."""

    position: PositionRequest
    is_hint: bool
    accepted: str


class FastAnswers:
    """WSGI layer that answers plain requests about positions, in the event loop from a table in memory.

    All other positions are answered in a thread, because a table may take seconds to build or load.
    """

    def __init__(
        self, app: Flask, wsgi: WSGIApplication, loop: EventLoop, allow: Callable[[str], bool]
    ) -> None:
        """`allow`: counts a request of an address and returns whether it is within all rates."""
        self._app, self._wsgi, self._loop, self._allow = app, wsgi, loop, allow
        self._seconds = [metrics.HTTP_SECONDS.labels(route, "200") for route in (ROUTE, ROUTE + HINT)]

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a plain request about a position; pass on all other requests, and those that fail."""
        began = time.perf_counter()
        answer = None
        if (asked := self._parse(environ)) is not None and self._allow(environ.get("REMOTE_ADDR", "")):
            environ[COUNTED] = True
            answer = self._answer(asked)
        if asked is None or answer is None:
            return self._wsgi(environ, start_response)
        headers, body = answer
        start_response("200 OK", headers)
        self._seconds[asked.is_hint].observe(time.perf_counter() - began)
        return [body]

    def _parse(self, environ: WSGIEnvironment) -> FastRequest | None:
        """Return what a plain request asks about a position; None for any other request."""
        path = PATH.fullmatch(environ.get("PATH_INFO", ""))
        query = QUERY.fullmatch(environ.get("QUERY_STRING", ""))
        if path is None or query is None or not is_plain(environ) or self._app.debug:
            return None
        puzzle_id, position, hint = path.groups()
        if self._app.config["WARM_UP"] and not self._app.extensions["warmup"].can_answer(puzzle_id):
            return None
        try:
            puzzle = read_puzzle(self._app.extensions["engine"], puzzle_id)
            parsed = PositionRequest(puzzle, read_goal(puzzle, query[1]), read_position(puzzle, position))
        except Exception:  # the view raises it, too, and Flask answers it
            return None
        return FastRequest(parsed, hint is not None, environ.get("HTTP_ACCEPT_ENCODING", ""))

    def _answer(self, asked: FastRequest) -> tuple[list[tuple[str, str]], bytes] | None:
        """Return the headers and the body of an answer, or None if the answer fails."""
        try:
            puzzle, goal, _ = asked.position
            table = puzzle.loaded_table(goal)  # the reference keeps the table in memory
            return self._loop.run(self._response, asked) if table is None else self._response(asked)
        except Exception:  # as above
            return None

    def _response(self, asked: FastRequest) -> tuple[list[tuple[str, str]], bytes]:
        if asked.is_hint:
            fields = hint_fields(asked.position)
        else:
            fields = graded_fields(asked.position, warmup_progress(self._app, asked.position.puzzle))
        text = self._app.json.dumps(fields, separators=(",", ":")) + "\n"
        body, coding = encoded(text.encode(), asked.accepted)
        headers = [
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(body))),
            ("Cache-Control", cache_control(fields)),
            ("Vary", "Accept-Encoding, Accept-Language, Cookie"),
        ]
        return (headers if coding is None else [*headers, ("Content-Encoding", coding)]), body
