"""Shortest solutions from a source of exact answers: one solution, the number of all, or a list in order.

All functions use only the `Puzzle` record, so they serve every family. Counting visits each position on a
shortest solution once. Solutions up to symmetry are counted by Burnside's lemma: the mean, over the
symmetries that keep position and goal, of the number of solutions that a symmetry leaves unchanged.
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
    """Failure of a look-up because the source does not know, or no longer knows, a position."""


def can_walk(
    position: Position,
    moves_left: Callable[[Position], int],
    steps: Callable[[Position], Iterable[tuple[int, Position]]],
    most: int,
) -> bool:
    """Return whether all positions on shortest solutions from `position` are known and at most `most`.

    `steps` returns (cost, position after) of each legal step.
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
    """Return the steps that begin a shortest solution; steps that continue a move come first.

    Raises:
        AnswerEvicted: `every` is True, and the source does not know all positions after one step.
    """
    left = source.moves_left(position)
    graded = [(step, source.moves_left(step.after)) for step in puzzle.legal_steps(position) if left >= 0]
    if every and UNKNOWN in (left, *(after for _, after in graded)):
        raise AnswerEvicted
    steps = [step for step, after in graded if after >= 0 and step.cost + after == left]
    return sorted(steps, key=lambda step: step.cost)


def shortest_solution(puzzle: Puzzle, source: Source, goal: int, position: Position) -> Iterator[Step]:
    """Yield the steps of one shortest solution of a solvable position, each computed when needed.

    Raises:
        AnswerEvicted: the source does not know the rest of the solution any more.
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
    """Return the next step of a solution that the source has stored, or None if it has stored none."""
    state = source.next_step(position)
    if state is None:
        return None
    return next(step for step in puzzle.legal_steps(position) if step.after.state == state)


def first_move(steps: Iterator[Step]) -> list[Step]:
    """Return the first move of a non-empty solution: its first step and the jumps that continue it."""
    move = [next(steps)]
    for step in steps:
        if step.cost or step.origin != move[-1].target:
            break
        move.append(step)
    return move


class TooManyPositions(Exception):
    """Failure of a count because too many positions lie on shortest solutions."""


class SolutionCounter:
    """Counter of the shortest solutions from positions of one problem. It visits each position once."""

    def __init__(
        self,
        puzzle: Puzzle,
        source: Source,
        goal: int,
        allowed: Callable[[Step], bool] | None = None,
        most: float = math.inf,
    ) -> None:
        """`allowed`: test for the steps of counted solutions, or None; `most`: most positions to visit."""
        self._most = most
        self.puzzle, self.source, self.goal, self.allowed = puzzle, source, goal, allowed
        self._known: dict[Position, int] = {}

    def count(self, position: Position) -> int:
        """Return the number of shortest solutions: 1 for a solved position, 0 for a dead one.

        Raises:
            TooManyPositions: more than `most` positions would have to be visited.
        """
        if position not in self._known:
            if len(self._known) >= self._most:
                raise TooManyPositions
            self._known[position] = self._count(position)
        return self._known[position]

    def walk(self, position: Position) -> Iterator[None]:
        """Compute and store the count of a position, yielding after each position visited."""
        successors: dict[Position, list[Position]] = {}
        waiting = [position]
        while waiting:
            at = waiting[-1]
            if at not in successors:
                successors[at] = [step.after for step in self.steps(at)]
            before = [after for after in successors[at] if after not in self._known]
            waiting += before
            if not before:
                waiting.pop()
                solved = self.puzzle.is_solved(at, self.goal)
                self._known[at] = 1 if solved else sum(self._known[after] for after in successors[at])
            yield

    def steps(self, position: Position) -> list[Step]:
        """Return the steps from `position` that begin a shortest solution and pass the test `allowed`."""
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
    """Yield up to `limit` shortest solutions in order, from number `offset` on.

    Earlier solutions are counted, not listed.
    """
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
    """Return the number, from 1, of a solution in the order of `page_of_solutions`.

    `line` has (origin, target) of each step. The result is None if it is not a shortest solution.
    """
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
    """Yield up to `limit` shortest solutions up to symmetry, from number `offset` on.

    Of each set of symmetric solutions, the least one is yielded.
    """
    symmetries = counter.puzzle.symmetries(position, counter.goal)
    every = page_of_solutions(counter, position, 0, counter.count(position))
    unique = (line for line in every if _is_least(line, symmetries))
    return itertools.islice(unique, offset, offset + limit)


def _is_least(line: Line, symmetries: list[Permutation]) -> bool:
    holes = [(step.origin, step.target) for step in line]
    return all(holes <= [(image[a], image[b]) for a, b in holes] for image in symmetries)
