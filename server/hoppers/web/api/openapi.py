"""The OpenAPI document of the API, made from the routes, their docstrings, and the types of `operations`."""

import inspect
import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any
from urllib.parse import quote

import msgspec
from flask import current_app

from hoppers.analysis.card_data import load_cards
from hoppers.runtime import __version__
from hoppers.web.api import answers
from hoppers.web.api.operations import JSON, Operation
from hoppers.web.api.summaries import SUMMARIES
from hoppers.web.current import puzzles
from hoppers.web.http.i18n import languages

Schema = dict[str, Any]

PLACES = {
    "puzzle_id": "The id of a puzzle",
    "position": "A position: one character per hole in reading order",
    "name": "A kind of random positions",
    "deck_id": "The id of a deck",
    "date": "A day, such as 2026-01-31",
}
"""Parameter in a path -> what it is."""
ARGUMENTS = {
    "deal": "A kind of random positions, one of which is the start",
    "find": "`all`: count all shortest solutions",
    "first_move": "Two holes, such as `0,6`, which count as the first move",
    "fresh": "Search from nothing: use no table and no answer that is kept",
    "goal": "The goal; by default the puzzle's own",
    "holes": "Numbers of holes joined by commas, such as `0,2,5`, whose own bound is asked for",
    "lang": "The language of texts, such as `en` or `ja`; by default English",
    "limit": "The number of solutions; in a trace, the limit that is watched",
    "line": "Moves: holes joined by `-`, moves by `.`, such as `2-0-6.9-3`",
    "method": "A method of the puzzle",
    "moves": "The number of moves that the position needs; only with a complete table",
    "offset": "The number of solutions before the first of the page",
    "page": "The number of a page, from 0 on",
    "position": "The position in which the line ends; without a line the one where it begins",
    "seed": "Equal seeds give equal positions",
    "start": "The position in which the line begins, or that the results are about",
    "unique": "One solution of each kind up to symmetry",
    "verdicts": "False: only the verdicts that the rules prove at once",
}
"""Name in a query string -> what it is."""
TAGS = {
    "positions": "Verdicts, hints, solutions and searches",
    "puzzles": "The puzzles, and lines of play",
    "decks": "Decks of cards",
    "daily": "The cards of the days",
    "api": "What there is",
}
"""Part of a path -> what the operations below it are about; the first that a path has is its tag."""
ABOUT = """Positions of peg solitaire, sliding tiles and Flip It, with proved answers.

A search sends lines of JSON (application/x-ndjson), one event a line; generated clients may skip it."""


def operations() -> dict[str, Operation]:
    """Return the operations of the current application by their paths, such as `/api/puzzles/<puzzle_id>`.

    Raise a TypeError if a view of the API is none.
    """
    found = {}
    for rule in sorted(current_app.url_map.iter_rules(), key=lambda rule: rule.rule):
        if not re.match("/api(/|$)", rule.rule):
            continue
        view: object = current_app.view_functions[rule.endpoint]
        if not isinstance(view, Operation):
            raise TypeError(f"the view of {rule.rule} is no operation")
        found[rule.rule] = view
    return found


def document() -> Schema:
    """Return the OpenAPI 3.1 document of the current application."""
    every = operations()
    kinds = dict.fromkeys([answers.ErrorAnswer, *chain.from_iterable(each.types for each in every.values())])
    schemas, components = msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")
    schema_of = dict(zip(kinds, schemas, strict=True))
    for event in chain.from_iterable(each.types for each in every.values() if each.media != JSON):
        components[event.__name__] = _named(event.__name__.lower(), components[event.__name__])
    error = {"description": "An error", "content": {JSON: {"schema": schema_of[answers.ErrorAnswer]}}}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Hoppers",
            "version": __version__,
            "description": ABOUT,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "externalDocs": {"url": "/data", "description": "All results, as files"},
        "servers": [{"url": "/"}],
        "tags": [{"name": name, "description": about} for name, about in TAGS.items()],
        "paths": {
            re.sub("<([^>]*)>", r"{\1}", path): {"get": _operation(path, each, schema_of)}
            for path, each in every.items()
        },
        "components": {"schemas": components, "responses": {"Error": error}},
    }


def _named(name: str, event: Schema) -> Schema:
    """Return the schema of an event on a line, which has its name as the field `event`."""
    properties = {"event": {"const": name}, **event["properties"]}
    return {**event, "properties": properties, "required": ["event", *event["required"]]}


def _operation(path: str, each: Operation, schema_of: Mapping[Any, Schema]) -> Schema:
    schemas = [schema_of[kind] for kind in each.types]
    events = {"oneOf": schemas, "discriminator": {"propertyName": "event"}}
    answer, about = (schemas[0], "The answer") if each.media == JSON else (events, "Such an object a line")
    return {
        "operationId": each.view.__name__,
        "tags": [next(tag for tag in TAGS if f"/{tag}/" in f"{path}/")],
        "summary": SUMMARIES[path].sentence.template,
        "description": inspect.getdoc(each),
        "parameters": [*map(_place, re.findall("<([^>]*)>", path)), *_arguments(each.query)],
        "responses": {
            "200": {"description": about, "content": {each.media: {"schema": answer}}},
            "default": {"$ref": "#/components/responses/Error"},
        },
    }


def example_of(path: str) -> str:
    """Return an address about the first puzzle as an example of a path, such as `PUZZLE`."""
    query = "&".join(f"{name}={quote(_example(name)['example'])}" for name in SUMMARIES[path].asked)
    address = re.sub("<([^>]*)>", lambda name: _example(name[1])["example"], path)
    return f"{address}?{query}" if query else address


def _place(name: str) -> Schema:
    """Return a parameter of a path, with an example if it is about the first puzzle."""
    place = {"name": name, "in": "path", "required": True, "description": PLACES[name]}
    return {**place, "schema": {"type": "string", "minLength": 1, **_more(name)}, **_example(name)}


def _more(name: str) -> Schema:
    """Return what the schema of a text says besides its type: the values that it may have, or their form."""
    every = puzzles()
    values = {
        "puzzle_id": [puzzle.id for puzzle in every],
        "deck_id": list(load_cards().decks),
        "name": dict.fromkeys(kind for puzzle in every for kind in puzzle.gallery.random_kinds),
        "method": dict.fromkeys(method for puzzle in every for method in puzzle.solving.methods),
        "lang": languages(),
    }
    forms = {
        "date": {"format": "date"},
        "first_move": {"pattern": r"^\d+,\d+$"},
        "holes": {"pattern": r"^\d+(,\d+)*$"},
        "line": {"pattern": r"^(\d+(-\d+)+(\.\d+(-\d+)+)*)?$"},
    }
    return {"enum": [*values[name]]} if name in values else forms.get(name, {})


def _example(name: str) -> Schema:
    """Return an example of a parameter, about the first puzzle, if it needs one."""
    first = puzzles()[0]
    examples = {
        "puzzle_id": first.id,
        "position": first.start,
        "start": first.start,
        "goal": first.goal,
        "name": next(iter(first.gallery.random_kinds)),
        "deal": next(iter(first.gallery.random_kinds)),
        "deck_id": next(iter(load_cards().decks)),
        "date": "2026-01-31",
        "line": "0-6.9-3",
        "first_move": "0,6",
        "holes": "0,2",
        "moves": "5",
        "seed": "7",
    }
    return {"example": examples[name]} if name in examples else {}


def _arguments(query: type[msgspec.Struct]) -> Iterator[Schema]:
    """Yield the parameters that a query string may have."""
    whole = msgspec.json.schema_components([query])[1][query.__name__]
    for name, schema in whole["properties"].items():
        found = _without_null(schema)
        if found.get("type") == "string" and "enum" not in found:
            found |= _more(name)
        yield {"name": name, "in": "query", "description": ARGUMENTS[name], "schema": found, **_example(name)}


def _without_null(schema: Schema) -> Schema:
    """Return the schema of an optional text or number, which a query string has or leaves out."""
    kind, *_ = schema.get("anyOf", [schema])  # the other is null
    kept = {key: value for key, value in schema.items() if key not in ("anyOf", "default")}
    default = schema.get("default")
    return {**kept, **kind} if default is None else {**kept, **kind, "default": default}
