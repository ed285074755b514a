"""Hints for positions without a proof: an unproved solution, marked as unproved."""

import threading
from collections.abc import Hashable, Iterator
from itertools import pairwise
from typing import Any

import pytest
from flask.testing import FlaskClient

from hoppers import puzzles
from hoppers.analysis import verdicts
from hoppers.analysis.atlas_results import known_result
from hoppers.core.events import Found
from hoppers.core.model import UNKNOWN, Bounds, KnownAnswer, Position, Source, cost_of, group_moves
from hoppers.core.puzzle import PuzzleEngine, Question
from hoppers.puzzles.pegs.beam_search import CLOSURE_BASE, CLOSURE_PER_BOARD, expand_layer
from hoppers.puzzles.pegs.source import LargeBoardSource
from hoppers.puzzles.pegs.tables.closure import build_closure
from hoppers.puzzles.pegs.unproved_solutions import BRIEF, LIMITS, UnprovedSolutions
from hoppers.runtime.token_bucket import TokenBucket
from hoppers.tablebase.atlas_data import vacated
from hoppers.tablebase.best_method import learn
from hoppers.tablebase.engine import Engine
from tests.puzzles.pegs.positions import find_solution, followed, off_the_lines
from tests.support.engine import find, with_source
from tests.support.processes import wait_for


@pytest.fixture
def nothing_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LargeBoardSource, "known_answer", lambda source, position: KnownAnswer(UNKNOWN))


@pytest.fixture
def engine() -> Iterator[Engine]:
    """Engine of one test without an atlas, whose builds end with the test."""
    engine = Engine(puzzles.PUZZLES, atlas=lambda puzzle: {})
    yield engine
    engine.builder.cancel_all()


def unproved_solutions(engine: PuzzleEngine, seconds: float = 1.0) -> UnprovedSolutions:
    """Return an `UnprovedSolutions` whose budget for requests is `seconds` and is never refilled."""
    return UnprovedSolutions(engine, TokenBucket(seconds, 0))


@pytest.mark.usefixtures("unproved_problems")
@pytest.mark.parametrize(("puzzle_id", "start", "goal"), [("french-37", 11, 22), ("diamond-41", 1, 3)])
def test_following_the_hints_solves_the_problem(puzzle_id: str, start: int, goal: int) -> None:
    puzzle = with_source(Engine(puzzles.PUZZLES).find(puzzle_id), Source())
    known = known_result(puzzle, puzzle.format(vacated(puzzle, start)), str(goal))
    assert known and known.moves
    first, _ = verdicts.hint(puzzle, goal, vacated(puzzle, start))
    assert first == verdicts.Verdict(Bounds(known.least, known.moves))
    hints = list(followed(puzzle, goal, vacated(puzzle, start)))
    assert {verdict.verdict for verdict, _ in hints} == {verdicts.LIVE}
    assert sum(step.cost for _, step in hints) == known.moves


def test_found_solution_is_cached_with_an_empty_budget(engine: Engine) -> None:
    puzzle = engine.find("english-33")
    hints = unproved_solutions(engine, 0.0)
    question = Question(puzzle, 1, vacated(puzzle, 1))
    hints.find_solution(question, True)
    solution = engine.bounds.line(puzzle, 1, question.position)
    assert engine.builder.ended == 0 and engine.builder.join(0)  # the warm-up requests no wider beams
    assert solution and find_solution(hints, question) == solution


@pytest.mark.parametrize(
    ("puzzle_id", "start", "goal", "found"), [("french-37", 0, 36, True), ("diamond-41", 9, 9, False)]
)
def test_request_waits_for_a_bounded_number_of_boards(
    engine: Engine, puzzle_id: str, start: int, goal: int, found: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Background work for other requests is not counted."""
    puzzle, opened, listed, requested = engine.find(puzzle_id), [0], [0], list[tuple[bool, bool]]()
    here = threading.get_ident()

    def opening(boards: Any, *more: Any) -> int:
        opened[0] += len(boards) * (threading.get_ident() == here)
        return int(expand_layer(boards, *more))

    def listing(boards: Any, goal: int, shifts: Any, most: int) -> Any:
        listed[0] += most * (threading.get_ident() == here)
        return build_closure(boards, goal, shifts, most)

    monkeypatch.setattr("hoppers.puzzles.pegs.beam_search.expand_layer", opening)
    monkeypatch.setattr("hoppers.puzzles.pegs.beam_search.build_closure", listing)
    hints = unproved_solutions(engine)

    def submit(key: Hashable, start: Any, *, large: bool, low_priority: bool) -> None:
        requested.append((large, low_priority))

    monkeypatch.setattr(engine.builder, "submit", submit)
    assert bool(find_solution(hints, Question(puzzle, goal, vacated(puzzle, start)))) == found
    width = sum(beam.width for beam in BRIEF)
    assert 0 < opened[0] <= width * puzzle.holes
    assert listed[0] <= CLOSURE_PER_BOARD * width + CLOSURE_BASE * len(BRIEF)
    # the rest runs in the background; searches for mere improvements wait while load is high
    assert requested == [(found, found)]


def test_better_solution_replaces_the_quick_one(engine: Engine) -> None:
    puzzle = engine.find("english-33")
    hints = unproved_solutions(engine)
    question = Question(puzzle, 1, vacated(puzzle, 1))
    soon = find_solution(hints, question)
    assert engine.builder.join(300)
    later = find_solution(hints, question)
    assert soon and later
    assert sum(step.cost for step in later) < sum(step.cost for step in soon)
    for number, step in enumerate(later, 1):
        rest = find_solution(hints, Question(puzzle, 1, puzzle.canonical(step.after)))
        assert rest == later[number:]


def test_position_without_solution_is_searched_once(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = engine.find("english-33")
    hints = unproved_solutions(engine)
    lonely = Question(puzzle, 16, Position(1 | 1 << 32))
    assert not find_solution(hints, lonely) and engine.builder.join(60)
    monkeypatch.setattr("hoppers.puzzles.pegs.unproved_solutions.beam_search", None)
    assert not find_solution(hints, lonely)


@pytest.mark.usefixtures("nothing_proved")
def test_hint_response_marks_unproved_moves(new_client: FlaskClient) -> None:
    puzzle = find("english-33")
    position = off_the_lines(puzzle, "1")
    place = f"/api/puzzles/english-33/positions/{puzzle.format(position)}"
    answer = new_client.get(f"{place}/hint?goal=1").get_json()
    assert answer["verdict"] == "live" and answer["proved"] is False and answer["moves_left"] is None
    assert answer["bounds"]["least"] <= answer["bounds"]["most"]
    later = new_client.get(f"{place}?goal=1").get_json()
    bounds = [answer["bounds"][name] for name in ("least", "most")]
    assert later["verdict"] == "live" and later["bounds"]["least"] >= bounds[0] > 1
    assert later["bounds"]["most"] <= bounds[1]  # the steps of the position may tighten both
    assert len(answer["move"]) >= 2 and answer["step"]["from"] == answer["move"][0]


@pytest.mark.usefixtures("nothing_proved")
def test_verdict_without_a_proof_finds_a_solution(new_client: FlaskClient) -> None:
    puzzle = find("english-33")
    place = f"/api/puzzles/english-33/positions/{puzzle.format(off_the_lines(puzzle, '1'))}?goal=1"
    answer = new_client.get(place).get_json()
    assert answer["verdict"] == "live" and answer["moves_left"] is None
    assert 1 < answer["bounds"]["least"] <= answer["bounds"]["most"]


def test_hints_follow_a_solution_found_by_a_search(engine: Engine) -> None:
    puzzle = engine.find("french-37")
    start = vacated(puzzle, 11)
    _, moves = verdicts.solution(puzzle, 22, start)
    other = Engine(puzzles.PUZZLES, atlas=lambda puzzle: {}).find("french-37")
    first = other.step(start, *moves[0][:2])
    hints = unproved_solutions(other.engine, 0.0)
    assert not find_solution(hints, Question(other, 22, start))
    learn(Question(other, 22, start, first=first), Found(len(moves), 0.0, moves))
    for question in (Question(other, 22, start, first=first), Question(other, 22, first.after)):
        steps = find_solution(hints, question)
        assert steps and group_moves([first, *steps]) == moves
    other.engine.builder.cancel_all()


@pytest.mark.usefixtures("nothing_proved")
def test_unproved_solution_is_marked(new_client: FlaskClient) -> None:
    puzzle = find("english-33")
    position = off_the_lines(puzzle, "1")
    address = f"/api/puzzles/english-33/positions/{puzzle.format(position)}/solution?goal=1"
    wait_for(lambda: new_client.get(address).get_json()["moves"])  # on a busy machine it is found afterwards
    answer = new_client.get(address).get_json()
    assert (answer["verdict"], answer["moves_left"], answer["proved"]) == ("live", None, False)
    steps = puzzle.replay(position, [pair for move in answer["moves"] for pair in pairwise(move)])
    assert puzzle.is_solved(steps[-1].after, 1)
    assert cost_of(steps) == answer["bounds"]["most"] >= answer["bounds"]["least"]
    hint = new_client.get(address.replace("/solution", "/hint")).get_json()
    before, after = answer["bounds"], hint["bounds"]
    assert before["least"] <= after["least"] <= after["most"] <= before["most"]  # a proof may end meanwhile
    assert hint["move"] == answer["moves"][0] or after["most"] < before["most"]


def test_solution_proved_by_the_atlas_is_proved(new_client: FlaskClient) -> None:
    puzzle = find("french-37")
    start = puzzle.format(vacated(puzzle, 0))
    known = known_result(puzzle, start, "any")
    address = f"/api/puzzles/french-37/positions/{start}"
    solution = new_client.get(f"{address}/solution?goal=any").get_json()
    assert known and known.state == "proved" and len(solution["moves"]) == known.moves
    hint = new_client.get(f"{address}/hint?goal=any").get_json()
    assert (hint["proved"], hint["verdict"], hint["moves_left"]) == (True, "live", known.moves)


@pytest.mark.parametrize("seconds", [0.0, 0.9 * LIMITS.useful_seconds])
def test_solution_is_found_in_the_background_without_budget(engine: Engine, seconds: float) -> None:
    puzzle = engine.find("english-33")
    hints = unproved_solutions(engine, seconds)
    question = Question(puzzle, 1, vacated(puzzle, 1))
    assert not find_solution(hints, question)
    assert engine.builder.join(300)
    assert find_solution(hints, question)
