"""Operations: views of the API that say which query string they take and what their answers are.

The document of the API (`api.openapi`) is made from them, and their query strings are read by the same types.
"""

from collections.abc import Callable
from functools import update_wrapper
from typing import Any, TypeVar, get_args

import msgspec
from flask import Response, request

from hoppers.core.model import prebuild_decoder
from hoppers.web.http.schemas import read_record

JSON = "application/json"


@prebuild_decoder
class LanguageQuery(msgspec.Struct):
    """Query string of a request whose answer has texts. Other names mean nothing and are ignored."""

    lang: str | None = None


@prebuild_decoder
class PositionQuery(msgspec.Struct, forbid_unknown_fields=True):
    """Query string of a request about a position."""

    goal: str | None = None
    lang: str | None = None


Query = TypeVar("Query", bound=msgspec.Struct)


def read_query(schema: type[Query]) -> Query:
    """Parse the query string of the current request; raise a PuzzleError if a name or value is not valid."""
    return read_record(request.args.to_dict(), schema, strict=False)


class Operation:
    """A view of the API. Its last argument is the query string, as a record."""

    def __init__(
        self, view: Callable[..., Response], answer: Any, query: type[msgspec.Struct], media: str
    ) -> None:
        """`answer`: type of the JSON answer; for another `media` type a union of the events on its lines."""
        self.view, self.query, self.media = view, query, media
        self.types: list[Any] = [answer] if media == JSON else list(get_args(answer))
        for each in self.types:
            msgspec.json.Decoder(each)  # now, while there is one thread: see `prebuild_decoder`
        update_wrapper(self, view)  # Flask takes its name, the document its docstring

    def __call__(self, **place: str) -> Response:
        """Answer the current request, whose address has the view arguments `place`."""
        return self.view(**place, query=read_query(self.query))


def operation(
    answer: Any, query: type[msgspec.Struct] = LanguageQuery, media: str = JSON
) -> Callable[[Callable[..., Response]], Operation]:
    """Return a decorator that makes an operation of a view; for the arguments see `Operation`."""
    return lambda view: Operation(view, answer, query, media)
