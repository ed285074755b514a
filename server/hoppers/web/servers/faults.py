"""Errors as clients receive them."""

import json
from http import HTTPStatus
from typing import Any
from wsgiref.types import StartResponse

from hoppers.core.texts import Text

RETRY_AFTER_SECONDS = 2  # Retry-After header of answers from a server that is busy or starts up


class Fault(Exception):
    """An error as clients receive it: HTTP status, code and sentence. Its message is the English sentence."""

    allowed: tuple[str, ...] = ()
    """The methods that the address takes, if another one was sent (status 405)."""

    def __init__(self, status: int, code: str, template: str, /, **values: object) -> None:
        """`template`, `values`: see `Text`."""
        self.status, self.code, self.text = status, code, Text(template, values)
        super().__init__(str(self.text))

    @classmethod
    def of_method(cls, *allowed: str) -> "Fault":
        """Return the error of a request with another method than those that its address takes."""
        fault = cls(405, "method_not_allowed", "This address takes {methods}.", methods=" and ".join(allowed))
        fault.allowed = allowed
        return fault

    @property
    def body(self) -> dict[str, Any]:
        """The `error` object of a JSON answer, with the English sentence."""
        return {"code": self.code, "message": str(self)}

    def respond(self, start_response: StartResponse) -> list[bytes]:
        """Answer a request without Flask, as a WSGI application, in the error format of the API.

        The headers make the server close the connection.
        """
        body = json.dumps({"error": self.body}).encode("ascii")
        headers = [
            ("Connection", "close"),
            ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(body))),
        ]
        if self.allowed:
            headers.append(("Allow", ", ".join(self.allowed)))
        if self.status == HTTPStatus.SERVICE_UNAVAILABLE:
            headers.append(("Retry-After", str(RETRY_AFTER_SECONDS)))
        start_response(f"{self.status} {HTTPStatus(self.status).phrase}", headers)
        return [body]


INTERNAL = Fault(500, "internal", "Something went wrong on the server. The error has been logged.")
"""The answer to an unexpected error, without its details. It is never raised."""
