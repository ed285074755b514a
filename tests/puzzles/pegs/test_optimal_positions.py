"""All positions on shortest solutions: the bidirectional search against tables, closures and the atlas."""

import inspect
import random
from typing import Any, NoReturn

import numpy as np
import pytest

from hoppers import puzzles
from hoppers.analysis.atlas_results import known_result
from hoppers.core.events import Event, Exhausted, Progress, Solved
from hoppers.core.model import DEAD, GivenUp, Position, steps_of
from hoppers.core.puzzle import Puzzle, Question
from hoppers.puzzles.pegs.background_proofs import LIMITS
from hoppers.puzzles.pegs.bidirectional import search
from hoppers.puzzles.pegs.bidirectional.kernels import Level
from hoppers.puzzles.pegs.bidirectional.search import (
    BidirectionalSearch,
    estimated_progress,
    optimal_positions,
)
from hoppers.puzzles.pegs.peg_board import PegBoard
from hoppers.puzzles.pegs.source import LargeBoardSource
from hoppers.puzzles.pegs.tables.closure import build_closure
from hoppers.runtime.builder import finish
from hoppers.runtime.memory_budget import BudgetExceeded, Lease, MemoryBudget
from hoppers.search.slicing import Pausable
from hoppers.tablebase.atlas_data import vacated
from hoppers.tablebase.engine import Engine
from hoppers.tablebase.solutions import (
    SolutionGraph,
    SolutionGraphs,
    SolutionList,
    finished_graph,
    solution_graph,
)
from tests.puzzles.pegs.positions import solvable_board
from tests.support.engine import find


def searched_graph(puzzle: Puzzle, goal: int, position: Position) -> SolutionGraph:
    """Return the graph of the shortest solutions that the search finds."""
    moves_left = finish(optimal_positions(Question(puzzle, goal, position)))
    graph = finish(solution_graph(puzzle, goal, position, moves_left))
    return graph


def assert_equal(one: SolutionGraph, other: SolutionGraph) -> None:
    for array, its_twin in zip(one, other, strict=True):
        np.testing.assert_array_equal(array, its_twin)


@pytest.mark.parametrize("puzzle_id", ["hoppers", "diamond-13", "triangle-15", "triangle-21"])
def test_solutions_are_those_of_the_complete_table(puzzle_id: str) -> None:
    puzzle, rng, solved = find(puzzle_id), random.Random(3), 0
    for number in range(40):
        state = solvable_board(puzzle, rng.randrange(3, 2 * puzzle.holes // 3), rng)
        goal = rng.randrange(puzzle.holes) if number % 2 else -1
        pegs = [hole for hole in range(puzzle.holes) if state >> hole & 1]
        position = puzzle.canonical(Position(state, rng.choice([-1, *pegs])))
        if puzzle.source(goal).moves_left(position) > 0:
            expected = finished_graph(puzzle, puzzle.source(goal), goal, position)
            assert_equal(searched_graph(puzzle, goal, position), expected)
            solved += 1
    assert solved >= 10


@pytest.mark.parametrize("puzzle_id", ["hoppers", "triangle-15", "triangle-21"])
def test_solutions_from_the_start_are_those_of_the_complete_table(puzzle_id: str) -> None:
    puzzle = find(puzzle_id)
    for goal in (puzzle.parse_goal(None), -1):
        start = puzzle.parse(puzzle.start)
        expected = finished_graph(puzzle, puzzle.source(goal), goal, start)
        assert_equal(searched_graph(puzzle, goal, start), expected)
        assert expected.count(0) > 2


@pytest.mark.parametrize("puzzle_id", ["french-37", "diamond-41"])
def test_solutions_on_large_boards_are_those_of_closures(puzzle_id: str) -> None:
    puzzle, rng = find(puzzle_id), random.Random(8)
    board = PegBoard(puzzle.board)
    for pegs, goal in [(9, -1), (12, -1), (14, -1)]:
        position = puzzle.canonical(Position(solvable_board(puzzle, pegs, rng)))
        closure = finish(build_closure([position.state], goal, board.shifts, 1_000_000))
        assert closure is not None
        expected = finish(solution_graph(puzzle, goal, position, closure.moves_left))
        assert expected is not None and expected.count(0) > 0
        assert_equal(searched_graph(puzzle, goal, position), expected)


def test_levels_are_freed_before_their_memory_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    runs, released, release = list[BidirectionalSearch](), list[bool](), Lease.release

    def opened(*arguments: Any) -> BidirectionalSearch:
        runs.append(BidirectionalSearch(*arguments))
        return runs[-1]

    def record(lease: Lease) -> None:
        released.append(bool(runs[0].levels.forward or runs[0].levels.backward))
        release(lease)

    monkeypatch.setattr(search, "BidirectionalSearch", opened)
    puzzle = find("english-33")
    steps = optimal_positions(Question(puzzle, 16, puzzle.parse(puzzle.start)))
    next(steps)
    monkeypatch.setattr(Lease, "release", record)
    moves_left = finish(steps)
    assert moves_left(puzzle.parse(puzzle.start)) == 18
    assert released and not any(released)
    kept = inspect.getclosurevars(moves_left).nonlocals["problem"]
    assert not kept.forward and not kept.backward


def test_progress_rises_with_the_nodes_of_the_search() -> None:
    puzzle = find("english-33")
    assert puzzle.engine.bounds.of(puzzle, 16, vacated(puzzle, 16)).most == 18
    progress = [*optimal_positions(Question(puzzle, 16, vacated(puzzle, 16)))]
    assert progress == sorted(progress) and 0.9 < progress[-1] <= 1
    assert sum(0.1 < done < 0.4 for done in progress) > 5 and sum(0.4 < done < 0.7 for done in progress) > 5


def test_search_without_a_known_solution_has_no_estimate() -> None:
    events: list[Event] = [Exhausted(3, 100, 0, 0.1), Progress(4, 500, 0.1), Exhausted(4, 600, 0, 0.2)]
    assert [*estimated_progress(iter(events), None)] == [0, 0, 0]


def test_central_game_has_as_many_solutions_as_in_the_atlas() -> None:
    puzzle = find("english-33")
    start, known = vacated(puzzle, 16), known_result(puzzle, puzzle.start, "16")
    graph = searched_graph(puzzle, 16, start)
    unique = SolutionList(graph, puzzle.symmetries(start, 16)).count()
    assert known is not None and (graph.count(0), unique) == (known.count, known.unique) == (7_488, 936)


def test_no_position_is_on_a_solution_of_an_unsolvable_one() -> None:
    puzzle = find("triangle-15")
    position = puzzle.parse("o............oo")
    moves_left = finish(optimal_positions(Question(puzzle, 4, position)))
    assert moves_left(position) == DEAD


def search_all(puzzle: Puzzle, goal: int, position: Position) -> Solved:
    """Return the last event of a search that counts all shortest solutions."""
    *_, end = puzzle.method("bidirectional").search(Question(puzzle, goal, position, find_all=True))
    assert isinstance(end, Solved)
    return end


def test_search_counts_solutions_without_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def build(source: LargeBoardSource, position: Position) -> NoReturn:
        raise AssertionError("a table is built or a search is repeated")

    monkeypatch.setattr(LargeBoardSource, "build_solution_lookup", build)
    engine = Engine(puzzles.PUZZLES)
    puzzle = engine.find("english-33")
    end = search_all(puzzle, 22, vacated(puzzle, 3))
    assert (end.limit, end.count) == (15, 398)
    graph = engine.resource(SolutionGraphs).find(puzzle, 22, vacated(puzzle, 3))
    assert graph is not None and graph.count(graph.root) == 398


def test_solution_is_reported_if_memory_lasts_for_it_only(monkeypatch: pytest.MonkeyPatch) -> None:
    advance = BidirectionalSearch._advance

    def advance_until_met(run: BidirectionalSearch, *arguments: Any) -> Pausable[Level]:
        if run.meetings:
            raise BudgetExceeded
        return (yield from advance(run, *arguments))

    monkeypatch.setattr(BidirectionalSearch, "_advance", advance_until_met)
    puzzle = Engine(puzzles.PUZZLES).find("english-33")
    end = search_all(puzzle, 22, vacated(puzzle, 3))
    assert (end.limit, end.count) == (15, None)
    steps = puzzle.replay(vacated(puzzle, 3), steps_of(end.moves))
    assert puzzle.is_solved(steps[-1].after, 22)


def test_abandoned_closure_needs_a_large_build() -> None:
    puzzle = Engine(puzzles.PUZZLES).find("french-37")
    source = LargeBoardSource(puzzle, puzzle.parse_goal(None))
    position = Position((1 << 20) - 1)
    assert not source.needs_large_build(position)
    background = source._background
    background._exceeds.put(background.start_for(position.state), LIMITS.background_boards)
    assert source.needs_large_build(position)


def test_search_for_all_solutions_is_given_up_without_memory() -> None:
    engine = Engine(puzzles.PUZZLES)
    puzzle = engine.find("french-37")
    engine.memory = MemoryBudget(10_000_000)
    start, goal = puzzle.parse(puzzle.start), puzzle.parse_goal(None)
    assert start.state.bit_count() > LIMITS.background_share * puzzle.holes
    assert puzzle.source(goal).needs_large_build(start)
    with pytest.raises(GivenUp, match="memory"):
        finish(puzzle.source(goal).build_solution_lookup(start))
    assert engine.memory.left == engine.memory.size


def test_a_search_lists_what_no_closure_can_hold() -> None:
    """The position is the start of the board after six jumps of the solution in the atlas."""
    engine = Engine(puzzles.PUZZLES)
    puzzle = engine.find("french-37")
    goal, position = puzzle.parse_goal(None), puzzle.parse(puzzle.start)
    known = known_result(puzzle, puzzle.start, puzzle.goal)
    assert known is not None and known.moves is not None
    line = puzzle.engine.bounds.line(puzzle, goal, position)
    position = puzzle.canonical(line[5].after)
    source = puzzle.source(goal)
    assert source.solution_lookup(position) is None and position.state.bit_count() == 30
    moves_left = finish(source.build_solution_lookup(position))
    assert moves_left(position) == known.moves - sum(step.cost for step in line[:6])


@pytest.mark.parametrize("forward_cost", [0.1, 20.0])
def test_solutions_do_not_depend_on_the_share_of_each_direction(
    monkeypatch: pytest.MonkeyPatch, forward_cost: float
) -> None:
    monkeypatch.setattr(search, "TUNING", search.TUNING._replace(forward_cost=forward_cost))
    puzzle = find("english-33")
    assert searched_graph(puzzle, 22, vacated(puzzle, 3)).count(0) == 398
