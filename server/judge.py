"""Verdicts, graded steps, hints and solutions of any position: the only caller of exact sources.

It never asks which puzzle it has: the record names its source.
"""

from dataclasses import dataclass
from typing import NamedTuple

from .compiled import INTERPRETED
from .exact.lines import (
    Counter,
    Forgotten,
    Line,
    count_unique,
    first_move,
    number_of,
    one_line,
    page_of_lines,
    page_of_unique_lines,
    walk,
)
from .puzzle import Puzzle, Question
from .records import DEAD, UNKNOWN, Position, Step, group_moves

SOLVED, LIVE, DEAD_END, NOT_KNOWN = "solved", "live", "dead", "unknown"


class Judgement(NamedTuple):
    """What is proved of a position; `moves_left` is None where it is dead or not known."""

    verdict: str
    moves_left: int | None


UNDECIDED = Judgement(NOT_KNOWN, None)


class GradedStep(NamedTuple):
    """A legal step and the judgement of the position it leads to."""

    step: Step
    judgement: Judgement


class Hint(NamedTuple):
    """The next move of a solution (the rest of the current one in mid-move) and its first step."""

    judgement: Judgement
    move: list[int]
    step: Step | None
    proved: bool
    """Whether no solution has fewer moves, or there is none."""


class Solution(NamedTuple):
    """One shortest solution, empty where there is none or none is known."""

    judgement: Judgement
    moves: list[list[int]]


@dataclass(frozen=True)
class Solutions:
    """How many shortest solutions there are, how many up to symmetry, and a page of them."""

    moves_left: int | None
    count: int | None
    unique_count: int | None
    solutions: list[list[list[int]]]


def seen(puzzle: Puzzle, goal: int, position: Position) -> Judgement:
    """What is seen of a position at once, without asking any source."""
    if puzzle.is_solved(position, goal):
        return Judgement(SOLVED, 0)
    return UNDECIDED if puzzle.obstruction(position, goal) is None else Judgement(DEAD_END, None)


def judge(puzzle: Puzzle, goal: int, position: Position) -> Judgement:
    """What is proved of a position; without compiled rules only what is seen at once."""
    known = seen(puzzle, goal, position)
    if known.verdict != NOT_KNOWN or INTERPRETED.get():
        return known  # no source answers before its kernels are compiled
    left = puzzle.source(goal).moves_left(position)
    if left == DEAD:
        return Judgement(DEAD_END, None)
    return UNDECIDED if left == UNKNOWN else Judgement(LIVE, left)


def graded_steps(puzzle: Puzzle, goal: int, position: Position) -> list[GradedStep]:
    """Every legal step with what it leads to."""
    return [GradedStep(step, judge(puzzle, goal, step.after)) for step in puzzle.steps(position)]


def hint(puzzle: Puzzle, goal: int, position: Position) -> Hint:
    """The next move of a shortest solution, or where nothing is proved of one that was found at once."""
    judgement = judge(puzzle, goal, position)
    if judgement.verdict == NOT_KNOWN:
        return _guess(puzzle, goal, position)
    if judgement.verdict != LIVE:
        return Hint(judgement, [], None, True)
    try:
        steps = first_move(walk(puzzle, puzzle.source(goal), goal, position))
    except Forgotten:
        return _guess(puzzle, goal, position)
    return Hint(judgement, group_moves(steps)[0], steps[0], True)


def _guess(puzzle: Puzzle, goal: int, position: Position) -> Hint:
    moves = way(puzzle, goal, position)
    if not moves:
        return Hint(UNDECIDED, [], None, False)
    return Hint(UNDECIDED, moves[0], puzzle.step(position, *moves[0][:2]), False)


def way(puzzle: Puzzle, goal: int, position: Position) -> list[list[int]]:
    """Moves to the goal that were found at once, if any; that no fewer will do is not proved."""
    steps = None if INTERPRETED.get() else puzzle.guess(Question(puzzle, goal, position))
    return group_moves(steps) if steps else []


def solution(puzzle: Puzzle, goal: int, position: Position) -> Solution:
    """One shortest solution, if the position is known to have one."""
    judgement = judge(puzzle, goal, position)
    if judgement.verdict != LIVE:
        return Solution(judgement, [])
    try:
        return Solution(judgement, group_moves(one_line(puzzle, puzzle.source(goal), goal, position)))
    except Forgotten:
        return Solution(UNDECIDED, [])


def solutions(
    puzzle: Puzzle, goal: int, position: Position, unique: bool, offset: int, limit: int
) -> Solutions:
    """Count all shortest solutions and list `limit` of them from number `offset` on."""
    judgement = judge(puzzle, goal, position)
    if judgement.moves_left is None:
        known = 0 if judgement.verdict == DEAD_END else None
        return Solutions(None, known, known, [])
    source = puzzle.source(goal)
    if not source.can_list(position):
        return Solutions(judgement.moves_left, None, None, [])
    counter = Counter(puzzle, source, goal)
    page = page_of_unique_lines if unique else page_of_lines
    try:
        lines = [_moves(line) for line in page(counter, position, offset, limit)]
        kinds = count_unique(puzzle, source, goal, position)
        return Solutions(judgement.moves_left, counter.count(position), kinds, lines)
    except Forgotten:
        return Solutions(judgement.moves_left, None, None, [])


def number(puzzle: Puzzle, goal: int, position: Position, line: list[tuple[int, int]]) -> int | None:
    """Which of all shortest solutions takes these steps, from 1 on; None where none is known to."""
    source = puzzle.source(goal)
    if judge(puzzle, goal, position).moves_left is None or not source.can_list(position):
        return None
    try:
        return number_of(Counter(puzzle, source, goal), position, line)
    except Forgotten:
        return None


def _moves(line: Line) -> list[list[int]]:
    return group_moves(list(line))


def preparation(puzzle: Puzzle, goal: int, position: Position) -> float | None:
    """How far background work that will answer for the position is, 0 to 1; None where there is none."""
    return None if INTERPRETED.get() else puzzle.preparation(goal, position)
