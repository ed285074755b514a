"""Reading what is known of a position records nothing; a hint or a graded position records what it finds."""

from collections.abc import Callable

import pytest

from hoppers import puzzles
from hoppers.analysis import known_answers, verdicts
from hoppers.analysis.atlas_results import known_result
from hoppers.core.model import Bounds, Position, ProblemKey
from hoppers.core.puzzle import Puzzle
from hoppers.tablebase.engine import Engine
from hoppers.tablebase.records import Records
from tests.support.shorter_line import LATE

POSITIONS = {
    "hoppers": "oooooo.oooooo",
    "english-33": "..o..o.oo....o.o..............o..",  # a small closure answers it
    "diamond-41": LATE,
    "fifteen-puzzle": "e83420f9c1d65b7a",  # proved in a request
    "eight-puzzle": "867254301",
}
Read = Callable[[Puzzle, int, Position], object]
READS: dict[str, Read] = {
    "verdict": verdicts.verdict_of,
    "known answer": known_answers.known_answer,
    "bounds": lambda puzzle, goal, position: puzzle.engine.bounds.of(puzzle, goal, position),
    "solution": lambda puzzle, goal, position: puzzle.engine.bounds.line(puzzle, goal, position),
    "stored": lambda puzzle, goal, position: puzzle.engine.bounds.stored_answer(puzzle, goal, position),
    "atlas": lambda puzzle, goal, position: known_result(
        puzzle, puzzle.format(position), puzzle.goal_text(goal)
    ),
}


def at(puzzle_id: str) -> tuple[Puzzle, int, Position]:
    """Return the puzzle of a new engine that has read its atlas, its goal and one position."""
    puzzle = Engine(puzzles.PUZZLES).find(puzzle_id)
    goal, position = puzzle.parse_goal(None), puzzle.parse(POSITIONS[puzzle_id])
    puzzle.engine.bounds.record(puzzle, goal, position)
    return puzzle, goal, position


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> list[Bounds]:
    """Return a list that takes every record that is put from now on."""
    put, found = Records.put, list[Bounds]()

    def listed(records: Records, key: ProblemKey, record: Bounds) -> None:
        found.append(record)
        put(records, key, record)

    monkeypatch.setattr(Records, "put", listed)
    return found


@pytest.mark.parametrize("puzzle_id", POSITIONS)
@pytest.mark.parametrize("read", READS)
def test_reading_records_and_requests_nothing(read: str, puzzle_id: str, recorded: list[Bounds]) -> None:
    puzzle, goal, position = at(puzzle_id)
    recorded.clear()
    READS[read](puzzle, goal, position)
    assert recorded == []
    assert puzzle.engine.builder.join(0.0)  # no build is queued


def test_hint_is_recorded_once(recorded: list[Bounds]) -> None:
    puzzle, goal, position = at("fifteen-puzzle")
    verdict, _ = verdicts.hint(puzzle, goal, position)
    assert verdict.is_final and recorded
    recorded.clear()
    assert verdicts.hint(puzzle, goal, position)[0] == verdict == verdicts.verdict_of(puzzle, goal, position)
    assert recorded == []
