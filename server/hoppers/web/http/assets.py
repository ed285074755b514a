"""Static files of the pages, under URLs that contain a digest of all files.

Browsers cache them for ever, because a changed file has another URL. Styles and scripts needed for the first
paint are inlined into the page.
"""

import hashlib
import re
from base64 import b64encode
from functools import cache
from pathlib import Path
from typing import NamedTuple

from flask import Blueprint, Response, current_app, g, request, send_from_directory, url_for
from markupsafe import Markup

from hoppers.web.http import security
from hoppers.web.http.module_preload import modules_of

blueprint = Blueprint("assets", __name__)

POLICY = "Content-Security-Policy"
VERSION_PREFIX = re.compile(r"^[0-9a-f]{12}/")
COMMENT = re.compile(r"/\*.*?\*/\s*", re.DOTALL)
IMMUTABLE = "public, max-age=31536000, immutable"
UNUSED_HEADERS = ("ETag", "Last-Modified", "Content-Disposition", "Accept-Ranges")
"""Headers without use on immutable files; they are a tenth of the bytes of some fifty small files."""


class StaticVersion(NamedTuple):
    """Version of the files of a folder when the server started."""

    digest: str
    newest: float
    """Modification time of the newest file, in seconds since the epoch."""


@cache
def version(folder: Path) -> StaticVersion:
    """Return the version of the files of `folder`, computed once per process."""
    found, newest = hashlib.sha256(), 0.0
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        found.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
        newest = max(newest, path.stat().st_mtime)
    return StaticVersion(found.hexdigest()[:12], newest)


def static_url_path(folder: Path) -> str:
    """Return the URL prefix under which the files of `folder` are served."""
    return f"/static/{version(folder).digest}"


def static_folder() -> Path:
    """Return the folder of the static files of the current application."""
    return Path(str(current_app.static_folder))


@blueprint.get("/static/<path:name>")
def unversioned_file(name: str) -> Response:
    """Return a file requested without a version, or with another server's version; browsers revalidate it."""
    return send_from_directory(static_folder(), VERSION_PREFIX.sub("", name, count=1))


@blueprint.app_template_global("module_script")
def module_script(script: str) -> Markup:
    """Return a script element and preload links to its imports.

    The elements belong at the end of a page, where they delay no paint.
    """
    *needed, own = [url_for("static", filename=name) for name in modules_of(static_folder(), script)]
    links = "".join(f'<link rel="modulepreload" href="{url}" fetchpriority="low">' for url in needed)
    return Markup(f'{links}<script type="module" src="{own}"></script>')


@blueprint.app_template_global("inline_style")
def inline_style(*names: str, more: str = "") -> Markup:
    """Return a style element with the style sheets `names` and the rules `more`.

    With it the first paint of the page waits for no request.
    """
    return _inline_element(
        "style", "".join(_without_comments(static_folder() / name) for name in names) + more
    )


@blueprint.app_template_global("inline_script")
def inline_script(name: str) -> Markup:
    """Return a script element with a small script that must run before the first paint."""
    return _inline_element("script", (static_folder() / name).read_text(encoding="utf-8"))


@cache
def _without_comments(path: Path) -> str:
    return COMMENT.sub("", path.read_text(encoding="utf-8"))


def _inline_element(tag: str, text: str) -> Markup:
    digest = b64encode(hashlib.sha256(text.encode()).digest()).decode()
    g.setdefault("inline_hashes", {}).setdefault(f"{tag}-src 'self'", []).append(f"'sha256-{digest}'")
    return Markup(f"<{tag}>{text}</{tag}>")


@blueprint.after_app_request
def allow_inline_elements(response: Response) -> Response:
    """Allow the page's inline elements by their hashes in the content security policy; block all others."""
    if hashes_by_source := g.pop("inline_hashes", None):
        policy = response.headers.get(POLICY, security.HEADERS[POLICY])
        allowed = (" ".join([source, *hashes]) for source, hashes in hashes_by_source.items())
        response.headers[POLICY] = "; ".join([policy, *allowed])
    return response


@blueprint.after_app_request
def cache_versioned_files(response: Response) -> Response:
    """Mark files with a version in their URL as immutable, unless they were written after the start.

    Return the response.
    """
    written, is_found = response.last_modified, response.status_code in (200, 304)
    is_of_version = written is None or written.timestamp() <= version(static_folder()).newest
    if request.endpoint == "static" and is_found and is_of_version:
        response.headers["Cache-Control"] = IMMUTABLE
        for header in UNUSED_HEADERS:
            response.headers.remove(header)
    return response
