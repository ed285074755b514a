"""Published answers and exact node counts; all figures are from the published programs."""

from functools import cache
from typing import NamedTuple

import pytest

from hoppers.analysis import verdicts
from hoppers.analysis.requests import parse_search
from hoppers.core.events import Event, Exhausted, Progress, Solved, Unsolvable
from hoppers.core.puzzle import Question
from hoppers.tablebase.distance_table import DistanceTable
from tests.support.engine import ENGINE, find


class KnownAnswer(NamedTuple):
    puzzle: str
    start: str
    goal: str | None
    first: tuple[int, int] | None
    moves: int | None
    solutions: int | None


def vacated(holes: int, vacancy: int) -> str:
    return "o" * vacancy + "." + "o" * (holes - vacancy - 1)


KNOWN = [
    KnownAnswer("hoppers", vacated(13, 6), "6", (0, 6), 7, 18),
    KnownAnswer("hoppers-red", "rooooo.oooooo", "any", None, 7, 20),
    KnownAnswer("hoppers-red", "rooooo.oooooo", "any", (0, 6), None, 0),
    KnownAnswer("diamond-13", vacated(13, 6), "6", (0, 6), 7, 18),
    KnownAnswer("triangle-15", vacated(15, 0), "0", (3, 0), 10, 681),
    KnownAnswer("triangle-15", vacated(15, 1), "1", (6, 1), 11, 252),
    KnownAnswer("triangle-15", vacated(15, 1), "1", (8, 1), None, 0),
    KnownAnswer("triangle-15", vacated(15, 3), "3", (10, 3), 9, 233),
    KnownAnswer("triangle-15", vacated(15, 3), "3", (12, 3), 10, 496),
    KnownAnswer("triangle-15", vacated(15, 4), "4", (11, 4), None, 0),
    KnownAnswer("triangle-21", vacated(21, 6), "6", (14, 6), 12, 96),
    KnownAnswer("eight-puzzle", "867254301", None, None, 31, 40),
    KnownAnswer("flip-it-6", "bb_bbb", "any", None, 8, 7),
    KnownAnswer("flip-it-7", "b_wbbbb", "any", None, 8, 41),
    KnownAnswer("flip-it-8", "b_wwwbbb", "any", None, 8, 73),
    KnownAnswer("flip-it-6", "bb_bbb", "0", None, 9, None),
    KnownAnswer("flip-it-6-slide", "bb_bbb", "any", None, 6, 32),
    KnownAnswer("flip-it-7-slide", "b_wbbbb", "any", None, 6, 44),
    KnownAnswer("flip-it-8-slide", "b_wwwbbb", "any", None, 6, 18),
]

HOPPERS = ("hoppers", vacated(13, 6), "6", (0, 6))
HOPPERS_RED = (
    "hoppers-red",
    "rooooo.oooooo",
    "any",
    None,
)  # the nodes are our own, limits 1 to 5 those of the naive twin
TRIANGLE_15 = ("triangle-15", vacated(15, 0), "0", (3, 0))
TRIANGLE_21 = ("triangle-21", vacated(21, 6), "6", (14, 6))
EIGHT = ("eight-puzzle", "867254301", None, None)

NODES = [
    (*HOPPERS, "deepening", 2, [18, 110, 638, 3010, 11520, 29554]),
    (*HOPPERS, "corners", 2, [1, 1, 14, 158, 1282, 7634]),  # 9,090 in all
    (*HOPPERS_RED, "deepening", 1, [16, 64, 348, 1854, 7920, 26898, 62042]),
    (*HOPPERS_RED, "corners", 1, [1, 1, 1, 46, 394, 2662, 14502]),
    (*TRIANGLE_15, "deepening", 2, [26, 152, 799, 4482, 21705, 84745, 240850, 452760, 597045]),
    (*TRIANGLE_21, "corners", 7, [9, 141, 3312, 81218, 1824351, 26668899]),
    (*TRIANGLE_21, "classes", 7, [8, 112, 1883, 35968, 698445, 9334722]),
    (*EIGHT, "manhattan", 21, [3, 42, 42, 249, 249, 2067, 2067, 11094, 11094, 50434, 50474]),
    (*EIGHT, "manhattan-tight", 21, [3, 3, 42, 42, 249, 249, 2067, 2067, 11094, 11094, 50474]),
    (*EIGHT, "deepening", 1, [4, 9, 19, 33, 61, 105, 193, 321, 577, 969, 1753]),
]


@cache
def run(
    puzzle_id: str, start: str, goal: str | None, first: tuple[int, int] | None, method: str
) -> list[Event]:
    puzzle = find(puzzle_id)
    position = puzzle.parse(start)
    step = puzzle.step(position, *first) if first else None
    question = Question(puzzle, puzzle.parse_goal(goal), position, True, step)
    return [event for event in puzzle.method(method).search(question) if not isinstance(event, Progress)]


@pytest.mark.parametrize("known", KNOWN, ids=str)
def test_answer_is_the_published_one(known: KnownAnswer) -> None:
    search = parse_search(
        ENGINE, known.puzzle, known.start, known.goal, find_all=True, first_move=known.first
    )
    *limits, end = search.events()
    if known.moves is None:
        assert isinstance(end, Unsolvable)
        return
    assert isinstance(end, Solved)
    assert (end.limit, len(end.moves)) == (known.moves, known.moves)
    assert known.solutions in (None, end.count)
    ruled_out = [event.limit for event in limits if isinstance(event, Exhausted)]
    assert ruled_out == ([known.moves - 1] if end.known else list(range(1, known.moves)))


@pytest.mark.parametrize(("puzzle", "start", "goal", "first", "method", "lowest", "nodes"), NODES)
def test_node_counts_are_the_published_ones(
    puzzle: str,
    start: str,
    goal: str | None,
    first: tuple[int, int] | None,
    method: str,
    lowest: int,
    nodes: list[int],
) -> None:
    events = run(puzzle, start, goal, first, method)
    found = {event.limit: event.nodes for event in events if isinstance(event, Exhausted | Solved)}
    assert [found[limit] for limit in range(lowest, lowest + len(nodes))] == nodes


def test_plain_deepening_visits_the_known_number_of_nodes() -> None:
    *_, end = run(*EIGHT, "deepening")
    assert isinstance(end, Solved)
    assert (end.nodes, end.total_nodes, end.count) == (103_318_681, 241_065_904, 40)


def test_manhattan_searches_visit_the_known_number_of_nodes() -> None:
    totals = [run(*EIGHT, method)[-1] for method in ("manhattan", "manhattan-tight")]
    assert [end.total_nodes for end in totals if isinstance(end, Solved)] == [127_815, 77_384]


def test_triangle_15_from_4_to_12_has_a_solution() -> None:
    puzzle = find("triangle-15")
    assert verdicts.verdict_of(puzzle, 12, puzzle.parse(vacated(15, 4))).verdict == verdicts.LIVE


def test_eight_puzzle_has_its_known_distance_distribution() -> None:
    source = find("eight-puzzle").source(0)
    assert isinstance(source, DistanceTable)
    distances = source.distances
    layers = [int((distances == moves).sum()) for moves in range(32)]
    assert layers[:11] == [1, 2, 4, 8, 16, 20, 39, 62, 116, 152, 286]
    assert (layers[30], layers[31], sum(layers)) == (221, 2, 181_440)
