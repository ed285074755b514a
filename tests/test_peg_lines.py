"""Good solutions that are found, not proved: they must solve, and never be shorter than the proved fewest."""

import random

import pytest

from server.exact.good_line import good_line, land_of
from server.exact.proof import with_line
from server.exact.workshop import finish
from server.puzzle import Question
from server.puzzles import find
from server.records import Position, group_moves
from server.search.events import Exhausted, Found, Progress

from .test_conformance import replay


def question_of(puzzle_id: str, start: int, goal: int) -> Question:
    puzzle = find(puzzle_id)
    return Question(puzzle, goal, Position((1 << puzzle.holes) - 1 ^ 1 << start))


@pytest.mark.parametrize(
    ("puzzle_id", "start", "goal", "proved"),
    [
        ("english-33", 16, 16, 18),
        ("french-37", 0, 19, 16),
        ("french-37", 11, 25, 16),
        ("diamond-41", 6, 34, 16),
    ],
)
def test_openings_of_big_boards_have_a_good_line(puzzle_id: str, start: int, goal: int, proved: int) -> None:
    question = question_of(puzzle_id, start, goal)
    steps = finish(good_line(question, land_of(question.puzzle.board.jumps, question.puzzle.holes)))
    assert steps is not None
    end, cost = replay(question.puzzle, question.position, group_moves(steps))
    assert question.puzzle.is_solved(end, goal)
    assert proved <= cost <= 30


def test_lines_are_never_shorter_than_the_fewest_moves() -> None:
    puzzle, rng, found = find("triangle-21"), random.Random(2), 0
    land = land_of(puzzle.board.jumps, 21)
    for _ in range(30):
        state, goal = rng.getrandbits(21) | 1, -1
        left = puzzle.source(goal).moves_left(Position(state))
        steps = finish(good_line(Question(puzzle, goal, Position(state)), land))
        assert steps is None or (left >= 0 and sum(step.cost for step in steps) >= left)
        found += steps is not None
    assert found > 3


def test_a_found_line_is_told_before_the_limits() -> None:
    question = question_of("french-37", 0, 19)
    land = land_of(question.puzzle.board.jumps, 37)
    told = []
    for event in with_line(question.puzzle.method("both-ends").search, land)(question):
        told += [] if isinstance(event, Progress) else [event]
        if isinstance(event, Exhausted) and event.limit == 12:
            break
    assert isinstance(told[0], Found) and len(told[0].moves) == told[0].limit
    assert [event.limit for event in told[1:] if isinstance(event, Exhausted)] == list(range(1, 13))
