"""Events of a search: any number of `Progress`, `Found` and `Exhausted`, then one last event.

If an answer was known without a search, the field `known` of its events names the source: "table" (a table of
exact answers), "kept" (stored by an earlier search) or "atlas" (tight bounds, such as results of the atlas).
A proof by the rules alone has no source. The field `moves` lists the holes that each move visits.

The field `proved` is False in the events of a method whose lower bound may overestimate (see
`Method.is_admissible`). They prove nothing, and the moves of the solution may be fewer than `limit`.

A limit of a breadth-first search is a level: its `nodes` are the positions that need exactly `limit` moves,
and `memory` is the number of bytes that the search holds. Other methods leave it None.
"""

from collections.abc import Generator, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from hoppers.core.model import Position, Step

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@dataclass(frozen=True)
class Progress:
    """Report from a running search: its current move limit, and the nodes and seconds spent on it so far."""

    limit: int
    nodes: int
    seconds: float
    memory: int | None = None


@dataclass(frozen=True)
class Found:
    """A solution of `limit` moves that is not proved to be shortest; the search continues.

    `seconds`: running time of the whole search so far.
    """

    limit: int
    seconds: float
    moves: Sequence[Sequence[int]]


@dataclass(frozen=True)
class Exhausted:
    """Proof that no solution has `limit` moves or fewer.

    `nodes`, `cut` (positions pruned) and `seconds` count this limit only.
    """

    limit: int
    nodes: int
    cut: int
    seconds: float
    known: str | None = None
    proved: bool = True
    memory: int | None = None


@dataclass(frozen=True)
class Solved:
    """A shortest solution, of `limit` moves. `nodes` and `seconds` count this limit only.

    `count`: the number of shortest solutions; None if only one was requested or counting was given up.
    """

    limit: int
    nodes: int
    seconds: float
    moves: Sequence[Sequence[int]]
    count: int | None
    total_nodes: int
    known: str | None = None
    proved: bool = True
    memory: int | None = None


@dataclass(frozen=True)
class Unsolvable:
    """Proof that no solution exists. `total_nodes` and `seconds` count the whole search.

    `reason` is a code such as "exhausted", shown as a text on the page.
    """

    reason: str
    total_nodes: int
    seconds: float
    known: str | None = None
    proved: bool = True


@dataclass(frozen=True)
class Stopped:
    """Early end of a search. `limit` is the highest limit ruled out; -1: none.

    `reason`: "limit" (of nodes, running time or memory), "asked" (by the player) or "replaced" (by another
    search). `seconds`: running time of the whole search.
    """

    reason: str
    limit: int
    total_nodes: int
    seconds: float


@dataclass(frozen=True)
class Failed:
    """End of a search that failed or could not run. `error` is {"code", "message"} for the client."""

    error: dict[str, str] = field(hash=False)


NO_MEMORY = {
    "code": "no_memory",
    "message": "Other searches have held the memory that this one needs for ten seconds, so it has ended.",
}
"""Error of a search that has waited in vain for memory that other searches hold."""

FINAL = Solved, Unsolvable, Stopped, Failed
"""Types of the events that end a search."""
Event = Progress | Found | Exhausted | Solved | Unsolvable | Stopped | Failed
Events = Generator[Event, None, None]
"""Generator of the events of a running search. Closing it ends the search early."""


def fields_of(event: "DataclassInstance") -> dict[str, object]:
    """Return the fields of an event as clients receive them, without the usual values of some."""
    usual = {"known": None, "proved": True, "memory": None}
    return {name: value for name, value in asdict(event).items() if name not in usual or value != usual[name]}


Marks = tuple[tuple[int, tuple[int, ...]], ...]
"""Groups (number, holes) to mark on the board.

The number is a weight, or the moves that the group still costs, or 0 for holes without either.
"""


@dataclass(frozen=True)
class Visit:
    """One event of a search trace, which shows a search position by position.

    Values of `kind`:

    - "enter": the position is expanded;
    - "limit": pruned, because the limit has too few moves left;
    - "bound": pruned, because the moves so far plus the lower bound exceed the limit;
    - "back": skipped, because the step undoes the step before;
    - "seen": pruned: the transposition table proves that the moves left do not suffice;
    - "lost": pruned: the transposition table proves that the position is unsolvable;
    - "fatal": skipped, because the step captures a peg that the goal needs;
    - "solved": the position reaches the goal;
    - "leave": all steps of the position have been tried;
    - "end": the limit is finished;
    - "line": a position on the path from the root to the node where the trace begins;

    in a breadth-first search, where the level has depth 0, a position being expanded 1, and the next 2:

    - "level", "forward", "backward": the next level begins; with two ends, from the start or from the goal;
    - "first": the position from which the search begins, if it belongs to the level;
    - "take": the steps from the position that begin a move are made next;
    - "extend": the steps that continue its last move are made next, and stay in the level;
    - "found", "met": the position is new; "met": the other direction has found it, too;
    - "known": skipped, because this direction has found the position before;
    - "complete": the level is finished and has no solution;
    - "path": a step of the solution, `depth` steps from the root;

    in any search:

    - a code of `Rules.obstruction`, which proves that the root is dead.
    """

    kind: str
    depth: int  # number of steps from the root
    step: Step | None  # the step to the position; None: no step
    position: Position
    spent: int  # moves started so far
    bound: int = 0  # lower bound of the moves still to be started; 0 if the event does not depend on it
    is_node: bool = False  # whether the position counts as a node
    marks: Marks = ()  # holes that show the reason for pruning or skipping the position
