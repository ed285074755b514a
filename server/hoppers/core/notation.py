"""Notations in which people write positions: other signs, numbers, and signs in groups or rows.

A text is read as a list of signs. Blanks, line breaks and other separators between signs are ignored,
full-width signs count as ASCII ones, and capital ASCII letters as small ones. `#` stands for places of a
drawing that are no cells. Before the numbers of a square may stand the length of its side.
"""

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

SEPARATORS = frozenset(",;|/[](){}#")  # besides all white space
BLANKS = ("_", ".", "-")
"""Signs that may stand for the empty cell of a puzzle with numbers."""


class ReadCells(NamedTuple):
    """The cells that a text describes, in reading order."""

    values: list[int | str]
    """Value of each cell, or its sign as written if that means nothing in the notation of the text."""
    signs: str
    """Signs of the notation, as an error names them; "" if every sign has a meaning."""
    has_numbers: bool = False
    """Whether the text has numbers, not characters."""


def read_cells(text: str, notations: Sequence[str], are_numbers: bool) -> ReadCells:
    """Return the cells in `text`. A text that mixes notations has a sign that means nothing.

    `notations`: for each notation the sign of every cell value; the first notation is that of the program.
    `are_numbers`: whether the values may also be written as decimal numbers with separators between them.
    """
    if set(text) <= set(notations[0]):  # the usual case, of almost all requests
        return ReadCells([notations[0].index(sign) for sign in text], "")
    words, count = _words(text), len(notations[0])
    if are_numbers and _begins_with_side(words, count):
        words = words[1:]
    if are_numbers and _is_list_of_numbers(words, count):
        values = [_number(word, count) for word in words]
        return ReadCells(values, " ".join(map(str, range(count))), has_numbers=True)
    written = "".join(words)
    best = max(notations, key=lambda letters: _readable(_read(written, letters)))
    return ReadCells(_read(written, best), " ".join(best))


def _words(text: str) -> list[str]:
    """Return the parts of `text` between separators."""
    return "".join(" " if _plain(sign) in SEPARATORS else sign for sign in text).split()


def _plain(sign: str) -> str:
    """Return a sign as ASCII if it is a full-width form, and in lower case if it is ASCII then."""
    narrow = unicodedata.normalize("NFKC", sign)
    if len(narrow) != 1 or not narrow.isascii():
        return sign
    return narrow.lower()


def _begins_with_side(words: list[str], count: int) -> bool:
    """Return whether the first word is the side of a square of `count` cells, which the others describe."""
    rest = words[1:]
    is_side = bool(words) and _is_number(words[0]) and words[0].isdecimal() and int(words[0]) ** 2 == count
    return is_side and count in (len(rest), len("".join(rest)))


def _is_list_of_numbers(words: list[str], count: int) -> bool:
    """Return whether `words` are numbers, most of `count` ones, that need two digits for some values."""
    return count > 10 and 2 * len(words) > count and all(_is_number(word) for word in words)


def _is_number(word: str) -> bool:
    plain = "".join(map(_plain, word))
    return plain in BLANKS or (plain.isascii() and plain.isdecimal() and len(plain) <= 2)


def _number(word: str, count: int) -> int | str:
    plain = "".join(map(_plain, word))
    value = 0 if plain in BLANKS else int(plain)
    return value if value < count else word


def _read(written: str, letters: str) -> list[int | str]:
    """Return the value of each sign in one notation, or the sign itself."""
    values = {letter: value for value, letter in enumerate(letters)}
    return [values.get(_plain(sign), sign) for sign in written]


def _readable(read: list[int | str]) -> int:
    """Return the number of signs before the first that means nothing."""
    return next((place for place, value in enumerate(read) if isinstance(value, str)), len(read))
