"""Verdicts, graded steps, hints and solutions of any position of any puzzle.

A verdict comes from the rules, from the puzzle's exact source, or from the bounds of the engine, in this
order. `verdict_of` reads what is known and records nothing; everything else may search briefly, and records
what it finds. If a solution is known but not proved to be shortest, the verdict is live with bounds, and
hints and solutions are marked as not proved. The code is the same for all puzzles: each `Puzzle` has its own
source for each goal.
"""

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from hoppers.analysis.atlas_results import known_result
from hoppers.core.model import (
    DEAD,
    DEAD_BOUND,
    UNKNOWN,
    Bounds,
    KnownAnswer,
    Position,
    Step,
    cost_of,
    group_moves,
)
from hoppers.core.puzzle import Puzzle
from hoppers.tablebase.atlas_data import KnownResult
from hoppers.tablebase.solutions import (
    SolutionGraph,
    SolutionGraphs,
    SolutionList,
    steps_of_answer,
)

VerdictName = Literal["solved", "live", "dead", "unknown"]
SOLVED: Final = "solved"
LIVE: Final = "live"
DEAD_END: Final = "dead"
NOT_KNOWN: Final = "unknown"


class Verdict(NamedTuple):
    """Bounds of the fewest moves from a position, and whether it is solved. The words follow from these."""

    bounds: Bounds
    is_solved: bool = False
    """Not the same as no moves left: the active peg may have to jump on, which costs none."""

    @property
    def verdict(self) -> VerdictName:
        """The verdict in a word: proved 'solved', 'live' (solvable) or 'dead' (unsolvable), or 'unknown'."""
        if self.is_solved:
            return SOLVED
        if self.bounds.is_dead:
            return DEAD_END
        return NOT_KNOWN if self.bounds.most is None else LIVE

    @property
    def moves_left(self) -> int | None:
        """Fewest moves to the goal; None if the position is dead, or if they are not proved."""
        return self.bounds.most if self.bounds.is_tight else None

    @property
    def is_final(self) -> bool:
        """Whether the verdict will never change: not unknown, and with the fewest moves if it is live."""
        return self.bounds.is_decided


UNDECIDED = Verdict(Bounds())
IMPOSSIBLE = Verdict(Bounds(DEAD_BOUND))


class GradedStep(NamedTuple):
    """A legal step and the verdict on the position after it."""

    step: Step
    verdict: Verdict


@dataclass(frozen=True)
class Solutions:
    """Numbers of shortest solutions, in all and up to symmetry (None: not known), and one page of them."""

    moves_left: int | None
    """Fewest moves to the goal; None if they are not proved or no solution exists."""
    count: int | None
    unique_count: int | None
    solutions: list[list[list[int]]]
    """Moves of each solution on the page; a move is a list of holes visited."""
    counting: float | None = None
    """Progress, 0 to 1, of the background build that will list the solutions; None if none runs.

    While the kernels are not compiled, it is 0.0.
    """
    reason: str | None = None
    """Code of the reason why no list is to come (see `SolutionGraphs.find_or_build`), or None."""


def immediate_verdict(puzzle: Puzzle, goal: int, position: Position) -> Verdict:
    """Return the verdict that the rules alone prove, without an exact source, or UNDECIDED."""
    if puzzle.is_solved(position, goal):
        return Verdict(Bounds(0, 0), is_solved=True)
    return UNDECIDED if puzzle.rules.obstruction(position, goal) is None else IMPOSSIBLE


def verdict_of(puzzle: Puzzle, goal: int, position: Position) -> Verdict:
    """Return the verdict that is known of a position; nothing is recorded.

    While the kernels are not compiled yet, only the rules and the atlas are used.
    """
    return _look_up(puzzle, goal, position)[0]


def find_verdict(puzzle: Puzzle, goal: int, position: Position) -> Verdict:
    """Return the verdict on a position, perhaps after a brief search, whose result is recorded."""
    return _find(puzzle, goal, position)[0]


def _look_up(puzzle: Puzzle, goal: int, position: Position) -> tuple[Verdict, KnownAnswer]:
    """Return the verdict that is known of a position, and the answer it comes from; nothing is recorded."""
    immediate = immediate_verdict(puzzle, goal, position)
    if immediate.verdict != NOT_KNOWN:
        return immediate, KnownAnswer(UNKNOWN)
    return _judged(puzzle, goal, position, puzzle.source(goal).known_answer(position))


def _find(puzzle: Puzzle, goal: int, position: Position) -> tuple[Verdict, KnownAnswer]:
    """Do what `_look_up` does, after a brief search of the source if needed; record what was found."""
    immediate = immediate_verdict(puzzle, goal, position)
    if immediate.verdict != NOT_KNOWN:
        return immediate, KnownAnswer(UNKNOWN)
    answer = puzzle.source(goal).answer(position)
    _record(puzzle, goal, position, answer)
    return _judged(puzzle, goal, position, answer)


def _find_solution(puzzle: Puzzle, goal: int, position: Position) -> tuple[Verdict, KnownAnswer]:
    """Do what `_find` does, after a quick search for a solution if the verdict is unknown."""
    found = _find(puzzle, goal, position)
    if found[0].verdict != NOT_KNOWN:
        return found
    puzzle.source(goal).find_solution(position)
    return _find(puzzle, goal, position)


def _judged(
    puzzle: Puzzle, goal: int, position: Position, answer: KnownAnswer
) -> tuple[Verdict, KnownAnswer]:
    """Return the verdict by an answer of the source or, if it is UNKNOWN, by the bounds of the engine.

    With it, return the answer it comes from, with the best known solution.
    """
    if answer.left == DEAD:
        return IMPOSSIBLE, answer
    if answer.left != UNKNOWN:
        return Verdict(Bounds(answer.left, answer.left)), answer
    record = puzzle.engine.bounds.record(puzzle, goal, position)
    least = max(record.least, puzzle.solving.lower_bound(puzzle, position, goal))
    return _bounded_verdict(Bounds(least, record.most)), KnownAnswer(UNKNOWN, jumps=record.jumps)


def _record(puzzle: Puzzle, goal: int, position: Position, answer: KnownAnswer) -> None:
    """Record what an answer of the source adds to the bounds of the engine.

    That is an answer from a table, with a shortest solution, if it improves them. If the answer is UNKNOWN
    and no solution is recorded, it is that of `Solving.any_solution`.
    """
    bounds, find = puzzle.engine.bounds, puzzle.solving.any_solution
    if answer.left == UNKNOWN:
        if find is not None and bounds.record(puzzle, goal, position).most is None:
            bounds.learn_line(puzzle, goal, position, find(puzzle, position, goal))
    elif answer.left == DEAD or answer.table is None or puzzle.source(goal).is_complete:
        return
    elif bounds.would_improve(puzzle, goal, position, answer.left):
        steps = [*steps_of_answer(puzzle, goal, position, answer)]
        bounds.learn_shortest(puzzle, goal, position, steps)


def _has_bounds(puzzle: Puzzle) -> bool:
    """Return whether every position has bounds, not only starts."""
    return puzzle.is_compiled or puzzle.solving.any_solution is not None


def _bounded_verdict(bounds: Bounds) -> Verdict:
    """Return the verdict that bounds give, or UNDECIDED if they only say that a move is needed."""
    is_open = bounds.most is None and bounds.least <= 1
    return UNDECIDED if is_open else Verdict(Bounds(bounds.least, bounds.most))


def learn_solution(puzzle: Puzzle, goal: int, start: Position, steps: list[Step]) -> None:
    """Record `steps`, replayed by the rules, if they are a better solution than the best known one.

    A complete table has nothing to learn. The record lasts as long as the process.
    """
    if not steps or not puzzle.is_solved(steps[-1].after, goal):
        return
    if not puzzle.is_compiled or puzzle.source(goal).is_complete:
        return
    most = puzzle.engine.bounds.record(puzzle, goal, start).most
    if most is None or cost_of(steps) < most:
        puzzle.engine.bounds.learn_line(puzzle, goal, start, steps)


def graded(puzzle: Puzzle, goal: int, position: Position) -> tuple[Verdict, list[GradedStep]]:
    """Return the verdict on a position, and every legal step with the verdict on the position after it.

    If the verdict is not final, it is dead if all steps lead to dead positions. Otherwise the bounds of the
    position and those after the steps improve each other, except where only starts have bounds (see
    `_has_bounds`). If any verdict is unknown, or that of the position is not final, a proof for the
    position is requested last, because the newest request runs first; one closure (table of everything
    reachable) answers for all steps.
    """
    verdict, steps = _find_solution(puzzle, goal, position)[0], puzzle.steps(position)
    if not verdict.is_final and _has_bounds(puzzle):
        puzzle.engine.bounds.learn_steps_from(puzzle, goal, position, steps)
    after = [GradedStep(step, find_verdict(puzzle, goal, step.after)) for step in steps]
    if not verdict.is_final:
        verdict = _verdict_by_steps(puzzle, goal, position, verdict, after)
    if not verdict.is_final or NOT_KNOWN in [step.verdict.verdict for step in after]:
        puzzle.source(goal).request_proof(position)
    return verdict, after


def immediately_graded(puzzle: Puzzle, goal: int, position: Position) -> tuple[Verdict, list[GradedStep]]:
    """Return what `graded` does, with only the verdicts that the rules alone prove."""
    after = [GradedStep(step, immediate_verdict(puzzle, goal, step.after)) for step in puzzle.steps(position)]
    verdict = immediate_verdict(puzzle, goal, position)
    return IMPOSSIBLE if _is_lost(verdict, after) else verdict, after


def _is_lost(verdict: Verdict, after: list[GradedStep]) -> bool:
    """Return whether a position of unknown `verdict` is dead because the positions after all steps are."""
    return verdict.verdict == NOT_KNOWN and all(step.verdict.verdict == DEAD_END for step in after)


def _verdict_by_steps(
    puzzle: Puzzle, goal: int, position: Position, verdict: Verdict, after: list[GradedStep]
) -> Verdict:
    """Return the verdict on a position that its `verdict` and those after all its steps prove together."""
    if _is_lost(verdict, after):
        puzzle.engine.bounds.learn_dead(puzzle, goal, position)
        return IMPOSSIBLE
    if not _has_bounds(puzzle):
        return verdict
    bounds = puzzle.engine.bounds
    least = [step.cost + verdict.bounds.least for step, verdict in after if verdict.verdict != DEAD_END]
    bounds.raise_least(puzzle, goal, position, min(least))
    return _bounded_verdict(bounds.of(puzzle, goal, position))


def hint(puzzle: Puzzle, goal: int, position: Position) -> tuple[Verdict, list[int]]:
    """Return the verdict on a position, and the first move of its `solution`, as a list of holes.

    If the solution continues a move under way, this is the rest of that move. The list is empty if the
    position is solved or no solution is known.
    """
    verdict, moves = solution(puzzle, goal, position, most=1)
    return verdict, moves[0] if moves else []


def solution(
    puzzle: Puzzle, goal: int, position: Position, most: int | None = None
) -> tuple[Verdict, list[list[int]]]:
    """Return the verdict on a position, and the moves of a shortest solution, or of the best known one.

    There are no moves if the position is solved or no solution is known. The solution is proved shortest if
    the verdict is final. `most`: number of moves after which the solution is cut off; None keeps all moves.
    """
    verdict, answer = _find_solution(puzzle, goal, position)
    if verdict.verdict != LIVE:
        return verdict, []
    return verdict, group_moves(steps_of_answer(puzzle, goal, position, answer), most)


def solutions(
    puzzle: Puzzle, goal: int, position: Position, unique: bool, offset: int, limit: int
) -> Solutions:
    """Count all shortest solutions and list at most `limit` of them, after the first `offset`.

    `unique`: whether to list only one of each set of symmetric solutions. If listing takes long, a background
    build is requested, and `counting` is its progress. While there is no list, the numbers are those of the
    atlas, if any.
    """
    verdict = find_verdict(puzzle, goal, position)
    if verdict.verdict == DEAD_END:
        return Solutions(None, 0, 0, [])
    graph = _graph(puzzle, goal, position)
    if not isinstance(graph, SolutionGraph):
        counting, reason = (None, graph) if isinstance(graph, str) else (graph, None)
        known = known_result(puzzle, puzzle.format(position), puzzle.goal_text(goal)) or KnownResult(False)
        return Solutions(verdict.moves_left, known.count, known.unique, [], counting, reason)
    if not graph.count(graph.root):
        return Solutions(None, 0, 0, [])
    kinds = SolutionList(graph, puzzle.symmetries(position, goal))
    page = (kinds if unique else SolutionList(graph)).page(offset, limit)
    lines = [group_moves(line) for line in page]
    return Solutions(graph.moves_left(graph.root), graph.count(graph.root), kinds.count(), lines)


def _graph(puzzle: Puzzle, goal: int, position: Position) -> SolutionGraph | float | str:
    """Return the result of `SolutionGraphs.find_or_build`."""
    graphs: SolutionGraphs = puzzle.engine.resource(SolutionGraphs)
    return graphs.find_or_build(puzzle, goal, position)


class SolutionNumber(NamedTuple):
    """Place of a line among all shortest solutions; None where it is not listed among them."""

    number: int | None = None
    """Number of the line, from 1."""
    kind: int | None = None
    """Number, from 1, of its kind among the kinds up to symmetry."""
    kinds: int | None = None
    """Number of kinds."""
    counting: float | None = None
    """Progress of the count after which the numbers are known, 0 to 1; None if there is none."""


def solution_number(
    puzzle: Puzzle, goal: int, position: Position, line: list[tuple[int, int]]
) -> SolutionNumber:
    """Return the place of `line`, which has (origin, target) of each step, among the shortest solutions."""
    if verdict_of(puzzle, goal, position).verdict == DEAD_END:
        return SolutionNumber()
    graph = _graph(puzzle, goal, position)
    if not isinstance(graph, SolutionGraph):
        return SolutionNumber(counting={"busy": 0.0}.get(graph) if isinstance(graph, str) else graph)
    number = SolutionList(graph).number_of(line)
    if number is None:
        return SolutionNumber()
    kinds = SolutionList(graph, puzzle.symmetries(position, goal))
    return SolutionNumber(number, kinds.number_of(line), kinds.count())
