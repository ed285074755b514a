"""Verdicts and hints when the exact source knows no position, or drops one between two queries."""

from dataclasses import replace

from hoppers.analysis import verdicts
from hoppers.core.model import UNKNOWN, Position
from hoppers.core.puzzle import Puzzle
from tests.engine import find
from tests.puzzles.pegs.test_hint_search import (
    KNOWS_NOTHING,
    KnowsNothing,
    followed,
    off_the_lines,
    vacated,
)


class Forgetful(KnowsNothing):
    """A source that answers one query and drops its reachable-set table."""

    def __init__(self) -> None:
        self._answers = [3]

    def moves_left(self, position: Position) -> int:
        """Return 3 once, then UNKNOWN."""
        return self._answers.pop() if self._answers else UNKNOWN


def test_hints_on_proved_atlas_lines_need_no_source() -> None:
    puzzle = replace(find("french-37"), source=lambda goal: KNOWS_NOTHING)
    hints, left = list(followed(puzzle, 36, vacated(puzzle, 0))), 20
    for hint in hints:
        assert hint.step and (hint.verdict, hint.proved, hint.found) == (("live", left), True, None)
        left -= hint.step.cost
    assert hints and left == 0


def forgetful(puzzle: Puzzle) -> Puzzle:
    source = Forgetful()
    return replace(puzzle, source=lambda goal: source)


def test_dropped_positions_are_not_called_proved() -> None:
    english = find("english-33")
    for position in (vacated(english, 1), off_the_lines(english, "1")):
        assert verdicts.solution(forgetful(english), 1, position) == (verdicts.UNDECIDED, [])
        hint = verdicts.hint(forgetful(english), 1, position)
        assert not hint.proved and hint.verdict == verdicts.UNDECIDED
