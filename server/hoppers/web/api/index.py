"""The index of the JSON API: every address with what it answers."""

import inspect

from flask import Blueprint, Response, current_app, jsonify

from hoppers.runtime.version import __version__
from hoppers.web.api.positions import cache_publicly

blueprint = Blueprint("api_index", __name__)


@blueprint.get("/api")
def show_index() -> Response:
    """Return the addresses of the API, each with the first sentence of its description."""
    rules = [
        rule
        for rule in current_app.url_map.iter_rules()
        if rule.rule.startswith("/api") and "GET" in (rule.methods or ())
    ]
    requests = {
        rule.rule: (inspect.getdoc(current_app.view_functions[rule.endpoint]) or "").split("\n\n")[0]
        for rule in sorted(rules, key=lambda rule: rule.rule)
    }
    return cache_publicly(jsonify(name="Hoppers", version=__version__, requests=requests))
