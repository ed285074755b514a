"""Errors of the library: `ValueError`s whose message quotes what was wrong."""

from collections.abc import Iterator
from contextlib import contextmanager

from hoppers.core.errors import PuzzleError


class InvalidPosition(PuzzleError):
    """A text that is no position of the puzzle."""


class InvalidGoal(PuzzleError):
    """A text that is no goal of the puzzle."""


class InvalidMove(PuzzleError):
    """A move that is not legal in the position."""


class InvalidMethod(PuzzleError):
    """A name that is no search method of the puzzle."""


class InvalidOption(PuzzleError):
    """A value that a method does not take, such as a size of a picture or a seed."""


class UnknownPuzzle(PuzzleError, LookupError):
    """An id that no puzzle has. The message names a similar one, if there is one."""


KINDS: dict[str, type[PuzzleError]] = {
    "invalid_position": InvalidPosition,
    "invalid_goal": InvalidGoal,
    "invalid_move": InvalidMove,
    "invalid_method": InvalidMethod,
    "invalid_option": InvalidOption,
    "invalid_deal": InvalidOption,
    "unknown_puzzle": UnknownPuzzle,
}
"""Code of an error -> its class in the library."""
for _kind in {*KINDS.values()}:
    _kind.__module__ = __name__.partition(".")[0]  # where programs find it, and what a traceback shows


@contextmanager
def named_errors() -> Iterator[None]:
    """Raise each error caused by input as one of the classes above."""
    try:
        yield
    except PuzzleError as error:
        kind = KINDS.get(error.code, PuzzleError)
        raise kind(error.text.template, error.code, **error.text.values) from None
