"""Searches as lines of JSON: the events of the Socket.IO channel as the body of an HTTP response.

The body grows while the search runs and ends with it. A reader that goes away stops its search.
"""

import json
import re
import uuid
from collections.abc import Callable, Iterable, Iterator
from typing import Literal, NamedTuple, TypeAlias
from urllib.parse import parse_qsl
from wsgiref.types import StartResponse, WSGIEnvironment

import msgspec
from flask import Flask
from gevent.queue import Empty, Queue

from hoppers.core.errors import PuzzleError, quoted
from hoppers.core.events import FINAL, Event
from hoppers.core.model import prebuild_decoder
from hoppers.jobs.service import EmitTo, SearchService
from hoppers.jobs.sessions import Queued, SearchRequest
from hoppers.runtime.clients import ClientAddress, ClientCounts
from hoppers.web.http.schemas import ShortText, read_record
from hoppers.web.servers.clients import client_in
from hoppers.web.servers.event_loop import MESSAGES, EventLoop
from hoppers.web.servers.faults import Fault

PATH = re.compile(r"/api/puzzles/(?P<puzzle>[^/]+)/positions/(?P<position>[^/]+)/search")
SearchLine: TypeAlias = Event | Queued
"""What a line is: an event, with its name, in small letters, as the field `event`."""
FINAL_NAMES = {kind.__name__.lower() for kind in FINAL}


class LineLimits(NamedTuple):
    """Limits of searches whose events are read as lines."""

    per_client: int = 4  # as many as run side by side in a race
    waiting: int = 100  # events that wait for a slow reader, beyond which progress is dropped
    silence: float = 10.0  # seconds without an event until a blank line shows whether the reader is there


LIMITS = LineLimits()


@prebuild_decoder
class SearchQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Query string of a search. `first_move`: two holes, such as `0,6`. For the rest see `SearchMessage`."""

    goal: ShortText | None = None
    method: ShortText | None = None
    find: Literal["first", "all"] = "first"
    first_move: ShortText | None = None
    fresh: bool = False
    lang: ShortText | None = None


class Reader(NamedTuple):
    """A client that reads the events of one search. `id` takes the place of a Socket.IO connection."""

    id: str
    client: ClientAddress
    events: "Queue[tuple[str, dict[str, object]]]"


class SearchLines:
    """The searches whose events are read as lines. Requests come in the event loop."""

    def __init__(self, app: Flask, allow: Callable[[ClientAddress], bool]) -> None:
        """`app`: has the extension `loop`, and later `searches`. `allow`: see `RateLimit.allow`."""
        self._app, self._allow = app, allow
        self._loop: EventLoop = app.extensions["loop"]
        self._readers: dict[str, Reader] = {}

    def emitter(self, to_sockets: EmitTo) -> EmitTo:
        """Return a function that passes an event to its reader, or else to `to_sockets`."""

        def emit(name: str, fields: dict[str, object], to: str) -> None:
            if reader := self._readers.get(to):
                self._loop.post(_put, reader, name, fields)
            else:
                to_sockets(name, fields, to)

        return emit

    def answer(
        self, place: re.Match[str], environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[bytes]:
        """Start the search of the request at `place`, a match of `PATH`, and return its lines.

        Raise a PuzzleError if the request is not valid, Busy or a Fault (429, 503) if it cannot start now.
        """
        client = client_in(environ)
        fields = _search_fields(place, environ.get("QUERY_STRING", ""))
        reader = self._admit(client)
        try:
            self._loop.run(client, self._start, reader, fields, queue=MESSAGES)
        except BaseException:
            del self._readers[reader.id]
            raise
        headers = [
            ("Content-Type", "application/x-ndjson"),
            ("Cache-Control", "no-store"),
            ("X-Accel-Buffering", "no"),  # nginx would collect lines
        ]
        start_response("200 OK", headers)
        return self._lines(reader)

    def _admit(self, client: ClientAddress) -> Reader:
        if not self._allow(client):
            raise Fault(429, "too_many_requests", "Too many requests from {address}.", address=client)
        reading = ClientCounts(reader.client for reader in self._readers.values())
        if full := reading.full_level(client, LIMITS.per_client):
            sentence = "{address} is already reading {most} searches, its limit."
            raise Fault(503, "busy", sentence, address=full, most=reading.at(full))
        reader = Reader(f"lines-{uuid.uuid4().hex}", client, Queue())
        self._readers[reader.id] = reader
        return reader

    def _start(self, reader: Reader, fields: dict[str, object]) -> None:
        searches: SearchService = self._app.extensions["searches"]
        searches.start(SearchRequest(reader.id, reader.id, "", "", fields, str(reader.client)))

    def _lines(self, reader: Reader) -> Iterator[bytes]:
        """Yield the events of a search as they come. If the reader goes before the end, stop the search."""
        name = ""
        try:
            while name not in FINAL_NAMES:
                try:
                    name, fields = reader.events.get(timeout=LIMITS.silence)
                except Empty:
                    yield b"\n"
                    continue
                yield json.dumps({"event": name, **fields}).encode() + b"\n"
        finally:
            del self._readers[reader.id]
            if name not in FINAL_NAMES:
                self._loop.start(self._app.extensions["searches"].leave, reader.id, False)


def _put(reader: Reader, name: str, fields: dict[str, object]) -> None:
    """Queue an event for a reader; drop reports of progress that it reads too slowly."""
    if name != "progress" or reader.events.qsize() < LIMITS.waiting:
        reader.events.put_nowait((name, {key: value for key, value in fields.items() if key != "ticket"}))


def _search_fields(place: re.Match[str], query: str) -> dict[str, object]:
    """Return the arguments of `parse_search` for a request; raise a PuzzleError if one is not valid."""
    asked = read_record(dict(parse_qsl(query, keep_blank_values=True)), SearchQuery, strict=False)
    first = asked.first_move
    if first is not None and not re.fullmatch(r"\d{1,3},\d{1,3}", first):
        raise PuzzleError("{first} is not a first move; write two holes, such as 0,6", first=quoted(first))
    return {
        "puzzle_id": place["puzzle"],
        "position": place["position"],
        "goal": asked.goal,
        "method": asked.method,
        "find_all": asked.find == "all",
        "first_move": first and tuple(map(int, first.split(","))),
        "fresh": asked.fresh,
    }
