"""Every reason why a position is dead is a proof, checked by naive rules."""

import itertools
import random
from collections import Counter
from typing import Any

import pytest
from flask.testing import FlaskClient

from hoppers.core.puzzle import Puzzle
from tests import naive
from tests.support.engine import find
from tests.support.reason_checks import check_reason, check_slack

FULL_41 = "o" * 41
ROW = "own-s-f"  # six holes in a row


def ask(client: FlaskClient, puzzle_id: str, position: str, goal: str) -> dict[str, Any]:
    answer = client.get(f"/api/puzzles/{puzzle_id}/positions/{position}/reason?goal={goal}")
    assert answer.status_code == 200
    fields: dict[str, Any] = answer.get_json()
    return fields


def random_position(puzzle: Puzzle, rng: random.Random) -> str:
    """Return a random arrangement, or a position after random jumps from a start, red peg or not."""
    if puzzle.family == "sliding":
        return "".join(rng.sample(puzzle.start, puzzle.holes))
    twin, at = naive.rules(puzzle.id), rng.choice([*puzzle.starts.values()])
    for _ in range(rng.randrange(puzzle.holes)):
        at = rng.choice([*twin.steps(at), (0, 0, at, 0)])[2]
    return at


@pytest.mark.parametrize(
    ("puzzle_id", "codes"),
    [
        ("hoppers", {"stuck", "boards", "pagoda"}),
        ("hoppers-red", {"stuck", "boards"}),
        ("triangle-15", {"class", "boards", "pagoda"}),
        ("triangle-15-red", {"class", "boards"}),
        ("eight-puzzle", {"parity"}),
        ("fifteen-puzzle", {"parity"}),
    ],
)
def test_each_reason_is_a_proof(client: FlaskClient, puzzle_id: str, codes: set[str]) -> None:
    puzzle, rng, found = find(puzzle_id), random.Random(5), Counter[str]()
    for _ in range(60):
        position, goal = random_position(puzzle, rng), rng.choice([*puzzle.rules.goals])
        address = f"/api/puzzles/{puzzle_id}/positions/{position}?goal={goal}"
        reason = ask(client, puzzle_id, position, goal)
        assert reason["verdict"] == client.get(address).get_json()["verdict"]
        assert (reason["reason"] is not None) == (reason["verdict"] == "dead") == bool(reason["sentence"])
        if reason["verdict"] == "dead":
            found[reason["reason"]] += 1
            check_reason(puzzle_id, position, goal, reason)
    assert codes <= found.keys(), found


@pytest.mark.parametrize(
    ("puzzle_id", "position", "goal", "code", "proofs"),
    [
        ("english-33", "o" * 16 + "." + "o" * 16, "0", "class", 1),
        ("triangle-15", "o" * 7 + "." + "o" * 7, "0", "class", 1),
        ("diamond-41", FULL_41[:6] + "." + FULL_41[7:], "12", "pagoda", 1),
        ("diamond-41", "." + FULL_41[1:], "25", "pagoda", 2),
        ("diamond-41", "o." + FULL_41[2:], "24", "pagoda", 2),
        ("diamond-41", "." + FULL_41[1:], "any", "pagoda", 9),
    ],
)
def test_boards_too_large_to_search_have_a_reason(
    client: FlaskClient, puzzle_id: str, position: str, goal: str, code: str, proofs: int
) -> None:
    reason = ask(client, puzzle_id, position, goal)
    assert (reason["reason"], len(reason["proofs"])) == (code, proofs)
    check_reason(puzzle_id, position, goal, reason)
    numbers = [number for proof in reason["proofs"] for number in proof["weights"].values()]
    assert max(map(abs, numbers)) <= 2


def test_positions_that_are_not_dead_have_no_reason(client: FlaskClient) -> None:
    none: dict[str, Any] = {"reason": None, "sentence": None, "boards": None, "proofs": [], "moves": []}
    none["certificate"] = None
    live = ask(client, "hoppers", "oooooo.oooooo", "6")
    assert live == {"verdict": "live", "moves_left": 7, **none}
    assert ask(client, "hoppers", "......o......", "6") == {"verdict": "solved", "moves_left": 0, **none}


def slack_of(client: FlaskClient, puzzle_id: str, position: str, goal: str) -> dict[str, Any]:
    fields: dict[str, Any] = client.get(
        f"/api/puzzles/{puzzle_id}/positions/{position}/slack?goal={goal}"
    ).get_json()
    return fields


@pytest.mark.parametrize("puzzle_id", ["hoppers", "triangle-15-red", "triangle-21", "english-33"])
def test_no_jump_raises_the_sum_of_a_slack(client: FlaskClient, puzzle_id: str) -> None:
    puzzle, twin, rng = find(puzzle_id), naive.rules(puzzle_id), random.Random(3)
    assert isinstance(twin, naive.Pegs)
    for goal in [puzzle.goal, *rng.sample([*puzzle.rules.goals], 3 if puzzle.holes < 30 else 0)]:
        slack = slack_of(client, puzzle_id, random_position(puzzle, rng), goal)
        check_slack(twin, slack)
        for hole in slack["weights"]:
            wrong = slack | {"weights": slack["weights"] | {hole: 9}}
            with pytest.raises(AssertionError):
                check_slack(twin, wrong)


def test_slack_is_the_least_and_its_numbers_are_small(client: FlaskClient) -> None:
    twin = naive.Pegs("0 1 2 3 4 5", 90, 1)
    pagodas = [
        weights
        for weights in itertools.product(range(-2, 3), repeat=6)
        if all(weights[a] + weights[b] >= weights[c] for a, b, c in twin.jumps)
    ]
    for goal, position in itertools.product((0, 1, 2), ("oo.ooo", ".ooooo", "o.oooo")):
        slack = slack_of(client, ROW, position, str(goal))
        check_slack(twin, slack)
        total = slack["sum"] - slack["goal_sum"], sum(map(abs, slack["weights"].values()))
        if slack["sum"] >= slack["goal_sum"]:
            assert total == min(
                (
                    sum(w for w, cell in zip(weights, position, strict=True) if cell == "o") - weights[goal],
                    sum(map(abs, weights)),
                )
                for weights in pagodas
                if weights[goal] >= 1
            )


def test_slack_of_a_dead_position_is_its_reason(client: FlaskClient) -> None:
    slack = slack_of(client, "hoppers", "oo.oo..o..o.o", "6")
    assert ask(client, "hoppers", "oo.oo..o..o.o", "6")["proofs"] == [slack]
    assert slack["sum"] < slack["goal_sum"]


def test_reasons_are_in_the_language_of_the_request_and_cached(client: FlaskClient) -> None:
    address = "/api/puzzles/hoppers/positions/o...........o/reason"
    assert not client.get(f"{address}?lang=ja").get_json()["sentence"].isascii()
    english = client.get(f"{address}?lang=en")
    assert english.get_json()["sentence"] == "No moves left."
    assert english.cache_control.public and english.cache_control.max_age == 3600


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/api/puzzles/hopers/positions/oooooo.oooooo/reason", 404),
        ("/api/puzzles/eight-puzzle/positions/867254301/slack", 404),
        ("/api/puzzles/hoppers/positions/oo/reason", 400),
        ("/api/puzzles/hoppers/positions/oooooo.oooooo/reason?goal=99", 400),
        ("/api/puzzles/hoppers/positions/oooooo.oooooo/reason?gaol=6", 400),
    ],
)
def test_invalid_questions_are_refused(client: FlaskClient, address: str, status: int) -> None:
    assert client.get(address).status_code == status
