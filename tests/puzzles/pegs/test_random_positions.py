"""Random positions of peg boards: solvable, with the promised number of pegs."""

import random
import re

import pytest

from hoppers.analysis import verdicts
from hoppers.core.puzzle import Puzzle
from tests.support.engine import PUZZLES

BOARDS = [puzzle for puzzle in PUZZLES.values() if puzzle.family == "pegs"]
SMALL = [puzzle for puzzle in BOARDS if puzzle.holes <= 15]


@pytest.mark.parametrize("puzzle", SMALL, ids=[puzzle.id for puzzle in SMALL])
def test_table_agrees_that_random_positions_can_be_solved(puzzle: Puzzle) -> None:
    rng = random.Random(puzzle.id)
    for kind in puzzle.gallery.random_kinds.values():
        texts = {kind.draw(rng) for _ in range(40)}
        assert len(texts) > 4, "hardly random"
        for text in texts:
            verdict = verdicts.find_verdict(puzzle, puzzle.parse_goal(None), puzzle.parse(text))
            assert verdict.verdict == verdicts.LIVE, text


@pytest.mark.parametrize("puzzle", BOARDS, ids=[puzzle.id for puzzle in BOARDS])
def test_random_positions_have_the_pegs_of_their_title(puzzle: Puzzle) -> None:
    for kind in puzzle.gallery.random_kinds.values():
        text = kind.draw(random.Random(1))
        assert re.findall(r"\d+", str(kind.name)) == [str(puzzle.holes - text.count("."))]
        assert puzzle.format(puzzle.parse(text)) == text
        assert kind.draw(random.Random(1)) == text
