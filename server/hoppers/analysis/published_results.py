"""Published results: run each again and compare the published figures with the computed ones.

The published results are in data/published_results.json.
"""

import math
from functools import cache

import msgspec
from msgspec.structs import replace

from hoppers.analysis.requests import DEFAULT_METHOD, parse_search
from hoppers.core.events import Exhausted, Solved, Unsolvable
from hoppers.core.model import prebuild_decoder
from hoppers.runtime import PACKAGE
from hoppers.tablebase.engine import Engine

DATA = PACKAGE / "data" / "published_results.json"


@prebuild_decoder
class PublishedResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A published result, or the same result with computed figures (see `run`).

    Fields that are None or empty were not published.
    """

    puzzle: str
    goal: str
    start: str = ""
    first_move: tuple[int, int] | None = None
    method: str = DEFAULT_METHOD
    moves: int | None = None
    count: int | None = None
    unsolvable: bool = False
    solvable: bool = False
    """True if only the existence of a solution was published."""
    first_limit: int = 1
    """First limit whose nodes were published, in `nodes` or in `total`."""
    nodes: tuple[int, ...] = ()
    """Nodes of each limit, from `first_limit` on."""
    total: int | None = None
    """Nodes of all limits from `first_limit` on together, if only their sum was published."""
    corrected_nodes: tuple[int, ...] = ()
    """Correct node counts of a search whose published program was wrong; `remark` explains why."""
    max_moves: int | None = None
    """Largest number of moves that any position of the puzzle needs."""
    remark: str = ""
    """Note about the result, in English."""
    seconds: int = 0
    """Approximate running time on one core, in seconds; 0 for results that take about a second or two."""

    @property
    def expected_nodes(self) -> int | None:
        """Nodes of all limits from `first_limit` on together; None if not published."""
        return self.total if self.total is not None else sum(self.nodes) or None


@cache
def all_results() -> tuple[PublishedResult, ...]:
    """Return all published results, in display order."""
    return msgspec.json.decode(DATA.read_bytes(), type=tuple[PublishedResult, ...])


def total_minutes() -> int:
    """Return the approximate running time of all results on one core, in minutes.

    Results without a running time count half a minute together.
    """
    return math.ceil((sum(result.seconds for result in all_results()) + 30) / 60)


def run(engine: Engine, result: PublishedResult) -> PublishedResult:
    """Run the problem of a published result again; return the result with its figures as computed.

    If `max_moves` was published, only this figure is computed, from the complete table of the puzzle.
    Otherwise `nodes`, `total` and `unsolvable` are computed in any case, `moves` and `count` only if they
    were published. `moves` is None if no solution exists, `count` if counting was given up. All other fields
    stay as published.

    Raises:
        RuntimeError: the search ended without an answer.
    """
    if result.max_moves is not None:
        puzzle = engine.find(result.puzzle)
        counts = puzzle.source(puzzle.parse_goal(result.goal)).distribution() or []
        return replace(result, max_moves=len(counts) - 1)
    wants_count = result.count is not None
    search = parse_search(
        engine, result.puzzle, result.start, result.goal, result.method, wants_count, result.first_move
    )
    nodes, event = list[int](), None
    for event in search.events():
        if isinstance(event, Exhausted | Solved) and event.limit >= result.first_limit:
            nodes.append(event.nodes)
    computed = replace(result, nodes=(*nodes,), total=sum(nodes), unsolvable=isinstance(event, Unsolvable))
    if isinstance(event, Solved):
        return replace(computed, moves=None if result.moves is None else event.limit, count=event.count)
    if isinstance(event, Unsolvable):
        return replace(computed, moves=None)
    raise RuntimeError(f"the search of {result.puzzle} from {result.start} ended without an answer")


def agrees(result: PublishedResult, computed: PublishedResult) -> bool:
    """Return whether the result of `run` equals all published figures; `corrected_nodes` replace `nodes`.

    A count that was given up agrees with every published count.
    """
    return (
        (computed.moves, computed.unsolvable) == (result.moves, result.unsolvable)
        and computed.max_moves == result.max_moves
        and computed.count in (result.count, None)
        and computed.nodes == (result.corrected_nodes or result.nodes or computed.nodes)
        and result.total in (None, computed.total)
    )


def figures(result: PublishedResult) -> str:
    """Return the moves and the number of solutions of a published or computed result as text.

    Examples: `7` (moves), `7 ×18` (with 18 solutions), `≤31` (`max_moves`), `none` (unsolvable), `some`
    (solvable).
    """
    if result.max_moves is not None:
        return f"≤{result.max_moves}"
    if result.moves is None:
        return "none" if result.unsolvable else "some"
    return f"{result.moves}" if result.count is None else f"{result.moves} ×{result.count}"
