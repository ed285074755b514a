"""Hints where nothing is proved: a way to the end all the same, called what it is."""

import math

import pytest
from flask.testing import FlaskClient

from server import judge
from server.exact.good_line import land_of
from server.exact.guessing import ENOUGH_SECONDS, Guesses
from server.exact.shelf import Allowance
from server.exact.workshop import WORKSHOP
from server.puzzle import Puzzle, Question
from server.puzzles import find
from server.records import Position


@pytest.fixture
def nothing_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge, "judge", lambda puzzle, goal, position: judge.UNDECIDED)


def vacated(puzzle: Puzzle, hole: int) -> Position:
    return Position((1 << puzzle.holes) - 1 ^ 1 << hole)


@pytest.mark.usefixtures("nothing_proved")
@pytest.mark.parametrize(("puzzle_id", "start", "goal"), [("english-33", 1, 1), ("french-37", 0, 36)])
def test_whoever_follows_the_hints_is_led_to_the_end(puzzle_id: str, start: int, goal: int) -> None:
    puzzle = find(puzzle_id)
    position, spent = vacated(puzzle, start), 0
    way = puzzle.guess(Question(puzzle, goal, position), math.inf)
    assert way is not None
    while not puzzle.is_solved(position, goal):
        hint = judge.hint(puzzle, goal, position)
        assert hint.step is not None and not hint.proved and hint.judgement == judge.UNDECIDED
        assert hint.move[:2] == [hint.step.origin, hint.step.target]
        step = puzzle.step(position, *hint.move[:2])
        position, spent = step.after, spent + step.cost
    assert spent == sum(step.cost for step in way)


def test_where_no_time_is_left_nothing_is_said() -> None:
    puzzle = find("english-33")
    guesses = Guesses(land_of(puzzle.board.jumps, puzzle.holes))
    question = Question(puzzle, 1, vacated(puzzle, 1))
    assert guesses.way(question, 0) is None
    assert guesses.way(question, math.inf) is not None
    assert guesses.way(question, 1) is not None  # remembered


def test_a_position_without_a_way_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = find("english-33")
    guesses = Guesses(land_of(puzzle.board.jumps, puzzle.holes))
    lonely = Question(puzzle, 16, Position(1 | 1 << 32))
    assert guesses.way(lonely, math.inf) is None
    monkeypatch.setattr("server.exact.guessing.good_line", None)
    assert guesses.way(lonely, math.inf) is None


@pytest.mark.usefixtures("nothing_proved")
def test_the_page_is_told_that_it_is_not_proved(client: FlaskClient) -> None:
    puzzle = find("english-33")
    position = vacated(puzzle, 1)
    puzzle.guess(Question(puzzle, 1, position), math.inf)
    answer = client.get(f"/api/puzzles/english-33/positions/{puzzle.format(position)}/hint?goal=1").get_json()
    assert answer["verdict"] == "unknown" and answer["proved"] is False and answer["moves_left"] is None
    assert len(answer["move"]) >= 2 and answer["step"]["from"] == answer["move"][0]


@pytest.mark.usefixtures("nothing_proved")
def test_a_way_that_was_found_is_shown_on_request_only(client: FlaskClient) -> None:
    puzzle = find("english-33")
    position = vacated(puzzle, 1)
    way = puzzle.guess(Question(puzzle, 1, position), math.inf)
    address = f"/api/puzzles/english-33/positions/{puzzle.format(position)}/solution?goal=1"
    assert client.get(address).get_json() == {"verdict": "unknown", "moves_left": None, "moves": []}
    answer = client.get(f"{address}&found=1").get_json()
    assert (answer["verdict"], answer["moves"]) == ("unknown", [])
    assert way is not None and len(answer["found"]) == sum(step.cost for step in way)


@pytest.mark.parametrize("seconds", [0.0, 0.9 * ENOUGH_SECONDS])
def test_what_there_is_no_time_for_is_found_in_the_background(seconds: float) -> None:
    puzzle = find("english-33")
    guesses = Guesses(land_of(puzzle.board.jumps, puzzle.holes), Allowance(seconds, 0))
    question = Question(puzzle, 1, vacated(puzzle, 1))
    assert guesses.way(question) is None
    assert WORKSHOP.wait(60)
    assert guesses.way(question) is not None
