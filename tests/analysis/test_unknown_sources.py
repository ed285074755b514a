"""Answers about positions that the source does not know or has dropped."""

from hoppers.analysis import verdicts
from hoppers.core.model import UNKNOWN, Position, Source
from hoppers.core.puzzle import Puzzle
from hoppers.puzzles import PUZZLES
from hoppers.tablebase.atlas_data import vacated
from hoppers.tablebase.engine import Engine
from tests.puzzles.pegs.positions import followed, off_the_lines
from tests.support.engine import find, with_source


class OneAnswerSource(Source):
    """Source whose table is dropped after one answer."""

    def __init__(self) -> None:
        self._answers = [3]

    def moves_left(self, position: Position) -> int:
        """Return 3 at the first call, then UNKNOWN."""
        return self._answers.pop() if self._answers else UNKNOWN


def test_hints_on_a_proved_atlas_line_need_no_source() -> None:
    puzzle = with_source(find("french-37"), Source())
    hints, left = list(followed(puzzle, 36, vacated(puzzle, 0))), 20
    for verdict, step in hints:
        assert verdict == ("live", left, None)
        left -= step.cost
    assert hints and left == 0


def answering_once(puzzle: Puzzle) -> Puzzle:
    return with_source(puzzle, OneAnswerSource())


def test_answers_dropped_between_two_queries_prove_nothing() -> None:
    english = Engine(PUZZLES).find("english-33")
    position = off_the_lines(english, "1")
    assert verdicts.solution(answering_once(english), 1, position) == (verdicts.UNDECIDED, [])
    verdict, move = verdicts.hint(answering_once(english), 1, position)
    assert verdict == verdicts.UNDECIDED and not verdict.is_final and not move


class RecordingSource(Source):
    """Source without answers that lists the positions whose proofs are requested."""

    def __init__(self) -> None:
        self.requested: list[Position] = []

    def moves_left(self, position: Position) -> int:
        """Request a proof, and return UNKNOWN."""
        self.request_proof(position)
        return UNKNOWN

    def request_proof(self, position: Position) -> None:
        """Add a position to the list."""
        self.requested.append(position)


def test_unknown_position_is_proved_before_its_steps() -> None:
    english, source = Engine(PUZZLES).find("english-33"), RecordingSource()
    position = off_the_lines(english, "1")
    verdict, steps = verdicts.graded(with_source(english, source), 1, position)
    assert verdict.verdict == verdicts.NOT_KNOWN and len(steps) > 1
    assert {step.after for step, _ in steps} < {*source.requested}
    assert source.requested[-1] == position
