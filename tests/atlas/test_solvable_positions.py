"""Tables of every solvable position: they agree with the complete tables of small boards, board by board."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from hoppers.atlas import solvable_positions
from hoppers.cli.main import main
from hoppers.core.model import Position
from hoppers.puzzles.pegs.peg_board import peg_board
from hoppers.puzzles.pegs.symmetries import apply_symmetry
from tests.support.engine import find


@pytest.mark.parametrize("puzzle_id", ["hoppers", "diamond-13", "triangle-15"])
def test_every_board_has_the_answer_of_the_complete_table(puzzle_id: str, tmp_path: Path) -> None:
    puzzle = find(puzzle_id)
    board = peg_board(puzzle)
    goals = {goal for goal, _ in solvable_positions.write(puzzle, tmp_path)}
    assert {image[goal] for goal in goals for image in board.symmetries} == {*range(board.holes)}
    for goal in goals:
        table, source = solvable_positions.load(puzzle, goal, tmp_path), puzzle.source(goal)
        images = [image for image in board.symmetries if image[goal] == goal]
        classes, most = set[int](), 0
        for state in range(1, 1 << board.holes):
            left = source.moves_left(Position(state))
            assert table.moves_left(Position(state)) == left
            if left >= 0:
                classes.add(min(apply_symmetry(state, image) for image in images))
                most = max(most, left)
        assert len(table.keys) == len(classes)
        assert {source.moves_left(Position(state)) for state in table.hardest()} == {most}
        assert sum(map(sum, table.distribution())) == len(classes)


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
    assert done.exit_code == 2 and "french-37 has a red peg, or more than 2^29 boards" in done.stderr
