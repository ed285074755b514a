"""Positions of which every legal step leads to a dead position are dead for every query, without a search."""

from dataclasses import replace

import pytest

from hoppers.analysis import verdicts
from hoppers.analysis.known_answers import known_answer
from hoppers.analysis.requests import parse_search
from hoppers.core.events import Unsolvable
from hoppers.core.model import DEAD, UNKNOWN, Position, Source
from hoppers.core.puzzle import Puzzle
from hoppers.puzzles import PUZZLES
from hoppers.puzzles.pegs.source import LargeBoardSource
from hoppers.puzzles.pegs.tables.closure import build_closure
from hoppers.runtime.builder import finish
from hoppers.runtime.token_bucket import TokenBucket
from hoppers.tablebase.engine import Engine
from tests.puzzles.pegs.positions import off_the_lines
from tests.support.engine import engine_of, with_source

STEPS, PAGODA = "steps", "pagoda"
LOST = [
    ("english-33", "o.oo.ooooooooo.o..o.ooo.oooo.oooo", "23", STEPS),
    ("english-33", "oooo..ooo..ooo.o.ooooooooooo.oo.o", "4", STEPS),
    ("french-37", "oooo.oooo..oooooooooooo...o.oo..o.ooo", "1", None),
    ("diamond-41", ".oooooooooooooooooooooooooooooooooooooooo", "25", PAGODA),
    ("diamond-41", ".oooooooooooooooooooooooooooooooooooooooo", "40", PAGODA),
    ("diamond-41", "o.ooooooooooooooooooooooooooooooooooooooo", "24", PAGODA),
    ("diamond-41", ".oooooooooooooooooooooooooooooooooooooooo", "any", PAGODA),
    ("french-37", "o" * 37, "0", None),
    ("english-33", "o" * 33, "any", None),
    ("diamond-41", "o" * 41, "any", None),
]


def fresh(puzzle_id: str) -> Puzzle:
    """Return a puzzle of a new engine that builds nothing in the background."""
    return Engine(PUZZLES, builds_large=False).find(puzzle_id)


def with_time(puzzle: Puzzle, goal: int) -> Puzzle:
    """Return the puzzle with a source that has time for all closures."""
    return with_source(puzzle, LargeBoardSource(puzzle, goal, TokenBucket(1000.0, 1.0)))


@pytest.mark.parametrize(("puzzle_id", "text", "goal", "reason"), LOST)
def test_every_query_finds_the_position_dead(
    puzzle_id: str, text: str, goal: str, reason: str | None
) -> None:
    for query in (verdicts.hint, verdicts.solution, verdicts.graded):
        puzzle = fresh(puzzle_id)
        code, position = puzzle.parse_goal(goal), puzzle.parse(text)
        puzzle = with_time(puzzle, code)
        assert query(puzzle, code, position)[0].verdict == verdicts.DEAD_END
        listed = verdicts.solutions(puzzle, code, position, unique=False, offset=0, limit=9)
        assert (listed.count, listed.solutions) == (0, [])
    answer = known_answer(puzzle, code, position)
    assert answer.left == DEAD and (reason is None or answer.reason == reason)


@pytest.mark.parametrize(("puzzle_id", "text", "goal", "reason"), LOST)
def test_no_search_is_begun(puzzle_id: str, text: str, goal: str, reason: str | None) -> None:
    puzzle = fresh(puzzle_id)
    engine = engine_of(puzzle)
    engine.puzzles[puzzle_id] = with_time(puzzle, puzzle.parse_goal(goal))
    (event,) = parse_search(engine, puzzle_id, text, goal).events()
    assert isinstance(event, Unsolvable) and event.total_nodes == 0
    assert reason is None or event.reason == reason


@pytest.mark.parametrize(
    ("puzzle_id", "text", "goal"), [case[:3] for case in LOST if case[3] in (STEPS, None)]
)
def test_a_whole_closure_agrees(puzzle_id: str, text: str, goal: str) -> None:
    puzzle = fresh(puzzle_id)
    code, position = puzzle.parse_goal(goal), puzzle.parse(text)
    board = LargeBoardSource(puzzle, code)._board
    closure = finish(build_closure([position.state], code, board.shifts, 20_000_000))
    assert closure is not None and closure.moves_left(position) == DEAD


class DeadSteps(Source):
    """Source that knows only the positions after the steps of `position`: all are dead."""

    def __init__(self, puzzle: Puzzle, position: Position) -> None:
        self.dead = {step.after for step in puzzle.steps(position)}

    def moves_left(self, position: Position) -> int:
        """Return DEAD for the positions that are known, UNKNOWN for all others."""
        return DEAD if position in self.dead else UNKNOWN


def test_verdicts_after_all_steps_prove_the_position_dead() -> None:
    puzzle = fresh("english-33")
    position = off_the_lines(puzzle, "1")
    puzzle = with_source(puzzle, DeadSteps(puzzle, position))
    assert verdicts.verdict_of(puzzle, 1, position).verdict == verdicts.NOT_KNOWN
    verdict, steps = verdicts.graded(puzzle, 1, position)
    assert steps and verdict.verdict == verdicts.DEAD_END
    assert verdicts.hint(puzzle, 1, position) == (verdict, [])  # it has been learnt


def test_rules_that_prove_all_steps_dead_prove_the_position_dead() -> None:
    puzzle = fresh("diamond-41")
    rules = puzzle.rules._replace(
        obstruction=lambda at, goal: "pagoda" if at.state.bit_count() < 40 else None
    )
    puzzle = replace(puzzle, rules=rules)
    verdict, steps = verdicts.immediately_graded(puzzle, 25, puzzle.parse(LOST[3][1]))
    assert steps and verdict.verdict == verdicts.DEAD_END
