"""Traces of breadth-first searches: a naive twin finds the same positions in the same order."""

import random
from collections import Counter

import pytest

from hoppers.core.events import Exhausted, Solved, Visit
from hoppers.core.puzzle import Puzzle, Question
from hoppers.search.breadth_first import BreadthFirstSearch
from tests import naive
from tests.support.engine import find
from tests.support.questions import limits, make_question

CASES = [
    ("hoppers", 3),
    ("hoppers-red", 4),
    ("triangle-15", 4),
    ("eight-puzzle", 9),
    ("flip-it-6", 0),
    ("flip-it-9-slide", 2),
]


def walked(puzzle: Puzzle, steps: int) -> str:
    """Return a position some random steps away from the start, or from the goal of tiles."""
    rng = random.Random(steps)
    position = puzzle.parse("123456780" if puzzle.id == "eight-puzzle" else puzzle.start)
    for _ in range(steps):
        position = rng.choice(puzzle.steps(position)).after
    return puzzle.format(position)


def trace_of(question: Question, method: str, limit: int, nodes: int = 0) -> list[Visit]:
    trace = question.puzzle.method(method).trace
    assert trace is not None
    return list(trace(question, limit, nodes))


def found_in(puzzle: Puzzle, visits: list[Visit]) -> list[str]:
    return [puzzle.format(visit.position) for visit in visits if visit.is_node]


def steps_of(puzzle: Puzzle, text: str) -> list[naive.Step]:
    """Return the steps of the naive rules in the order of the program, by the holes of each step."""
    order = [step[:2] for step in puzzle.steps(puzzle.parse(text))]
    found = naive.rules(puzzle.id).steps(text)
    assert sorted(step[:2] for step in found) == sorted(order)
    return sorted(found, key=lambda step: order.index(step[:2]))


def naive_levels(puzzle: Puzzle, start: str, goal: str, moves: int) -> list[list[str]]:
    """Return the positions that need 0, 1, …, `moves` moves, in the order in which a queue finds them.

    Within a level, jumps that continue a move are made after all others, in the order of their number.
    """
    game = naive.rules(puzzle.id)
    jumps = {start: 0}  # of the line by which a position was found
    levels = [[start]]

    def expand(texts: list[str], cost: int) -> None:
        for text in texts:
            for _, _, after, price in [] if game.solved(text, goal) else steps_of(puzzle, text):
                if price == cost and after not in jumps:
                    jumps[after] = jumps[text] + 1
                    levels[-1].append(after)

    for move in range(moves + 1):
        if move:
            levels.append([])
            expand(levels[-2], 1)
        for number in range(40):
            expand([text for text in levels[-1] if jumps[text] == number], 0)
    return levels


@pytest.mark.parametrize(("puzzle_id", "steps"), CASES)
def test_positions_are_found_as_by_the_naive_twin(puzzle_id: str, steps: int) -> None:
    puzzle = find(puzzle_id)
    start, goal = walked(puzzle, steps), puzzle.gallery.problems[0].goal
    question = make_question(puzzle_id, start, find_all=True)
    rows = list(limits(question, "breadth-first", 5))
    levels = naive_levels(puzzle, start, goal, rows[-1].limit)
    game = naive.rules(puzzle_id)
    for row in rows:
        visits = trace_of(question, "breadth-first", row.limit)
        assert found_in(puzzle, visits) == levels[row.limit]
        assert sum(visit.is_node for visit in visits) == row.nodes
        solved = {puzzle.format(visit.position) for visit in visits if visit.kind == "solved"}
        assert solved == {text for text in levels[row.limit] if game.solved(text, goal)}
        assert (visits[-1].kind == "complete") == isinstance(row, Exhausted)


@pytest.mark.parametrize(("puzzle_id", "steps"), CASES)
def test_every_step_of_a_level_is_shown_once(puzzle_id: str, steps: int) -> None:
    """Each step is new or known: of every expanded position, all naive steps of one cost."""
    puzzle = find(puzzle_id)
    question = make_question(puzzle_id, walked(puzzle, steps), find_all=True)
    for row in limits(question, "breadth-first", 4):
        shown: list[Counter[tuple[int, int]]] = []
        expected: list[Counter[tuple[int, int]]] = []
        for visit in trace_of(question, "breadth-first", row.limit):
            if visit.kind in ("take", "extend"):
                cost = row.limit - visit.spent
                steps_there = naive.rules(puzzle_id).steps(puzzle.format(visit.position))
                expected.append(Counter(step[:2] for step in steps_there if step[3] == cost))
                shown.append(Counter())
            elif visit.depth == 2 and visit.step and visit.kind != "path":
                shown[-1][visit.step[:2]] += 1
        assert shown == expected


@pytest.mark.parametrize(
    ("puzzle_id", "method"), [("hoppers", "breadth-first"), ("flip-it-8", "bidirectional")]
)
def test_the_last_level_ends_with_the_solution(puzzle_id: str, method: str) -> None:
    question = make_question(puzzle_id)
    puzzle, goal = question.puzzle, question.puzzle.gallery.problems[0].goal
    last = [*limits(question, method, 20)][-1]
    assert isinstance(last, Solved)
    path = [visit for visit in trace_of(question, method, last.limit) if visit.kind == "path"]
    text = puzzle.start
    for depth, visit in enumerate(path, 1):
        assert visit.depth == depth and visit.step
        (text,) = [step[2] for step in naive.rules(puzzle_id).steps(text) if step[:2] == visit.step[:2]]
        assert puzzle.format(visit.position) == text
    assert naive.rules(puzzle_id).solved(text, goal) and path[-1].spent == last.limit


@pytest.mark.parametrize(("puzzle_id", "steps"), [("flip-it-6", 0), ("eight-puzzle", 30)])
def test_both_ends_grow_the_smaller_level_until_they_meet(puzzle_id: str, steps: int) -> None:
    puzzle, game = find(puzzle_id), naive.rules(puzzle_id)
    start = walked(puzzle, steps)
    goals = ["123456780"] if steps else ["_wwwww", "w_wwww", "ww_www", "www_ww", "wwww_w", "wwwww_"]
    question = make_question(puzzle_id, start, None if steps else "any")
    found = {"forward": {start}, "backward": set(goals)}
    last = {"forward": {start}, "backward": set(goals)}
    for row in limits(question, "bidirectional", 40):
        visits = trace_of(question, "bidirectional", row.limit)
        side = visits[0].kind
        assert len(last[side]) == min(map(len, last.values()))
        after = {step[2] for text in last[side] for step in game.steps(text)}
        last[side] = after - found[side]
        found[side] |= after
        assert Counter(found_in(puzzle, visits)) == Counter(last[side])
        assert len(last[side]) == row.nodes
        met = {puzzle.format(visit.position) for visit in visits if visit.kind == "met"}
        assert met == found["forward"] & found["backward"]
        assert bool(met) == isinstance(row, Solved)


@pytest.mark.parametrize(
    ("puzzle_id", "method", "limit"),
    [
        ("hoppers", "breadth-first", 5),
        ("eight-puzzle", "breadth-first", 12),
        ("eight-puzzle", "bidirectional", 20),
    ],
)
def test_a_trace_from_the_middle_continues_the_whole_one(puzzle_id: str, method: str, limit: int) -> None:
    question = make_question(puzzle_id)
    whole = trace_of(question, method, limit)
    nodes = [place for place, visit in enumerate(whole) if visit.is_node]
    for begin in (1, 2, len(nodes) // 2, len(nodes) - 1):
        rest = trace_of(question, method, limit, begin)
        line = [visit for visit in rest if visit.kind == "line"]
        assert rest[len(line) :] == whole[nodes[begin] :]
        taken = [visit for visit in whole[: nodes[begin]] if visit.kind in ("take", "extend")][-1]
        assert [visit.depth for visit in line] == [0, 1] and line[1].position == taken.position


@pytest.mark.parametrize(
    ("puzzle_id", "start", "goal", "kinds"),
    [
        ("eight-puzzle", "123456870", None, ["parity"]),
        ("eight-puzzle", "123456780", None, []),
        ("hoppers", "oooooo.oooooo", None, []),
    ],
)
def test_no_level_is_shown_without_a_search(
    puzzle_id: str, start: str, goal: str | None, kinds: list[str]
) -> None:
    question = make_question(puzzle_id, start, goal)
    assert [visit.kind for visit in trace_of(question, "breadth-first", 0)] == kinds


def test_a_level_is_made_once_for_all_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(search: BreadthFirstSearch, limit: int) -> None:
        raise AssertionError(f"level {limit} is made again")

    question = make_question("hoppers", "oooooo.oooooo", "7", find_all=False)
    first = trace_of(question, "breadth-first", 3)
    monkeypatch.setattr(BreadthFirstSearch, "run_to", forbidden)
    assert trace_of(question, "breadth-first", 3) == first
    later = trace_of(question, "breadth-first", 3, 4)
    assert [visit for visit in later if visit.is_node] == [visit for visit in first if visit.is_node][4:]
