"""Sources that know nothing, or not any more: what is said of their positions all the same."""

from dataclasses import replace

from hoppers.analysis import verdicts
from hoppers.core.model import UNKNOWN, Position
from hoppers.core.puzzle import Puzzle
from hoppers.puzzles import find
from tests.puzzles.pegs.test_hint_search import (
    KNOWS_NOTHING,
    KnowsNothing,
    followed,
    off_the_lines,
    vacated,
)


class Forgetful(KnowsNothing):
    """A source whose closure is dropped as soon as it has been asked once."""

    def __init__(self) -> None:
        """Not asked yet."""
        self._answers = [3]

    def moves_left(self, position: Position) -> int:
        """Three, and never again."""
        return self._answers.pop() if self._answers else UNKNOWN


def test_hints_along_a_line_that_the_atlas_proves_need_no_source() -> None:
    puzzle = replace(find("french-37"), source=lambda goal: KNOWS_NOTHING)
    told, left = list(followed(puzzle, 36, vacated(puzzle, 0))), 20
    for hint in told:
        assert hint.step and (hint.verdict, hint.proved, hint.found) == (("live", left), True, None)
        left -= hint.step.cost
    assert told and left == 0


def forgetful(puzzle: Puzzle) -> Puzzle:
    source = Forgetful()
    return replace(puzzle, source=lambda goal: source)


def test_what_is_forgotten_between_two_questions_is_not_proved() -> None:
    english = find("english-33")
    for position in (vacated(english, 1), off_the_lines(english, "1")):
        assert verdicts.solution(forgetful(english), 1, position) == (verdicts.UNDECIDED, [])
        hint = verdicts.hint(forgetful(english), 1, position)
        assert not hint.proved and hint.verdict == verdicts.UNDECIDED
