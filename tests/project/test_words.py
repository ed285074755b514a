"""Texts keep to the words of docs/glossary.md, and no text is machine text."""

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

from tests import ROOT

FORBIDDEN = {
    "en": {
        r"\bways?\b(?! to | back\b|, and the way)": "solution",
        r"\bby (itself|themselves)\b": "automatically",
        r"that is proved": "proved: …",
        r"\bin hand\b": "active peg",
        r"\bcontestants?\b": "method",
        r"\bdepth limit": "move limit",
        r"\bpositions? entered": "position visited",
        r"\bfrom both ends\b": "bidirectional",
        r"\bwarm(ing)? up\b": "starting",
        r"\b(dead|live) (position|end of)\b": "dead end, solvable",
        r"times fewer": "times as many",
        r"\bclass(es)? of holes\b": "peg type",
        r"\bwith a memory\b": "transposition table",
        r"\bPlain deepening\b": "Plain iterative deepening",
        r"(?<!odified )\b[Tt]riangle 21\b": "Modified triangle 21",
        r"Classic Puzzles": "Hoppers",
        r"\bunknown to the world\b|\bnobody knows\b": "open here",
        r"\bis no (?:\w+ )?(?:letter|position|goal|jump|option|day|month)\b": "is not a …",
    },
    "ja": {
        "下界(?!）)": "下限値",
        "打ち?切": "枝刈り、停止",
        "詰み": "もう解けない",
        "手に持った": "最後に跳んだペグ",
        "道具": "ツール",
        "両端から": "双方向探索",
        "実効分岐": "有効分岐因子",
        "記憶つき|と記憶": "置換表",
        "[番のか]場所(?!がいっぱい)": "穴、マス",
        "終点|ゴール": "目標",
        "穴の組": "グループ",
        "局面の組": "局面のクラス",
        "出場": "比べる方法",
        "メモリー": "メモリ",
        "古典パズル": "ホッパーズ",
        "か所": "穴、マス",
        "名作問題": "定番の問題",
        "難しさ": "難易度",
        "最遠": "最長手数",
        "対局": "ゲーム",
        "ます目": "マス",
        "(?<!変形)三角盤? ?21": "変形三角盤 21",
    },
}
"""Patterns that no text of a language may match -> the word to use."""
MACHINE_TEXT = re.compile(
    r"\b[a-z]+_[a-z_]+\b|%[sdr]\b|%\(\w+\)(?!s)|\{\}|\bNone\b|Traceback|\bTODO\b|\\u[0-9a-f]{4}|&\w+;"
)
NAMES = re.compile(
    r"IDA\*|JavaScript|HTML|PNG|JSON|CSV|OEIS|MB|Shift|Tab|Esc|CC0|https?:\S+|[a-z.]+\.(com|jp)\S*"
    r"|[A-Z]\. ?[A-Z]?\.? ?[A-Z][a-z]+|Hiroi|Durango Bill|The Ins and Outs of Peg Solitaire|Beasley|Hoppers"
    r"|(?<![A-Za-z])(?:cut|seconds|proved|false|true|find|first|all|size|signs|png)(?![A-Za-z])"
    r"|\{[^}]*\}|%\(\w+\)s|\([a-z0-9=,-]+\)"
)
"""Latin text that may stand in Japanese: names, keys, formats, words of the API, and values."""
PAGES = [
    "README.md",
    "README.ja.md",
    "CONTRIBUTING.md",
    *(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")),
]


def texts_of(value: Any) -> list[str]:
    """Return the forms of an entry of a catalogue, or of a text of a lesson."""
    return [value] if isinstance(value, str) else [text for form in value.values() for text in texts_of(form)]


def catalogue_texts(language: str) -> Iterator[tuple[str, str]]:
    file = ROOT / f"server/hoppers/web/catalogue/{language}.json"
    for key, entry in json.loads(file.read_text(encoding="utf-8")).items():
        for text in texts_of(entry):
            yield key, text


def template_texts(language: str) -> Iterator[tuple[str, str]]:
    """Yield the texts of templates and errors: message ids in English, translations in Japanese."""
    with (ROOT / "server/hoppers/translations/ja/LC_MESSAGES/messages.po").open("rb") as file:
        messages: Catalog = read_po(file)
    for message in messages:
        found = message.id if language == "en" else message.string
        for text in [found] if isinstance(found, str) else found or ():
            if message.id:
                yield str(message.id), text


def puzzle_texts(language: str) -> Iterator[tuple[str, str]]:
    """Yield the constant texts of `Words(en, ja)` in all modules."""
    for path in (ROOT / "server").rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(source)) if "Words(" in source else ():
            match node:
                case ast.Call(func=ast.Name(id="Words"), args=[english, japanese]):
                    parts = ast.walk(english if language == "en" else japanese)
                    for part in parts:
                        if isinstance(part, ast.Constant) and isinstance(part.value, str):
                            yield path.name, part.value


def lesson_texts(language: str) -> Iterator[tuple[str, str]]:
    def both(value: Any) -> Iterator[str]:
        if isinstance(value, dict) and set(value) == {"en", "ja"}:
            yield value[language]
        elif isinstance(value, dict | list):
            for part in value.values() if isinstance(value, dict) else value:
                yield from both(part)

    for path in (ROOT / "server/hoppers/lessons").glob("*.json"):
        for text in both(json.loads(path.read_text(encoding="utf-8"))):
            yield path.name, text


def all_texts(language: str) -> list[tuple[str, str]]:
    sources = (catalogue_texts, template_texts, puzzle_texts, lesson_texts)
    return [found for source in sources for found in source(language)]


def forbidden(language: str, text: str) -> list[str]:
    return [f"not {bad!r}: {word}" for bad, word in FORBIDDEN[language].items() if re.search(bad, text)]


@pytest.mark.parametrize("language", FORBIDDEN)
def test_texts_keep_to_the_glossary(language: str) -> None:
    faults = {text: forbidden(language, text) for _, text in all_texts(language)}
    assert {text: words for text, words in faults.items() if words} == {}


@pytest.mark.parametrize("page", PAGES)
def test_docs_keep_to_the_glossary(page: str) -> None:
    """Code may have other words, and docs idioms with `way` and the verdict `dead`."""
    text = re.sub(r"```.*?```|`[^`\n]*`", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)
    patterns = dict(FORBIDDEN["ja" if page.endswith(".ja.md") else "en"])
    faults = [
        f"{found[0]}: {word}"
        for bad, word in patterns.items()
        if not bad.startswith((r"\bways", r"\bby (", r"\b(dead|"))
        for found in re.finditer(bad, text)
    ]
    assert faults == []


@pytest.mark.parametrize("language", FORBIDDEN)
def test_no_text_is_machine_text(language: str) -> None:
    faults = [(key, text) for key, text in all_texts(language) if MACHINE_TEXT.search(NAMES.sub("", text))]
    assert faults == []


def test_japanese_texts_have_no_english_but_names() -> None:
    """Single letters are variables or signs of a position."""
    faults = [(key, text) for key, text in all_texts("ja") if re.search(r"[A-Za-z]{2,}", NAMES.sub("", text))]
    assert faults == []
