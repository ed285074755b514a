"""Language of a request: the `lang` argument, else the cookie, else the Accept-Language header."""

from typing import Protocol, cast

from flask import Flask, Response, request
from flask_babel import Babel, get_locale, gettext

from hoppers.core.errors import Sentence
from hoppers.core.model import Words
from hoppers.web.http.security import is_static

LANGUAGES = ("en", "ja")
COOKIE = "lang"
COOKIE_SECONDS = 365 * 24 * 3600


class HasSentence(Protocol):
    """An error with a translatable sentence."""

    sentence: Sentence


def init_app(app: Flask) -> None:
    """Make `app` select a language for every request, and store the `lang` argument in a cookie."""
    Babel(app, locale_selector=select_language)
    app.after_request(store_language)


def select_language() -> str:
    """Return the language of the current request."""
    for language in (request.args.get("lang"), request.cookies.get(COOKIE)):
        if language in LANGUAGES:
            return language
    return request.accept_languages.best_match(LANGUAGES) or LANGUAGES[0]


def store_language(response: Response) -> Response:
    """Store the `lang` argument in a cookie; add the headers that select the language to Vary.

    Return the response.
    """
    if not is_static():
        response.vary.update(["Accept-Language", "Cookie"])
    language = request.args.get("lang")
    if language in LANGUAGES and language != request.cookies.get(COOKIE) and response.mimetype == "text/html":
        response.set_cookie(COOKIE, language, max_age=COOKIE_SECONDS, samesite="Lax", httponly=True)
    return response


def localized_sentence(sentence: Sentence) -> str:
    """Return `sentence` in the language of the request; values of type `Words` are localized, too."""
    template = str(gettext(sentence.template))
    parts = {
        name: localized(value) if isinstance(value, Words) else value
        for name, value in sentence.values.items()
    }
    return template.format(**parts) if parts else template


def localized_error(error: HasSentence) -> str:
    """Return the sentence of `error` in the language of the request."""
    return localized_sentence(error.sentence)


def localized(words: Words) -> str:
    """Return `words` in the language of the request."""
    return cast(str, getattr(words, str(get_locale().language)))
