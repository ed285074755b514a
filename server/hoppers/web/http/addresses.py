"""Addresses of pages: one for each page, redirects from those that almost fit, and what crawlers may read."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, Flask, Response, current_app, redirect, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException
from werkzeug.urls import iri_to_uri

from hoppers.web.current import engine
from hoppers.web.http.i18n import languages

blueprint = Blueprint("addresses", __name__)

FIXED = ("/api/", "/static/", "/socket.io/")
"""Beginnings of paths that programs and pages write, not people: these are right or wrong as they stand.

Only a slash at the end of a path of the API is tolerated: many clients join addresses with one.
"""
HTML_ESCAPE = re.compile("(?:amp(?:;|%3b))+", re.IGNORECASE)
"""What is left of `&amp;` before the name of an argument if a link was copied from the source of a page."""
TRACKERS = re.compile(
    r"(?:utm_\w+|mtm_\w+|pk_\w+|[a-z]{1,6}clk?id|[gw]braid|gclsrc|mc_[ce]id|igshid?|_ga|_gl|_hs\w+)(?:=.*)?"
)
"""Arguments that other sites add to links to follow their visitors (such as `fbclid`, `gclid`, `msclkid`)."""
OF_POSITION = ("position", "line", "start", "deal", "seed")
"""Arguments with which a page shows one of endlessly many positions."""
ROBOTS = """\
# Programs that preview a link read what people share.
User-agent: Twitterbot
User-agent: facebookexternalhit
User-agent: LinkedInBot
Allow: /

# Positions are endless, and each costs a search.
User-agent: *
Disallow: /api/
Disallow: /socket.io/
Disallow: /metrics
Disallow: /puzzles/*/explore
Disallow: /puzzles/*/inside
Disallow: /puzzles/*/goals
Allow: /puzzles/*/board.png
"""


def init_app(app: Flask) -> None:
    """Make `app` redirect requests to the addresses of its pages, and mark these for crawlers."""
    app.url_map.merge_slashes = False  # its redirects would repeat the Host header
    app.before_request(redirect_to_page)
    app.context_processor(lambda: {"canonical_address": canonical_address, "is_position": is_position})
    app.register_blueprint(blueprint)


def redirect_to_page() -> ResponseReturnValue | None:
    """Return a redirect to the page that the address almost names, None if it names one or nothing like it.

    Capitals, a slash at the end, doubled slashes, `amp;` before an argument, and trackers are tolerated.
    """
    query = request.query_string.decode("latin-1")
    path, arguments = page_path(request.path), without_trackers(query)
    if path.startswith(FIXED):
        path, arguments = request.path, query
        if path.startswith("/api/"):
            path = path.removesuffix("/")
    is_right = (path, arguments) == (request.path, query)
    if is_right or request.method not in ("GET", "HEAD") or not is_page(path):
        return None
    return redirect(iri_to_uri(f"{path}?{arguments}" if arguments else path), 308)


def url_with_query(endpoint: str, place: Mapping[str, Any], query: Mapping[str, str | list[str]]) -> str:
    """Return the URL of `endpoint` with the view arguments `place` and the query string `query`.

    A list gives a name several values.
    """
    path = url_for(endpoint, **place)  # which would interpret some names in `query`, such as `_external`
    return f"{path}?{urlencode(query, doseq=True)}" if query else path


def page_path(path: str) -> str:
    """Return `path` as those of all pages are: in lower case, without empty parts."""
    return "/" + "/".join(filter(None, path.lower().split("/")))


def is_page(path: str) -> bool:
    """Return whether a view answers `path`; false if it names a puzzle that does not exist."""
    adapter = current_app.create_url_adapter(request)
    try:
        _, place = adapter.match(path, "GET") if adapter else ("", {"puzzle_id": ""})
    except HTTPException:
        return False
    return place.get("puzzle_id", "") in ("", *engine().puzzles)


def without_trackers(query: str) -> str:
    """Return a query string without `TRACKERS` and `HTML_ESCAPE`, otherwise unchanged."""
    parts = query.split("&")
    cleaned = [HTML_ESCAPE.sub("", part, count=1) if HTML_ESCAPE.match(part) else part for part in parts]
    kept = [part for part in cleaned if not TRACKERS.fullmatch(part)]
    return query if kept == parts else "&".join(filter(None, kept))


def canonical_address() -> str:
    """Return the URL under which crawlers list the current page: with no argument but a chosen language.

    The first of `languages` is that of the page without arguments.
    """
    language = request.args.get("lang")
    return request.base_url + (f"?lang={language}" if language in languages()[1:] else "")


def is_position() -> bool:
    """Return whether the current page shows one of endlessly many positions, which are not to be listed."""
    return any(name in request.args for name in OF_POSITION)


@blueprint.get("/robots.txt")
def robots() -> Response:
    """Return what crawlers may read: all pages but those of single positions, which are endless."""
    rules = (f"Disallow: /*{sign}{name}=\n" for name in OF_POSITION for sign in "?&")
    response = Response("".join([ROBOTS, *rules]), mimetype="text/plain")
    response.cache_control.public = True
    response.cache_control.max_age = 24 * 3600
    return response
