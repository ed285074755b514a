"""Languages: the language of a request, texts in that language, and the texts that the scripts show.

The language is the `lang` argument, else the cookie, else the Accept-Language header. Answers that depend on
the cookie or the header say so in Vary.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import cast

from flask import Flask, Response, g, request
from flask_babel import Babel, get_locale, gettext

from hoppers.core.errors import filled
from hoppers.core.model import Words

LANGUAGES = ("en", "ja")
COOKIE = "lang"
CatalogueEntry = str | dict[str, str]  # a text with {placeholders}, or its plural forms


def init_app(app: Flask) -> None:
    """Make `app` select a language for every request, and store the `lang` argument in a cookie."""
    Babel(app, locale_selector=select_language)
    app.after_request(store_language)


def select_language() -> str:
    """Return the best language for the current request; by default the first of `LANGUAGES`."""
    if (asked := request.args.get("lang")) in LANGUAGES:
        return asked
    g.depends_on_headers = True
    if (stored := request.cookies.get(COOKIE)) in LANGUAGES:
        return stored
    return request.accept_languages.best_match(LANGUAGES) or LANGUAGES[0]


def store_language(response: Response) -> Response:
    """Store the `lang` argument of a page in a cookie; return the response.

    If the language was read from headers, add them to Vary.
    """
    if g.pop("depends_on_headers", False):
        response.vary.update(["Accept-Language", "Cookie"])
    language = request.args.get("lang")
    if language in LANGUAGES and language != request.cookies.get(COOKIE) and response.mimetype == "text/html":
        response.set_cookie(COOKIE, language, max_age=365 * 24 * 3600, samesite="Lax", httponly=True)
    return response


def localized_sentence(template: str, values: Mapping[str, object]) -> str:
    """Return a sentence (see `filled`) in the language of the request.

    `template`: the sentence in English. Values of type `Words` appear in the language of the request, too.
    """
    words = {name: localized(value) for name, value in values.items() if isinstance(value, Words)}
    return filled(str(gettext(template)), {**values, **words})


def current_language() -> str:
    """Return the language that `select_language` has chosen for the current request, such as `en`."""
    return str(get_locale().language)


def localized(words: Words) -> str:
    """Return `words` in the language of the request."""
    return cast(str, getattr(words, current_language()))


@cache
def catalogue(language: str) -> dict[str, CatalogueEntry]:
    """Return all texts that the scripts show, by key, in `language`. All languages have equal keys."""
    file = Path(__file__).parents[1] / "catalogue" / f"{language}.json"
    text = file.read_text(encoding="utf-8")
    texts: dict[str, CatalogueEntry] = json.loads(text)
    return texts


def game_words(other_kinds: set[str]) -> dict[str, CatalogueEntry]:
    """Return the texts of the game page, without those about the piece kinds in `other_kinds`."""
    # every text is part of the page, so unused texts would delay the first paint
    of_studies = ("race.", "lesson.", "trace.", "published.", "plot.", "export.")
    of_other_pages = (*of_studies, "review.", "again.", "today.", "deck.", "stream.", "embed.")
    return {
        key: text
        for key, text in catalogue(current_language()).items()
        if not key.startswith(of_other_pages) and key.rpartition(".")[2].partition("-")[0] not in other_kinds
    }


def words_with_prefix(*prefixes: str) -> dict[str, CatalogueEntry]:
    """Return the texts in the language of the request whose keys begin with one of `prefixes`."""
    return {key: text for key, text in catalogue(current_language()).items() if key.startswith(prefixes)}
