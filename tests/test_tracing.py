"""The search that is watched enters what the compiled one enters, in the same numbers at every limit."""

from collections import Counter

import pytest

from server.puzzle import Puzzle, Question
from server.puzzles import PUZZLES, find
from server.search.events import Exhausted, Solved, Unsolvable

CASES = [
    ("hoppers", "oooooo.oooooo", None, 4),
    ("hoppers", "o..ooo.oo.ooo:0", None, 5),
    ("triangle-15", "oo.oo..o.o.....", "any", 9),
    ("eight-puzzle", "123406758", None, 8),
    ("eight-puzzle", "867254301", None, 9),
    ("flip-it-6", "bb_bbb", "any", 5),
    ("flip-it-6-slide", "bb_bbb", "any", 4),
]


def methods(puzzle: Puzzle) -> list[str]:
    return [name for name, method in puzzle.methods.items() if method.trace is not None]


def test_every_plain_search_can_be_watched() -> None:
    assert [puzzle.id for puzzle in PUZZLES.values() if "deepening" not in methods(puzzle)] == []


@pytest.mark.parametrize("find_all", [False, True])
@pytest.mark.parametrize(("id", "start", "goal", "most"), CASES)
def test_the_same_nodes_and_cuts(id: str, start: str, goal: str | None, most: int, find_all: bool) -> None:
    puzzle = find(id)
    question = Question(puzzle, puzzle.parse_goal(goal), puzzle.parse(start), find_all)
    for name in methods(puzzle):
        method = puzzle.methods[name]
        assert method.trace is not None
        nodes, cuts, solved = Counter[int](), Counter[int](), Counter[int]()
        for visit in method.trace(question):
            if visit.limit > most:
                break
            nodes[visit.limit] += visit.entered
            was_cut = visit.kind in ("limit", "bound")
            cuts[visit.limit] += was_cut and (visit.depth > 0 or visit.entered)
            solved[visit.limit] += visit.kind == "solved"
        for event in method.search(question):
            if isinstance(event, Unsolvable) or getattr(event, "limit", 0) > most:
                break
            if isinstance(event, Exhausted):
                assert (nodes[event.limit], cuts[event.limit]) == (event.nodes, event.cut), name
            if isinstance(event, Solved):
                assert nodes[event.limit] == event.nodes, name
                assert solved[event.limit] == (event.count or 1)


def test_a_line_goes_down_one_by_one_and_is_left_the_same_way() -> None:
    puzzle = find("hoppers")
    trace = puzzle.methods["deepening"].trace
    assert trace is not None
    depth = 0
    for visit in trace(Question(puzzle, 6, puzzle.parse(puzzle.start))):
        if visit.limit > 3:
            break
        if visit.kind == "enter":
            assert visit.depth in (0, depth + 1)
            depth = visit.depth
        elif visit.kind == "leave":
            assert visit.depth == depth
            depth -= 1
        elif visit.kind != "end":
            assert visit.depth == depth + 1
        if visit.depth == 0:
            depth = max(depth, 0)
