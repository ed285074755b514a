"""Both languages are complete: templates through their .po file, scripts through their catalogues."""

import ast
import importlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po
from flask.testing import FlaskClient

from hoppers.core.errors import PuzzleError
from hoppers.web.catalogue import catalogue
from hoppers.web.http.errors import OF_REQUESTS
from hoppers.web.http.i18n import LANGUAGES
from hoppers.web.http.module_preload import modules_of
from tests import ROOT
from tests.engine import PUZZLES

SOURCES = [
    ("server/hoppers/web", [("**.py", "python")]),
    ("templates", [("**.html", "jinja2"), ("**.svg", "jinja2")]),
]
PLACEHOLDER = re.compile(r"\{(\w+)(?:!r)?\}|%\((\w+)\)s")
TRANSLATIONS = {
    path.parts[-3]: path
    for path in sorted((ROOT / "server/hoppers/translations").glob("*/LC_MESSAGES/messages.po"))
}
PLAIN = {"handlers.py", "scheduler.py", "service.py", "search_job.py"}
"""Modules whose errors only programs see."""
PLURALS = {"en": {"one", "other"}, "ja": {"other"}}


def refusals() -> set[str]:
    """The names under which errors are made whose sentences people see."""
    importlib.import_module("hoppers.web.app")  # knows every kind
    found, waiting = {"Sentence", "error"}, [PuzzleError]
    while waiting:
        kind = waiting.pop()
        found.add(kind.__name__)
        waiting += kind.__subclasses__()
    return found


def refused(path: Path) -> Iterator[ast.expr]:
    """The sentences of a module's errors."""
    names = refusals()
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Call(func=ast.Name(id=name), args=[sentence, *_]) if name in names:
                yield sentence


def test_errors_that_people_see_are_sentences_that_can_be_translated() -> None:
    """One put together on the spot would stay English; what goes over the channel is for programs."""
    paths = [path for path in (ROOT / "server").rglob("*.py") if path.name not in PLAIN]
    put_together = [
        (path.name, node.lineno)
        for path in paths
        for node in refused(path)
        if isinstance(node, ast.JoinedStr)
    ]
    assert put_together == []


def msgids() -> set[str]:
    """Every text of the templates, of the pages' Python, and of what is wrong with an input."""
    found = {template for _, template in OF_REQUESTS.values()}
    for path in (ROOT / "server").rglob("*.py"):
        found |= {
            str(node.value)
            for node in refused(path)
            if isinstance(node, ast.Constant) and path.name not in PLAIN
        }
    for folder, methods in SOURCES:
        for _, _, message, _, _ in extract_from_dir(ROOT / folder, method_map=methods):
            found.add(message if isinstance(message, str) else message[0])
    return found


def translation(language: str) -> Catalog:
    with TRANSLATIONS[language].open("rb") as file:
        return read_po(file, locale=language)


def texts(entry: str | dict[str, str]) -> list[str]:
    return [entry] if isinstance(entry, str) else list(entry.values())


def placeholders(text: str) -> set[str]:
    return {name for pair in PLACEHOLDER.findall(text) for name in pair if name}


def test_every_language_but_english_has_a_translation() -> None:
    assert set(TRANSLATIONS) == set(LANGUAGES) - {"en"}


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_translation_is_complete(language: str) -> None:
    translated = {str(message.id): str(message.string) for message in translation(language) if message.id}
    assert set(translated) == msgids(), "run pybabel extract and update, then translate"
    assert [id for id, text in translated.items() if not text] == []
    assert [id for id, text in translated.items() if placeholders(id) != placeholders(text)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_catalogue_has_the_same_keys_as_the_english_one(language: str) -> None:
    assert list(catalogue(language)) == list(catalogue("en"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_catalogue_has_no_empty_entry(language: str) -> None:
    entries = catalogue(language).items()
    silent = {key for key, entry in entries if not all(texts(entry))}
    assert silent <= {"sentence.gap"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_catalogue_has_the_plural_forms_of_its_language(language: str) -> None:
    entries = catalogue(language).items()
    assert [
        key for key, entry in entries if isinstance(entry, dict) and set(entry) != PLURALS[language]
    ] == []


def test_both_catalogues_fill_in_the_same_values() -> None:
    english, japanese = catalogue("en"), catalogue("ja")
    assert [
        key
        for key in english
        if placeholders("".join(texts(english[key]))) != placeholders("".join(texts(japanese[key])))
    ] == []


PIECES = {piece.split("-")[0] for puzzle in PUZZLES.values() for piece in puzzle.gallery.pieces if piece}


def is_used(key: str, scripts: str) -> bool:
    """Whether scripts name the key, or its beginning and then a piece or a code."""
    parts = key.split(".")
    if parts[-1] in PIECES and len(parts) > 2:
        return is_used(".".join(parts[:-1]), scripts)
    beginnings = [".".join(parts[:length]) for length in range(1, len(parts))]
    return f'"{key}"' in scripts or any(
        f"`{start}.${{" in scripts or f'named("{start}"' in scripts for start in beginnings
    )


def test_every_entry_is_used() -> None:
    scripts = "".join(path.read_text() for path in sorted((ROOT / "static").rglob("*.js")))
    assert [key for key in catalogue("en") if not is_used(key, scripts)] == []


def test_every_key_that_scripts_name_is_there() -> None:
    scripts = "".join(path.read_text() for path in sorted((ROOT / "static").rglob("*.js")))
    said = re.findall(r'(?:say|parts)\("([\w.-]+)"', scripts)
    assert [key for key in said if key not in catalogue("en")] == []


def test_every_kind_of_piece_has_a_spoken_name() -> None:
    assert [kind for kind in PIECES if f"cell.{kind}" not in catalogue("en")] == []


@pytest.mark.parametrize("puzzle", PUZZLES.values(), ids=list(PUZZLES))
def test_puzzle_speaks_both_languages(puzzle: Any) -> None:
    words = [
        puzzle.texts.title,
        puzzle.texts.objective,
        *(problem.name for problem in puzzle.gallery.problems),
    ]
    words += [text for method in puzzle.solving.methods.values() for text in (method.title, method.note)]
    assert [text for text in words if not (text.en and text.ja)] == []


def test_game_has_all_words_its_scripts_name(client: FlaskClient) -> None:
    told = [told_by(client.get(f"/puzzles/{puzzle_id}").text) for puzzle_id in PUZZLES]
    known = {key for words in told for key in words}
    files = modules_of(ROOT / "static", "pages/play.js")
    scripts = "".join((ROOT / "static" / name).read_text() for name in files)
    assert [key for key in catalogue("en") if is_used(key, scripts) and key not in known] == []
    assert len(known) < len(catalogue("en"))
    assert not any("more.never.tile" in words and "note.stuck.peg" in words for words in told)


def told_by(page: str) -> dict[str, Any]:
    data = page.split('<script type="application/json" id="data">')[1].split("</script>")[0]
    words: dict[str, Any] = json.loads(data)["words"]
    return words


def test_a_long_name_of_a_contestant_may_be_broken_where_katakana_and_kanji_meet(client: FlaskClient) -> None:
    puzzle = next(puzzle for puzzle in PUZZLES.values() if "manhattan" in puzzle.solving.methods)
    race = client.get(f"/puzzles/{puzzle.id}/race?methods=deepening,manhattan&lang=ja").text
    assert "マンハッタン<wbr>距離</span>" in race
