"""WSGI layer in front of Flask that answers the most frequent requests, hints and verdicts, in half the time.

A request is passed on to Flask if it is for something else, has unusual options, fails, exceeds a rate limit,
or names a puzzle without loaded kernels. For the requests answered here, the views of `api.positions` would
return equal fields and headers.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from flask import Flask

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
Answer = tuple[list[tuple[str, str]], bytes]
"""Headers and body of a response with status 200."""
QUERY = re.compile(r"(?:goal=([a-z0-9]{1,40}))?(?:&lang=ja)?")


class FastAnswers:
    """WSGI layer that answers plain requests about positions.

    Answers from a table in memory are computed in the event loop. All others are computed in a thread,
    because a table may take seconds to build or load.
    """

    def __init__(
        self, app: Flask, wsgi: WSGIApplication, loop: EventLoop, allow: Callable[[str], bool]
    ) -> None:
        """`allow`: counts a request of an address and returns whether the request is within all rates.

        `wsgi`: the application that answers all other requests.
        """
        self._app, self._wsgi, self._loop, self._allow = app, wsgi, loop, allow
        self._seconds = [metrics.HTTP_SECONDS.labels(route, "200") for route in (ROUTE, ROUTE + HINT)]

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a plain request about a position, or pass the request on (see the module's docstring)."""
        began = time.perf_counter()
        answer = None
        parsed, is_hint = self._parse(environ)
        if parsed is not None and self._allow(environ.get("REMOTE_ADDR", "")):
            environ[COUNTED] = True
            answer = self._answer(parsed, is_hint, environ.get("HTTP_ACCEPT_ENCODING", ""))
        if answer is None:
            return self._wsgi(environ, start_response)
        headers, body = answer
        start_response("200 OK", headers)
        self._seconds[is_hint].observe(time.perf_counter() - began)
        return [body]

    def _parse(self, environ: WSGIEnvironment) -> tuple[PositionRequest | None, bool]:
        """Return the parsed request and whether it is for a hint; (None, False) if Flask has to answer."""
        path = PATH.fullmatch(environ.get("PATH_INFO", ""))
        query = QUERY.fullmatch(environ.get("QUERY_STRING", ""))
        if path is None or query is None or not is_plain(environ) or self._app.debug:
            return None, False
        puzzle_id, position, hint = path.groups()
        if self._app.config["WARM_UP"] and not self._app.extensions["warmup"].can_answer(puzzle_id):
            return None, False
        try:
            puzzle = self._app.extensions["engine"].find(puzzle_id)
            parsed = PositionRequest(puzzle, puzzle.parse_goal(query[1]), puzzle.parse(position))
        except Exception:  # the view raises the error again, and Flask answers
            return None, False
        return parsed, hint is not None

    def _answer(self, parsed: PositionRequest, is_hint: bool, accepted: str) -> Answer | None:
        """Return the headers and the body of an answer, or None if computing them fails."""
        try:
            source = parsed.puzzle.loaded_source(parsed.goal)
            if source is None or not source.is_complete:
                return self._loop.run(self._response, parsed, is_hint, accepted)
            return self._response(parsed, is_hint, accepted)
        except Exception:  # raised again by the view, as in `_parse`
            return None

    def _response(self, parsed: PositionRequest, is_hint: bool, accepted: str) -> Answer:
        if is_hint:
            fields = hint_fields(parsed)
        else:
            fields = graded_fields(parsed, warmup_progress(self._app, parsed.puzzle))
        text = self._app.json.dumps(fields, separators=(",", ":")) + "\n"
        body, coding = encoded(text.encode(), accepted)
        headers = [
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(body))),
            ("Cache-Control", cache_control(fields)),
            ("Vary", "Accept-Encoding, Accept-Language, Cookie"),
        ]
        return (headers if coding is None else [*headers, ("Content-Encoding", coding)]), body
