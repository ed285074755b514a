"""The rules of the 15-puzzle as plain Python has them, to play answers again that were kept."""

from hoppers.core.model import Position
from hoppers.puzzles.sliding.rules import BITS, sliding_tables
from hoppers.tablebase.proved_answers import CanonicalForm, ReplayRules


def neighbours(position: Position) -> list[int]:
    """The states one slide away, on the board of four by four."""
    found = []
    for cell in sliding_tables(4).neighbours[position.active].tolist():
        if cell >= 0:
            tile = position.state >> BITS * cell & 15
            found.append(position.state ^ (tile << BITS * cell) ^ (tile << BITS * position.active))
    return found


def _form(position: Position) -> CanonicalForm:
    """A position as it is."""
    return CanonicalForm(f"{position.state:x}", int, int)


def _steps(position: Position) -> list[tuple[int, Position]]:
    """Every slide; the blank is active."""
    blanks = [cell for cell in sliding_tables(4).neighbours[position.active].tolist() if cell >= 0]
    return [(1, Position(state, cell)) for state, cell in zip(neighbours(position), blanks, strict=True)]


def _is_home(position: Position) -> bool:
    return position.state == int(sliding_tables(4).home)


ANSWER_RULES = ReplayRules(_form, _steps, _is_home)
