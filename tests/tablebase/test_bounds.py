"""Bounds of the fewest moves: they only narrow, also at the start of a line, and outlive the process."""

import pytest

from hoppers import puzzles
from hoppers.analysis import verdicts
from hoppers.analysis.atlas_results import known_first, known_result
from hoppers.core.events import Event, Exhausted, Found, Progress
from hoppers.core.model import Bounds, Position, Source, Step, cost_of, steps_of
from hoppers.core.puzzle import Puzzle, Question
from hoppers.tablebase.best_method import learn
from hoppers.tablebase.engine import Engine
from tests.support.engine import MemoryStore, with_source
from tests.support.shorter_line import LATE, rest

pytestmark = pytest.mark.usefixtures("unproved_problems")

START, GOAL = 6, 9
LISTED, LEAST = 27, 22
"""Moves of the solution in the atlas for a problem of Diamond 41, and the proved lower bound."""


class PartialSource(Source):
    """Source that knows the moves left along `REST`, and nothing else."""

    def __init__(self, puzzle: Puzzle) -> None:
        self._left: dict[Position, int] = {}
        steps = rest(puzzle)
        for number, step in enumerate(steps):
            before = puzzle.parse(LATE) if number == 0 else steps[number - 1].after
            self._left[puzzle.canonical(before)] = self._left[before] = cost_of(steps[number:])
            self._left[step.after] = 0

    def moves_left(self, position: Position) -> int:
        """Return the moves left along the solution, else UNKNOWN."""
        return self._left.get(position, Source().moves_left(position))


def diamond(store: MemoryStore | None = None, knows_rest: bool = False) -> Puzzle:
    """Return Diamond 41 of a new engine without exact answers, except along REST if `knows_rest`."""
    engine = Engine(puzzles.PUZZLES, answers=store)
    puzzle = engine.find("diamond-41")
    source = PartialSource(puzzle) if knows_rest else Source()
    engine.puzzles["diamond-41"] = with_source(puzzle, source)
    return engine.puzzles["diamond-41"]


def vacated(puzzle: Puzzle, hole: int) -> Position:
    return Position((1 << puzzle.holes) - 1 ^ 1 << hole)


def first_step(puzzle: Puzzle, position: Position) -> Step:
    """Return the first step of the hint in a position."""
    return puzzle.step(position, *verdicts.hint(puzzle, GOAL, position)[1][:2])


def bounds_at_start(puzzle: Puzzle) -> Bounds | None:
    return verdicts.verdict_of(puzzle, GOAL, vacated(puzzle, START)).bounds


def improve(puzzle: Puzzle) -> None:
    """Let the engine learn the better rest of the listed solution."""
    assert bounds_at_start(puzzle) == Bounds(LEAST, LISTED)
    puzzle.engine.bounds.learn_line(puzzle, GOAL, puzzle.parse(LATE), rest(puzzle))


def test_better_rest_of_a_solution_counts_for_its_start() -> None:
    puzzle = diamond()
    improve(puzzle)
    assert bounds_at_start(puzzle) == Bounds(LEAST, LISTED - 1)
    verdict, moves = verdicts.solution(puzzle, GOAL, vacated(puzzle, START))
    assert len(moves) == LISTED - 1 and not verdict.is_final
    steps = puzzle.replay(vacated(puzzle, START), steps_of(moves))
    assert puzzle.is_solved(steps[-1].after, GOAL)


def test_following_hints_hands_an_exact_answer_back_to_the_start() -> None:
    puzzle, made = diamond(knows_rest=True), 0
    position = vacated(puzzle, START)
    while not puzzle.is_solved(position, GOAL):
        step = first_step(puzzle, position)
        made, position = made + step.cost, step.after
    assert made == LISTED - 1
    assert bounds_at_start(puzzle) == Bounds(LEAST, LISTED - 1)
    known = known_result(puzzle, puzzle.format(vacated(puzzle, START)), str(GOAL))
    assert known and (known.state, known.moves, known.least) == ("found", LISTED - 1, LEAST)


def test_solution_behind_own_steps_counts_for_the_start() -> None:
    """The learnt solution begins off all known solutions; the positions before it were graded."""
    puzzle, steps = diamond(), rest(diamond())
    bounds, position, number = puzzle.engine.bounds, puzzle.parse(LATE), 0
    while verdicts.graded(puzzle, GOAL, position)[0].verdict != "unknown":
        position, number = puzzle.canonical(steps[number].after), number + 1
    bounds.learn_line(puzzle, GOAL, position, steps[number:])
    assert number > 1 and bounds.of(puzzle, GOAL, puzzle.parse(LATE)).most == cost_of(steps)
    assert bounds_at_start(puzzle) == Bounds(LEAST, LISTED - 1)


def test_symmetric_images_share_their_bounds() -> None:
    puzzle = diamond()
    improve(puzzle)
    for image in puzzle.board.symmetries:
        turned = vacated(puzzle, image[START])
        verdict = verdicts.verdict_of(puzzle, image[GOAL], turned)
        assert verdict == verdicts.Verdict(Bounds(LEAST, LISTED - 1))
        steps = puzzle.replay(turned, steps_of(verdicts.solution(puzzle, image[GOAL], turned)[1]))
        assert puzzle.is_solved(steps[-1].after, image[GOAL])


def test_solution_for_a_hole_is_one_for_any_hole() -> None:
    puzzle, anywhere = diamond(), -1
    line = puzzle.engine.bounds
    improve(puzzle)
    found = line.of(puzzle, anywhere, puzzle.parse(LATE))
    assert found.most == cost_of(rest(puzzle))
    line.raise_least(puzzle, anywhere, puzzle.parse(LATE), 8)
    assert line.of(puzzle, GOAL, puzzle.parse(LATE)).least == 8


def test_exhausted_limit_raises_the_lower_bound_along_the_solution() -> None:
    puzzle = diamond()
    start = vacated(puzzle, START)
    first = first_step(puzzle, start)
    assert bounds_at_start(puzzle) == Bounds(LEAST, LISTED)
    learn(Question(puzzle, GOAL, start), Exhausted(LEAST + 1, 5, 5, 0.1))
    assert bounds_at_start(puzzle) == Bounds(LEAST + 2, LISTED)
    after = verdicts.verdict_of(puzzle, GOAL, puzzle.canonical(first.after)).bounds
    assert after == Bounds(LEAST + 1, LISTED - 1)
    learn(Question(puzzle, GOAL, start), Exhausted(3, 5, 5, 0.1))
    assert bounds_at_start(puzzle) == Bounds(LEAST + 2, LISTED)


def test_limit_with_a_first_step_bounds_the_position_after_it() -> None:
    puzzle = diamond()
    start = vacated(puzzle, START)
    first = first_step(puzzle, start)
    learn(Question(puzzle, GOAL, start, first=first), Exhausted(LEAST + 1, 5, 5, 0.1))
    assert bounds_at_start(puzzle) == Bounds(LEAST, LISTED)
    assert puzzle.engine.bounds.of(puzzle, GOAL, first.after).least == LEAST + 1


def test_bounds_that_meet_are_a_proof() -> None:
    puzzle = diamond()
    learn(Question(puzzle, GOAL, vacated(puzzle, START)), Exhausted(LISTED - 1, 5, 5, 0.1))
    verdict, _ = verdicts.hint(puzzle, GOAL, vacated(puzzle, START))
    assert verdict.is_final and verdict.moves_left == LISTED
    verdict, moves = verdicts.solution(puzzle, GOAL, vacated(puzzle, START))
    assert verdict.is_final and len(moves) == LISTED
    known = known_result(puzzle, puzzle.format(vacated(puzzle, START)), str(GOAL))
    assert known and (known.state, known.moves) == ("proved", LISTED)


def test_proof_that_contradicts_a_solution_is_ignored() -> None:
    puzzle = diamond()
    assert bounds_at_start(puzzle)
    learn(Question(puzzle, GOAL, vacated(puzzle, START)), Exhausted(LISTED + 5, 5, 5, 0.1))
    assert bounds_at_start(puzzle) == Bounds(LEAST, LISTED)


def test_listed_problem_keeps_its_bounds_after_a_restart() -> None:
    store = MemoryStore()
    puzzle = diamond(store)
    improve(puzzle)
    learn(Question(puzzle, GOAL, vacated(puzzle, START)), Exhausted(LEAST, 5, 5, 0.1))
    later = diamond(store)
    known = known_result(later, later.format(vacated(later, START)), str(GOAL))
    assert known and (known.moves, known.least) == (LISTED - 1, LEAST + 1)
    assert bounds_at_start(later) == Bounds(LEAST + 1, LISTED - 1)
    assert verdicts.verdict_of(later, GOAL, later.parse(LATE)) != verdicts.UNDECIDED


def test_stored_solution_is_replayed_and_its_checksum_verified() -> None:
    store = MemoryStore()
    improve(diamond(store))
    for name, value in list(store.values.items()):
        store.values[name] = value[:-8] + b"9" + value[-7:]
    assert bounds_at_start(diamond(store)) == Bounds(LEAST, LISTED)


def test_lower_bound_of_another_version_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryStore()
    puzzle = diamond(store)
    improve(puzzle)
    learn(Question(puzzle, GOAL, vacated(puzzle, START)), Exhausted(LEAST, 5, 5, 0.1))
    monkeypatch.setattr("hoppers.tablebase.records.SOURCES_DIGEST", "another")
    assert bounds_at_start(diamond(store)) == Bounds(LEAST, LISTED - 1)


def test_search_begins_with_the_best_known_solution() -> None:
    puzzle = diamond()
    improve(puzzle)
    question = Question(puzzle, GOAL, vacated(puzzle, START))
    events: list[Event] = [Progress(1, 0, 0.0), Found(LISTED, 0.1, []), Found(LISTED - 2, 0.2, [])]
    seen = [*known_first(question, iter(events))]
    assert [type(event) for event in seen] == [Found, Progress, Found]
    assert [event.limit for event in seen if isinstance(event, Found)] == [LISTED - 1, LISTED - 2]
    assert isinstance(seen[0], Found) and len(seen[0].moves) == LISTED - 1


def test_steps_carry_bounds() -> None:
    puzzle = diamond()
    start = vacated(puzzle, START)
    verdict, steps = verdicts.graded(puzzle, GOAL, start)
    first = first_step(puzzle, start)
    assert verdict == verdicts.Verdict(Bounds(LEAST, LISTED))
    on_line = [graded.verdict for graded in steps if graded.step[:2] == first[:2]]
    assert on_line == [verdicts.Verdict(Bounds(LEAST - 1, LISTED - 1))]
    others = [graded.verdict for graded in steps if graded.step[:2] != first[:2]]
    open_ones = [verdict for verdict in others if verdict.verdict != "dead"]
    assert open_ones and all(verdict == verdicts.Verdict(Bounds(LEAST - 1, None)) for verdict in open_ones)
