"""Ends of found solutions: an end with too many moves is replaced by one with the fewest."""

import random
from collections.abc import Iterator
from functools import partial

import pytest

from hoppers import puzzles
from hoppers.analysis import verdicts
from hoppers.core.model import DEAD, Step, cost_of, group_moves, steps_of
from hoppers.core.puzzle import Puzzle, Question
from hoppers.puzzles.pegs.peg_board import peg_board
from hoppers.puzzles.pegs.tables.closure import build_closure
from hoppers.puzzles.pegs.unproved_solutions import LIMITS, UnprovedSolutions, with_proved_end
from hoppers.runtime.builder import finish
from hoppers.runtime.token_bucket import TokenBucket
from hoppers.tablebase.atlas_data import vacated
from hoppers.tablebase.engine import Engine
from tests.puzzles.pegs.positions import find_solution
from tests.support.engine import find
from tools.atlas import peg_results
from tools.atlas.results import Effort

START, GOAL = 11, 25
"""Empty hole of the start and finishing hole of a problem of French 37."""
PEGS_KEPT = 14
"""Number of pegs down to which worse solutions equal the published one."""
UNHURRIED = 600.0  # seconds for the proof of an end


@pytest.fixture
def puzzle() -> Iterator[Puzzle]:
    """French 37 in an engine of its own, without solutions of other tests."""
    engine = Engine(puzzles.PUZZLES)
    yield engine.find("french-37")
    engine.builder.cancel_all()


def worse_solution() -> tuple[list[Step], list[Step]]:
    """Return the published solution of the problem, and one with the same beginning and more moves.

    After the common beginning, each jump is chosen at random among those that keep the goal in reach.
    """
    puzzle = find("french-37")
    root = vacated(puzzle, START)
    _, moves = verdicts.solution(puzzle, GOAL, root)
    best = puzzle.replay(root, steps_of(moves))
    worse, rng = [step for step in best if step.after.state.bit_count() >= PEGS_KEPT], random.Random(4)
    state = worse[-1].after.state
    closure = finish(build_closure([state], GOAL, peg_board(puzzle).shifts, 10**6))
    assert closure is not None
    while not puzzle.is_solved(worse[-1].after, GOAL):
        steps = puzzle.legal_steps(puzzle.canonical(worse[-1].after))
        worse.append(rng.choice([step for step in steps if closure.moves_left(step.after) != DEAD]))
    assert cost_of(worse) > cost_of(best)
    return best, worse


@pytest.mark.parametrize("share", [0.75, 0.6, 0.4])
def test_end_with_too_many_moves_is_replaced(
    puzzle: Puzzle, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = LIMITS._replace(end_shares=(share,))
    monkeypatch.setattr("hoppers.puzzles.pegs.unproved_solutions.LIMITS", limits)
    best, worse = worse_solution()
    question = Question(puzzle, GOAL, vacated(puzzle, START))
    better = finish(with_proved_end(question, worse, UNHURRIED))
    assert cost_of(better) == cost_of(best)
    jumps = [(step.origin, step.target) for step in better]
    assert puzzle.replay(question.root, jumps) == better
    assert puzzle.is_solved(better[-1].after, GOAL)
    kept = puzzle.holes - 1 - int(share * puzzle.holes)
    assert better[:kept] == worse[:kept]


def test_shortest_end_stays(puzzle: Puzzle) -> None:
    best, _ = worse_solution()
    question = Question(puzzle, GOAL, vacated(puzzle, START))
    assert finish(with_proved_end(question, best, UNHURRIED)) == best


def test_solution_without_a_proof_in_time_stays(puzzle: Puzzle) -> None:
    _, worse = worse_solution()
    question = Question(puzzle, GOAL, vacated(puzzle, START))
    assert finish(with_proved_end(question, worse, -1.0)) == worse


def test_solution_found_in_the_background_has_a_proved_end(
    puzzle: Puzzle, monkeypatch: pytest.MonkeyPatch
) -> None:
    best, worse = worse_solution()
    monkeypatch.setattr(
        "hoppers.puzzles.pegs.unproved_solutions.beam_search", lambda *_: (line for line in [worse])
    )
    unhurried = partial(with_proved_end, seconds=UNHURRIED)
    monkeypatch.setattr("hoppers.puzzles.pegs.unproved_solutions.with_proved_end", unhurried)
    engine = Engine(puzzles.PUZZLES, atlas=lambda puzzle: {})
    puzzle, hints = engine.find(puzzle.id), UnprovedSolutions(engine, TokenBucket(0, 0))
    question = Question(puzzle, GOAL, vacated(puzzle, START))
    assert not find_solution(hints, question)
    assert puzzle.engine.builder.join(600)
    found = find_solution(hints, question)
    assert found and cost_of(found) == cost_of(best)
    middle = Question(puzzle, GOAL, puzzle.canonical(found[20].after))
    assert find_solution(hints, middle) == found[21:]


def test_atlas_improves_the_end_of_what_a_beam_finds(puzzle: Puzzle, monkeypatch: pytest.MonkeyPatch) -> None:
    best, worse = worse_solution()
    monkeypatch.setattr(peg_results, "beam_search", lambda problem, beams: [worse])
    before = {"limits": [[limit, 1, 1] for limit in range(1, cost_of(best))], "proved": False}
    problem = peg_results.problem_of(puzzle, f"{START}-{GOAL}")
    result = peg_results.solve(problem, Effort(), before, lambda _: None)
    assert result["proved"] and len(result["solution"]) == result["moves"] == cost_of(best)


def test_atlas_keeps_what_an_earlier_run_has_found(puzzle: Puzzle, monkeypatch: pytest.MonkeyPatch) -> None:
    best, worse = worse_solution()
    monkeypatch.setattr(peg_results, "beam_search", lambda problem, beams: [worse])
    before = {"limits": [[1, 5, 0], [2, 9, 0]], "proved": False, "found": group_moves(best)}
    problem = peg_results.problem_of(puzzle, f"{START}-{GOAL}")
    result = peg_results.solve(problem, Effort(seconds=0.0), before, lambda _: None)
    assert not result["proved"] and len(result["found"]) == cost_of(best)
    assert result["limits"][:2] == before["limits"]
