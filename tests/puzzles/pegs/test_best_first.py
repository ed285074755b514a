"""Bidirectional A*: its bound, its kernels, and its answers compared with every other source."""

import random
from functools import cache
from typing import Any

import numpy as np
import pytest

from hoppers import puzzles
from hoppers.core.events import Event, Exhausted, Failed, Progress, Solved, Stopped, Unsolvable
from hoppers.core.model import DEAD, Position
from hoppers.core.puzzle import Puzzle, Question
from hoppers.puzzles.pegs import ends_of
from hoppers.puzzles.pegs.best_first.kernels import AStarDirection as Expanding
from hoppers.puzzles.pegs.best_first.kernels import continuation_table, expanding_kernels, make_scratch
from hoppers.puzzles.pegs.best_first.open_flags import (
    OpenFlags,
    make_flags,
    note_level,
    open_all,
    opened_by_both,
    set_flag,
)
from hoppers.puzzles.pegs.best_first.search import NO_MEMORY, best_first
from hoppers.puzzles.pegs.bitboards.class_keys import number_class
from hoppers.puzzles.pegs.bitboards.jump_masks import full_regions, make_packing, max_disjoint, merson_regions
from hoppers.puzzles.pegs.bitboards.pagoda import no_filter
from hoppers.puzzles.pegs.closure.closure import build_closure
from hoppers.puzzles.pegs.large_board import BigBoard
from hoppers.tablebase.builder import finish
from hoppers.tablebase.engine import Engine
from hoppers.tablebase.memory import Lease, MemoryBudget
from tests import naive
from tests.engine import PUZZLES, find
from tests.puzzles.test_conformance import check_solution

NODES = [
    (12, 2, 1),
    (13, 5, 20),
    (14, 2635, 21422),
    (15, 105036, 221190),
    (16, 604958, 406177),
    (17, 1211537, 524210),
]
LAST_NODES = 2128931


def search(puzzle: Puzzle, position: Position, goal: int) -> list[Event]:
    run = best_first(puzzle.board.jumps, puzzle.board.symmetries, ends_of)
    question = Question(puzzle, goal, position)
    events: list[Event] = [event for event in run(question) if not isinstance(event, Progress)]
    limits = [event.limit for event in events if isinstance(event, Exhausted)]
    assert limits == list(range(limits[0], limits[0] + len(limits))) if limits else True
    if isinstance(events[-1], Solved):
        check_solution(question, events[-1])
    return events


def vacated(puzzle: Puzzle, hole: int) -> Position:
    return Position((1 << puzzle.holes) - 1 ^ 1 << hole)


@cache
def max_disjoint_by_trying(full: tuple[int, ...]) -> int:
    """Return the maximum number of disjoint regions, by trying to take and to leave each."""
    if not full:
        return 0
    first, *rest = full
    apart = tuple(region for region in rest if not region & first)
    taken = 1 + max_disjoint_by_trying(apart)
    return taken if len(apart) == len(rest) else max(taken, max_disjoint_by_trying(tuple(rest)))


@pytest.mark.parametrize("puzzle_id", ["triangle-21", "english-33"])
def test_packings_are_maximal(puzzle_id: str) -> None:
    puzzle, rng = find(puzzle_id), random.Random(2)
    every = merson_regions(puzzle.board.jumps, puzzle.holes)
    packing = make_packing(every, puzzle.holes)
    for _ in range(200):
        board = rng.getrandbits(puzzle.holes) | rng.getrandbits(puzzle.holes)
        full = [region for region in every if board & region == region]
        chosen = full_regions(np.uint64(board), packing)
        assert [region for number, region in enumerate(every) if int(chosen) >> number & 1] == full
        assert max_disjoint(chosen, packing) == max_disjoint_by_trying(tuple(full))


def test_packings_of_full_boards_match_published_numbers() -> None:
    puzzle = find("english-33")
    packing = make_packing(merson_regions(puzzle.board.jumps, 33), 33)
    found = {
        hole: max_disjoint(full_regions(np.uint64(vacated(puzzle, hole).state), packing), packing)
        for hole in (16, 4, 0)
    }
    assert found == {16: 12, 4: 12, 0: 11}


@pytest.mark.parametrize("puzzle_id", ["hoppers", "triangle-15", "english-33"])
@pytest.mark.parametrize("up", [False, True])
def test_one_move_reaches_the_boards_of_the_reference_solver(puzzle_id: str, up: bool) -> None:
    puzzle, game, rng = find(puzzle_id), naive.rules(puzzle_id), random.Random(4)
    jumps, holes = puzzle.board.jumps, puzzle.holes
    for _ in range(12):
        state = rng.getrandbits(holes) | 1
        numbering = number_class(jumps, holes, state, [puzzle.board.symmetries[0]])
        packing = make_packing(merson_regions(jumps, holes), holes)
        continuations = continuation_table(jumps, holes, up, numbering.shifts.lines)
        nothing = no_filter(len(numbering.shifts.lines))
        side = Expanding(
            up, make_flags(numbering.bits), continuations, packing, np.array(0, np.uint32), nothing
        )
        scratch, kernels = make_scratch(1), expanding_kernels(1)
        key = kernels.least_key(np.uint64(state), numbering)
        index, end = kernels.reach(np.array([key], np.uint32), 0, side, numbering, scratch)
        assert index == 1
        assert set(scratch.boards[:end].tolist()) == one_move(game, puzzle, state, up)


def one_move(game: naive.Rules, puzzle: Puzzle, state: int, up: bool) -> set[int]:
    """Return the boards one move away, forwards or (`up`) backwards."""
    jumps = [(a, b, c) for a, b, c in puzzle.board.jumps]
    assert isinstance(game, naive.Pegs)
    assert sorted(game.jumps) == sorted(jumps)
    found, waiting = set(), [(state, hole) for hole in range(puzzle.holes)]
    while waiting:
        board, active = waiting.pop()
        for a, b, c in game.jumps:
            holds = [board >> hole & 1 for hole in (a, b, c)]
            mover, lands = (c, a) if up else (a, c)
            if mover == active and holds == ([0, 0, 1] if up else [1, 1, 0]):
                after = board ^ (1 << a | 1 << b | 1 << c)
                found.add(after)
                waiting.append((after, lands))
    return found


def both_opened(marks: OpenFlags, others: OpenFlags) -> Any:
    return finish(opened_by_both(marks, others))


def test_flags_show_boards_opened_by_both_directions() -> None:
    rng = random.Random(6)
    one, other = make_flags(14), make_flags(14)
    first, second = (np.array(rng.sample(range(1 << 14), 5000), np.uint32) for _ in range(2))
    for key in first[:1000]:
        set_flag(key, 2, one)  # deferred, so not open yet
    assert not len(both_opened(one, one))
    assert open_all(np.concatenate([first, first]), one).tolist() == first.tolist()
    open_all(second, other)
    both = sorted(set(first.tolist()) & set(second.tolist()))
    assert both_opened(one, other).tolist() == both
    levels = np.zeros(len(both), np.int64)
    note_level(first[:2500], 7, np.array(both, np.uint32), levels)
    early = set(first[:2500].tolist())
    assert levels.tolist() == [7 * (key in early) for key in both]


@pytest.mark.parametrize("puzzle_id", ["hoppers", "triangle-15", "triangle-21"])
def test_answers_agree_with_the_complete_table(puzzle_id: str) -> None:
    puzzle, rng = find(puzzle_id), random.Random(5)
    for _ in range(30):
        goal = rng.randrange(-1, puzzle.holes)
        state = rng.getrandbits(puzzle.holes) | 1
        active = rng.choice([-1, -1, *(hole for hole in range(puzzle.holes) if state >> hole & 1)])
        position = puzzle.canonical(Position(state, active))
        end = search(puzzle, position, goal)[-1]
        left = puzzle.source(goal).moves_left(position)
        if left == DEAD:
            assert isinstance(end, Unsolvable)
        else:
            assert isinstance(end, Solved) and end.limit == left


def solvable_board(puzzle: Puzzle, goal: int, pegs: int, rng: random.Random) -> int:
    """Return a solvable board, found by taking jumps back from the goal."""
    state = 1 << goal
    while state.bit_count() < pegs:
        lines = [(1 << a | 1 << b | 1 << c, 1 << c) for a, b, c in puzzle.board.jumps]
        state = rng.choice([state ^ line for line, end in lines if state & line == end])
    return state


def test_answers_agree_with_closures_and_bidirectional_search() -> None:
    puzzle, rng = find("english-33"), random.Random(3)
    board, other = BigBoard(puzzle.board.jumps, puzzle.board.symmetries), puzzle.method("both-ends")
    for goal in (16, 0, 9, 4):
        position = Position(solvable_board(puzzle, goal, 15, rng))
        closure = finish(build_closure([position.state], goal, board.shifts, 10**6))
        assert closure is not None
        end = search(puzzle, position, goal)[-1]
        *_, second = other.search(Question(puzzle, goal, position))
        assert isinstance(end, Solved) and isinstance(second, Solved)
        assert end.limit == second.limit == closure.moves_left(position)


def test_node_counts_of_the_central_game() -> None:
    puzzle = find("english-33")
    *limits, end = search(puzzle, vacated(puzzle, 16), 16)
    counts = [(event.limit, event.nodes, event.cut) for event in limits if isinstance(event, Exhausted)]
    assert counts[11:] == NODES
    assert isinstance(end, Solved) and (end.limit, end.nodes) == (18, LAST_NODES)


def puzzle_with_memory(id: str, memory: MemoryBudget) -> Puzzle:
    """Return a puzzle of an engine whose searches share this memory."""
    engine = Engine(puzzles.PUZZLES)
    engine.memory = memory
    return engine.find(id)


def test_search_stops_when_its_memory_is_used_up() -> None:
    memory = MemoryBudget(2 * (1 << 27) + 3_000_000)
    puzzle = puzzle_with_memory("english-33", memory)
    end = search(puzzle, vacated(puzzle, 16), 16)[-1]
    assert isinstance(end, Stopped) and (end.reason, end.limit) == ("limit", 15)
    assert memory.left == 2 * (1 << 27) + 3_000_000


def test_search_without_memory_for_its_flags_says_so() -> None:
    puzzle = puzzle_with_memory("english-33", MemoryBudget(1000))
    assert search(puzzle, vacated(puzzle, 16), 16) == [Failed(NO_MEMORY)]


def test_search_waits_until_another_frees_its_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = MemoryBudget(2_500_000)
    puzzle = puzzle_with_memory("triangle-15", memory)
    monkeypatch.setattr("hoppers.puzzles.pegs.best_first.search.flags_size", lambda bits: 1_000_000)
    method = best_first(puzzle.board.jumps, puzzle.board.symmetries, ends_of)
    first, second = (method(Question(puzzle, goal, vacated(puzzle, goal))) for goal in (0, 3))
    next(first)
    waiting = [next(second) for _ in range(3)]
    assert all(isinstance(event, Progress) and event.nodes == 0 for event in waiting)
    *_, end = first
    *_, other = second
    assert isinstance(end, Solved) and isinstance(other, Solved)
    assert [end.limit, other.limit] == [
        puzzle.source(goal).moves_left(vacated(puzzle, goal)) for goal in (0, 3)
    ]
    assert memory.left == memory.size


def test_search_gives_up_waiting_for_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = MemoryBudget(2_500_000)
    puzzle = puzzle_with_memory("triangle-15", memory)
    Lease(memory).take(1_000_000)
    monkeypatch.setattr("hoppers.puzzles.pegs.best_first.search.flags_size", lambda bits: 1_000_000)
    monkeypatch.setattr("hoppers.puzzles.pegs.best_first.search.MAX_WAIT_SECONDS", 0.02)
    method = best_first(puzzle.board.jumps, puzzle.board.symmetries, ends_of)
    *waiting, end = method(Question(puzzle, 0, vacated(puzzle, 0)))
    assert all(isinstance(event, Progress) for event in waiting)
    assert end == Failed(NO_MEMORY)


@pytest.mark.parametrize("puzzle", PUZZLES.values(), ids=list(PUZZLES))
def test_every_puzzle_can_be_precompiled(puzzle: Puzzle) -> None:
    """Precompilation, and with it the installation, fails at a puzzle whose kernels do not compile."""
    for compile_kernels in puzzle.solving.precompile.values():
        compile_kernels()
