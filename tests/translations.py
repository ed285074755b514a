"""The texts of the program and their translations.

python -m tests.translations          bring the file of every language up to date, and compile it
python -m tests.translations pt_BR    begin a language

English stands in the source; each other language has one file, `messages.po` in a folder of its name. The
command writes into it all texts of the source, in their order, and keeps the translations that are there. It
lists the texts without a translation, which the pages show in English.
"""

import ast
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from hoppers.web.http.i18n import ENGLISH, ENGLISH_WORDS, TRANSLATIONS
from hoppers.web.translation_files import compile_translations
from tests import ROOT

PACKAGE = ROOT / "server" / "hoppers"
CALLS = {
    "Text": (0, 2),
    "PuzzleError": (0,),
    "Fault": (2,),
    "gettext": (0,),
    "ngettext": (0, 1),
}
"""Function -> the places of its text, and of the text in the plural, among its arguments."""
PROGRAM_ERRORS = {
    "connections.py",
    "handlers.py",
    "http_server.py",
    "scheduler.py",
    "service.py",
    "search_job.py",
}
"""Modules whose errors appear on no page: they stay in English."""
DATA_TEXTS = {
    "lessons/*.json": {"title", "question", "text", "task", "takeaway"},
    "data/decks.json": {"title"},
    "data/drawings.json": {"title"},
    "data/first_boards.json": {"text"},
    "data/published_results.json": {"remark"},
    "data/records.json": {"name"},
}
"""Data files of the package -> the names of their texts."""
HEADER = """\
# Texts of pages, scripts, lessons, puzzles and errors. CONTRIBUTING.md says how to add a text.
msgid ""
msgstr ""
"Project-Id-Version: hoppers\\n"
"Language: {language}\\n"
"Plural-Forms: {plural_forms}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"

"""


TRANSLATED = sorted(path.name for path in TRANSLATIONS.iterdir() if path.is_dir())
"""Languages with a file of translations, as their folders are named."""
LANGUAGES = (ENGLISH, *(name.replace("_", "-") for name in TRANSLATED))
"""Languages of the pages."""


class Message(NamedTuple):
    """A text to translate, as gettext identifies it."""

    text: str
    plural: str = ""
    context: str = ""
    """What tells equal texts apart; for those of the scripts their key."""

    @property
    def id(self) -> str | tuple[str, str]:
        """The text as an id of a babel message."""
        return (self.text, self.plural) if self.plural else self.text


@cache
def source_messages() -> dict[Message, list[str]]:
    """Return all texts of the source, and the files in which each of them stands."""
    found: dict[Message, list[str]] = {}
    for path, message in _all_messages():
        files = found.setdefault(message, [])
        if path not in files:
            files.append(path)
    return found


def _all_messages() -> Iterator[tuple[str, Message]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        for message in python_messages(path):
            yield _name(path), message
    kinds = [("**.html", "jinja2"), ("**.svg", "jinja2")]
    for file, _, text, _, context in sorted(
        extract_from_dir(ROOT / "templates", method_map=kinds), key=lambda found: found[:2]
    ):
        yield f"templates/{file}", message_of(text, context)
    for key, entry in json.loads(ENGLISH_WORDS.read_text(encoding="utf-8")).items():
        if key != "sentence.gap":  # see `i18n.catalogue`
            text = entry if isinstance(entry, str) else (entry["one"], entry["other"])
            yield _name(ENGLISH_WORDS), message_of(text, key)
    for pattern, names in DATA_TEXTS.items():
        for path in sorted(PACKAGE.glob(pattern)):
            for text in data_texts(json.loads(path.read_text(encoding="utf-8")), names):
                yield _name(path), Message(text)


def message_of(id: str | Sequence[str], context: str | None) -> Message:
    """Return the message of an id of babel: a text, or its singular and plural."""
    text, plural = (id, "") if isinstance(id, str) else id
    return Message(text, plural, context or "")


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def text_calls(path: Path) -> list[tuple[ast.Call, list[ast.expr]]]:
    """Return the calls of a module that make a text or an error, each with its texts, in their order."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in CALLS:
                found.append((node, [node.args[place] for place in CALLS[name] if place < len(node.args)]))
    return sorted(found, key=lambda call: (call[0].lineno, call[0].col_offset))


def python_messages(path: Path) -> Iterator[Message]:
    """Yield the constant texts of a module that people read."""
    for call, arguments in text_calls(path):
        texts = [argument.value for argument in arguments if isinstance(argument, ast.Constant)]
        is_error = ast.unparse(call.func) in ("PuzzleError", "Fault")
        if texts and not (is_error and path.name in PROGRAM_ERRORS):
            yield Message(*map(str, texts))


def data_texts(value: object, names: set[str]) -> Iterator[str]:
    """Yield the texts under `names` in the value of a JSON file."""
    if isinstance(value, list):
        for part in value:
            yield from data_texts(part, names)
    elif isinstance(value, dict):
        for name, part in value.items():
            if name in names:
                yield from [part] if isinstance(part, str) else part
            else:
                yield from data_texts(part, names)


def messages_file(language: str, folder: Path = TRANSLATIONS) -> Path:
    """Return the path of the translations into a language."""
    return folder / language / "LC_MESSAGES" / "messages.po"


def translations(language: str) -> dict[Message, tuple[str, ...]]:
    """Return the translations into a language, each with all its plural forms."""
    with messages_file(language).open("rb") as file:
        catalogue = read_po(file, locale=language, abort_invalid=True)
    return {
        message_of(message.id, message.context): _forms(message.string or "")
        for message in catalogue
        if message.id and not message.fuzzy
    }


def _forms(text: str | Sequence[str]) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)


def update(language: str) -> list[Message]:
    """Write the file of a language with all texts of the source; return those without a translation."""
    path, source = messages_file(language), source_messages()
    known = translations(language) if path.exists() else {}
    write(path, language, {message: known.get(message, ()) for message in source}, source)
    return [message for message in source if not all(known.get(message, [""]))]


def write(
    path: Path, language: str, forms: Mapping[Message, Sequence[str]], files: Mapping[Message, list[str]]
) -> None:
    """Write a file of translations. `files`: where each message stands in the source."""
    catalogue = Catalog(language)
    for message, translated in forms.items():
        catalogue.add(
            message.id,
            tuple(translated) if message.plural else "".join(translated),
            [(file, 0) for file in files.get(message, [])],
            context=message.context or None,
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(HEADER.format(language=language, plural_forms=catalogue.plural_forms).encode())
        write_po(file, catalogue, width=0, include_lineno=False, omit_header=True)


def main() -> None:
    """Bring the files of the languages named on the command line up to date, or those of all."""
    for language in sys.argv[1:] or TRANSLATED:
        missing = update(language)
        print(f"{language}: {len(missing)} texts have no translation")
        for message in missing:
            print(f"  {message.context or '-'}: {message.text}")
    compile_translations(TRANSLATIONS)


if __name__ == "__main__":
    main()
