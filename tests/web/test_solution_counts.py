"""Numbers of shortest solutions over HTTP and the channel, against the atlas."""

import itertools
import time
from collections.abc import Iterator
from typing import Any

import pytest
import requests

from hoppers.tablebase.atlas_data import load_atlas
from tests.conftest import Connect
from tests.support.engine import find

ENGLISH = [name for name, entry in load_atlas().boards["english-33"].items() if entry.count]
QUICK = ["16-16", "3-22"]
"""Problems whose solutions are counted fast: the table of the first comes with the program, and the search of
the second takes about two seconds. Others take up to half a minute."""
FIFTEEN = [name for name in load_atlas().starts["fifteen-puzzle"]]
TIMEOUT_SECONDS = 900  # seconds for one count


def problem(name: str) -> tuple[str, str]:
    """Return start and goal of a problem of English 33 in the atlas."""
    vacancy, goal = name.split("-")
    return "".join("." if hole == int(vacancy) else "o" for hole in range(33)), goal


def counts(url: str, puzzle: str, position: str, goal: str, **query: int) -> Iterator[dict[str, Any]]:
    """Repeat a request for solutions and yield its answers, until the solutions are counted or given up."""
    address = f"{url}/api/puzzles/{puzzle}/positions/{position}/solutions"
    until = time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() < until:
        answer = requests.get(
            address,
            {"goal": goal, **{key: str(value) for key, value in query.items()}},
            timeout=TIMEOUT_SECONDS,
        ).json()
        yield answer
        if answer["counting"] is None and answer["reason"] != "busy":
            return
        time.sleep(0.2)
    raise TimeoutError


def listed(url: str, puzzle: str, position: str, goal: str, **query: int) -> dict[str, Any]:
    """Return the answer with the list of solutions."""
    *_, answer = counts(url, puzzle, position, goal, **query)
    return answer


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else pytest.mark.minutes) for name in ENGLISH]
)
def test_english_counts_agree_with_the_atlas(live_server: str, connect: Connect, name: str) -> None:
    known, (start, goal) = load_atlas().boards["english-33"][name], problem(name)
    for _ in range(2):
        for answer in counts(live_server, "english-33", start, goal, limit=3):
            assert (answer["moves_left"], answer["count"], answer["unique_count"]) == (
                known.moves,
                known.count,
                known.unique,
            )
        assert len(answer["solutions"]) == 3
    client = connect()
    for ticket in ("first", "later"):
        client.search(ticket, "english-33", start, goal=goal, find="all")
        name, solved = client.receive_to_end()[-1]
        assert (name, solved["limit"], solved["count"]) == ("solved", known.moves, known.count)


def test_counts_after_own_moves_add_up_to_the_atlas(live_server: str) -> None:
    """Each shortest solution begins with one step, so the counts after all steps add up, also in mid-move."""
    puzzle, (start, goal) = find("english-33"), problem("16-16")
    whole = listed(live_server, "english-33", start, goal, limit=1)
    position, spent = puzzle.parse(start), 0
    for move in whole["solutions"][0][:2]:
        for origin, target in itertools.pairwise(move):
            steps = puzzle.steps(position)
            parts = [
                listed(live_server, "english-33", puzzle.format(step.after), goal, limit=0) for step in steps
            ]
            left = whole["moves_left"] - spent
            best = [
                part["count"]
                for step, part in zip(steps, parts, strict=True)
                if part["moves_left"] is not None and part["moves_left"] + step.cost == left
            ]
            here = listed(live_server, "english-33", puzzle.format(position), goal, limit=0)
            assert here["count"] == sum(best) > 0
            step = puzzle.step(position, origin, target)
            position, spent = step.after, spent + step.cost


@pytest.mark.parametrize("name", [FIFTEEN[0], pytest.param(FIFTEEN[1], marks=pytest.mark.minutes)])
def test_fifteen_puzzle_counts_agree_with_the_atlas(live_server: str, connect: Connect, name: str) -> None:
    known, (start, goal) = load_atlas().starts["fifteen-puzzle"][name], name.split()
    for _ in range(2):
        answer = listed(live_server, "fifteen-puzzle", start, goal)
        assert (answer["count"], len(answer["solutions"])) == (known.count, min(known.count or 0, 100))
    client = connect()
    for ticket in ("first", "later"):
        client.search(ticket, "fifteen-puzzle", start, find="all")
        assert client.receive_to_end()[-1][1]["count"] == known.count


@pytest.mark.parametrize("method", ["best", "bidirectional"])
def test_search_counts_what_the_atlas_does_not_have(connect: Connect, method: str) -> None:
    """A given first step leaves a quarter of the solutions: the four first steps are images of each other."""
    client = connect()
    for ticket in ("first", "later"):
        start, goal = problem("16-16")
        client.search(ticket, "english-33", start, goal=goal, find="all", method=method, first_move=[14, 16])
        name, solved = client.receive_to_end()[-1]
        assert (name, solved["limit"], solved["count"]) == ("solved", 18, 7488 // 4)


def test_opening_of_french_37_is_listed_by_the_search(live_server: str) -> None:
    """The position is the start after six jumps of a solution; its closure would be too large."""
    answer = listed(live_server, "french-37", "oo.oo.ooo.oooooooo..oooooooooo.ooo.oo:17", "19", limit=2)
    assert (answer["moves_left"], answer["count"], answer["reason"]) == (14, 202_176, None)
    assert len(answer["solutions"]) == 2
