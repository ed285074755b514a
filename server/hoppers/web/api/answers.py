"""The answers of the API as types: what clients may rely on, and what the OpenAPI document says.

Fields are only ever added. Docstrings and descriptions are part of the document, where the names of the types
are those of its components. A type named as another one of the program ends in `Answer`.
"""

from typing import Annotated, Any, Literal, NotRequired, TypeAlias, TypedDict

from msgspec import Meta

from hoppers.analysis import verdicts

PositionText: TypeAlias = Annotated[
    str,
    Meta(description="A position: one character per hole in reading order, then `:6` for the active peg"),
]
GoalText: TypeAlias = Annotated[
    str, Meta(description="A goal: the hole where the last peg, or the gap, is to end, `any`, or a position")
]
Move: TypeAlias = Annotated[list[int], Meta(description="The holes that a piece visits in one move")]
MovesLeft: TypeAlias = Annotated[
    int | None, Meta(description="Fewest moves still to be started; null if dead, unknown or not proved")
]
VerdictName: TypeAlias = Annotated[
    verdicts.VerdictName,
    Meta(description="`dead` is proved: the goal cannot be reached; `unknown` is not decided yet"),
]
ShareDone: TypeAlias = Annotated[float, Meta(ge=0, le=1)]
LatticePoint: TypeAlias = Annotated[list[int], Meta(min_length=2, max_length=2)]
Point: TypeAlias = Annotated[list[float], Meta(min_length=2, max_length=2)]
Marks: TypeAlias = Annotated[
    list[list[int]], Meta(description="Groups of holes, each behind its number of moves, or its weight")
]

Ends = TypedDict("Ends", {"from": int, "to": int})
Ends.__doc__ = "The holes where a step begins and ends."


class Index(TypedDict):
    """The index: name and version of the program, and every address with a sentence."""

    name: str
    version: str
    description: Annotated[str, Meta(description="Address of the OpenAPI document")]
    requests: dict[str, str]


class PuzzleSummary(TypedDict):
    """A puzzle in the list of puzzles."""

    id: str
    title: str
    family: str
    holes: int
    start: PositionText
    goal: GoalText
    methods: list[str]


class PuzzleList(TypedDict):
    """All puzzles, in the order of the gallery."""

    puzzles: list[PuzzleSummary]


class ProblemAnswer(TypedDict):
    """A classic problem."""

    name: str
    start: PositionText
    goal: GoalText


class MethodNote(TypedDict):
    """A method in words."""

    title: str
    note: str


class PuzzleAnswer(PuzzleSummary):
    """A puzzle with all that is needed to draw and play it."""

    objective: str
    alphabet: Annotated[str, Meta(description="The characters of a position")]
    points: Annotated[list[LatticePoint], Meta(description="The holes on an integer lattice")]
    drawn: Annotated[list[Point], Meta(description="The holes on the screen, nearest neighbours 100 apart")]
    starts: dict[str, PositionText]
    goals: list[GoalText]
    problems: list[ProblemAnswer]
    method_notes: dict[str, MethodNote]
    lesson: Annotated[str, Meta(description="The method worth watching")]


class BoundsAnswer(TypedDict):
    """What is proved of the fewest moves (`least`), and the moves of the best known solution (`most`)."""

    least: int
    most: int | None


class VerdictAnswer(TypedDict):
    """The verdict on a position. `bounds` is left out if there are none."""

    verdict: VerdictName
    moves_left: MovesLeft
    bounds: NotRequired[BoundsAnswer]


class PlacedVerdict(VerdictAnswer):
    """A position and the verdict on it."""

    position: PositionText


class StepAnswer(Ends, PlacedVerdict):
    """A legal step, the position that it leads to, and the verdict on that one."""

    cost: Annotated[int, Meta(ge=0, le=1, description="1 if the step begins a move, 0 if it continues one")]


class PositionAnswer(PlacedVerdict):
    """The verdict on a position and on every legal step."""

    preparation: Annotated[
        ShareDone | None, Meta(description="Progress of the work that will decide the verdict: ask again")
    ]
    warming: Annotated[
        list[int] | None,
        Meta(description="[ready, all]: numbers of puzzles, until the server has loaded this one"),
    ]
    steps: list[StepAnswer]


class HintAnswer(VerdictAnswer):
    """The next move of the best known solution, which is a shortest one if `proved`."""

    move: Move
    step: Ends | None
    proved: bool


class SolutionAnswer(VerdictAnswer):
    """The best known solution, which is a shortest one if `proved`; no moves if none is known."""

    moves: list[Move]
    proved: bool


class SolutionPage(TypedDict):
    """How many shortest solutions there are, all and up to symmetry, and one page of them."""

    moves_left: MovesLeft
    count: int | None
    unique_count: int | None
    solutions: list[list[Move]]
    counting: Annotated[
        ShareDone | None, Meta(description="Progress of the list that is being made: ask again")
    ]
    reason: Annotated[
        Literal["large", "long", "many", "busy"] | None, Meta(description="Why there is no list")
    ]
    next: Annotated[str | None, Meta(description="Address of the next page")]


class StepSum(Ends):
    """The sum after a legal step."""

    sum: int


class Proof(TypedDict):
    """Whole numbers of the holes, and their sum in `position` and in `goals`; the `law` excludes `goals`.

    Of a slack, `goal_sum` is the least of `goals`, and they are excluded only if `sum` is less.
    """

    law: Annotated[
        str, Meta(description="`sum`: no step raises the sum; `parity`: no step changes whether it is odd")
    ]
    position: PositionText
    goals: list[PositionText]
    weights: dict[str, int]
    sum: int
    goal_sum: int
    after: list[StepSum]


class ReasonAnswer(TypedDict):
    """Why a position is dead; `reason` is null if it is not."""

    reason: str | None
    sentence: str | None
    boards: Annotated[int | None, Meta(description="How many boards can follow, this one included")]
    proofs: list[Proof]
    moves: "list[ReasonOfStep]"


class ReasonOfStep(Ends, ReasonAnswer):
    """A legal step, and why it leads to a dead position."""


class DeadReason(VerdictAnswer, ReasonAnswer):
    """The verdict on a position and, if it is dead, why."""

    certificate: Annotated[str | None, Meta(description="Address of the proof for programs, if there is one")]


class CertifiedBoard(TypedDict):
    """A board as rows, in which each `o` is a hole, and the directions (x, y) of its lines."""

    rows: list[str]
    lines: list[LatticePoint]


class CertificateAnswer(TypedDict):
    """A claim about a position with a proof that another program can check: see docs/certificates.md."""

    board: CertifiedBoard
    start: PositionText
    goal: GoalText
    claim: Annotated[
        Literal["impossible"] | dict[Literal["moves", "solutions", "most"], int],
        Meta(description="`moves`: the fewest, of as many `solutions`; `most`: as many are enough"),
    ]
    proof: Annotated[
        dict[str, Any],
        Meta(description="The `kind` (`functions`, `levels`, `table` or `line`), and its fields"),
    ]


class LineAnswer(TypedDict):
    """A line of play: its start and its steps, each with a verdict."""

    start: PlacedVerdict
    steps: list[StepAnswer]


class SolutionNumberAnswer(TypedDict):
    """The number of a line among all shortest solutions, from 1; null if it is another line or not known."""

    number: int | None
    kind: int | None
    kinds: int | None
    counting: Annotated[
        ShareDone | None, Meta(description="Progress of the count that will give the number: ask again")
    ]


class Deal(TypedDict):
    """The random position of a seed."""

    position: PositionText
    seed: str
    of: Annotated[int | None, Meta(description="How many positions of the kind there are")]


class Distribution(TypedDict):
    """How many positions have 0, 1, 2, … moves left; null without a complete table."""

    counts: list[int] | None
    positions: int | None


class AtlasResult(TypedDict):
    """What the atlas says of a goal."""

    goal: GoalText
    state: Literal["proved", "found", "open", "impossible"]
    moves: int | None
    least: int | None
    count: int | None
    unique_count: int | None
    solve_bits: Annotated[float | None, Meta(description="How unlikely random play is to solve it (pegs)")]
    fewest_bits: Annotated[
        float | None, Meta(description="How unlikely random play is to solve it in the fewest moves")
    ]
    difficulty: Annotated[int, Meta(ge=1, le=5)] | None
    reason: Annotated[
        str | None, Meta(description="Why it is impossible: `class`, `pagoda`, `levels` or `table`")
    ]


class AtlasResults(TypedDict):
    """The results of the atlas about every goal from a position."""

    position: PositionText
    goals: list[AtlasResult]


class MethodBound(TypedDict):
    """The lower bound of a method, or that of a set of holes; `method` is then ''.

    `proved` is false if it may say too much. `faults`, only of sets of holes: the steps (from, to) that make
    the set give no bound; it is left out where every set gives one.
    """

    method: str
    bound: int
    marks: Marks
    proved: NotRequired[bool]
    faults: NotRequired[list[list[int]]]


TraceEvent: TypeAlias = Annotated[
    list[str | int | list[list[int]]],
    Meta(
        min_length=9,
        max_length=10,
        description="Kind, limit, depth, from, to, position, moves made, bound, 1 if it is a node, and marks",
    ),
]


class TraceAnswer(TypedDict):
    """One page of the events of a limit, and all limits that can be watched."""

    method: str
    limits: Annotated[
        list[Annotated[list[int | str], Meta(min_length=4, max_length=5)]],
        Meta(description="Limit, nodes, cut positions, result; bytes held by a breadth-first search"),
    ]
    whole: Annotated[bool, Meta(description="Whether these are all limits of the search")]
    proved: NotRequired[bool]
    page_nodes: int
    limit: int
    page: int
    line: list[TraceEvent]
    events: list[TraceEvent]


class DeckSummary(TypedDict):
    """A deck of cards."""

    id: str
    title: str
    cards: int


class DeckList(TypedDict):
    """All decks."""

    decks: list[DeckSummary]


class DayCard(TypedDict):
    """The problem of a card. `moves` is the proved minimum."""

    puzzle: str
    position: PositionText
    goal: GoalText
    moves: int


class CardAnswer(DayCard):
    """A card of a deck with its measures."""

    number: int
    level: Annotated[int, Meta(ge=1, le=4)]
    solutions: Annotated[int, Meta(description="Number of shortest solutions up to symmetry")]
    difficulty: Annotated[float, Meta(description="Fewest bits: how unlikely random play is to do as well")]
    idea: str
    measures: list[str]


class DeckAnswer(TypedDict):
    """A deck with its cards."""

    id: str
    title: str
    measures: list[str]
    cards: list[CardAnswer]


class DayAnswer(DayCard):
    """The cards of a day."""

    date: Annotated[str, Meta(extra_json_schema={"format": "date"})]
    level: Annotated[int, Meta(ge=1, le=5)]
    mini: DayCard


class DaysAnswer(TypedDict):
    """The cards of several days."""

    days: list[DayAnswer]


class ErrorBody(TypedDict):
    """An error: a code for programs, and a sentence that quotes what was wrong."""

    code: str
    message: str


class ErrorAnswer(TypedDict):
    """The shape of all errors."""

    error: ErrorBody
