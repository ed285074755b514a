"""Requirements on every registered puzzle; a new puzzle is tested without any change here."""

import itertools
import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hoppers.analysis import verdicts
from hoppers.analysis.known_answers import known_events
from hoppers.core.errors import PuzzleError
from hoppers.core.events import Exhausted, Progress, Solved, Unsolvable
from hoppers.core.model import Position, Step, group_moves
from hoppers.core.puzzle import Puzzle, Question
from hoppers.tablebase.solutions import (
    SolutionList,
    finished_graph,
)
from tests import naive
from tests.support.checked_solutions import check_solution
from tests.support.engine import PUZZLES, one_of_each_kind

QUICK_CLOSURE = 500
"""Boards of a closure that any request may build."""

every_puzzle = pytest.mark.parametrize("puzzle", PUZZLES.values(), ids=list(PUZZLES))
every_kind = pytest.mark.parametrize("puzzle", one_of_each_kind().values(), ids=list(one_of_each_kind()))


def walk(puzzle: Puzzle, seed: int, most: int = 60) -> list[Position]:
    """Return at most `most` positions of a random game, beginning with a random start."""
    rng = random.Random(seed)
    position = puzzle.parse(rng.choice(list(puzzle.starts.values())))
    line = [position]
    while len(line) < most and (steps := puzzle.steps(position)):
        position = rng.choice(steps).after
        line.append(position)
    return line


def start_with_quick_verdict(puzzle: Puzzle, goal: int) -> Position:
    """Return the start; on a large board, a position with a small closure, by undoing jumps from one peg."""
    if puzzle.source(goal).is_complete or puzzle.family != "pegs":
        return puzzle.parse(puzzle.start)
    rng, lines = (
        random.Random(puzzle.holes),
        [(1 << a | 1 << b | 1 << c, 1 << c) for a, b, c in puzzle.board.jumps],
    )
    before = [1 << (puzzle.holes // 2 if goal < 0 else goal)]
    while before and is_small(state := rng.choice(before), lines):
        found = state
        before = [state ^ line for line, end in lines if state & line == end]
    return Position(found)


def is_small(state: int, lines: list[tuple[int, int]]) -> bool:
    """Return whether at most QUICK_CLOSURE boards follow from a board (`lines`: holes of a jump, its end)."""
    reached, waiting = {state}, [state]
    while waiting and len(reached) <= QUICK_CLOSURE:
        board = waiting.pop()
        after = {board ^ line for line, end in lines if board & line == line ^ end} - reached
        reached |= after
        waiting += after
    return len(reached) <= QUICK_CLOSURE


def near_end(puzzle: Puzzle, goal: int, seed: int) -> Position:
    """Return a position from which an exhaustive search is fast: late in a game, or near the goal."""
    game = walk(puzzle, seed)
    return game[max(0, len(game) - 7)] if puzzle.rules.multi_step_moves else near_goal(puzzle, goal, seed)


def near_goal(puzzle: Puzzle, goal: int, seed: int, most_lines: int = 3000) -> Position:
    """Return a position a few random steps from the goal, for puzzles whose steps can be undone."""
    rng = random.Random(seed)
    position = puzzle.parse(puzzle.start)
    while not puzzle.is_solved(position, goal):
        position = next(
            step.step.after
            for step in verdicts.graded(puzzle, goal, position)[1]
            if closer(puzzle, goal, position, step)
        )
    lines = 1
    while (lines := lines * len(puzzle.steps(position))) <= most_lines:
        position = rng.choice(puzzle.steps(position)).after
    return position


def closer(puzzle: Puzzle, goal: int, position: Position, step: verdicts.GradedStep) -> bool:
    left = verdicts.find_verdict(puzzle, goal, position).moves_left
    return left is not None and step.verdict.moves_left == left - step.step.cost


@every_puzzle
def test_texts_round_trip(puzzle: Puzzle) -> None:
    for seed in range(4):
        for position in walk(puzzle, seed):
            assert puzzle.parse(puzzle.format(position)) == position


@every_puzzle
def test_record_is_coherent(puzzle: Puzzle) -> None:
    assert puzzle.goal in puzzle.rules.goals
    assert puzzle.start in puzzle.starts.values()
    assert (puzzle.gallery.problems[0].start, puzzle.gallery.problems[0].goal) == (puzzle.start, puzzle.goal)
    assert {"deepening", "best", puzzle.solving.default_method} <= set(puzzle.solving.methods)
    assert len(puzzle.gallery.pieces) == len(puzzle.rules.alphabet)
    for problem in puzzle.gallery.problems:
        assert puzzle.format(puzzle.parse(problem.start)) == problem.start
        puzzle.parse_goal(problem.goal)


@every_puzzle
def test_steps_match_the_naive_rules(puzzle: Puzzle) -> None:
    game = naive.rules(puzzle.id)
    for seed in range(4):
        for position in walk(puzzle, seed):
            ours = sorted(
                (s.origin, s.target, puzzle.format(s.after), s.cost) for s in puzzle.steps(position)
            )
            assert ours == sorted(game.steps(puzzle.format(position)))


@every_puzzle
def test_lines_are_replayed_by_the_rules(puzzle: Puzzle) -> None:
    """Replaying a line by its holes or by its states gives the steps of the game."""
    for seed in range(3):
        rng, position, line = random.Random(seed), puzzle.parse(puzzle.start), list[Step]()
        while len(line) < 20 and (steps := puzzle.legal_steps(line[-1].after if line else position)):
            line.append(rng.choice(steps))
        jumps = [(step.origin, step.target) for step in line]
        states = [step.after.state for step in line]
        assert puzzle.replay(position, jumps) == puzzle.steps_along(position, states) == line
        with pytest.raises(ValueError, match=f"step {len(line) + 1} of {len(line) + 1} "):
            puzzle.replay(position, [*jumps, (0, 0)])
        with pytest.raises(ValueError, match=f"step {len(line)} of {len(line)} "):
            puzzle.steps_along(position, [*states[:-1], states[-1] ^ 1])


@every_kind
def test_symmetries_keep_verdicts(puzzle: Puzzle) -> None:
    goal = puzzle.rules.goals.get("any", 0)
    images = [image for image in puzzle.board.symmetries if puzzle.rules.goal_image(image, goal) == goal]
    longest = max((walk(puzzle, seed) for seed in range(1, 6)), key=len)
    for position in longest if puzzle.holes <= 21 else longest[-8:]:  # a verdict is fast there
        cells = puzzle.cells(position.state)
        for image in images:
            turned = tuple(cells[image.index(hole)] for hole in range(puzzle.holes))
            active = image[position.active] if position.active >= 0 else -1
            turned_position = Position(puzzle.pack(turned), active)
            assert verdicts.find_verdict(puzzle, goal, turned_position) == verdicts.find_verdict(
                puzzle, goal, position
            )


def questions(puzzle: Puzzle, find_all: bool) -> Iterator[Question]:
    for seed in range(4):
        goals = list(puzzle.rules.goals.values())
        goal = goals[seed % len(goals)]
        yield Question(puzzle, goal, near_end(puzzle, goal, seed), find_all)


@every_kind
def test_every_method_agrees_with_the_naive_search(puzzle: Puzzle) -> None:
    game = naive.rules(puzzle.id)
    for question in questions(puzzle, find_all=True):
        text, goal = puzzle.format(question.position), goal_text(puzzle, question.goal)
        fewest = naive.fewest_moves(game, text, goal)
        count = naive_count(puzzle, text, goal, fewest)
        searches = {name: method.search for name, method in puzzle.solving.methods.items()}
        for name, search in {**searches, "known": known_events}.items():
            if fewest is None and not puzzle.rules.multi_step_moves and name != "known":
                continue  # deepening in a graph with cycles never ends; its limits are tested elsewhere
            events = [event for event in search(question) if not isinstance(event, Progress)]
            if name == "known" and not events:
                continue
            assert outcome(events[-1]) == (fewest, count), (name, text, goal)
            limits = [event.limit for event in events if isinstance(event, Exhausted)]
            assert limits == sorted(set(limits))
            if isinstance(events[-1], Solved):
                check_solution(question, events[-1])


def naive_count(puzzle: Puzzle, text: str, goal: str, fewest: int | None) -> int:
    if fewest is None:
        return 0
    game = naive.rules(puzzle.id)
    return (
        len(naive.solutions(game, text, goal, fewest))
        if puzzle.rules.multi_step_moves
        else naive.count_shortest(game, text, goal)
    )


def goal_text(puzzle: Puzzle, goal: int) -> str:
    return next(text for text, code in puzzle.rules.goals.items() if code == goal)


def outcome(event: object) -> tuple[int | None, int | None]:
    if isinstance(event, Solved):
        return event.limit, event.count
    assert isinstance(event, Unsolvable)
    return None, 0


@every_kind
def test_every_hint_begins_the_solution(puzzle: Puzzle) -> None:
    goal, spent = puzzle.rules.goals.get("any", puzzle.parse_goal(None)), 0
    position = start_with_quick_verdict(puzzle, goal)
    total = verdicts.find_verdict(puzzle, goal, position).moves_left
    assert total is not None
    while not puzzle.is_solved(position, goal):
        verdict, move = verdicts.hint(puzzle, goal, position)
        assert verdict.moves_left == total - spent
        assert move == verdicts.solution(puzzle, goal, position)[1][0]
        step = puzzle.step(position, *move[:2])
        spent += step.cost
        position = step.after
    assert spent == total


@every_kind
def test_solutions_are_counted_listed_and_paged(puzzle: Puzzle) -> None:
    for question in questions(puzzle, find_all=False):
        goal, position = question.goal, question.position
        if verdicts.find_verdict(puzzle, goal, position).moves_left is None:
            continue
        graph = finished_graph(puzzle, puzzle.source(goal), goal, position)
        if graph.count(0) > 3000:
            continue
        lines = list(SolutionList(graph).page(0, 10**6))
        assert len(set(lines)) == len(lines) == graph.count(0)
        assert [*SolutionList(graph).page(0, 2), *SolutionList(graph).page(2, 10**6)] == lines
        jumps = [[(step.origin, step.target) for step in line] for line in lines]
        assert [SolutionList(graph).number_of(line) for line in jumps] == [*range(1, len(lines) + 1)]
        kinds = SolutionList(graph, puzzle.symmetries(position, goal))
        unique = list(kinds.page(0, 10**6))
        assert len(unique) == kinds.count() == orbits(puzzle, question, lines)
        assert unique == [line for line in lines if is_least(puzzle, question, line)]
        assert [*kinds.page(0, 3), *kinds.page(3, 10**6)] == unique


def is_least(puzzle: Puzzle, question: Question, line: tuple[Step, ...]) -> bool:
    holes = [(step.origin, step.target) for step in line]
    images = puzzle.symmetries(question.position, question.goal)
    return all(holes <= [(image[a], image[b]) for a, b in holes] for image in images)


def orbits(puzzle: Puzzle, question: Question, lines: list[tuple[Step, ...]]) -> int:
    images = puzzle.symmetries(question.position, question.goal)
    return len({min(tuple((i[s.origin], i[s.target]) for s in line) for i in images) for line in lines})


@every_kind
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_any_text_is_a_position_or_a_quoted_error(puzzle: Puzzle, data: st.DataObject) -> None:
    letters = st.sampled_from(puzzle.rules.alphabet + ":x0 9é")
    text = data.draw(
        st.one_of(st.text(max_size=40), st.text(letters, min_size=puzzle.holes, max_size=puzzle.holes + 3))
    )
    try:
        position = puzzle.parse(text)
    except PuzzleError as error:
        assert error.code == "invalid_position" and str(error)
    else:
        assert puzzle.parse(puzzle.format(position)) == position


@every_kind
def test_moves_group_the_steps_of_one_piece(puzzle: Puzzle) -> None:
    goal = puzzle.rules.goals.get("any", puzzle.parse_goal(None))
    position, steps = start_with_quick_verdict(puzzle, goal), []
    verdict, moves = verdicts.solution(puzzle, goal, position)
    for move in moves:
        for origin, target in itertools.pairwise(move):
            step = puzzle.step(position, origin, target)
            steps.append(step)
            position = step.after
    assert group_moves(steps) == moves
    assert sum(step.cost for step in steps) == len(moves) == verdict.moves_left
