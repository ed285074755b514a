"""The manifest of the installable app: its name, colours, icons and shortcuts."""

from flask import Blueprint, Response, jsonify, url_for
from flask_babel import gettext

from hoppers.web.http.i18n import current_language
from hoppers.web.pages.puzzle_lists import all_decks

blueprint = Blueprint("manifest", __name__)

PAPER = "#e4e1d9"


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
        background_color=PAPER,
        theme_color=PAPER,
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
    )
    response.mimetype = "application/manifest+json"
    return response
