"""Verdicts, graded steps, hints and solutions of any position of any puzzle.

A verdict comes from the rules, from the puzzle's exact source, or from the atlas, in this order. If none of
them proves anything, hints and solutions may still come from the best known solution; these are marked as
not proved. The code is independent of the puzzle: the puzzle record names its source.

For hints over HTTP, `web.api.hints` calls `hint`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from hoppers.analysis.atlas_results import KnownResult, known_line, known_result, line_bounds, line_from_start
from hoppers.core.model import DEAD, UNKNOWN, Position, Step, cost_of, group_moves
from hoppers.core.puzzle import Puzzle, Question
from hoppers.tablebase.solutions import (
    AnswerEvicted,
    Counting,
    Place,
    SolutionGraphs,
    UniqueSolutions,
    first_move,
    number_of,
    page_of_solutions,
    shortest_solution,
)

SOLVED, LIVE, DEAD_END, NOT_KNOWN = "solved", "live", "dead", "unknown"


class Verdict(NamedTuple):
    """Proved result about a position: 'solved', 'live', 'dead' or 'unknown'.

    `moves_left`: fewest moves to the goal; None if the position is dead or unknown.
    """

    verdict: str
    moves_left: int | None


UNDECIDED = Verdict(NOT_KNOWN, None)


class GradedStep(NamedTuple):
    """A legal step and the verdict on the position after it."""

    step: Step
    verdict: Verdict


class Hint(NamedTuple):
    """The next move of a solution and its first step; within a move, the rest of the current move."""

    verdict: Verdict
    move: list[int]
    step: Step | None
    proved: bool
    """True if the solution is proved shortest, or if no solution is proved to exist."""
    found: int | None = None
    """Moves of the known solution that `move` begins, if that is not proved shortest."""


class Solution(NamedTuple):
    """One shortest solution; `moves` is empty if none exists or none is known."""

    verdict: Verdict
    moves: list[list[int]]


@dataclass(frozen=True)
class Solutions:
    """Number of shortest solutions, in all and up to symmetry, and one page of them. None: not known."""

    moves_left: int | None
    count: int | None
    unique_count: int | None
    solutions: list[list[list[int]]]
    counting: float | None = None
    """Progress, 0 to 1, of the background build that will list the solutions; None if none runs."""
    reason: str | None = None
    """Code of the reason why the solutions cannot be listed (see `Counting`), or None."""


def immediate_verdict(puzzle: Puzzle, goal: int, position: Position) -> Verdict:
    """Return the verdict that the rules alone prove, without an exact source."""
    if puzzle.is_solved(position, goal):
        return Verdict(SOLVED, 0)
    return UNDECIDED if puzzle.rules.obstruction(position, goal) is None else Verdict(DEAD_END, None)


def verdict_of(puzzle: Puzzle, goal: int, position: Position) -> Verdict:
    """Return the verdict on a position.

    While the kernels are not compiled yet, only the rules and the atlas results of starts are used.
    """
    immediate = immediate_verdict(puzzle, goal, position)
    if immediate.verdict != NOT_KNOWN:
        return immediate
    if not puzzle.is_compiled:
        return _start_verdict(puzzle, goal, position)  # no source answers before its kernels are compiled
    left = puzzle.source(goal).moves_left(position)
    if left == UNKNOWN:
        return _atlas_verdict(puzzle, goal, position)
    return Verdict(DEAD_END, None) if left == DEAD else Verdict(LIVE, left)


def _start_verdict(puzzle: Puzzle, goal: int, position: Position) -> Verdict:
    """Return the verdict that the atlas proves for a start; this needs no compiled kernels."""
    text = puzzle.format(position)
    known = None if ":" in text else known_result(puzzle, text, puzzle.goal_text(goal))
    if known is None or known.state not in ("proved", "impossible"):
        return UNDECIDED
    return Verdict(DEAD_END, None) if known.moves is None else Verdict(LIVE, known.moves)


def _atlas_verdict(puzzle: Puzzle, goal: int, position: Position) -> Verdict:
    """Return the verdict that the atlas proves for a position on one of its lines."""
    least, _ = line_bounds(puzzle, puzzle.goal_text(goal), position) or (UNKNOWN, 0)
    is_proved = least != UNKNOWN and fewest_known(puzzle, goal, position) == least
    return Verdict(LIVE, least) if is_proved else UNDECIDED


def fewest_known(puzzle: Puzzle, goal: int, position: Position) -> int | None:
    """Return the moves of the best known solution, or None if no solution is known."""
    steps = _best_known_steps(puzzle, goal, position)
    return cost_of(steps) if steps else None


def _best_known_steps(puzzle: Puzzle, goal: int, position: Position) -> list[Step]:
    """Return the steps of the best known solution, from the atlas or from earlier searches, or no steps.

    While the kernels are not compiled, only lines that begin at `position` are used: replaying all lines
    with interpreted rules takes too long.
    """
    if not puzzle.is_compiled:
        return line_from_start(puzzle, puzzle.goal_text(goal), position)
    in_atlas = known_line(puzzle, puzzle.goal_text(goal), position)
    found = puzzle.solver.known_solution(Question(puzzle, goal, position)) or []
    return min(filter(None, (in_atlas, found)), key=cost_of, default=[])


def graded_steps(puzzle: Puzzle, goal: int, position: Position) -> list[GradedStep]:
    """Return every legal step with the verdict on the position after it."""
    return [GradedStep(step, verdict_of(puzzle, goal, step.after)) for step in puzzle.steps(position)]


def hint(puzzle: Puzzle, goal: int, position: Position) -> Hint:
    """Return the next move of a shortest solution, or of the best known solution if nothing is proved."""
    verdict = verdict_of(puzzle, goal, position)
    if verdict.verdict == NOT_KNOWN:
        return _unproved_hint(puzzle, goal, position)
    if verdict.verdict != LIVE:
        return Hint(verdict, [], None, True)
    try:
        steps = first_move(_shortest_steps(puzzle, goal, position, verdict))
    except AnswerEvicted:
        return _unproved_hint(puzzle, goal, position)
    return Hint(verdict, group_moves(steps)[0], steps[0], True)


def _shortest_steps(puzzle: Puzzle, goal: int, position: Position, verdict: Verdict) -> Iterator[Step]:
    """Return an iterator over the steps of a shortest solution, from the exact source or else the atlas.

    Raises:
        AnswerEvicted: the source that proved `verdict` has dropped the position since.
    """
    source = puzzle.source(goal)
    if source.moves_left(position) != UNKNOWN:
        return shortest_solution(puzzle, source, goal, position)
    steps = _best_known_steps(puzzle, goal, position)
    if not steps or cost_of(steps) != verdict.moves_left:
        raise AnswerEvicted
    return iter(steps)


def _unproved_hint(puzzle: Puzzle, goal: int, position: Position) -> Hint:
    moves = known_solution(puzzle, goal, position)
    if not moves:
        return Hint(UNDECIDED, [], None, False)
    step = puzzle.step(position, *moves[0][:2])
    return Hint(UNDECIDED, moves[0], step, False, len(moves) - (step.cost == 0))


def known_solution(puzzle: Puzzle, goal: int, position: Position) -> list[list[int]]:
    """Return the moves of the best known solution, or of one found by a quick search, or no moves.

    The solution is not proved shortest.
    """
    steps = _best_known_steps(puzzle, goal, position)
    if not steps and puzzle.is_compiled:
        steps = puzzle.solver.find_solution(Question(puzzle, goal, position)) or []
    return group_moves(steps)


def solution(puzzle: Puzzle, goal: int, position: Position) -> Solution:
    """Return one shortest solution; its `moves` are empty if none is proved."""
    verdict = verdict_of(puzzle, goal, position)
    if verdict.verdict != LIVE:
        return Solution(verdict, [])
    try:
        return Solution(verdict, group_moves(_shortest_steps(puzzle, goal, position, verdict)))
    except AnswerEvicted:
        return Solution(UNDECIDED, [])


def solutions(
    puzzle: Puzzle, goal: int, position: Position, unique: bool, offset: int, limit: int
) -> Solutions:
    """Count all shortest solutions and list at most `limit` of them, from number `offset` on.

    If listing takes long, a background build is requested, and `counting` is its progress.
    """
    verdict = verdict_of(puzzle, goal, position)
    if verdict.verdict == DEAD_END:
        return Solutions(None, 0, 0, [])
    place = _place(puzzle, goal, position)
    if isinstance(place, Counting):
        known = _counted_in_atlas(puzzle, goal, position)
        return Solutions(verdict.moves_left, known.solutions, known.unique, [], *place)
    graph, number = place
    if not graph.count(number):
        return Solutions(None, 0, 0, [])
    kinds = UniqueSolutions(graph, puzzle.symmetries(position, goal))
    page = kinds.page(number, offset, limit) if unique else page_of_solutions(graph, number, offset, limit)
    lines = [group_moves(line) for line in page]
    return Solutions(graph.moves_left(number), graph.count(number), kinds.count(number), lines)


def _place(puzzle: Puzzle, goal: int, position: Position) -> Place | Counting:
    """Return the place of a position in the graph of its shortest solutions, or the state of their count."""
    if not puzzle.is_compiled:
        return Counting(0.0)
    graphs: SolutionGraphs = puzzle.engine.resource(SolutionGraphs)
    return graphs.find_or_build(puzzle, goal, position)


def _counted_in_atlas(puzzle: Puzzle, goal: int, position: Position) -> KnownResult:
    """Return the atlas result of a start with its number of shortest solutions, or a result without one."""
    known = known_result(puzzle, puzzle.format(position), puzzle.goal_text(goal))
    return KnownResult("open") if known is None else known


def solution_number(puzzle: Puzzle, goal: int, position: Position, line: list[tuple[int, int]]) -> int | None:
    """Return the number (from 1) of the shortest solution with the jumps `line`, or None if not known."""
    place = _place(puzzle, goal, position)
    return None if isinstance(place, Counting) else number_of(place.graph, place.number, line)


def preparation(puzzle: Puzzle, goal: int, position: Position) -> float | None:
    """Return the progress, 0 to 1, of a background build that will decide `position`; None if none runs."""
    return puzzle.source(goal).progress(position)
