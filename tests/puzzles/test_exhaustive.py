"""Complete tables compared with naive searches, position by position."""

import random
from functools import cache

import numpy as np
import pytest

from hoppers.core.kernels import Kernel
from hoppers.core.model import DEAD, Position
from hoppers.core.puzzle import Puzzle
from hoppers.puzzles.pegs.lower_bounds import corner_bound, merson_bound, region_bound, region_rules
from hoppers.puzzles.pegs.rules import count_steps
from hoppers.puzzles.sliding.lower_bounds import (
    bound_tables,
    linear_conflict,
    manhattan,
    walking_distance,
)
from hoppers.puzzles.sliding.rules import EIGHT_BOARD
from tests import naive
from tests.support.engine import find


def naive_values(game: naive.Pegs, holes: int, goal: str) -> dict[tuple[str, int], int]:
    """Return the fewest moves of every solvable board, by board and active peg (-1: none)."""

    @cache
    def jumps(cells: str) -> list[tuple[int, int, str]]:
        found = []
        for a, b, c in game.jumps:
            if cells[a] == "o" and cells[b] == "o" and cells[c] == ".":
                after = "".join(
                    "o" if i == c else "." if i in (a, b) else cell for i, cell in enumerate(cells)
                )
                found.append((a, c, after))
        return found

    @cache
    def value(cells: str, active: int) -> float:
        if game.solved(cells, goal):
            return 0
        return min(((a != active) + value(after, c) for a, c, after in jumps(cells)), default=float("inf"))

    found = {}
    for number in range(1, 1 << holes):
        cells = "".join("o" if number >> hole & 1 else "." for hole in range(holes))
        for active in [-1, *(hole for hole in range(holes) if cells[hole] == "o")]:
            if value(cells, active) < float("inf"):
                found[cells, active] = int(value(cells, active))
    return found


@pytest.mark.parametrize(
    ("puzzle_id", "goal"), [("hoppers", "6"), ("hoppers", "0"), ("hoppers", "any"), ("triangle-15", "any")]
)
def test_peg_tables_match_the_naive_values(puzzle_id: str, goal: str) -> None:
    puzzle, game = find(puzzle_id), naive.rules(puzzle_id)
    assert isinstance(game, naive.Pegs)
    expected = naive_values(game, puzzle.holes, goal)
    source = puzzle.source(puzzle.parse_goal(goal))
    for number in range(1, 1 << puzzle.holes):
        cells = "".join("o" if number >> hole & 1 else "." for hole in range(puzzle.holes))
        for active in [-1, *(hole for hole in range(puzzle.holes) if cells[hole] == "o")]:
            assert source.moves_left(Position(number, active)) == expected.get((cells, active), DEAD), (
                cells,
                active,
            )


def test_count_steps_matches_the_legal_steps() -> None:
    """Jumps that start a move and jumps of the active peg are counted on every nineteenth board."""
    puzzle, game = find("hoppers"), naive.rules("hoppers")
    for number in range(1, 1 << puzzle.holes, 19):
        for active in [-1, *(hole for hole in range(puzzle.holes) if number >> hole & 1)]:
            position = Position(number, active)
            costs = [step[3] for step in game.steps(puzzle.format(position))]
            counted = count_steps(np.uint64(number), active, puzzle.rules.tables)
            assert counted == (costs.count(1), costs.count(0))


@pytest.mark.parametrize(
    "bound", [corner_bound, merson_bound, region_bound], ids=["corners", "merson", "regions"]
)
@pytest.mark.parametrize(
    ("puzzle_id", "goal"), [("hoppers", "6"), ("hoppers", "0"), ("hoppers", "any"), ("triangle-15", "any")]
)
def test_peg_bounds_are_admissible(puzzle_id: str, goal: str, bound: Kernel) -> None:
    puzzle = find(puzzle_id)
    code = puzzle.parse_goal(goal)
    source, rules = puzzle.source(code), region_rules(puzzle, code)
    for number in range(1, 1 << puzzle.holes):
        for active in [-1, *(hole for hole in range(puzzle.holes) if number >> hole & 1)]:
            left = source.moves_left(Position(number, active))
            assert left == DEAD or bound(np.uint64(number), active, code, rules) <= left


@cache
def eight_puzzle_positions() -> dict[str, Position]:
    """Return every solvable position of the 8-puzzle."""
    return {text: find("eight-puzzle").parse(text) for text in naive.eight_puzzle_distances()}


def test_eight_puzzle_table_matches_the_naive_distances() -> None:
    expected, positions = naive.eight_puzzle_distances(), eight_puzzle_positions()
    assert len(expected) == 181_440
    source = find("eight-puzzle").source(0)
    assert all(source.moves_left(positions[text]) == moves for text, moves in expected.items())


@pytest.mark.parametrize("bound", [manhattan, linear_conflict, walking_distance])
def test_bounds_of_the_eight_puzzle_are_admissible_and_consistent(bound: object) -> None:
    assert callable(bound)
    tables, distances = bound_tables(EIGHT_BOARD), naive.eight_puzzle_distances()
    value = {
        text: int(bound(np.uint64(position.state), position.active, 0, tables))
        for text, position in eight_puzzle_positions().items()
    }
    assert all(value[text] <= moves for text, moves in distances.items())
    game = naive.rules("eight-puzzle")
    sample = random.Random(1).sample(sorted(distances), 1000)
    assert all(value[text] <= 1 + value[after] for text in sample for _, _, after, _ in game.steps(text))


@pytest.mark.parametrize("puzzle_id", [f"flip-it-{n}{rule}" for n in range(5, 10) for rule in ("", "-slide")])
@pytest.mark.parametrize("goal", ["any", "0", "2"])
def test_flip_it_tables_match_the_naive_distances(puzzle_id: str, goal: str) -> None:
    puzzle = find(puzzle_id)
    gaps = range(puzzle.holes) if goal == "any" else [int(goal)]
    solved = ["w" * gap + "_" + "w" * (puzzle.holes - gap - 1) for gap in gaps]
    expected = naive.all_distances(naive.rules(puzzle_id), solved)
    assert len(expected) == puzzle.holes << puzzle.holes - 1
    source = puzzle.source(puzzle.parse_goal(goal))
    assert all(source.moves_left(puzzle.parse(text)) == moves for text, moves in expected.items())


def test_an_odd_eight_puzzle_position_is_dead() -> None:
    puzzle: Puzzle = find("eight-puzzle")
    swapped = puzzle.parse("213456780")
    assert puzzle.rules.obstruction(swapped, 0) == "parity"
    assert puzzle.source(0).moves_left(swapped) == DEAD
