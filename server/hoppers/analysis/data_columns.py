"""What the columns of the open data mean: one name is one column, in all tables."""

from typing import Literal, NamedTuple, get_args

from hoppers.analysis.card_data import Idea
from hoppers.core.texts import Text

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
POOLS = (*WEEKDAYS, *(f"mini-{day}" for day in WEEKDAYS))

Kind = Literal["string", "integer", "number", "date"]
SQLITE_TYPES: dict[Kind, str] = {"string": "TEXT", "integer": "INTEGER", "number": "REAL", "date": "TEXT"}


class Column(NamedTuple):
    """A column: its type, its meaning, and the values that it may have if they are few."""

    kind: Kind
    meaning: Text
    values: tuple[str, ...] = ()


COLUMNS = {
    "puzzle": Column("string", Text("Name of the board with its rules in addresses")),
    "title": Column("string", Text("Name of the board in English")),
    "family": Column("string", Text("Kind of the puzzle; none for boards that are only in records")),
    "holes": Column("integer", Text("Number of holes or cells")),
    "start": Column("string", Text("Initial position, a sign for each hole in reading order")),
    "goal": Column(
        "string",
        Text("The goal: the hole of the last peg, the cell of the gap, `any`, or a whole position"),
    ),
    "hole": Column("integer", Text("Number of a hole, from 0 in reading order")),
    "x": Column("number", Text("Place of the hole to the right, in units of the board")),
    "y": Column("number", Text("Place of the hole downwards, in the same unit")),
    "origin": Column("integer", Text("Hole from which a peg jumps")),
    "over": Column("integer", Text("Hole of the peg that is jumped over and removed")),
    "target": Column("integer", Text("Empty hole in which the jump ends")),
    "position": Column("string", Text("Position, a sign for each hole in reading order")),
    "state": Column(
        "string",
        Text(
            "proved: the moves are the fewest; found: a solution has this number; open: none is known; "
            "impossible: there is none"
        ),
        ("proved", "found", "open", "impossible"),
    ),
    "moves": Column("integer", Text("Fewest moves, those of the hardest position in records; see state")),
    "least": Column("integer", Text("Proved lower bound of the moves")),
    "solutions": Column("integer", Text("Number of shortest solutions")),
    "solutions_up_to_symmetry": Column("integer", Text("The same, turned and mirrored ones counted once")),
    "solve_bits": Column("number", Text("−log2 of the chance that random play solves it; boards of pegs")),
    "fewest_bits": Column(
        "number", Text("−log2 of the chance that random play solves it in the fewest moves")
    ),
    "reason": Column(
        "string",
        Text("How it is proved that there is no solution"),
        ("class", "pagoda", "levels", "table"),
    ),
    "line": Column("string", Text("Best known solution: holes joined by -, moves by .")),
    "deck": Column("string", Text("Name of a deck")),
    "number": Column("integer", Text("Number of the card in its deck or pool, from 1")),
    "level": Column("integer", Text("Level of the card, 1 to 4")),
    "idea": Column("string", Text("What the card is about"), get_args(Idea)),
    "good": Column("integer", Text("Number of first steps that begin a shortest solution")),
    "costly": Column("integer", Text("Number of first steps that cost moves")),
    "steps": Column("integer", Text("Number of first steps")),
    "run": Column("integer", Text("Steps of the longest move that every shortest solution has")),
    "pool": Column("string", Text("Weekday of a card, or of a mini card"), POOLS),
    "date": Column(
        "date",
        Text("First day of the card; it comes again after 42 to 104 weeks"),
    ),
    "positions": Column("integer", Text("How many positions need this number of moves")),
    "positions_up_to_symmetry": Column(
        "integer", Text("Their number, turned and mirrored ones counted once")
    ),
    "name": Column("string", Text("Name of a figure in English")),
}
"""Name -> column."""
