"""Two engines in one process share nothing but compiled code, and puzzles may wait for their kernels."""

import gc
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from types import FunctionType, ModuleType
from typing import Any, TypeVar

import pytest

from hoppers import puzzles
from hoppers.core.events import Found
from hoppers.core.model import DEAD, UNKNOWN, Position, Source
from hoppers.core.puzzle import Puzzle, PuzzleEngine, Question
from hoppers.puzzles.pegs.large_tables.tables_in_memory import tables_in_memory
from hoppers.puzzles.pegs.source import LargeBoardSource, closure_budget
from hoppers.puzzles.pegs.unproved_solutions import beam_budget
from hoppers.tablebase.best_method import learn
from hoppers.tablebase.engine import Engine
from tests.support.engine import MemoryStore
from tests.support.processes import wait_for

Value = TypeVar("Value")
RESOURCES = (beam_budget, closure_budget)
PARTS = ("scheduler", "builder", "memory", "bounds", "puzzles", "_resources", "_uncompiled")
CONTAINERS = (list, dict, set, OrderedDict)


def new_engine() -> Engine:
    return Engine(puzzles.PUZZLES, answers=MemoryStore())


def use(engine: Engine) -> None:
    """Open the sources of an engine, learn and save an answer, and cache a table."""
    for id in ("hoppers", "eight-puzzle", "fifteen-puzzle", "english-33", "french-37"):
        puzzle = engine.find(id)
        puzzle.source(puzzle.parse_goal(None)).moves_left(puzzle.parse(puzzle.start))
        puzzle.legal_steps(puzzle.parse(puzzle.start))
    late, dead = Position(1 << 14 | 1 << 15), Position(0b11 << 6)
    puzzle = engine.find("english-33")
    assert puzzle.source(16).moves_left(late) == 1  # by a closure, which is cached
    engine.bounds.learn_shortest(puzzle, 16, late, puzzle.steps(late)[:1])
    engine.bounds.learn_dead(puzzle, 16, dead)
    engine.bounds.save(puzzle, 16, dead)
    for kind in RESOURCES:
        engine.resource(kind)
    engine.builder.cancel_all()
    assert engine.builder.join(60)


@pytest.mark.parametrize("name", PARTS)
def test_engines_have_distinct_parts(name: str) -> None:
    assert getattr(new_engine(), name) is not getattr(new_engine(), name)


@pytest.mark.parametrize("kind", RESOURCES)
def test_engine_has_one_resource_of_each_kind(kind: Callable[[PuzzleEngine], object]) -> None:
    one, other = new_engine(), new_engine()
    assert one.resource(kind) is one.resource(kind) is not other.resource(kind)


def test_resource_is_made_once() -> None:
    engine, made = new_engine(), list[object]()

    def make(engine: PuzzleEngine) -> object:
        made.append(object())
        return made[-1]

    assert engine.resource(make) is engine.resource(make) and len(made) == 1


@pytest.mark.parametrize("id", ["hoppers", "english-33", "eight-puzzle", "fifteen-puzzle", "flip-it-5"])
def test_engines_have_puzzles_and_sources_of_their_own(id: str) -> None:
    engines = new_engine(), new_engine()
    one, other = (engine.find(id) for engine in engines)
    assert (one.engine, other.engine) == engines
    assert len({one, other, puzzles.PUZZLES[id]}) == 3
    goal = one.parse_goal(None)
    assert one.source(goal) is one.source(goal) is not other.source(goal)


def test_learned_answers_stay_in_their_engine() -> None:
    engines = [Engine(puzzles.PUZZLES, builds_large=False, atlas=lambda puzzle: {}) for _ in range(2)]
    one, other = (engine.find("diamond-41") for engine in engines)
    position = one.parse(one.start)
    goal = one.parse_goal(None)
    assert one.source(goal).moves_left(position) == UNKNOWN
    one.engine.bounds.learn_dead(one, goal, position)
    assert (one.source(goal).moves_left(position), other.source(goal).moves_left(position)) == (DEAD, UNKNOWN)
    stop(*engines)


def test_cached_tables_stay_in_their_engine() -> None:
    engines = new_engine(), new_engine()
    one, other = (engine.find("french-37").source(36) for engine in engines)
    late = Position(1 << 34 | 1 << 35)  # solved in one move
    assert isinstance(one, LargeBoardSource) and isinstance(other, LargeBoardSource)
    assert one.moves_left(late) == 1
    stop(*engines)
    assert [len(engine.resource(tables_in_memory).items()) for engine in engines] == [1, 0]


def test_saved_answers_stay_in_their_store() -> None:
    one, other = MemoryStore(), MemoryStore()
    engines = [Engine(puzzles.PUZZLES, answers=store) for store in (one, other)]
    puzzle = engines[0].find("english-33")
    puzzle.engine.bounds.learn_dead(puzzle, 16, Position(0b11 << 6))
    puzzle.engine.bounds.save(puzzle, 16, Position(0b11 << 6))
    assert len(one.values) == 1 and not other.values


def test_found_solutions_stay_in_their_engine() -> None:
    one, other = new_engine(), new_engine()
    puzzle = one.find("english-33")
    question = Question(puzzle, 16, Position(1 << 14 | 1 << 16 | 1 << 17))  # on no solution of the atlas
    learn(question, Found(2, 0.0, [[17, 15], [14, 16]]))
    known = [engine.bounds.of(engine.find("english-33"), 16, question.position) for engine in (one, other)]
    assert [bounds.most for bounds in known] == [2, None]


def test_builds_of_one_engine_are_unknown_to_another() -> None:
    engines = [Engine(puzzles.PUZZLES, atlas=lambda puzzle: {}) for _ in range(2)]
    one, other = (engine.find("fifteen-puzzle") for engine in engines)
    farthest = one.parse("0c9dfbae37624851")
    assert one.source(0).moves_left(farthest) == UNKNOWN
    assert one.source(0).progress(farthest) is not None
    assert other.source(0).progress(farthest) is None
    stop(*engines)


def stop(*engines: Engine) -> None:
    for engine in engines:
        engine.builder.cancel_all()
        assert engine.builder.join(60)


def test_used_engines_share_no_mutable_container() -> None:
    one, other = new_engine(), new_engine()
    use(one)
    use(other)
    registered = containers_from([puzzles.PUZZLES, *records_of(puzzles.PUZZLES.values())])
    reached = [containers_from([engine.__dict__]) for engine in (one, other)]
    assert all(len(found) > 20 for found in reached)
    shared = (reached[0].keys() & reached[1].keys()) - registered.keys()
    assert [reached[0][key] for key in shared] == []


def records_of(registry: Any) -> list[Any]:
    """Return the frozen records of the puzzles, which all engines share."""
    names = ("board", "rules", "texts", "solving", "gallery")
    return [getattr(puzzle, name) for puzzle in registry for name in names]


def containers_from(roots: list[Any]) -> dict[int, Any]:
    """Return id -> container for all mutable containers that are reachable from `roots`.

    Modules and their globals, classes and compiled kernels are skipped: engines share this code.
    """
    seen: dict[int, Any] = {}
    waiting = list(roots)
    while waiting:
        item = waiting.pop()
        if id(item) not in seen and not is_code(item):
            seen[id(item)] = item
            waiting += referents(item)
    annotations = [item.__annotations__ for item in seen.values() if isinstance(item, FunctionType)]
    code = {id(item) for item in annotations}
    return {key: item for key, item in seen.items() if isinstance(item, CONTAINERS) and key not in code}


def referents(item: Any) -> Iterator[Any]:
    """Yield the objects that an object refers to; of a Python function, its closure and defaults only."""
    if isinstance(item, FunctionType):
        yield from (item.__closure__, item.__defaults__, item.__kwdefaults__)
    else:
        yield from gc.get_referents(item)


def is_code(item: Any) -> bool:
    """Return whether an object is a module, a class, a compiled kernel or the globals of a module."""
    is_globals = isinstance(item, dict) and "__builtins__" in item
    return is_globals or isinstance(item, type | ModuleType) or hasattr(item, "py_func")


@pytest.mark.parametrize("puzzle", puzzles.PUZZLES.values(), ids=list(puzzles.PUZZLES))
def test_puzzle_of_the_registry_has_no_source(puzzle: Puzzle) -> None:
    with pytest.raises(LookupError, match=puzzle.id):
        puzzle.source(puzzle.parse_goal(None))


def test_two_threads_get_one_source() -> None:
    begin = threading.Barrier(2)

    opened = list[Source]()

    def open_slowly(puzzle: Puzzle, goal: int) -> Source:
        time.sleep(0.1)
        opened.append(Source())
        return opened[-1]

    def use_source() -> None:
        begin.wait()
        used.append(puzzle.source(goal))

    hoppers, used = puzzles.PUZZLES["hoppers"], list[Source]()
    solving = hoppers.solving._replace(open_source=open_slowly)
    puzzle = Engine({"hoppers": replace(hoppers, solving=solving)}).find("hoppers")
    goal = puzzle.parse_goal(None)
    assert puzzle.loaded_source(goal) is None
    threads = [threading.Thread(target=use_source) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    number = len(opened)
    assert used[0] is used[1] is puzzle.source(goal) is puzzle.loaded_source(goal)
    assert len(opened) == number <= 2


def in_another_thread(function: Callable[[], Value]) -> Value:
    results: list[Value] = []
    thread = threading.Thread(target=lambda: results.append(function()))
    thread.start()
    thread.join()
    return results[0]


def test_deferred_kernels_are_called_only_by_the_compiling_thread() -> None:
    engine = new_engine()
    engine.defer_kernels(["hoppers"])
    puzzle, other = engine.find("hoppers"), engine.find("triangle-15")
    start = puzzle.parse(puzzle.start)
    vars(engine)["uncompiled_source"] = lambda puzzle, goal: Source()

    def moves_left() -> int:
        return puzzle.source(6).moves_left(start)

    assert not puzzle.is_compiled and moves_left() == UNKNOWN
    assert other.is_compiled and other.source(0).moves_left(other.parse(other.start)) > 0
    with engine.compiling():
        assert puzzle.is_compiled and moves_left() == 7
        assert not in_another_thread(lambda: puzzle.is_compiled)
        assert in_another_thread(moves_left) == UNKNOWN
    assert not puzzle.is_compiled and moves_left() == UNKNOWN
    engine.mark_compiled("hoppers")
    assert puzzle.is_compiled and moves_left() == 7
    assert in_another_thread(moves_left) == 7


def test_builds_call_kernels_while_they_are_deferred() -> None:
    engine, found = new_engine(), list[int]()
    engine.defer_kernels(["hoppers"])
    puzzle = engine.find("hoppers")

    def build() -> Generator[float, None, None]:
        found.append(puzzle.source(6).moves_left(puzzle.parse(puzzle.start)))
        yield 1.0

    engine.builder.submit("build", build)
    assert engine.builder.join(60)
    assert found == [7] and not puzzle.is_compiled


@pytest.mark.parametrize("is_busy", [False, True])
def test_memory_goes_back_once_nothing_runs(monkeypatch: pytest.MonkeyPatch, is_busy: bool) -> None:
    released, threads = set[threading.Thread](), list[threading.Thread]()
    monkeypatch.setattr(
        "hoppers.tablebase.engine.trim_heap", lambda: released.add(threading.current_thread())
    )
    engine = Engine({}, lambda: is_busy)

    def build() -> Generator[float, None, None]:
        yield 0.5
        threads.append(threading.current_thread())

    engine.builder.submit("build", build)
    wait_for(lambda: threads)
    assert not released & set(threads)
    threads[0].join(60)
    assert (threads[0] in released) != is_busy


def test_rules_run_interpreted_while_kernels_are_deferred(monkeypatch: pytest.MonkeyPatch) -> None:
    interpreted = list[object]()
    engine, compiled = new_engine(), new_engine()
    engine.defer_kernels(["hoppers"])
    puzzle, same = engine.find("hoppers"), compiled.find("hoppers")
    start = puzzle.parse(puzzle.start)

    def noted(kernel: Any) -> Any:
        interpreted.append(kernel)
        return kernel

    assert puzzle.legal_steps(start) == same.legal_steps(start)
    assert puzzle.is_solved(Position(1 << 6), 6) and not puzzle.is_solved(start, 6)
    monkeypatch.setattr("hoppers.core.puzzle.as_python", noted)
    with engine.compiling():
        puzzle.legal_steps(start)
    assert interpreted == []
    puzzle.legal_steps(start)
    puzzle.is_solved(start, 6)
    assert len(interpreted) == 2
