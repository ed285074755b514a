"""Shortest solutions from a source of exact answers: one, how many, and all of them in order.

Written against the puzzle record, so it serves every family. Counting walks the positions that lie on
shortest solutions once each; solutions up to symmetry are counted by Burnside's lemma: the mean, over the
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


class Forgotten(Exception):
    """The source has known more: it keeps only so many positions."""


def can_walk(
    position: Position,
    moves_left: Callable[[Position], int],
    steps: Callable[[Position], Iterable[tuple[int, Position]]],
    most: int,
) -> bool:
    """Whether all positions on shortest solutions are known, and few enough.

    `steps`: the cost of each legal step and where it leads.
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
    """The steps that shortest solutions take here, those that carry on with a move first.

    Raises:
        Forgotten: `every` one of them is wanted, and the source does not know all that is needed.
    """
    left = source.moves_left(position)
    graded = [(step, source.moves_left(step.after)) for step in puzzle.raw_steps(position) if left >= 0]
    if every and UNKNOWN in (left, *(after for _, after in graded)):
        raise Forgotten
    steps = [step for step, after in graded if after >= 0 and step.cost + after == left]
    return sorted(steps, key=lambda step: step.cost)


def one_line(puzzle: Puzzle, source: Source, goal: int, position: Position) -> list[Step]:
    """One shortest solution of a position that has one."""
    return list(walk(puzzle, source, goal, position))


def walk(puzzle: Puzzle, source: Source, goal: int, position: Position) -> Iterator[Step]:
    """The steps of that solution, each found when it is asked for.

    Raises:
        Forgotten: the source does not know all of it any more.
    """
    while not puzzle.is_solved(position, goal):
        kept = _lead(puzzle, source, position)
        steps = [kept] if kept is not None else best_steps(puzzle, source, position, every=False)
        if not steps:
            raise Forgotten
        step = steps[0]
        yield step
        position = step.after


def _lead(puzzle: Puzzle, source: Source, position: Position) -> Step | None:
    """The next step of the solution that a source keeps, if it keeps any."""
    state = source.next_step(position)
    if state is None:
        return None
    return next(step for step in puzzle.raw_steps(position) if step.after.state == state)


def first_move(steps: Iterator[Step]) -> list[Step]:
    """The first move of a line of play that has one: its first step, and those that carry on for free."""
    move = [next(steps)]
    for step in steps:
        if step.cost or step.origin != move[-1].target:
            break
        move.append(step)
    return move


class TooManyPositions(Exception):
    """More positions lie on shortest solutions than may be walked."""


class Counter:
    """Counts the shortest solutions from positions of one problem, each position once."""

    def __init__(
        self,
        puzzle: Puzzle,
        source: Source,
        goal: int,
        allowed: Callable[[Step], bool] | None = None,
        most: float = math.inf,
    ) -> None:
        """Count all, or only those made of `allowed` steps; `most`: positions it may walk."""
        self._most = most
        self.puzzle, self.source, self.goal, self.allowed = puzzle, source, goal, allowed
        self._known: dict[Position, int] = {}

    def count(self, position: Position) -> int:
        """How many shortest solutions the position has (1 where it is solved, 0 where it is dead).

        Raises:
            TooManyPositions: it would have to walk more than it may.
        """
        if position not in self._known:
            if len(self._known) >= self._most:
                raise TooManyPositions
            self._known[position] = self._count(position)
        return self._known[position]

    def walk(self, position: Position) -> Iterator[None]:
        """Make `count` of a position known, one position at a time; others may do something in between."""
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
        """The allowed steps of shortest solutions."""
        steps = best_steps(self.puzzle, self.source, position)
        return [step for step in steps if self.allowed is None or self.allowed(step)]

    def _count(self, position: Position) -> int:
        if self.puzzle.is_solved(position, self.goal):
            return 1
        return sum(self.count(step.after) for step in self.steps(position))


def count_unique(puzzle: Puzzle, source: Source, goal: int, position: Position) -> int:
    """How many shortest solutions there are up to the symmetries that keep position and goal."""
    symmetries = puzzle.symmetries(position, goal)
    fixed = [Counter(puzzle, source, goal, partial(_unmoved, image)).count(position) for image in symmetries]
    return sum(fixed) // len(symmetries)


def _unmoved(image: Permutation, step: Step) -> bool:
    return image[step.origin] == step.origin and image[step.target] == step.target


def page_of_lines(counter: Counter, position: Position, offset: int, limit: int) -> Iterator[Line]:
    """Solutions number `offset` to `offset + limit` in order; what lies before is skipped by counting."""
    if limit <= 0 or offset >= counter.count(position):
        return
    if counter.puzzle.is_solved(position, counter.goal):
        yield ()
        return
    for step in counter.steps(position):
        below = counter.count(step.after)
        if offset < below:
            taken = min(limit, below - offset)
            for rest in page_of_lines(counter, step.after, offset, taken):
                yield (step, *rest)
            limit -= taken
        offset = max(0, offset - below)
        if limit == 0:
            return


def number_of(counter: Counter, position: Position, line: list[tuple[int, int]]) -> int | None:
    """Which of all solutions, counted from 1 in their order, takes these steps; None where none does."""
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


def page_of_unique_lines(counter: Counter, position: Position, offset: int, limit: int) -> Iterator[Line]:
    """The same for one representative of each kind: the solution that is least among its images."""
    symmetries = counter.puzzle.symmetries(position, counter.goal)
    every = page_of_lines(counter, position, 0, counter.count(position))
    kinds = (line for line in every if _is_least(line, symmetries))
    return itertools.islice(kinds, offset, offset + limit)


def _is_least(line: Line, symmetries: list[Permutation]) -> bool:
    holes = [(step.origin, step.target) for step in line]
    return all(holes <= [(image[a], image[b]) for a, b in holes] for image in symmetries)
