"""Which language a page speaks: `?lang=`, then the cookie, then what the browser prefers."""

from typing import Protocol, cast

from flask import Flask, Response, request
from flask_babel import Babel, get_locale, gettext

from hoppers.core.errors import Sentence
from hoppers.core.model import Words
from hoppers.web.http.security import is_static

LANGUAGES = ("en", "ja")
COOKIE = "lang"
COOKIE_SECONDS = 365 * 24 * 3600


class Said(Protocol):
    """An error in words."""

    sentence: Sentence


def speak(app: Flask) -> None:
    """Choose a language for every request, and remember a choice made by the player."""
    Babel(app, locale_selector=choose)
    app.after_request(remember)


def choose() -> str:
    """The language of this request."""
    for wish in (request.args.get("lang"), request.cookies.get(COOKIE)):
        if wish in LANGUAGES:
            return wish
    return request.accept_languages.best_match(LANGUAGES) or LANGUAGES[0]


def remember(response: Response) -> Response:
    """Keep a choice in the cookie, and tell caches what the language depends on."""
    if not is_static():
        response.vary.update(["Accept-Language", "Cookie"])
    wish = request.args.get("lang")
    if wish in LANGUAGES and wish != request.cookies.get(COOKIE) and response.mimetype == "text/html":
        response.set_cookie(COOKIE, wish, max_age=COOKIE_SECONDS, samesite="Lax", httponly=True)
    return response


def in_page_language(sentence: Sentence) -> str:
    """What is wrong, in the language of this request; a part that is words is said in it, too."""
    template = str(gettext(sentence.template))
    parts = {
        name: in_words(value) if isinstance(value, Words) else value
        for name, value in sentence.values.items()
    }
    return template.format(**parts) if parts else template


def told(error: Said) -> str:
    """What is wrong, for people."""
    return in_page_language(error.sentence)


def in_words(words: Words) -> str:
    """The text in the language of this request."""
    return cast(str, getattr(words, str(get_locale().language)))
