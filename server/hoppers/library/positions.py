"""Puzzles, positions and complete tables as values that never change."""

from __future__ import annotations

import functools
import itertools
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, SupportsIndex, get_args, overload
from urllib.parse import urlencode

import numpy as np
import numpy.typing as npt

from hoppers.analysis.random_positions import random_in_moves, random_position
from hoppers.analysis.requests import parse_search
from hoppers.analysis.verdicts import DEAD_END, LIVE, SOLVED, Verdict, VerdictName
from hoppers.core.drawings import PREFIX, BoardDrawing
from hoppers.core.errors import quoted
from hoppers.core.model import DEAD, NO_SOLUTION, GivenUp
from hoppers.core.model import Position as State
from hoppers.core.puzzle import Puzzle as Rules
from hoppers.core.puzzle import Question
from hoppers.library import pictures, questions
from hoppers.library.arguments import checked_index, holes_in_text, holes_of, whole_number
from hoppers.library.errors import (
    Error,
    InvalidMove,
    InvalidOption,
    InvalidPosition,
    UnknownPuzzle,
    named_errors,
)
from hoppers.library.moves import Move, Moves, line_text, moves_of
from hoppers.library.searches import Search
from hoppers.library.solution_records import Bounds, Hint, Solutions
from hoppers.tablebase.solutions import solution_counts


def all_puzzles() -> tuple[Puzzle, ...]:
    """Return all puzzles, in the order of the gallery."""
    return tuple(map(Puzzle, questions.engine().puzzles.values()))


def puzzle(id: str) -> Puzzle:
    """Return the puzzle with this id.

    Raises:
        UnknownPuzzle: no puzzle has it.
    """
    if not isinstance(id, str):
        raise UnknownPuzzle("{id} is not the id of a puzzle", "unknown_puzzle", id=quoted(id))
    with named_errors():
        return Puzzle(questions.engine().find(id))


def board(drawing: str, lattice: Literal["s", "d", "t"] = "s") -> Puzzle:
    """Return the puzzle of pegs on a drawn board: see docs/own-boards.md.

    Args:
        drawing: an id such as `own-s-2c-e-e-e-d` or that of any puzzle, or a picture: a line for each row,
            with a letter for each hole and spaces for the rest. Rows of a triangular board are sheared.
        lattice: of a picture: `s` rows and columns, `d` diagonals, too, `t` triangular.

    Raises:
        UnknownPuzzle: there is no such board.
    """
    if not isinstance(drawing, str) or _is_id(drawing) or not drawing.strip():
        return puzzle(drawing)
    rows = enumerate(drawing.splitlines())
    points = [(x, y) for y, row in rows for x, mark in enumerate(row) if mark != " "]
    return puzzle(BoardDrawing.of(lattice, points).id)


def _is_id(text: str) -> bool:
    return text.startswith(PREFIX) or text in questions.engine().puzzles


def warm(puzzle: Puzzle) -> None:
    """Compile what answers and searches of a puzzle need, and build its table, so that no later call waits.

    Both are kept on disk for later processes; `hoppers warm` on the command line compiles for all puzzles.

    Raises:
        MissingExtra: Numba is not installed.
    """
    questions.warm(puzzle._rules)


@dataclass(frozen=True)
class Problem:
    """A classic problem of a puzzle: its name, start and goal, as texts."""

    name: str
    start: str
    goal: str


class Puzzle:
    """A board with its rules. Puzzles with equal ids are equal."""

    def __init__(self, rules: Rules) -> None:
        """`rules`: puzzle of the engine; programs call `puzzle`."""
        self._rules = rules

    @property
    def id(self) -> str:
        """Name in texts and addresses."""
        return self._rules.id

    @property
    def title(self) -> str:
        """Name for people."""
        return str(self._rules.texts.title)

    @property
    def family(self) -> str:
        """Name of the family of puzzles."""
        return self._rules.family

    @property
    def objective(self) -> str:
        """The rules in a sentence or two."""
        return str(self._rules.texts.objective)

    @property
    def holes(self) -> int:
        """Number of holes of the board."""
        return self._rules.holes

    @property
    def points(self) -> tuple[tuple[int, int], ...]:
        """Place (x, y) of each hole on a lattice."""
        return self._rules.board.points

    @property
    def start(self) -> str:
        """Text of the position where the puzzle's own problem starts."""
        return self._rules.start

    @property
    def goal(self) -> str:
        """Text of the goal of the puzzle's own problem."""
        return self._rules.goal

    @property
    def goals(self) -> tuple[str, ...]:
        """Texts of all goals."""
        return tuple(self._rules.rules.goals)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The classic problems; the first is the puzzle's own."""
        listed = self._rules.gallery.problems
        return tuple(Problem(str(problem.name), problem.start, problem.goal) for problem in listed)

    @property
    def methods(self) -> tuple[str, ...]:
        """Names of the search methods."""
        return tuple(self._rules.solving.methods)

    def position(self, text: str | None = None, goal: str | int | None = None) -> Position:
        """Return the position that a text describes, with a goal; by default the puzzle's own.

        Raises:
            InvalidPosition: `text` is not a position of the puzzle.
            InvalidGoal: `goal` is not a goal of the puzzle.
        """
        with named_errors():
            start = self._rules.start if text is None else text
            if not isinstance(start, str):
                raise InvalidPosition("{text} is not a text", "invalid_position", text=quoted(start))
            code = self._rules.parse_goal(None if goal is None else str(goal))
            return Position(self, self._rules.parse(start), code)

    @property
    def random_kinds(self) -> tuple[str, ...]:
        """Names of the kinds of random positions, such as easy ones; the page offers the first first."""
        return tuple(self._rules.gallery.random_kinds)

    def random(
        self,
        seed: str | int | None = None,
        goal: str | int | None = None,
        *,
        kind: str | None = None,
        moves: int | None = None,
    ) -> Position:
        """Return a random position, the same for equal seeds and as `/api/puzzles/<id>/deals/<kind>` gives.

        Args:
            seed: a number or text; None: any.
            goal: by default the puzzle's own.
            kind: one of `random_kinds`, by default the first.
            moves: in place of a kind, the number of moves that the position needs; small boards only.

        Raises:
            InvalidOption: the puzzle has no such kind or position, or the seed is neither or too long.
        """
        if moves is not None:
            return self._random_in_moves(seed, goal, kind, moves)
        if kind is None and not self.random_kinds:
            raise InvalidOption("{puzzle} has no random positions", "invalid_deal", puzzle=self.title)
        name = self.random_kinds[0] if kind is None else kind if isinstance(kind, str) else quoted(kind)
        with named_errors():
            return self.position(random_position(self._rules, name, _seed_text(seed)), goal)

    def _random_in_moves(self, seed: object, goal: str | int | None, kind: object, moves: object) -> Position:
        number, any_position = whole_number(moves), self.position(goal=goal)
        if number is None or number < 0 or kind is not None:
            sentence = "{moves} is not a number of moves, or a kind is given, too"
            raise InvalidOption(sentence, "invalid_deal", moves=quoted(moves))
        with named_errors(), questions.kernels(self._rules):
            text = random_in_moves(self._rules, any_position._goal, number, _seed_text(seed))
            return self.position(text, any_position.goal)

    def table(self, goal: str | int | None = None) -> Table:
        """Return the complete table of a goal. Making that of a large board takes seconds.

        Raises:
            InvalidGoal: `goal` is not a goal of the puzzle.
            Error: the puzzle has too many positions for a complete table.
        """
        return Table(self.position(goal=goal))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Puzzle) and self.id == other.id

    def __hash__(self) -> int:
        return hash((Puzzle, self.id))

    def __repr__(self) -> str:
        return f"hoppers.puzzle({self.id!r})"

    def __reduce__(self) -> tuple[Callable[[str], Puzzle], tuple[str]]:
        return puzzle, (self.id,)


def _seed_text(seed: object) -> str:
    """Return a seed as text; None: a new seed."""
    number = whole_number(seed)
    if seed is None or number is not None:
        return secrets.token_hex(8) if number is None else str(number)
    if not isinstance(seed, str):
        raise InvalidOption("{seed} is not a seed, a number or text", "invalid_deal", seed=quoted(seed))
    return seed


@dataclass(frozen=True)
class Step:
    """One jump, slide or flip. `cost`: 1 if it starts a move, 0 if it continues one."""

    origin: int
    target: int
    cost: int
    after: Position


@dataclass(frozen=True)
class Solution:
    """A solution: its moves, each as the holes that it visits; none if the position is solved.

    `proved`: whether it is proved shortest. If it is not, it has no moves where none are known. In a notebook
    it is a strip of boards.
    """

    puzzle: str
    position: str
    goal: str
    moves: Moves
    proved: bool

    def __len__(self) -> int:
        return len(self.moves)

    @property
    def line(self) -> str:
        """The moves as in addresses and data files, such as `2-0-6.9-3`."""
        return line_text(self.moves)

    @property
    def positions(self) -> tuple[Position, ...]:
        """The positions before and after each move: one more than there are moves."""
        start = puzzle(self.puzzle).position(self.position, self.goal)
        return tuple(
            itertools.accumulate(self.moves, lambda position, move: position.play(move), initial=start)
        )

    def svg(self, size: int = pictures.THUMBNAIL) -> str:
        """Return the boards with their moves as arrows, in rows of one SVG picture.

        `size`: width of a board in pixels, 32 to 4096.

        Raises:
            InvalidOption: it is no such width.
        """
        puzzle = questions.engine().find(self.puzzle)
        with named_errors():
            return pictures.strip_svg(puzzle, puzzle.parse(self.position), self.goal, self.moves, size)

    def _repr_html_(self) -> str:
        puzzle = questions.engine().find(self.puzzle)
        return pictures.strip(puzzle, puzzle.parse(self.position), self.goal, self.moves)


Grade = Literal["best", "open", "late", "costs", "lost"]
"""What a step or a move cost, the worst last: see docs/review.md."""


@dataclass(frozen=True)
class ReviewedMove:
    """A move of a line, the position before it, and what it cost.

    `grade`: "best"; "costs" moves; "lost" a solvable position; "late" if it was lost already; "open" if not
    proved. `cost`: moves more than with a best one; None unless the grade is "best" or "costs".
    """

    move: Move
    position: Position
    grade: Grade
    cost: int | None


@dataclass(frozen=True)
class Reason:
    """Why a position is dead: a code of the API, and a sentence in English."""

    code: str
    sentence: str


@functools.total_ordering
class Position:
    """A position of a puzzle with a goal. It never changes: `play` returns another one.

    Positions are equal if puzzle, text and goal are, and are ordered by their texts. In a notebook a
    position is its board; `print` shows it as characters.
    """

    __slots__ = ("_goal", "_puzzle", "_state", "_verdict")

    def __init__(self, puzzle: Puzzle, state: State, goal: int) -> None:
        """Programs call `Puzzle.position`. `goal`: its code in the rules."""
        self._puzzle, self._state, self._goal = puzzle, state, goal
        self._verdict: Verdict | None = None

    @property
    def puzzle(self) -> Puzzle:
        """The puzzle."""
        return self._puzzle

    @property
    def text(self) -> str:
        """One character for each hole, in reading order; then ':' and the active peg, if any."""
        return self._rules.format(self._state)

    @property
    def goal(self) -> str:
        """Text of the goal."""
        return self._rules.goal_text(self._goal)

    @property
    def is_solved(self) -> bool:
        """Whether the position reaches the goal."""
        return self._rules.is_solved(self._state, self._goal)

    @property
    def _rules(self) -> Rules:
        return self._puzzle._rules

    @property
    def _question(self) -> Question:
        return Question(self._rules, self._goal, self._state)

    def _with_state(self, state: State) -> Position:
        return Position(self._puzzle, state, self._goal)

    @property
    def steps(self) -> list[Step]:
        """All legal steps, each with the position after it."""
        return [
            Step(step.origin, step.target, step.cost, self._with_state(step.after))
            for step in self._rules.steps(self._state)
        ]

    @property
    def moves(self) -> Moves:
        """All legal moves, each as the holes that it visits: a peg may jump on for as long as it can."""
        steps = self._rules.legal_steps(self._state)
        return moves_of(
            move for step in steps for move in self._moves_from([step.origin, step.target], step.after)
        )

    def _moves_from(self, move: list[int], state: State) -> Iterator[list[int]]:
        """Yield a move, and every move that goes on with it."""
        yield move
        for step in self._rules.legal_steps(state) if self._rules.rules.multi_step_moves else ():
            if step.cost == 0:
                yield from self._moves_from([*move, step.target], step.after)

    def play_line(self, line: str | Iterable[Sequence[int] | Step | str]) -> Position:
        """Return the position after a line of play: its moves, or a text such as `2-0-6.9-3`.

        Raises:
            InvalidMove: one is not legal where it is played.
        """
        position = self
        for move in filter(None, line.split(".")) if isinstance(line, str) else line:
            position = position.play(move)
        return position

    def play(self, move: Sequence[int] | Step | str) -> Position:
        """Return the position after a move, such as [2, 0, 6] or "2-0-6", or a step.

        Raises:
            InvalidMove: it is not legal here.
        """
        return self._with_state(self._rules.canonical(self._steps_of(move)[-1].after._state))

    def _steps_of(self, move: Sequence[int] | Step | str) -> list[Step]:
        """Return the steps of a move; raise an InvalidMove if it is not legal."""
        holes = holes_in_text(move) if isinstance(move, str) else holes_of(move)
        if holes is None or len(holes) < 2:
            raise self._refused(move)
        state, steps = self._state, list[Step]()
        for origin, target in itertools.pairwise(holes):
            found = [step for step in self._rules.legal_steps(state) if step[:2] == (origin, target)]
            if not found or (steps and found[0].cost):
                raise self._refused(move)
            state = found[0].after
            steps.append(Step(origin, target, found[0].cost, self._with_state(state)))
        return steps

    def review(
        self, line: str | Iterable[Sequence[int] | Step | str], wait: bool = True
    ) -> tuple[ReviewedMove, ...]:
        """Return what each move of a line of play cost, as the review of a game on the page does.

        Args:
            line: moves, or a text such as `2-0-6.9-3`.
            wait: whether to search where nothing is proved yet; if not, such moves are "open".

        Raises:
            InvalidMove: one is not legal where it is played.
        """
        position, reviewed = self, list[ReviewedMove]()
        for move in filter(None, line.split(".")) if isinstance(line, str) else line:
            steps = position._steps_of(move)
            befores = [position, *(step.after for step in steps)]
            grades = [_graded(before, step, wait) for before, step in zip(befores, steps, strict=False)]
            grade = max((each for each, _ in grades), key=get_args(Grade).index)
            cost = sum(cost for _, cost in grades) if grade in ("best", "costs") else None
            holes = Move([steps[0].origin, *(step.target for step in steps)])
            reviewed.append(ReviewedMove(holes, position, grade, cost))
            position = position.play(holes)
        return tuple(reviewed)

    def _refused(self, move: object) -> InvalidMove:
        sentence = "{move} is not a legal move in {position!r}; a move is a list of holes, such as {example}"
        example = next(iter(self.moves), "[0, 1]")
        return InvalidMove(
            sentence, "invalid_move", move=quoted(move), position=self.text, example=quoted(example)
        )

    def _known_verdict(self, find: Callable[[Question], Verdict]) -> Verdict:
        """Return the verdict that `find` gives, and keep it once it is final."""
        verdict = self._verdict or find(self._question)
        if verdict.is_final:
            self._verdict = verdict
        return verdict

    @property
    def verdict(self) -> VerdictName:
        """'solved', 'live' (it can be solved) or 'dead' (proved: it cannot), after a search if needed.

        'unknown' only where memory ends before the search does.
        """
        return self._known_verdict(questions.decided_verdict).verdict

    @property
    def moves_left(self) -> int | None:
        """Fewest moves still to be started, proved, after a search if needed; None if the position is dead.

        Raises:
            GivenUp: memory ends before the search does.
        """
        verdict = self._known_verdict(questions.final_verdict)
        if not verdict.is_final:
            raise GivenUp("large")
        return verdict.moves_left

    @property
    def bounds(self) -> Bounds | None:
        """Bounds on the fewest moves that need no search; None if the position is dead.

        The first ones of a large board may compile its lower bounds and build its table: see `warm`.
        """
        found = self._known_verdict(questions.known_verdict).bounds
        return None if found.is_dead else Bounds(found.least, found.most)

    def hint(self, wait: bool = True) -> Hint | None:
        """Return the first move of a solution, or None if the position is dead: see `solution`."""
        found = self.solution(wait)
        return None if found is None else Hint(found.moves[0] if found.moves else Move(), found.proved)

    def solution(self, wait: bool = True) -> Solution | None:
        """Return a shortest solution, or None if the position is dead.

        `wait`: False never searches, and returns the best solution that is known.
        """
        verdict = self._known_verdict(questions.final_verdict if wait else questions.known_verdict)
        if verdict.verdict == DEAD_END:
            return None
        moves = list[list[int]]()
        if verdict.verdict == LIVE:
            verdict, moves = questions.solution(self._question)
        return Solution(self._puzzle.id, self.text, self.goal, moves_of(moves), verdict.is_final)

    def reason(self) -> Reason | None:
        """Return why the position is dead, in a sentence; None if it is not. It waits as `verdict` does."""
        found = questions.reason(self._question)
        return None if found is None else Reason(found.code, str(found.sentence))

    def url(self, server: str = "") -> str:
        """Return the address of the page that shows the position. `server`: such as `https://puzzles.example`."""
        query = urlencode({"position": self.text, "goal": self.goal}, safe=":")
        return f"{server.rstrip('/')}/puzzles/{self._puzzle.id}?{query}"

    def solutions(self, unique: bool = False) -> Solutions:
        """Return all shortest solutions; `unique`: one of each set of symmetric ones."""
        return Solutions(self._question, unique)

    def search(
        self,
        method: str = "best",
        *,
        find_all: bool = False,
        first_move: Sequence[int] | Step | None = None,
        fresh: bool = False,
    ) -> Search:
        """Return a search for a shortest solution, which begins with its first event.

        Args:
            method: one of `Puzzle.methods`; only "best" looks up what is known.
            find_all: whether to count all shortest solutions.
            first_move: the two holes of the first step of every solution.
            fresh: whether to search from nothing, ignoring all that is known.

        Raises:
            InvalidMethod: the puzzle has no such method.
            InvalidMove: `first_move` is not a legal step.
        """
        name = method if isinstance(method, str) else quoted(method)
        first = None if first_move is None else holes_of(first_move)
        if first_move is not None and (first is None or len(first) != 2):
            raise self._refused(first_move)
        step = None if first is None else (first[0], first[1])
        engine, id = questions.engine(), self._puzzle.id
        with named_errors():
            return Search(parse_search(engine, id, self.text, self.goal, name, find_all, step, fresh))

    def images(self) -> list[Position]:
        """Return the different positions that turns and reflections of the board make of this one.

        The goal turns with the board. The position itself comes first.
        """
        rules, cells, active = self._rules, self._rules.cells(self._state.state), self._state.active
        found: dict[Position, None] = {}
        for image in rules.board.symmetries:
            goal = rules.rules.goal_image(image, self._goal)
            if goal is not None:
                moved = [0] * len(cells)
                for hole, cell in enumerate(cells):
                    moved[image[hole]] = cell
                state = State(rules.pack(tuple(moved)), image[active] if active >= 0 else active)
                found[Position(self._puzzle, state, goal)] = None
        return [*found]

    def svg(
        self,
        size: int = 320,
        *,
        numbers: bool = False,
        arrows: Iterable[Sequence[int] | Step] = (),
        last_move: Sequence[int] | Step | None = None,
        theme: str = "light",
    ) -> str:
        """Return the board as SVG text.

        Args:
            size: width in pixels, 32 to 4096.
            numbers: whether to show the numbers of the holes.
            arrows: moves or steps to draw.
            last_move: move whose holes are marked, if any.
            theme: "light" or "dark".

        Raises:
            InvalidOption: one of them is not valid.
        """
        with named_errors():
            options = pictures.read_options(self._rules, size, numbers, arrows, last_move, theme)
            return pictures.board_svg(self._rules, self._state, self.goal, options)

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"image/svg+xml": self.svg(), "text/plain": repr(self)}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __lt__(self, other: Position) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return (self._puzzle.id, self.text, self.goal) < (other._puzzle.id, other.text, other.goal)

    @property
    def _key(self) -> tuple[str, State, int]:
        return self._puzzle.id, self._state, self._goal

    def __str__(self) -> str:
        return pictures.board_text(self._rules, self._state)

    def __repr__(self) -> str:
        return f"{self._puzzle!r}.position({self.text!r}, goal={self.goal!r})"

    def __copy__(self) -> Position:
        return self

    def __deepcopy__(self, memo: Any) -> Position:
        return self

    def __reduce__(self) -> tuple[Callable[..., Position], tuple[str, str, str]]:
        return _position, (self._puzzle.id, self.text, self.goal)


def _graded(before: Position, step: Step, wait: bool) -> tuple[Grade, int]:
    """Return the grade of a step and the moves that it costs; 0 unless it "costs" some."""
    find = questions.final_verdict if wait else questions.known_verdict
    known, then = before._known_verdict(find), step.after._known_verdict(find)
    if known.verdict == DEAD_END:
        return "late", 0
    if then.verdict == DEAD_END:
        return ("lost" if known.verdict in (LIVE, SOLVED) else "open"), 0
    if known.moves_left is None or then.moves_left is None:
        return "open", 0
    cost = step.cost + then.moves_left - known.moves_left
    return ("costs" if cost else "best"), cost


def _position(id: str, text: str, goal: str) -> Position:
    return puzzle(id).position(text, goal)


class Table(Sequence["Position"]):
    """All positions of a board between two moves, in a fixed order, with their fewest moves to one goal."""

    def __init__(self, start: Position) -> None:
        """`start`: any position with the goal of the table; programs call `Puzzle.table`."""
        rules, numbering = start._rules, start._rules.rules.numbering
        if numbering is None:
            raise Error("{puzzle!r} has too many positions for a complete table", puzzle=rules.id)
        self._start, self._rules, self._numbering = start, rules, numbering
        with questions.kernels(rules):
            moves = rules.source(start._goal).moves_by_number()
        self._moves = np.where(moves == NO_SOLUTION, DEAD, moves.astype(np.int16))[numbering.first :]
        self._moves.flags.writeable = False

    @property
    def moves_left(self) -> npt.NDArray[np.int16]:
        """Fewest moves of the positions, in order: read-only int16, -1 where there is no solution."""
        return self._moves

    @functools.cached_property
    def solution_counts(self) -> npt.NDArray[np.int64]:
        """Numbers of shortest solutions of the positions, in order: read-only; objects beyond 64 bits.

        A solved position has one, without a move; one without a solution has 0. The first call expands
        every position in Python: a second for Hoppers, minutes for Triangle 21.
        """
        solvable = np.flatnonzero(self._moves >= 0)
        numbers = solvable[np.argsort(self._moves[solvable], kind="stable")].tolist()
        rules, goal, counts = self._rules, self._start._goal, [0] * len(self)
        with questions.kernels(rules):
            found = solution_counts(rules, goal, map(self._state, numbers), rules.source(goal).moves_left)
            for number, count in zip(numbers, found, strict=True):
                counts[number] = count
        array = np.array(counts)
        array.flags.writeable = False
        return array

    @property
    def distribution(self) -> list[int]:
        """Numbers of positions with 0, 1, 2, … moves left."""
        counts: list[int] = np.bincount(self._moves[self._moves >= 0]).tolist()
        return counts

    def at(self, moves_left: SupportsIndex | None) -> list[Position]:
        """Return all positions with this number of moves left; None, or -1 as in the array: the dead ones.

        Raises:
            InvalidOption: it is not a number of moves.
        """
        number = DEAD if moves_left is None else whole_number(moves_left)
        if number is None or number < DEAD:
            raise InvalidOption(
                "{given} is not a number of moves left; it is None for dead positions",
                "invalid_option",
                given=quoted(moves_left),
            )
        return [self[number] for number in np.flatnonzero(self._moves == number).tolist()]

    def __len__(self) -> int:
        return len(self._moves)

    @overload
    def __getitem__(self, index: int) -> Position: ...
    @overload
    def __getitem__(self, index: slice) -> list[Position]: ...
    def __getitem__(self, index: int | slice) -> Position | list[Position]:
        """Return the position at an index, or a list of those of a slice."""
        if isinstance(index, slice):
            return [self._start._with_state(self._state(number)) for number in range(len(self))[index]]
        return self._start._with_state(self._state(checked_index(index, len(self), "position")))

    def _state(self, number: int) -> State:
        cells = self._numbering.cells_of(number + self._numbering.first)
        return State(self._rules.pack(cells), self._rules.rules.find_active(cells))

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        """Return the index of a position, which is its place in the arrays, too.

        Raises:
            ValueError: `value` is not in the table, or not between `start` and `stop`.
        """
        number = self._number(value)
        if number is None or number not in range(len(self))[start:stop]:
            raise ValueError(f"{value!r} is not in {self!r}")
        return number

    def __contains__(self, value: object) -> bool:
        return self._number(value) is not None

    def _number(self, value: Any) -> int | None:
        """Return the index of a position; None if `value` is not a position of this table."""
        if not isinstance(value, Position) or value.puzzle != self._start.puzzle:
            return None
        number = self._numbering.number_of(self._rules.cells(value._state.state)) - self._numbering.first
        return number if self._start._with_state(self._state(number)) == value else None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __reduce__(self) -> tuple[Callable[[str], Table], tuple[str]]:
        return self._start.puzzle.table, (self._start.goal,)

    def __repr__(self) -> str:
        return f"{self._start.puzzle!r}.table({self._start.goal!r})"
