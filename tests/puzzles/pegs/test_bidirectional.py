"""The bidirectional search with a shared budget, and its bounds, against tables and naive twins."""

import itertools
import random
from collections import deque
from collections.abc import Sequence

import numpy as np
import pytest

from hoppers import puzzles
from hoppers.analysis.atlas_results import vacated
from hoppers.core.board import SQUARE, Board
from hoppers.core.events import Event, Exhausted, Failed, Progress, Solved, Stopped, Unsolvable
from hoppers.core.model import DEAD, Position, Step, Words
from hoppers.core.puzzle import Puzzle, Question
from hoppers.puzzles.pegs import peg_puzzle, region_bounds
from hoppers.puzzles.pegs.bidirectional import search as bidirectional
from hoppers.puzzles.pegs.jump_masks import shift_groups
from hoppers.puzzles.pegs.large_board import BigBoard
from hoppers.puzzles.pegs.pagoda import PagodaSet, PagodaTables
from hoppers.puzzles.pegs.symmetries import apply_symmetry
from hoppers.puzzles.pegs.tables.closure import build_closure
from hoppers.tablebase.builder import finish
from hoppers.tablebase.engine import Engine
from hoppers.tablebase.memory import Lease, MemoryBudget
from tests.puzzles.pegs.positions import solvable_board
from tests.puzzles.test_conformance import check_solution
from tests.support.engine import find

OUTSIDE = -1
RegionState = tuple[frozenset[int], int]
"""Pegs in a region, and its active peg or OUTSIDE."""
CENTRAL_NODES = [(12, 8), (13, 11), (14, 196), (15, 17_505), (16, 193_827), (17, 1_194_175)]


def events_of(puzzle: Puzzle, position: Position, goal: int, first: Step | None = None) -> list[Event]:
    """Return the events of a search but its progress, after a check of its limits and its solution."""
    question = Question(puzzle, goal, position, first=first)
    found = bidirectional.search(question)
    events: list[Event] = [event for event in found if not isinstance(event, Progress)]
    limits = [event.limit for event in events if isinstance(event, Exhausted)]
    assert limits == [*range(question.first_limit, question.first_limit + len(limits))]
    if isinstance(events[-1], Solved):
        check_solution(question, events[-1])
    return events


@pytest.mark.parametrize("puzzle_id", ["hoppers", "triangle-15", "triangle-21"])
def test_search_agrees_with_the_complete_table(puzzle_id: str) -> None:
    puzzle, rng, dead = find(puzzle_id), random.Random(5), 0
    for _ in range(60):
        goal, state = rng.randrange(-1, puzzle.holes), rng.getrandbits(puzzle.holes) | 1
        pegs = [hole for hole in range(puzzle.holes) if state >> hole & 1]
        position = puzzle.canonical(Position(state, rng.choice([-1, -1, *pegs])))
        left = puzzle.source(goal).moves_left(position)
        if puzzle.rules.obstruction(position, goal) is not None:
            assert left == DEAD
            continue
        end = events_of(puzzle, position, goal)[-1]
        if left == DEAD:
            assert isinstance(end, Unsolvable)
            dead += 1
        else:
            assert isinstance(end, Solved) and end.limit == left
    assert dead > 3


def test_every_position_of_a_small_board_agrees_with_its_table() -> None:
    """The centre of this board, which is in no region, can begin the first move."""
    board = Board.from_text("ooo\n o \n o \n o \n o ", SQUARE)
    small = peg_puzzle("small", Words("Small", "小"), board, [(4, 2)])
    puzzle, solved, rng = Engine({"small": small}).find("small"), 0, random.Random(1)
    for state, goal in itertools.product(range(1, 1 << puzzle.holes), range(-1, puzzle.holes)):
        pegs = [hole for hole in range(puzzle.holes) if state >> hole & 1]
        for active in (-1, rng.choice(pegs)):
            position = puzzle.canonical(Position(state, active))
            if puzzle.rules.obstruction(position, goal) is None:
                left = puzzle.source(goal).moves_left(position)
                *_, end = bidirectional.search(Question(puzzle, goal, position))
                assert (end.limit if isinstance(end, Solved) else DEAD) == left
                solved += left > 1
    assert solved > 10


@pytest.mark.parametrize("puzzle_id", ["hoppers", "triangle-21"])
def test_search_after_a_first_move_agrees_with_the_complete_table(puzzle_id: str) -> None:
    puzzle = find(puzzle_id)
    goal, position = puzzle.parse_goal(None), puzzle.parse(puzzle.start)
    for step in puzzle.steps(position):
        left = puzzle.source(goal).moves_left(step.after)
        end = events_of(puzzle, position, goal, first=step)[-1]
        if left == DEAD:
            assert isinstance(end, Unsolvable)
        else:
            assert isinstance(end, Solved) and end.limit == step.cost + left
            assert end.moves[0][:2] == [step.origin, step.target]


def test_node_counts_of_the_central_game() -> None:
    puzzle = find("english-33")
    *rows, end = events_of(puzzle, puzzle.parse(puzzle.start), 16)
    found = [(row.limit, row.nodes) for row in rows if isinstance(row, Exhausted) and row.nodes]
    assert found == CENTRAL_NODES
    assert isinstance(end, Solved) and end.limit == 18


def naive_bounds(
    jumps: list[tuple[int, int, int]], cells: list[int], start: Position, goal: int
) -> tuple[dict[RegionState, int], dict[RegionState, int]]:
    """Return both numbers of one region by (pegs in it, active peg or OUTSIDE), by breadth-first search.

    Every state of the region is a node; a jump needs nothing of the holes outside.
    """
    inside, states = {*cells}, []
    for size in range(len(cells) + 1):
        for chosen in itertools.combinations(cells, size):
            states += [(frozenset(chosen), active) for active in (*chosen, OUTSIDE)]
    onward: dict[RegionState, list[tuple[RegionState, int]]] = {}
    for pegs, active in states:
        onward[pegs, active] = [((pegs, hole), 1) for hole in pegs if active == OUTSIDE]
        onward[pegs, active] += [((pegs, OUTSIDE), 0)] if active != OUTSIDE else []
        for origin, over, target in jumps:
            if (origin if origin in inside else OUTSIDE) != active or not {origin, over, target} & inside:
                continue
            gone = {origin, over} & inside
            if gone <= pegs and target not in pegs:
                after = (pegs - gone) | ({target} & inside)
                onward[pegs, active].append(((after, target if target in inside else OUTSIDE), 0))
    back: dict[RegionState, list[tuple[RegionState, int]]] = {}
    for state, reached in onward.items():
        for other, cost in reached:
            back.setdefault(other, []).append((state, cost))

    def pegs_of(board: int) -> frozenset[int]:
        return frozenset(hole for hole in cells if board >> hole & 1)

    ends = [(pegs_of(goal), active) for active in (*pegs_of(goal), OUTSIDE)]
    begins = [(pegs_of(start.state), OUTSIDE)]
    begins += [(pegs_of(start.state), start.active)] if start.active in inside else []
    return naive_distances(ends, back), naive_distances(begins, onward)


def naive_distances(
    sources: list[RegionState], edges: dict[RegionState, list[tuple[RegionState, int]]]
) -> dict[RegionState, int]:
    """Return the least cost from any source, by breadth-first search with costs 0 and 1."""
    found = dict.fromkeys(sources, 0)
    waiting = deque(sources)
    while waiting:
        state = waiting.popleft()
        for other, cost in edges.get(state, ()):
            if found[state] + cost < found.get(other, 10**6):
                found[other] = found[state] + cost
                (waiting.append if cost else waiting.appendleft)(other)
    return found


@pytest.mark.parametrize(("puzzle_id", "active"), [("hoppers", -1), ("triangle-15", 0), ("english-33", 14)])
def test_region_bounds_agree_with_naive_search(puzzle_id: str, active: int) -> None:
    puzzle = find(puzzle_id)
    jumps, shifts = puzzle.board.jumps, shift_groups(puzzle.board.jumps)
    root = Position(puzzle.parse(puzzle.start).state, active)
    goal = 1 << puzzle.parse_goal(None)
    divisions = region_bounds.divisions_of(puzzle.board.points)
    tables = region_bounds.region_tables(puzzle.board, shifts, root, [goal])
    naive = [[naive_bounds([*jumps], cells, root, goal) for cells in division] for division in divisions]
    rng, lines = random.Random(3), [int(line) for line in shifts.lines]
    for _ in range(300):
        before = rng.getrandbits(puzzle.holes)
        origin, over, target = rng.choice(jumps)
        line = 1 << origin | 1 << over | 1 << target
        before = before & ~line | 1 << origin | 1 << over
        after = before ^ line
        words = [region_bounds.division_word(np.uint64(before), number, tables.words) for number in (0, 1)]
        row = np.uint64(lines.index(line))
        found = region_bounds.active_bounds(*words, row, np.uint64(target), tables)
        assert found == expected_bounds(divisions, naive, after, target)
        assert region_bounds.bounds_of(np.uint64(after), tables) == expected_bounds(
            divisions, naive, after, OUTSIDE
        )


def expected_bounds(
    divisions: list[list[list[int]]],
    naive: list[list[tuple[dict[RegionState, int], dict[RegionState, int]]]],
    board: int,
    active: int,
) -> tuple[int, int]:
    """Return both bounds of a board: sums over regions, the larger of the two divisions."""
    sums = []
    for division, numbers in zip(divisions, naive, strict=True):
        states = [
            (frozenset(hole for hole in cells if board >> hole & 1), active if active in cells else OUTSIDE)
            for cells in division
        ]
        pairs, most = [*zip(numbers, states, strict=True)], region_bounds.MAX_BOUND
        sums.append([sum(min(both[kind].get(state, most), most) for both, state in pairs) for kind in (0, 1)])
    return max(to_come for to_come, _ in sums), max(made for _, made in sums)


def test_bounds_never_exceed_the_exact_moves() -> None:
    """From the start of Hoppers, every position that can be reached."""
    puzzle = find("hoppers")
    root, goal = puzzle.parse(puzzle.start), puzzle.parse_goal(None)
    shifts = shift_groups(puzzle.board.jumps)
    tables = region_bounds.region_tables(puzzle.board, shifts, root, [1 << goal])
    least, waiting = {root: 0}, deque([root])
    while waiting:
        position = waiting.popleft()
        for step in puzzle.legal_steps(position):
            if least[position] + step.cost < least.get(step.after, 10**6):
                least[step.after] = least[position] + step.cost
                (waiting.append if step.cost else waiting.appendleft)(step.after)
    assert len(least) > 2_000
    source, tight = puzzle.source(goal), 0
    for position, made in least.items():
        if position.active >= 0:
            continue
        to_come, since = region_bounds.bounds_of(np.uint64(position.state), tables)
        left = source.moves_left(position)
        assert since <= made and (left == DEAD or to_come <= left)
        tight += left == to_come


@pytest.mark.parametrize("puzzle_id", ["english-33", "french-37", "diamond-41"])
def test_answers_on_large_boards_agree_with_closures(puzzle_id: str) -> None:
    puzzle, rng = find(puzzle_id), random.Random(3)
    board = BigBoard(puzzle.board)
    for goal in (16, 0, 9, -1):
        state = solvable_board(puzzle, 15, rng, max(goal, 4))
        jumped = next(step.after for step in puzzle.legal_steps(Position(state)))
        for position in (Position(state), jumped):
            closure = finish(build_closure([position.state], goal, board.shifts, 10**6))
            assert closure is not None
            left, end = closure.moves_left(position), events_of(puzzle, position, goal)[-1]
            assert (end.limit if isinstance(end, Solved) else DEAD) == left


def test_sampled_pagoda_functions_lose_no_solution(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hoppers.puzzles.pegs.pagoda.MIN_SAMPLED", 1)
    puzzle, rng, found = find("triangle-15"), random.Random(11), set[int]()
    for _ in range(40):
        goal, state = rng.randrange(-1, puzzle.holes), rng.getrandbits(puzzle.holes) | 1
        position = Position(state)
        if puzzle.rules.obstruction(position, goal) is None:
            left, end = puzzle.source(goal).moves_left(position), events_of(puzzle, position, goal)[-1]
            assert (end.limit if isinstance(end, Solved) else DEAD) == left
            found.add(left)
    assert {DEAD, 4} <= found


def test_many_goals_have_functions_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A class of Triangle 21 has seven solved boards, with up to three words of functions each."""
    monkeypatch.setattr("hoppers.puzzles.pegs.pagoda.MIN_SAMPLED", 1)
    puzzle, rng, words, tables_of = find("triangle-21"), random.Random(2), list[int](), PagodaSet.tables

    def tables(pagoda_set: PagodaSet, ends: Sequence[int]) -> PagodaTables:
        made = tables_of(pagoda_set, ends)
        words.append(len(made.bases))
        return made

    monkeypatch.setattr(PagodaSet, "tables", tables)
    for _ in range(8):
        position = Position(solvable_board(puzzle, 9, rng))
        end = events_of(puzzle, position, -1)[-1]
        assert isinstance(end, Solved) and end.limit == puzzle.source(-1).moves_left(position)
    assert max(words) > 3


def test_threads_change_neither_nodes_nor_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle, seen = find("english-33"), []
    for threads in (1, 2):
        monkeypatch.setattr(bidirectional, "max_threads", lambda threads=threads: threads)
        rows = events_of(puzzle, vacated(puzzle, 16), 16)
        seen.append([(row.limit, row.nodes) for row in rows if isinstance(row, Exhausted | Solved)])
    assert seen[0][:-1] == seen[1][:-1]
    assert seen[0][-1][0] == seen[1][-1][0] == 18


def puzzle_with_memory(memory: MemoryBudget) -> Puzzle:
    """Return English 33 in an engine whose searches share this memory."""
    engine = Engine(puzzles.PUZZLES)
    engine.memory = memory
    return engine.find("english-33")


def test_search_ends_when_its_memory_is_used_up() -> None:
    memory = MemoryBudget(4_000_000)
    puzzle = puzzle_with_memory(memory)
    end = events_of(puzzle, vacated(puzzle, 16), 16)[-1]
    assert isinstance(end, Stopped) and (end.reason, end.limit) == ("limit", 16)
    assert memory.left == memory.size


def test_search_waits_until_another_releases_its_memory() -> None:
    memory = MemoryBudget(300_000_000)
    puzzle, held = puzzle_with_memory(memory), Lease(memory)
    held.take(memory.size - 1000)
    run = bidirectional.search(Question(puzzle, 16, vacated(puzzle, 16)))
    waiting = [next(run) for _ in range(30)]
    assert all(isinstance(event, Progress) and event.nodes == 0 for event in waiting[15:])
    held.release()
    *_, end = run
    assert isinstance(end, Solved) and end.limit == 18
    assert memory.left == memory.size


def test_search_gives_up_waiting_for_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bidirectional, "TUNING", bidirectional.TUNING._replace(wait_seconds=0.02))
    memory = MemoryBudget(300_000_000)
    Lease(memory).take(memory.size - 1000)
    puzzle = puzzle_with_memory(memory)
    assert events_of(puzzle, vacated(puzzle, 16), 16)[-1] == Failed(bidirectional.NO_MEMORY)


@pytest.mark.parametrize("puzzle_id", ["english-33", "french-37", "diamond-41", "triangle-21"])
def test_mirrored_boards_have_equal_bounds(puzzle_id: str) -> None:
    puzzle, rng = find(puzzle_id), random.Random(7)
    images = bidirectional.usable_symmetries(puzzle.board)
    assert len(images) == (2 if puzzle_id == "triangle-21" else 8)
    fixed = next(hole for hole in range(puzzle.holes) if all(image[hole] == hole for image in images))
    root, goal = vacated(puzzle, fixed), 1 << fixed
    shifts = shift_groups(puzzle.board.jumps)
    tables = region_bounds.region_tables(puzzle.board, shifts, root, [goal])
    for _ in range(200):
        board = rng.getrandbits(puzzle.holes)
        found = {region_bounds.bounds_of(np.uint64(apply_symmetry(board, image)), tables) for image in images}
        assert len(found) == 1


@pytest.mark.parametrize(
    "points",
    [
        [(x, y) for y in range(7) for x in range(7)],
        [(x, 0) for x in range(30)] + [(0, y) for y in range(1, 19)],
        [(2 * x + y, y) for y in range(6) for x in range(6 - y)],
    ],
    ids=["square 49", "corner 48", "triangle 21"],
)
def test_divisions_of_any_board_fit_their_words(points: list[tuple[int, int]]) -> None:
    for division in region_bounds.divisions_of(points):
        chosen = [hole for region in division for hole in region]
        assert len(division) == region_bounds.REGIONS
        assert len({*chosen}) == len(chosen)
        assert all(len(region) <= region_bounds.FIELD_BITS for region in division)
