"""What is known of a large peg board without a table: its classes, and what can come before a position."""

import hashlib
from collections import OrderedDict
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from hoppers.core.board import Permutation
from hoppers.core.model import DEAD, UNKNOWN, Position
from hoppers.puzzles.pegs.bidirectional.kernels import apply_symmetry
from hoppers.puzzles.pegs.bitboards.jump_masks import JumpList, Shifts, invariants, shift_groups
from hoppers.puzzles.pegs.closure.closure import Closure, build_closure
from hoppers.puzzles.pegs.tables.winning_table import WinningTable
from hoppers.tablebase.builder import finish
from hoppers.tablebase.proved_answers import Form, Rules

MAX_KEY_BITS = 29
"""Bits of the largest keys for which a winning table is built: its sets take 2**bits / 8 bytes each."""
MAX_PREDECESSORS = 1_000_000
"""Boards looked at to tell whether one can lead to another: far more than come before one of many pegs."""
MAX_CACHED_STARTS = 4096
"""Boards of which it is remembered where they can come from."""
MAX_CACHED_REACHABLE = 16_384
"""Boards remembered as reachable: about 3 MB."""


class BigBoard:
    """What is shared by all goals of a board."""

    def __init__(self, jumps: JumpList, symmetries: tuple[Permutation, ...]) -> None:
        """Everything comes from the jumps and the symmetries."""
        self.jumps, self.symmetries = jumps, symmetries
        self.holes = len(symmetries[0])
        self.every = (1 << self.holes) - 1
        self.name = hashlib.sha256(repr(jumps).encode()).hexdigest()[:12]
        self.starts = lru_cache(maxsize=MAX_CACHED_STARTS)(self._starts)
        self._reached: OrderedDict[tuple[int, int], None] = OrderedDict()

    @cached_property
    def shifts(self) -> Shifts:
        """For kernels."""
        return shift_groups(self.jumps)

    @cached_property
    def sets(self) -> list[int]:
        """The sets of holes whose parities tell the position class."""
        return list(invariants(self.jumps, self.holes).values())

    @property
    def has_tables(self) -> bool:
        """Whether its keys are short enough for winning tables."""
        return self.holes - len(self.sets) <= MAX_KEY_BITS

    def problem(self, goal: int, start: int) -> str:
        """The name of a problem, for files."""
        return f"{self.name}-{goal}-{start:x}"

    def keeps(self, image: Permutation, start: int, ends: list[int]) -> bool:
        """Whether a symmetry keeps the start and the set of ends."""
        return apply_symmetry(start, image) == start and {apply_symmetry(end, image) for end in ends} == set(
            ends
        )

    def parities(self, state: int) -> tuple[int, ...]:
        """The position class."""
        return tuple((state & members).bit_count() & 1 for members in self.sets)

    def ends(self, goal: int, state: int) -> list[int]:
        """The solved boards in the class of `state`."""
        ends = [1 << hole for hole in range(self.holes) if goal in (-1, hole)]
        return [end for end in ends if self.parities(end) == self.parities(state)]

    def steps(self, position: Position) -> Iterator[tuple[int, Position]]:
        """The cost of each legal jump, and where it leads."""
        for origin, over, target in self.jumps:
            line = 1 << origin | 1 << over | 1 << target
            if position.state & line == line ^ 1 << target:
                yield int(origin != position.active), Position(position.state ^ line, target)

    def settled(self, position: Position) -> Position:
        """The position with no peg in hand if that peg has no further jump."""
        on = any(cost == 0 for cost, _ in self.steps(position))
        return position if on else Position(position.state)

    def answer_rules(self, goal: int) -> Rules:
        """What kept answers of a goal (a hole, or -1 for anywhere) are checked by."""
        return Rules(
            lambda position: self._form(position, goal),
            lambda position: [(cost, self.settled(after)) for cost, after in self.steps(position)],
            lambda position: position.state in self.ends(goal, position.state),
        )

    def _form(self, position: Position, goal: int) -> Form:
        """The least of all images of position and goal: turned boards have the same answers."""
        images = [
            (image[goal] if goal >= 0 else -1, apply_symmetry(position.state, image), image)
            for image in self.symmetries
        ]
        hand = position.active
        end, state, active, image = min(
            (end, state, image[hand] if hand >= 0 else -1, image) for end, state, image in images
        )
        back = tuple(sorted(range(self.holes), key=image.__getitem__))
        return Form(
            f"{end}/{state:x}/{active}",
            lambda board: apply_symmetry(board, image),
            lambda board: apply_symmetry(board, back),
        )

    def _before(self, state: int) -> Closure | None:
        """Every board that can lead to a board of many pegs, as complements: they play the game backwards."""
        return finish(build_closure([self.every ^ state], -1, self.shifts, MAX_PREDECESSORS))

    def reaches(self, start: int, state: int) -> bool:
        """Whether a board can be reached from `start`; of one with few pegs, whether that is known."""
        if not (self._is_noted(start, state) or self._can_come(start, state)):
            return False
        self.note_reached(start, state)
        return True

    def _is_noted(self, start: int, state: int) -> bool:
        return any((start, before) in self._reached for before in [state, *self._one_jump_before(state)])

    def _can_come(self, start: int, state: int) -> bool:
        """Look at all that comes before; of few pegs that is too much."""
        before = self._before(state) if 2 * state.bit_count() >= self.holes else None
        return before is not None and before.moves_left(Position(self.every ^ start)) != UNKNOWN

    def note_reached(self, start: int, state: int) -> None:
        """Remember that a board can be reached, for those one jump later are often asked for next."""
        self._reached.pop((start, state), None)  # it becomes the newest
        self._reached[start, state] = None
        if len(self._reached) > MAX_CACHED_REACHABLE:
            self._reached.popitem(last=False)

    def _one_jump_before(self, state: int) -> Iterator[int]:
        for origin, over, target in self.jumps:
            line = 1 << origin | 1 << over | 1 << target
            if state & line == 1 << target:
                yield state ^ line

    def _starts(self, state: int) -> list[int]:
        """The full boards but for one vacancy from which the board can be reached."""
        before = self._before(state)
        singles = [1 << hole for hole in range(self.holes)]
        return [
            self.every ^ single
            for single in singles
            if before is not None and before.moves_left(Position(single)) != UNKNOWN
        ]


class WinningTableView(NamedTuple):
    """A winning table and where it starts: what can be reached from there and is not in it, is dead."""

    board: BigBoard
    start: int
    table: WinningTable

    @property
    def bytes(self) -> int:
        """Memory it takes."""
        return self.table.bytes

    @property
    def counts(self) -> list[int]:
        """How many winning boards, each once up to symmetry, have 0, 1, 2, … moves left."""
        return [int(count) for count in np.bincount(self.table.fewest)]

    def moves_left(self, position: Position) -> int:
        """The fewest moves still to be started, DEAD, or UNKNOWN if the position is outside."""
        left = self.table.moves_left(position)
        if left != UNKNOWN:
            self.board.note_reached(self.start, position.state)
            return left
        return DEAD if self.board.reaches(self.start, position.state) else UNKNOWN

    def can_list(self, position: Position) -> bool:
        """Whether it knows the position; how many solutions there are to walk is not asked."""
        return self.moves_left(position) != UNKNOWN
