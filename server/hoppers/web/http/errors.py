"""Error responses: every error becomes an HTTP status, a code for programs and a sentence for the page.

The request path selects the shape: JSON under `/api/` and for `.json`, a picture for `.svg` and `.png`,
else a page.
"""

import logging
from http import HTTPStatus

from flask import Response, jsonify, make_response, render_template, request
from markupsafe import Markup
from werkzeug.exceptions import (
    HTTPException,
    MethodNotAllowed,
    RequestedRangeNotSatisfiable,
    TooManyRequests,
)

from hoppers.core.errors import Busy, PuzzleError, quoted
from hoppers.core.texts import Text
from hoppers.web.drawing import png
from hoppers.web.http.i18n import as_sentence, is_for_programs, localized
from hoppers.web.servers.faults import INTERNAL, RETRY_AFTER_SECONDS, Fault

log = logging.getLogger(__name__)

ERROR_SVG = Markup(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 120" role="img">'
    "<title>{message}</title>"
    '<rect width="640" height="120" fill="#fff" stroke="#a33" stroke-width="4"/>'
    '<foreignObject x="20" y="20" width="600" height="80">'
    '<p xmlns="http://www.w3.org/1999/xhtml">{message}</p></foreignObject></svg>'
)

PROBLEM = "application/problem+json"
"""Media type of errors by RFC 9457."""
REQUEST_ERRORS = {
    404: ("not_found", Text("There is no page at {path}.")),
    405: ("method_not_allowed", Text("{path} does not accept {method} requests.")),
    413: ("too_long", Text("The request body has {length} bytes; the limit is {bytes}.")),
    416: ("invalid_request", Text("{path} has no bytes in the range {range}.")),
    429: ("too_many_requests", Text("Too many requests; the limit is {rate}.")),
}
"""HTTP status -> code and sentence of an error; other statuses below 500 have `OTHER_REQUEST_ERROR`."""
OTHER_REQUEST_ERROR = ("invalid_request", Text("The request for {address} cannot be answered."))


def error_response(error: Exception) -> Response:
    """Return the response for an error, in the format of the path: JSON, SVG, PNG or HTML."""
    fault = fault_of(error)
    response = _response_of(fault)
    response.status_code = fault.status
    response.headers["Cache-Control"] = "no-store"
    match error:
        case MethodNotAllowed(valid_methods=methods) if methods:
            response.allow.update(methods)
        case RequestedRangeNotSatisfiable(length=int(length)):
            response.headers["Content-Range"] = f"bytes */{length}"
        case TooManyRequests():
            response.retry_after = error.retry_after
        case _ if fault.status == 503:
            response.retry_after = RETRY_AFTER_SECONDS
    return response


def _response_of(fault: Fault) -> Response:
    message = localized(fault.text)
    if is_for_programs():
        return _problem(fault, message)
    if request.path.endswith(".svg"):
        return Response(ERROR_SVG.format(message=message), mimetype="image/svg+xml")
    if request.path.endswith(".png"):
        headers = {"X-Error": str(fault).encode("ascii", "backslashreplace").decode()}
        return Response(png.ERROR_PICTURE, mimetype="image/png", headers=headers)
    return make_response(render_template("pages/error.html", fault=fault, message=as_sentence(message)))


def _problem(fault: Fault, message: str) -> Response:
    """Return a fault as JSON; with the members of a problem, too, if the client accepts this type by name."""
    error = {**fault.body, "message": message}
    if PROBLEM not in request.headers.get("Accept", ""):
        return jsonify(error=error)
    title = HTTPStatus(fault.status).phrase
    problem = {"type": f"/api#{fault.code}", "title": title, "status": fault.status, "detail": message}
    response = jsonify(error=error, **problem)
    response.mimetype = PROBLEM
    return response


def fault_of(error: BaseException) -> Fault:
    """Return the fault to report for `error`; an unexpected error is logged and reported without details."""
    match error:
        case Fault():
            return error
        case PuzzleError():
            status = 404 if error.code == "unknown_puzzle" else 400
            return Fault(status, error.code, error.text.template, **error.text.values)
        case Busy():
            return Fault(503, error.code, str(error))
        case HTTPException(code=int(status)) if status < 500:
            return _fault_of_request(status, error)
    log.error("a request failed", exc_info=error)
    return INTERNAL


def _fault_of_request(status: int, error: HTTPException) -> Fault:
    """Return the fault to report for `error`, which has an HTTP status below 500."""
    code, text = REQUEST_ERRORS.get(status, OTHER_REQUEST_ERROR)
    values = {
        "path": quoted(request.path),
        "address": quoted(request.full_path.removesuffix("?")),
        "method": quoted(request.method),
        "range": quoted(request.headers.get("Range", "")),
        "length": request.content_length,
        "bytes": request.max_content_length,
        "rate": error.description,
    }
    return Fault(status, code, text.template, **values)
