"""Errors of the library: `ValueError`s whose message quotes what was wrong."""

from collections.abc import Iterator
from contextlib import contextmanager

from hoppers.core.errors import MAX_TEXT_LENGTH, PuzzleError


class InvalidPosition(PuzzleError):
    """A text that is no position of the puzzle."""


class InvalidGoal(PuzzleError):
    """A text that is no goal of the puzzle."""


class InvalidMove(PuzzleError):
    """A move that is not legal in the position."""


class InvalidMethod(PuzzleError):
    """A name that is no search method of the puzzle."""


class UnknownPuzzle(PuzzleError, LookupError):
    """An id that no puzzle has. The message names a similar one, if there is one."""


KINDS: dict[str, type[PuzzleError]] = {
    "invalid_position": InvalidPosition,
    "invalid_goal": InvalidGoal,
    "invalid_move": InvalidMove,
    "invalid_method": InvalidMethod,
    "unknown_puzzle": UnknownPuzzle,
}
"""Code of an error -> its class in the library."""
for _kind in KINDS.values():
    _kind.__module__ = __name__.partition(".")[0]  # where programs find it, and what a traceback shows


@contextmanager
def named_errors() -> Iterator[None]:
    """Raise each error caused by input as one of the classes above."""
    try:
        yield
    except PuzzleError as error:
        kind = KINDS.get(error.code, PuzzleError)
        raise kind(error.text.template, error.code, **error.text.values) from None


def quoted_object(value: object) -> str:
    """Return a value as text, cut off where it is long."""
    text = repr(value)
    return text if len(text) <= MAX_TEXT_LENGTH else f"{text[:MAX_TEXT_LENGTH]}…"


def checked_index(index: int, length: int, name: str) -> int:
    """Return an index into a sequence, counted from its beginning; `name`: what the sequence has.

    Raises:
        IndexError: the sequence is shorter.
    """
    try:
        return range(length)[index]
    except IndexError:
        raise IndexError(f"there is no {name} {index}: there are {length}") from None
