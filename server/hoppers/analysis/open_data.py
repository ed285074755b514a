"""The data of the program as files for other programs: tables as CSV, JSON and SQLite, and sequences."""

import csv
import io
import json
import sqlite3
from collections.abc import Iterable
from typing import Any, NamedTuple

from hoppers.analysis.card_data import Card, DayCard, load_cards
from hoppers.analysis.certificates import CERTIFICATES, CHECKER
from hoppers.analysis.record_data import LISTED, load_book, positions_of
from hoppers.analysis.sequences import as_b_file, sequences
from hoppers.core.puzzle import Puzzle
from hoppers.tablebase.atlas_data import KnownResult, load_atlas, vacated

LICENCE = "CC0-1.0"
Row = dict[str, str | int | float | None]


class DataTable(NamedTuple):
    """A table of facts."""

    name: str
    columns: dict[str, str]
    """Column -> its type in SQLite: TEXT, INTEGER or REAL."""
    rows: list[Row]


ATLAS_COLUMNS = {
    "puzzle": "TEXT",
    "position": "TEXT",
    "goal": "TEXT",
    "state": "TEXT",
    "moves": "INTEGER",
    "least": "INTEGER",
    "solutions": "INTEGER",
    "solutions_up_to_symmetry": "INTEGER",
    "solve_bits": "REAL",
    "fewest_bits": "REAL",
    "reason": "TEXT",
    "line": "TEXT",
}
CARD_COLUMNS = {
    "deck": "TEXT",
    "number": "INTEGER",
    "level": "INTEGER",
    "puzzle": "TEXT",
    "position": "TEXT",
    "goal": "TEXT",
    "moves": "INTEGER",
    "solutions": "INTEGER",
    "fewest_bits": "REAL",
    "idea": "TEXT",
    "good": "INTEGER",
    "costly": "INTEGER",
    "steps": "INTEGER",
    "run": "INTEGER",
    "line": "TEXT",
}
DAY_COLUMNS = {
    "pool": "TEXT",
    "number": "INTEGER",
    "puzzle": "TEXT",
    "position": "TEXT",
    "goal": "TEXT",
    "moves": "INTEGER",
    "fewest_bits": "REAL",
}
RECORD_COLUMNS = {
    "board": "TEXT",
    "goal": "TEXT",
    "moves": "INTEGER",
    "positions": "INTEGER",
    "positions_up_to_symmetry": "INTEGER",
}
RECORD_POSITION_COLUMNS = {"board": "TEXT", "goal": "TEXT", "position": "TEXT"}
FIGURE_COLUMNS = {
    "board": "TEXT",
    "name": "TEXT",
    "position": "TEXT",
    "goal": "TEXT",
    "moves": "INTEGER",
    "solutions": "INTEGER",
    "solutions_up_to_symmetry": "INTEGER",
    "solve_bits": "REAL",
}
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
POOLS = (*WEEKDAYS, *(f"mini-{day}" for day in WEEKDAYS))


def data_tables(puzzles: Iterable[Puzzle]) -> list[DataTable]:
    """Return all tables; the atlas has the rows of `puzzles`."""
    return [
        DataTable("atlas", ATLAS_COLUMNS, [row for puzzle in puzzles for row in _atlas_rows(puzzle)]),
        DataTable("cards", CARD_COLUMNS, _card_rows()),
        DataTable("days", DAY_COLUMNS, _day_rows()),
        DataTable("records", RECORD_COLUMNS, _record_rows()),
        DataTable("record_positions", RECORD_POSITION_COLUMNS, _record_position_rows()),
        DataTable("figures", FIGURE_COLUMNS, _figure_rows()),
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
        {"deck": deck, "number": number, **_fields(card, CARD_COLUMNS)}
        for deck, cards in load_cards().decks.items()
        for number, card in enumerate(cards, 1)
    ]


def _day_rows() -> list[Row]:
    data = load_cards()
    pools = zip(POOLS, [*data.week, *data.mini], strict=True)
    return [
        {"pool": pool, "number": number, **_fields(card, DAY_COLUMNS)}
        for pool, cards in pools
        for number, card in enumerate(cards, 1)
    ]


def _record_rows() -> list[Row]:
    """Return the most moves that a position of a board needs to a goal, and how many need as many."""
    return [
        {
            "board": board,
            "goal": goal,
            "moves": record.moves,
            "positions": record.count,
            "positions_up_to_symmetry": record.unique,
        }
        for board, records in load_book().boards.items()
        for goal, record in records.goals.items()
    ]


def _record_position_rows() -> list[Row]:
    """Return the first `LISTED` positions of each record, up to symmetry."""
    return [
        {"board": board, "goal": goal, "position": position}
        for board, records in load_book().boards.items()
        for goal in records.goals
        for position in positions_of(board, goal, 0, LISTED)
    ]


def _figure_rows() -> list[Row]:
    return [
        {
            "board": board,
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


def _fields(card: Card | DayCard, columns: dict[str, str]) -> Row:
    """Return those fields of a card that are columns, in their order; its difficulty is in fewest bits."""
    fields = {"fewest_bits": card.difficulty}
    return {
        name: fields.get(name, getattr(card, name, None))
        for name in columns
        if name in fields or hasattr(card, name)
    }


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
    """Return the content of one SQLite file with all tables."""
    database = sqlite3.connect(":memory:")
    try:
        for name, columns, rows in tables:
            fields = ", ".join(f'"{column}" {kind}' for column, kind in columns.items())
            database.execute(f'CREATE TABLE "{name}" ({fields})')
            places = ", ".join(f":{column}" for column in columns)
            database.executemany(f'INSERT INTO "{name}" VALUES ({places})', rows)
        database.commit()
        return database.serialize()
    finally:
        database.close()


def data_files(puzzles: Iterable[Puzzle]) -> dict[str, bytes]:
    """Return the files of all tables, sequences and certificates: name -> content."""
    every = list(puzzles)
    tables = data_tables(every)
    writers: dict[str, Any] = {"csv": as_csv, "json": as_json}
    files = {f"{table.name}.{kind}": write(table) for table in tables for kind, write in writers.items()}
    lists = {f"{sequence.name}.txt": as_b_file(sequence) for sequence in sequences(every)}
    proofs = {path.name: path.read_bytes() for path in (CERTIFICATES, CHECKER)}
    return {**files, "hoppers.sqlite": as_sqlite(tables), **lists, **proofs}
