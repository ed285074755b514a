"""Proved answers that are kept: across restarts, checked when they are read, and never a guess."""

from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest

from hoppers.analysis.requests import read_search
from hoppers.core.events import Event, Exhausted, Found, Solved, Stopped, Unsolvable
from hoppers.core.model import DEAD, UNKNOWN, Position
from hoppers.core.puzzle import Question
from hoppers.puzzles.pegs.bidirectional.kernels import apply_symmetry
from hoppers.puzzles.pegs.large_board import BigBoard
from hoppers.puzzles.pegs.source import SHELF, LargeBoardSource
from hoppers.puzzles.sliding import fifteen_method, pattern_databases
from hoppers.puzzles.sliding.fifteen_source import FifteenSource
from hoppers.tablebase import proved_answers
from hoppers.tablebase.builder import WORKSHOP
from hoppers.tablebase.proved_answers import Answers
from hoppers.tablebase.table_method import kept
from tests.engine import find

HARD = "e80921f3cd645b7a"
ENGLISH = find("english-33")
BOARD = BigBoard(ENGLISH.board.jumps, ENGLISH.board.symmetries)
CENTRE = 16


class InMemory:
    """A store whose contents can be looked at."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def get(self, name: str) -> bytes | None:
        return self.kept.get(name)

    def put(self, name: str, value: bytes) -> None:
        self.kept[name] = value


@pytest.fixture
def store() -> Iterator[InMemory]:
    """Where answers are kept during a test."""
    store = InMemory()
    proved_answers.keep_in(store)
    yield store
    proved_answers.keep_in(proved_answers.Nowhere())


@pytest.fixture
def restart(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Forget everything that only this process knows of the 15-puzzle."""

    def forget() -> None:
        monkeypatch.setattr(fifteen_method, "_SOURCE", FifteenSource())

    pattern_databases.load()
    forget()
    return forget


def english(goal: int = CENTRE) -> Answers:
    return Answers("test", BOARD.answer_rules(goal))


def backwards(goal: int, jumps: int) -> tuple[Position, list[int]]:
    """A position so many jumps before the end, and the states on the way; every choice is the first one."""
    states = [1 << goal]
    for _ in range(jumps):
        state = states[-1]
        lines = [(1 << a | 1 << b, 1 << c) for a, b, c in BOARD.jumps]
        states.append(next(state ^ c | ab for ab, c in lines if state & c and not state & ab))
    return Position(states.pop()), states[::-1]


def moves_along(position: Position, line: list[int]) -> int:
    total = 0
    for state in line:
        cost, position = next(step for step in BOARD.steps(position) if step[1].state == state)
        total += cost
    return total


def test_an_answer_is_the_same_for_every_image_of_position_and_goal(store: InMemory) -> None:
    goal = 3
    position, line = backwards(goal, 5)
    left = moves_along(position, line)
    english(goal).learn(position, left, line)
    assert len(store.kept) == 1
    for image in BOARD.symmetries:
        state = apply_symmetry(position.state, image)
        known = english(image[goal])
        assert known.moves_left(Position(state)) == left
        there = known.line(Position(state))
        assert there is not None
        assert moves_along(Position(state), there) == left
        assert there[-1] == 1 << image[goal]
    assert english(CENTRE).moves_left(position) == UNKNOWN
    assert len(store.kept) == 1


def test_all_positions_on_a_kept_line_are_known(store: InMemory) -> None:
    position, line = backwards(CENTRE, 6)
    left = moves_along(position, line)
    english().learn(position, left, line)
    known = english()
    assert known.moves_left(position) == left
    for cost, after in known._rules.steps(position):
        if after.state == line[0]:
            assert known.moves_left(after) == left - cost


def test_what_does_not_lead_to_the_end_is_not_kept(store: InMemory) -> None:
    position, line = backwards(CENTRE, 4)
    left = moves_along(position, line)
    for wrong in [(left - 1, line), (left + 1, line), (left, line[:-1]), (left, line[1:]), (DEAD, line)]:
        english().learn(position, *wrong)
    assert store.kept == {}


@pytest.mark.parametrize("damage", ["flip", "cut", "swap", "junk"])
def test_a_damaged_answer_is_as_if_it_had_never_been_kept(store: InMemory, damage: str) -> None:
    position, line = backwards(CENTRE, 4)
    english().learn(position, moves_along(position, line), line)
    ((name, value),) = store.kept.items()
    other = value.replace(b"[", b"[ ", 1)
    flipped = value[:12] + bytes([value[12] ^ 1]) + value[13:]
    store.kept[name] = {"flip": flipped, "cut": value[:-1], "swap": other, "junk": b"\xff"}[damage]
    assert english().moves_left(position) == UNKNOWN


def test_a_line_with_a_good_checksum_is_played_all_the_same(store: InMemory) -> None:
    position, line = backwards(CENTRE, 4)
    english().learn(position, moves_along(position, line), line)
    ((name, _),) = store.kept.items()
    lie = b"[1,[65536]]"
    store.kept[name] = proved_answers.checksum(name, lie) + lie
    assert english().moves_left(position) == UNKNOWN


def test_another_version_knows_nothing(store: InMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    position, line = backwards(CENTRE, 4)
    english().learn(position, moves_along(position, line), line)
    monkeypatch.setattr(proved_answers, "VERSION", "another")
    assert english().moves_left(position) == UNKNOWN


def test_only_proofs_are_kept(store: InMemory) -> None:
    source = LargeBoardSource(BOARD, CENTRE, WORKSHOP, SHELF)
    position, line = backwards(CENTRE, 4)
    question = Question(ENGLISH, CENTRE, position)
    moves = [list(pair) for pair in pairwise([0, 1])]
    unproved: list[Event] = [
        Exhausted(1, 1, 1, 0.0),
        Found(3, 0.0, moves),
        Stopped("limit", 2, 10, 0.0),
    ]
    assert list(kept(question, unproved)) == unproved
    assert store.kept == {}
    source.keep(position, moves_along(position, line), line)
    assert len(store.kept) == 1


def test_each_opening_on_a_proved_line_is_known_after_a_restart(store: InMemory) -> None:
    goal, position = 1, Position(BOARD.every ^ 1 << 1)
    way = ENGLISH.solver.find_solution(Question(ENGLISH, goal, position), True)
    assert way is not None
    line = [step.after.state for step in way]
    left = moves_along(position, line)
    LargeBoardSource(BOARD, goal, WORKSHOP, SHELF).keep(position, left, line)
    assert len(store.kept) == 8  # from 32 to 25 pegs; what follows is judged at once
    for number, state in enumerate(line[:7], 1):
        cost, position = next(step for step in BOARD.steps(position) if step[1].state == state)
        left -= cost
        fresh = Answers(BOARD.name, BOARD.answer_rules(goal))
        assert fresh.moves_left(BOARD.settled(position)) == left
        assert fresh.line(BOARD.settled(position)) == line[number:]


def test_a_proof_that_there_is_none_is_kept(store: InMemory) -> None:
    position = Position(0b11 << 6)
    assert list(kept(Question(ENGLISH, CENTRE, position), [Unsolvable("table", 5, 0.0)]))
    fresh = Answers(BOARD.name, BOARD.answer_rules(CENTRE))
    assert fresh.moves_left(position) == DEAD
    assert fresh.line(position) is None


def test_a_search_of_the_fifteen_puzzle_is_made_once(store: InMemory, restart: Callable[[], None]) -> None:
    def search() -> tuple[list[Event], int]:
        events = list(read_search("fifteen-puzzle", HARD).events())
        return events, sum(event.nodes for event in events if isinstance(event, Exhausted | Solved))

    events, nodes = search()
    assert nodes > 0
    restart()
    again, none = search()
    first, last = events[-1], again[-1]
    assert isinstance(first, Solved)
    assert isinstance(last, Solved)
    assert (last.limit, last.moves, none) == (first.limit, first.moves, 0)
    restart()
    puzzle = find("fifteen-puzzle")
    known = fifteen_method.source_for_goal(0)
    assert known.moves_left(puzzle.parse(HARD)) == first.limit
    store.kept.clear()
    restart()
    assert search()[1] == nodes
