"""The files of the pages: under addresses that change with them, so that no browser asks for one twice.

What nothing could be painted without is inside the page itself.
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

assets = Blueprint("assets", __name__)

POLICY = "Content-Security-Policy"
VERSION = re.compile(r"^[0-9a-f]{12}/")
COMMENT = re.compile(r"/\*.*?\*/\s*", re.DOTALL)
FOREVER = "public, max-age=31536000, immutable"
NEEDLESS = ("ETag", "Last-Modified", "Content-Disposition", "Accept-Ranges")
"""Headers of what is never asked for again: a tenth of what some fifty small files weigh."""


class Version(NamedTuple):
    """The files of a folder as they were when the server started, which it goes on calling them by."""

    digest: str
    newest: float
    """When the last of them was written, in seconds of the file system."""


@cache
def version(folder: Path) -> Version:
    """What changes with any file of the folder; worked out once, for the files are those of this server."""
    found, newest = hashlib.sha256(), 0.0
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        found.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
        newest = max(newest, path.stat().st_mtime)
    return Version(found.hexdigest()[:12], newest)


def address(folder: Path) -> str:
    """Where the files of a folder are served."""
    return f"/static/{version(folder).digest}"


def folder() -> Path:
    """Where the files are."""
    return Path(str(current_app.static_folder))


@assets.get("/static/<path:name>")
def plain(name: str) -> Response:
    """A file by its name alone, or as a page of another version calls it: to be asked for again each time."""
    return send_from_directory(folder(), VERSION.sub("", name, count=1))


@assets.app_template_global("module_script")
def module_script(script: str) -> Markup:
    """A script and links to the modules it imports, for the end of a page: no paint waits for them."""
    *needed, own = [url_for("static", filename=name) for name in modules_of(folder(), script)]
    links = "".join(f'<link rel="modulepreload" href="{address}" fetchpriority="low">' for address in needed)
    return Markup(f'{links}<script type="module" src="{own}"></script>')


@assets.app_template_global("inline_style")
def inline_style(*names: str, more: str = "") -> Markup:
    """Style sheets inside the page, which is painted without waiting for them."""
    return _inside("style", "".join(_brief(folder() / name) for name in names) + more)


@assets.app_template_global("inline_script")
def inline_script(name: str) -> Markup:
    """A small script that has to run before the paint."""
    return _inside("script", (folder() / name).read_text(encoding="utf-8"))


@cache
def _brief(path: Path) -> str:
    return COMMENT.sub("", path.read_text(encoding="utf-8"))


def _inside(tag: str, text: str) -> Markup:
    found = b64encode(hashlib.sha256(text.encode()).digest()).decode()
    g.setdefault("inside", {}).setdefault(f"{tag}-src 'self'", []).append(f"'sha256-{found}'")
    return Markup(f"<{tag}>{text}</{tag}>")


@assets.after_app_request
def permit(response: Response) -> Response:
    """Let the browser heed what we put inside the page, by its digest; what else gets there stays dead."""
    if found := g.pop("inside", None):
        policy = response.headers.get(POLICY, security.HEADERS[POLICY])
        allowed = (" ".join([source, *hashes]) for source, hashes in found.items())
        response.headers[POLICY] = "; ".join([policy, *allowed])
    return response


@assets.after_app_request
def keep_forever(response: Response) -> Response:
    """What has its version in its address never changes there; what was written since has another version."""
    at, found = response.last_modified, response.status_code in (200, 304)
    is_ours = at is None or at.timestamp() <= version(folder()).newest
    if request.endpoint == "static" and found and is_ours:
        response.headers["Cache-Control"] = FOREVER
        for header in NEEDLESS:
            response.headers.remove(header)
    return response
