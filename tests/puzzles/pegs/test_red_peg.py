"""The red peg: every position of 13 holes compared with the naive rules."""

import itertools
import random
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from hoppers.core.errors import PuzzleError
from hoppers.core.events import Exhausted, Progress, Solved, Unsolvable
from hoppers.core.kernels import Kernel
from hoppers.core.model import DEAD, Position
from hoppers.core.puzzle import Puzzle, Question
from hoppers.puzzles.pegs.lower_bounds import (
    corner_bound,
    corner_marks,
    merson_bound,
    merson_marks,
    useful_tables,
)
from hoppers.puzzles.pegs.rules import count_steps, jump_tables
from hoppers.tablebase.canonical import canonical_form
from hoppers.tablebase.solutions import SolutionList, finished_graph
from tests import naive
from tests.support.engine import find
from tests.support.numbered_boards import PEGS

RED_BOARDS = [puzzle_id for puzzle_id, (*_, last) in PEGS.items() if last == "r"]
GOALS = ["any", "6", "0", "3"]  # one hole of each peg type, and the others by symmetry
INFINITY = 10**9
Arrangement = tuple[str, list[tuple[int, str, Position]]]
"""An arrangement as text, and with each active peg (-1: none) as text and `Position`."""


def arrangements(holes: int) -> Iterator[str]:
    """Yield every arrangement of pegs with one red peg."""
    for red in range(holes):
        for others in itertools.product(".o", repeat=holes - 1):
            yield "".join([*others[:red], "r", *others[red:]])


@cache
def positions() -> list[Arrangement]:
    """Return every arrangement of `hoppers-red`."""
    puzzle, game, found = find("hoppers-red"), naive.rules("hoppers-red"), []
    assert isinstance(game, naive.Pegs)
    for cells in arrangements(puzzle.holes):
        state = puzzle.pack(tuple(".or".index(cell) for cell in cells))
        pegs = [hole for hole in range(puzzle.holes) if cells[hole] != "."]
        texts = [(-1, cells), *((hole, game.canonical(cells, hole)) for hole in pegs)]
        found.append((cells, [(active, text, Position(state, active)) for active, text in texts]))
    return found


@cache
def naive_steps(text: str) -> list[naive.Step]:
    """Return the steps from a position of `hoppers-red`, which are those for every goal."""
    return naive.rules("hoppers-red").steps(text)


@cache
def naive_moves(goal: str) -> dict[str, int]:
    """Return the fewest moves of every position of `hoppers-red`, or INFINITY, by its text."""
    game = naive.rules("hoppers-red")

    @cache
    def fewest(text: str) -> int:
        if game.solved(text, goal):
            return 0
        return min((cost + fewest(after) for *_, after, cost in naive_steps(text)), default=INFINITY)

    return {text: min(fewest(text), INFINITY) for _, actives in positions() for _, text, _ in actives}


def test_there_are_thirteen_times_4096_arrangements() -> None:
    assert len({cells for cells, _ in positions()}) == 13 * 4096 == 53_248


def test_table_and_bounds_match_the_naive_values() -> None:
    """One test of all goals, because the naive steps take seconds in each process of the tests.

    Every value of every goal is counted. For any hole each of them is compared, for one hole every seventh.
    """
    puzzle = find("hoppers-red")
    for goal in GOALS:
        source, expected = puzzle.source(puzzle.parse_goal(goal)), naive_moves(goal)
        compared = positions() if goal == "any" else positions()[::7]
        for _, actives in compared:
            for _, text, position in actives:
                moves = expected[text]
                assert source.moves_left(position) == (DEAD if moves == INFINITY else moves), (goal, text)
        solvable = [expected[cells] for cells, _ in positions() if expected[cells] < INFINITY]
        assert source.distribution() == [solvable.count(moves) for moves in range(max(solvable) + 1)]
        for bound in (corner_bound, merson_bound):
            assert_admissible(goal, bound, compared)


def test_solvable_arrangements_up_to_symmetry() -> None:
    """An independent program found 2,492 of 7,078, without the four that are solved."""
    puzzle, expected = find("hoppers-red"), naive_moves("any")
    images = puzzle.board.symmetries
    least = {
        min("".join(cells[image[hole]] for hole in range(13)) for image in images): expected[cells] < INFINITY
        for cells, _ in positions()
    }
    assert (sum(least.values()) - 4, len(least) - 4) == (2492, 7078)


def assert_admissible(goal: str, bound: Kernel, compared: list[Arrangement]) -> None:
    puzzle, expected = find("hoppers-red"), naive_moves(goal)
    code, tables, tight = puzzle.parse_goal(goal), puzzle.rules.tables, 0
    for _, actives in compared:
        for active, text, position in actives:
            least = bound(np.uint64(position.state), active, code, tables)
            assert least <= expected[text], text
            tight += least == expected[text]
    assert tight > 1000 or goal != "any"


def test_bounds_are_those_of_the_holes_and_the_red_peg() -> None:
    """Resting pegs in corners and the resting red peg are counted; Merson regions add nothing here."""
    puzzle = find("hoppers-red")
    for cells, actives in positions()[::7]:
        for active, _, position in actives:
            counted = [h for h in {0, 2, 10, 12, cells.index("r")} if cells[h] != "." and h != active]
            least = 0 if cells.count(".") == 12 else len(counted)
            state, tables = np.uint64(position.state), puzzle.rules.tables
            assert corner_bound(state, active, 0, tables) == merson_bound(state, active, 0, tables) == least
            for marks in (corner_marks, merson_marks):
                marked = sorted(hole for _, holes in marks(puzzle, position, 0) for hole in holes)
                assert marked == (sorted(counted) if least else [])


def test_every_step_is_that_of_the_naive_rules() -> None:
    puzzle, game = find("hoppers-red"), naive.rules("hoppers-red")
    for _, actives in positions()[::23]:
        for active, text, position in actives:
            canonical = puzzle.canonical(position)
            assert puzzle.format(canonical) == text and puzzle.parse(text) == canonical
            steps = [(s.origin, s.target, puzzle.format(s.after), s.cost) for s in puzzle.steps(position)]
            assert sorted(steps) == sorted(game.steps(text))
            costs = [cost for *_, cost in steps]
            counted = count_steps(np.uint64(position.state), active, puzzle.rules.tables)
            assert counted == (costs.count(1), costs.count(0))


@pytest.mark.parametrize("goal", ["any", "4", "0"])
def test_positions_of_a_dead_class_are_dead(goal: str) -> None:
    """The 13 holes have no position classes, so this is tested on a triangle."""
    puzzle, rng, dead = find("triangle-15-red"), random.Random(goal), 0
    code = puzzle.parse_goal(goal)
    for _ in range(3000):
        cells = rng.choices(".o", k=15)
        cells[rng.randrange(15)] = "r"
        position = puzzle.parse("".join(cells))
        if (reason := puzzle.rules.obstruction(position, code)) is not None:
            assert puzzle.source(code).moves_left(position) == DEAD
            assert reason == "class" and puzzle.rules.dead_reason(position, code)
            dead += 1
    assert dead > 500


@pytest.mark.parametrize("puzzle_id", RED_BOARDS)
def test_every_method_proves_the_table_right(puzzle_id: str) -> None:
    puzzle, rng = find(puzzle_id), random.Random(puzzle_id)
    for goal in (-1, -1, -1, 6, 3):
        position = late_position(puzzle, rng)
        left = puzzle.source(goal).moves_left(position)
        for name in puzzle.solving.methods:
            question = Question(puzzle, goal, position, find_all=True)
            *limits, end = [e for e in puzzle.method(name).search(question) if not isinstance(e, Progress)]
            assert all(isinstance(event, Exhausted) for event in limits)
            if left == DEAD:
                assert isinstance(end, Unsolvable)
            else:
                assert isinstance(end, Solved) and end.limit == left
                graph = finished_graph(puzzle, puzzle.source(goal), goal, position)
                assert end.count == graph.count(0)


def late_position(puzzle: Puzzle, rng: random.Random) -> Position:
    position = puzzle.parse(puzzle.start)
    for _ in range(puzzle.holes // 3):
        position = rng.choice(puzzle.steps(position)).after
    return position


@pytest.mark.parametrize("puzzle_id", RED_BOARDS)
def test_listed_problems_can_be_solved_and_differ(puzzle_id: str) -> None:
    puzzle = find(puzzle_id)
    images = puzzle.board.symmetries
    kinds, moves = set(), []
    for problem in puzzle.gallery.problems:
        gap, red = problem.start.index("."), problem.start.index("r")
        assert sorted(problem.start) == sorted("." + "r" + "o" * (puzzle.holes - 2))
        kinds.add(min((image[gap], image[red]) for image in images))
        moves.append(puzzle.source(puzzle.parse_goal(problem.goal)).moves_left(puzzle.parse(problem.start)))
    assert len(kinds) == len(puzzle.gallery.problems) == 6
    assert min(moves) > 6 and len({*moves}) > 1


def test_centre_vacancy_needs_a_red_corner() -> None:
    puzzle = find("hoppers-red")
    source = puzzle.source(puzzle.parse_goal("any"))
    starts = {
        red: "".join("r" if h == red else "." if h == 6 else "o" for h in range(13)) for red in range(13)
    }
    lefts = {red: source.moves_left(puzzle.parse(text)) for red, text in starts.items() if red != 6}
    assert {red for red, left in lefts.items() if left != DEAD} == {0, 2, 10, 12}
    assert puzzle.start == starts[0] == "rooooo.oooooo" and lefts[0] == 7


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("oooooo.oooooo", "the red peg, r, is missing"),
        (".............", "the red peg, r, is missing"),
        ("rooooo.ooooor", "it has 2 red pegs, r, instead of one"),
        ("rooooo.ooooox", "is not allowed; use only . o r"),
        ("rooooo.ooooo", "has 13 holes"),
        ("rooooo.oooooo:6", "hole 6 in"),
    ],
)
def test_texts_without_one_red_peg_are_refused(text: str, why: str) -> None:
    with pytest.raises(PuzzleError, match=why) as caught:
        find("hoppers-red").parse(text)
    assert caught.value.code == "invalid_position"


def test_red_peg_is_read_in_upper_case() -> None:
    puzzle = find("hoppers-red")
    assert puzzle.parse("Rooooo.oooooo") == puzzle.parse("rooooo.oooooo")


def test_active_red_peg_is_in_the_text() -> None:
    puzzle = find("hoppers-red")
    position = puzzle.parse("r..o.......oo")
    step = puzzle.step(position, 0, 6)
    assert puzzle.format(step.after) == "......r....oo"
    position = puzzle.parse("r..o....oo...")
    step = puzzle.step(position, 0, 6)
    assert puzzle.format(step.after) == "......r.oo...:6" and step.cost == 1
    assert puzzle.step(step.after, 6, 12).cost == 0


def test_other_boards_know_no_red_peg() -> None:
    with pytest.raises(PuzzleError):
        find("hoppers").parse("rooooo.oooooo")


def test_symmetry_keeps_the_red_peg() -> None:
    puzzle = find("hoppers-red")
    goal = puzzle.parse_goal("any")
    start = puzzle.parse(puzzle.start)
    assert len(puzzle.symmetries(start, goal)) == 2  # of eight: the red peg is in a corner
    forms = {
        canonical_form(
            puzzle,
            goal,
            puzzle.parse("".join("r" if h == red else "." if h == 6 else "o" for h in range(13))),
        )[0]
        for red in (0, 2, 10, 12, 3)
    }
    assert len(forms) == 2
    graph = finished_graph(puzzle, puzzle.source(goal), goal, start)
    assert (graph.count(0), SolutionList(graph, puzzle.symmetries(start, goal)).count()) == (20, 10)


def test_useful_jumps_keep_the_rules_of_the_red_peg() -> None:
    """`classes` leaves out both entries of a jump, and the others stay what they are."""
    puzzle = find("triangle-21-red")
    start = puzzle.parse("o" * 6 + "." + "o" * 5 + "r" + "o" * 8)
    tables = useful_tables(Question(puzzle, 6, start))
    every = jump_tables(puzzle.board.jumps, 21, has_red=True)
    rows = {
        tuple(row)
        for row in zip(*(getattr(every, f).tolist() for f in ("masks", "pegs", "flips")), strict=True)
    }
    kept = {
        tuple(row)
        for row in zip(*(getattr(tables, f).tolist() for f in ("masks", "pegs", "flips")), strict=True)
    }
    assert kept < rows and len(kept) % 2 == 0
