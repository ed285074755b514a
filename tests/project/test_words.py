"""Texts keep to the words of docs/glossary.md, and no text is machine text."""

import re

import pytest

from tests import ROOT, translations

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
    r"IDA\*|JavaScript|HTML|MIT|Socket\.IO|founders|PNG|JSON|CSV|OEIS|OpenAPI|API|HTTP|Python|log2|MB|Shift|Tab|Esc|Enter|CC0|https?:\S+|[a-z.]+\.(com|jp)\S*"
    r"|[A-Z]\. ?(?:[A-Z]\. ?)?(?:de )?[A-Z][a-z]+|Hiroi|Durango Bill|The Ins and Outs of Peg Solitaire"
    r"|Beasley|Hoppers|Noyes Chapman|Conway|Boardman|Wiegleb|Puzzle DE Programming|C MAGAZINE|DIBBS"
    r"|(?<![A-Za-z])(?:cut|seconds|search|proved|found|open|impossible|state|false|true|find|first|all|size|signs|png)(?![A-Za-z])"
    r"|\{[^}]*\}|%\(\w+\)s|\([a-z0-9=,-]+\)"
)
"""Latin text that may stand in Japanese: names, keys, formats, words of the API, and values."""
PAGES = [
    "README.md",
    "README.ja.md",
    "CONTRIBUTING.md",
    *(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")),
]


def all_texts(language: str) -> list[tuple[str, str]]:
    """Return all texts in a language, each after its key or its English."""
    if language == "en":
        texts = {message: [message.text, message.plural] for message in translations.source_messages()}
    else:
        texts = {message: [*forms] for message, forms in translations.translations(language).items()}
    return [(message.context or message.text, form) for message, forms in texts.items() for form in forms]


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
    """Single letters are variables or signs of a position. Commands may be typed in both languages."""
    texts = [(key, text) for key, text in all_texts("ja") if not key.startswith("typed.words.")]
    faults = [(key, text) for key, text in texts if re.search(r"[A-Za-z]{2,}", NAMES.sub("", text))]
    assert faults == []
