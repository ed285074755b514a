"""Shortest solutions from a source of exact answers: one of them, their number, or all of them in order.

Everything here works on the `Puzzle` record, so it serves every family. Counting walks each position on a
shortest solution once; solutions up to symmetry are counted by Burnside's lemma: the mean, over the
symmetries that keep position and goal, of the solutions a symmetry leaves as they are.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from hoppers.core.board import Permutation
from hoppers.core.model import DEAD, UNKNOWN, Position, Source, Step
from hoppers.core.puzzle import Puzzle

Line = tuple[Step, ...]


class AnswerEvicted(Exception):
    """The source no longer knows a position that it has answered for."""


def can_walk(
    position: Position,
    moves_left: Callable[[Position], int],
    steps: Callable[[Position], Iterable[tuple[int, Position]]],
    most: int,
) -> bool:
    """Return whether all positions on shortest solutions are known and at most `most`.

    `steps` returns cost and outcome of each legal step.
    """
    known, waiting = {position}, [position]
    while waiting:
        position = waiting.pop()
        left = moves_left(position)
        if left == UNKNOWN or len(known) > most:
            return False
        for cost, after in steps(position) if left > DEAD else ():
            on = moves_left(after)
            if on == UNKNOWN:
                return False
            if after not in known and on > DEAD and cost + on == left:
                known.add(after)
                waiting.append(after)
    return True


def best_steps(puzzle: Puzzle, source: Source, position: Position, every: bool = True) -> list[Step]:
    """Return the steps that begin a shortest solution, those that continue a move first.

    Raises:
        AnswerEvicted: `every` such step is needed, and the source does not know all steps.
    """
    left = source.moves_left(position)
    graded = [(step, source.moves_left(step.after)) for step in puzzle.raw_steps(position) if left >= 0]
    if every and UNKNOWN in (left, *(after for _, after in graded)):
        raise AnswerEvicted
    steps = [step for step, after in graded if after >= 0 and step.cost + after == left]
    return sorted(steps, key=lambda step: step.cost)


def one_solution(puzzle: Puzzle, source: Source, goal: int, position: Position) -> list[Step]:
    """Return one shortest solution of a solvable position."""
    return list(walk(puzzle, source, goal, position))


def walk(puzzle: Puzzle, source: Source, goal: int, position: Position) -> Iterator[Step]:
    """Yield the steps of one shortest solution, each found when needed.

    Raises:
        AnswerEvicted: the source does not know all of it any more.
    """
    while not puzzle.is_solved(position, goal):
        known = _known_step(puzzle, source, position)
        steps = [known] if known is not None else best_steps(puzzle, source, position, every=False)
        if not steps:
            raise AnswerEvicted
        step = steps[0]
        yield step
        position = step.after


def _known_step(puzzle: Puzzle, source: Source, position: Position) -> Step | None:
    """Return the next step of the solution that a source has stored, or None."""
    state = source.next_step(position)
    if state is None:
        return None
    return next(step for step in puzzle.raw_steps(position) if step.after.state == state)


def first_move(steps: Iterator[Step]) -> list[Step]:
    """Return the first move of a line that is not empty: its first step and the free steps behind it."""
    move = [next(steps)]
    for step in steps:
        if step.cost or step.origin != move[-1].target:
            break
        move.append(step)
    return move


class TooManyPositions(Exception):
    """More positions lie on shortest solutions than the counter may walk."""


class SolutionCounter:
    """Counts the shortest solutions from positions of one problem, walking each position once."""

    def __init__(
        self,
        puzzle: Puzzle,
        source: Source,
        goal: int,
        allowed: Callable[[Step], bool] | None = None,
        most: float = math.inf,
    ) -> None:
        """Count all solutions, or those made of `allowed` steps only; walk at most `most` positions."""
        self._most = most
        self.puzzle, self.source, self.goal, self.allowed = puzzle, source, goal, allowed
        self._known: dict[Position, int] = {}

    def count(self, position: Position) -> int:
        """Return the number of shortest solutions (1 for a solved position, 0 for a dead one).

        Raises:
            TooManyPositions: more than `most` positions would have to be walked.
        """
        if position not in self._known:
            if len(self._known) >= self._most:
                raise TooManyPositions
            self._known[position] = self._count(position)
        return self._known[position]

    def walk(self, position: Position) -> Iterator[None]:
        """Compute `count` of a position in slices of one position."""
        ways: dict[Position, list[Position]] = {}
        waiting = [position]
        while waiting:
            at = waiting[-1]
            if at not in ways:
                ways[at] = [step.after for step in self.steps(at)]
            before = [after for after in ways[at] if after not in self._known]
            waiting += before
            if not before:
                waiting.pop()
                solved = self.puzzle.is_solved(at, self.goal)
                self._known[at] = 1 if solved else sum(self._known[after] for after in ways[at])
            yield

    def steps(self, position: Position) -> list[Step]:
        """Return the allowed steps that begin a shortest solution."""
        steps = best_steps(self.puzzle, self.source, position)
        return [step for step in steps if self.allowed is None or self.allowed(step)]

    def _count(self, position: Position) -> int:
        if self.puzzle.is_solved(position, self.goal):
            return 1
        return sum(self.count(step.after) for step in self.steps(position))


def count_unique(puzzle: Puzzle, source: Source, goal: int, position: Position) -> int:
    """Return the number of shortest solutions up to the symmetries that keep position and goal."""
    symmetries = puzzle.symmetries(position, goal)
    fixed = [
        SolutionCounter(puzzle, source, goal, partial(_unmoved, image)).count(position)
        for image in symmetries
    ]
    return sum(fixed) // len(symmetries)


def _unmoved(image: Permutation, step: Step) -> bool:
    return image[step.origin] == step.origin and image[step.target] == step.target


def page_of_solutions(
    counter: SolutionCounter, position: Position, offset: int, limit: int
) -> Iterator[Line]:
    """Yield solutions `offset` to `offset` + `limit` in order; those before are skipped by counting."""
    if limit <= 0 or offset >= counter.count(position):
        return
    if counter.puzzle.is_solved(position, counter.goal):
        yield ()
        return
    for step in counter.steps(position):
        below = counter.count(step.after)
        if offset < below:
            taken = min(limit, below - offset)
            for rest in page_of_solutions(counter, step.after, offset, taken):
                yield (step, *rest)
            limit -= taken
        offset = max(0, offset - below)
        if limit == 0:
            return


def number_of(counter: SolutionCounter, position: Position, line: list[tuple[int, int]]) -> int | None:
    """Return the number, from 1, of the solution with these steps among all solutions, or None."""
    before = 0
    for origin, target in line:
        for step in counter.steps(position):
            if (step.origin, step.target) == (origin, target):
                position = step.after
                break
            before += counter.count(step.after)
        else:
            return None
    return before + 1 if counter.puzzle.is_solved(position, counter.goal) else None


def page_of_unique_solutions(
    counter: SolutionCounter, position: Position, offset: int, limit: int
) -> Iterator[Line]:
    """Yield solutions `offset` to `offset` + `limit` up to symmetry: each is least among its images."""
    symmetries = counter.puzzle.symmetries(position, counter.goal)
    every = page_of_solutions(counter, position, 0, counter.count(position))
    kinds = (line for line in every if _is_least(line, symmetries))
    return itertools.islice(kinds, offset, offset + limit)


def _is_least(line: Line, symmetries: list[Permutation]) -> bool:
    holes = [(step.origin, step.target) for step in line]
    return all(holes <= [(image[a], image[b]) for a, b in holes] for image in symmetries)
