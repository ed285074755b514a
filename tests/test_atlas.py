"""The atlas: only what is missing is computed, every published line solves, and what is proved agrees."""

from pathlib import Path
from typing import Any

import pytest

from server import atlas
from server.atlas.pegs import concluded, merged, pairs
from server.puzzle import Puzzle
from server.puzzles import PUZZLES, find
from server.records import Position

from .test_conformance import replay

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "atlas"
BOARDS = [puzzle for puzzle in PUZZLES.values() if puzzle.family == "pegs"]
OPEN: dict[str, Any] = {
    "proved": False,
    "limits": [[1, 5, 0], [2, 9, 0]],
    "found": [[0, 2], [4, 6], [8, 6], [1, 7], [3, 2]],
}
LONG: dict[str, Any] = {"proved": False, "limits": [[1, 5, 0], [2, 9, 0], [3, 20, 0]]}


def test_only_what_is_missing_is_computed_and_written_at_once(tmp_path: Path) -> None:
    asked: list[str] = []

    def entry(key: str) -> atlas.Entry:
        def compute() -> atlas.Result:
            asked.append(key)
            return {"proved": key != "b", "times": asked.count(key)}

        return atlas.Entry(key, key, compute)

    section = atlas.Section("s", [entry("a"), entry("b")], lambda results: f"{len(results)}\n")
    assert [next(atlas.compute(tmp_path, section)).key] == ["a"]
    assert [entry.key for entry in atlas.compute(tmp_path, section)] == ["a", "b"]
    assert [entry.key for entry in atlas.compute(tmp_path, section)] == []
    assert [entry.key for entry in atlas.compute(tmp_path, section, again=True)] == ["b"]
    assert asked == ["a", "b", "b"]
    assert atlas.read(tmp_path, "s")["b"]["times"] == 2
    assert (tmp_path / "s.md").read_text() == "2\n"


def test_two_results_become_the_best_of_both() -> None:
    both = merged(OPEN, LONG)
    assert both == {**LONG, "found": OPEN["found"]} == merged(LONG, OPEN)
    proved = {"proved": True, "moves": 4, "limits": []}
    assert merged(OPEN, proved) == proved == merged(proved, OPEN)


def test_a_line_is_proved_by_the_limits_below_it() -> None:
    limits = [*LONG["limits"], [4, 90, 0]]
    assert concluded(OPEN) == OPEN
    assert merged(OPEN, {**LONG, "limits": limits}) == {
        "proved": True,
        "limits": limits,
        "moves": 5,
        "solution": OPEN["found"],
    }


@pytest.mark.parametrize("puzzle", BOARDS, ids=[puzzle.id for puzzle in BOARDS])
def test_every_published_line_solves_its_problem(puzzle: Puzzle) -> None:
    results = atlas.read(FOLDER, f"pegs-{puzzle.id}")
    assert list(results) == [f"{pair.start}-{pair.finish}" for pair in pairs(puzzle)]
    for key, result in results.items():
        start, goal = map(int, key.split("-"))
        position = Position((1 << puzzle.holes) - 1 ^ 1 << start)
        line = result.get("solution") or result.get("found")
        if line:
            end, cost = replay(puzzle, position, line)
            assert puzzle.is_solved(end, goal)
            assert cost == len(line) == result.get("moves", cost)
        assert [limit[0] for limit in result["limits"]] == list(range(1, len(result["limits"]) + 1))
        assert len(result["limits"]) < len(line) if line else not result.get("solution")


@pytest.mark.parametrize("puzzle_id", ["hoppers", "diamond-13", "triangle-15"])
def test_published_results_are_those_of_the_tables(puzzle_id: str) -> None:
    puzzle = find(puzzle_id)
    for key, result in atlas.read(FOLDER, f"pegs-{puzzle_id}").items():
        start, goal = map(int, key.split("-"))
        left = puzzle.source(goal).moves_left(Position((1 << puzzle.holes) - 1 ^ 1 << start))
        assert result["proved"] and (result["moves"] or -1) == left
