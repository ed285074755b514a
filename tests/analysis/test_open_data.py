"""Open data: every format has the same rows, and a program of its own finds the tables right."""

import csv
import gzip
import io
import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from hoppers.analysis import open_data
from hoppers.analysis.card_data import load_cards
from hoppers.core.model import steps_of
from hoppers.tablebase.atlas_data import load_atlas
from tests import ROOT
from tests.support.engine import PUZZLES

TABLES = {table.name: table for table in open_data.data_tables(PUZZLES.values())}
CHECKER = ROOT / "packaging" / "check_data.py"
PACKED = ROOT / "server" / "hoppers" / "data" / "tables"


def test_no_row_is_left_out() -> None:
    atlas, cards = load_atlas(), load_cards()
    assert len(TABLES["atlas"].rows) == sum(
        len(part) for whole in (atlas.boards, atlas.starts) for part in whole.values()
    )
    assert len(TABLES["cards"].rows) == sum(map(len, cards.decks.values()))
    assert len(TABLES["days"].rows) == sum(map(len, cards.week)) + len(cards.mini)


@pytest.mark.parametrize("name", TABLES)
def test_formats_have_the_same_rows(name: str) -> None:
    table = TABLES[name]
    assert all(list(row) == list(table.columns) for row in table.rows)
    assert json.loads(open_data.as_json(table)) == table.rows
    written = list(csv.DictReader(io.StringIO(open_data.as_csv(table).decode(), newline="")))
    assert written == [
        {column: "" if value is None else str(value) for column, value in row.items()} for row in table.rows
    ]
    database = sqlite3.connect(":memory:")
    database.deserialize(open_data.as_sqlite([table]))
    database.row_factory = sqlite3.Row
    assert [dict(row) for row in database.execute(f'SELECT * FROM "{name}"')] == table.rows
    database.close()


@pytest.mark.parametrize("name", ["atlas", "cards"])
def test_lines_are_legal_and_as_long_as_said(name: str) -> None:
    for row in TABLES[name].rows:
        if not row["line"]:
            continue
        puzzle = PUZZLES[str(row["puzzle"])]
        position, moves = puzzle.parse(str(row["position"])), str(row["line"]).split(".")
        for step in steps_of([[int(hole) for hole in move.split("-")] for move in moves]):
            position = puzzle.step(position, *step).after
        assert puzzle.is_solved(position, puzzle.parse_goal(str(row["goal"]))), row
        assert len(moves) == row["moves"], row


def checked(*paths: Path) -> "subprocess.CompletedProcess[str]":
    """Run the checker without this program."""
    return subprocess.run(
        [sys.executable, "-I", "-S", CHECKER, *paths], cwd="/", capture_output=True, text=True
    )


def test_checker_finds_the_tables_right() -> None:
    names = ("hoppers", "hoppers-red", "triangle-15", "flip-it-8", "flip-it-9-slide")
    done = checked(*(PACKED / f"{name}.gz" for name in names))
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split()[1] for line in done.stdout.splitlines()] == [
        f"{values_in(PACKED / f'{name}.gz'):,}" for name in names
    ]


def values_in(path: Path) -> int:
    return len(gzip.decompress(path.read_bytes()).partition(b"\n")[2])


@pytest.mark.parametrize("place", [0, 1_000, -1])
def test_checker_finds_one_wrong_value(place: int, tmp_path: Path) -> None:
    head, _, values = gzip.decompress((PACKED / "hoppers.gz").read_bytes()).partition(b"\n")
    wrong = bytearray(values)
    wrong[place] = wrong[place] - 1
    (tmp_path / "wrong.gz").write_bytes(gzip.compress(head + b"\n" + bytes(wrong)))
    done = checked(tmp_path / "wrong.gz")
    assert done.returncode == 1 and "has" in done.stderr and "Traceback" not in done.stderr
