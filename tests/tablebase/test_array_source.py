"""Answers from tables that numpy builds, without compiled kernels, against the sources of an engine."""

import random

import pytest

from hoppers.core.puzzle import Puzzle
from hoppers.puzzles import PUZZLES
from hoppers.tablebase.array_source import has_array_table
from hoppers.tablebase.engine import Engine
from tests.support.engine import ENGINE, one_of_each_kind

INTERPRETED = Engine(PUZZLES, builds_in_background=False)
CHOSEN = [puzzle for puzzle in one_of_each_kind().values() if has_array_table(puzzle)]


@pytest.mark.parametrize("puzzle", CHOSEN, ids=lambda puzzle: puzzle.id)
def test_every_answer_is_that_of_the_engine(puzzle: Puzzle) -> None:
    """Also with an active peg, which the table does not have."""
    rng, compiled, interpreted = random.Random(6), ENGINE.find(puzzle.id), INTERPRETED.find(puzzle.id)
    assert interpreted.can_answer and not interpreted.is_compiled
    goals = rng.sample(sorted(puzzle.rules.goals), min(3, len(puzzle.rules.goals)))
    for goal in map(puzzle.parse_goal, goals):
        expected, found = compiled.source(goal), interpreted.source(goal)
        for start in rng.sample(sorted(puzzle.starts.values()), min(4, len(puzzle.starts))):
            position = puzzle.parse(start)
            while steps := compiled.legal_steps(position):
                position = rng.choice(steps).after
                assert found.moves_left(position) == expected.moves_left(position)
                if rng.random() < 0.05:
                    break
        assert found.distribution() == expected.distribution()


@pytest.mark.parametrize("puzzle", CHOSEN, ids=lambda puzzle: puzzle.id)
def test_numbers_and_cells_belong_together(puzzle: Puzzle) -> None:
    numbering = puzzle.rules.numbering
    assert numbering is not None
    for number in random.Random(7).sample(range(numbering.first, numbering.size), 30):
        cells = numbering.cells_of(number)
        assert puzzle.rules.validate(cells) is None and numbering.number_of(cells) == number


def test_no_thread_builds_anything() -> None:
    INTERPRETED.builder.submit("build", lambda: iter(()))  # type: ignore[arg-type, return-value]
    assert INTERPRETED.builder.join(0) and INTERPRETED.builder.progress("build") is None
