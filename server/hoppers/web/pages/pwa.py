"""The progressive web app: a manifest to install the site, and a service worker to open it offline."""

from pathlib import Path

from flask import Blueprint, Response, jsonify, render_template, url_for
from flask_babel import gettext

from hoppers.web.current import puzzles
from hoppers.web.http import assets

blueprint = Blueprint("pwa", __name__)

ICONS = ((192, "any"), (512, "any"), (512, "maskable"))


@blueprint.get("/manifest.webmanifest")
def manifest() -> Response:
    """Return the name, colours and icons of the installed application."""
    response = jsonify(
        name=gettext("Classic Puzzles"),
        short_name=gettext("Puzzles"),
        start_url="/",
        display="standalone",
        background_color="#e4e1d9",
        theme_color="#e4e1d9",
        icons=[
            {
                "src": url_for("images.icon", size=size),
                "sizes": f"{size}x{size}",
                "type": "image/png",
                "purpose": use,
            }
            for size, use in ICONS
        ],
    )
    response.mimetype = "application/manifest+json"
    return response


@blueprint.get("/sw.js")
def service_worker() -> Response:
    """Return the service worker, from the root of the site, which makes the whole site its scope."""
    folder = assets.static_folder()
    goals = {puzzle.id: puzzle.goal for puzzle in puzzles()}
    text = render_template(
        "sw.js", version=assets.version(folder).digest, files=_file_urls(folder), goals=goals
    )
    response = Response(text, mimetype="text/javascript")
    response.headers["Cache-Control"] = "no-cache"
    return response


def _file_urls(folder: Path) -> list[str]:
    """Return the URLs of all styles, scripts and pictures of the pages."""
    found = [path for path in folder.rglob("*") if path.suffix in {".css", ".js", ".svg"}]
    names = sorted(path.relative_to(folder).as_posix() for path in found)
    return [url_for("static", filename=name) for name in names]
