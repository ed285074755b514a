"""Open data: every format has the same rows, and a program of its own finds the tables right."""

import csv
import datetime
import gzip
import hashlib
import io
import itertools
import json
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from hoppers.analysis import open_data
from hoppers.analysis.card_data import FIRST_DAY, cards_of, load_cards
from hoppers.analysis.data_columns import POOLS
from hoppers.analysis.published_tables import table_content, table_file
from hoppers.analysis.record_data import LISTED, load_book
from hoppers.analysis.sequences import as_b_file, sequences
from hoppers.core.model import steps_of
from hoppers.runtime import __version__
from hoppers.tablebase.atlas_data import load_atlas
from tests import ROOT, naive
from tests.support.engine import ENGINE, PUZZLES

TABLES = {table.name: table for table in open_data.data_tables(PUZZLES.values())}
CHECKER = ROOT / "packaging" / "check_data.py"
A089473 = [
    *(
        1,
        2,
        4,
        8,
        16,
        20,
        39,
        62,
        116,
        152,
        286,
        396,
        748,
        1024,
        1893,
        2512,
        4485,
        5638,
        9529,
        10878,
        16993,
        17110,
    ),
    *(23952, 20224, 24047, 15578, 14560, 6274, 3910, 760, 221, 2),
]
"""All terms as the OEIS has them."""


def test_no_row_is_left_out() -> None:
    atlas, cards = load_atlas(), load_cards()
    assert len(TABLES["atlas"].rows) == sum(
        len(part) for whole in (atlas.boards, atlas.starts) for part in whole.values()
    )
    assert len(TABLES["cards"].rows) == sum(len(deck.cards) for deck in cards.decks.values())
    assert len(TABLES["days"].rows) == sum(map(len, [*cards.week, *cards.mini_pools()]))


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


def test_tables_join_by_their_keys() -> None:
    database = sqlite3.connect(":memory:")
    database.deserialize(open_data.as_sqlite(TABLES.values()))
    database.execute("PRAGMA foreign_keys = 1")
    assert database.execute("PRAGMA foreign_key_check").fetchall() == []
    for table in TABLES.values():
        found = database.execute(f'PRAGMA foreign_key_list("{table.name}")').fetchall()
        assert {row[2] for row in found} == ({table.refers_to} if table.refers_to else set())
        with pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
            database.execute(f'INSERT INTO "{table.name}" SELECT * FROM "{table.name}" LIMIT 1')
    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
        database.execute("INSERT INTO holes VALUES ('nothing', 0, 0.0, 0.0)")
    assert dict(database.execute("SELECT * FROM about"))["version"] == __version__
    database.close()


KINDS = {"string": str, "integer": int, "number": float, "date": str}


def test_package_describes_every_file() -> None:
    files = open_data.data_files(PUZZLES.values())
    package = json.loads(files.pop(open_data.PACKAGE_FILE))
    assert package["files"] == {
        name: {"bytes": len(content), "hash": f"sha256:{hashlib.sha256(content).hexdigest()}"}
        for name, content in files.items()
    }
    assert [each["name"] for each in package["resources"]] == [*TABLES]
    for resource in package["resources"]:
        rows, fields = TABLES[resource["name"]].rows, resource["schema"]["fields"]
        assert resource["hash"] == package["files"][resource["path"]]["hash"]
        assert [field["name"] for field in fields] == list(rows[0])
        for field in fields:
            values = [row[field["name"]] for row in rows]
            assert all(isinstance(value, KINDS[field["type"]]) for value in values if value is not None)
            assert field["constraints"].get("required", False) == (None not in values)
            assert {*values} <= {*field["constraints"].get("enum", values), None}, field["name"]


def test_days_have_the_first_date_of_their_card() -> None:
    first: dict[tuple[str, str, str, str], datetime.date] = {}
    for number in range(7 * 160):
        day = cards_of(FIRST_DAY + datetime.timedelta(number))
        for pool, card in ((day.date.weekday(), day.today), (7 + day.date.weekday(), day.mini)):
            first.setdefault((POOLS[pool], card.position, card.goal, card.puzzle), day.date)
    for row in TABLES["days"].rows:
        names = str(row["pool"]), str(row["position"]), str(row["goal"]), str(row["puzzle"])
        assert row["date"] == first[names].isoformat()


@pytest.mark.parametrize("name", ["puzzles", "holes", "jumps"])
def test_boards_are_those_of_the_numbered_drawings(name: str) -> None:
    for row in TABLES[name].rows:
        if (puzzle := PUZZLES.get(str(row["puzzle"]))) is None:
            continue
        if name == "jumps":
            steps = naive.rules(puzzle.id).steps
            text = ["."] * puzzle.holes
            text[int(row["origin"] or 0)] = text[int(row["over"] or 0)] = "o"
            made = {(step[0], step[1]) for step in steps("".join(text))}
            assert (row["origin"], row["target"]) in made
        elif name == "holes":
            assert (row["x"], row["y"]) == puzzle.board.points[int(row["hole"] or 0)]
        else:
            assert row["holes"] == len(str(row["start"])) == puzzle.holes


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


def test_records_are_those_of_the_book() -> None:
    book = load_book()
    assert len(TABLES["records"].rows) == sum(len(board.goals) for board in book.boards.values())
    assert len(TABLES["figures"].rows) == sum(map(len, book.figures.values()))
    listed = Counter((row["puzzle"], row["goal"]) for row in TABLES["record_positions"].rows)
    for row in TABLES["records"].rows:
        up_to_symmetry = row["positions_up_to_symmetry"]
        assert isinstance(up_to_symmetry, int)
        assert listed[row["puzzle"], row["goal"]] == min(LISTED, up_to_symmetry)
    lengths = {(row["puzzle"], row["goal"]): row for row in TABLES["lengths"].rows}
    for row in TABLES["records"].rows:
        last = lengths[row["puzzle"], row["goal"]]
        assert (last["moves"], last["positions"]) == (row["moves"], row["positions"])


def test_sequences_are_b_files_with_the_terms_of_the_oeis() -> None:
    found = {sequence.name: sequence for sequence in sequences(PUZZLES.values())}
    named = {sequence.oeis: sequence.terms for sequence in found.values() if sequence.oeis}
    assert named == {"A089473": A089473}
    for sequence in found.values():
        lines = as_b_file(sequence).decode().splitlines()
        terms = [list(map(int, line.split())) for line in lines if not line.startswith("#")]
        assert terms == [[number, term] for number, term in enumerate(sequence.terms, sequence.first)]
    most, count = (found[f"farthest{name}-flip-it-n"] for name in ("", "-count"))
    records = {row["puzzle"]: row for row in TABLES["records"].rows if row["goal"] == "any"}
    for number, row in enumerate(zip(most.terms, count.terms, strict=True), most.first):
        assert row == (records[f"flip-it-{number}"]["moves"], records[f"flip-it-{number}"]["positions"])


def test_positions_are_counted_as_by_breadth_first_search() -> None:
    """A search that goes backwards from the solved row counts each position where it is found first."""
    puzzle = PUZZLES["flip-it-6"]
    rules = naive.rules(puzzle.id)
    texts = ["".join(cells) for cells in itertools.product("bw_", repeat=6) if cells.count("_") == 1]
    left = {text: 0 for text in texts if rules.solved(text, "any")}
    found = [len(left)]
    while found[-1]:
        more = {
            text
            for text in texts
            if text not in left and any(after in left for _, _, after, _ in rules.steps(text))
        }
        left |= dict.fromkeys(more, len(found))
        found.append(len(more))
    (terms,) = (each.terms for each in sequences([puzzle]) if each.name == "positions-flip-it-6")
    assert terms == found[:-1]


def checked(*paths: Path) -> "subprocess.CompletedProcess[str]":
    """Run the checker without this program."""
    return subprocess.run(
        [sys.executable, "-I", "-S", CHECKER, *paths], cwd="/", capture_output=True, text=True
    )


def test_checker_finds_the_tables_right(tmp_path: Path) -> None:
    names = ("hoppers", "hoppers-red", "flip-it-8", "flip-it-9-slide")
    tables = {name: table_file(ENGINE.find(name)) for name in names}
    for name, table in tables.items():
        (tmp_path / f"{name}.gz").write_bytes(table)
    done = checked(*(tmp_path / f"{name}.gz" for name in names))
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split()[1] for line in done.stdout.splitlines()] == [
        f"{values_in(table):,}" for table in tables.values()
    ]


def values_in(table: bytes) -> int:
    return len(gzip.decompress(table).partition(b"\n")[2])


@pytest.mark.parametrize("place", [0, 1_000, -1])
def test_checker_finds_one_wrong_value(place: int, tmp_path: Path) -> None:
    head, _, values = table_content(ENGINE.find("hoppers")).partition(b"\n")
    wrong = bytearray(values)
    wrong[place] = wrong[place] - 1
    (tmp_path / "wrong.gz").write_bytes(gzip.compress(head + b"\n" + bytes(wrong)))
    done = checked(tmp_path / "wrong.gz")
    assert done.returncode == 1 and "has" in done.stderr and "Traceback" not in done.stderr
