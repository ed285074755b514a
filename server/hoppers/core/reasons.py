"""Reasons why a position is dead: proofs that can be checked by hand, with numbers in the holes."""

from typing import NamedTuple

from hoppers.core.model import Position, Step
from hoppers.core.texts import Text

PARITY, SUM = "parity", "sum"  # what no step changes, or raises: see `Tally.law`


class StepTally(NamedTuple):
    """The total of a `Tally` after one legal step from its source."""

    origin: int
    target: int
    total: int


class Tally(NamedTuple):
    """Numbers in holes whose total shows that one board cannot become another.

    The total of peg boards counts the holes with pegs, that of sliding tiles all cells.
    """

    law: str
    """PARITY: no step changes whether the total is odd. SUM: no step raises the total."""
    source: Position
    """Board that is counted: the position, or the board after one of its steps."""
    targets: tuple[Position, ...]
    """Boards that are shown to be out of reach: solved ones, or boards one step before a solved one."""
    numbers: dict[int, int]
    """Hole -> its number; 0 is left out."""
    total: int
    """Total of `source`."""
    target_total: int
    """Total of each board of `targets`: of the other parity, or higher.

    Of a tally that fits a goal it is the least of them.
    """
    after: tuple[StepTally, ...] = ()
    """Totals after the legal steps from `source`."""


class Reason(NamedTuple):
    """Why a position is dead.

    Codes: "class", "pagoda" and "parity" have `tallies`; "stuck" (no step is legal) and "boards" have
    `boards`; "steps" has a reason for the position after each step. "table" and "search" name the proof of
    positions that have no short one.
    """

    code: str
    sentence: Text
    tallies: tuple[Tally, ...] = ()
    boards: int = 0
    """Number of boards that can follow, the position itself included; 0 if they were not counted."""
    steps: tuple[tuple[Step, "Reason"], ...] = ()
