"""Read requests about positions: check and parse the path and the query string.

While the server starts up, a request may wait a few seconds for the kernels of its puzzle.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlencode

import msgspec
from flask import request, url_for

from hoppers.analysis.requests import quoted, read_goal, read_position
from hoppers.core.errors import PuzzleError
from hoppers.core.model import Position, prebuild_decoder
from hoppers.core.puzzle import Puzzle
from hoppers.web.current import read_puzzle, wait_for_kernels, warmup
from hoppers.web.http.errors import WarmingUp

KERNEL_WAIT_SECONDS = 10  # longest wait of a request that cannot be answered without compiled kernels
VERDICT_WAIT_SECONDS = 3  # longest wait of a request during start-up before its verdict is `unknown`


@prebuild_decoder
class PositionQuery(msgspec.Struct, forbid_unknown_fields=True):
    """Query string of a request about a position."""

    goal: str | None = None
    lang: str | None = None


Query = TypeVar("Query", bound=PositionQuery)


class PositionRequest(NamedTuple):
    """A puzzle with the goal and the position that a request names."""

    puzzle: Puzzle
    goal: int
    position: Position


def url_with_query(endpoint: str, place: Mapping[str, Any], query: Mapping[str, str]) -> str:
    """Return the URL of `endpoint` at `place`, followed by `query`.

    `url_for` would interpret some names, such as `_external`; here `query` may contain any name.
    """
    path = url_for(endpoint, **place)
    return f"{path}?{urlencode(query)}" if query else path


def read_query(schema: type[Query]) -> Query:
    """Parse the query string of the current request.

    Raises:
        PuzzleError: the query string has an unknown name or an invalid value.
    """
    try:
        return msgspec.convert(request.args.to_dict(), schema, strict=False)
    except msgspec.ValidationError as error:
        query_text = quoted(request.query_string.decode(errors="replace"))
        raise PuzzleError("{error}: {query}", error=error, query=query_text) from error


def read_compiled(puzzle_id: str, position: str, goal: str | None) -> PositionRequest:
    """Parse a request that needs compiled kernels; wait up to `KERNEL_WAIT_SECONDS` for them.

    Raises:
        PuzzleError: a text is not valid.
        WarmingUp: the kernels are not ready in time.
    """
    puzzle = read_puzzle(puzzle_id)
    if not wait_for_kernels(puzzle.id, KERNEL_WAIT_SECONDS):
        done, all_ = warmup().progress()
        raise WarmingUp(done, all_, puzzle.id)
    return read(puzzle_id, position, goal)


def read(puzzle_id: str, position: str, goal: str | None) -> PositionRequest:
    """Parse a request without waiting for the kernels of its puzzle.

    Raises:
        PuzzleError: a text is not valid.
    """
    puzzle = read_puzzle(puzzle_id)
    return PositionRequest(puzzle, read_goal(puzzle, goal), read_position(puzzle, position))


def read_with_wait(puzzle_id: str, position: str, goal: str | None) -> PositionRequest:
    """Parse a request; wait up to `VERDICT_WAIT_SECONDS` for the kernels.

    Loading compiled kernels usually takes less time, so most verdicts are known afterwards.

    Raises:
        PuzzleError: a text is not valid.
    """
    parsed = read(puzzle_id, position, goal)
    wait_for_kernels(parsed.puzzle.id, VERDICT_WAIT_SECONDS)
    return parsed
