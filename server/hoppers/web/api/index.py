"""The index of the JSON API, and its OpenAPI document."""

from typing import Any

from flask import Blueprint, Response, current_app, jsonify

from hoppers.runtime import __version__
from hoppers.web.api import answers, openapi
from hoppers.web.api.operations import LanguageQuery, operation
from hoppers.web.api.positions import cache_publicly

blueprint = Blueprint("api_index", __name__)


@blueprint.get("/api")
@operation(answers.Index)
def show_index(query: LanguageQuery) -> Response:
    """Return the addresses of the API, each with the first sentence of its description."""
    index: answers.Index = {
        "name": "Hoppers",
        "version": __version__,
        "description": "/api/openapi.json",
        "requests": {path: openapi.summary_of(each) for path, each in openapi.operations().items()},
    }
    text = current_app.json.dumps(index, indent=2) + "\n"  # people read it in a browser, too
    return cache_publicly(current_app.response_class(text, mimetype="application/json"))


@blueprint.get("/api/openapi.json")
@operation(dict[str, Any])
def show_description(query: LanguageQuery) -> Response:
    """Return this description of the API: an OpenAPI 3.1 document."""
    return cache_publicly(jsonify(openapi.document()))
