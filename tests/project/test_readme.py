"""README.md and README.ja.md: the program computes their figures, and their commands run."""

import json
import re
from functools import cache
from typing import Any

import pytest
from click.testing import CliRunner
from flask import Flask
from PIL import Image, ImageSequence

from hoppers.analysis.published_results import all_results
from hoppers.cli.main import main
from hoppers.core.events import Exhausted, Progress, Solved
from hoppers.core.puzzle import Question
from hoppers.runtime import PACKAGE
from tests import ROOT
from tests.support.engine import find

ATLAS = PACKAGE / "data" / "atlas.json"
LANGUAGES = ("README.md", "README.ja.md")
NUMBERS = {4: "four", 13: "thirteen"}
MOST_LINES = 90
EIGHT = ("eight-puzzle", "867254301", None, None)
FIFTEEN = ("fifteen-puzzle", "e80921f3cd645b7a", None, None)
TRIANGLE_21 = ("triangle-21", "oooooo.oooooooooooooo", "6", (14, 6))
ROWS = [
    (("hoppers", "oooooo.oooooo", "6", (0, 6)), "corners"),
    (("triangle-15", ".oooooooooooooo", "0", (3, 0)), "merson"),
    (TRIANGLE_21, "merson"),
    (EIGHT, "walking-distance"),
]
"""Problem and method with a lower bound of each row of the table."""
Problem = tuple[str, str, str | None, tuple[int, int] | None]


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def question_of(problem: Problem, *, find_all: bool) -> Question:
    puzzle_id, start, goal, first = problem
    puzzle = find(puzzle_id)
    position = puzzle.parse(start)
    step = puzzle.step(position, *first) if first else None
    return Question(puzzle, puzzle.parse_goal(goal), position, find_all, step)


@cache
def solved(problem: Problem, method: str, *, find_all: bool = True) -> Solved:
    """Search a problem to its end."""
    question = question_of(problem, find_all=find_all)
    *_, end = question.puzzle.method(method).search(question)
    assert isinstance(end, Solved)
    return end


@cache
def plain_nodes(problem: Problem) -> int:
    """Return the nodes of a search without a bound; of the largest search the recorded ones and limit 1."""
    if problem != TRIANGLE_21:
        return int(solved(problem, "deepening").total_nodes)
    (recorded,) = (it for it in all_results() if it.puzzle == problem[0] and it.method == "deepening")
    assert recorded.first_limit == 2 and recorded.total is not None
    question = question_of(problem, find_all=True)
    events = question.puzzle.method("deepening").search(question)
    first = next(event for event in events if not isinstance(event, Progress))
    assert isinstance(first, Exhausted) and first.limit == 1
    return recorded.total + first.nodes


def cells_of_table(name: str) -> list[list[str]]:
    rows = re.findall(r"^\| (.+) \|$", text_of(name), re.MULTILINE)
    return [row.split(" | ") for row in rows[1:]]


@pytest.mark.parametrize("name", LANGUAGES)
@pytest.mark.parametrize("row", range(len(ROWS)))
def test_row_of_the_table_is_what_a_search_finds(name: str, row: int) -> None:
    problem, method = ROWS[row]
    end = solved(problem, method)
    _, first, moves, solutions, plain, bounded = cells_of_table(name)[row]
    assert first == ("–".join(map(str, problem[3])) if problem[3] else "any" if name == "README.md" else "–")
    assert (moves, solutions) == (f"**{end.limit}**", f"{end.count:,}")
    assert plain == f"{plain_nodes(problem):,}"
    assert re.split("[ （]", bounded)[0] == f"{end.total_nodes:,}"


@pytest.mark.parametrize("name", LANGUAGES)
def test_figures_of_the_15_puzzle_are_what_searches_find(name: str) -> None:
    ends = [solved(FIFTEEN, method, find_all=False) for method in ("manhattan-tight", "best")]
    (line,) = re.findall(rf"{FIFTEEN[1]}.*", text_of(name))
    assert re.findall(r"\d[\d,]*", line.removeprefix(FIFTEEN[1]).replace("15", "")) == [
        str(ends[0].limit),
        *(f"{end.total_nodes:,}" for end in ends),
    ]


def test_figures_of_the_large_boards_are_those_of_the_atlas() -> None:
    boards: Any = json.loads(ATLAS.read_text(encoding="utf-8"))["boards"]
    text = " ".join(text_of("README.md").split())
    english = boards["english-33"]
    problems = {
        board: [entry for name, entry in boards[board].items() if not name.endswith("any")]
        for board in ("english-33", "french-37", "diamond-41")
    }
    central = english["16-16"]
    assert f"{central['moves']} moves, {central['count']:,} solutions, {central['unique']}" in text
    assert all(entry["proved"] for entry in problems["english-33"] + problems["french-37"])
    assert (len(problems["english-33"]), len(problems["french-37"])) == (21, 10)
    assert {entry["moves"] for entry in problems["french-37"]} == {20, 21}


def test_decided_problems_of_diamond_41_are_those_of_the_atlas() -> None:
    every = json.loads(ATLAS.read_text(encoding="utf-8"))["boards"]["diamond-41"]
    entries = [entry for name, entry in every.items() if not name.endswith("any")]
    solved = sum(entry.get("moves") == 26 for entry in entries)
    dead, still_open = sum("reason" in entry for entry in entries), [e for e in entries if not e["proved"]]
    assert solved + dead == len(entries) and not still_open
    for name in ("README.md", "docs/atlas/README.md", "docs/large-boards.md"):
        text = " ".join(text_of(name).split())
        assert f"{NUMBERS[solved]} " in text and f"{NUMBERS[dead]} " in text and "open here" not in text, name
    assert f"of {len(entries)} problems {NUMBERS[solved]} are proved" in " ".join(
        text_of("README.md").split()
    )
    japanese = text_of("README.ja.md")
    assert f"{len(entries)}問のうち{solved}問は26手が最短、{dead}問は解がない" in japanese


@pytest.mark.parametrize("name", LANGUAGES)
def test_commands_run_as_printed(name: str, shared_app: Flask) -> None:
    text = text_of(name)
    (command,) = re.findall(r"python -m hoppers (solve [^#\n]*)", text)
    done = CliRunner().invoke(main, command.split())
    assert done.exit_code == 0
    assert len(re.findall(r"^limit", done.output, re.MULTILINE)) == 7
    assert len(re.findall(r"^\[\[", done.output, re.MULTILINE)) == 18
    (address,) = re.findall(r"curl http://127\.0\.0\.1:8000(\S+)", text)
    assert shared_app.test_client().get(address).get_json()["moves_left"] == 7


def test_readme_is_short() -> None:
    assert all(len(text_of(name).splitlines()) <= MOST_LINES for name in LANGUAGES)


def test_both_languages_have_the_same_links_to_pictures() -> None:
    pictures = [set(re.findall(r"\]\((docs/pictures/\S+)\)", text_of(name))) for name in LANGUAGES]
    assert pictures[0] == pictures[1] != set()


def test_moving_picture_takes_eight_seconds_and_is_small() -> None:
    path = ROOT / "docs" / "pictures" / "proof.webp"
    assert path.stat().st_size <= 1_500_000
    with Image.open(path) as picture:
        times = []
        for frame in ImageSequence.Iterator(picture):
            frame.load()
            times.append(frame.info["duration"])
    assert 7_500 <= sum(times) <= 8_500
