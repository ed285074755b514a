"""Pagoda filters of both directions of a search, and searches that share time with a build."""

import itertools
import random
from collections.abc import Generator

import pytest

from hoppers import puzzles
from hoppers.core.events import Exhausted, Solved
from hoppers.core.model import DEAD, UNKNOWN, Position
from hoppers.core.puzzle import Puzzle, Question
from hoppers.core.texts import Text
from hoppers.puzzles.pegs import pagoda, peg_puzzle, vacancy_problems
from hoppers.puzzles.pegs.boards import DIAMOND_41
from hoppers.puzzles.pegs.jump_masks import jumps_of, shift_groups
from hoppers.puzzles.pegs.pagoda import PagodaLearner
from hoppers.puzzles.pegs.peg_board import PegBoard
from hoppers.puzzles.pegs.source import LargeBoardSource
from hoppers.runtime.builder import finish
from hoppers.runtime.token_bucket import TokenBucket
from hoppers.tablebase.engine import Engine
from tests.puzzles.pegs.positions import LATE
from tests.support.checked_solutions import events_of
from tests.support.engine import find
from tests.support.weight_proofs import is_too_light

"""A board of English 33 with 21 pegs, from a random game."""
LIVE = 0xBCAFFEF9
"""A solvable board with 24 pegs whose closure is too large to be built within a request."""


def reached_from(puzzle: Puzzle, start: int) -> set[int]:
    """Return `start` and every board that jumps from it lead to, by trying all jumps."""
    found, waiting = {start}, [start]
    while waiting:
        board = waiting.pop()
        for a, over, b in puzzle.board.jumps:
            after = board ^ (1 << a | 1 << over | 1 << b)
            if board >> a & 1 and board >> over & 1 and not board >> b & 1 and after not in found:
                found.add(after)
                waiting.append(after)
    return found


def test_no_proof_mixes_old_and_new_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle, rng, end = find("english-33"), random.Random(1), 1 << 16
    board = PegBoard(puzzle.board)
    for _ in range(60):
        board.pagodas.learn(rng.getrandbits(33) & rng.getrandbits(33), [end])
    functions = board.pagodas._known(end)
    assert len(functions) > 2
    states = itertools.cycle([functions[[first]] for first in range(len(functions))])
    monkeypatch.setattr(board.pagodas, "_known", lambda _: next(states))  # as if replaced after each read
    live = {end}
    for _ in range(60):
        jumps = [(a, over, b) for a, over, b in board.jumps if rng.random() < 0.5]
        live |= {
            before
            for state in rng.sample(sorted(live), min(20, len(live)))
            for a, over, b in jumps
            if (before := state ^ (1 << a | 1 << over | 1 << b)).bit_count() == state.bit_count() + 1
            and state >> b & 1
        }
    assert len(live) > 500 and not any(board.pagodas.proves_dead(state, [end]) for state in live)


@pytest.mark.parametrize("puzzle_id", ["hoppers", "triangle-15"])
def test_filters_reject_only_dead_or_unreachable_boards(
    puzzle_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pagoda, "MIN_SAMPLED", 1)
    puzzle, rng, rejected = find(puzzle_id), random.Random(8), [0, 0]
    board = PegBoard(puzzle.board)
    shifts = shift_groups(puzzle.board.jumps)
    for _ in range(6):
        start, goal = rng.getrandbits(puzzle.holes) | 1, rng.randrange(puzzle.holes)
        near = [b for b in range(1, 1 << puzzle.holes) if board.parities(b) == board.parities(1 << goal)]
        forward = PagodaLearner(shifts, puzzle.holes, 0, [1 << goal])
        backward = PagodaLearner(shifts, puzzle.holes, board.every, [start ^ board.every])
        reached = reached_from(puzzle, start)
        for number, learner in enumerate((forward, backward)):
            finish(learner.learn(rng.sample(near, 20)))
            for state in rng.sample(near, 200):
                if is_too_light(state ^ int(learner.flip), learner.tables):
                    rejected[number] += 1
                    assert state not in reached if number else is_dead(puzzle, goal, state)
    assert min(rejected) > 20


def test_warm_start_changes_no_answer() -> None:
    puzzle, rng = find("french-37"), random.Random(4)
    jumps, holes, end = puzzle.board.jumps, puzzle.holes, 1 << 18
    states = [rng.getrandbits(holes) for _ in range(60)]

    def lacks(state: int) -> bool:
        weights = pagoda.best_weights(jumps, holes, state, end)
        lack = sum(weight * ((end >> hole & 1) - (state >> hole & 1)) for hole, weight in enumerate(weights))
        return lack > pagoda.LEAST_LACK

    expected = [lacks(state) for state in states]
    assert 10 < sum(expected) < 50
    for order in (1, -1):
        found = [pagoda.may_prove(jumps, holes, state, end) for state in states[::order]]
        assert found[::order] == expected


def test_boards_after_a_dead_board_need_no_linear_program(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = peg_puzzle("diamond-again", Text(""), DIAMOND_41, vacancy_problems(41, (0, 28)))
    start = puzzle.parse(puzzle.start)
    assert puzzle.rules.obstruction(start, 28) == "pagoda"
    monkeypatch.setattr(pagoda, "may_prove", lambda *_: pytest.fail("a linear program is solved"))
    for step in puzzle.steps(start):
        assert puzzle.rules.obstruction(step.after, 28) == "pagoda"


def is_dead(puzzle: Puzzle, goal: int, state: int) -> bool:
    """Return whether a board is dead according to the complete table."""
    return puzzle.source(goal).moves_left(Position(state)) == DEAD


def test_jumps_are_recovered_from_their_lines() -> None:
    for puzzle_id in ("hoppers", "triangle-21", "english-33"):
        jumps = find(puzzle_id).board.jumps
        assert sorted(jumps_of(shift_groups(jumps))) == sorted(jumps)


def moves_and_nodes(limit: int, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """Search from LATE; return moves and nodes. At most `limit` boards per direction get pagoda functions."""
    monkeypatch.setattr(pagoda, "MAX_TRIES", limit)
    events = events_of(find("english-33"), Position(LATE), -1)
    assert isinstance(events[-1], Solved)
    return events[-1].limit, sum(event.nodes for event in events if isinstance(event, Exhausted | Solved))


def test_search_opens_no_board_that_filters_reject(monkeypatch: pytest.MonkeyPatch) -> None:
    assert moves_and_nodes(0, monkeypatch) == (11, 1977969)
    assert moves_and_nodes(60, monkeypatch) == (11, 461736)


def test_position_is_searched_while_its_table_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    proved = list[tuple[int, Position]]()

    def prove(question: Question) -> Generator[object, None, None]:
        proved.append((question.goal, question.position))
        yield None

    monkeypatch.setattr("hoppers.puzzles.pegs.background_proofs.prove", prove)
    engine, state = Engine(puzzles.PUZZLES), LIVE
    source = LargeBoardSource(engine.find("english-33"), -1, TokenBucket(0.0, 0.0))
    assert source.moves_left(Position(state)) == UNKNOWN
    assert engine.builder.join(120)
    assert proved == [(-1, Position(state))]
    assert source.moves_left(Position(state)) != UNKNOWN
