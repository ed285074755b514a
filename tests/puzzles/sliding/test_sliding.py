"""Bounds, tables and searches of sliding tiles, compared with naive searches."""

import itertools
import random

import numpy as np
import pytest

from hoppers import puzzles
from hoppers.analysis import verdicts
from hoppers.core.events import Event, Exhausted, Progress, Solved
from hoppers.core.model import UNKNOWN, Position, steps_of
from hoppers.core.puzzle import Puzzle, Question
from hoppers.puzzles.sliding import pattern_search, pattern_source, rules, tile_table
from hoppers.puzzles.sliding.lower_bounds import (
    bound_tables,
    linear_conflict,
    manhattan,
    walking_distance,
)
from hoppers.puzzles.sliding.pattern_databases import load
from hoppers.puzzles.sliding.pattern_search import pattern_bound
from hoppers.puzzles.sliding.pattern_source import LIMITS, PatternSource
from hoppers.puzzles.sliding.rules import EIGHT_BOARD, FIFTEEN_BOARD, texts_at_distance
from hoppers.tablebase.best_method import learn
from hoppers.tablebase.engine import Engine
from tests import naive
from tests.support.engine import find
from tests.support.sliding_positions import naive_manhattan, near_home, walk

GAME = naive.Sliding(4, 4)
SIZES = pytest.mark.parametrize(
    ("puzzle_id", "width", "height"),
    [("eight-puzzle", 3, 3), ("fifteen-puzzle", 4, 4), ("tiles-2x5", 5, 2), ("tiles-3x4", 4, 3)],
)
BOUNDS = [manhattan, linear_conflict, walking_distance]


@SIZES
def test_no_bound_is_below_manhattan_distance(puzzle_id: str, width: int, height: int) -> None:
    puzzle, game = find(puzzle_id), naive.Sliding(width, height)
    tables = bound_tables(puzzle.board)
    for text in walk(game, 3, 400):
        state, blank = puzzle.parse(text)
        values = [int(bound(np.uint64(state), blank, 0, tables)) for bound in BOUNDS]
        assert values[0] == naive_manhattan(game, text) <= min(values)


@pytest.mark.parametrize(
    ("puzzle_id", "game"), [("fifteen-puzzle", GAME), ("tiles-3x4", naive.Sliding(4, 3))]
)
def test_search_finds_all_distances_near_home(puzzle_id: str, game: naive.Sliding) -> None:
    puzzle = find(puzzle_id)
    distances = near_home(game, 12)
    for text in random.Random(4).sample(sorted(distances), 300):
        position = puzzle.parse(text)
        assert pattern_bound(load(puzzle.board), position.state) <= distances[text]
        assert verdicts.find_verdict(puzzle, 0, position).moves_left == distances[text]


def bidirectional_distance(game: naive.Sliding, text: str, limit: int) -> int:
    """Return the distance from home, at most `limit`, by bidirectional breadth-first search."""
    ends, layers = [{game.home: 0}, {text: 0}], [[game.home], [text]]
    for moves in range(limit + 1):
        if ends[0].keys() & ends[1].keys():
            return min(ends[0][both] + ends[1][both] for both in ends[0].keys() & ends[1].keys())
        side = moves % 2
        layers[side] = [a for t in layers[side] for _, _, a, _ in game.steps(t) if a not in ends[side]]
        layers[side] = list(dict.fromkeys(layers[side]))
        ends[side].update(dict.fromkeys(layers[side], moves // 2 + 1))
    raise AssertionError(f"{text} is further than {limit} moves from home")


@pytest.mark.parametrize("seed", range(6))
def test_search_agrees_with_bidirectional_search(seed: int) -> None:
    puzzle = find("fifteen-puzzle")
    *_, text = walk(GAME, seed, 20)
    assert verdicts.find_verdict(puzzle, 0, puzzle.parse(text)).moves_left == bidirectional_distance(
        GAME, text, 20
    )


def test_search_of_a_rectangle_agrees_with_bidirectional_search() -> None:
    puzzle, game = find("tiles-3x4"), naive.Sliding(4, 3)
    for seed in range(4):
        *_, text = walk(game, seed, 26)
        left = verdicts.find_verdict(puzzle, 0, puzzle.parse(text)).moves_left
        assert left == bidirectional_distance(game, text, 26)


FARTHEST = {
    "eight-puzzle": ("867254301", 31, 40),
    "tiles-2x3": ("450123", 21, 4),
    "tiles-2x5": ("0532194876", 55, 8),
}
METHOD_NODES = [
    ("eight-puzzle", "manhattan", 127_815),
    ("eight-puzzle", "manhattan-tight", 77_384),
    ("eight-puzzle", "linear-conflict", 40_674),
    ("eight-puzzle", "walking-distance", 21_561),
    ("eight-puzzle", "best", 21_561),
    ("tiles-2x3", "manhattan-tight", 2_385),
    ("tiles-2x3", "linear-conflict", 1_790),
    ("tiles-2x3", "walking-distance", 1_785),
    ("tiles-2x5", "walking-distance", 2_975_952),
]


@pytest.mark.parametrize(("puzzle_id", "method", "nodes"), METHOD_NODES)
def test_methods_visit_the_known_number_of_nodes(puzzle_id: str, method: str, nodes: int) -> None:
    text, moves, count = FARTHEST[puzzle_id]
    end = run(puzzle_id, text, method)[-1]
    assert isinstance(end, Solved)
    assert (end.limit, end.count, end.total_nodes) == (moves, count, nodes)


def run(puzzle_id: str, text: str, method: str, find_all: bool = True) -> list[Event]:
    puzzle = find(puzzle_id)
    question = Question(puzzle, 0, puzzle.parse(text), find_all)
    return [event for event in puzzle.method(method).search(question) if not isinstance(event, Progress)]


@pytest.mark.parametrize("method", ["manhattan-tight", "linear-conflict", "walking-distance", "best"])
def test_methods_agree_on_the_fifteen_puzzle(method: str) -> None:
    end = run("fifteen-puzzle", "e80921f3cd645b7a", method)[-1]
    assert isinstance(end, Solved)
    assert (end.limit, end.count) == (48, 24)


def test_limits_of_the_pattern_search_rise_by_two() -> None:
    limits = [
        event.limit
        for event in run("fifteen-puzzle", "e80921f3cd645b7a", "best")
        if isinstance(event, Exhausted)
    ]
    assert limits[-1] == 46 and set(np.diff(limits[1:]).tolist()) == {2}


def test_listed_solutions_can_be_replayed() -> None:
    puzzle = find("fifteen-puzzle")
    text = "e80921f3cd645b7a"
    found = verdicts.solutions(puzzle, 0, puzzle.parse(text), False, 0, 100)
    assert (found.moves_left, found.count, len(found.solutions)) == (48, 24, 24)
    for moves in found.solutions:
        at = text
        for origin, target in moves:
            at = next(after for a, b, after, _ in GAME.steps(at) if (a, b) == (origin, target))
        assert at == GAME.home


def new_engine(is_busy: bool = False) -> Engine:
    """Return a new engine without the atlas, which has most positions of these tests."""
    return Engine(puzzles.PUZZLES, lambda: is_busy, atlas=lambda puzzle: {})


def new_source() -> PatternSource:
    return PatternSource(new_engine().find("fifteen-puzzle"))


def set_limits(monkeypatch: pytest.MonkeyPatch, **limits: int) -> None:
    monkeypatch.setattr(pattern_source, "LIMITS", LIMITS._replace(**limits))


def test_costly_proof_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    set_limits(monkeypatch, bucket_capacity=0)
    engine = new_engine()
    source = PatternSource(engine.find("fifteen-puzzle"))
    assert source.moves_left(find("fifteen-puzzle").parse("0c9dfbae37624851")) == UNKNOWN
    engine.builder.cancel_all()


def test_costly_proof_continues_in_the_background(monkeypatch: pytest.MonkeyPatch) -> None:
    set_limits(monkeypatch, slice=100, bucket_capacity=0)
    engine, position = new_engine(), find("fifteen-puzzle").parse("e80921f3cd645b7a")
    source = PatternSource(engine.find("fifteen-puzzle"))
    assert source.moves_left(position) == UNKNOWN
    assert engine.builder.join(60)
    assert source.progress(position) is None
    assert source.moves_left(position) == 48


def test_failed_proof_is_not_repeated_with_fewer_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    set_limits(monkeypatch, background=0, bucket_capacity=40_000)
    position, source = find("fifteen-puzzle").parse("0c9dfbae37624851"), new_source()
    assert source.moves_left(position) == UNKNOWN
    monkeypatch.setattr(pattern_source, "search_limit", None)
    assert source.moves_left(position) == UNKNOWN
    assert source.progress(position) is None


@pytest.mark.parametrize(("is_busy", "share"), [(False, LIMITS.share), (True, LIMITS.busy_share)])
def test_one_request_spends_a_share_of_the_budget(
    is_busy: bool, share: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_limits(monkeypatch, bucket_capacity=share * 100_000)
    engine = new_engine(is_busy)
    source = PatternSource(engine.find("fifteen-puzzle"))
    position = find("fifteen-puzzle").parse("0c9dfbae37624851")
    assert source.moves_left(position) == UNKNOWN
    engine.builder.cancel_all()
    assert 100_000 < (source._failed.get(position.state) or 0) <= 100_000 + LIMITS.slice


def test_home_is_known_without_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    set_limits(monkeypatch, bucket_capacity=0)
    home = Position(int(rules.sliding_tables(FIFTEEN_BOARD).home), 15)
    assert new_source().known_answer(home).left == 0


def test_positions_on_a_proved_line_need_no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle, source = find("fifteen-puzzle"), new_source()
    position = puzzle.parse("e80921f3cd645b7a")
    assert source.moves_left(position) == 48
    monkeypatch.setattr(pattern_source, "search_limit", None)
    line = puzzle.replay(position, source.known_answer(position).jumps)
    assert len(line) == 48
    assert [source.moves_left(step.after) for step in line] == list(range(47, -1, -1))
    assert puzzle.is_solved(line[-1].after, 0)


def test_known_neighbours_give_correct_distances() -> None:
    puzzle, rng, source = (
        find("fifteen-puzzle"),
        random.Random(7),
        new_source(),
    )
    for _ in range(6):
        position = puzzle.parse(GAME.home)
        for _ in range(rng.randrange(20, 60)):
            position = rng.choice(puzzle.steps(position)).after
        if rng.random() < 0.5:
            assert source.solution_lookup(position)
        for near in [position, *(step.after for step in puzzle.steps(position))]:
            assert source.moves_left(near) == new_source().moves_left(near)
            steps = puzzle.replay(near, source.known_answer(near).jumps)
            assert len(steps) == source.moves_left(near)
            assert puzzle.is_solved(steps[-1].after if steps else near, 0)


def test_solution_of_an_answer_needs_no_other_record(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hoppers.tablebase.records.MAX_BYTES", 600)
    puzzle = new_engine().find("fifteen-puzzle")
    position = puzzle.parse([*walk(GAME, 5, 80)][-1])
    fewest = new_source().moves_left(position)
    verdict, moves = verdicts.solution(puzzle, 0, position)
    assert verdict.moves_left == fewest and len(moves) == fewest
    assert puzzle.is_solved(puzzle.replay(position, steps_of(moves))[-1].after, 0)


@pytest.mark.parametrize("begins", [False, True])
def test_solution_of_a_search_is_known_in_another_engine(begins: bool) -> None:
    puzzle, there = (new_engine().find("fifteen-puzzle") for _ in range(2))
    position = puzzle.parse("e80921f3cd645b7a")
    first = puzzle.steps(position)[0] if begins else None
    question = Question(puzzle, 0, position, first=first)
    *_, end = puzzle.method("best").search(question)
    assert isinstance(end, Solved)
    learn(question._replace(puzzle=there), end)
    states = [step.after for step in puzzle.replay(position, steps_of(end.moves))]
    expected = list(range(end.limit - 1, -1, -1))
    assert [there.source(0).known_answer(state).left for state in states] == expected
    assert there.source(0).known_answer(position).left == (UNKNOWN if begins else end.limit)
    assert there.engine.bounds.of(there, 0, position).most == end.limit


@pytest.mark.parametrize("text", ["213456789abcdef0", "123456789abcdfe0"])
def test_odd_positions_are_dead_by_parity(text: str) -> None:
    puzzle = find("fifteen-puzzle")
    position: Position = puzzle.parse(text)
    assert puzzle.rules.obstruction(position, 0) == "parity"
    assert verdicts.find_verdict(puzzle, 0, position).verdict == "dead"


BEST_NODES = [("e80921f3cd645b7a", False, 48, 1_496), ("e80921f3cd645b7a", True, 48, 10_362)]
FIFTEEN_NODES = [("fifteen-puzzle", *known) for known in BEST_NODES]
ELEVEN_NODES = [
    ("tiles-3x4", "b2037658941a", False, 31, 137),
    ("tiles-3x4", "43218b6507a9", True, 53, 2009342),
]


@pytest.mark.parametrize(("puzzle_id", "text", "find_all", "moves", "nodes"), FIFTEEN_NODES + ELEVEN_NODES)
def test_pattern_search_visits_the_known_number_of_nodes(
    puzzle_id: str, text: str, find_all: bool, moves: int, nodes: int
) -> None:
    end = run(puzzle_id, text, "best", find_all)[-1]
    assert isinstance(end, Solved)
    assert (end.limit, end.total_nodes) == (moves, nodes)


@pytest.mark.parametrize(("text", "find_all", "moves", "nodes"), BEST_NODES)
@pytest.mark.parametrize(("shared", "depth", "threads"), [(1, 1, 1), (1, 1, 2), (300, 12, 2), (1000, 40, 2)])
def test_threads_count_the_nodes_of_one_thread(
    text: str,
    find_all: bool,
    moves: int,
    nodes: int,
    shared: int,
    depth: int,
    threads: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pattern_search, "SHARED_NODES", shared)
    monkeypatch.setattr(pattern_search, "DIVIDED_DEPTH", depth)
    monkeypatch.setattr(pattern_search, "TURN_NODES", 50)
    monkeypatch.setattr(pattern_search, "TURN_SECONDS", 0.0)
    state, total = find("fifteen-puzzle").parse(text).state, 0
    patterns = load(FIFTEEN_BOARD)
    for limit in range(pattern_bound(patterns, state), moves + 1, 2):
        one, several = pattern_search.new_search(30), pattern_search.new_search(30)
        assert set(pattern_search.search_limit(patterns, one, state, limit, find_all, 1 << 20)) == set()
        so_far = list(pattern_search.search_limit(patterns, several, state, limit, find_all, 50, threads))
        assert several.counters.tolist() == one.counters.tolist()
        assert (several.solutions == one.solutions).all()
        assert so_far == sorted(so_far)
        total += int(several.counters[pattern_search.NODES])
    assert total == nodes


@SIZES
def test_last_slides_are_counted_as_they_are_made(puzzle_id: str, width: int, height: int) -> None:
    puzzle, game, before = find(puzzle_id), naive.Sliding(width, height), ""
    for text in [*walk(game, 11, 300), *(after for _, _, after, _ in game.steps(game.home))]:
        state, blank = puzzle.parse(text)
        others = [after for _, _, after, _ in game.steps(text) if after != before]
        counted, made = rules.KERNELS.count_steps(np.uint64(state), blank, puzzle.rules.tables)
        assert counted == len(game.steps(text)) - 1
        assert bool(made) == any(game.solved(after, "") for _, _, after, _ in game.steps(text))
        if before and before in [after for _, _, after, _ in game.steps(text)]:
            cursor = rules.KERNELS.first_cursor(blank, before.index("0"))
            assert listed(puzzle, state, blank, cursor) == [puzzle.parse(after).state for after in others]
        before = text


def listed(puzzle: Puzzle, state: int, blank: int, cursor: int) -> list[int]:
    """Return the states that the compiled rules list from a cursor on."""
    found: list[int] = []
    while True:
        cursor, _, _, after, _, _ = rules.KERNELS.next_step(
            np.uint64(state), blank, cursor, puzzle.rules.tables
        )
        if cursor < 0:
            return found
        found.append(int(after))


def test_arrangements_by_distance_match_the_table() -> None:
    puzzle, table, rng = find("eight-puzzle"), tile_table(EIGHT_BOARD), random.Random(5)
    by_distance = [texts_at_distance(EIGHT_BOARD, distance, distance) for distance in range(32)]
    assert [len(found) for found in by_distance] == table.distribution()
    for distance, found in enumerate(by_distance):
        assert {table.moves_left(puzzle.parse(text)) for text in rng.choices(found, k=20)} == {distance}
    assert texts_at_distance(EIGHT_BOARD, 30, 31) == sorted(by_distance[30] + by_distance[31])


@pytest.mark.parametrize(("width", "height"), [(3, 2), (2, 3), (4, 2)])
def test_rules_and_bounds_work_on_rectangles(width: int, height: int) -> None:
    board, twin = rules.rectangle(width, height), naive.Sliding(width, height)
    levels, seen = [[twin.home]], {twin.home}
    while levels[-1]:
        after = {text for before in levels[-1] for _, _, text, _ in twin.steps(before)} - seen
        seen |= after
        levels.append(sorted(after))
    for distance, level in enumerate(levels[:-1]):
        assert texts_at_distance(board, distance, distance) == level
        for text, bound in itertools.product(level, BOUNDS):
            state = np.uint64(int(text[::-1], 16))
            assert bound(state, text.index("0"), 0, bound_tables(board)) <= distance
    for cells in itertools.islice(itertools.permutations(rules.home_cells(board)), 720):
        assert rules.is_odd(cells, board) == ("".join(f"{tile:x}" for tile in cells) not in seen)
    farthest = levels[-2][0]
    table = tile_table(board)
    blank = farthest.index("0")
    assert table.moves_left(Position(int(farthest[::-1], 16), blank)) == len(levels) - 2
