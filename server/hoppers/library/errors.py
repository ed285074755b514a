"""Errors of the library: `ValueError`s whose message quotes what was wrong."""

from collections.abc import Iterator
from contextlib import contextmanager

from hoppers.core.errors import PuzzleError
from hoppers.core.model import GivenUp
from hoppers.runtime.extras import MissingExtra


class Error(PuzzleError):
    """Error caused by input. Its message is for people; programs tell errors apart by class.

    `code`: that of the same error in the API.
    """


class InvalidPosition(Error):
    """A text that is not a position of the puzzle."""


class InvalidGoal(Error):
    """A text that is not a goal of the puzzle."""


class InvalidMove(Error):
    """A move that is not legal in the position."""


class InvalidMethod(Error):
    """A name that is not a search method of the puzzle."""


class InvalidOption(Error):
    """A value that a method does not take, such as a size of a picture or a seed."""


class UnknownPuzzle(Error, LookupError):
    """An unknown id of a puzzle. The message suggests a similar one, if there is one."""


KINDS: dict[str, type[Error]] = {
    "invalid_position": InvalidPosition,
    "invalid_goal": InvalidGoal,
    "invalid_move": InvalidMove,
    "invalid_method": InvalidMethod,
    "invalid_option": InvalidOption,
    "invalid_deal": InvalidOption,
    "unknown_puzzle": UnknownPuzzle,
}
"""Code of an error -> its class in the library."""
for _kind in {*KINDS.values(), Error, GivenUp, MissingExtra}:
    _kind.__module__ = __name__.partition(".")[0]  # where programs find it, and what a traceback shows


@contextmanager
def named_errors() -> Iterator[None]:
    """Raise each error caused by input as one of the classes above."""
    try:
        yield
    except PuzzleError as error:
        kind = KINDS.get(error.code, Error)
        raise kind(error.text.template, error.code, **error.text.values) from None
