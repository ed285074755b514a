"""Best known solutions of the atlas: bounds and verdicts of every position on them are right."""

import pytest

from hoppers.analysis import verdicts
from hoppers.analysis.atlas_results import known_result
from hoppers.core.model import ANY_GOAL, Position, Source, cost_of
from hoppers.core.puzzle import Puzzle
from hoppers.puzzles import PUZZLES
from hoppers.tablebase.atlas_data import atlas_lines, vacated
from hoppers.tablebase.engine import Engine
from tests.support.engine import with_source


def without_source(puzzle_id: str) -> Puzzle:
    """Return a puzzle of a new engine without exact answers."""
    return with_source(Engine(PUZZLES).find(puzzle_id), Source())


@pytest.mark.parametrize("puzzle_id", ["french-37", "diamond-41"])
def test_every_position_on_a_line_leads_to_the_goal(puzzle_id: str) -> None:
    puzzle = without_source(puzzle_id)
    for text in (puzzle.goal, ANY_GOAL):
        goal, lines = puzzle.parse_goal(text), 0
        bounds = puzzle.engine.bounds
        for start in range(puzzle.holes):
            position = vacated(puzzle, start)
            known, steps = (
                known_result(puzzle, puzzle.format(position), text),
                bounds.line(puzzle, goal, position),
            )
            assert known and cost_of(steps) == (known.moves or 0)
            if steps:
                least = known.moves if known.state == "proved" else known.least
                assert bounds.of(puzzle, goal, position)[:2] == (least, known.moves)
            for number, step in enumerate(steps):
                position = puzzle.step(position, step.origin, step.target).after
                if number % 10 == start % 10 and not puzzle.is_solved(position, goal):
                    least, most, _ = bounds.of(puzzle, goal, position)
                    assert most is not None and least <= most == cost_of(bounds.line(puzzle, goal, position))
            assert not steps or puzzle.is_solved(position, goal)
            lines += bool(steps)
        assert lines


def test_bounds_agree_with_the_complete_table() -> None:
    puzzle, table, checked = without_source("hoppers"), Engine(PUZZLES).find("hoppers"), 0
    for goal in (puzzle.parse_goal(None), -1):
        bounds = puzzle.engine.bounds
        for problem, known in atlas_lines(puzzle).items():
            start = problem.position
            states = [start.state, *(step.after.state for step in puzzle.replay(start, known.jumps))]
            for state in states:
                pegs_there = [hole for hole in range(puzzle.holes) if state >> hole & 1]
                for position in {puzzle.canonical(Position(state, active)) for active in (-1, *pegs_there)}:
                    least, most, _ = bounds.of(puzzle, goal, position)
                    if most is not None and not puzzle.is_solved(position, goal):
                        assert least <= table.source(goal).moves_left(position) <= most
                        checked += 1
    assert checked > 200


def test_atlas_decides_positions_unknown_to_the_source() -> None:
    puzzle = without_source("french-37")
    position, goal = vacated(puzzle, 0), puzzle.parse_goal(ANY_GOAL)
    bounds = puzzle.engine.bounds
    line, (least, moves, _) = bounds.line(puzzle, goal, position), bounds.of(puzzle, goal, position)
    assert least == moves is not None
    assert verdicts.verdict_of(puzzle, goal, position).moves_left == moves
    verdict, move = verdicts.hint(puzzle, goal, position)
    assert verdict.is_final and (*move[:2],) == line[0][:2] and verdict.moves_left == moves
    _, graded = verdicts.graded(puzzle, goal, position)
    verdict_by_step = {grade.step[:2]: grade.verdict for grade in graded}
    assert verdict_by_step[line[0][:2]].moves_left == moves - 1
    assert len(verdicts.solution(puzzle, goal, position)[1]) == moves


@pytest.mark.usefixtures("unproved_problems")
def test_atlas_results_that_are_not_proved_are_live_with_bounds() -> None:
    puzzle = without_source("diamond-41")
    goal = puzzle.parse_goal(ANY_GOAL)
    bounds, seen = puzzle.engine.bounds, 0
    for start in range(puzzle.holes):
        known = bounds.of(puzzle, goal, vacated(puzzle, start))
        if known.most is not None and not known.is_tight:
            assert verdicts.verdict_of(puzzle, goal, vacated(puzzle, start)) == verdicts.Verdict(known)
            assert not verdicts.hint(puzzle, goal, vacated(puzzle, start))[0].is_final
            seen += 1
    assert seen
