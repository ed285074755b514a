"""The server seen from outside: is it alive, is it ready, and what it measures."""

import time
from collections.abc import Callable

from flask import Blueprint, Flask, Response, abort, current_app, g, jsonify, request
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from hoppers.runtime import metrics as measures
from hoppers.web.http.errors import PATIENCE_SECONDS

LOCAL = ("127.0.0.1", "::1")

watch = Blueprint("watch", __name__)


def measure(app: Flask) -> None:
    """Take the time of every request, by the route's own words and not by those of its address."""

    def begin() -> None:
        g.began = time.perf_counter()

    def end(response: Response) -> Response:
        route = request.url_rule.rule if request.url_rule is not None else "none"
        seconds = time.perf_counter() - g.get("began", time.perf_counter())
        measures.HTTP_SECONDS.labels(route, str(response.status_code)).observe(seconds)
        return response

    app.before_request(begin)
    app.after_request(end)
    app.extensions["readiness"] = {"warming_up": lambda: _cold(app), "unreachable": lambda: _alone(app)}


def _alone(app: Flask) -> str | None:
    if app.extensions["searches"].counts():
        return None
    return "The machines that search cannot be reached at the moment."


def _cold(app: Flask) -> str | None:
    ready, every = app.extensions["warmup"].progress()
    if ready == every or not app.config["WARM_UP"]:
        return None
    return f"The server has just started: {ready} of {every} puzzles are ready."


@watch.get("/healthz")
def healthz() -> Response:
    """The process is alive."""
    return _fresh(jsonify(alive=True))


@watch.get("/readyz")
def readyz() -> Response:
    """Whether the server can answer everything at once; 503 and the reason where not."""
    reasons: dict[str, Callable[[], str | None]] = current_app.extensions["readiness"]
    for code, reason in reasons.items():
        words = reason()
        if words is not None:
            response = _fresh(jsonify(error={"code": code, "message": words}))
            response.status_code, response.retry_after = 503, PATIENCE_SECONDS
            return response
    return _fresh(jsonify(ready=True))


@watch.get("/metrics")
def metrics() -> Response:
    """Everything measured, for Prometheus; to whom the setting METRICS wants to tell it."""
    whom = current_app.config["METRICS"]
    if whom != "all" and (whom != "local" or request.remote_addr not in LOCAL):
        abort(404)
    _read_gauges()
    return _fresh(Response(generate_latest(), content_type=CONTENT_TYPE_LATEST))


def _read_gauges() -> None:
    parts = current_app.extensions
    ready, every = parts["warmup"].progress()
    measures.PUZZLES.set(every)
    measures.PUZZLES_WARM.set(ready)
    measures.CONNECTIONS.set(parts["connections"].count())
    for state, count in parts["searches"].counts().items():
        measures.SEARCHES.labels(state).set(count)


def _fresh(response: Response) -> Response:
    response.headers["Cache-Control"] = "no-store"
    return response
