"""Errors as answers: a code for programs and a sentence for people, in one shape everywhere."""

import logging
from typing import Any, NamedTuple

from flask import Flask, Response, current_app, jsonify, make_response, render_template, request
from flask_limiter import RateLimitExceeded
from markupsafe import Markup
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from ..errors import PuzzleError, UnknownPuzzle
from ..jobs import Busy
from ..questions import quoted

log = logging.getLogger(__name__)

PATIENCE_SECONDS = 2
"""After which to ask again when the server is busy."""

PICTURE = Markup(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 120" role="img">'
    "<title>{message}</title>"
    '<rect width="640" height="120" fill="#fff" stroke="#a33" stroke-width="4"/>'
    '<foreignObject x="20" y="20" width="600" height="80">'
    '<p xmlns="http://www.w3.org/1999/xhtml">{message}</p></foreignObject></svg>'
)


class WarmingUp(Exception):
    """The puzzle's rules are still being compiled."""

    code = "warming_up"


class Refused(Exception):
    """A client asks for more than its share."""

    code = "too_many_requests"


class Fault(NamedTuple):
    """What is told about an error: an HTTP status, a code and a sentence."""

    status: int
    code: str
    message: str

    @property
    def body(self) -> dict[str, Any]:
        """The shape in which programs receive it."""
        return {"code": self.code, "message": self.message}


def explain(app: Flask) -> None:
    """Answer every error in the shape that its address calls for."""
    app.register_error_handler(Exception, answer)


def answer(error: Exception) -> Response:
    """The error as JSON under `/api`, as a picture where one was asked for, else as a page."""
    fault = fault_of(error)
    response = _in_shape(fault)
    response.status_code = fault.status
    response.headers["Cache-Control"] = "no-store"
    match error:
        case MethodNotAllowed(valid_methods=methods) if methods:
            response.allow.update(methods)
        case RateLimitExceeded():
            response.retry_after = error.limit.limit.get_expiry()
        case WarmingUp() | Busy():
            response.retry_after = PATIENCE_SECONDS
    return response


def _in_shape(fault: Fault) -> Response:
    if request.path.startswith("/api/"):
        return jsonify(error=fault.body)
    if request.path.endswith(".svg"):
        return Response(PICTURE.format(message=fault.message), mimetype="image/svg+xml")
    return make_response(render_template("error.html", fault=fault))


def fault_of(error: BaseException) -> Fault:
    """What to tell about an error; one that nobody foresaw is logged and told without details."""
    match error:
        case UnknownPuzzle():
            return Fault(404, error.code, str(error))
        case PuzzleError():
            return Fault(400, error.code, str(error))
        case Refused():
            return Fault(429, error.code, str(error))
        case Busy() | WarmingUp():
            return Fault(503, error.code, str(error))
        case HTTPException(code=int(status)) if status < 500:
            return _fault_of_request(status, error)
    log.error("a request failed", exc_info=error)
    return Fault(500, "internal", "The server met a fault of its own, which has been logged.")


def _fault_of_request(status: int, error: HTTPException) -> Fault:
    """What to tell about a request that never reached a view."""
    path = quoted(request.path)
    match status:
        case 404:
            return Fault(404, "not_found", f"There is nothing at {path}.")
        case 405:
            return Fault(405, "method_not_allowed", f"{quoted(request.method)} means nothing at {path}.")
        case 413:
            most = current_app.config["MAX_CONTENT_LENGTH"]
            return Fault(
                413, "too_long", f"A body of {request.content_length} bytes is too long: {most} may be."
            )
        case 414:
            most = current_app.config["MAX_URL_LENGTH"]
            return Fault(414, "too_long", f"The address {path} has more than {most} characters.")
        case 429 if isinstance(error, RateLimitExceeded):
            return Fault(429, "too_many_requests", f"Too many requests: the most is {error.description}.")
    return Fault(status, "invalid_request", str(error.description))
