"""A puzzle: one frozen record of data and compiled rules; only its own file knows a particular one.

(long: all that may be particular about one stands here.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hoppers.core import texts
from hoppers.core.board import Board, Permutation
from hoppers.core.errors import InvalidGoal, InvalidMethod, InvalidMove, InvalidPosition
from hoppers.core.events import Event, Marks, Visit
from hoppers.core.kernels import INTERPRETED, Kernel, interpreted
from hoppers.core.manner import USUAL, Manner
from hoppers.core.model import (
    Around,
    Charted,
    Complete,
    Deal,
    Position,
    Preparing,
    Problem,
    Source,
    Step,
    Words,
)
from hoppers.core.rules import Rules, expand, word

MOST_STEPS = 256


class Question(NamedTuple):
    """What a search is asked, behind limits already `proved`. `goal` is the puzzle's code for a text."""

    puzzle: Puzzle
    goal: int
    position: Position
    find_all: bool = False
    first: Step | None = None
    proved: int = -1

    @property
    def root(self) -> Position:
        """Where the search starts: the position, or the one behind the first step asked for."""
        return self.position if self.first is None else self.first.after

    @property
    def spent(self) -> int:
        """Moves already counted at the root."""
        return 0 if self.first is None else self.first.cost


class Method(NamedTuple):
    """A way to prove a shortest solution; `search` yields what it finds (see `search.events`)."""

    title: Words
    note: Words
    search: Callable[[Question], Iterator[Event]]
    trace: Callable[[Question, int, int], Iterator[Visit]] | None = None
    """(question, limit, nodes) -> that limit position by position, behind so many nodes; None: unwatched."""


@dataclass(frozen=True, eq=False)
class Puzzle:
    """All that is particular about a puzzle. Texts of positions have one character per hole."""

    id: str
    family: str
    title: Words
    objective: Words
    """The rules in a sentence or two."""
    board: Board
    alphabet: str
    """Cell value -> its character in texts."""
    bits: int
    """Bits per cell in a packed state."""
    pieces: tuple[str, ...]
    """Cell value -> glyph drawn ('' draws nothing): peg, tile, disc-b, disc-w."""
    frame: str
    """Outline of the drawn board: 'hull', 'disc' or 'tray'."""
    start: str
    goal: str
    """The goal text meant where none is given."""
    goals: Mapping[str, int]
    """Goal text -> the code that the rules take."""
    starts: Mapping[str, str]
    """Label -> text of the positions a player may choose to start from."""
    problems: tuple[Problem, ...]
    """The classic starts and goals; the first is the puzzle's own."""
    rules: Rules
    tables: Any
    chains: bool
    """Whether one move may be several steps, so that texts may end in ':6', the peg in hand."""
    find_active: Callable[[tuple[int, ...]], int]
    """Cells -> the active hole of a position at rest."""
    find_fault: Callable[[tuple[int, ...]], Words | None]
    """Cells -> why they are no position of this puzzle, or None."""
    obstruction: Callable[[Position, int], str | None]
    """(position, goal) -> code of a cheap proof that it is dead, or None."""
    source: Callable[[int], Source]
    """Goal -> where exact answers come from; may build a table."""
    methods: Mapping[str, Method]
    lesson: str
    """The method a page starts with: the one worth watching."""
    kept: Callable[[Permutation, int], bool]
    """(symmetry of the board, goal) -> whether it also keeps pieces and goal."""
    place: int  # in the gallery: puzzles are sorted by this number
    deals: Mapping[str, Deal] = field(default_factory=dict)  # ways to draw random positions, by name
    exhibits: Mapping[str, Method] = field(default_factory=dict)
    """Methods that lessons show for being wrong: they run when asked for by name and are listed nowhere."""
    evidence: Callable[[Position, int], Marks] = lambda position, goal: ()  # holes that show an obstruction
    guess: Callable[..., list[Step] | None] = lambda *question: None  # some way to an end, maybe not the best
    recall: Callable[..., list[Step] | None] = lambda *question: None  # such a way, if one is known already
    hear: Callable[..., None] = lambda *told: None  # (question, moves): a way that a search has found
    rehearsals: Mapping[str, Callable[[], None]] = field(default_factory=dict)  # see `warmup.rehearse`
    manner: Manner = USUAL
    featured: bool = True  # whether the gallery shows it; its family's pages lead to the others

    def __post_init__(self) -> None:
        """Refuse boards that do not fit into a 64-bit word."""
        if self.bits * len(self.board.points) > 64:
            raise ValueError(f"{self.id} needs more than 64 bits")

    @property
    def holes(self) -> int:
        """How many holes the board has."""
        return len(self.board.points)

    @cached_property
    def _expand(self) -> Kernel:
        return self.rules.specialise(expand)

    def raw_steps(self, position: Position) -> list[Step]:
        """All legal steps as the rules make them: a piece that cannot go on stays active."""
        states = np.empty(MOST_STEPS, np.uint64)
        rows = np.empty((MOST_STEPS, 4), np.int64)
        expand = interpreted(self._expand) if INTERPRETED.get() else self._expand
        count = expand(word(position.state), position.active, self.tables, states, rows)
        after = zip(states[:count].tolist(), rows[:count].tolist(), strict=True)
        return [Step(row[0], row[1], Position(state, row[2]), row[3]) for state, row in after]

    def steps(self, position: Position) -> list[Step]:
        """All legal steps, each leading to a position in its one form (see `settled`)."""
        return [step._replace(after=self.settled(step.after)) for step in self.raw_steps(position)]

    def step(self, position: Position, origin: int, target: int) -> Step:
        """The legal step between two holes.

        Raises:
            InvalidMove: there is none.
        """
        for step in self.steps(position):
            if (step.origin, step.target) == (origin, target):
                return step
        text = self.format(position)
        raise InvalidMove("{step} is not a legal step in {position!r}", step=[origin, target], position=text)

    def settled(self, position: Position) -> Position:
        """The position with no peg in hand if that peg has no further jump."""
        if not self.chains or position.active < 0:
            return position
        on = any(step.cost == 0 for step in self.raw_steps(position))
        return position if on else Position(position.state)

    def is_solved(self, position: Position, goal: int) -> bool:
        """Tell whether the position reaches the goal."""
        is_solved = interpreted(self.rules.is_solved) if INTERPRETED.get() else self.rules.is_solved
        return bool(is_solved(word(position.state), position.active, goal, self.tables))

    def preparation(self, goal: int, position: Position) -> float | None:
        """How far background work that will answer for the position is, 0 to 1; None where there is none."""
        source = self.source(goal)
        return source.preparation(position) if isinstance(source, Preparing) else None

    def around(self, goal: int, position: Position) -> Around | None:
        """How many positions have how many moves left, where many are known though not all."""
        source = self.source(goal)
        return source.around(position) if isinstance(source, Charted) else None

    def distribution(self, goal: int) -> list[int] | None:
        """How many positions have 0, 1, 2, … moves left; None where there is no complete table."""
        source = self.source(goal)
        return source.distribution() if isinstance(source, Complete) else None

    def has_complete_table(self, goal: int) -> bool:
        """Return whether a table has the exact answer for every position. May build or load the table."""
        return isinstance(self.source(goal), Complete)

    def cells(self, state: int) -> tuple[int, ...]:
        """The value of every cell."""
        mask = (1 << self.bits) - 1
        return tuple(state >> (self.bits * hole) & mask for hole in range(self.holes))

    def pack(self, cells: tuple[int, ...]) -> int:
        """The packed state with these cell values."""
        return sum(value << (self.bits * hole) for hole, value in enumerate(cells))

    def parse(self, text: str) -> Position:
        """Read a position.

        Raises:
            InvalidPosition: wrong length, character, piece count or peg in hand.
        """
        body, colon, hand = text.partition(":")
        cells = texts.read_cells(self, body)
        position = Position(self.pack(cells), self.find_active(cells))
        if not colon:
            return position
        if not self.chains:
            raise InvalidPosition(
                "{puzzle} has no piece in hand, so {hand!r} in {text!r} means nothing",
                puzzle=self.title,
                hand=f":{hand}",
                text=text,
            )
        return self.settled(Position(position.state, texts.read_hand(self, hand, cells, text)))

    def format(self, position: Position) -> str:
        """The one text of a position."""
        body = "".join(self.alphabet[value] for value in self.cells(position.state))
        return f"{body}:{position.active}" if self.chains and position.active >= 0 else body

    def parse_goal(self, text: str | None) -> int:
        """The code of a goal text; None means the puzzle's own goal.

        Raises:
            InvalidGoal: the puzzle has no such goal.
        """
        code = self.goals.get(self.goal if text is None else text)
        if code is None:
            raise InvalidGoal(
                "{text!r} is not a goal of {puzzle}; goals are {goals}",
                text=text,
                puzzle=self.title,
                goals=", ".join(self.goals),
            )
        return code

    def goal_text(self, goal: int) -> str:
        """The text of a goal's code."""
        return next(text for text, code in self.goals.items() if code == goal)

    def method(self, name: str) -> Method:
        """The method of this name.

        Raises:
            InvalidMethod: the puzzle has no such method.
        """
        found = self.exhibits.get(name) or self.methods.get(name)
        if found is None:
            raise InvalidMethod(
                "{name!r} is not a method of {puzzle}; methods are {methods}",
                name=name,
                puzzle=self.title,
                methods=", ".join(self.methods),
            )
        return found

    def symmetries(self, position: Position, goal: int) -> list[Permutation]:
        """The symmetries of the board that keep goal and position."""
        cells = self.cells(position.state)
        return [
            image
            for image in self.board.symmetries
            if self.kept(image, goal)
            and all(cells[hole] == cells[image[hole]] for hole in range(self.holes))
            and (position.active < 0 or image[position.active] == position.active)
        ]
