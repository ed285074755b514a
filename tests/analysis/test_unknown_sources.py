"""Answers about positions that the source does not know or has dropped."""

from hoppers.analysis import verdicts
from hoppers.core.model import UNKNOWN, KnownAnswer, MovesLeft, Position, Source
from hoppers.puzzles import PUZZLES
from hoppers.tablebase.atlas_data import vacated
from hoppers.tablebase.engine import Engine
from tests.puzzles.pegs.positions import followed, off_the_lines
from tests.support.engine import find, with_source


class OneAnswerSource(Source):
    """Source that drops its table after one answer."""

    def __init__(self, table: MovesLeft) -> None:
        self._tables = [table]

    def known_answer(self, position: Position) -> KnownAnswer:
        """Return an answer from the table at the first call, then UNKNOWN."""
        table = self._tables.pop() if self._tables else None
        return KnownAnswer(UNKNOWN if table is None else table(position), table=table)


def test_hints_on_a_proved_atlas_line_need_no_source() -> None:
    puzzle = with_source(find("french-37"), Source())
    hints, left = list(followed(puzzle, 36, vacated(puzzle, 0))), 20
    for verdict, step in hints:
        assert verdict.moves_left == left
        left -= step.cost
    assert hints and left == 0


def test_solution_of_an_answer_outlives_its_table() -> None:
    triangle = Engine(PUZZLES, atlas=lambda puzzle: {}).find("triangle-15")
    goal, position = triangle.parse_goal(None), triangle.parse(triangle.start)
    table = triangle.source(goal).moves_left
    for query in (verdicts.solution, verdicts.hint):
        puzzle = with_source(
            Engine(PUZZLES, atlas=lambda puzzle: {}).find("triangle-15"), OneAnswerSource(table)
        )
        verdict, moves = query(puzzle, goal, position)
        assert verdict.moves_left == table(position)
        assert moves == query(triangle, goal, position)[1] != []


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
