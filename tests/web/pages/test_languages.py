"""Every language is complete, and one more needs no more than its file."""

import ast
import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from hoppers.core.texts import Text
from hoppers.web.http import i18n
from hoppers.web.translation_files import compile_translations
from tests import ROOT, translations
from tests.conftest import running_app
from tests.support.engine import PUZZLES
from tests.translations import PACKAGE, PROGRAM_ERRORS, TRANSLATED, Message

PLACEHOLDER = re.compile(r"\{(\w+)(?:!r)?\}")
ENGLISH_WORDS = i18n.english_words()


def placeholders(text: str) -> set[str]:
    return set(PLACEHOLDER.findall(text))


def test_texts_are_constants_that_can_be_translated() -> None:
    """A formatted sentence would stay English."""
    formatted = [
        (path.name, call.lineno)
        for path in PACKAGE.rglob("*.py")
        for call, texts in translations.text_calls(path)
        if path.name not in PROGRAM_ERRORS and any(isinstance(text, ast.JoinedStr) for text in texts)
    ]
    assert formatted == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_translation_is_complete(language: str) -> None:
    source, translated = translations.source_messages(), translations.translations(language)
    missing = [message for message in source if not all(translated.get(message, [""]))]
    unused = [message for message in translated if message not in source]
    assert (missing, unused) == ([], []), "run python -m tests.translations, then translate what it lists"


@pytest.mark.parametrize("language", TRANSLATED)
def test_translations_have_the_placeholders_of_their_texts(language: str) -> None:
    assert [
        message
        for message, forms in translations.translations(language).items()
        for form in forms
        if placeholders(form) != placeholders(message.text + message.plural)
    ] == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_values_stand_in_braces_in_every_text(language: str) -> None:
    forms = [form for of_text in translations.translations(language).values() for form in of_text]
    texts = [message.text + message.plural for message in translations.source_messages()]
    assert [text for text in (*texts, *forms) if re.search(r"%\(|%[sd]\b|%%", text)] == []


PIECES = {piece.split("-")[0] for puzzle in PUZZLES.values() for piece in puzzle.gallery.pieces if piece}


def is_used(key: str, scripts: str) -> bool:
    """Return whether `scripts` contain the key, or build it from a prefix and a piece or error code."""
    parts = key.split(".")
    if parts[-1].split("-")[0] in PIECES and len(parts) > 2:
        return is_used(".".join(parts[:-1]), scripts)
    prefixes = [".".join(parts[:length]) for length in range(1, len(parts))]
    return f'"{key}"' in scripts or any(
        f"`{start}.${{" in scripts or f'forCode("{start}"' in scripts for start in prefixes
    )


def test_scripts_use_every_entry() -> None:
    scripts = "".join(path.read_text() for path in sorted((ROOT / "static").rglob("*.js")))
    assert [key for key in ENGLISH_WORDS if not is_used(key, scripts)] == []


def test_catalogue_has_every_key_that_scripts_name() -> None:
    scripts = "".join(path.read_text() for path in sorted((ROOT / "static").rglob("*.js")))
    named = re.findall(r'(?:texts\.get|texts\.parts|showNote)\("([\w.-]+)"', scripts)
    assert len(named) > 80
    assert [key for key in named if key not in ENGLISH_WORDS] == []


def test_every_kind_of_piece_has_a_name() -> None:
    assert [kind for kind in PIECES if f"cell.{kind}" not in ENGLISH_WORDS] == []


def test_game_page_has_all_texts_its_scripts_name(client: FlaskClient) -> None:
    shown = [puzzle.id for puzzle in PUZZLES.values() if puzzle.gallery.featured]
    pages = [words_of(client.get(f"/puzzles/{puzzle_id}").text) for puzzle_id in shown]
    known = {key for words in pages for key in words}
    scripts = "".join(path.read_text() for path in with_imports(ROOT / "static" / "pages" / "play.js"))
    assert [key for key in ENGLISH_WORDS if is_used(key, scripts) and key not in known] == []
    assert len(known) < len(ENGLISH_WORDS)
    assert not any("more.never.tile" in words and "note.stuck.peg" in words for words in pages)


@pytest.mark.parametrize(
    "address", ["/data", "/atlas", "/atlas/english-33", "/about", "/classics", "/lessons"]
)
def test_japanese_brackets_are_wide_and_need_no_space(client: FlaskClient, address: str) -> None:
    text = re.sub(r"<[^>]*>", "", client.get(f"{address}?lang=ja").text.split("<body")[1])
    assert "（" in text or "(" not in text
    assert re.findall(r"[^\n]*[ぁ-んァ-ヶ一-龠] ?\([^\n]*|[^\n]* （[^\n]*", text) == []


@pytest.mark.parametrize(
    ("script", "address"),
    [
        ("card", "/"),
        ("archive", "/daily/archive"),
        ("deck", "/decks/hoppers"),
        ("race", "/puzzles/hoppers/race"),
        ("trace", "/puzzles/hoppers/inside"),
        ("explorer", "/puzzles/hoppers/explore"),
        ("review", "/puzzles/hoppers/review?line=0-6"),
    ],
)
def test_page_has_every_text_its_scripts_name(client: FlaskClient, script: str, address: str) -> None:
    known = words_of(client.get(address).text)
    scripts = "".join(path.read_text() for path in with_imports(ROOT / f"static/pages/{script}.js"))
    named = re.findall(r'texts\.(?:get|parts)\("([\w.-]+)"', scripts)
    assert named
    assert [key for key in named if key not in known] == []


def with_imports(script: Path) -> set[Path]:
    """Return a script and all scripts that it imports."""
    code = re.sub(r"/\*.*?\*/", "", script.read_text(), flags=re.DOTALL)  # imports of types are comments
    names = re.findall(r'"(\.{1,2}/[\w/.-]+\.js)"', code)
    return {script}.union(*(with_imports((script.parent / name).resolve()) for name in names))


def words_of(page: str) -> dict[str, Any]:
    """Return the texts for scripts in a page."""
    data = page.split('<script type="application/json" id="data">')[1].split("</script>")[0]
    of_settings = re.findall(r'data-words="([^"]*)"', page)
    words: dict[str, Any] = json.loads(data)["words"]
    for each in of_settings:
        words |= json.loads(unescape(each))
    return words


def test_method_names_break_between_katakana_and_kanji(client: FlaskClient) -> None:
    puzzle = next(puzzle for puzzle in PUZZLES.values() if "manhattan" in puzzle.solving.methods)
    race = client.get(f"/puzzles/{puzzle.id}/race?methods=deepening,manhattan-tight&lang=ja").text
    assert "マンハッタン<wbr>距離</span>" in race


POLISH = {
    Message("One move, many jumps"): ["Jeden ruch, wiele skoków"],
    Message("{before} {after}"): ["{before} / {after}"],
    Message("Hoppers 13"): ["Skoczki 13"],
    Message(
        "No jump raises the sum of the numbers under the pegs. "
        "It is {now_sum} {now}, and {when} it would have to be {end_sum}."
    ): ["Suma: {now} {now_sum}, {when} {end_sum}."],
    Message("now"): ["teraz"],
    Message("{puzzle} has {holes} holes, but {text!r} has {length}"): [
        "{length} w {text!r}; {puzzle}: {holes}"
    ],
    Message("{n} character", "{n} characters"): ["{n} znak", "{n} znaki", "{n} znaków"],
    Message("{n} move", "{n} moves", "count.moves"): ["{n} ruch", "{n} ruchy", "{n} ruchów"],
}
"""A few texts in a language with three plural forms."""


@pytest.fixture(scope="module")
def in_polish(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlaskClient]:
    """Client of an application to whose languages one file adds Polish."""
    folder = tmp_path_factory.mktemp("translations")
    other = tmp_path_factory.mktemp("distribution")
    for place, texts in ((folder, POLISH), (other, {Message("Coins"): ["Monety"]})):
        translations.write(translations.messages_file("pl", place), "pl", texts, {})
        compile_translations(place)
    with running_app() as app:
        i18n.offer_languages(app, folder, other)
        client = app.test_client()
        client.get("/?lang=pl")  # stores the language in a cookie
        yield client


def test_another_language_is_one_file(in_polish: FlaskClient) -> None:
    page = in_polish.get("/lessons/1").text
    assert '<html lang="pl"' in page and "<h1>Jeden ruch, wiele skoków</h1>" in page
    assert "Skoczki 13" in in_polish.get("/puzzles/hoppers").text
    assert (
        'hreflang="pl"' in in_polish.get("/?lang=en").text and ">polski<" in in_polish.get("/?lang=en").text
    )


def test_puzzles_of_other_distributions_bring_their_translations(in_polish: FlaskClient) -> None:
    with in_polish.application.test_request_context("/?lang=pl"):
        assert i18n.localized(Text("Coins")) == "Monety"
        assert i18n.localized(Text("Hoppers 13")) == "Skoczki 13"


def test_texts_of_scripts_have_the_plural_forms_of_their_language(in_polish: FlaskClient) -> None:
    words = words_of(in_polish.get("/puzzles/hoppers?lang=pl").text)
    assert words["count.moves"] == {
        "one": "{n} ruch",
        "few": "{n} ruchy",
        "many": "{n} ruchów",
        "other": "{n} ruchy",
    }
    assert words["sentence.gap"] == " / "
    assert words["comma"] == ", "  # has no translation


def test_errors_and_reasons_are_translated_with_their_values(in_polish: FlaskClient) -> None:
    error = in_polish.get("/api/puzzles/hoppers/positions/oo.oo?lang=pl").get_json()["error"]
    assert error["message"] == "5 znaków w 'oo.oo'; Skoczki 13: 13"
    reason = in_polish.get("/api/puzzles/hoppers/positions/oooooo.oooooo/reason?goal=3&lang=pl").get_json()
    assert reason["sentence"] == "Suma: teraz 0, at the end 1. / So the goal cannot be reached."
