"""Verdicts, graded steps, hints and solutions of any position: the only caller of exact sources.

It never asks which puzzle it has: the record names its source.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from hoppers.analysis import atlas_lines
from hoppers.analysis.atlas_results import par
from hoppers.core.model import DEAD, UNKNOWN, Position, Source, Step, group_moves
from hoppers.core.puzzle import Puzzle, Question
from hoppers.tablebase.solutions import (
    AnswerEvicted,
    Line,
    SolutionCounter,
    count_unique,
    first_move,
    number_of,
    page_of_solutions,
    page_of_unique_solutions,
    walk,
)

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
    found: int | None = None
    """Moves of the way that it begins, where that is not proved to be shortest."""


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
    return UNDECIDED if puzzle.rules.obstruction(position, goal) is None else Judgement(DEAD_END, None)


def judge(puzzle: Puzzle, goal: int, position: Position) -> Judgement:
    """What is proved of a position; without compiled rules what is seen, or proved of starts by the atlas."""
    known = seen(puzzle, goal, position)
    if known.verdict != NOT_KNOWN:
        return known
    if not puzzle.is_compiled:
        return _of_start(puzzle, goal, position)  # no source answers before its kernels are compiled
    left = puzzle.source(goal).moves_left(position)
    if left == UNKNOWN:
        return _from_atlas(puzzle, goal, position)
    return Judgement(DEAD_END, None) if left == DEAD else Judgement(LIVE, left)


def _of_start(puzzle: Puzzle, goal: int, position: Position) -> Judgement:
    """What the atlas proves of a start, which takes no rules to read."""
    text = puzzle.format(position)
    known = None if ":" in text else par(puzzle, text, puzzle.goal_text(goal))
    if known is None or known.state not in ("proved", "impossible"):
        return UNDECIDED
    return Judgement(DEAD_END, None) if known.moves is None else Judgement(LIVE, known.moves)


def _from_atlas(puzzle: Puzzle, goal: int, position: Position) -> Judgement:
    """What the atlas proves of positions on its lines, which no source may know."""
    least, _ = atlas_lines.bounds(puzzle, puzzle.goal_text(goal), position) or (UNKNOWN, 0)
    is_proved = least != UNKNOWN and fewest_found(puzzle, goal, position) == least
    return Judgement(LIVE, least) if is_proved else UNDECIDED


def fewest_found(puzzle: Puzzle, goal: int, position: Position) -> int | None:
    """The moves of the best way known, in the atlas or found since; None where none is known."""
    steps = _best_known(puzzle, goal, position)
    return _cost(steps) if steps else None


def _best_known(puzzle: Puzzle, goal: int, position: Position) -> list[Step]:
    """The rest of a line of the atlas, or a shorter way that was found since; nothing is looked for.

    Without compiled rules only a line from its start: to play them all takes too long.
    """
    if not puzzle.is_compiled:
        return atlas_lines.from_start(puzzle, puzzle.goal_text(goal), position)
    in_atlas = atlas_lines.way(puzzle, puzzle.goal_text(goal), position)
    found = puzzle.solver.known_solution(Question(puzzle, goal, position)) or []
    return min(filter(None, (in_atlas, found)), key=_cost, default=[])


def _cost(steps: list[Step]) -> int:
    return sum(step.cost for step in steps)


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
        steps = first_move(_line(puzzle, goal, position, judgement))
    except AnswerEvicted:
        return _guess(puzzle, goal, position)
    return Hint(judgement, group_moves(steps)[0], steps[0], True)


def _line(puzzle: Puzzle, goal: int, position: Position, judgement: Judgement) -> Iterator[Step]:
    """The steps of a shortest solution, from the source or else the atlas, each found when asked for.

    Raises:
        AnswerEvicted: whatever knew one when the position was judged does not any more.
    """
    source = puzzle.source(goal)
    if source.moves_left(position) != UNKNOWN:
        return walk(puzzle, source, goal, position)
    steps = _best_known(puzzle, goal, position)
    if not steps or _cost(steps) != judgement.moves_left:
        raise AnswerEvicted
    return iter(steps)


def _guess(puzzle: Puzzle, goal: int, position: Position) -> Hint:
    moves = way(puzzle, goal, position)
    if not moves:
        return Hint(UNDECIDED, [], None, False)
    step = puzzle.step(position, *moves[0][:2])
    return Hint(UNDECIDED, moves[0], step, False, len(moves) - (step.cost == 0))


def way(puzzle: Puzzle, goal: int, position: Position) -> list[list[int]]:
    """Moves to the goal: the best known, or what was found at once, if any; not proved to be the fewest."""
    steps = _best_known(puzzle, goal, position)
    if not steps and puzzle.is_compiled:
        steps = puzzle.solver.find_solution(Question(puzzle, goal, position)) or []
    return group_moves(steps)


def solution(puzzle: Puzzle, goal: int, position: Position) -> Solution:
    """One shortest solution, if the position is known to have one."""
    judgement = judge(puzzle, goal, position)
    if judgement.verdict != LIVE:
        return Solution(judgement, [])
    try:
        return Solution(judgement, group_moves(list(_line(puzzle, goal, position, judgement))))
    except AnswerEvicted:
        return Solution(UNDECIDED, [])


def solutions(
    puzzle: Puzzle, goal: int, position: Position, unique: bool, offset: int, limit: int
) -> Solutions:
    """Count all shortest solutions and list `limit` of them from number `offset` on."""
    judgement = judge(puzzle, goal, position)
    if judgement.moves_left is None:
        known = 0 if judgement.verdict == DEAD_END else None
        return Solutions(None, known, known, [])
    source = _lister(puzzle, goal, position)
    if source is None:
        return Solutions(judgement.moves_left, None, None, [])
    counter = SolutionCounter(puzzle, source, goal)
    page = page_of_unique_solutions if unique else page_of_solutions
    try:
        lines = [_moves(line) for line in page(counter, position, offset, limit)]
        kinds = count_unique(puzzle, source, goal, position)
        return Solutions(judgement.moves_left, counter.count(position), kinds, lines)
    except AnswerEvicted:
        return Solutions(judgement.moves_left, None, None, [])


def _lister(puzzle: Puzzle, goal: int, position: Position) -> Source | None:
    """The source, if it can list the shortest solutions of a position, and is compiled."""
    source = puzzle.source(goal)
    return source if source.can_list(position) else None


def number(puzzle: Puzzle, goal: int, position: Position, line: list[tuple[int, int]]) -> int | None:
    """Which of all shortest solutions takes these steps, from 1 on; None where none is known to."""
    source = _lister(puzzle, goal, position)
    if source is None or judge(puzzle, goal, position).moves_left is None:
        return None
    try:
        return number_of(SolutionCounter(puzzle, source, goal), position, line)
    except AnswerEvicted:
        return None


def _moves(line: Line) -> list[list[int]]:
    return group_moves(list(line))


def preparation(puzzle: Puzzle, goal: int, position: Position) -> float | None:
    """How far background work that will answer for the position is, 0 to 1; None where there is none."""
    return puzzle.source(goal).progress(position)
