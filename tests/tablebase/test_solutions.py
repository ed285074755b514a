"""Solution graphs: counts against an exhaustive twin, builds in the background, and graphs given up."""

import random
from collections.abc import Iterator
from functools import cache

import pytest

from hoppers import puzzles
from hoppers.analysis.known_answers import count_solutions
from hoppers.core.model import GivenUp, Position
from hoppers.core.puzzle import Puzzle, Question
from hoppers.runtime.builder import finish
from hoppers.runtime.memory_budget import MemoryBudget
from hoppers.tablebase import solutions
from hoppers.tablebase.engine import Engine
from hoppers.tablebase.solutions import (
    SolutionGraph,
    SolutionGraphs,
    finished_graph,
    solution_graph,
)
from tests import naive
from tests.support.engine import find


def count_naively(game: naive.Rules, start: str, goal: str) -> tuple[int, int]:
    """Return the fewest moves and the number of shortest solutions of a peg position; (1000, 0) if dead."""

    @cache
    def count(text: str) -> tuple[int, int]:
        if game.solved(text, goal):
            return 0, 1
        ways = [(cost + count(after)[0], count(after)[1]) for _, _, after, cost in game.steps(text)]
        fewest = min((moves for moves, number in ways if number), default=1000)
        return fewest, sum(number for moves, number in ways if moves == fewest)

    return count(start)


def late_positions(puzzle: Puzzle, pegs: int, number: int) -> list[Position]:
    """Return at least `number` positions: solvable ones with `pegs` pegs, each with a random successor."""
    rng = random.Random(pegs)
    found: list[Position] = []
    while len(found) < number:
        state = 1 << rng.randrange(puzzle.holes)
        while state.bit_count() < pegs and (before := list(boards_before(puzzle, state))):
            state = rng.choice(before)
        if state.bit_count() == pegs:
            found += [Position(state), rng.choice(puzzle.steps(Position(state))).after]
    return found


def boards_before(puzzle: Puzzle, state: int) -> Iterator[int]:
    """Yield the boards from which one jump leads to `state`."""
    for origin, over, target in puzzle.board.jumps:
        line = 1 << origin | 1 << over | 1 << target
        if state & line == 1 << target:
            yield state ^ line


@pytest.mark.parametrize(
    ("puzzle_id", "pegs", "goal"),
    [("hoppers", 10, "6"), ("hoppers", 9, "any"), ("triangle-15", 11, "any"), ("english-33", 10, "any")],
)
def test_counts_equal_the_exhaustive_twin(puzzle_id: str, pegs: int, goal: str) -> None:
    puzzle, game, solvable = find(puzzle_id), naive.rules(puzzle_id), 0
    code = puzzle.parse_goal(goal)
    for position in late_positions(puzzle, pegs, 12):
        graph = finished_graph(puzzle, puzzle.source(code), code, position)
        moves, count = count_naively(game, puzzle.format(position), goal)
        assert graph.count(0) == count
        assert graph.moves_left(0) == (moves if count else -1)
        solvable += count > 0
    assert solvable


def new_engine() -> Engine:
    return Engine(puzzles.PUZZLES)


def test_positions_of_a_graph_are_answered_without_a_build(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = new_engine().find("hoppers")
    start = puzzle.parse(puzzle.start)
    graphs = puzzle.engine.resource(SolutionGraphs)
    graph = finish(graphs.build(puzzle, 6, start))
    assert graph is not None and graph.count(graph.root) == 72
    monkeypatch.setattr(solutions, "solution_graph", None)
    for step in puzzle.steps(start):
        found = graphs.find_or_build(puzzle, 6, step.after)
        assert isinstance(found, SolutionGraph) and found.states is graph.states
        assert found.count(found.root) == 18  # one quarter: the four first steps are images
    assert graphs.find(puzzle, 0, start) is None


def test_costly_graph_is_built_in_the_background(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solutions, "LIMITS", solutions.LIMITS._replace(at_once_positions=100))
    engine = new_engine()
    puzzle = engine.find("triangle-15")
    start, graphs = puzzle.parse(puzzle.start), engine.resource(SolutionGraphs)
    state = graphs.find_or_build(puzzle, 0, start)
    assert isinstance(state, float) and 0 <= state <= 1
    assert engine.builder.join(60)
    graph = graphs.find_or_build(puzzle, 0, start)
    assert isinstance(graph, SolutionGraph) and graph.count(graph.root) == 1362


def test_build_ends_that_no_request_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = solutions.LIMITS._replace(at_once_positions=100, unrequested_seconds=0.0)
    monkeypatch.setattr(solutions, "LIMITS", limits)
    engine = new_engine()
    puzzle = engine.find("triangle-15")
    start, graphs = puzzle.parse(puzzle.start), engine.resource(SolutionGraphs)
    assert isinstance(graphs.find_or_build(puzzle, 0, start), float)
    assert engine.builder.join(60)
    assert graphs.find(puzzle, 0, start) is None


def test_too_many_positions_are_given_up_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = new_engine().find("triangle-15")
    start = puzzle.parse(puzzle.start)
    with pytest.raises(GivenUp, match="many"):
        finish(solution_graph(puzzle, 0, start, puzzle.source(0).moves_left, 50))


@pytest.mark.parametrize("puzzle_id", ["french-37", "diamond-41"])
def test_opening_of_a_larger_board_is_given_up_without_memory(puzzle_id: str) -> None:
    engine = new_engine()
    engine.memory = MemoryBudget(10_000_000)
    puzzle = engine.find(puzzle_id)
    start, goal = puzzle.parse(puzzle.start), puzzle.parse_goal(None)
    graphs = engine.resource(SolutionGraphs)
    assert isinstance(graphs.find_or_build(puzzle, goal, start), float)
    engine.builder.join(60)
    assert graphs.find_or_build(puzzle, goal, start) == "large"
    assert finish(count_solutions(Question(puzzle, goal, start, find_all=True), 20)) is None
