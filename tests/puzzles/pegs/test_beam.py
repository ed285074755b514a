"""Good solutions that are found, not proved: they must solve, and never be shorter than the proved fewest."""

import itertools
import random
from dataclasses import replace

import numpy as np
import pytest

from hoppers.core.events import Event, Exhausted, Found, Progress, Solved
from hoppers.core.model import DEAD, UNKNOWN, Position, Step, group_moves
from hoppers.core.puzzle import Question
from hoppers.puzzles import find
from hoppers.puzzles.pegs.beam.kernels import expand_layer
from hoppers.puzzles.pegs.beam.line_first import with_beam_first
from hoppers.puzzles.pegs.beam.search import Beam, beam_board, beam_search
from hoppers.puzzles.pegs.closure.backward_values import MOVES_SHIFT
from hoppers.puzzles.pegs.large_board import BigBoard
from hoppers.puzzles.pegs.source import BigSource
from hoppers.tablebase.builder import Workshop
from hoppers.tablebase.solutions import Counter
from hoppers.tablebase.table_cache import Shelf
from hoppers.tablebase.table_method import best
from tests.puzzles.test_conformance import replay

NARROW = (Beam(300, 1.0), Beam(1000, 3.0))


def question_of(puzzle_id: str, start: int, goal: int) -> Question:
    puzzle = find(puzzle_id)
    return Question(puzzle, goal, Position((1 << puzzle.holes) - 1 ^ 1 << start))


def lines(question: Question, beams: tuple[Beam, ...]) -> list[list[Step]]:
    land = beam_board(question.puzzle.board.jumps, question.puzzle.holes)
    return [steps for steps in beam_search(question, land, beams) if steps is not None]


@pytest.mark.parametrize(
    ("puzzle_id", "start", "goal", "proved"),
    [
        ("english-33", 16, 16, 18),
        ("french-37", 0, 19, 16),
        ("french-37", 11, 25, 16),
        ("diamond-41", 6, 34, 16),
        ("diamond-41", 6, 9, 16),
        ("diamond-41", 1, 18, 16),
    ],
)
def test_openings_of_big_boards_have_a_good_line(puzzle_id: str, start: int, goal: int, proved: int) -> None:
    question = question_of(puzzle_id, start, goal)
    found = lines(question, (Beam(3_000, 3.0),))
    assert len(found) == 1
    end, cost = replay(question.puzzle, question.position, group_moves(found[0]))
    assert question.puzzle.is_solved(end, goal)
    assert cost == sum(step.cost for step in found[0])
    assert proved <= cost <= 30


def test_each_line_found_has_fewer_moves_than_those_before() -> None:
    found = lines(question_of("french-37", 0, 36), (Beam(200, 3.0), Beam(200, 3.0), Beam(3_000, 0.5)))
    costs = [sum(step.cost for step in steps) for steps in found]
    assert len(costs) >= 2
    assert all(later < earlier for earlier, later in itertools.pairwise(costs))


def test_lines_are_never_shorter_than_the_fewest_moves() -> None:
    puzzle, rng, found = find("triangle-21"), random.Random(2), 0
    for _ in range(30):
        state = rng.getrandbits(21) | 1
        hand = rng.choice([-1, 0])
        left = puzzle.source(-1).moves_left(Position(state, hand))
        for steps in lines(Question(puzzle, -1, Position(state, hand)), NARROW):
            assert sum(step.cost for step in steps) >= left >= 0
            found += sum(step.cost for step in steps) == left
    assert found > 3


def test_a_layer_keeps_the_fewest_moves_and_their_last_movers() -> None:
    """The kernel against all lines of jumps, one after the other."""
    question = question_of("hoppers", 6, 6)
    puzzle, shifts = question.puzzle, beam_board(question.puzzle.board.jumps, 13).shifts
    boards, values = np.array([question.position.state], np.uint64), np.zeros(1, np.uint64)
    every = {question.position: 0}
    for _ in range(5):
        slots, known, order = np.zeros(4096, np.uint64), np.zeros(4096, np.uint64), np.empty(2000, np.int64)
        count = expand_layer(boards, values, order, 0, slots, known, shifts)
        boards, values = slots[order[:count]], known[order[:count]]
        after = [(s.after, cost + s.cost) for at, cost in every.items() for s in puzzle.raw_steps(at)]
        every = {at: min(cost for other, cost in after if other == at) for at, _ in after}
        assert sorted(boards.tolist()) == sorted({at.state for at in every})
        for board, value in zip(boards.tolist(), values.tolist(), strict=True):
            costs = {at.active: cost for at, cost in every.items() if at.state == board}
            movers = sum(1 << hand for hand, cost in costs.items() if cost == min(costs.values()))
            assert value == min(costs.values()) << MOVES_SHIFT | movers


def told(question: Question, until: int) -> list[Event]:
    """What a search says when it first looks for a line, up to a limit."""
    land = beam_board(question.puzzle.board.jumps, question.puzzle.holes)
    events: list[Event] = []
    for event in with_beam_first(question.puzzle.method("both-ends").search, land)(question):
        events += [] if isinstance(event, Progress) else [event]
        if isinstance(event, Exhausted) and event.limit == until:
            break
    return events


def test_a_found_line_is_told_before_the_limits() -> None:
    events = told(question_of("french-37", 0, 19), 12)
    found = [event for event in events if isinstance(event, Found)]
    assert events[: len(found)] == found and all(len(event.moves) == event.limit for event in found)
    limits = [event.limit for event in events[len(found) :] if isinstance(event, Exhausted)]
    assert limits == list(range(1, 13))


def test_a_found_line_is_proved_when_all_smaller_limits_are_exhausted() -> None:
    puzzle = find("triangle-21")
    question = Question(puzzle, 6, puzzle.parse(puzzle.start))
    events, plain = told(question, 99), list(puzzle.method("both-ends").search(question))
    limits = [event for event in plain if isinstance(event, Exhausted)]
    proved = [event for event in events if isinstance(event, Exhausted)]
    assert [(e.limit, e.nodes, e.cut) for e in proved] == [(e.limit, e.nodes, e.cut) for e in limits]
    end = events[-1]
    assert isinstance(end, Solved) and end.limit == 12 and end.nodes == 0
    assert end.total_nodes == sum(event.nodes for event in limits)
    assert replay(puzzle, question.position, end.moves)[1] == 12


class Forgetful:
    """A source that knows only what it has learnt."""

    def __init__(self) -> None:
        self.known: dict[Position, int] = {}

    def moves_left(self, position: Position) -> int:
        return self.known.get(position, UNKNOWN)

    def can_list(self, position: Position) -> bool:
        return False

    def learn(self, position: Position, left: int) -> None:
        self.known[position] = left


@pytest.mark.parametrize("first", [None, (0, 6)])
def test_what_a_search_proves_is_kept_and_right(first: tuple[int, int] | None) -> None:
    puzzle, source = find("hoppers"), Forgetful()
    start = puzzle.parse(puzzle.start)
    forgetful = replace(puzzle, source=lambda goal: source)
    question = Question(forgetful, 6, start, first=puzzle.step(start, *first) if first else None)
    method = best(puzzle.method("both-ends").search)
    end = list(method.search(question))[-1]
    assert isinstance(end, Solved) and end.limit == 7
    assert source.known[question.root] == 7 - question.spent
    exact = puzzle.source(6)
    assert {at: exact.moves_left(at) for at in source.known} == source.known
    assert len(source.known) >= 11 - question.spent
    again = list(method.search(question))
    assert again[-1] == replace(end, seconds=again[-1].seconds, nodes=0, total_nodes=0)  # type: ignore[union-attr]


def test_what_a_search_proves_dead_is_kept() -> None:
    puzzle, source = find("triangle-15"), Forgetful()
    position = puzzle.parse("o............oo")
    question = Question(replace(puzzle, source=lambda goal: source), 4, position)
    assert puzzle.source(4).moves_left(position) == DEAD
    list(best(puzzle.method("both-ends").search).search(question))
    assert source.known == {position: DEAD}


def test_large_boards_learn_and_list_only_what_is_known() -> None:
    puzzle = find("diamond-41")
    board = BigBoard(puzzle.board.jumps, puzzle.board.symmetries)
    source = BigSource(board, 3, Workshop(), Shelf(1 << 20))
    start = puzzle.parse(puzzle.start)
    assert source.moves_left(start) == UNKNOWN
    source.learn(start, 26)
    assert source.moves_left(start) == 26
    assert not source.can_list(start)  # what its steps lead to is not known


def test_counting_in_steps_is_counting_and_is_told() -> None:
    puzzle = find("triangle-15")
    start = puzzle.parse(puzzle.start)
    counter = Counter(puzzle, puzzle.source(0), 0)
    steps = sum(1 for _ in counter.walk(start))
    assert counter.count(start) == Counter(puzzle, puzzle.source(0), 0).count(start) == 2 * 681
    events = list(puzzle.method("best").search(Question(puzzle, 0, start, find_all=True)))
    assert sum(isinstance(event, Progress) for event in events) > steps // 100
    assert isinstance(events[-1], Solved) and events[-1].count == 2 * 681
