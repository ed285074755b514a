"""Static files of the pages, under URLs that contain a digest of all files, and the service worker.

Browsers cache the files for ever, because a changed file has another URL. Styles and scripts needed for the
first paint are inlined into the page. A service worker makes the site open offline.
"""

import hashlib
import re
from base64 import b64encode
from functools import cache
from pathlib import Path

from flask import (
    Blueprint,
    Response,
    current_app,
    g,
    render_template,
    request,
    send_from_directory,
    url_for,
)
from markupsafe import Markup

from hoppers.analysis.card_data import load_cards
from hoppers.drawing.stand_alone import paper, without_comments
from hoppers.web.current import puzzles
from hoppers.web.http import responses
from hoppers.web.own_tables import streamed_puzzles

blueprint = Blueprint("assets", __name__)

POLICY = "Content-Security-Policy"


@cache
def files(folder: Path) -> dict[str, bytes]:
    """Return the contents of all files of `folder` by name, as they are at the first call for it."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


@cache
def version(folder: Path) -> str:
    """Return a digest of the `files` of `folder`."""
    found = hashlib.sha256()
    for name, content in files(folder).items():
        found.update(name.encode() + b"\0" + content)
    return found.hexdigest()[:12]


def static_folder() -> Path:
    """Return the folder of the static files of the current application."""
    return Path(str(current_app.static_folder))


blueprint.app_template_global("paper")(paper)


@blueprint.get("/static/<path:name>")
def unversioned_file(name: str) -> Response:
    """Return a static file requested without a version or with another one; 404 if there is none.

    Browsers revalidate it.
    """
    return send_from_directory(static_folder(), re.sub(r"^[0-9a-f]{12}/", "", name))


@blueprint.app_template_global("module_script")
def module_script(script: str) -> Markup:
    """Return an element that loads the module `script`; at the end of a page it delays no paint."""
    return Markup('<script type="module" src="{}"></script>').format(url_for("static", filename=script))


def is_static() -> bool:
    """Return whether the current request is for a static file, which takes hardly any time."""
    return request.endpoint in {"static", "assets.unversioned_file"}


@blueprint.app_template_global("inline_style")
def inline_style(*names: str, more: str = "") -> Markup:
    """Return a style element with the style sheets `names` and the rules `more`.

    The first paint of the page waits for no request of these styles, because they are inline.
    """
    sheets = [without_comments(static_folder() / name) for name in names]
    return _inline_element("style", "".join([*sheets, more]))


@blueprint.app_template_global("inline_script")
def inline_script(name: str) -> Markup:
    """Return a script element with the text of the file `name`; in the head, it precedes the first paint."""
    return _inline_element("script", (static_folder() / name).read_text(encoding="utf-8"))


def _inline_element(tag: str, text: str) -> Markup:
    digest = b64encode(hashlib.sha256(text.encode()).digest()).decode()
    g.setdefault("inline_hashes", {}).setdefault(f"{tag}-src 'self'", {})[f"'sha256-{digest}'"] = None
    return Markup(f"<{tag}>{text}</{tag}>")


@blueprint.after_app_request
def allow_inline_elements(response: Response) -> Response:
    """Allow the page's inline elements by their hashes in the content security policy; return the response.

    The policy blocks all other inline elements.
    """
    if hashes_by_source := g.pop("inline_hashes", None):
        policy = response.headers.get(POLICY, responses.HEADERS[POLICY])
        allowed = (" ".join([source, *hashes]) for source, hashes in hashes_by_source.items())
        response.headers[POLICY] = "; ".join([policy, *allowed])
    return response


@blueprint.get("/sw.js")
def service_worker() -> Response:
    """Return the service worker, from the root of the site, which makes the whole site its scope."""
    folder = static_folder()
    goals = {puzzle.id: puzzle.goal for puzzle in puzzles()}
    digest = version(folder)
    featured = [puzzle for puzzle in puzzles() if puzzle.gallery.featured]
    games = [url_for("pages.play", puzzle_id=puzzle.id) for puzzle in featured]
    streams = [url_for("stream.show", puzzle_id=puzzle.id) for puzzle in streamed_puzzles()]
    decks = [url_for("cards.show_deck", deck_id=deck) for deck in load_cards().decks]
    boards = [*games, url_for("stream.show_first"), *streams, *decks]
    text = render_template("sw.js", version=digest, files=_file_urls(folder), boards=boards, goals=goals)
    response = Response(text, mimetype="text/javascript")
    response.headers["Cache-Control"] = "no-cache"
    return response


def _file_urls(folder: Path) -> list[str]:
    """Return the URLs of all styles, scripts and pictures of our own pages."""
    found = [path for path in folder.rglob("*") if path.suffix in {".css", ".js", ".svg"}]
    found = [path for path in found if path.parent.name != "embed"]
    names = sorted(path.relative_to(folder).as_posix() for path in found)
    return [url_for("static", filename=name) for name in names]
