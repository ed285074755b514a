"""Best known solutions of the atlas: bounds and verdicts of every position on them are right."""

import pytest

from hoppers.analysis import atlas_results, verdicts
from hoppers.analysis.atlas_results import ANYWHERE, known_line, known_result, line_bounds, vacated
from hoppers.core.model import Position
from tests.engine import find


@pytest.mark.parametrize("puzzle_id", ["french-37", "diamond-41"])
def test_every_position_on_a_line_leads_to_the_goal(puzzle_id: str) -> None:
    puzzle = find(puzzle_id)
    for goal in (puzzle.goal, ANYWHERE):
        lines = 0
        for start in range(puzzle.holes):
            position, known = (
                vacated(puzzle, start),
                known_result(puzzle, puzzle.format(vacated(puzzle, start)), goal),
            )
            steps = known_line(puzzle, goal, position)
            assert known and sum(step.cost for step in steps) == (known.moves or 0)
            least = known.moves if known.state == "proved" else known.least
            assert line_bounds(puzzle, goal, position) == ((least, known.moves) if steps else None)
            for number, step in enumerate(steps):
                position = puzzle.step(position, step.origin, step.target).after
                if number % 10 == start % 10:
                    rest = known_line(puzzle, goal, position)
                    least, moves = line_bounds(puzzle, goal, position) or (0, -1)
                    assert moves == sum(step.cost for step in rest) >= least
            assert not steps or puzzle.is_solved(position, puzzle.parse_goal(goal))
            lines += bool(steps)
        assert lines


def test_bounds_agree_with_the_complete_table() -> None:
    puzzle, checked = find("hoppers"), 0
    for goal in (puzzle.goal, ANYWHERE):
        code = puzzle.parse_goal(goal)
        for state in atlas_results._solutions_by_state(puzzle, goal):
            pegs_there = [hole for hole in range(puzzle.holes) if state >> hole & 1]
            for position in {puzzle.canonical(Position(state, hand)) for hand in (-1, *pegs_there)}:
                least, moves = line_bounds(puzzle, goal, position) or (0, -1)
                assert least <= puzzle.source(code).moves_left(position) <= moves
                checked += 1
    assert checked > 200


def test_atlas_decides_positions_unknown_to_the_source() -> None:
    puzzle = find("french-37")
    code = puzzle.parse_goal(ANYWHERE)
    position = vacated(puzzle, 0)
    line, (least, moves) = (
        known_line(puzzle, ANYWHERE, position),
        line_bounds(puzzle, ANYWHERE, position) or (0, 1),
    )
    assert least == moves
    assert verdicts.verdict_of(puzzle, code, position) == (verdicts.LIVE, moves)
    hint = verdicts.hint(puzzle, code, position)
    assert hint.proved and hint.step == line[0] and hint.verdict == (verdicts.LIVE, moves)
    graded = verdicts.graded_steps(puzzle, code, position)
    verdict_by_step = {grade.step[:2]: grade.verdict for grade in graded}
    assert verdict_by_step[line[0][:2]] == (verdicts.LIVE, moves - 1)
    assert len(verdicts.solution(puzzle, code, position).moves) == moves


def test_open_atlas_results_give_no_verdict() -> None:
    puzzle = find("french-37")
    code = puzzle.parse_goal(ANYWHERE)
    starts = [vacated(puzzle, start) for start in range(puzzle.holes)]
    found = [(start, line_bounds(puzzle, ANYWHERE, start)) for start in starts]
    left_open = [start for start, known in found if known and known[0] < known[1]]
    assert left_open
    for start in left_open:
        assert verdicts.verdict_of(puzzle, code, start) == verdicts.UNDECIDED
        assert not verdicts.hint(puzzle, code, start).proved
