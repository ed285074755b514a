"""The best lines known: what is said of every position on them holds."""

import pytest

from server import judge
from server.atlas import ways
from server.atlas.pairs import ANYWHERE, vacated
from server.atlas.published import par
from server.puzzles import find
from server.records import Position


@pytest.mark.parametrize("puzzle_id", ["french-37", "diamond-41"])
def test_every_position_on_a_line_leads_on_to_the_end(puzzle_id: str) -> None:
    puzzle = find(puzzle_id)
    for goal in (puzzle.goal, ANYWHERE):
        lines = 0
        for start in range(puzzle.holes):
            position, known = vacated(puzzle, start), par(puzzle, puzzle.format(vacated(puzzle, start)), goal)
            steps = ways.way(puzzle, goal, position)
            assert known and sum(step.cost for step in steps) == (known.moves or 0)
            least = known.moves if known.state == "proved" else known.least
            assert ways.bounds(puzzle, goal, position) == ((least, known.moves) if steps else None)
            for number, step in enumerate(steps):
                position = puzzle.step(position, step.origin, step.target).after
                if number % 10 == start % 10:
                    rest = ways.way(puzzle, goal, position)
                    least, moves = ways.bounds(puzzle, goal, position) or (0, -1)
                    assert moves == sum(on.cost for on in rest) >= least
            assert not steps or puzzle.is_solved(position, puzzle.parse_goal(goal))
            lines += bool(steps)
        assert lines


def test_what_is_said_of_positions_on_lines_is_what_the_table_knows() -> None:
    puzzle, told = find("hoppers"), 0
    for goal in (puzzle.goal, ANYWHERE):
        code = puzzle.parse_goal(goal)
        for state in ways._ways(puzzle, goal):
            pegs_there = [hole for hole in range(puzzle.holes) if state >> hole & 1]
            for position in {puzzle.settled(Position(state, hand)) for hand in (-1, *pegs_there)}:
                least, moves = ways.bounds(puzzle, goal, position) or (0, -1)
                assert least <= puzzle.source(code).moves_left(position) <= moves
                told += 1
    assert told > 200


def test_what_the_atlas_proves_is_judged_so_where_no_source_knows() -> None:
    puzzle = find("french-37")
    code = puzzle.parse_goal(ANYWHERE)
    position = vacated(puzzle, 0)
    line, (least, moves) = (
        ways.way(puzzle, ANYWHERE, position),
        ways.bounds(puzzle, ANYWHERE, position) or (0, 1),
    )
    assert least == moves
    assert judge.judge(puzzle, code, position) == (judge.LIVE, moves)
    hint = judge.hint(puzzle, code, position)
    assert hint.proved and hint.step == line[0] and hint.judgement == (judge.LIVE, moves)
    graded = judge.graded_steps(puzzle, code, position)
    told = {grade.step[:2]: grade.judgement for grade in graded}
    assert told[line[0][:2]] == (judge.LIVE, moves - 1)
    assert len(judge.solution(puzzle, code, position).moves) == moves


def test_what_the_atlas_leaves_open_is_not_judged() -> None:
    puzzle = find("french-37")
    code = puzzle.parse_goal(ANYWHERE)
    starts = [vacated(puzzle, start) for start in range(puzzle.holes)]
    found = [(start, ways.bounds(puzzle, ANYWHERE, start)) for start in starts]
    left_open = [start for start, known in found if known and known[0] < known[1]]
    assert left_open
    for start in left_open:
        assert judge.judge(puzzle, code, start) == judge.UNDECIDED
        assert not judge.hint(puzzle, code, start).proved
