"""Hints for positions without a proof: an unproved solution, marked as unproved."""

import threading
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from flask.testing import FlaskClient

from hoppers import puzzles
from hoppers.analysis import verdicts
from hoppers.analysis.atlas_results import Atlas, AtlasEntry, known_result, line_bounds
from hoppers.core.model import Position, UnknownSource, group_moves
from hoppers.core.puzzle import Puzzle, Question, Solver
from hoppers.puzzles.pegs.beam.kernels import expand_layer
from hoppers.puzzles.pegs.beam.search import CLOSURE_BASE, CLOSURE_PER_BOARD, beam_board
from hoppers.puzzles.pegs.closure.closure import build_closure
from hoppers.puzzles.pegs.hint_search import BRIEF, LIMITS, HintSearch
from hoppers.runtime.token_bucket import TokenBucket
from hoppers.tablebase.builder import BuildRequest
from hoppers.tablebase.engine import Engine
from hoppers.web.api.positions import atlas_fields
from hoppers.web.api.query import PositionRequest
from tests.engine import find, with_solver


@pytest.fixture
def nothing_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "verdict_of", lambda puzzle, goal, position: verdicts.UNDECIDED)


@pytest.fixture
def engine() -> Iterator[Engine]:
    """Engine of one test, whose builds end with the test."""
    engine = Engine(puzzles.PUZZLES)
    yield engine
    engine.builder.cancel_all()


def hint_search(engine: Engine, puzzle: Puzzle, seconds: float = 1.0) -> HintSearch:
    """Return a search with `seconds` saved up for requests."""
    return HintSearch(engine, beam_board(puzzle.board.jumps, puzzle.holes), TokenBucket(seconds, 0))


def vacated(puzzle: Puzzle, hole: int) -> Position:
    return Position((1 << puzzle.holes) - 1 ^ 1 << hole)


@pytest.mark.usefixtures("nothing_proved")
@pytest.mark.parametrize(("puzzle_id", "start", "goal"), [("english-33", 1, 1), ("french-37", 11, 22)])
def test_following_the_hints_solves_the_problem(puzzle_id: str, start: int, goal: int) -> None:
    puzzle = find(puzzle_id)
    known = known_result(puzzle, puzzle.format(vacated(puzzle, start)), str(goal))
    assert known and verdicts.hint(puzzle, goal, vacated(puzzle, start)).found == known.moves
    hints = list(followed(puzzle, goal, vacated(puzzle, start)))
    assert {(hint.verdict, hint.proved) for hint in hints} == {(verdicts.UNDECIDED, False)}
    assert sum(hint.step.cost for hint in hints if hint.step) == known.moves


def followed(puzzle: Puzzle, goal: int, position: Position) -> Iterator[verdicts.Hint]:
    """Yield the hints of a game that follows them to its end."""
    while not puzzle.is_solved(position, goal):
        hint = verdicts.hint(puzzle, goal, position)
        assert hint.step is not None and hint.move[:2] == [hint.step.origin, hint.step.target]
        yield hint
        position = puzzle.step(position, *hint.move[:2]).after


def test_found_solution_is_cached_with_an_empty_budget(engine: Engine) -> None:
    puzzle = find("english-33")
    hints = hint_search(engine, puzzle, 0.0)
    question = Question(puzzle, 1, vacated(puzzle, 1))
    solution = hints.find_solution(question, True)
    assert solution is not None and hints.find_solution(question) == solution


@pytest.mark.parametrize(
    ("puzzle_id", "start", "goal", "found"), [("french-37", 0, 36, True), ("diamond-41", 9, 9, False)]
)
def test_request_waits_for_a_bounded_number_of_boards(
    engine: Engine, puzzle_id: str, start: int, goal: int, found: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Background work for other requests is not counted."""
    puzzle, opened, listed, requested = find(puzzle_id), [0], [0], list[tuple[bool, bool]]()
    here = threading.get_ident()

    def opening(boards: Any, *more: Any) -> int:
        opened[0] += len(boards) * (threading.get_ident() == here)
        return int(expand_layer(boards, *more))

    def listing(boards: Any, goal: int, shifts: Any, most: int) -> Any:
        listed[0] += most * (threading.get_ident() == here)
        return build_closure(boards, goal, shifts, most)

    monkeypatch.setattr("hoppers.puzzles.pegs.beam.search.expand_layer", opening)
    monkeypatch.setattr("hoppers.puzzles.pegs.beam.search.build_closure", listing)
    hints = hint_search(engine, puzzle)

    def submit(request: BuildRequest, *, low_priority: bool) -> None:
        requested.append((request.large, low_priority))

    monkeypatch.setattr(engine.builder, "submit", submit)
    assert (hints.find_solution(Question(puzzle, goal, vacated(puzzle, start))) is not None) == found
    width = sum(beam.width for beam in BRIEF)
    assert 0 < opened[0] <= width * puzzle.holes
    assert listed[0] <= CLOSURE_PER_BOARD * width + CLOSURE_BASE * len(BRIEF)
    # the rest runs in the background; searches for mere improvements wait while load is high
    assert requested == [(found, found)]


def test_better_solution_replaces_the_quick_one(engine: Engine) -> None:
    puzzle = find("english-33")
    hints = hint_search(engine, puzzle)
    question = Question(puzzle, 1, vacated(puzzle, 1))
    soon = hints.find_solution(question)
    assert engine.builder.join(60)
    later = hints.find_solution(question)
    assert soon is not None and later is not None
    assert sum(step.cost for step in later) < sum(step.cost for step in soon)
    for number, step in enumerate(later, 1):
        rest = hints.find_solution(Question(puzzle, 1, puzzle.canonical(step.after)))
        assert (rest or []) == later[number:]


def test_position_without_solution_is_searched_once(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = find("english-33")
    hints = hint_search(engine, puzzle)
    lonely = Question(puzzle, 16, Position(1 | 1 << 32))
    assert hints.find_solution(lonely, True) is None
    monkeypatch.setattr("hoppers.puzzles.pegs.hint_search.beam_search", None)
    assert hints.find_solution(lonely) is None and hints.find_solution(lonely, True) is None


@pytest.mark.usefixtures("nothing_proved")
def test_hint_response_marks_unproved_moves(client: FlaskClient) -> None:
    puzzle = find("english-33")
    position = off_the_lines(puzzle, "1")
    answer = client.get(f"/api/puzzles/english-33/positions/{puzzle.format(position)}/hint?goal=1").get_json()
    assert answer["verdict"] == "unknown" and answer["proved"] is False and answer["moves_left"] is None
    assert len(answer["move"]) >= 2 and answer["step"]["from"] == answer["move"][0]


def test_hints_follow_a_solution_found_by_a_search(engine: Engine) -> None:
    puzzle = find("french-37")
    hints = hint_search(engine, puzzle, 0.0)
    start = vacated(puzzle, 11)
    moves = verdicts.known_solution(puzzle, 22, start)
    first = puzzle.step(start, *moves[0][:2])
    hints.on_solution_found(Question(puzzle, 22, start, first=first), moves)
    assert hints.find_solution(Question(puzzle, 22, start)) is None
    for question in (Question(puzzle, 22, start, first=first), Question(puzzle, 22, first.after)):
        steps = hints.find_solution(question)
        assert steps is not None and group_moves([first, *steps]) == moves


class Detour(NamedTuple):
    """Problem for which the atlas has a longer solution than a search finds."""

    request: PositionRequest
    listed: int
    better: list[list[int]]


@pytest.fixture(params=["found", "proved"])
def detour(engine: Engine, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Detour:
    puzzle, start, goal = find("french-37"), vacated(find("french-37"), 11), 5
    better = verdicts.known_solution(puzzle, goal, start)
    hints = hint_search(engine, puzzle)
    longer = group_moves(hints.find_solution(Question(puzzle, goal, start)) or [])
    line = ".".join("-".join(map(str, move)) for move in longer)
    least = len(better) - (request.param == "found")
    known = AtlasEntry(proved=False, moves=len(longer), least=least, line=line)
    atlas = Atlas(2, {"french-37": {"11-5": known}}, {})
    monkeypatch.setattr("hoppers.analysis.atlas_results.load_atlas", lambda: atlas)
    learning = hint_search(engine, puzzle, 0.0)
    solver = Solver(
        lambda goal: UnknownSource(),
        learning.find_solution,
        learning.known_solution,
        learning.on_solution_found,
    )
    return Detour(PositionRequest(with_solver(puzzle, solver), goal, start), len(longer), better)


def test_shorter_solution_replaces_that_of_the_atlas(detour: Detour) -> None:
    (puzzle, goal, start), listed, better = detour
    answer = atlas_fields(detour.request)
    assert answer and answer["state"] == "found" and answer["moves"] == listed > len(better)
    assert verdicts.hint(puzzle, goal, start).found == listed
    puzzle.solver.on_solution_found(Question(puzzle, goal, start), better)
    answer = atlas_fields(detour.request)
    is_proved = answer and answer["least"] == len(better)
    assert answer and (answer["state"], answer["moves"]) == (
        "proved" if is_proved else "found",
        len(better),
    )
    hint = verdicts.hint(puzzle, goal, start)
    known = (hint.verdict, hint.found)
    assert known == (((verdicts.LIVE, len(better)), None) if is_proved else (verdicts.UNDECIDED, len(better)))
    assert verdicts.known_solution(puzzle, goal, start) == better
    assert verdicts.solution(puzzle, goal, start).moves == (better if is_proved else [])
    assert sum(hint.step.cost for hint in followed(puzzle, goal, start) if hint.step) == len(better)


@pytest.mark.usefixtures("nothing_proved")
def test_unproved_solution_is_sent_on_request_only(client: FlaskClient) -> None:
    puzzle = find("english-33")
    position = off_the_lines(puzzle, "1")
    address = f"/api/puzzles/english-33/positions/{puzzle.format(position)}/solution?goal=1"
    assert client.get(address).get_json() == {"verdict": "unknown", "moves_left": None, "moves": []}
    answer = client.get(f"{address}&found=1").get_json()
    assert (answer["verdict"], answer["moves"]) == ("unknown", [])
    assert answer["found"]


def off_the_lines(puzzle: Puzzle, goal: str) -> Position:
    """Return a position after two jumps that no solution of the atlas makes."""
    first = [step.after for step in puzzle.steps(vacated(puzzle, 1))]
    second = (puzzle.canonical(step.after) for position in first for step in puzzle.steps(position))
    return next(position for position in second if line_bounds(puzzle, goal, position) is None)


def test_solution_proved_by_the_atlas_is_proved(client: FlaskClient) -> None:
    puzzle = find("french-37")
    start = puzzle.format(vacated(puzzle, 0))
    known = known_result(puzzle, start, "any")
    address = f"/api/puzzles/french-37/positions/{start}"
    solution = client.get(f"{address}/solution?goal=any").get_json()
    assert known and known.state == "proved" and len(solution["moves"]) == known.moves
    hint = client.get(f"{address}/hint?goal=any").get_json()
    assert (hint["proved"], hint["verdict"], hint["moves_left"]) == (True, "live", known.moves)


@pytest.mark.parametrize("seconds", [0.0, 0.9 * LIMITS.useful_seconds])
def test_solution_is_found_in_the_background_without_budget(engine: Engine, seconds: float) -> None:
    puzzle = find("english-33")
    hints = hint_search(engine, puzzle, seconds)
    question = Question(puzzle, 1, vacated(puzzle, 1))
    assert hints.find_solution(question) is None
    assert engine.builder.join(60)
    assert hints.find_solution(question) is not None
