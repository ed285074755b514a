"""Lower bounds by holes that a person chooses, against naive rules: regions of pegs, patterns of tiles."""

import random

import pytest
from flask.testing import FlaskClient

from hoppers.core.puzzle import ChosenBound, Puzzle
from tests import naive
from tests.support.engine import find


def bound_of(puzzle: Puzzle, text: str, holes: set[int]) -> ChosenBound:
    chosen_bound = puzzle.solving.chosen_bound
    assert chosen_bound is not None
    return chosen_bound(puzzle, puzzle.parse(text), frozenset(holes))


@pytest.mark.parametrize("puzzle_id", ["hoppers", "hoppers-red", "triangle-15"])
def test_regions_never_say_too_much(puzzle_id: str) -> None:
    """A set is refused exactly for the naive jumps that pass over it from outside to outside."""
    puzzle, game, rng = find(puzzle_id), naive.rules(puzzle_id), random.Random(5)
    assert isinstance(game, naive.Pegs)
    found = 0
    for pegs in (rng.sample(range(puzzle.holes), 6) for _ in range(150)):
        first = "r" if puzzle_id.endswith("red") else "o"
        cells = [
            "." if hole not in pegs else first if hole == pegs[0] else "o" for hole in range(puzzle.holes)
        ]
        steps = game.steps("".join(cells))
        text = rng.choice(steps)[2] if steps else "".join(cells)
        holes = {hole for hole in rng.sample(pegs, 3) if text[hole] != "."} or {0}
        bound = bound_of(puzzle, text, holes)
        faults = [(a, c) for a, b, c in game.jumps if b in holes and not {a, c} & holes]
        assert bound.faults is not None and sorted(bound.faults) == sorted(faults)
        assert {hole for _, part in bound.marks for hole in part} == holes
        assert bound.bound == sum(number for number, _ in bound.marks)
        fewest = naive.fewest_moves(game, text, "any")
        if fewest is not None:
            assert bound.bound <= fewest
            found += bound.bound
    assert found


def test_parts_of_a_region_add_up() -> None:
    puzzle = find("hoppers")
    assert bound_of(puzzle, puzzle.start, {0, 2, 10, 12}).bound == 4
    assert bound_of(puzzle, "o..ooo.oo.ooo:0", {0, 10, 12}).bound == 2  # the active peg may go on
    assert bound_of(puzzle, puzzle.start, {6}).faults


def moves_of_tiles(tiles: set[str], start: str) -> int:
    """Return the fewest moves of some tiles, all others being equal, by a naive search."""
    game = naive.rules("fifteen-puzzle")
    left = {"".join(tile if tile in tiles | {"0"} else "x" for tile in start)}
    home = "".join(tile if tile in tiles else "x" for tile in "123456789abcdef0")
    seen, moves = set[str](), 0
    while True:
        after, waiting = set[str](), [*left]
        while waiting:
            text = waiting.pop()
            if text in seen:
                continue
            seen.add(text)
            if text.replace("0", "x") == home:
                return moves
            for origin, _, next_text, _ in game.steps(text):
                (waiting.append if text[origin] == "x" else after.add)(next_text)
        left, moves = after, moves + 1


@pytest.mark.parametrize("tiles", ["1", "5c", "e8"])
def test_patterns_count_the_moves_of_their_own_tiles(tiles: str) -> None:
    puzzle, start = find("fifteen-puzzle"), "e80921f3cd645b7a"
    holes = {start.index(tile) for tile in tiles}
    bound = bound_of(puzzle, start, holes)
    assert bound == (moves_of_tiles(set(tiles), start), ((bound.bound, tuple(sorted(holes))),), None)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("fifteen-puzzle/positions/e80921f3cd645b7a/bound?holes=0,1,3,4,5,6,7", "at most 6 tiles"),
        ("hoppers/positions/oooooo.oooooo/bound?holes=0,13", "not a list of holes"),
        ("eight-puzzle/positions/123456708/bound?holes=0", "no bound by chosen holes"),
    ],
)
def test_a_choice_that_gives_no_bound_is_refused(client: FlaskClient, query: str, message: str) -> None:
    answer = client.get(f"/api/puzzles/{query}")
    assert answer.status_code == 400 and message in answer.get_json()["error"]["message"]


def test_a_choice_is_answered_with_its_faults(client: FlaskClient) -> None:
    path = "/api/puzzles/hoppers/positions/oooooo.oooooo/bound?holes="
    corners = client.get(f"{path}0,12").get_json()
    assert corners == {"method": "", "bound": 2, "marks": [[1, 0], [1, 12]], "faults": []}
    assert [1, 11] in client.get(f"{path}6").get_json()["faults"]
