"""Puzzles as frozen records of data and compiled rules. Code for one puzzle is in `hoppers.puzzles`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce, wraps
from operator import or_
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, TypeVar, TypeVarTuple

import numpy as np

from hoppers.core.board import Board, Permutation
from hoppers.core.errors import PuzzleError, checked_length
from hoppers.core.events import Event, Marks, Visit
from hoppers.core.kernels import Kernel, as_python
from hoppers.core.model import (
    Bounds,
    KnownAnswer,
    Position,
    Problem,
    RandomKind,
    Source,
    Step,
    group_moves,
)
from hoppers.core.notation import read_cells
from hoppers.core.numbering import StateNumbering
from hoppers.core.reasons import Reason, Tally
from hoppers.core.rules import RuleKernels, expand, follow
from hoppers.core.texts import Text, joined
from hoppers.runtime.builder import Builder
from hoppers.runtime.memory_budget import MemoryBudget

MAX_STEPS = 256
MAX_POSITION_LENGTH = 240
"""Characters of a position: enough for a picture of a board of nine rows with blanks between the holes."""
Args = TypeVarTuple("Args")
Result = TypeVar("Result")
Certificate = dict[str, Any]
"""A claim about a position with its proof, as JSON: see docs/certificates.md."""


class Question(NamedTuple):
    """Input of a search: a puzzle, a position, and a goal as its code in `Rules.goals`."""

    puzzle: Puzzle
    goal: int
    position: Position
    find_all: bool = False  # whether to count all shortest solutions
    first: Step | None = None  # first step of every solution to search for; None: any step
    proved: int = -1  # highest limit for which an earlier search has proved that there is no solution

    @property
    def root(self) -> Position:
        """Position where the search starts: the position after `first`, or else `position`."""
        return self.position if self.first is None else self.first.after

    @property
    def spent(self) -> int:
        """Number of moves already made at the root: the cost of `first`, or 0."""
        return 0 if self.first is None else self.first.cost

    @property
    def first_limit(self) -> int:
        """Lowest limit to search: above `proved` and at least `spent`.

        It is at least 1, too, unless continuing the move of an active peg may suffice.
        """
        carries_on = self.puzzle.rules.multi_step_moves and self.root.active >= 0
        lowest = self.spent if carries_on else max(1, self.spent)
        return max(lowest, self.proved + 1)


def moves_of(question: Question, steps: Iterable[Step]) -> list[list[int]]:
    """Return the steps grouped into moves, with the question's first step, if any, before them."""
    return group_moves([question.first, *steps] if question.first is not None else steps)


class Algorithm(NamedTuple):
    """What a search does, as far as its pseudo-code and its nodes show it (see `search.pseudo_code`)."""

    order: Literal["depth", "breadth", "both ends"] = "depth"
    has_bound: bool = False
    slack: int = 0
    """Moves by which a step may exceed limit and bound; only where every step costs 1."""
    has_table: bool = False
    """Whether positions searched in vain are stored."""
    node: Text | None = None
    """What a node is; None: one call of `search` in the pseudo-code."""

    @property
    def has_levels(self) -> bool:
        """Whether its limits are levels of a breadth-first search."""
        return self.order != "depth"


class Method(NamedTuple):
    """A search algorithm for a shortest solution; `search` yields events (see `core.events`)."""

    title: Text
    note: Text
    search: Callable[[Question], Iterator[Event]]
    trace: Callable[[Question, int, int], Iterator[Visit]] | None = None
    """(question, limit, number of the first node) -> visits; None if the search cannot be traced."""
    may_look_up: Callable[[Question], bool] = lambda question: False
    """Question -> whether an answer that is already known may replace the search."""
    is_admissible: bool = True
    """Whether its events are proofs; False if its lower bound may overestimate, as in a deliberate error."""
    least_saved: float = math.inf
    """Nodes from which on a proof is saved for later processes; by default it never is."""
    algorithm: Algorithm = Algorithm()
    groups: Callable[[Puzzle], list[set[int]]] = lambda puzzle: []
    """Puzzle -> disjoint groups of holes on which the method rests, which pages draw beside its note."""


class Rules(NamedTuple):
    """The compiled rules of a puzzle and the meaning of its states."""

    kernels: RuleKernels
    tables: Any
    """Tuple of arrays or numbers that the kernels take."""
    alphabet: str
    """Cell value -> its character in texts, no capital letter and none of `notation.SEPARATORS`."""
    bits_per_cell: int
    goals: Mapping[str, int]
    """Goal text -> the code that the kernels take."""
    find_active: Callable[[tuple[int, ...]], int]
    """Cells -> the active hole of a position between two moves: the gap, or -1."""
    validate: Callable[[tuple[int, ...]], Text | None]
    """Cells -> the reason why the puzzle has no such position, or None if it has."""
    goal_image: Callable[[Permutation, int], int | None]
    """(symmetry of the board, goal) -> image of the goal; None if the rules do not have this symmetry."""
    notations: tuple[str, ...] = ()
    """Further alphabets that texts may use in place of `alphabet`; a text that mixes them is refused."""
    are_numbers: bool = False
    """Whether cell values may also be written as decimal numbers, separated by blanks or commas."""
    multi_step_moves: bool = False
    """Whether one move may be several steps, so that texts may end in ':6', the active peg."""
    cell_bits: tuple[int, ...] | None = None
    """Cell value -> its bits in hole 0; hole n has them n * `bits_per_cell` higher. None: the value."""
    unique: str = ""
    """Characters that every position has exactly once, such as the gap."""
    obstruction: Callable[[Position, int], str | None] = lambda position, goal: None
    """(position, goal) -> code of a cheap proof that the position is dead, or None."""
    numbering: StateNumbering | None = None
    """Numbers of the states; None: the puzzle has too many for a complete table."""
    description: Mapping[str, object] = {}
    """The rules as data, for programs that read a file of tables; "kind" says how: see docs/tables.md."""
    dead_reason: Callable[[Position, int], Reason | None] = lambda position, goal: None
    """(position, goal) -> a cheap proof that the position is dead, such as that of `obstruction`, or None.

    It may take some hundredths of a second, so only people's questions ask for it.
    """
    fitting_tally: Callable[[Position, int], Tally | None] = lambda position, goal: None
    """(position, goal) -> numbers of the holes whose sum no step raises, and that fits the goal; None: none.

    It may take as long as `dead_reason`.
    """

    @property
    def cell_mask(self) -> int:
        """Mask of all bits that hole 0 has in a state."""
        return (1 << self.bits_per_cell) - 1 if self.cell_bits is None else reduce(or_, self.cell_bits)


class Texts(NamedTuple):
    """Texts on the page of a puzzle, in every language."""

    title: Text
    rule: Text
    """The rules in a sentence or two; without the aim if there is one."""
    handling: Text = Text(
        "Press a piece, then the hole to move it to, or drag it there. Legal holes are marked."
    )
    setting: Text = Text("Tap the board to change what is there, or type the position.")
    """Instruction for setting up a position by hand."""
    last_piece: Text = Text("last piece")
    """Name of the piece that has to end in the goal, if goals are holes."""
    aim: Text | None = None
    """What a problem asks for, in a sentence of its own; None: `rule` says it."""
    remark: Text | None = None
    """What else is to be known about the puzzle, where puzzles are chosen or listed."""

    @property
    def objective(self) -> Text:
        """The rules and the aim."""
        return joined(self.rule, self.aim) if self.aim is not None else self.rule


class ChosenBound(NamedTuple):
    """The lower bound that a set of holes gives, chosen by a person."""

    bound: int
    marks: Marks
    """Parts of the set, each with the moves that it still costs."""
    faults: tuple[tuple[int, int], ...] | None
    """Steps (from, to) because of which the set gives no bound; None if every set of the puzzle gives one."""


class Solving(NamedTuple):
    """Search methods of a puzzle, and its sources of exact answers."""

    methods: Mapping[str, Method]
    open_source: Callable[[Puzzle, int], Source]
    """(puzzle of an engine, goal) -> source of exact answers; building a complete table may take seconds."""
    default_method: str = "deepening"  # the method that a page starts with
    hidden_methods: Mapping[str, Method] = {}
    """Further accepted ids: former ids of listed methods, and methods with deliberate errors, for lessons."""
    lower_bound: Callable[[Puzzle, Position, int], int] = lambda puzzle, position, goal: 0
    """Number of moves that the rules prove to be needed, without a search.

    It may call compiled kernels only if `Puzzle.is_compiled`.
    """
    any_solution: Callable[[Puzzle, Position, int], list[Step]] | None = None
    """(puzzle, position, goal) -> steps of a solution, which need not be shortest.

    It finds one for every position that `Rules.obstruction` does not rule out, within a fraction of a second
    and without compiled kernels. None: the puzzle has no such function.
    """
    chosen_bound: Callable[[Puzzle, Position, frozenset[int]], ChosenBound] | None = None
    """(puzzle, position, holes chosen) -> the lower bound that they give; None: no set of holes gives one."""
    certificate: Callable[[Puzzle, Position, int, str], Certificate | None] = lambda *arguments: None
    """(puzzle, position, goal, best known solution as in links, or '') -> a claim with its proof, as JSON."""
    max_sources: int = 64
    """Goals whose sources of answers are kept, the first ones opened are dropped first."""
    kernels_of: str = ""
    """Id of a listed puzzle with the same kernels, for a puzzle that is not listed; "": its own."""
    precompile: Mapping[str, Callable[[], None]] = {}
    """Name -> a function that compiles further kernels, which the puzzle's own start may not need."""


class Gallery(NamedTuple):
    """Problems that the page of a puzzle offers, and settings for drawing its board."""

    problems: tuple[Problem, ...]  # the classic starts and goals; the first is the puzzle's own
    pieces: tuple[str, ...]  # cell value -> glyph (peg, tile, disc-b, disc-w; '' draws nothing)
    order: int  # sort key of the puzzle in lists
    frame: str = "hull"  # outline of the drawn board: hull or tray
    starts: Mapping[str, str] | None = None  # label -> position to start from; None: those of `problems`
    opening: str = ""  # position with which the page of the puzzle opens; "": the start of its own problem
    random_kinds: Mapping[str, RandomKind] = {}  # name in addresses -> kind of random positions
    arrow_keys: bool = False
    """Whether arrow keys move pieces. This needs rules by which only one piece can move in each direction."""
    featured: bool = True
    """Whether the gallery lists the puzzle. Pages of its family link to puzzles that the gallery omits."""


class PositionBounds(Protocol):
    """What is known of the fewest moves of all positions: see `tablebase.bounds`."""

    @property
    def changes(self) -> int:
        """Number of changes to records of atlas problems that were not proved."""
        ...

    def of(self, puzzle: Puzzle, goal: int, position: Position) -> Bounds:
        """Return the bounds of a position, without `Bounds.holes`."""
        ...

    def record(self, puzzle: Puzzle, goal: int, position: Position) -> Bounds:
        """Return the bounds of a position without those of the rules, and its best known solution."""
        ...

    def answer(self, puzzle: Puzzle, goal: int, position: Position) -> KnownAnswer:
        """Return the answer that the record of a position proves, or UNKNOWN."""
        ...

    def stored_answer(self, puzzle: Puzzle, goal: int, position: Position) -> KnownAnswer:
        """Return what `answer` does, after learning what other processes have stored of the position."""
        ...

    def line(self, puzzle: Puzzle, goal: int, position: Position) -> list[Step]:
        """Return the steps of the best known solution, an empty list if none is known."""
        ...

    def would_improve(self, puzzle: Puzzle, goal: int, position: Position, left: int) -> bool:
        """Return whether a proof that `left` moves are the fewest would improve a record."""
        ...

    def learn_line(self, puzzle: Puzzle, goal: int, position: Position, steps: Sequence[Step]) -> None:
        """Record a solution for its start and for every position on it."""
        ...

    def learn_shortest(self, puzzle: Puzzle, goal: int, position: Position, steps: Sequence[Step]) -> None:
        """Record a solution that is proved shortest, for its start and for every position on it."""
        ...

    def learn_dead(self, puzzle: Puzzle, goal: int, position: Position) -> None:
        """Record a proof that a position has no solution."""
        ...

    def learn_steps_from(self, puzzle: Puzzle, goal: int, position: Position, steps: Iterable[Step]) -> None:
        """Record that `steps` are legal, and improve the bounds on both sides."""
        ...

    def raise_least(
        self,
        puzzle: Puzzle,
        goal: int,
        position: Position,
        least: int,
        steps: Iterable[Step] | None = None,
    ) -> None:
        """Record a proof that no solution of a position has fewer than `least` moves."""
        ...

    def save(self, puzzle: Puzzle, goal: int, position: Position, steps: Sequence[Step] = ()) -> None:
        """Store what is proved of a position, and of the costly ones on `steps`, for later processes."""
        ...


class PuzzleEngine(Protocol):
    """What puzzles use of the engine that answers for them: see `tablebase.engine`."""

    builder: Builder
    is_busy: Callable[[], bool]
    memory: MemoryBudget
    positions: Path | None
    """Folder of the files of `hoppers positions`, or None."""

    @property
    def bounds(self) -> PositionBounds:
        """Bounds and best known solutions of all positions."""
        ...

    def find(self, id: str) -> Puzzle:
        """Return the puzzle of this engine whose id is `id`."""
        ...

    def resource(self, make: Callable[[PuzzleEngine], Result]) -> Result:
        """Return the resource `make(engine)`, created at the first call and shared by all later calls."""
        ...

    def may_build_large(self) -> bool:
        """Return whether builds that take hundreds of megabytes or can wait may run now."""
        ...

    def may_call_kernels(self, id: str) -> bool:
        """Return whether this thread may call the kernels of a puzzle."""
        ...

    def uncompiled_source(self, puzzle: Puzzle, goal: int) -> Source:
        """Return the source of answers that needs no compiled kernel."""
        ...


@dataclass(frozen=True, eq=False)
class Puzzle:
    """Rules, texts, methods and page settings of one puzzle, with operations on its positions.

    The text of a position has one character per hole, in reading order, then ':' and the active peg, if any.
    """

    id: str
    family: str
    board: Board
    rules: Rules
    texts: Texts
    solving: Solving
    gallery: Gallery
    owner: PuzzleEngine | None = None
    """Engine that answers for this puzzle; None in the registry of puzzles."""
    _sources: dict[int, Source] = field(default_factory=dict, init=False, repr=False)
    """Goal -> its source. The system may drop the pages of large tables, which are files."""

    def __post_init__(self) -> None:
        """Raise ValueError if a state of the puzzle does not fit into a 64-bit word."""
        if self.rules.cell_mask << self.rules.bits_per_cell * (self.holes - 1) >= 1 << 64:
            raise ValueError(f"{self.id} needs more than 64 bits")

    @property
    def holes(self) -> int:
        """Number of holes of the board."""
        return len(self.board.points)

    @property
    def start(self) -> str:
        """Start of the puzzle's own problem, as a text."""
        return self.gallery.problems[0].start

    @property
    def goal(self) -> str:
        """Goal of the puzzle's own problem, as a text. It is the default goal of searches."""
        return self.gallery.problems[0].goal

    @property
    def starts(self) -> Mapping[str, str]:
        """Positions offered as starts, by label."""
        if self.gallery.starts is not None:
            return self.gallery.starts
        return {problem.start: problem.start for problem in self.gallery.problems}

    @property
    def engine(self) -> PuzzleEngine:
        """The engine that answers for this puzzle.

        Raises:
            LookupError: the puzzle comes from the registry, whose puzzles belong to no engine.
        """
        if self.owner is None:
            raise LookupError(f"{self.id} belongs to no engine; take it from Engine.puzzles")
        return self.owner

    @property
    def kernels_id(self) -> str:
        """Id of the listed puzzle with whose kernels those of this one are compiled."""
        return self.solving.kernels_of or self.id

    @property
    def is_compiled(self) -> bool:
        """Whether this thread may call the kernels: see `Engine.may_call_kernels`; True without an engine."""
        return self.owner is None or self.owner.may_call_kernels(self.kernels_id)

    @property
    def can_answer(self) -> bool:
        """Whether answers need not wait for kernels: they may be called, or a table has everything."""
        return self.is_compiled or self.source(self.parse_goal(None)).is_complete

    def source(self, goal: int) -> Source:
        """Return the source of exact answers for a goal, created at the first call, which may take seconds.

        While this thread may not call the kernels, return one that needs none.

        Raises:
            LookupError: the puzzle comes from the registry, whose puzzles belong to no engine.
        """
        if not self.is_compiled:
            return self.engine.uncompiled_source(self, goal)
        _ = self.engine  # raises for a puzzle of the registry, also if its source would need no engine
        if goal not in self._sources:
            while len(self._sources) >= self.solving.max_sources:
                self._sources.pop(next(iter(self._sources)), None)
            # of two threads, both get the source that is stored first, with the answers it will learn
            return self._sources.setdefault(goal, self.solving.open_source(self, goal))
        return self._sources[goal]

    def loaded_source(self, goal: int) -> Source | None:
        """Return the source of a goal if it has been created and the kernels may be called, else None.

        This never builds or loads a table, so the caller may be the event loop.
        """
        return self._sources.get(goal) if self.is_compiled else None

    def _run(self, kernel: Kernel, position: Position, *arguments: Any) -> Any:
        """Run a kernel on a position; as plain Python while this thread may not call the compiled one."""
        function = kernel if self.is_compiled else as_python(kernel)
        return function(np.uint64(position.state), position.active, *arguments)

    @cached_property
    def _expand(self) -> Kernel:
        return self.rules.kernels.specialise(expand)

    def _expanded(self, position: Position) -> tuple[Any, Any]:
        """Return the states after all legal steps, and the rows of the steps (see `core.rules.expand`)."""
        states = np.empty(MAX_STEPS, np.uint64)
        rows = np.empty((MAX_STEPS, 4), np.int64)
        count = self._run(self._expand, position, self.rules.tables, states, rows)
        return states[:count], rows[:count]

    def legal_steps(self, position: Position) -> list[Step]:
        """Return all legal steps. Unlike in `steps`, a peg stays active even if it cannot jump on."""
        return _steps_from(*self._expanded(position))

    def steps(self, position: Position) -> list[Step]:
        """Return all legal steps. Each leads to a canonical position (see `canonical`)."""
        return [step._replace(after=self.canonical(step.after)) for step in self.legal_steps(position)]

    def step(self, position: Position, origin: int, target: int) -> Step:
        """Return the legal step between two holes.

        Raises:
            PuzzleError: no legal step leads from `origin` to `target`.
        """
        for step in self.steps(position):
            if (step.origin, step.target) == (origin, target):
                return step
        raise PuzzleError(
            "{step} is not a legal step in {position!r}",
            "invalid_move",
            step=[origin, target],
            position=self.format(position),
        )

    def replay(self, position: Position, jumps: Sequence[tuple[int, int]]) -> list[Step]:
        """Return the step, as in `legal_steps`, for each (origin, target) of `jumps`, from `position` on.

        Raises:
            ValueError: one of the steps is not legal.
        """
        return self._follow(position, np.array(jumps, np.int64).reshape(-1, 2), np.zeros(0, np.uint64))

    def steps_along(self, position: Position, states: Sequence[int]) -> list[Step]:
        """Return the steps, as in `legal_steps`, from `position` through `states`, the state after each step.

        Raises:
            ValueError: no legal step leads to one of the states.
        """
        return self._follow(position, np.zeros((0, 2), np.int64), np.array(states, np.uint64))

    @cached_property
    def _follow_kernel(self) -> Kernel:
        return self.rules.kernels.specialise(follow)

    def _follow(self, position: Position, jumps: Any, afters: Any) -> list[Step]:
        """Return the steps from `position` that `jumps` or `afters` give; the other array is empty.

        `jumps`: origin and target of each step. `afters`: state after each step.

        Raises:
            ValueError: one of the steps is not legal.
        """
        length = len(jumps) or len(afters)
        states, rows = np.empty(length, np.uint64), np.empty((length, 4), np.int64)
        made = self._run(self._follow_kernel, position, jumps, afters, self.rules.tables, states, rows)
        if made < length:
            raise ValueError(f"step {made + 1} of {length} from {self.format(position)!r} is not legal")
        return _steps_from(states, rows)

    def canonical(self, position: Position) -> Position:
        """Return the position, without its active peg if that peg has no further jump."""
        if not self.rules.multi_step_moves or position.active < 0:
            return position
        costs = self._expanded(position)[1][:, 3]
        return Position(position.state) if costs.all() else position

    def is_solved(self, position: Position, goal: int) -> bool:
        """Return whether the position reaches the goal."""
        return bool(self._run(self.rules.kernels.is_solved, position, goal, self.rules.tables))

    def cells(self, state: int) -> tuple[int, ...]:
        """Return the values of all cells of a packed state, in reading order."""
        bits, mask, cell_bits = self.rules.bits_per_cell, self.rules.cell_mask, self.rules.cell_bits
        found = [state >> shift & mask for shift in range(0, bits * self.holes, bits)]
        return tuple(found if cell_bits is None else map(cell_bits.index, found))

    def pack(self, cells: tuple[int, ...]) -> int:
        """Return the packed state with the given values of all cells."""
        cell_bits = self.rules.cell_bits
        found = cells if cell_bits is None else [cell_bits[value] for value in cells]
        return sum(bits << self.rules.bits_per_cell * hole for hole, bits in enumerate(found))

    def parse(self, text: str) -> Position:
        """Return the position that a text describes, without an active peg that cannot jump on.

        The text may use any of the notations of `Rules`, and separators (see `core.notation`).

        Raises:
            PuzzleError: the text is not a position of this puzzle.
        """
        text = checked_length(text, "invalid_position", MAX_POSITION_LENGTH)
        body, colon, active = text.replace("\N{FULLWIDTH COLON}", ":").partition(":")
        cells = self._parse_cells(body)
        position = Position(self.pack(cells), self.rules.find_active(cells))
        if not colon:
            return position
        if not self.rules.multi_step_moves:
            raise PuzzleError(
                "{puzzle} has no active peg, so {active!r} in {text!r} has no meaning",
                "invalid_position",
                puzzle=self.texts.title,
                active=f":{active}",
                text=text,
            )
        return self.canonical(Position(position.state, self._parse_active(active.strip(), cells, text)))

    def _parse_cells(self, body: str) -> tuple[int, ...]:
        title = self.texts.title
        read = read_cells(body, (self.rules.alphabet, *self.rules.notations), self.rules.are_numbers)
        for hole, sign in enumerate(read.values):
            if isinstance(sign, str):
                raise PuzzleError(
                    "{letter!r} for hole {hole} of {text!r} is not allowed; use only {alphabet}",
                    "invalid_position",
                    letter=sign,
                    hole=hole,
                    text=body,
                    alphabet=read.signs,
                )
        if (n := len(read.values)) != self.holes:
            length = Text("{n} character", {"n": n}, "{n} characters")
            if read.has_numbers:
                length = Text("{n} number", {"n": n}, "{n} numbers")
            raise PuzzleError(
                "{puzzle} has {holes} holes, but {text!r} has {length}",
                "invalid_position",
                puzzle=title,
                holes=self.holes,
                text=body,
                length=length,
            )
        cells = tuple(value for value in read.values if isinstance(value, int))
        if (reason := self.rules.validate(cells)) is not None:
            raise PuzzleError(
                "{text!r} is not a {puzzle} position: {reason}",
                "invalid_position",
                text=body,
                puzzle=title,
                reason=reason,
            )
        return cells

    def _parse_active(self, active: str, cells: tuple[int, ...], text: str) -> int:
        if not (active.isascii() and active.isdigit() and len(active) <= 2 and int(active) < self.holes):
            raise PuzzleError(
                "{active!r} in {text!r} is not a hole from 0 to {last}",
                "invalid_position",
                active=active,
                text=text,
                last=self.holes - 1,
            )
        if not cells[int(active)]:
            raise PuzzleError(
                "hole {active} in {text!r} is empty, so no peg there can be active",
                "invalid_position",
                active=active,
                text=text,
            )
        return int(active)

    def format(self, position: Position) -> str:
        """Return the text of a position. The active peg, if any, follows after a colon."""
        body = "".join([self.rules.alphabet[value] for value in self.cells(position.state)])
        has_active = self.rules.multi_step_moves and position.active >= 0
        return f"{body}:{position.active}" if has_active else body

    def parse_goal(self, text: str | None) -> int:
        """Return the code of a goal text; None means the puzzle's own goal.

        Raises:
            PuzzleError: the puzzle has no such goal.
        """
        code = self.rules.goals.get(self.goal if text is None else checked_length(text, "invalid_goal"))
        if code is None:
            raise PuzzleError(
                "{puzzle} has no goal {text!r}; choose one of {goals}",
                "invalid_goal",
                text=text,
                puzzle=self.texts.title,
                goals=", ".join(self.rules.goals),
            )
        return code

    def goal_text(self, goal: int) -> str:
        """Return the text of the goal that has the code `goal`."""
        return next(text for text, code in self.rules.goals.items() if code == goal)

    def method(self, name: str) -> Method:
        """Return the method with the id `name`. Hidden methods are accepted, too.

        Raises:
            PuzzleError: the puzzle has no such method.
        """
        found = {**self.solving.methods, **self.solving.hidden_methods}.get(name)
        if found is None:
            raise PuzzleError(
                "{puzzle} has no method {name!r}; choose one of {methods}",
                "invalid_method",
                name=name,
                puzzle=self.texts.title,
                methods=", ".join(self.solving.methods),
            )
        return found

    def symmetries(self, position: Position, goal: int) -> list[Permutation]:
        """Return the symmetries of the board that map goal and position to themselves."""
        cells = self.cells(position.state)
        return [
            image
            for image in self.board.symmetries
            if self.rules.goal_image(image, goal) == goal
            and all(cells[hole] == cells[image[hole]] for hole in range(self.holes))
            and (position.active < 0 or image[position.active] == position.active)
        ]


def cached_in_puzzle(function: Callable[[Puzzle, *Args], Result]) -> Callable[[Puzzle, *Args], Result]:
    """Cache the results of `function(puzzle, …)` in the puzzle itself (decorator).

    A module-level cache would keep every engine and its tables in memory for ever.
    """

    @wraps(function)
    def cached(puzzle: Puzzle, *arguments: *Args) -> Result:
        results: dict[Any, Result] = vars(puzzle).setdefault("_results", {})
        key = function, arguments
        if key not in results:
            results.setdefault(key, function(puzzle, *arguments))
        return results[key]

    return cached


def _steps_from(states: Any, rows: Any) -> list[Step]:
    """Return the steps that a kernel has written (see `core.rules.expand`)."""
    written = zip(states.tolist(), rows.tolist(), strict=True)
    return [
        Step(origin, target, Position(state, active), cost)
        for state, (origin, target, active, cost) in written
    ]
