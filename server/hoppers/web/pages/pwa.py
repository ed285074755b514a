"""What makes the pages an application that installs and opens offline: a manifest and a service worker."""

from pathlib import Path

from flask import Blueprint, Response, jsonify, render_template, url_for
from flask_babel import gettext

from hoppers.web import current
from hoppers.web.http import assets

install = Blueprint("install", __name__)

ICONS = ((192, "any"), (512, "any"), (512, "maskable"))


@install.get("/manifest.webmanifest")
def manifest() -> Response:
    """How the application is called and looks once it is installed."""
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


@install.get("/sw.js")
def worker() -> Response:
    """The service worker; it must be served from the root to serve all pages."""
    folder = assets.folder()
    goals = {puzzle.id: puzzle.goal for puzzle in current.puzzles()}
    text = render_template("sw.js", version=assets.version(folder).digest, files=_files(folder), goals=goals)
    response = Response(text, mimetype="text/javascript")
    response.headers["Cache-Control"] = "no-cache"
    return response


def _files(folder: Path) -> list[str]:
    """The addresses of what pages are made of."""
    found = [path for path in folder.rglob("*") if path.suffix in {".css", ".js", ".svg"}]
    names = sorted(path.relative_to(folder).as_posix() for path in found)
    return [url_for("static", filename=name) for name in names]
