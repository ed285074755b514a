"""Published results: run each again and compare the published figures with the computed ones.

The published results are in data/classics.json.
"""

import math
import time
from functools import cache
from typing import NamedTuple

import msgspec

from hoppers.analysis.requests import DEFAULT_METHOD, read_search
from hoppers.core.events import Exhausted, Solved, Unsolvable
from hoppers.core.model import prebuild_decoder
from hoppers.runtime import PACKAGE
from hoppers.tablebase.engine import Engine

DATA = PACKAGE / "data" / "classics.json"


@prebuild_decoder
class PublishedResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A published result. Fields that are None or empty were not published."""

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
    """First limit whose node count was published."""
    nodes: tuple[int, ...] = ()
    total: int | None = None
    """Nodes of all limits together, if only their sum was published."""
    corrected_nodes: tuple[int, ...] = ()
    """Correct node counts of a search whose published program was wrong; `remark` explains why."""
    max_moves: int | None = None
    """Largest number of moves that any position of the puzzle needs."""
    remark: dict[str, str] = {}
    seconds: int = 0
    """Approximate running time on one core, in seconds; 0 for results that take about a second or two."""

    @property
    def expected_nodes(self) -> int | None:
        """Published nodes of all limits together, or None."""
        return self.total if self.total is not None else sum(self.nodes) or None


class Outcome(NamedTuple):
    """Result of running a published problem again."""

    moves: int | None
    """Fewest moves, None if unsolvable; for a result with `max_moves`, the most that any position needs."""
    solutions: int | None
    """Number of shortest solutions, 0 if unsolvable; None if not requested or if counting was given up."""
    nodes: tuple[int, ...]
    """Nodes of each limit, from the limit `PublishedResult.first_limit` on."""
    seconds: float


@cache
def all_results() -> tuple[PublishedResult, ...]:
    """Return all published results, in display order."""
    return msgspec.json.decode(DATA.read_bytes(), type=tuple[PublishedResult, ...])


def total_minutes() -> int:
    """Return the approximate running time of all results on one core, in minutes.

    Results without a running time count half a minute together.
    """
    return math.ceil((sum(result.seconds for result in all_results()) + 30) / 60)


def run(engine: Engine, result: PublishedResult) -> Outcome:
    """Run the problem of a published result again and return the outcome.

    For a result with `max_moves`, `moves` of the outcome is read from the complete table of the puzzle.

    Raises:
        RuntimeError: the search ended without an answer.
    """
    began, nodes = time.perf_counter(), list[int]()
    if result.max_moves is not None:
        puzzle = engine.find(result.puzzle)
        counts = puzzle.source(puzzle.parse_goal(result.goal)).distribution() or []
        return Outcome(len(counts) - 1, None, (), time.perf_counter() - began)
    wants_count = result.count is not None
    search = read_search(
        engine, result.puzzle, result.start, result.goal, result.method, wants_count, result.first_move
    )
    for event in search.events():
        if isinstance(event, Exhausted | Solved) and event.limit >= result.first_limit:
            nodes.append(event.nodes)
        if isinstance(event, Solved):
            return Outcome(event.limit, event.count, (*nodes,), time.perf_counter() - began)
        if isinstance(event, Unsolvable):
            return Outcome(None, 0, (*nodes,), time.perf_counter() - began)
    raise RuntimeError(f"the search of {result.puzzle} from {result.start} ended without an answer")


def agrees(result: PublishedResult, outcome: Outcome) -> bool:
    """Return whether `outcome` equals all published figures; `corrected_nodes` replace published ones."""
    if result.solvable or result.unsolvable:
        return (outcome.moves is None) == result.unsolvable
    nodes = result.corrected_nodes or result.nodes or outcome.nodes
    return (
        outcome.moves == (result.moves if result.max_moves is None else result.max_moves)
        and outcome.solutions in (result.count, None)
        and outcome.nodes == nodes
        and result.total in (None, sum(outcome.nodes))
    )


def published_text(result: PublishedResult) -> str:
    """Return a published result as text.

    Examples: `7` (moves), `7 ×18` (with 18 solutions), `≤31` (`max_moves`), `none` (unsolvable), `some`
    (solvable).
    """
    if result.unsolvable or result.solvable:
        return "none" if result.unsolvable else "some"
    if result.max_moves is not None:
        return f"≤{result.max_moves}"
    return f"{result.moves}" if result.count is None else f"{result.moves} ×{result.count}"


def outcome_text(result: PublishedResult, outcome: Outcome) -> str:
    """Return the computed moves and number of solutions in the form of `published_text`."""
    if result.unsolvable or result.solvable:
        return "none" if outcome.moves is None else "some"
    if result.max_moves is not None:
        return f"≤{outcome.moves}"
    return f"{outcome.moves}" if result.count is None else f"{outcome.moves} ×{outcome.solutions}"
