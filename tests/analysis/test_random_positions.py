"""Random positions of pegs: each level has its difficulty, measured again by naive recursion."""

import math
import random
from functools import cache

import pytest

from hoppers.analysis.random_positions import DRAWS, random_text
from hoppers.core.puzzle import Puzzle
from hoppers.puzzles import PUZZLES as REGISTRY
from hoppers.tablebase.engine import Engine
from tests import naive
from tests.support.engine import PUZZLES

MEASURED = ["hoppers", "hoppers-red", "diamond-13", "triangle-15", "triangle-15-red", "triangle-21"]


def naive_bits(puzzle: Puzzle, start: str) -> float:
    """Return -log2 of the chance that random play solves a position in the fewest moves."""
    game = naive.rules(puzzle.id)

    @cache
    def best(text: str) -> tuple[float, float]:
        """Return the fewest moves left, and the chance to need no more."""
        if game.solved(text, puzzle.goal):
            return 0, 1.0
        steps = [(cost, best(after)) for _, _, after, cost in game.steps(text)]
        fewest = min((cost + left for cost, (left, _) in steps), default=math.inf)
        chances = [chance for cost, (left, chance) in steps if cost + left == fewest < math.inf]
        return fewest, sum(chances) / len(steps) if chances else 0.0

    return -math.log2(best(start)[1])


def dealt(puzzle: Puzzle, level: str, seed: int) -> str:
    return random_text(puzzle, puzzle.gallery.random_kinds[level], random.Random(seed))


@pytest.mark.parametrize("id", MEASURED)
def test_levels_have_the_difficulty_that_a_naive_twin_measures(id: str) -> None:
    puzzle = PUZZLES[id]
    levels = (
        ("easy", "medium", "hard") if puzzle.holes < 20 else ("easy",)
    )  # others are too many for the twin
    for level in levels:
        bits = puzzle.gallery.random_kinds[level].bits
        assert bits
        for seed in range(2):
            text = dealt(puzzle, level, seed)
            assert bits[0] - 0.01 <= naive_bits(puzzle, text) < bits[1] + 0.01, (level, text)


@pytest.mark.parametrize("puzzle", PUZZLES.values(), ids=PUZZLES)
def test_no_random_position_is_solved(puzzle: Puzzle) -> None:
    game = naive.rules(puzzle.id)
    for kind in puzzle.gallery.random_kinds.values():
        drawn = {kind.draw(random.Random(seed)) for seed in range(200 if puzzle.holes < 10 else 20)}
        assert not [text for text in drawn if game.solved(text, puzzle.goal)]
        if kind.size is not None and kind.size() < 100:
            assert len(drawn) <= kind.size()


def test_random_rows_are_all_with_a_black_disc() -> None:
    kind = PUZZLES["flip-it-5"].gallery.random_kinds["random"]
    drawn = {kind.draw(random.Random(seed)) for seed in range(1000)}
    assert kind.size is not None and len(drawn) == kind.size() == 5 * 2**4 - 5


@pytest.mark.parametrize("id", ["hoppers", "triangle-15", "triangle-21"])
def test_easy_positions_are_many(id: str) -> None:
    """With one peg fewer there were 7 on Triangle 15 and 16 on Hoppers 13."""
    assert len({dealt(PUZZLES[id], "easy", seed) for seed in range(60)}) > 10


@pytest.mark.parametrize("id", MEASURED)
def test_levels_follow_each_other_without_a_gap(id: str) -> None:
    easy, medium, hard = (kind.bits for kind in PUZZLES[id].gallery.random_kinds.values())
    assert easy and medium and hard
    assert easy[0] > 0 and easy[1] == medium[0] and medium[1] == hard[0]


def test_same_seed_deals_the_same_position_before_kernels_are_compiled() -> None:
    starting = Engine(REGISTRY)
    starting.defer_kernels(REGISTRY)
    for id in ("hoppers-red", "triangle-15"):
        for level in REGISTRY[id].gallery.random_kinds:
            texts = {dealt(engine[id], level, 7) for engine in (PUZZLES, starting.puzzles)}
            assert len(texts) == 1, (id, level)


def test_board_without_a_table_deals_by_pegs_alone() -> None:
    puzzle = PUZZLES["english-33"]
    kind = puzzle.gallery.random_kinds["hard"]
    assert dealt(puzzle, "hard", 1) == kind.draw(random.Random(1))


def test_nearest_position_is_dealt_where_none_has_the_difficulty() -> None:
    puzzle, drawn = PUZZLES["hoppers"], list[str]()
    kind = puzzle.gallery.random_kinds["medium"]

    def draw(rng: random.Random) -> str:
        drawn.append(kind.draw(rng))
        return drawn[-1]

    text = random_text(puzzle, kind._replace(draw=draw, bits=(90.0, 91.0)), random.Random(1))
    assert len(drawn) == DRAWS
    hardest = max(naive_bits(puzzle, each) for each in drawn)
    assert naive_bits(puzzle, text) == pytest.approx(hardest, abs=0.011)
