"""Both languages are complete: .po files for templates and Python, catalogues for scripts."""

import ast
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po
from flask.testing import FlaskClient

from hoppers.core.puzzle import Puzzle
from hoppers.web.http.errors import OTHER_REQUEST_ERROR, REQUEST_ERRORS
from hoppers.web.http.i18n import LANGUAGES, catalogue
from tests import ROOT
from tests.support.engine import PUZZLES

SOURCES = [
    ("server/hoppers/web", [("**.py", "python")]),
    ("templates", [("**.html", "jinja2"), ("**.svg", "jinja2")]),
]
PLACEHOLDER = re.compile(r"\{(\w+)(?:!r)?\}|%\((\w+)\)s")
TRANSLATIONS = {
    path.parts[-3]: path
    for path in sorted((ROOT / "server/hoppers/translations").glob("*/LC_MESSAGES/messages.po"))
}
PLAIN = {
    "connections.py",
    "handlers.py",
    "http_server.py",
    "scheduler.py",
    "service.py",
    "search_job.py",
}
"""Modules whose errors appear on no page."""
PLURALS = {"en": {"one", "other"}, "ja": {"other"}}


def error_sentences(path: Path) -> Iterator[ast.expr]:
    """Yield the expressions of the error sentences in a module."""
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Call(func=ast.Name(id="PuzzleError"), args=[sentence, *_]):
                yield sentence
            case ast.Call(func=ast.Name(id="Fault"), args=[_, _, sentence, *_]):
                yield sentence


def test_error_sentences_are_constants_that_can_be_translated() -> None:
    """A formatted sentence would stay English. Errors over the channel are for programs only."""
    paths = [path for path in (ROOT / "server").rglob("*.py") if path.name not in PLAIN]
    formatted = [
        (path.name, node.lineno)
        for path in paths
        for node in error_sentences(path)
        if isinstance(node, ast.JoinedStr)
    ]
    assert formatted == []


def msgids() -> set[str]:
    """Return every text of the templates, of the Python of the pages, and of input errors."""
    found = {template for _, template in (*REQUEST_ERRORS.values(), OTHER_REQUEST_ERROR)}
    for path in (ROOT / "server").rglob("*.py"):
        found |= {
            str(node.value)
            for node in error_sentences(path)
            if isinstance(node, ast.Constant) and path.name not in PLAIN
        }
    for folder, methods in SOURCES:
        for _, _, message, _, _ in extract_from_dir(ROOT / folder, method_map=methods):
            found.add(message if isinstance(message, str) else message[0])
    return found


def translation(language: str) -> Catalog:
    with TRANSLATIONS[language].open("rb") as file:
        return read_po(file, locale=language)


def first(text: str | Sequence[str]) -> str:
    """Return the first form of a text in a catalogue, which may have plural forms."""
    return text if isinstance(text, str) else text[0]


def texts(entry: str | dict[str, str]) -> list[str]:
    return [entry] if isinstance(entry, str) else list(entry.values())


def placeholders(text: str) -> set[str]:
    return {name for pair in PLACEHOLDER.findall(text) for name in pair if name}


def test_every_language_but_english_has_a_translation() -> None:
    assert set(TRANSLATIONS) == set(LANGUAGES) - {"en"}


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_translation_is_complete(language: str) -> None:
    translated = {
        first(message.id): first(message.string or "") for message in translation(language) if message.id
    }
    assert set(translated) == msgids(), "run pybabel extract and update, then translate"
    assert [id for id, text in translated.items() if not text] == []
    assert [id for id, text in translated.items() if placeholders(id) != placeholders(text)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_catalogue_has_the_keys_of_the_english_one(language: str) -> None:
    assert list(catalogue(language)) == list(catalogue("en"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_catalogue_has_no_empty_entry(language: str) -> None:
    entries = catalogue(language).items()
    empty = {key for key, entry in entries if not all(texts(entry))}
    assert empty <= {"sentence.gap"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_catalogue_has_the_plural_forms_of_its_language(language: str) -> None:
    entries = catalogue(language).items()
    assert [
        key for key, entry in entries if isinstance(entry, dict) and set(entry) != PLURALS[language]
    ] == []


def test_catalogues_have_equal_placeholders() -> None:
    english, japanese = catalogue("en"), catalogue("ja")
    assert [
        key
        for key in english
        if placeholders("".join(texts(english[key]))) != placeholders("".join(texts(japanese[key])))
    ] == []


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
    assert [key for key in catalogue("en") if not is_used(key, scripts)] == []


def test_catalogue_has_every_key_that_scripts_name() -> None:
    scripts = "".join(path.read_text() for path in sorted((ROOT / "static").rglob("*.js")))
    named = re.findall(r'(?:texts\.get|texts\.parts|showNote)\("([\w.-]+)"', scripts)
    assert len(named) > 80
    assert [key for key in named if key not in catalogue("en")] == []


def test_every_kind_of_piece_has_a_name() -> None:
    assert [kind for kind in PIECES if f"cell.{kind}" not in catalogue("en")] == []


@pytest.mark.parametrize("puzzle", PUZZLES.values(), ids=list(PUZZLES))
def test_puzzle_has_texts_in_both_languages(puzzle: Puzzle) -> None:
    names = [problem.name for problem in puzzle.gallery.problems]
    words = [puzzle.texts.title, puzzle.texts.objective, *names]
    words += [text for method in puzzle.solving.methods.values() for text in (method.title, method.note)]
    assert [text for text in words if not (text.en and text.ja)] == []


def test_game_page_has_all_texts_its_scripts_name(client: FlaskClient) -> None:
    shown = [puzzle.id for puzzle in PUZZLES.values() if puzzle.gallery.featured]
    pages = [words_of(client.get(f"/puzzles/{puzzle_id}").text) for puzzle_id in shown]
    known = {key for words in pages for key in words}
    scripts = "".join(path.read_text() for path in with_imports(ROOT / "static" / "pages" / "play.js"))
    assert [key for key in catalogue("en") if is_used(key, scripts) and key not in known] == []
    assert len(known) < len(catalogue("en"))
    assert not any("more.never.tile" in words and "note.stuck.peg" in words for words in pages)


@pytest.mark.parametrize(
    ("script", "address"),
    [
        ("home", "/"),
        ("archive", "/daily/archive"),
        ("deck", "/decks/hoppers"),
        ("race", "/puzzles/hoppers/race"),
        ("trace", "/puzzles/hoppers/inside"),
        ("review", "/puzzles/hoppers/review?line=0-6"),
        ("again", "/again"),
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
    words: dict[str, Any] = json.loads(data)["words"]
    return words


def test_method_names_break_between_katakana_and_kanji(client: FlaskClient) -> None:
    puzzle = next(puzzle for puzzle in PUZZLES.values() if "manhattan" in puzzle.solving.methods)
    race = client.get(f"/puzzles/{puzzle.id}/race?methods=deepening,manhattan&lang=ja").text
    assert "マンハッタン<wbr>距離</span>" in race
