"""Breadth-first search, from the start and from both ends, against a naive twin and exact level sizes."""

import random

import pytest

from hoppers.core.events import Event, Exhausted, Progress, Solved, Stopped, Unsolvable
from hoppers.core.model import steps_of
from hoppers.core.puzzle import Puzzle, Question
from hoppers.puzzles import PUZZLES
from hoppers.runtime.memory_budget import MemoryBudget
from hoppers.tablebase.engine import Engine
from tests import naive
from tests.support.engine import find

HOPPERS = [4, 12, 76, 322, 1120, 1664, 705]
EIGHT = [
    3,
    5,
    10,
    14,
    28,
    42,
    80,
    108,
    202,
    278,
    524,
    726,
    1348,
    1804,
    3283,
    4193,
    7322,
    8596,
    13930,
    14713,
]
EIGHT += [21721, 19827, 25132, 18197, 18978, 9929, 7359, 2081, 878, 126, 2]


def events_of(question: Question, method: str) -> list[Event]:
    events = question.puzzle.method(method).search(question)
    return [event for event in events if not isinstance(event, Progress)]


def question_of(puzzle: Puzzle, start: str = "", goal: str | None = None, find_all: bool = True) -> Question:
    return Question(puzzle, puzzle.parse_goal(goal), puzzle.parse(start or puzzle.start), find_all)


def level_sizes(game: naive.Rules, start: str, goal: str) -> list[int]:
    """Return the number of positions at each distance, up to the first level with a solved one."""
    sizes: list[int] = []
    reached: set[str] = set()
    level = {start}
    while level:
        waiting = list(level)  # with the positions that continue a move
        level = set(waiting)
        reached |= level
        while waiting:
            text = waiting.pop()
            for _, _, after, cost in [] if game.solved(text, goal) else game.steps(text):
                if cost == 0 and after not in reached:
                    reached.add(after)
                    level.add(after)
                    waiting.append(after)
        sizes.append(len(level))
        if any(game.solved(text, goal) for text in level):
            return sizes
        level = {after for text in level for _, _, after, cost in game.steps(text) if cost} - reached
    return sizes


def walked(puzzle: Puzzle, start: str, steps: int) -> str:
    """Return a position some random steps away from one."""
    rng, position = random.Random(steps), puzzle.parse(start)
    for _ in range(steps):
        position = rng.choice(puzzle.steps(position)).after
    return puzzle.format(position)


NEAR = [
    ("hoppers", "oooooo.oooooo", 3),
    ("hoppers", "o.o...ooo..o.:2", 0),
    ("hoppers-red", "rooooo.oooooo", 4),
    ("triangle-15", ".oooooooooooooo", 6),
    ("eight-puzzle", "123456780", 20),
    ("flip-it-6", "bb_bbb", 0),
    ("flip-it-9-slide", "bb_bbbbbb", 2),
]


@pytest.mark.parametrize(("puzzle_id", "start", "steps"), NEAR)
def test_levels_are_those_of_the_naive_twin(puzzle_id: str, start: str, steps: int) -> None:
    puzzle, game = find(puzzle_id), naive.rules(puzzle_id)
    text, goal = walked(puzzle, start, steps), puzzle.gallery.problems[0].goal
    *rows, end = events_of(question_of(puzzle, text), "breadth-first")
    sizes = level_sizes(game, text, goal)
    fewest = naive.fewest_moves(game, text, goal)
    first = question_of(puzzle, text).first_limit
    expected = [*enumerate(sizes)][first : None if fewest is None else fewest]
    assert [(row.limit, row.nodes) for row in rows if isinstance(row, Exhausted)] == expected
    if fewest is None:
        assert isinstance(end, Unsolvable) and end.total_nodes == sum(sizes[first:])
        return
    assert isinstance(end, Solved) and (end.limit, end.nodes) == (fewest, sizes[-1])
    assert end.total_nodes == sum(sizes[first:])
    counted = len(naive.solutions(game, text, goal, fewest)) if puzzle.family == "pegs" else None
    assert end.count == (naive.count_shortest(game, text, goal) if counted is None else counted)


@pytest.mark.parametrize(
    ("puzzle_id", "sizes", "count"), [("hoppers", HOPPERS, 72), ("eight-puzzle", EIGHT, 40)]
)
def test_level_sizes_are_exact(puzzle_id: str, sizes: list[int], count: int) -> None:
    *rows, end = events_of(question_of(find(puzzle_id)), "breadth-first")
    assert isinstance(end, Solved) and end.count == count
    assert [row.nodes for row in rows if isinstance(row, Exhausted)] + [end.nodes] == sizes


@pytest.mark.parametrize(
    ("puzzle_id", "moves", "nodes", "count"),
    [("eight-puzzle", 31, 20218, 40), ("flip-it-8", 8, 628, 73), ("flip-it-8-slide", 6, 452, 18)],
)
def test_both_ends_meet_after_as_many_moves(puzzle_id: str, moves: int, nodes: int, count: int) -> None:
    puzzle = find(puzzle_id)
    *rows, end = events_of(question_of(puzzle), "bidirectional")
    assert [row.limit for row in rows if isinstance(row, Exhausted)] == [*range(1, moves)]
    assert isinstance(end, Solved) and (end.limit, end.total_nodes, end.count) == (moves, nodes, count)
    one = events_of(question_of(puzzle, find_all=False), "bidirectional")[-1]
    assert isinstance(one, Solved) and (one.limit, one.count) == (moves, None)


def test_every_step_of_a_solution_is_legal() -> None:
    for puzzle_id, method in (("eight-puzzle", "bidirectional"), ("triangle-21", "breadth-first")):
        puzzle = find(puzzle_id)
        start = walked(puzzle, puzzle.start, 12)
        end = events_of(question_of(puzzle, start, find_all=False), method)[-1]
        if isinstance(end, Solved):
            steps = puzzle.replay(puzzle.parse(start), steps_of(end.moves))
            assert puzzle.is_solved(steps[-1].after, puzzle.parse_goal(None))
            assert sum(step.cost for step in steps) == end.limit


def test_a_search_without_memory_stops_and_gives_it_back() -> None:
    engine = Engine(PUZZLES)
    engine.memory = MemoryBudget(4_000_000)
    for puzzle_id, method in (("english-33", "breadth-first"), ("fifteen-puzzle", "bidirectional")):
        *rows, end = events_of(question_of(engine.find(puzzle_id)), method)
        limits = [row.limit for row in rows if isinstance(row, Exhausted)]
        assert isinstance(end, Stopped) and (end.reason, end.limit) == ("limit", limits[-1])
        assert all(row.memory <= 1_600_000 for row in rows if isinstance(row, Exhausted) and row.memory)
        assert engine.memory.left == engine.memory.size


def test_a_solution_is_kept_when_only_the_count_lacks_memory() -> None:
    engine = Engine(PUZZLES)
    engine.memory = MemoryBudget(200_000)
    end = events_of(question_of(engine.find("flip-it-8")), "breadth-first")[-1]
    assert isinstance(end, Solved) and (end.limit, end.count) == (8, None)


def test_a_search_goes_on_after_what_was_proved() -> None:
    whole = question_of(find("hoppers"))
    *rows, end = events_of(whole._replace(proved=5), "breadth-first")
    assert [(row.limit, row.nodes) for row in rows if isinstance(row, Exhausted)] == [(6, HOPPERS[5])]
    assert isinstance(end, Solved) and end.total_nodes == sum(HOPPERS[5:])


def test_a_closed_search_gives_its_memory_back() -> None:
    engine = Engine(PUZZLES)
    question = question_of(engine.find("hoppers"))
    events = question.puzzle.method("breadth-first").search(question)
    next(events)
    assert engine.memory.left < engine.memory.size
    getattr(events, "close")()  # noqa: B009 -- a generator, declared as an iterator
    assert engine.memory.left == engine.memory.size
