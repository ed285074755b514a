"""Health and readiness checks, and metrics for Prometheus."""

import time
from collections.abc import Iterable
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from flask import Blueprint, Flask, Response, abort, current_app, g, jsonify, request
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import REGISTRY

from hoppers.runtime import metrics as measured
from hoppers.web.current import settings, warmup
from hoppers.web.servers.clients import client_in
from hoppers.web.servers.faults import RETRY_AFTER_SECONDS

ALIVE = "/healthz"  # answered in the event loop, whatever all threads wait for
PATHS = (ALIVE, "/readyz")  # answered by urgent threads, so that slow requests delay no check

blueprint = Blueprint("health", __name__)


def measure_requests(app: Flask) -> None:
    """Make `app` record the time of each request by route and status, not by URL.

    Call this before other hooks are registered: a hook that refuses a request skips the later ones.
    """

    def begin() -> None:
        g.began = time.perf_counter()

    def end(response: Response) -> Response:
        route = request.url_rule.rule if request.url_rule is not None else "none"
        seconds = time.perf_counter() - g.began
        measured.HTTP_SECONDS.labels(route, str(response.status_code)).observe(seconds)
        return response

    app.before_request(begin)
    app.after_request(end)


@blueprint.after_request
def forbid_caching(response: Response) -> Response:
    """Forbid caches to store a response; return the response."""
    response.headers["Cache-Control"] = "no-store"
    return response


@blueprint.get(ALIVE)
def healthz() -> Response:
    """Return status 200 as long as the process answers requests."""
    return jsonify(alive=True)


def answering_at_once(wsgi: WSGIApplication) -> WSGIApplication:
    """Return an application that answers as `healthz` does without `wsgi`, whatever its threads wait for."""
    body = b'{"alive":true}\n'
    headers = [
        ("Content-Type", "application/json"),
        ("Content-Length", str(len(body))),
        ("Cache-Control", "no-store"),
    ]

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ["PATH_INFO"] != ALIVE or environ["REQUEST_METHOD"] not in ("GET", "HEAD"):
            return wsgi(environ, start_response)
        start_response("200 OK", [*headers])
        return [b"" if environ["REQUEST_METHOD"] == "HEAD" else body]

    return answer


@blueprint.get("/readyz")
def readyz() -> Response:
    """Return 200 if the warm-up, if any, is over and searches can run, else 503 and the reason."""
    ready, every = warmup().progress()
    if settings().warm_up and ready < every:
        failed = warmup().failed()
        reason = f"These cannot be loaded: {', '.join(failed)}." if failed else "The server is loading."
        return _not_ready("warming_up", f"{ready} of {every} puzzles are ready. {reason}")
    if not current_app.extensions["searches"].is_reachable():
        return _not_ready("unreachable", "The machines that search cannot be reached at the moment.")
    return jsonify(ready=True)


def _not_ready(code: str, message: str) -> Response:
    response = jsonify(error={"code": code, "message": message})
    response.status_code, response.retry_after = 503, RETRY_AFTER_SECONDS
    return response


@blueprint.get("/metrics")
def metrics() -> Response:
    """Return all metrics for Prometheus; 404 for addresses that the setting METRICS excludes."""
    audience = settings().metrics
    if audience != "all" and (audience != "local" or not client_in(request.environ).is_local):
        abort(404)
    parts = current_app.extensions
    ready, every = warmup().progress()
    measured.PUZZLES.set(every)
    measured.PUZZLES_WARM.set(ready)
    measured.CONNECTIONS.set(parts["connections"].count())
    for state, count in parts["searches"].counts().items():
        measured.SEARCHES.labels(state).set(count)
    encode, content_type = choose_encoder(request.headers.get("Accept", ""))
    return Response(encode(REGISTRY), content_type=content_type)
