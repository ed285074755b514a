"""WSGI layer in front of Flask that answers the most frequent requests, hints and verdicts, in half the time.

A request is passed on to Flask if it is for something else, has unusual options, fails, exceeds a rate limit,
or names a puzzle without loaded kernels. For the requests answered here, the views of `api.positions` would
return equal fields and headers.
"""

import re
import time
from collections.abc import Callable, Iterable
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from flask import Flask

from hoppers.core.puzzle import Question
from hoppers.runtime import metrics
from hoppers.web.api.positions import cache_control, graded_fields, hint_fields
from hoppers.web.http.limits import COUNTED
from hoppers.web.http.responses import encoded, is_plain
from hoppers.web.servers.clients import client_of
from hoppers.web.servers.event_loop import EventLoop
from hoppers.web.servers.turns import Full

ROUTE = "/api/puzzles/<puzzle_id>/positions/<position>"
HINT = "/hint"
PATH = re.compile(rf"/api/puzzles/([a-z0-9-]{{1,40}})/positions/([!-.0-~]{{1,80}})({HINT})?")
Answer = tuple[list[tuple[str, str]], bytes]  # headers and body of a response with status 200
QUERY = re.compile(r"(?:goal=([a-z0-9]{1,40}))?(?:&lang=ja)?")


def fast_answers(app: Flask, wsgi: WSGIApplication, allow: Callable[[str], bool]) -> WSGIApplication:
    """Return an application that answers plain requests about positions, and passes all others to `wsgi`.

    `allow`: counts a request of an address, and returns whether it is within all rates.
    """
    seconds = [metrics.HTTP_SECONDS.labels(route, "200") for route in (ROUTE, ROUTE + HINT)]

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        began = time.perf_counter()
        path = PATH.fullmatch(environ.get("PATH_INFO", ""))
        parsed = None if path is None else _parse(app, path, environ)
        if path is None or parsed is None or not allow(environ.get("REMOTE_ADDR", "")):
            return wsgi(environ, start_response)
        environ[COUNTED] = True
        is_hint = path[3] is not None
        found = _answer(app, parsed, is_hint, environ)
        if found is None:
            return wsgi(environ, start_response)
        headers, body = found
        start_response("200 OK", headers)
        seconds[is_hint].observe(time.perf_counter() - began)
        return [body]

    return answer


def _parse(app: Flask, path: re.Match[str], environ: WSGIEnvironment) -> Question | None:
    """Return the parsed request, or None if Flask has to answer. `path`: match of `PATH`."""
    query = QUERY.fullmatch(environ.get("QUERY_STRING", ""))
    if query is None or not is_plain(environ) or app.debug:
        return None
    try:
        puzzle = app.extensions["engine"].find(path[1])
        if not puzzle.is_compiled:
            return None
        return Question(puzzle, puzzle.parse_goal(query[1]), puzzle.parse(path[2]))
    except Exception:  # the view raises the error again, and Flask answers
        return None


def _answer(app: Flask, parsed: Question, is_hint: bool, environ: WSGIEnvironment) -> Answer | None:
    """Return the headers and the body of an answer, or None if computing them fails.

    Answers from a complete table in memory are computed in the event loop. All others are computed in a
    thread, because a table may take seconds to build or load.
    """
    accepted = environ.get("HTTP_ACCEPT_ENCODING", "")
    try:
        source = parsed.puzzle.loaded_source(parsed.goal)
        if source is None or not source.is_complete:
            loop: EventLoop = app.extensions["loop"]
            client = client_of(environ.get("REMOTE_ADDR", ""))
            return loop.run(client, _response, app, parsed, is_hint, accepted)
        return _response(app, parsed, is_hint, accepted)
    except Full:
        raise
    except Exception:  # raised again by the view, as in `_parse`
        return None


def _response(app: Flask, parsed: Question, is_hint: bool, accepted: str) -> Answer:
    fields = hint_fields(parsed) if is_hint else graded_fields(parsed, app)
    text = app.json.dumps(fields, separators=(",", ":")) + "\n"
    body, coding = encoded(text.encode(), accepted)
    headers = [
        ("Content-Type", "application/json"),
        ("Content-Length", str(len(body))),
        ("Cache-Control", cache_control(fields)),
        ("Vary", "Accept-Encoding"),
    ]
    return (headers if coding is None else [*headers, ("Content-Encoding", coding)]), body
