"""What an address asks of a puzzle, how one is made, and how long a server that has just started may wait."""

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlencode

import msgspec
from flask import request, url_for

from hoppers.analysis.requests import quoted, read_goal, read_position
from hoppers.core import schemas
from hoppers.core.errors import PuzzleError
from hoppers.core.model import Position
from hoppers.core.puzzle import Puzzle
from hoppers.web.current import read_puzzle
from hoppers.web.http import warmup
from hoppers.web.http.errors import WarmingUp

WARMING_SECONDS = 10
"""Seconds that a question waits which cannot be answered before."""
PATIENCE = 3
"""Seconds that a question waits for a server that has just started, before its answer is `unknown`."""


@schemas.prebuild_decoder
class About(msgspec.Struct, forbid_unknown_fields=True):
    """What may stand behind the question mark of a position."""

    goal: str | None = None
    lang: str | None = None


Query = TypeVar("Query", bound=About)


def address_of(endpoint: str, place: Mapping[str, Any], query: Mapping[str, str]) -> str:
    """The address of a page with a query, in which no name means anything to Flask."""
    path = url_for(endpoint, **place)
    return f"{path}?{urlencode(query)}" if query else path


class Asked(NamedTuple):
    """A position and goal of a puzzle."""

    puzzle: Puzzle
    goal: int
    position: Position


def query(shape: type[Query]) -> Query:
    """What stands behind the question mark.

    Raises:
        PuzzleError: an unknown name or a wrong value.
    """
    try:
        return msgspec.convert(request.args.to_dict(), shape, strict=False)
    except msgspec.ValidationError as error:
        query_text = quoted(request.query_string.decode(errors="replace"))
        raise PuzzleError("{error}: {query}", error=error, query=query_text) from error


def ready(puzzle_id: str, position: str, goal: str | None) -> Asked:
    """What is asked, once the puzzle's rules are compiled: for what cannot be told before.

    Raises:
        PuzzleError: a text means nothing.
        WarmingUp: compiling takes longer than a request should wait.
    """
    puzzle = read_puzzle(puzzle_id)
    if not warmup.wait(puzzle.id, WARMING_SECONDS):
        done, all_ = warmup.warmup().progress()
        raise WarmingUp(done, all_, puzzle.id)
    return read(puzzle_id, position, goal)


def read(puzzle_id: str, position: str, goal: str | None) -> Asked:
    """What is asked; while the rules are being compiled, its verdict is unknown.

    Raises:
        PuzzleError: a text means nothing.
    """
    puzzle = read_puzzle(puzzle_id)
    return Asked(puzzle, read_goal(puzzle, goal), read_position(puzzle, position))


def read_patiently(puzzle_id: str, position: str, goal: str | None) -> Asked:
    """The same, a moment later where the rules are just being loaded: mostly its verdict is known then.

    Raises:
        PuzzleError: a text means nothing.
    """
    asked = read(puzzle_id, position, goal)
    warmup.wait(asked.puzzle.id, PATIENCE)
    return asked
