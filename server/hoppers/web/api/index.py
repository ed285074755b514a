"""The index of the JSON API, which browsers get as a page, and its OpenAPI document."""

from typing import Any

from flask import Blueprint, Response, current_app, jsonify, make_response, render_template, request

from hoppers.runtime import __version__
from hoppers.web.api import answers, openapi
from hoppers.web.api.operations import LanguageQuery, operation
from hoppers.web.api.summaries import SUMMARIES
from hoppers.web.current import puzzles
from hoppers.web.http.i18n import localized
from hoppers.web.http.responses import cache_publicly

blueprint = Blueprint("api_index", __name__)


@blueprint.get("/api")
@operation(answers.Index)
def show_index(query: LanguageQuery) -> Response:
    """Return the addresses of the API, each with a sentence; a browser gets them as a page."""
    response = _page() if _is_for_people() else _index()
    response.vary.add("Accept")
    return response


def _is_for_people() -> bool:
    """Return whether the client prefers a page to JSON, as browsers do; `*/*` is a program."""
    return request.accept_mimetypes.best_match(["application/json", "text/html"]) == "text/html"


def _page() -> Response:
    """Return the page: all addresses with examples, and the other ways to use the program."""
    examples = [
        (path, localized(summary.sentence), openapi.example_of(path)) for path, summary in SUMMARIES.items()
    ]
    return make_response(render_template("pages/api.html", examples=examples, puzzle=puzzles()[0]))


def _index() -> Response:
    index: answers.Index = {
        "name": "Hoppers",
        "version": __version__,
        "description": "/api/openapi.json",
        "requests": {path: summary.sentence.template for path, summary in SUMMARIES.items()},
    }
    text = current_app.json.dumps(index, indent=2) + "\n"  # people read it in a browser, too
    return cache_publicly(current_app.response_class(text, mimetype="application/json"))


@blueprint.get("/api/openapi.json")
@operation(dict[str, Any])
def show_description(query: LanguageQuery) -> Response:
    """Return this description of the API: an OpenAPI 3.1 document."""
    return cache_publicly(jsonify(openapi.document()))
