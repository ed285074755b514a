"""Hints: `FastHints` answers most of them in front of Flask, the view `show_hint` all others.

Hints are the most frequent requests, and `FastHints` takes a quarter of the time of a view. Requests that are
not plain GET requests, that name a puzzle whose kernels are not loaded yet, or that fail, go on to Flask.
Both answers have the fields of `hint_fields` and equal headers. The move comes from `analysis.verdicts.hint`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from flask import Flask, Response

from hoppers.analysis import verdicts
from hoppers.analysis.requests import read_goal, read_position, read_puzzle
from hoppers.runtime import metrics
from hoppers.web.api.positions import (
    PositionQuery,
    PositionRequest,
    blueprint,
    cache_control,
    cacheable_json,
    read_query,
    read_with_wait,
    verdict_fields,
)
from hoppers.web.http.limits import COUNTED
from hoppers.web.http.responses import is_plain
from hoppers.web.servers.event_loop import EventLoop

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

ROUTE = "/api/puzzles/<puzzle_id>/positions/<position>/hint"
PATH = re.compile(r"/api/puzzles/([a-z0-9-]{1,40})/positions/([!-.0-~]{1,80})/hint")
QUERY = re.compile(r"(?:goal=([a-z0-9]{1,40}))?(?:&lang=ja)?")


@blueprint.get(ROUTE.removeprefix("/api"))
def show_hint(puzzle_id: str, position: str) -> Response:
    """Return the next move of a shortest or of the best known solution, and the first step of that move."""
    return cacheable_json(**hint_fields(read_with_wait(puzzle_id, position, read_query(PositionQuery).goal)))


def hint_fields(parsed: PositionRequest) -> dict[str, Any]:
    """Return the JSON fields of a hint."""
    hint = verdicts.hint(*parsed)
    return {
        **verdict_fields(hint.verdict),
        "move": hint.move,
        "step": hint.step and {"from": hint.step.origin, "to": hint.step.target},
        "proved": hint.proved,
    }


class FastHints:
    """WSGI layer that answers plain requests for hints, in the event loop if a complete table is in memory.

    All other hints are answered in a thread, because a table may take seconds to build or load.
    """

    def __init__(
        self, app: Flask, wsgi: WSGIApplication, loop: EventLoop, allow: Callable[[str], bool]
    ) -> None:
        """`allow`: counts a request of an address and returns whether it is within all rates."""
        self._app, self._wsgi, self._loop, self._allow = app, wsgi, loop, allow
        self._seconds = metrics.HTTP_SECONDS.labels(ROUTE, "200")

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a plain request for a hint; pass on all other requests, and those that fail."""
        began = time.perf_counter()
        answer = None
        if (parsed := self._parse(environ)) is not None and self._allow(environ.get("REMOTE_ADDR", "")):
            environ[COUNTED] = True
            answer = self._answer(parsed)
        if answer is None:
            return self._wsgi(environ, start_response)
        body, control = answer
        headers = [
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(body))),
            ("Cache-Control", control),
            ("Vary", "Accept-Encoding, Accept-Language, Cookie"),
        ]
        start_response("200 OK", headers)
        self._seconds.observe(time.perf_counter() - began)
        return [body]

    def _parse(self, environ: WSGIEnvironment) -> PositionRequest | None:
        """Return the position and goal of a plain request for a hint; None for any other request."""
        path = PATH.fullmatch(environ.get("PATH_INFO", ""))
        query = QUERY.fullmatch(environ.get("QUERY_STRING", ""))
        if path is None or query is None or not is_plain(environ) or self._app.debug:
            return None
        puzzle_id, position = path.groups()
        if self._app.config["WARM_UP"] and not self._app.extensions["warmup"].can_answer(puzzle_id):
            return None
        try:
            puzzle = read_puzzle(self._app.extensions["engine"], puzzle_id)
            return PositionRequest(puzzle, read_goal(puzzle, query[1]), read_position(puzzle, position))
        except Exception:  # the view raises it, too, and Flask answers it
            return None

    def _answer(self, parsed: PositionRequest) -> tuple[bytes, str] | None:
        """Return the body of a hint and its `Cache-Control`, or None if the hint fails."""
        try:
            table = parsed.puzzle.loaded_table(parsed.goal)  # the reference keeps the table in memory
            return self._loop.run(self._hint, parsed) if table is None else self._hint(parsed)
        except Exception:  # as above
            return None

    def _hint(self, parsed: PositionRequest) -> tuple[bytes, str]:
        fields = hint_fields(parsed)
        text = self._app.json.dumps(fields, separators=(",", ":")) + "\n"
        return text.encode(), cache_control(fields)
