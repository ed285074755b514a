"""The book of records: the hardest positions of every board, and the figures, with their fewest moves.

`python -m tools.atlas records figures` writes data/records.json and, where a record has too many positions
for it, data/records/<board>.txt.xz with one position per line.
"""

import lzma
from functools import cache
from typing import Literal

import msgspec

from hoppers.core.model import prebuild_decoder
from hoppers.core.texts import Text
from hoppers.runtime import PACKAGE

DATA = PACKAGE / "data" / "records.json"
LISTS = PACKAGE / "data" / "records"
VERSION = 1
LISTED = 96
"""Most positions of a record in the data file; longer lists have files of their own."""


@prebuild_decoder
class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The hardest positions of a board and a goal, from its complete table."""

    moves: int
    """The most moves that a position needs which can be solved."""
    count: int
    """Number of positions that need as many."""
    unique: int
    """Their number up to the symmetries that keep the goal."""
    positions: list[str]
    """The first `LISTED` of these, in the order of their texts."""
    lengths: list[int]
    """Numbers of positions with 0, 1, 2, … moves, with all that symmetries turn into each other."""


@prebuild_decoder
class BoardRecords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The records of a board."""

    goals: dict[str, Record]
    """Goal -> its record; of the goals that a symmetry exchanges only the first."""
    title: Text | None = None
    """Name of the board, if the program does not offer it for play."""
    signs: tuple[str, str] = ("", "")
    """For such boards, the characters of positions, and those to show instead."""


@prebuild_decoder
class Figure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A start with a name, and the proved fewest moves to its goal."""

    name: str
    """Name in English."""
    start: str
    goal: str
    moves: int
    count: int | None = None
    """Number of shortest solutions, if counted."""
    unique: int | None = None
    """Their number up to symmetry, if counted."""
    solve_bits: float | None = None
    """-log2 of the chance that random play solves it (see `atlas.solve_bits`), if known."""


@prebuild_decoder
class Book(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Content of the data file."""

    version: Literal[1]
    boards: dict[str, BoardRecords]
    figures: dict[str, list[Figure]]
    """Puzzle id -> figures on its board."""


@cache
def load_book() -> Book:
    """Return the content of the data file, read and checked on the first call."""
    return msgspec.json.decode(DATA.read_bytes(), type=Book)


def positions_of(board: str, goal: str, first: int, most: int) -> list[str]:
    """Return at most `most` positions of a record up to symmetry, from number `first` on, counted from 0."""
    record = load_book().boards[board].goals[goal]
    if record.unique <= LISTED:
        return record.positions[first : first + most]
    width = len(record.positions[0]) + 1
    lines = lzma.decompress((LISTS / f"{board}.txt.xz").read_bytes())
    return lines[first * width : (first + most) * width].decode().split()
