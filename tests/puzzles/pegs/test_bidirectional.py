"""The bidirectional search with a shared budget, and its bounds, against tables and naive twins."""

import itertools
import random
from collections.abc import Sequence

import pytest

from hoppers import puzzles
from hoppers.core.board import SQUARE, Board
from hoppers.core.events import NO_MEMORY, Exhausted, Failed, Progress, Solved, Stopped, Unsolvable
from hoppers.core.model import DEAD, Position
from hoppers.core.puzzle import Puzzle, Question
from hoppers.core.texts import Text
from hoppers.puzzles.pegs import peg_puzzle, vacancy_problems
from hoppers.puzzles.pegs.bidirectional import search as bidirectional
from hoppers.puzzles.pegs.pagoda import PagodaSet, PagodaTables
from hoppers.puzzles.pegs.peg_board import PegBoard
from hoppers.puzzles.pegs.tables.closure import build_closure
from hoppers.runtime.builder import finish
from hoppers.runtime.memory_budget import Lease, MemoryBudget
from hoppers.tablebase.atlas_data import vacated
from hoppers.tablebase.engine import Engine
from tests.puzzles.pegs.positions import solvable_board
from tests.support.checked_solutions import events_of
from tests.support.engine import find

CENTRAL_NODES = [(12, 8), (13, 11), (14, 196), (15, 17_505), (16, 176_977), (17, 958_004)]


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
    """A peg in the centre of this board, which is in no region, can begin the first move."""
    board = Board.from_text("ooo\n o \n o \n o \n o ", SQUARE)
    small = peg_puzzle("small", Text("Small"), board, vacancy_problems(len(board.points), (4, 2)))
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


def test_boards_before_an_end_save_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle, nodes = find("diamond-41"), list[int]()
    for most in (0, 4):  # functions for the goal and the start, or for the boards one jump from them
        monkeypatch.setattr(bidirectional, "MOST_BEFORE", most)
        events = bidirectional.search(Question(puzzle, 3, vacated(puzzle, 1), proved=22))
        nodes.append(next(event.nodes for event in events if isinstance(event, Exhausted) and event.nodes))
    assert nodes == [15_819_948, 2_019_832]


@pytest.mark.parametrize("puzzle_id", ["english-33", "french-37", "diamond-41"])
def test_answers_on_large_boards_agree_with_closures(puzzle_id: str) -> None:
    puzzle, rng = find(puzzle_id), random.Random(3)
    board = PegBoard(puzzle.board)
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


@pytest.mark.parametrize("share", [-1, 99], ids=["backwards", "forwards"])
def test_one_direction_alone_loses_no_solution(share: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """It reaches the other end itself, which functions for the boards one jump before that may exclude."""
    monkeypatch.setattr("hoppers.puzzles.pegs.pagoda.MIN_SAMPLED", 1)
    monkeypatch.setattr(bidirectional.BidirectionalSearch, "_first_share", lambda *_: share)
    puzzle, rng = find("triangle-15"), random.Random(3)
    for _ in range(12):
        position = Position(solvable_board(puzzle, 8, rng, 4))
        left, end = puzzle.source(4).moves_left(position), events_of(puzzle, position, 4)[-1]
        assert (end.limit if isinstance(end, Solved) else DEAD) == left


def test_many_goals_have_functions_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A position class of the modified triangle has seven solved boards, each with up to three words."""
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
    """Return English 33 in an engine whose searches share the budget `memory`."""
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
    assert events_of(puzzle, vacated(puzzle, 16), 16)[-1] == Failed(NO_MEMORY)
