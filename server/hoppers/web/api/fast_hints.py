"""Hints in front of the framework: what players ask most costs a third of what a request costs there.

The answer is the one that the framework gives, header by header. Whatever is anything but a plain question
about a position of a puzzle that is warm, or cannot be answered, is handed on to it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from flask import Flask

from hoppers.runtime import metrics
from hoppers.web.api import positions
from hoppers.web.api.query import PositionRequest, read
from hoppers.web.http import rate_limit
from hoppers.web.http.response_cache import is_plain

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

ROUTE = "/api/puzzles/<puzzle_id>/positions/<position>/hint"
PATH = re.compile(r"/api/puzzles/([a-z0-9-]{1,40})/positions/([!-.0-~]{1,80})/hint")
QUERY = re.compile(r"(?:goal=([a-z0-9]{1,40}))?")
"""Far shorter than the longest address that is read."""
VARY = "Accept-Encoding, Accept-Language, Cookie"


def hints(app: Flask, wsgi: WSGIApplication, may: Callable[[str], bool]) -> WSGIApplication:
    """The application with hints in front. `may`: counts a request of an address, False if too many.

    Whoever asks too much is handed on to the application, which says so.
    """
    seconds = metrics.HTTP_SECONDS.labels(ROUTE, "200")

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        began = time.perf_counter()
        body = None
        if (asked := _asked(app, environ)) is not None and may(environ.get("REMOTE_ADDR", "")):
            environ[rate_limit.COUNTED] = True
            body = _hint(app, asked)
        if body is None:
            return wsgi(environ, start_response)
        text, control = body
        start_response("200 OK", _headers(text, control))
        seconds.observe(time.perf_counter() - began)
        return [text]

    return answer


def _asked(app: Flask, environ: WSGIEnvironment) -> PositionRequest | None:
    """What is asked, if it is a hint and all is as usual."""
    path = PATH.fullmatch(environ.get("PATH_INFO", ""))
    query = QUERY.fullmatch(environ.get("QUERY_STRING", ""))
    if path is None or query is None or not is_plain(environ) or app.debug:
        return None
    puzzle_id, position = path.groups()
    if app.config["WARM_UP"] and not app.extensions["warmup"].is_ready(puzzle_id):
        return None
    try:
        return read(puzzle_id, position, query[1])
    except Exception:  # the framework will meet it as well, and has words for it
        return None


def _hint(app: Flask, asked: PositionRequest) -> tuple[bytes, str] | None:
    """The hint, and for how long it may be kept."""
    try:
        fields = positions.hint_fields(asked)
    except Exception:  # as above
        return None
    text = app.json.dumps(fields, separators=(",", ":")) + "\n"
    return text.encode(), positions.cache_control(fields)


def _headers(text: bytes, control: str) -> list[tuple[str, str]]:
    return [
        ("Content-Type", "application/json"),
        ("Content-Length", str(len(text))),
        ("Cache-Control", control),
        ("Vary", VARY),
    ]
