"""Response headers, and the size of what is read at all."""

from flask import Flask, Response, abort, current_app, request

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
}


def protect(app: Flask) -> None:
    """Send the headers with every answer, and refuse requests that are too long before all else."""
    app.before_request(refuse_long_requests)
    app.after_request(add_headers)


def refuse_long_requests() -> None:
    """Abort with 414 for a long address, with 413 for a long body, read or not."""
    if len(request.url) > current_app.config["MAX_URL_LENGTH"]:
        abort(414)
    if (request.content_length or 0) > current_app.config["MAX_CONTENT_LENGTH"]:
        abort(413)


def add_headers(response: Response) -> Response:
    """Add what the answer has not set itself."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    return response


def is_static() -> bool:
    """Whether the request is for a file, which costs next to nothing."""
    return request.endpoint == "static"
