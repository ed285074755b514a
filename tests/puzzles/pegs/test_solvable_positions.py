"""Tables of every solvable position agree with complete tables, and a server answers from them."""

import random
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from hoppers.cli.main import main
from hoppers.core.model import DEAD, Position
from hoppers.core.puzzle import Puzzle
from hoppers.puzzles.pegs.large_tables import solvable_positions
from hoppers.puzzles.pegs.peg_board import peg_board
from hoppers.puzzles.pegs.rules import ANYWHERE
from hoppers.puzzles.pegs.source import LargeBoardSource
from hoppers.puzzles.pegs.symmetries import apply_symmetry
from hoppers.tablebase.engine import Engine
from tests import naive
from tests.conftest import MakeApp
from tests.support.engine import find

LARGE = "own-s-e-e-e-g-a"
LARGE_GAME = naive.Pegs(
    """
     0  1  2  3  4  .  .
     5  6  7  8  9  .  .
    10 11 12 13 14  .  .
    15 16 17 18 19 20 21
    22  .  .  .  .  .  .
    """,
    90,
    1.0,
)


def write(puzzle: Puzzle, folder: Path) -> set[int]:
    return {goal for goal, _ in solvable_positions.write(puzzle, folder)}


def some_position(pegs: int, rng: random.Random) -> str:
    """Return a random position, or one that jumps taken back from one peg lead to."""
    cells = ["o"] * pegs + ["."] * (len(LARGE_GAME.places) - pegs)
    rng.shuffle(cells)
    if rng.random() < 0.7:
        cells = ["."] * len(cells)
        cells[rng.choice([6, 12])] = "o"
        for _ in range(pegs - 1):
            back = [(a, b, c) for a, b, c in LARGE_GAME.jumps if cells[a] + cells[b] + cells[c] == "..o"]
            if back:
                a, b, c = rng.choice(back)
                cells[a], cells[b], cells[c] = "oo."
    return "".join(cells)


@pytest.mark.parametrize("puzzle_id", ["hoppers", "diamond-13", "triangle-15"])
def test_every_board_has_the_answer_of_the_complete_table(puzzle_id: str, tmp_path: Path) -> None:
    puzzle = find(puzzle_id)
    board = peg_board(puzzle)
    goals = write(puzzle, tmp_path)
    assert {image[goal] for goal in goals for image in board.symmetries} == {*range(board.holes)}
    for goal in goals:
        table, source = solvable_positions.load(puzzle, goal, tmp_path), puzzle.source(goal)
        made = solvable_positions.SolvableSource(puzzle, goal, tmp_path)
        images = [image for image in board.symmetries if image[goal] == goal]
        counts, classes = Counter[int](), set[int]()
        for state in range(1, 1 << board.holes):
            left = source.moves_left(Position(state))
            assert made.moves_left(Position(state)) == left
            counts[left] += 1
            if left != DEAD:
                classes.add(min(apply_symmetry(state, image) for image in images))
        assert len(table.keys) == len(classes) == sum(map(sum, table.distribution()))
        assert made.distribution() == [counts[left] for left in range(max(counts) + 1)]
        assert {source.moves_left(Position(state)) for state in table.hardest()} == {max(counts)}


def test_every_goal_and_active_peg_is_answered(tmp_path: Path) -> None:
    puzzle, rng = find("hoppers"), random.Random(64)
    write(puzzle, tmp_path)
    for goal in [*range(puzzle.holes), ANYWHERE]:
        made, expected = solvable_positions.SolvableSource(puzzle, goal, tmp_path), puzzle.source(goal)
        for state in rng.sample(range(1, 1 << puzzle.holes), 200):
            pegs = [hole for hole in range(puzzle.holes) if state >> hole & 1]
            for position in (Position(state), Position(state, rng.choice(pegs))):
                assert made.moves_left(position) == expected.moves_left(position)


def test_server_with_the_tables_knows_every_position(make_app: MakeApp, tmp_path: Path) -> None:
    write(find(LARGE), tmp_path)
    client, rng, found = make_app(POSITIONS=str(tmp_path)).test_client(), random.Random(64), Counter[str]()
    for pegs in [*range(2, 20)] * 4:
        position, goal = some_position(pegs, rng), rng.choice(["any", "6", "12"])
        answer = client.get(f"/api/puzzles/{LARGE}/positions/{position}?goal={goal}").get_json()
        assert answer["verdict"] in ("live", "dead")
        if pegs < 9:
            assert answer["moves_left"] == naive.fewest_moves(LARGE_GAME, position, goal)
        if answer["verdict"] == "live":
            shown = client.get(f"/api/puzzles/{LARGE}/positions/{position}/solution?goal={goal}").get_json()
            assert shown["proved"] and len(shown["moves"]) == answer["moves_left"]
        found[answer["verdict"]] += 1
    assert min(found["live"], found["dead"]) > 10


def test_files_that_cannot_be_read_leave_the_search(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write(find(LARGE), tmp_path)
    puzzle = Engine({LARGE: find(LARGE)}, positions=tmp_path).puzzles[LARGE]
    assert isinstance(puzzle.source(6), solvable_positions.SolvableSource)
    (tmp_path / f"{LARGE}-6.keys.npy").write_bytes(b"\x93NUMPY")
    assert isinstance(puzzle.source(7), LargeBoardSource) and "cannot be used" in caplog.text
    (tmp_path / f"{LARGE}-6.json").unlink()  # as if the command had been interrupted
    assert isinstance(puzzle.source(8), LargeBoardSource)


def test_finished_goals_are_kept(tmp_path: Path) -> None:
    first = CliRunner().invoke(main, ["positions", "hoppers", str(tmp_path)])
    assert first.exit_code == 0, first.output
    written = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    (tmp_path / "hoppers-0.json").unlink()
    again = CliRunner().invoke(main, ["positions", "hoppers", str(tmp_path)])
    assert again.exit_code == 0
    changed = {path.name for path in tmp_path.iterdir() if path.stat().st_mtime_ns != written[path]}
    assert changed == {f"hoppers-0.{part}" for part in ("json", "first.npy", "keys.npy", "fewest.npy")}


def test_board_with_too_many_positions_is_refused(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["positions", "french-37", str(tmp_path)])
    assert done.exit_code == 2
    assert "A position class of french-37 has 2^33 boards; at most 2^29 can be listed" in done.stderr
    none = CliRunner().invoke(main, ["positions", "own-t-", str(tmp_path)])
    assert none.exit_code == 2 and "'own-t-' draws no board" in none.stderr
    red = CliRunner().invoke(main, ["positions", "hoppers-red", str(tmp_path)])
    assert red.exit_code == 2 and "hoppers-red has a red peg" in red.stderr
