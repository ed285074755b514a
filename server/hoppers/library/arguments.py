"""Arguments of the library's methods, which callers may give as numbers of Python or numpy, or as records."""

import operator
import re
from collections.abc import Mapping, Set, Sized

from hoppers.core.errors import quoted


def whole_number(value: object) -> int | None:
    """Return a whole number of Python or numpy as an int; None for anything else, booleans included."""
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]  # what has no index raises
    except TypeError:
        return None


def holes_of(move: object) -> list[int] | None:
    """Return the holes of a move: a sequence of whole numbers, or a `Step`; None if it is neither."""
    if hasattr(move, "origin") and hasattr(move, "target"):
        return holes_of([move.origin, move.target])
    if not isinstance(move, Sized) or isinstance(move, str | bytes | bytearray | Mapping | Set):
        return None
    try:
        holes = [whole_number(hole) for hole in move]  # type: ignore[attr-defined]  # the same
    except TypeError:
        return None
    return [hole for hole in holes if hole is not None] if None not in holes else None


def holes_in_text(text: str) -> list[int] | None:
    """Return the holes of a move such as `2-0-6`, as in addresses and data; None for another text."""
    is_move = re.fullmatch(r"[0-9]{1,3}(-[0-9]{1,3})+", text)
    return [int(hole) for hole in text.split("-")] if is_move else None


def checked_index(index: object, length: int, name: str) -> int:
    """Return an index into a sequence, counted from its beginning; `name`: what the sequence has.

    Raises:
        IndexError: the sequence is shorter.
        TypeError: it is no index.
    """
    number = whole_number(index)
    if number is None:
        raise TypeError(f"{quoted(index)} is not the number of a {name}, or a slice")
    try:
        return range(length)[number]
    except IndexError:
        raise IndexError(f"there is no {name} {number}: there are {length}") from None
