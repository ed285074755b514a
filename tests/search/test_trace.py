"""Search traces: they visit the nodes of the compiled search, and their marks explain each bound."""

from collections import Counter

import pytest

from hoppers.core.events import Exhausted, Visit
from hoppers.core.puzzle import Puzzle, Question
from tests.support.engine import PUZZLES, find
from tests.support.questions import limits, make_question

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
    """Return the depth-first methods that can be traced; of the others see `test_breadth_trace`."""
    traced = [name for name, method in puzzle.solving.methods.items() if method.trace is not None]
    return [name for name in traced if name not in ("breadth-first", "bidirectional")]


def trace_of(question: Question, name: str, limit: int, nodes: int = 0) -> list[Visit]:
    trace = question.puzzle.solving.methods[name].trace
    assert trace is not None
    return list(trace(question, limit, nodes))


def test_every_plain_search_has_a_trace() -> None:
    assert [puzzle.id for puzzle in PUZZLES.values() if "deepening" not in methods(puzzle)] == []


@pytest.mark.parametrize("find_all", [False, True])
@pytest.mark.parametrize(("id", "start", "goal", "most"), CASES)
def test_trace_counts_the_nodes_of_the_compiled_search(
    id: str, start: str, goal: str | None, most: int, find_all: bool
) -> None:
    question = make_question(id, start, goal, find_all)
    for name in methods(question.puzzle):
        for event in limits(question, name, most):
            visits = trace_of(question, name, event.limit)
            kinds = Counter(visit.kind for visit in visits if visit.depth > 0 or visit.is_node)
            assert sum(visit.is_node for visit in visits) == event.nodes, name
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
def test_trace_from_the_middle_continues_the_full_trace(id: str, name: str, limit: int) -> None:
    question = make_question(id)
    whole = trace_of(question, name, limit)
    nodes = [place for place, visit in enumerate(whole) if visit.is_node]
    for begin in (1, 2, len(nodes) // 2, len(nodes)):
        rest = trace_of(question, name, limit, begin)
        line = [visit for visit in rest if visit.kind == "line"]
        continued = [visit for visit in rest[len(line) :] if visit.kind != "fatal"]
        behind = whole[nodes[begin - 1] + 1 :]
        assert continued == [visit for visit in behind if visit.kind != "fatal"]
        assert [visit.depth for visit in line] == list(range(len(line)))


def test_depth_changes_by_one_per_visit() -> None:
    depth = 0
    for visit in trace_of(make_question("hoppers"), "deepening", 3):
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
        ("english-33", "regions", 13),
        ("eight-puzzle", "manhattan", 24),
        ("eight-puzzle", "linear-conflict", 24),
        ("eight-puzzle", "walking-distance", 24),
        ("fifteen-puzzle", "linear-conflict", 39),
        ("fifteen-puzzle", "walking-distance", 39),
    ],
)
def test_marks_add_up_to_the_bound(id: str, name: str, limit: int) -> None:
    cuts = [visit for visit in trace_of(make_question(id), name, limit) if visit.kind == "bound"]
    assert cuts
    for visit in cuts:
        assert sum(number for number, _ in visit.marks) == visit.bound
        holes = [hole for _, group in visit.marks for hole in group]
        assert len(holes) == len(set(holes)) or name in OVERLAPPING


OVERLAPPING = ("linear-conflict", "walking-distance")
"""Bounds in which a tile may count twice: it is not home, and it blocks another tile."""


def test_conflict_marks_name_the_blocking_tiles() -> None:
    """Calculated by hand: two of 3, 2 and 1 must leave the first row, and one of 7 and 4 the first column.

    Distances: 2 each for tiles 3 and 1, and 1 each for 7 and 4.
    """
    puzzle = find("eight-puzzle")
    marks = puzzle.solving.methods["linear-conflict"]
    assert marks.trace is not None
    question = make_question("eight-puzzle", "321756480")
    (visit,) = [v for v in marks.trace(question, 1, 0) if v.kind == "bound"]
    assert visit.marks == ((2, (0,)), (2, (2,)), (1, (3,)), (1, (6,)), (4, (0, 1, 2)), (2, (3, 6)))
    assert visit.bound == 12


def test_walking_marks_name_tiles_outside_their_lines() -> None:
    """Calculated by hand: tile 4 moves down, 1 and 2 move left, 3 and 6 move up, and none conflict."""
    walking = find("eight-puzzle").solving.methods["walking-distance"]
    assert walking.trace is not None
    (visit,) = [
        v for v in walking.trace(make_question("eight-puzzle", "412053786"), 1, 0) if v.kind == "bound"
    ]
    assert visit.marks == ((3, (0, 5, 8)), (2, (1, 2)))


def test_fatal_captures_are_reported_and_skipped() -> None:
    visits = trace_of(make_question("triangle-21"), "classes", 8)
    fatal = [visit for visit in visits if visit.kind == "fatal"]
    classes = {visit.marks for visit in fatal}
    assert len(classes) == 1 and len(next(iter(classes))[0][1]) == 6
    board = find("triangle-21").board
    over = {(a, c): b for a, b, c in board.jumps}
    captured = {over[visit.step[:2]] for visit in fatal if visit.step}
    assert captured and captured <= set(next(iter(classes))[0][1])


@pytest.mark.parametrize(
    ("id", "start", "goal", "reason"),
    [
        ("english-33", "oooooooooooooooo.oooooooooooooooo", "0", "class"),
        ("eight-puzzle", "123456870", None, "parity"),
        ("diamond-41", ".ooooooooooooooooooooooooooooooooooooooo.", "any", "class"),
        ("diamond-41", "oooooo.oooooooooooooooooooooooooooooooooo", "12", "pagoda"),
        ("diamond-41", "o.ooooooooooooooooooooooooooooooooooooooo", "21", "pagoda after each jump"),
    ],
)
def test_proofs_without_a_search_are_shown(id: str, start: str, goal: str | None, reason: str) -> None:
    question = make_question(id, start, goal)
    (visit,) = trace_of(question, "deepening", question.first_limit)
    assert visit.kind == reason.split()[0]
    if reason == "pagoda after each jump":
        assert visit.marks == ()
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
