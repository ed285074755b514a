"""Languages: the language of a request, texts in that language, and the texts that the scripts show.

The language is the `lang` argument. Without it, an answer for programs is in English; a page takes the
language of the cookie, else of the Accept-Language header, and says so in Vary.
"""

import datetime
import json
import re
from collections.abc import Sequence
from functools import cache
from gettext import NullTranslations, translation
from pathlib import Path
from typing import cast

from babel import Locale, dates, numbers
from flask import Flask, Response, current_app, g, request
from markupsafe import Markup
from werkzeug import Request

from hoppers.core.texts import JOINED, Text, filled
from hoppers.runtime import PACKAGE
from hoppers.runtime.puzzle_packages import puzzle_translations

TRANSLATIONS = PACKAGE / "translations"
"""A folder for each language but English, with its texts as gettext compiles them."""
ENGLISH_WORDS = PACKAGE / "web" / "catalogue" / "en.json"
ENGLISH = "en"
COOKIE = "lang"
SOME_NUMBERS = (1, *range(102), 10**6)
"""Numbers among which each plural form of each language occurs."""
QUOTED = re.compile(r"(['\"])(?P<text>.*)\1(?P<rest>…?)", re.DOTALL)
"""A text as `core.errors.quoted` shows it."""
GAME_WORDS = (
    *(
        "cell",
        "comma",
        "continue",
        "copied",
        "count",
        "died",
        "ended",
        "fault",
        "help",
        "machine",
        "medal",
        "missed",
    ),
    *(
        "more",
        "next",
        "note",
        "piece",
        "say",
        "player",
        "refused",
        "result",
        "sentence",
        "share",
        "side",
        "sign",
        "typed",
    ),
    "title",
    "verdict",
)
"""First words of the keys of the texts that every game shows."""

BOARD_WORDS = (
    *("cell.", "comma", "count.and", "fault.", "letter.", "note.read", "note.steps", "piece."),
    *("say.", "sentence.gap", "side."),
)
"""Beginnings of the keys of all texts of a page with a board but no game."""

STUDY_WORDS = (
    *(
        "all",
        "check",
        "class",
        "edit",
        "failed",
        "film",
        "found",
        "letter",
        "level",
        "lost",
        "proof",
        "row",
        "search",
        "slack",
        "state",
        "stopped",
        "tally",
    ),
    "unsolvable",
)
"""The same for the solver beside a game, the position editor and the dialogs."""
CatalogueEntry = str | dict[str, str]
"""A text with {placeholders}, or its plural forms by category, as Intl.PluralRules names them."""


def init_app(app: Flask) -> None:
    """Make `app` select a language for every request, and store the `lang` argument in a cookie."""
    offer_languages(app, TRANSLATIONS, *puzzle_translations())
    app.after_request(store_language)


def offer_languages(app: Flask, own: Path, *others: Path) -> None:
    """Make `app` show its pages in English, and in each language with a folder in `own`.

    `others`: where else translations are, such as those of puzzles of other distributions.
    """
    names = sorted(path.parent.name for path in own.glob("*/LC_MESSAGES"))
    app.config["LANGUAGES"] = (ENGLISH, *(name.replace("_", "-") for name in names))
    app.config["TRANSLATIONS"] = own, *others
    app.jinja_env.globals.update(
        _=lambda text, /, **values: filled(Markup(translations().gettext(text)), values),
        ngettext=lambda one, other, /, n, **values: filled(
            Markup(translations().ngettext(one, other, n)), {"n": n, **values}
        ),
        pgettext=lambda context, text: Markup(translations().pgettext(context, text)),
    )


def languages() -> tuple[str, ...]:
    """Return the languages of the pages as tags such as `en` or `pt-BR`, English first."""
    return cast(tuple[str, ...], current_app.config["LANGUAGES"])


@cache
def locale_of(language: str) -> Locale:
    """Return the locale of one of `languages`."""
    return Locale.parse(language, sep="-")


def translations_in(language: str) -> NullTranslations:
    """Return the texts of this application in one of `languages`."""
    return _loaded(current_app.config["TRANSLATIONS"], str(locale_of(language)))


@cache
def _loaded(folders: tuple[Path, ...], name: str) -> NullTranslations:
    """Return the translations in the first of the folders; what it lacks is taken from the others."""
    first, *others = (translation("messages", folder, [name], fallback=True) for folder in folders)
    for other in others:
        first.add_fallback(other)
    return first


def select_language() -> str:
    """Return the best language for the current request; by default the first of `languages`."""
    if (asked := request.args.get("lang")) in languages():
        return asked
    if is_for_programs():
        return ENGLISH
    g.depends_on_headers = True
    return language_of_headers(request, languages())


def language_of_headers(request: Request, offered: Sequence[str]) -> str:
    """Return the one of the `offered` languages that the headers of a request ask for, by default English."""
    if (stored := request.cookies.get(COOKIE, "")) in offered:
        return stored
    return request.accept_languages.best_match(offered) or ENGLISH


def is_for_programs() -> bool:
    """Return whether the current request is for the API or for data."""
    return request.path.startswith(("/api/", "/oembed")) or request.path.endswith(".json")


def store_language(response: Response) -> Response:
    """Store the `lang` argument of a page in a cookie; return the response.

    If the language was read from headers, add them to Vary.
    """
    if g.pop("depends_on_headers", False):
        response.vary.update(["Accept-Language", "Cookie"])
    language = request.args.get("lang", "")
    is_new = language in languages() and language != request.cookies.get(COOKIE)
    if is_new and response.mimetype == "text/html":
        response.set_cookie(COOKIE, language, max_age=365 * 24 * 3600, samesite="Lax", httponly=True)
    return response


def current_language() -> str:
    """Return the one of `languages` that `select_language` has chosen for the current request."""
    if "language" not in g:
        g.language = select_language()
    return cast(str, g.language)


def current_locale() -> Locale:
    """Return the locale of the language of the request."""
    return locale_of(current_language())


def language_name(language: str) -> str:
    """Return the name of one of `languages` in itself, such as "日本語"."""
    return str(locale_of(language).display_name)


def translations() -> NullTranslations:
    """Return the texts of this application in the language of the request."""
    return translations_in(current_language())


def gettext(text: str, /, **values: object) -> str:
    """Return a text in the language of the request, with its values in the placeholders."""
    return filled(translations().gettext(text), values)


def ngettext(one: str, other: str, /, n: int, **values: object) -> str:
    """Return the form of a text for the number `n`, which is one of its values."""
    return filled(translations().ngettext(one, other, n), {"n": n, **values})


def format_decimal(number: float, pattern: str | None = None) -> str:
    """Return a number as people write it in the language of the request."""
    return numbers.format_decimal(number, pattern, current_locale())


def format_date(date: datetime.date, pattern: str) -> str:
    """Return parts of a date, such as `EEEE` for the weekday, in the language of the request."""
    return dates.format_date(date, pattern, current_locale())


def localized(text: Text) -> str:
    """Return `text` in the language of the request, and so those of its values that are texts."""
    if text.plural:
        template = translations().ngettext(text.template, text.plural, cast(int, text.values["n"]))
    else:
        template = translations().gettext(text.template)
    return filled(template, {name: _localized_value(value) for name, value in text.values.items()})


def _localized_value(value: object) -> object:
    """Return a value of a text, if it is a text or a quoted input, in the language of the request."""
    if isinstance(value, Text):
        return localized(value)
    if isinstance(value, str) and (quotation := QUOTED.fullmatch(value)):
        return gettext("'{text}'", text=quotation["text"]) + quotation["rest"]
    return value


def as_sentence(text: str) -> str:
    """Return `text` with the full stop of the language of the request, if it does not end as a sentence."""
    return text if text.endswith(tuple(".?!。？！")) else text + gettext(".")


def catalogue() -> dict[str, CatalogueEntry]:
    """Return all texts that the scripts show, by key, in the language of the request."""
    return _catalogue(translations(), current_locale())


@cache
def _catalogue(texts: NullTranslations, locale: Locale) -> dict[str, CatalogueEntry]:
    """Return the texts of the scripts in the language of `locale`; the key of each is its context."""
    examples: dict[str, int] = {}
    for number in SOME_NUMBERS:
        examples.setdefault(locale.plural_form(number), number)

    def entry(key: str, text: CatalogueEntry) -> CatalogueEntry:
        if isinstance(text, str):
            return texts.pgettext(key, text)
        one, other = text["one"], text["other"]
        forms = {form: texts.npgettext(key, one, other, n) for form, n in examples.items()}
        forms.setdefault("other", [*forms.values()][-1])  # that of fractions
        return forms if len(forms) > 1 else forms["other"]

    # gettext takes an empty translation for a missing one, so an empty gap has no entry of its own
    gap = texts.gettext(JOINED.template).format(before="", after="")
    return {key: entry(key, text) for key, text in english_words().items()} | {"sentence.gap": gap}


@cache
def english_words() -> dict[str, CatalogueEntry]:
    """Return all texts that the scripts show, in English, by key."""
    words: dict[str, CatalogueEntry] = json.loads(ENGLISH_WORDS.read_text(encoding="utf-8"))
    return words


def board_words(*more: str) -> dict[str, CatalogueEntry]:
    """Return the texts of a page with a board but no game, and those whose keys begin with one of `more`."""
    return words_with_prefix(*BOARD_WORDS, *more)


def game_words(other_kinds: set[str], *more: str) -> dict[str, CatalogueEntry]:
    """Return the texts of every game, and those whose keys begin with a word of `more`.

    Those about the piece kinds in `other_kinds` are left out: every text is part of the page, and delays its
    first paint.
    """
    wanted = {*GAME_WORDS, *more}
    return {
        key: text
        for key, text in catalogue().items()
        if key.partition(".")[0] in wanted and key.rpartition(".")[2].partition("-")[0] not in other_kinds
    }


def words_with_prefix(*prefixes: str) -> dict[str, CatalogueEntry]:
    """Return the texts in the language of the request whose keys begin with one of `prefixes`."""
    return {key: text for key, text in catalogue().items() if key.startswith(prefixes)}
