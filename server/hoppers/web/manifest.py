"""The manifest of the installable app: its name, colours, icons, shortcuts and screenshots."""

from typing import NamedTuple

from flask import Blueprint, Response, jsonify, send_from_directory, url_for

from hoppers.drawing.stand_alone import paper
from hoppers.runtime import PACKAGE
from hoppers.web.decks import all_decks
from hoppers.web.http.i18n import ENGLISH, current_language, gettext

blueprint = Blueprint("manifest", __name__)

DAY = 86_400  # seconds
FOLDER = PACKAGE / "data" / "screenshots"


class Screenshot(NamedTuple):
    """A picture of a page that a device shows when the app is installed, in every language."""

    name: str
    form: str
    """`wide` for computers, `narrow` for phones."""
    width: int
    height: int


SCREENSHOTS = (
    Screenshot("today-wide", "wide", 1280, 800),
    Screenshot("today-narrow", "narrow", 360, 740),
    Screenshot("hint-narrow", "narrow", 360, 740),
)
"""All of them, as `python -m tools.photographs` takes them."""


@blueprint.get("/manifest.webmanifest")
def show() -> Response:
    """Return the web app manifest."""
    response = jsonify(
        id="/",
        name=gettext("Hoppers"),
        short_name=gettext("Hoppers"),
        description=gettext(
            "A peg puzzle a day, decks of cards, and boards with a solver that proves the shortest solution."
        ),
        lang=current_language(),
        start_url="/",
        scope="/",
        display="standalone",
        categories=["games", "puzzle"],
        background_color=paper("light"),
        theme_color=paper("light"),
        icons=[
            {
                "src": url_for("images.icon", size=size),
                "sizes": f"{size}x{size}",
                "type": "image/png",
                "purpose": use,
            }
            for size, use in ((192, "any"), (512, "any"), (512, "maskable"))
        ],
        shortcuts=[
            {"name": gettext("Today's card"), "url": url_for("cards.play_today")},
            {"name": gettext("Mini card"), "url": url_for("home.show", card="mini")},
            *(
                {"name": deck.title, "url": url_for("cards.show_deck", deck_id=deck.id)}
                for deck in all_decks()
            ),
        ],
        screenshots=[
            {
                "src": url_for(".show_screenshot", name=_taken(name)),
                "sizes": f"{width}x{height}",
                "type": "image/jpeg",
                "form_factor": form,
            }
            for name, form, width, height in SCREENSHOTS
        ],
    )
    response.mimetype = "application/manifest+json"
    return response


def _taken(name: str) -> str:
    """Return the name of the screenshot in the language of the request, or in English if none was taken."""
    own = f"{name}-{current_language()}"
    return own if (FOLDER / f"{own}.jpg").is_file() else f"{name}-{ENGLISH}"


@blueprint.get("/screenshots/<name>.jpg")
def show_screenshot(name: str) -> Response:
    """Return a screenshot; 404 if there is none of this name."""
    return send_from_directory(FOLDER, f"{name}.jpg", max_age=DAY)
