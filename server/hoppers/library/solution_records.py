"""Hints and bounds as records, and all shortest solutions as a sequence."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import overload

from hoppers.analysis.verdicts import DEAD_END
from hoppers.core.model import group_moves
from hoppers.core.puzzle import Question
from hoppers.library import questions
from hoppers.library.arguments import checked_index
from hoppers.library.moves import Move, Moves, moves_of
from hoppers.tablebase.solutions import SolutionGraph, SolutionList


@dataclass(frozen=True)
class Bounds:
    """No solution has fewer than `least` moves; a solution with `most` is known (None: none is)."""

    least: int
    most: int | None


@dataclass(frozen=True)
class Hint:
    """The first move of a solution, as the holes that it visits; empty if the position is solved.

    `proved`: whether the solution is proved shortest. If it is not, the move is empty where none is known.
    """

    move: Move
    proved: bool


class Solutions:
    """The shortest solutions of a position in order, each as its moves. They are found when first needed.

    `len`, indices, slices and loops work as for a tuple.

    Raises:
        GivenUp: there are too many, or they are too costly to find (by every method and property).
    """

    def __init__(self, question: Question, unique: bool) -> None:
        """`unique`: whether to list one of each set of symmetric solutions."""
        self._question, self._unique = question, unique

    @cached_property
    def _graph(self) -> SolutionGraph | None:
        """The graph of all shortest solutions; None if the position is dead."""
        if questions.final_verdict(self._question).verdict == DEAD_END:
            return None
        return questions.solution_graph(self._question)

    @property
    def _kinds(self) -> SolutionList | None:
        puzzle, goal, position, *_ = self._question
        return self._graph and SolutionList(self._graph, puzzle.symmetries(position, goal))

    @cached_property
    def _list(self) -> SolutionList | None:
        return self._kinds if self._unique else self._graph and SolutionList(self._graph)

    @property
    def count(self) -> int:
        """Number of solutions in this sequence; `len` is the same, but cannot exceed `sys.maxsize`."""
        return self._list.count() if self._list else 0

    @cached_property
    def unique_count(self) -> int:
        """Number of solutions up to symmetry."""
        return self._kinds.count() if self._kinds else 0

    def __len__(self) -> int:
        return self.count

    @overload
    def __getitem__(self, index: int) -> Moves: ...
    @overload
    def __getitem__(self, index: slice) -> list[Moves]: ...
    def __getitem__(self, index: int | slice) -> Moves | list[Moves]:
        if not isinstance(index, slice):
            return next(self._page(checked_index(index, self.count, "solution"), 1))
        numbers = range(self.count)[index]
        if numbers.step == 1:
            return [*self._page(numbers.start, len(numbers))]
        return [next(self._page(number, 1)) for number in numbers]

    def __iter__(self) -> Iterator[Moves]:
        return self._page(0, self.count)

    def _page(self, offset: int, limit: int) -> Iterator[Moves]:
        lines = self._list.page(offset, limit) if self._list else ()
        return (moves_of(group_moves(line)) for line in lines)

    def __repr__(self) -> str:
        puzzle, goal, position, *_ = self._question
        return f"<shortest solutions of {puzzle.id} {puzzle.format(position)}, goal {puzzle.goal_text(goal)}>"
