"""What is built in the background and kept on disk: damage, room."""

import random
from pathlib import Path

import numpy as np
import pytest

from hoppers.core.model import UNKNOWN, Position
from hoppers.puzzles.pegs.large_board import BigBoard
from hoppers.puzzles.pegs.source import LargeBoardSource
from hoppers.tablebase import table_files
from hoppers.tablebase.builder import Builder, finish
from hoppers.tablebase.table_cache import Shelf
from tests.engine import find
from tests.puzzles.pegs.test_large_boards import vacated


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOPPERS_CACHE", str(tmp_path))
    return tmp_path


def test_source_answers_after_building_and_then_from_disk(own_cache: Path) -> None:
    puzzle = find("english-33")
    board = BigBoard(puzzle.board.jumps, puzzle.board.symmetries)
    rng, position = random.Random(3), Position(vacated(puzzle, 1))
    while position.state.bit_count() > 26:
        position = rng.choice(puzzle.steps(position)).after
    start = vacated(puzzle, 1)
    workshop = Builder()
    source = LargeBoardSource(board, 31, workshop, Shelf(10**9))
    assert source.moves_left(position) == UNKNOWN
    assert source.preparation(position) is not None
    assert workshop.wait(120)
    assert source.moves_left(Position(start)) >= 0
    assert source.moves_left(position) != UNKNOWN
    assert source.preparation(position) is None
    [kept] = own_cache.glob("tables-*/*.table")
    workshop.is_crowded = lambda: True  # what is on disk is for a crowd, too
    again = LargeBoardSource(board, 31, workshop, Shelf(10**9))
    again.moves_left(Position(start))
    assert workshop.wait(60)
    assert again.moves_left(Position(start)) == source.moves_left(Position(start))
    kept.write_bytes(kept.read_bytes()[:-5000] + b"x" * 5000)
    assert finish(table_files.load(kept.stem)) is None
    assert not kept.exists()


def test_as_many_arrays_as_a_closure_of_the_opening_has_come_back(own_cache: Path) -> None:
    arrays = {f"{pegs} {name}": np.full(pegs, pegs) for pegs in range(41) for name in "abcde"}
    finish(table_files.save("many", arrays))
    kept = finish(table_files.load("many"))
    assert kept is not None and kept.keys() == arrays.keys()
    assert all((kept[name] == values).all() for name, values in arrays.items())


def test_damage_inside_a_kept_table_is_noticed(own_cache: Path) -> None:
    finish(table_files.save("some", {"keys": np.arange(100_000)}))
    [path] = own_cache.glob("tables-*/some.table")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert finish(table_files.load("some")) is None
    assert not path.exists()


@pytest.mark.parametrize("spot", [5, 40, 90])
def test_damage_in_the_head_of_a_kept_table_is_noticed(own_cache: Path, spot: int) -> None:
    finish(table_files.save("some", {"keys": np.arange(1000), "more": np.zeros((0, 3))}))
    [path] = own_cache.glob("tables-*/some.table")
    content = bytearray(path.read_bytes())
    content[spot] ^= 1
    path.write_bytes(content)
    assert finish(table_files.load("some")) is None


def test_kept_tables_are_mapped_and_cannot_be_written_to(own_cache: Path) -> None:
    arrays: table_files.Arrays = {
        "keys": np.arange(3000, dtype=np.uint32),
        "two": np.ones((3, 4), np.uint8),
        "none": np.zeros(0),
    }
    finish(table_files.save("some", arrays))
    kept = finish(table_files.load("some"))
    assert kept is not None and kept.keys() == arrays.keys()
    for name, values in arrays.items():
        assert type(kept[name]) is np.ndarray and kept[name].dtype == values.dtype
        assert kept[name].tolist() == values.tolist()
    with pytest.raises(ValueError, match="read-only"):
        kept["keys"][0] = 7
    assert "some.table" in Path("/proc/self/maps").read_text()


def test_store_keeps_the_newest_tables(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_files, "MOST_BYTES", 1_000_000)
    for number in range(4):
        finish(table_files.save(f"table-{number}", {"keys": np.zeros(50_000)}))
    kept = [path.stem for path in own_cache.glob("tables-*/*.table")]
    assert len(kept) == 2 and "table-3" in kept
    monkeypatch.setattr(table_files, "MOST_SIEVE_BYTES", 1_000_000)
    for number in range(4):
        finish(table_files.save(f"sieve-{number}", {"1": np.zeros(50_000)}))
    both = {path.stem for path in own_cache.glob("tables-*/*.table")}
    assert len(both) == 4 and both > {*kept, "sieve-3"}
