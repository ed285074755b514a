"""Hints where nothing is proved: a way to the end all the same, called what it is."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import pytest
from flask.testing import FlaskClient

from hoppers.analysis import atlas_lines, verdicts
from hoppers.analysis.atlas_results import Atlas, AtlasEntry, known_result
from hoppers.core.model import UNKNOWN, Position, group_moves
from hoppers.core.puzzle import Puzzle, Question
from hoppers.puzzles import find
from hoppers.puzzles.pegs.beam.kernels import spread
from hoppers.puzzles.pegs.beam.search import LISTED_ANYHOW, LISTED_PER_BOARD, land_of
from hoppers.puzzles.pegs.closure.closure import close
from hoppers.puzzles.pegs.hint_search import BRIEF, ENOUGH_SECONDS, Guesses
from hoppers.tablebase.builder import WORKSHOP
from hoppers.tablebase.table_cache import Allowance
from hoppers.web.api.positions import from_atlas
from hoppers.web.api.query import Asked


@pytest.fixture
def nothing_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "verdict_of", lambda puzzle, goal, position: verdicts.UNDECIDED)


class KnowsNothing:
    """A source that has proved nothing yet."""

    def moves_left(self, position: Position) -> int:
        """Not known."""
        return UNKNOWN

    def can_list(self, position: Position) -> bool:
        """Nothing."""
        return False


KNOWS_NOTHING = KnowsNothing()


def vacated(puzzle: Puzzle, hole: int) -> Position:
    return Position((1 << puzzle.holes) - 1 ^ 1 << hole)


@pytest.mark.usefixtures("nothing_proved")
@pytest.mark.parametrize(("puzzle_id", "start", "goal"), [("english-33", 1, 1), ("french-37", 11, 22)])
def test_whoever_follows_the_hints_is_led_to_the_end(puzzle_id: str, start: int, goal: int) -> None:
    puzzle = find(puzzle_id)
    known = known_result(puzzle, puzzle.format(vacated(puzzle, start)), str(goal))
    assert known and verdicts.hint(puzzle, goal, vacated(puzzle, start)).found == known.moves
    told = list(followed(puzzle, goal, vacated(puzzle, start)))
    assert {(hint.verdict, hint.proved) for hint in told} == {(verdicts.UNDECIDED, False)}
    assert sum(hint.step.cost for hint in told if hint.step) == known.moves


def followed(puzzle: Puzzle, goal: int, position: Position) -> Iterator[verdicts.Hint]:
    """The hints of a game that goes by them to its end."""
    while not puzzle.is_solved(position, goal):
        hint = verdicts.hint(puzzle, goal, position)
        assert hint.step is not None and hint.move[:2] == [hint.step.origin, hint.step.target]
        yield hint
        position = puzzle.step(position, *hint.move[:2]).after


def test_what_was_found_is_remembered_whatever_may_be_spent() -> None:
    puzzle = find("english-33")
    guesses = Guesses(land_of(puzzle.board.jumps, puzzle.holes), Allowance(0, 0))
    question = Question(puzzle, 1, vacated(puzzle, 1))
    way = guesses.way(question, True)
    assert way is not None and guesses.way(question) == way


@pytest.mark.parametrize(
    ("puzzle_id", "start", "goal", "found"), [("french-37", 0, 36, True), ("diamond-41", 9, 9, False)]
)
def test_whoever_asks_waits_for_so_many_boards_and_no_more(
    puzzle_id: str, start: int, goal: int, found: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the background still does for others is not counted."""
    puzzle, opened, listed, asked = find(puzzle_id), [0], [0], []
    here = threading.get_ident()

    def opening(boards: Any, *more: Any) -> int:
        opened[0] += len(boards) * (threading.get_ident() == here)
        return int(spread(boards, *more))

    def listing(boards: Any, goal: int, shifts: Any, most: int) -> Any:
        listed[0] += most * (threading.get_ident() == here)
        return close(boards, goal, shifts, most)

    monkeypatch.setattr("hoppers.puzzles.pegs.beam.search.spread", opening)
    monkeypatch.setattr("hoppers.puzzles.pegs.beam.search.close", listing)
    monkeypatch.setattr(WORKSHOP, "ask", lambda wish, later: asked.append((wish.heavy, later)))
    guesses = Guesses(land_of(puzzle.board.jumps, puzzle.holes), Allowance(1, 0))
    assert (guesses.way(Question(puzzle, goal, vacated(puzzle, start))) is not None) == found
    width = sum(beam.width for beam in BRIEF)
    assert 0 < opened[0] <= width * puzzle.holes
    assert listed[0] <= LISTED_PER_BOARD * width + LISTED_ANYHOW * len(BRIEF)
    assert asked == [
        (found, found)
    ]  # the rest is for the background; what only betters a way is not for a crowd


def test_a_better_way_takes_the_place_of_one_found_soon() -> None:
    puzzle = find("english-33")
    guesses = Guesses(land_of(puzzle.board.jumps, puzzle.holes), Allowance(1, 0))
    question = Question(puzzle, 1, vacated(puzzle, 1))
    soon = guesses.way(question)
    assert WORKSHOP.wait(60)
    later = guesses.way(question)
    assert soon is not None and later is not None
    assert sum(step.cost for step in later) < sum(step.cost for step in soon)
    for number, step in enumerate(later, 1):
        rest = guesses.way(Question(puzzle, 1, puzzle.settled(step.after)))
        assert (rest or []) == later[number:]


def test_a_position_without_a_way_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = find("english-33")
    guesses = Guesses(land_of(puzzle.board.jumps, puzzle.holes))
    lonely = Question(puzzle, 16, Position(1 | 1 << 32))
    assert guesses.way(lonely, True) is None
    monkeypatch.setattr("hoppers.puzzles.pegs.hint_search.good_line", None)
    assert guesses.way(lonely) is None and guesses.way(lonely, True) is None


@pytest.mark.usefixtures("nothing_proved")
def test_the_page_is_told_that_it_is_not_proved(client: FlaskClient) -> None:
    puzzle = find("english-33")
    position = off_the_lines(puzzle, "1")
    answer = client.get(f"/api/puzzles/english-33/positions/{puzzle.format(position)}/hint?goal=1").get_json()
    assert answer["verdict"] == "unknown" and answer["proved"] is False and answer["moves_left"] is None
    assert len(answer["move"]) >= 2 and answer["step"]["from"] == answer["move"][0]


def test_whoever_asks_where_a_search_has_found_a_way_is_led_along_it() -> None:
    puzzle = find("french-37")
    guesses = Guesses(land_of(puzzle.board.jumps, puzzle.holes), Allowance(0, 0))
    start = vacated(puzzle, 11)
    moves = verdicts.known_solution(puzzle, 22, start)
    first = puzzle.step(start, *moves[0][:2])
    guesses.hear(Question(puzzle, 22, start, first=first), moves)
    assert guesses.way(Question(puzzle, 22, start)) is None
    for question in (Question(puzzle, 22, start, first=first), Question(puzzle, 22, first.after)):
        steps = guesses.way(question)
        assert steps is not None and group_moves([first, *steps]) == moves


class Detour(NamedTuple):
    """A problem of which the atlas knows a longer way than a search finds."""

    asked: Asked
    listed: int
    better: list[list[int]]


@pytest.fixture(params=["found", "proved"])
def detour(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Detour:
    puzzle, start, goal = find("french-37"), vacated(find("french-37"), 11), 5
    better = verdicts.known_solution(puzzle, goal, start)
    guesses = Guesses(land_of(puzzle.board.jumps, puzzle.holes), Allowance(1, 0))
    longer = group_moves(guesses.way(Question(puzzle, goal, start)) or [])
    line = ".".join("-".join(map(str, move)) for move in longer)
    least = len(better) - (request.param == "found")
    known = AtlasEntry(proved=False, moves=len(longer), least=least, line=line)
    atlas = Atlas(2, {"french-37": {"11-5": known}}, {})
    for module in ("atlas_results", "atlas_lines"):
        monkeypatch.setattr(f"hoppers.analysis.{module}.load_atlas", lambda: atlas)
    ears = Guesses(land_of(puzzle.board.jumps, puzzle.holes), Allowance(0, 0))
    forgetful = replace(puzzle, source=lambda goal: KNOWS_NOTHING)
    forgetful = replace(forgetful, guess=ears.way, recall=ears.recall, hear=ears.hear)
    return Detour(Asked(forgetful, goal, start), len(longer), better)


def test_a_shorter_way_than_that_of_the_atlas_takes_its_place(detour: Detour) -> None:
    (puzzle, goal, start), listed, better = detour
    told = from_atlas(detour.asked)
    assert told and told["state"] == "found" and told["moves"] == listed > len(better)
    assert verdicts.hint(puzzle, goal, start).found == listed
    puzzle.hear(Question(puzzle, goal, start), better)
    told = from_atlas(detour.asked)
    is_proved = told and told["least"] == len(better)
    assert told and (told["state"], told["moves"]) == ("proved" if is_proved else "found", len(better))
    hint = verdicts.hint(puzzle, goal, start)
    known = (hint.verdict, hint.found)
    assert known == (((verdicts.LIVE, len(better)), None) if is_proved else (verdicts.UNDECIDED, len(better)))
    assert verdicts.known_solution(puzzle, goal, start) == better
    assert verdicts.solution(puzzle, goal, start).moves == (better if is_proved else [])
    assert sum(hint.step.cost for hint in followed(puzzle, goal, start) if hint.step) == len(better)


@pytest.mark.usefixtures("nothing_proved")
def test_a_way_that_was_found_is_shown_on_request_only(client: FlaskClient) -> None:
    puzzle = find("english-33")
    position = off_the_lines(puzzle, "1")
    address = f"/api/puzzles/english-33/positions/{puzzle.format(position)}/solution?goal=1"
    assert client.get(address).get_json() == {"verdict": "unknown", "moves_left": None, "moves": []}
    answer = client.get(f"{address}&found=1").get_json()
    assert (answer["verdict"], answer["moves"]) == ("unknown", [])
    assert answer["found"]


def off_the_lines(puzzle: Puzzle, goal: str) -> Position:
    """After two jumps that no line of the atlas makes."""
    first = [step.after for step in puzzle.steps(vacated(puzzle, 1))]
    second = (puzzle.settled(step.after) for position in first for step in puzzle.steps(position))
    return next(position for position in second if atlas_lines.bounds(puzzle, goal, position) is None)


def test_a_way_that_the_atlas_proves_to_be_shortest_is_one(client: FlaskClient) -> None:
    puzzle = find("french-37")
    start = puzzle.format(vacated(puzzle, 0))
    known = known_result(puzzle, start, "any")
    address = f"/api/puzzles/french-37/positions/{start}"
    solution = client.get(f"{address}/solution?goal=any").get_json()
    assert known and known.state == "proved" and len(solution["moves"]) == known.moves
    hint = client.get(f"{address}/hint?goal=any").get_json()
    assert (hint["proved"], hint["verdict"], hint["moves_left"]) == (True, "live", known.moves)


@pytest.mark.parametrize("seconds", [0.0, 0.9 * ENOUGH_SECONDS])
def test_what_there_is_no_time_for_is_found_in_the_background(seconds: float) -> None:
    puzzle = find("english-33")
    guesses = Guesses(land_of(puzzle.board.jumps, puzzle.holes), Allowance(seconds, 0))
    question = Question(puzzle, 1, vacated(puzzle, 1))
    assert guesses.way(question) is None
    assert WORKSHOP.wait(60)
    assert guesses.way(question) is not None
