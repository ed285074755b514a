"""Solutions of the beam search are valid and never shorter than the proved fewest moves."""

import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from hoppers import puzzles
from hoppers.analysis.known_answers import count_solutions, known_events
from hoppers.core.events import Event, Exhausted, Found, Progress, Solved, Stopped
from hoppers.core.model import DEAD, Position, Source, Step, group_moves
from hoppers.core.puzzle import Puzzle, Question
from hoppers.puzzles.pegs.beam_search import Beam, beam_search, expand_layer, with_beam_search
from hoppers.puzzles.pegs.bidirectional import search as bidirectional
from hoppers.puzzles.pegs.peg_board import peg_board
from hoppers.puzzles.pegs.source import LargeBoardSource
from hoppers.puzzles.pegs.tables.closure import MOVES_SHIFT
from hoppers.runtime.builder import finish
from hoppers.runtime.memory_budget import Lease
from hoppers.search.slicing import map_progress
from hoppers.tablebase.best_method import recorded
from hoppers.tablebase.engine import Engine
from hoppers.tablebase.solutions import shortest_solution, solution_graph
from tests.support.checked_solutions import replay
from tests.support.engine import find, with_source

NARROW = (Beam(300, 1.0), Beam(1000, 3.0))


def question_of(puzzle_id: str, start: int, goal: int) -> Question:
    puzzle = find(puzzle_id)
    return Question(puzzle, goal, Position((1 << puzzle.holes) - 1 ^ 1 << start))


def lines(question: Question, beams: tuple[Beam, ...]) -> list[list[Step]]:
    return [steps for steps in beam_search(question, beams) if steps is not None]


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
def test_beam_search_solves_the_problems_of_large_boards(
    puzzle_id: str, start: int, goal: int, proved: int
) -> None:
    question = question_of(puzzle_id, start, goal)
    found = lines(question, (Beam(3_000, 3.0),))
    assert len(found) == 1
    end, cost = replay(question.puzzle, question.position, group_moves(found[0]))
    assert question.puzzle.is_solved(end, goal)
    assert cost == sum(step.cost for step in found[0])
    assert proved <= cost <= 30


def test_each_solution_found_has_fewer_moves_than_the_last() -> None:
    found = lines(question_of("french-37", 0, 36), (Beam(200, 3.0), Beam(200, 3.0), Beam(3_000, 0.5)))
    costs = [sum(step.cost for step in steps) for steps in found]
    assert len(costs) >= 2
    assert all(later < earlier for earlier, later in itertools.pairwise(costs))


def test_solutions_found_are_never_shorter_than_the_fewest_moves() -> None:
    puzzle, rng, found = find("triangle-21"), random.Random(2), 0
    for _ in range(30):
        state = rng.getrandbits(21) | 1
        active = rng.choice([-1, 0])
        left = puzzle.source(-1).moves_left(Position(state, active))
        for steps in lines(Question(puzzle, -1, Position(state, active)), NARROW):
            assert sum(step.cost for step in steps) >= left >= 0
            found += sum(step.cost for step in steps) == left
    assert found > 3


def test_layers_store_the_fewest_moves_and_their_last_movers() -> None:
    """Compares the kernel with all lines of play, tried one by one."""
    question = question_of("hoppers", 6, 6)
    puzzle, shifts = question.puzzle, peg_board(question.puzzle).shifts
    boards, values = np.array([question.position.state], np.uint64), np.zeros(1, np.uint64)
    every = {question.position: 0}
    for _ in range(5):
        slots, known, order = np.zeros(4096, np.uint64), np.zeros(4096, np.uint64), np.empty(2000, np.int64)
        count = expand_layer(boards, values, order, 0, slots, known, shifts)
        boards, values = slots[order[:count]], known[order[:count]]
        after = [(s.after, cost + s.cost) for at, cost in every.items() for s in puzzle.legal_steps(at)]
        every = {at: min(cost for other, cost in after if other == at) for at, _ in after}
        assert sorted(boards.tolist()) == sorted({at.state for at in every})
        for board, value in zip(boards.tolist(), values.tolist(), strict=True):
            costs = {at.active: cost for at, cost in every.items() if at.state == board}
            movers = sum(1 << active for active, cost in costs.items() if cost == min(costs.values()))
            assert value == min(costs.values()) << MOVES_SHIFT | movers


def slowed(slices: int) -> Callable[[Question, Lease], Iterator[Event]]:
    """Return the bidirectional search with `slices` slices more for each event."""

    def events(question: Question, lease: Lease) -> Iterator[Event]:
        for event in bidirectional.search(question, lease):
            yield from [Progress(question.first_limit, 0, 0.0)] * slices
            yield event

    return events


def events_of(question: Question, until: int, slices: int = 0) -> list[Event]:
    """Return the events, without progress, of a slowed search with a beam search, up to limit `until`."""
    search = with_beam_search(slowed(slices))
    events: list[Event] = []
    for event in search(question):
        events += [] if isinstance(event, Progress) else [event]
        if isinstance(event, Exhausted) and event.limit == until:
            break
    return events


def test_limits_do_not_wait_for_the_beam_search() -> None:
    events = events_of(question_of("french-37", 0, 19), 17)
    assert all(isinstance(event, Exhausted) for event in events) and len(events) == 17


def test_solutions_are_found_while_limits_are_searched() -> None:
    events = events_of(question_of("french-37", 0, 19), 12, slices=200)
    found = [event for event in events if isinstance(event, Found)]
    assert found and all(len(event.moves) == event.limit >= 20 for event in found)
    assert isinstance(events[0], Exhausted) and isinstance(events[-1], Exhausted)


def test_found_solution_is_proved_once_smaller_limits_are_exhausted() -> None:
    puzzle = find("triangle-21")
    question = Question(puzzle, 6, puzzle.parse(puzzle.start))
    events, plain = events_of(question, 99, slices=200), list(puzzle.method("bidirectional").search(question))
    limits = [event for event in plain if isinstance(event, Exhausted)]
    proved = [event for event in events if isinstance(event, Exhausted)]
    assert [(e.limit, e.nodes, e.cut) for e in proved] == [(e.limit, e.nodes, e.cut) for e in limits]
    end = events[-1]
    assert isinstance(end, Solved) and end.limit == 12 and end.nodes == 0
    assert end.total_nodes == sum(event.nodes for event in limits)
    assert replay(puzzle, question.position, end.moves)[1] == 12


def test_beam_search_ends_before_the_proof_is_given_up() -> None:
    question = question_of("triangle-21", 6, 6)

    def given_up(question: Question, lease: Lease) -> Iterator[Event]:
        yield Progress(1, 0, 0.0)
        yield Stopped("limit", 0, 0, 0.0)

    events = with_beam_search(given_up)(question)
    *found, end = [event for event in events if not isinstance(event, Progress)]
    assert found and all(isinstance(event, Found) for event in found)
    assert end == Stopped("limit", 0, 0, 0.0)


def without_answers(puzzle_id: str) -> Puzzle:
    """Return a puzzle of a new engine that knows nothing, neither from a source nor of the atlas."""
    return with_source(Engine(puzzles.PUZZLES, atlas=lambda puzzle: {}).find(puzzle_id), Source())


@pytest.mark.parametrize("first", [None, (2, 0)])
def test_engine_learns_the_proofs_of_a_search(first: tuple[int, int] | None) -> None:
    puzzle, exact = without_answers("hoppers"), find("hoppers").source(6)
    start = puzzle.parse(".oo.ooooooooo")
    question = Question(puzzle, 6, start, first=puzzle.step(start, *first) if first else None)
    end = list(recorded(question, puzzle.method("bidirectional").search(question)))[-1]
    assert isinstance(end, Solved) and end.limit == question.spent + 6
    place, left = question.root, 6
    for step in puzzle.engine.bounds.line(puzzle, 6, question.root):
        assert puzzle.engine.bounds.answer(puzzle, 6, place)[:2] == (left, "kept")
        assert left == exact.moves_left(place)
        place, left = puzzle.canonical(step.after), left - step.cost
    assert left == 0 and puzzle.is_solved(place, 6)
    again = list(known_events(question))[-1]
    assert isinstance(again, Solved)
    assert again == replace(end, seconds=again.seconds, nodes=0, total_nodes=0, known="kept")


def test_proof_of_an_earlier_search_is_called_kept() -> None:
    puzzle, exact = without_answers("hoppers"), find("hoppers")
    position = puzzle.parse("oo..oo.oooo.o")
    steps = list(shortest_solution(exact, 6, position, exact.source(6).moves_left))
    puzzle.engine.bounds.learn_line(puzzle, 6, position, steps)
    puzzle.engine.bounds.raise_least(puzzle, 6, position, 5)
    end = list(known_events(Question(puzzle, 6, position)))[-1]
    assert isinstance(end, Solved) and (end.limit, end.known) == (5, "kept")


def test_proved_problem_of_the_atlas_is_answered_by_the_atlas() -> None:
    puzzle = with_source(Engine(puzzles.PUZZLES).find("hoppers"), Source())
    question = Question(puzzle, 6, puzzle.parse(puzzle.start))
    end = list(known_events(question))[-1]
    assert isinstance(end, Solved) and end.limit == 7 and end.known == "atlas"
    assert replay(puzzle, question.position, end.moves)[1] == 7


def test_engine_learns_that_a_position_is_dead() -> None:
    puzzle = without_answers("triangle-15")
    position = puzzle.parse("o............oo")
    assert find("triangle-15").source(4).moves_left(position) == DEAD
    question = Question(puzzle, 4, position)
    list(recorded(question, puzzle.method("bidirectional").search(question)))
    assert puzzle.engine.bounds.answer(puzzle, 4, position)[:2] == (DEAD, "kept")


def test_learnt_answer_of_a_large_board_needs_no_table() -> None:
    puzzle = Engine(puzzles.PUZZLES, atlas=lambda puzzle: {}).find("diamond-41")
    source, start = LargeBoardSource(puzzle, 3), puzzle.parse(puzzle.start)
    steps = find("diamond-41").engine.bounds.line(find("diamond-41"), 3, start)
    puzzle.engine.bounds.learn_shortest(puzzle, 3, start, steps)
    assert source.moves_left(start) == 26
    assert source.solution_lookup(start) is None


def test_counting_in_steps_counts_the_same_and_reports_progress() -> None:
    puzzle = find("triangle-15")
    start = puzzle.parse(puzzle.start)
    progress = list(solution_graph(puzzle, 0, start, puzzle.source(0).moves_left))
    assert len(progress) > 100 and progress == sorted(progress) and 0 <= progress[0] < progress[-1] <= 1
    reported, counting = list[Progress](), count_solutions(Question(puzzle, 0, start, find_all=True), 10)
    assert finish(map_progress(counting, reported.append)) == 2 * 681
    assert len(reported) > len(progress)
