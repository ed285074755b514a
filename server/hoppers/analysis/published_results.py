"""The published results, run again: what was published, what comes out, and whether they agree.

The results are in data/classics.json; where they come from is told in docs/sources.md.
"""

import json
import math
import time
from functools import cache
from typing import NamedTuple

import msgspec

from hoppers.analysis.requests import DEFAULT_METHOD, read_goal, read_puzzle, read_search
from hoppers.core import schemas
from hoppers.core.events import Exhausted, Solved, Unsolvable
from hoppers.runtime import paths
from hoppers.tablebase.engine import Engine

DATA = paths.DATA / "classics.json"


@schemas.prebuild_decoder
class Classic(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A published result; what is None or empty was not published."""

    puzzle: str
    goal: str
    start: str = ""
    first_move: tuple[int, int] | None = None
    method: str = DEFAULT_METHOD
    moves: int | None = None
    count: int | None = None
    unsolvable: bool = False
    solvable: bool = False
    """Only that there is a solution was published."""
    lowest: int = 1
    """The first limit whose nodes were published."""
    nodes: tuple[int, ...] = ()
    total: int | None = None
    """Nodes of all limits together."""
    mended: tuple[int, ...] = ()
    """What comes out where the published program was wrong; `remark` says why."""
    farthest: int | None = None
    """The most moves that any position of the puzzle needs."""
    remark: dict[str, str] = {}
    seconds: int = 0
    """About how long it takes on one core; 0 where that is not worth telling."""

    @property
    def expected_nodes(self) -> int | None:
        """Nodes published, in all."""
        return self.total if self.total is not None else sum(self.nodes) or None


class Outcome(NamedTuple):
    """What comes out here."""

    moves: int | None
    ways: int | None
    """How many shortest solutions there are, if that was asked."""
    nodes: tuple[int, ...]
    """Of the limits from `Classic.lowest` on."""
    seconds: float

    @property
    def total(self) -> int:
        """Nodes of these limits together."""
        return sum(self.nodes)


@cache
def classics() -> tuple[Classic, ...]:
    """All published results, in the order in which they are shown."""
    return msgspec.convert(json.loads(DATA.read_text(encoding="utf-8")), tuple[Classic, ...])


def minutes() -> int:
    """About how long all of them take on one core, half a minute for the quick ones together."""
    return math.ceil((sum(classic.seconds for classic in classics()) + 30) / 60)


def run(engine: Engine, classic: Classic) -> Outcome:
    """Compute the result anew."""
    began = time.perf_counter()
    if classic.farthest is not None:
        puzzle = read_puzzle(engine, classic.puzzle)
        counts = puzzle.source(read_goal(puzzle, classic.goal)).distribution() or []
        return Outcome(len(counts) - 1, None, (), time.perf_counter() - began)
    moves, count, nodes = _search(engine, classic)
    return Outcome(moves, count, nodes, time.perf_counter() - began)


def _search(engine: Engine, classic: Classic) -> tuple[int | None, int | None, tuple[int, ...]]:
    """Fewest moves (None: there is no solution), number of shortest solutions, nodes of the limits."""
    wants_count = classic.count is not None
    search = read_search(
        engine, classic.puzzle, classic.start, classic.goal, classic.method, wants_count, classic.first_move
    )
    nodes: dict[int, int] = {}
    for event in search.events():
        match event:
            case Exhausted(limit=limit):
                nodes[limit] = event.nodes
            case Solved(limit=limit):
                nodes[limit] = event.nodes
                return limit, event.count, _from(nodes, classic.lowest)
            case Unsolvable():
                break
    return None, 0, _from(nodes, classic.lowest)


def _from(nodes: dict[int, int], lowest: int) -> tuple[int, ...]:
    return tuple(entered for limit, entered in nodes.items() if limit >= lowest)


def agrees(classic: Classic, outcome: Outcome) -> bool:
    """Whether all that was published comes out, or what is right where that was wrong."""
    if classic.solvable or classic.unsolvable:
        return (outcome.moves is None) == classic.unsolvable
    nodes = classic.mended or classic.nodes or outcome.nodes
    return (
        outcome.moves == (classic.moves if classic.farthest is None else classic.farthest)
        and outcome.ways in (classic.count, None)
        and outcome.nodes == nodes
        and outcome.total == (classic.total or outcome.total)
    )


def published(classic: Classic) -> str:
    """What was published, in a few characters: moves, and how many solutions."""
    if classic.unsolvable or classic.solvable:
        return "none" if classic.unsolvable else "some"
    if classic.farthest is not None:
        return f"≤{classic.farthest}"
    return f"{classic.moves}" if classic.count is None else f"{classic.moves} ×{classic.count}"


def found(classic: Classic, outcome: Outcome) -> str:
    """What comes out, in the same form."""
    if classic.unsolvable or classic.solvable:
        return "none" if outcome.moves is None else "some"
    if classic.farthest is not None:
        return f"≤{outcome.moves}"
    return f"{outcome.moves}" if classic.count is None else f"{outcome.moves} ×{outcome.ways}"
