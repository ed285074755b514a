"""The search that is watched enters what the compiled one enters, in the same numbers at every limit."""

from collections import Counter
from collections.abc import Iterator

import pytest

from hoppers.core.events import Exhausted, Solved, Unsolvable, Visit
from hoppers.core.puzzle import Puzzle, Question
from hoppers.search.trace import first_limit
from tests.engine import PUZZLES, find

CASES = [
    ("hoppers", "oooooo.oooooo", None, 4),
    ("hoppers", "o..ooo.oo.ooo:0", None, 5),
    ("hoppers", ".oooooooooooo", "0", 5),
    ("triangle-15", "oo.oo..o.o.....", "any", 9),
    ("eight-puzzle", "123406758", None, 8),
    ("eight-puzzle", "867254301", None, 9),
    ("flip-it-6", "bb_bbb", "any", 5),
    ("flip-it-6-slide", "bb_bbb", "any", 4),
]


def methods(puzzle: Puzzle) -> list[str]:
    return [name for name, method in puzzle.solving.methods.items() if method.trace is not None]


def watched(question: Question, name: str, limit: int, nodes: int = 0) -> list[Visit]:
    trace = question.puzzle.solving.methods[name].trace
    assert trace is not None
    return list(trace(question, limit, nodes))


def limits(question: Question, name: str, most: int) -> Iterator[Exhausted | Solved]:
    for event in question.puzzle.solving.methods[name].search(question):
        if isinstance(event, Unsolvable) or getattr(event, "limit", 0) > most:
            return
        if isinstance(event, Exhausted | Solved):
            yield event


def ask(id: str, start: str | None = None, goal: str | None = None, find_all: bool = False) -> Question:
    puzzle = find(id)
    return Question(puzzle, puzzle.parse_goal(goal), puzzle.parse(start or puzzle.start), find_all)


def test_every_plain_search_can_be_watched() -> None:
    assert [puzzle.id for puzzle in PUZZLES.values() if "deepening" not in methods(puzzle)] == []


@pytest.mark.parametrize("find_all", [False, True])
@pytest.mark.parametrize(("id", "start", "goal", "most"), CASES)
def test_the_same_nodes_and_cuts(id: str, start: str, goal: str | None, most: int, find_all: bool) -> None:
    question = ask(id, start, goal, find_all)
    for name in methods(question.puzzle):
        for event in limits(question, name, most):
            visits = watched(question, name, event.limit)
            kinds = Counter(visit.kind for visit in visits if visit.depth > 0 or visit.entered)
            assert sum(visit.entered for visit in visits) == event.nodes, name
            if isinstance(event, Exhausted):
                assert kinds["limit"] + kinds["bound"] + kinds["seen"] == event.cut, name
            else:
                assert kinds["solved"] == (event.count or 1)


@pytest.mark.parametrize(
    ("id", "name", "limit"),
    [
        ("hoppers", "deepening", 3),
        ("hoppers", "memory", 5),
        ("triangle-21", "classes", 8),
        ("eight-puzzle", "manhattan", 24),
    ],
)
def test_what_begins_in_the_middle_goes_on_as_from_the_beginning(id: str, name: str, limit: int) -> None:
    question = ask(id)
    whole = watched(question, name, limit)
    nodes = [place for place, visit in enumerate(whole) if visit.entered]
    for begin in (1, 2, len(nodes) // 2, len(nodes)):
        rest = watched(question, name, limit, begin)
        line = [visit for visit in rest if visit.kind == "line"]
        went_on = [visit for visit in rest[len(line) :] if visit.kind != "fatal"]
        behind = whole[nodes[begin - 1] + 1 :]
        assert went_on == [visit for visit in behind if visit.kind != "fatal"]
        assert [visit.depth for visit in line] == list(range(len(line)))


def test_a_line_goes_down_one_by_one_and_is_left_the_same_way() -> None:
    depth = 0
    for visit in watched(ask("hoppers"), "deepening", 3):
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


@pytest.mark.parametrize(
    ("id", "name", "limit"),
    [
        ("hoppers", "corners", 5),
        ("triangle-15", "merson", 6),
        ("eight-puzzle", "manhattan", 24),
        ("eight-puzzle", "linear-conflict", 24),
        ("eight-puzzle", "walking-distance", 24),
        ("fifteen-puzzle", "linear-conflict", 39),
        ("fifteen-puzzle", "walking-distance", 39),
    ],
)
def test_the_marks_of_a_cut_add_up_to_its_bound(id: str, name: str, limit: int) -> None:
    cuts = [visit for visit in watched(ask(id), name, limit) if visit.kind == "bound"]
    assert cuts
    for visit in cuts:
        assert sum(number for number, _ in visit.marks) == visit.bound
        holes = [hole for _, group in visit.marks for hole in group]
        assert len(holes) == len(set(holes)) or name in OVERLAPPING


OVERLAPPING = ("linear-conflict", "walking-distance")
"""Bounds in which a tile may count more than once: it is out of place, and in the way of another."""


def test_the_marks_of_a_conflict_are_the_tiles_in_each_others_way() -> None:
    """By hand: of 3, 2 and 1 in the first row two have to step aside, and one of 7 and 4 in the first column.

    Distances: 2 each of 3 and 1, and 1 each of 7 and 4.
    """
    puzzle = find("eight-puzzle")
    marks = puzzle.solving.methods["linear-conflict"]
    assert marks.trace is not None
    question = ask("eight-puzzle", "321756480")
    (visit,) = [v for v in marks.trace(question, 1, 0) if v.kind == "bound"]
    assert visit.marks == ((2, (0,)), (2, (2,)), (1, (3,)), (1, (6,)), (4, (0, 1, 2)), (2, (3, 6)))
    assert visit.bound == 12


def test_the_marks_of_a_walk_are_the_tiles_outside_their_lines() -> None:
    """By hand: 4 goes down, 1 and 2 to the left, 3 and 6 up, and all are in order."""
    walking = find("eight-puzzle").solving.methods["walking-distance"]
    assert walking.trace is not None
    (visit,) = [v for v in walking.trace(ask("eight-puzzle", "412053786"), 1, 0) if v.kind == "bound"]
    assert visit.marks == ((3, (0, 5, 8)), (2, (1, 2)))


def test_fatal_captures_are_told_and_left_out() -> None:
    visits = watched(ask("triangle-21"), "classes", 8)
    fatal = [visit for visit in visits if visit.kind == "fatal"]
    classes = {visit.marks for visit in fatal}
    assert len(classes) == 1 and len(next(iter(classes))[0][1]) == 6
    board = find("triangle-21").board
    over = {(a, c): b for a, b, c in board.jumps}
    assert {over[visit.origin, visit.target] for visit in fatal} <= set(next(iter(classes))[0][1])


@pytest.mark.parametrize(
    ("id", "start", "goal", "reason"),
    [
        ("english-33", "oooooooooooooooo.oooooooooooooooo", "0", "class"),
        ("eight-puzzle", "123456870", None, "parity"),
        ("diamond-41", ".ooooooooooooooooooooooooooooooooooooooo.", "any", "class"),
        ("diamond-41", "oooooo.oooooooooooooooooooooooooooooooooo", "12", "pagoda"),
    ],
)
def test_a_proof_without_a_search_is_shown(id: str, start: str, goal: str | None, reason: str) -> None:
    question = ask(id, start, goal)
    (visit,) = watched(question, "deepening", first_limit(question))
    assert visit.kind == reason
    puzzle = question.puzzle
    if reason == "class":
        ((_, holes),) = visit.marks
        for a, b, c in puzzle.board.jumps:
            assert len({a, b, c} & set(holes)) % 2 == 0
        assert all(
            sum(start[hole] == "o" for hole in holes) % 2 != (end in holes)
            for end in [question.goal]
            if end >= 0
        )
    if reason == "pagoda":
        weights = {hole: number for number, (hole,) in visit.marks}
        for a, b, c in puzzle.board.jumps:
            assert weights.get(a, 0) + weights.get(b, 0) >= weights.get(c, 0)
        assert sum(weights.get(hole, 0) for hole in range(41) if start[hole] == "o") < weights[question.goal]
