"""Data types that all packages share: positions, steps, problems, bounds, sources of answers, schemas."""

import itertools
import random
from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

import msgspec

from hoppers.core.texts import Text

DEAD = -1  # in place of a number of moves left: the goal is proved to be out of reach
UNKNOWN = -2  # in place of a number of moves left: the source has no answer
NO_SOLUTION = 255  # in place of a number of moves left in arrays of bytes
DEAD_BOUND = 1 << 30  # lower bound of a dead position, less at most the moves of a line
MAX_MOVES = 1 << 20  # more moves than any solution has
ANY_GOAL = "any"  # goal text: the last peg, or the gap, may end in any hole
Schema = TypeVar("Schema", bound=type[msgspec.Struct])
Result = TypeVar("Result")
Progressing = Generator[float, None, Result]  # work that yields its progress, 0 to 1, and returns its result


class Position(NamedTuple):
    """A packed state and its active hole: the hole of the active peg or the gap, or -1 (see `core.rules`)."""

    state: int
    active: int = -1


class Step(NamedTuple):
    """One jump, slide or flip. `cost` is 1 if the step starts a move, and 0 if it continues one."""

    origin: int
    target: int
    after: Position
    cost: int


class Problem(NamedTuple):
    """A named start and goal, both as texts."""

    name: Text
    start: str
    goal: str


class ProblemKey(NamedTuple):
    """A problem, usually in canonical form: the least of its symmetric images. `puzzle` is an id."""

    puzzle: str
    goal: int
    position: Position

    @property
    def name(self) -> str:
        """Text of the key, which is part of the names in the answer store."""
        return f"{self.puzzle}/{self.goal}/{self.position.state:x}/{self.position.active}"


class RandomKind(NamedTuple):
    """One kind of random positions, such as easy ones. Its functions run without compiled kernels."""

    name: Text
    draw: Callable[[random.Random], str]  # returns the text of a random position of this kind
    size: Callable[[], int] | None  # returns the number of positions of this kind; None: it is not counted
    bits: tuple[float, float] | None = (
        None  # their least and most difficulty, if known; see `analysis.random_positions`
    )


class LocalDistribution(NamedTuple):
    """Numbers of boards in one table by fewest moves left; no board has an active peg."""

    counts: list[int]  # numbers of boards with 0, 1, 2, … moves left
    start: int  # state from which all counted boards can be reached
    winning: bool  # whether the table holds all solvable boards of a problem, each once up to symmetry


class Bounds(NamedTuple):
    """What is known of the fewest moves from a position: a record of `tablebase.records`, or its numbers."""

    least: int = 0
    """Proved lower bound: no solution has fewer moves. Above MAX_MOVES, no solution exists."""
    most: int | None = None
    """Moves of the best known solution; None if no solution is known."""
    holes: bytes = b""
    """Origin and target of each step of the best known solution, one byte each; empty outside records."""

    @property
    def is_dead(self) -> bool:
        """Whether it is proved that no solution exists."""
        return self.least > MAX_MOVES and self.most is None

    @property
    def is_tight(self) -> bool:
        """Whether the best known solution is proved to have the fewest moves."""
        return self.most is not None and self.least >= self.most

    @property
    def is_decided(self) -> bool:
        """Whether the fewest moves are known, or that no solution exists."""
        return self.is_tight or self.is_dead

    @property
    def jumps(self) -> list[tuple[int, int]]:
        """Origin and target of each step in `holes`."""
        return list(zip(self.holes[::2], self.holes[1::2], strict=True))


MovesLeft = Callable[[Position], int]
"""Position -> the fewest moves still to be started; negative if no solution exists or none is known."""


class KnownAnswer(NamedTuple):
    """What a look-up finds: an answer, the place that it comes from, and a shortest solution."""

    left: int
    """Fewest moves left, DEAD or UNKNOWN."""
    proof: str = "table"
    """Place of the answer: "table", "kept" or "atlas" (see `core.events`), or "" if the rules prove it."""
    reason: str = "table"
    """Code of the reason why a dead position is dead; without meaning for other positions."""
    jumps: Sequence[tuple[int, int]] = ()
    """Origin and target of each step of a shortest solution; empty if `table` has it."""
    table: MovesLeft | None = None
    """Exact moves left of every position on a shortest solution, if the answer comes from a table."""


class ByteStore(Protocol):
    """Store of bytes under names. The store limits its own size; its methods never raise."""

    def get(self, name: str) -> bytes | None:
        """Return the value stored under a name, or None if there is none."""
        ...

    def put(self, name: str, value: bytes) -> None:
        """Store `value` under a name; the store may drop other values to make room."""
        ...


class GivenUp(Exception):
    """Failure to prove an answer, or to find all shortest solutions, within the limits of memory and time.

    `reason`: "large" (memory), "long" (nodes of the search) or "many" (solutions).
    """

    SENTENCES: ClassVar = {
        "large": "the search needs more memory than it can get",
        "long": "the search takes too many nodes",
        "many": "too many positions are on shortest solutions, or there are 2**63 solutions or more",
    }
    """Code of a reason -> the message."""

    def __init__(self, reason: str) -> None:
        """`reason`: a key of `SENTENCES`."""
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return self.SENTENCES[self.reason]


class Source:
    """Exact answers for one puzzle and goal. This base class knows none: every answer is UNKNOWN.

    Subclasses override `moves_left`; those without a complete table also `solution_lookup` and, if that may
    return None, `build_solution_lookup`. What they prove they record in `Engine.bounds`.
    """

    is_complete = False  # whether every position is in a table, so that an answer costs microseconds

    def moves_left(self, position: Position) -> int:
        """Return the fewest moves still to be started from `position`, or DEAD, or UNKNOWN."""
        return UNKNOWN

    def known_answer(self, position: Position) -> KnownAnswer:
        """Return the answer for `position` that is known without a search, perhaps UNKNOWN.

        Sources whose `moves_left` may search override this method.
        """
        return KnownAnswer(self.moves_left(position), table=self.moves_left)

    def answer(self, position: Position) -> KnownAnswer:
        """Return the answer of `moves_left`; if it is UNKNOWN, request a proof in the background."""
        answer = self.known_answer(position)
        if answer.left == UNKNOWN:
            self.request_proof(position)
        return answer

    def is_costly(self, position: Position) -> bool:
        """Return whether the answer for a position on a proved solution is worth storing."""
        return False

    def find_solution(self, position: Position, in_warmup: bool = False) -> None:
        """Search for a solution, perhaps in the background, and record it in `Engine.bounds`.

        The solution need not be shortest. `in_warmup`: whether to search only briefly. By default nothing is
        done.
        """

    def request_proof(self, position: Position) -> None:
        """Request a proof of the answer for `position` in the background. By default nothing is done."""

    def solution_lookup(self, position: Position) -> MovesLeft | None:
        """Return the moves left as a function of positions reachable from `position`, or None.

        The function is exact on shortest solutions; for all other positions it is exact or negative. It stays
        valid if the source drops tables later. None means that `build_solution_lookup` has to build it.
        """
        return self.moves_left if self.is_complete else None

    def build_solution_lookup(self, position: Position) -> Progressing[MovesLeft]:
        """Return the function of `solution_lookup`, built if necessary. Yield the progress, 0 to 1.

        Raises:
            GivenUp: building takes too much memory or time.
        """
        yield 0.0
        return self.moves_left

    def needs_large_build(self, position: Position) -> bool:
        """Return whether `build_solution_lookup` may take hundreds of megabytes."""
        return False

    def distribution(self) -> list[int] | None:
        """Return the numbers of positions with 0, 1, 2, … moves left, or None without a complete table.

        Peg boards are counted without an active peg.
        """
        return None

    def moves_by_number(self) -> Any:
        """Return the fewest moves by number of the state (uint8, NO_SOLUTION without a solution).

        See `core.numbering`. The result is None without a complete table.
        """
        return None

    def local_distribution(self, position: Position) -> LocalDistribution | None:
        """Return the distribution of the table that contains a position, or None if no table does."""
        return None

    def progress(self, position: Position) -> float | None:
        """Return the progress, 0 to 1, of a background build that may answer `position`, or None."""
        return None


def cost_of(steps: Iterable[Step]) -> int:
    """Return the number of moves that `steps` start."""
    return sum(step.cost for step in steps)


def group_moves(steps: Iterable[Step], most: int | None = None) -> list[list[int]]:
    """Group steps into moves, each a list of holes visited. A step at cost 0 continues the last move.

    If the first step has cost 0, it begins a list, too. `most`: number of moves after which the result ends;
    None groups all steps.
    """
    moves: list[list[int]] = []
    for step in steps:
        if step.cost == 0 and moves and moves[-1][-1] == step.origin:
            moves[-1].append(step.target)
        elif len(moves) == most:
            break
        else:
            moves.append([step.origin, step.target])
    return moves


def steps_of(moves: Iterable[Sequence[int]]) -> list[tuple[int, int]]:
    """Return (origin, target) of each step of `moves`, each a list of holes visited."""
    return [step for move in moves for step in itertools.pairwise(move)]


def prebuild_decoder(schema: Schema) -> Schema:
    """Build the decoder of `schema` at import time, and return the class (class decorator).

    Otherwise msgspec builds the decoder at the first use of the class. If two threads do this at the same
    moment, the process ends with a segmentation fault.
    """
    msgspec.json.Decoder(schema)
    return schema
