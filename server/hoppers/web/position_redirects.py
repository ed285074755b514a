"""Redirects from page addresses that write a position in another notation to the one of the program."""

from flask import Flask, redirect, request
from werkzeug.wrappers import Response

from hoppers.core.errors import PuzzleError
from hoppers.web.current import read_puzzle
from hoppers.web.http.addresses import url_with_query

PAGES = frozenset({"pages", "race", "explorer", "trace", "solution_bounds", "goals", "sheets"})
"""Blueprints of the pages that read a position from the query string."""
NAMES = ("position", "start")
"""Names of positions in query strings."""


def init_app(app: Flask) -> None:
    """Redirect requests for pages of `app` whose position is not in canonical form."""
    app.before_request(redirect_to_canonical)


def redirect_to_canonical() -> Response | None:
    """Return a redirect to the address with canonical positions, or None if there is nothing to change.

    A text that is not a position is left to the page, which quotes it.
    """
    place = request.view_args or {}
    if request.blueprint not in PAGES or "puzzle_id" not in place:
        return None
    query = {name: request.args.getlist(name) for name in request.args}
    changed = {
        name: [_canonical(place["puzzle_id"], text) for text in query[name]]
        for name in NAMES
        if name in query
    }
    if all(query[name] == texts for name, texts in changed.items()):
        return None
    return redirect(url_with_query(str(request.endpoint), place, {**query, **changed}))


def _canonical(puzzle_id: str, text: str) -> str:
    """Return a position as the program writes it; `text` itself if it is not one of the puzzle."""
    try:
        puzzle = read_puzzle(puzzle_id)
        return puzzle.format(puzzle.parse(text)) if text else text
    except PuzzleError:
        return text
