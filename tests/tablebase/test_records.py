"""Stored answers: they survive restarts, are checked when read, and are always proved."""

import gc
import json

import pytest

from hoppers import puzzles
from hoppers.analysis.requests import parse_search
from hoppers.core.events import Event, Exhausted, Found, Solved, Stopped, Unsolvable
from hoppers.core.machine_code import SOURCES_DIGEST
from hoppers.core.model import (
    DEAD,
    DEAD_BOUND,
    MAX_MOVES,
    UNKNOWN,
    Bounds,
    KnownAnswer,
    Position,
    ProblemKey,
    cost_of,
)
from hoppers.core.puzzle import Puzzle, Question
from hoppers.puzzles.pegs.large_tables import tables_in_memory
from hoppers.puzzles.pegs.source import LargeBoardSource
from hoppers.puzzles.pegs.symmetries import apply_symmetry
from hoppers.puzzles.sliding import pattern_databases
from hoppers.tablebase import records
from hoppers.tablebase.best_method import recorded
from hoppers.tablebase.engine import Engine
from hoppers.tablebase.records import NOTHING, Records, checksum
from tests.support.engine import MemoryStore, find

COSTLY, CHEAP = "1de968ca20537f4b", "e83420f9c1d65b7a"  # proofs of 208,970 and 1,288 nodes
ENGLISH = find("english-33")
CENTRE = 16


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


def restarted(store: MemoryStore) -> Puzzle:
    """Return English 33 of a new engine with the answers in `store` and without the atlas."""
    return Engine(puzzles.PUZZLES, answers=store, atlas=lambda puzzle: {}).find("english-33")


def write(store: MemoryStore, position: Position, line: list[int], goal: int = CENTRE) -> None:
    """Learn and save a proof in a new engine."""
    puzzle = restarted(store)
    steps = puzzle.steps_along(position, line)
    puzzle.engine.bounds.learn_shortest(puzzle, goal, position, steps)
    puzzle.engine.bounds.save(puzzle, goal, position, steps)


def read(store: MemoryStore, position: Position, goal: int = CENTRE) -> KnownAnswer:
    """Return the stored answer in a new engine."""
    puzzle = restarted(store)
    return puzzle.engine.bounds.stored_answer(puzzle, goal, position)


def states(position: Position, answer: KnownAnswer) -> list[int]:
    """Return the state after each step of the solution in an answer."""
    return [step.after.state for step in ENGLISH.replay(position, answer.jumps)]


def backwards(goal: int, jumps: int) -> tuple[Position, list[int]]:
    """Take back `jumps` jumps, always the first possible; return the position and the states after it."""
    states = [1 << goal]
    for _ in range(jumps):
        state = states[-1]
        lines = [(1 << a | 1 << b, 1 << c) for a, b, c in ENGLISH.board.jumps]
        states.append(next(state ^ c | ab for ab, c in lines if state & c and not state & ab))
    return Position(states.pop()), states[::-1]


def moves_along(position: Position, line: list[int]) -> int:
    return cost_of(ENGLISH.steps_along(position, line))


def test_symmetric_positions_and_goals_share_an_answer(store: MemoryStore) -> None:
    goal = 3
    position, line = backwards(goal, 5)
    left = moves_along(position, line)
    write(store, position, line, goal)
    assert len(store.values) == 1
    for image in ENGLISH.board.symmetries:
        state = apply_symmetry(position.state, image)
        answer = read(store, Position(state), image[goal])
        assert answer[:2] == (left, "kept")
        after = states(Position(state), answer)
        assert moves_along(Position(state), after) == left and after[-1] == 1 << image[goal]
    assert read(store, position).left == UNKNOWN
    assert len(store.values) == 1


def test_all_positions_on_a_stored_solution_are_known(store: MemoryStore) -> None:
    position, line = backwards(CENTRE, 6)
    left = moves_along(position, line)
    write(store, position, line)
    source = LargeBoardSource(restarted(store), CENTRE)
    assert source.known_answer(position)[:2] == (left, "kept")
    for step in ENGLISH.steps_along(position, line):
        left -= step.cost
        assert source.known_answer(ENGLISH.canonical(step.after))[:2] == (left, "kept")


def test_wrong_solutions_are_not_stored(store: MemoryStore) -> None:
    position, line = backwards(CENTRE, 4)
    for wrong in [line[:-1], line[:1], []]:
        write(store, position, wrong)
    assert store.values == {} and read(store, position).left == UNKNOWN


@pytest.mark.parametrize("damage", ["flip", "cut", "swap", "junk"])
def test_damaged_answers_are_ignored(store: MemoryStore, damage: str) -> None:
    position, line = backwards(CENTRE, 4)
    write(store, position, line)
    ((name, value),) = store.values.items()
    other = value.replace(b"[", b"[ ", 1)
    flipped = value[:12] + bytes([value[12] ^ 1]) + value[13:]
    store.values[name] = {"flip": flipped, "cut": value[:-1], "swap": other, "junk": b"\xff"}[damage]
    assert read(store, position).left == UNKNOWN


def test_solution_with_a_correct_checksum_is_replayed(store: MemoryStore) -> None:
    position, line = backwards(CENTRE, 4)
    write(store, position, line)
    ((name, _),) = store.values.items()
    lie = json.dumps([SOURCES_DIGEST, 1, 1, [[4, 16]]]).encode()
    store.values[name] = checksum(name, lie) + lie
    assert read(store, position).left == UNKNOWN


def test_answers_of_other_versions_are_ignored(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    position, line = backwards(CENTRE, 4)
    write(store, position, line)
    monkeypatch.setattr(records, "SOURCES_DIGEST", "another")
    assert read(store, position).left == UNKNOWN


def test_only_proofs_are_stored(store: MemoryStore) -> None:
    engine = Engine(puzzles.PUZZLES, answers=store)
    position, line = backwards(CENTRE, 4)
    question = Question(engine.find("english-33"), CENTRE, position)
    step = question.puzzle.legal_steps(position)[0]
    unproved: list[Event] = [
        Exhausted(1, 1, 1, 0.0),
        Found(3, 0.0, [[step.origin, step.target]]),
        Stopped("limit", 2, 10, 0.0),
    ]
    assert list(recorded(question, unproved, 0)) == unproved
    assert store.values == {}
    write(store, position, line)
    assert len(store.values) == 1


def test_openings_on_a_proved_solution_survive_a_restart(store: MemoryStore) -> None:
    goal, position = 1, ENGLISH.parse(ENGLISH.starts["1"])
    ENGLISH.source(goal).find_solution(position, True)
    solution = ENGLISH.engine.bounds.line(ENGLISH, goal, position)
    line, left = [step.after.state for step in solution], cost_of(solution)
    write(store, position, line, goal)
    assert len(store.values) == 8  # from 32 to 25 pegs; positions after them are answered at once
    for number, state in enumerate(line[:7], 1):
        [step] = ENGLISH.steps_along(position, [state])
        left, position = left - step.cost, step.after
        answer = read(store, ENGLISH.canonical(position), goal)
        assert answer.left == left
        assert states(position, answer) == line[number:]


def test_stored_solution_is_followed_without_a_table(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    position, line = backwards(CENTRE, 24)
    write(store, position, line)
    monkeypatch.setattr(tables_in_memory, "build_closure", None)  # fails if it is called
    answer = LargeBoardSource(restarted(store), CENTRE).known_answer(position)
    assert states(position, answer) == line


def test_proof_of_unsolvability_is_stored(store: MemoryStore) -> None:
    position = Position(0b11 << 6)
    puzzle = restarted(store)
    proof: list[Event] = [Unsolvable("table", 5, 0.0)]
    assert list(recorded(Question(puzzle, CENTRE, position), proof, 0)) == proof
    assert read(store, position)[:2] == (DEAD, "kept")


def test_search_that_is_closed_after_its_proof_has_saved_it(store: MemoryStore) -> None:
    position = Position(0b11 << 6)
    proof: list[Event] = [Unsolvable("table", 5, 0.0)]
    search = recorded(Question(restarted(store), CENTRE, position), proof, 0)
    assert next(search) == proof[0]
    search.close()
    assert read(store, position)[:2] == (DEAD, "kept")


def test_stored_search_of_the_fifteen_puzzle_is_not_repeated(store: MemoryStore) -> None:
    def search(engine: Engine) -> tuple[list[Event], int]:
        events = list(parse_search(engine, "fifteen-puzzle", COSTLY).events())
        return events, sum(event.nodes for event in events if isinstance(event, Exhausted | Solved))

    def new_engine() -> Engine:
        return Engine(puzzles.PUZZLES, answers=store)

    pattern_databases.load(find("fifteen-puzzle").board)
    events, nodes = search(new_engine())
    assert nodes > 0
    again, nodes_again = search(new_engine())
    first, last = events[-1], again[-1]
    assert isinstance(first, Solved)
    assert isinstance(last, Solved)
    assert (last.limit, last.moves, nodes_again) == (first.limit, first.moves, 0)
    puzzle = new_engine().find("fifteen-puzzle")
    assert puzzle.source(0).moves_left(puzzle.parse(COSTLY)) == first.limit
    store.values.clear()
    assert search(new_engine())[1] == nodes


def test_cheap_proof_of_the_fifteen_puzzle_is_not_stored(store: MemoryStore) -> None:
    engine = Engine(puzzles.PUZZLES, answers=store)
    pattern_databases.load(find("fifteen-puzzle").board)
    *_, solved = parse_search(engine, "fifteen-puzzle", CHEAP).events()
    *_, again = parse_search(engine, "fifteen-puzzle", CHEAP).events()
    assert isinstance(solved, Solved) and solved.total_nodes == 1288 and store.values == {}
    assert isinstance(again, Solved) and (again.total_nodes, again.known) == (0, "kept")


@pytest.mark.parametrize("is_sound", [True, False])
def test_proofs_of_every_sound_method_are_learnt(is_sound: bool) -> None:
    engine = Engine(puzzles.PUZZLES)
    search = parse_search(engine, "fifteen-puzzle", CHEAP, method="manhattan")
    search = search._replace(method=search.method._replace(is_admissible=is_sound))
    *_, solved = search.events()
    question = search.question
    bounds = engine.bounds.record(question.puzzle, question.goal, question.position)
    assert isinstance(solved, Solved) and bounds.is_tight == is_sound
    assert not is_sound or bounds.most == solved.limit


def key_of(state: int, active: int = -1) -> ProblemKey:
    return ProblemKey("fifteen-puzzle", 0, Position(state, active))


@pytest.mark.parametrize(
    "record",
    [NOTHING, Bounds(7), Bounds(DEAD_BOUND), Bounds(0, 0), Bounds(2, MAX_MOVES, bytes(range(256)))],
)
def test_record_in_memory_is_what_was_put(record: Bounds) -> None:
    known = Records(None)
    keys = [key_of(0), key_of((1 << 64) - 1), key_of(5, 15), ProblemKey("a", -1, Position(5, 15))]
    for number, key in enumerate(keys):
        known.put(key, record._replace(least=record.least + number))
    assert [known.get(key) for key in keys] == [record._replace(least=record.least + n) for n in range(4)]
    assert known.get(key_of(1)) == NOTHING


def test_records_in_memory_are_bounded_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MAX_BYTES", 100_000)
    known, line = Records(None), Bounds(50, 50, bytes(100))
    for state in range(1_000):
        known.put(key_of(state), line)
    held = [state for state in range(1_000) if known.get(key_of(state)) == line]
    assert held == list(range(1_000 - len(held), 1_000))
    assert 100_000 / 500 < len(held) < 100_000 / 200


def test_garbage_collector_examines_no_record() -> None:
    known = Records(None)
    gc.collect()
    before = len(gc.get_objects())
    for state in range(1_000):
        known.put(key_of(state), Bounds(50, 50, bytes(100)))
    gc.collect()
    assert len(gc.get_objects()) < before + 100 and known.get(key_of(999)).most == 50
