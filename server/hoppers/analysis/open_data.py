"""The data of the program as files for other programs: tables as CSV, JSON and SQLite, and sequences."""

import csv
import hashlib
import io
import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from hoppers.analysis.card_data import first_dates, load_cards
from hoppers.analysis.certificates import CERTIFICATES, CHECKER
from hoppers.analysis.data_columns import COLUMNS, POOLS, SQLITE_TYPES
from hoppers.analysis.record_data import LISTED, load_book, positions_of
from hoppers.analysis.sequences import as_b_file, sequences
from hoppers.core.puzzle import Puzzle
from hoppers.core.texts import Text
from hoppers.runtime import PACKAGE, __version__
from hoppers.tablebase.atlas_data import KnownResult, load_atlas, vacated

LICENCE = "CC0-1.0"
PACKAGE_FILE = "datapackage.json"
ABOUT = {
    "name": PACKAGE.name,
    "title": "Hoppers: peg solitaire, sliding tiles and Flip It, with proved results",
    "description": (
        "Fewest moves, shortest solutions, records, cards and sequences of peg solitaire, sliding tiles "
        "and Flip It. Every number of moves is proved unless the column state says otherwise."
    ),
    "version": __version__,
    "licence": LICENCE,
    "author": "The Hoppers founders",
}
"""What all files are, and from which version of the program."""
Jumps = Iterable[tuple[int, int, int]]
Row = dict[str, str | int | float | None]


class DataTable(NamedTuple):
    """A table of facts."""

    name: str
    about: Text
    columns: tuple[str, ...]
    """Names in `COLUMNS`."""
    key: tuple[str, ...]
    """Columns that together tell its rows apart."""
    rows: list[Row]
    optional: frozenset[str] = frozenset()
    """Columns that are unknown in some rows."""
    refers_to: str = ""
    """Name of a table whose whole key this table has, too: each row is about one of its rows."""


PROBLEM = ("puzzle", "position", "goal")


def data_tables(puzzles: Iterable[Puzzle]) -> list[DataTable]:
    """Return all tables; the atlas and the boards have the rows of `puzzles`."""
    every = list(puzzles)
    atlas = [row for puzzle in every for row in _atlas_rows(puzzle)]
    return [
        _table("puzzles", Text("All boards"), ("puzzle",), _puzzle_rows(every), refers_to=""),
        _table("holes", Text("Where the holes of a board are"), ("puzzle", "hole"), _hole_rows(every)),
        _table(
            "jumps",
            Text("All jumps of boards of pegs"),
            ("puzzle", "origin", "over", "target"),
            _jump_rows(every),
        ),
        _table("atlas", Text("Results for the classic problems"), PROBLEM, atlas),
        _table("cards", Text("The cards of the decks"), ("deck", "number"), _card_rows()),
        _table("days", Text("The cards of the days"), ("pool", "number"), _day_rows()),
        _table("records", Text("The hardest positions of each board"), ("puzzle", "goal"), _record_rows()),
        _table(
            "record_positions",
            Text("The first 96 positions of each record, turned and mirrored ones left out"),
            ("puzzle", "goal", "position"),
            _record_position_rows(),
            refers_to="records",
        ),
        _table(
            "lengths",
            Text("How many positions need how many moves"),
            ("puzzle", "goal", "moves"),
            _length_rows(),
            refers_to="records",
        ),
        _table("figures", Text("Starts that form a figure"), ("puzzle", "name"), _figure_rows()),
    ]


def _table(
    name: str, about: Text, key: tuple[str, ...], rows: list[Row], refers_to: str = "puzzles"
) -> DataTable:
    """Return the table of some rows, which all have the same columns."""
    optional = frozenset(column for row in rows for column, value in row.items() if value is None)
    return DataTable(name, about, tuple(rows[0]), key, rows, optional, refers_to)


def _puzzle_rows(puzzles: Sequence[Puzzle]) -> list[Row]:
    """Return all puzzles, then the boards that only records are about."""
    rows: list[Row] = [
        {
            "puzzle": puzzle.id,
            "title": str(puzzle.texts.title),
            "family": puzzle.family,
            "holes": puzzle.holes,
            "start": puzzle.start,
            "goal": puzzle.goal,
        }
        for puzzle in puzzles
    ]
    others = {board: records for board, records in load_book().boards.items() if records.title is not None}
    return rows + [
        {
            "puzzle": board,
            "title": str(records.title),
            "family": None,
            "holes": len(next(iter(records.goals.values())).positions[0]),
            "start": None,
            "goal": None,
        }
        for board, records in others.items()
    ]


def _hole_rows(puzzles: Sequence[Puzzle]) -> list[Row]:
    return [
        {"puzzle": puzzle.id, "hole": hole, "x": float(x), "y": float(y)}
        for puzzle in puzzles
        for hole, (x, y) in enumerate(puzzle.board.points)
    ]


def _jump_rows(puzzles: Sequence[Puzzle]) -> list[Row]:
    """Return the jumps of the boards whose rules, as data, are jumps."""
    return [
        {"puzzle": puzzle.id, "origin": origin, "over": over, "target": target}
        for puzzle in puzzles
        for origin, over, target in cast(Jumps, puzzle.rules.description.get("jumps", ()))
    ]


def _atlas_rows(puzzle: Puzzle) -> list[Row]:
    """Return the atlas results of a puzzle, with starts as position texts."""
    pairs = [(name.split("-"), entry) for name, entry in load_atlas().boards.get(puzzle.id, {}).items()]
    texts = [(name.split(" "), entry) for name, entry in load_atlas().starts.get(puzzle.id, {}).items()]
    return [
        *(
            _atlas_row(puzzle.id, puzzle.format(vacated(puzzle, int(hole))), goal, entry)
            for (hole, goal), entry in pairs
        ),
        *(_atlas_row(puzzle.id, start, goal, entry) for (start, goal), entry in texts),
    ]


def _atlas_row(puzzle: str, position: str, goal: str, entry: KnownResult) -> Row:
    is_impossible = entry.state == "impossible"
    return {
        "puzzle": puzzle,
        "position": position,
        "goal": goal,
        "state": entry.state,
        "moves": entry.moves,
        "least": None if is_impossible else entry.lower_bound,
        "solutions": entry.count,
        "solutions_up_to_symmetry": entry.unique,
        "solve_bits": entry.solve_bits,
        "fewest_bits": entry.fewest_bits,
        "reason": entry.reason,
        "line": entry.line,
    }


def _card_rows() -> list[Row]:
    return [
        {
            "deck": deck,
            "number": number,
            "level": card.level,
            "puzzle": card.puzzle,
            "position": card.position,
            "goal": card.goal,
            "moves": card.moves,
            "solutions_up_to_symmetry": card.solutions,
            "fewest_bits": card.difficulty,
            "idea": card.idea,
            "good": card.good,
            "costly": card.costly,
            "steps": card.steps,
            "run": card.run,
            "line": card.line,
        }
        for deck, stored in load_cards().decks.items()
        for number, card in enumerate(stored.cards, 1)
    ]


def _day_rows() -> list[Row]:
    data, first = load_cards(), first_dates()
    pools = zip(POOLS, [*data.week, *data.mini_pools()], strict=True)
    return [
        {
            "pool": pool,
            "number": number,
            "date": first[card].isoformat(),
            "puzzle": card.puzzle,
            "position": card.position,
            "goal": card.goal,
            "moves": card.moves,
            "fewest_bits": card.difficulty,
        }
        for pool, cards in pools
        for number, card in enumerate(cards, 1)
    ]


def _record_rows() -> list[Row]:
    """Return the most moves that a position of a board needs to a goal, and how many need as many."""
    return [
        {
            "puzzle": board,
            "goal": goal,
            "moves": record.moves,
            "positions": record.count,
            "positions_up_to_symmetry": record.unique,
        }
        for board, records in load_book().boards.items()
        for goal, record in records.goals.items()
    ]


def _length_rows() -> list[Row]:
    """Return the numbers of positions by fewest moves."""
    return [
        {"puzzle": board, "goal": goal, "moves": moves, "positions": positions}
        for board, records in load_book().boards.items()
        for goal, record in records.goals.items()
        for moves, positions in enumerate(record.lengths)
    ]


def _record_position_rows() -> list[Row]:
    """Return the first `LISTED` positions of each record, up to symmetry."""
    return [
        {"puzzle": board, "goal": goal, "position": position}
        for board, records in load_book().boards.items()
        for goal in records.goals
        for position in positions_of(board, goal, 0, LISTED)
    ]


def _figure_rows() -> list[Row]:
    return [
        {
            "puzzle": board,
            "name": figure.name,
            "position": figure.start,
            "goal": figure.goal,
            "moves": figure.moves,
            "solutions": figure.count,
            "solutions_up_to_symmetry": figure.unique,
            "solve_bits": figure.solve_bits,
        }
        for board, figures in load_book().figures.items()
        for figure in figures
    ]


def as_csv(table: DataTable) -> bytes:
    """Return a table as CSV in UTF-8 (RFC 4180): a line of names, then the rows; unknown values are empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, table.columns)
    writer.writeheader()
    writer.writerows(table.rows)
    return text.getvalue().encode()


def as_json(table: DataTable) -> bytes:
    """Return a table as a JSON list of objects, one a line."""
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in table.rows)
    return f"[\n{lines}\n]\n".encode()


def as_sqlite(tables: Iterable[DataTable]) -> bytes:
    """Return the content of one SQLite file with all tables, their keys, and a table about the file."""
    every = list(tables)
    keys = {table.name: table.key for table in every}
    database = sqlite3.connect(":memory:")
    try:
        for table in every:
            database.execute(_create(table, keys))
            places = ", ".join(f":{column}" for column in table.columns)
            database.executemany(f'INSERT INTO "{table.name}" VALUES ({places})', table.rows)
        database.execute('CREATE TABLE "about" ("name" TEXT PRIMARY KEY, "value" TEXT NOT NULL)')
        database.executemany('INSERT INTO "about" VALUES (?, ?)', ABOUT.items())
        database.commit()
        return database.serialize()
    finally:
        database.close()


def _create(table: DataTable, keys: Mapping[str, tuple[str, ...]]) -> str:
    """Return the statement that creates a table. `keys`: those of all tables of the file."""
    lines = [
        f'"{name}" {SQLITE_TYPES[COLUMNS[name].kind]}{"" if name in table.optional else " NOT NULL"}'
        for name in table.columns
    ]
    lines.append(f"PRIMARY KEY ({_names(table.key)})")
    if other := keys.get(table.refers_to):
        lines.append(f'FOREIGN KEY ({_names(other)}) REFERENCES "{table.refers_to}"')
    return f'CREATE TABLE "{table.name}" ({", ".join(lines)})'


def _names(columns: Iterable[str]) -> str:
    return ", ".join(f'"{column}"' for column in columns)


def data_files(puzzles: Iterable[Puzzle]) -> dict[str, bytes]:
    """Return the files of all tables, sequences and certificates, and their description: name -> content."""
    every = list(puzzles)
    tables = data_tables(every)
    writers: dict[str, Any] = {"csv": as_csv, "json": as_json}
    files = {f"{table.name}.{kind}": write(table) for table in tables for kind, write in writers.items()}
    files["hoppers.sqlite"] = as_sqlite(tables)
    files |= {f"{sequence.name}.txt": as_b_file(sequence) for sequence in sequences(every)}
    files |= {path.name: path.read_bytes() for path in (CERTIFICATES, CHECKER)}
    description = json.dumps(data_package(tables, files), indent=2, ensure_ascii=False) + "\n"
    return {PACKAGE_FILE: description.encode(), **files}


def data_package(tables: Iterable[DataTable], files: Mapping[str, bytes]) -> dict[str, Any]:
    """Return the description of all files as a data package (datapackage.json, frictionless)."""
    licence = {"name": LICENCE, "path": "https://creativecommons.org/publicdomain/zero/1.0/"}
    return {
        "profile": "tabular-data-package",
        "name": ABOUT["name"],
        "title": ABOUT["title"],
        "description": ABOUT["description"],
        "version": ABOUT["version"],
        "licenses": [licence],
        "contributors": [{"title": ABOUT["author"], "role": "author"}],
        "resources": [_resource(table, files[f"{table.name}.csv"]) for table in tables],
        "files": {name: _facts(content) for name, content in files.items()},
    }


def _resource(table: DataTable, content: bytes) -> dict[str, Any]:
    reference = {"fields": ["puzzle"], "reference": {"resource": "puzzles", "fields": ["puzzle"]}}
    if table.refers_to == "records":
        fields = ["puzzle", "goal"]
        reference = {"fields": fields, "reference": {"resource": "records", "fields": fields}}
    return {
        "profile": "tabular-data-resource",
        "name": table.name,
        "path": f"{table.name}.csv",
        "description": str(table.about),
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        **_facts(content),
        "schema": {
            "fields": [_field(name, name in table.optional) for name in table.columns],
            "primaryKey": [*table.key],
            "missingValues": [""],
            **({"foreignKeys": [reference]} if table.refers_to else {}),
        },
    }


def _field(name: str, is_optional: bool) -> dict[str, Any]:
    kind, meaning, values = COLUMNS[name]
    limits = {**({} if is_optional else {"required": True}), **({"enum": [*values]} if values else {})}
    return {"name": name, "type": kind, "description": str(meaning), "constraints": limits}


def _facts(content: bytes) -> dict[str, Any]:
    """Return size and checksum of a file, as data packages write them."""
    return {"bytes": len(content), "hash": f"sha256:{hashlib.sha256(content).hexdigest()}"}
