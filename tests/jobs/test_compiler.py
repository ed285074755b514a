"""The processes that compile kernels: order, failures, and an end during a compilation."""

import logging
import os
import re
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from hoppers.analysis.kernel_parts import ANSWERS, SEARCHES, Part, all_parts, parts_of
from hoppers.cli.serve import log_compilation, show_compilation
from hoppers.core.kernels import MACHINE_CODE
from hoppers.core.puzzle import Puzzle
from hoppers.jobs.compiling_process import LOST, CompilingProcess
from hoppers.jobs.kernel_warmup import Compiler, Warmup
from hoppers.runtime.logging_config import SHORT
from hoppers.tablebase.engine import Engine
from tests.conftest import MakeApp
from tests.support.cold_start import put_warmup
from tests.support.engine import PUZZLES
from tests.support.machine_code import copied_to, use_folder
from tests.support.processes import finish_warmup, wait_for

pytestmark = pytest.mark.slow

SOME = [PUZZLES[id] for id in ("hoppers", "triangle-15", "eight-puzzle", "flip-it-5")]


Compile = Callable[[Part], str | None]


class FakeProcess(CompilingProcess):
    """Stand-in for a compiling process: calls a function with the part instead of compiling it."""

    def __init__(self, compile_part: Compile) -> None:
        super().__init__(SHORT)
        self._compile_part = compile_part

    def compile(self, part: Part) -> str:
        return self._compile_part(part) or ""


class Recorder(list[Part]):
    """Parts that were compiled, which only records and marks them."""

    def compile(self, part: Part) -> None:
        self.append(part)
        MACHINE_CODE.mark(part.marker)


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Recorder:
    """Recorder of parts, with an empty cache."""
    use_folder(monkeypatch, tmp_path)
    return Recorder()


def faked(puzzles: Iterable[Puzzle], compile_part: Compile, processes: int = 1) -> Compiler:
    """Return a compiler of these puzzles whose processes call `compile_part`."""
    return Compiler(puzzles, [FakeProcess(compile_part) for _ in range(processes)])


def finished(compiler: Compiler) -> Compiler:
    """Run a compiler to its end, and return it."""
    compiler.start()
    compiler.join()
    return compiler


def test_every_kernel_belongs_to_one_part() -> None:
    parts = all_parts(PUZZLES.values())
    assert len(parts) == len({part.marker for part in parts})
    for puzzle in PUZZLES.values():
        names = {part.name for part in parts if part.puzzle_id == puzzle.id}
        assert names == {ANSWERS, SEARCHES, *puzzle.solving.precompile}


def test_the_first_puzzle_comes_first_then_the_answers_of_all(begun: Recorder) -> None:
    assert finished(faked(SOME, begun.compile)).remaining() == 0
    assert [part.name for part in begun[:2]] == [ANSWERS, SEARCHES]
    first = len(parts_of(SOME[0]))
    assert {part.puzzle_id for part in begun[:first]} == {"hoppers"}
    assert [part.name for part in begun[first : first + 3]] == [ANSWERS] * 3
    assert [part.name for part in begun[-3:]] == [SEARCHES] * 3
    assert sorted(begun) == sorted(all_parts(SOME))


def test_compiled_parts_are_not_compiled_again(begun: Recorder) -> None:
    finished(faked(SOME[:2], begun.compile))
    begun.clear()
    total = finished(faked(SOME, begun.compile)).total
    assert total == len(begun) == len(parts_of(SOME[2])) + len(parts_of(SOME[3]))
    assert Compiler(SOME).total == 0


def test_a_requested_puzzle_is_compiled_next(begun: Recorder, make_app: MakeApp) -> None:
    app, compiler = make_app(), faked(SOME, begun.compile)
    engine: Engine = app.extensions["engine"]
    put_warmup(app, Warmup(engine, compiler))
    app.test_client().get("/puzzles/flip-it-5")
    compiler.start()
    compiler.join()
    assert [(part.puzzle_id, part.name) for part in begun[:2]] == [
        ("flip-it-5", ANSWERS),
        ("flip-it-5", SEARCHES),
    ]


@pytest.mark.usefixtures("begun")
def test_all_processes_compile_and_parts_of_one_group_take_turns() -> None:
    """Two processes that compile one kernel at once would waste the time of a core."""
    running, seen, all_run = list[Part](), list[list[Part]](), threading.Event()

    def compiled(part: Part) -> None:
        running.append(part)
        seen.append(running.copy())
        if len(running) == 3:
            all_run.set()
        all_run.wait(10)
        time.sleep(0.003)
        MACHINE_CODE.mark(part.marker)
        running.remove(part)

    finished(faked(SOME, compiled, processes=3))
    assert len(seen) == len(all_parts(SOME)) and max(map(len, seen)) == 3
    for parts in seen:
        assert len(parts) == len({part.group for part in parts})


def test_full_disk_is_reported_once_and_ends_the_compilation(begun: Recorder) -> None:
    compiler = finished(faked(SOME, begun.append))
    assert len(begun) == 1 and compiler.remaining() == 0
    assert compiler.failures == ["The answers of hoppers could not be stored. Is the disk full?"]


@pytest.mark.parametrize("show", [show_compilation, log_compilation])
def test_no_part_is_shown_as_compiled_after_full_disk(
    show: Callable[[Compiler], None],
    begun: Recorder,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.INFO)
    compiler = faked(SOME, begun.append)
    show(compiler)
    finished(compiler)
    assert "All parts" not in caplog.text
    assert not re.search("Compiled [1-9]", capsys.readouterr().out)


@pytest.mark.usefixtures("begun")
def test_each_failure_is_reported_in_a_sentence() -> None:
    def fail(part: Part) -> str:
        return "ZeroDivisionError: of ours"

    compiler = finished(faked(SOME[:1], fail))
    assert compiler.remaining() == 0 and len(compiler.failures) == compiler.total
    assert compiler.failures[0] == "The answers of hoppers could not be compiled: ZeroDivisionError: of ours."


def test_warm_up_continues_without_a_dead_compiler_process(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    use_folder(monkeypatch, tmp_path)
    monkeypatch.setattr("sys.executable", "/bin/false")
    puzzles = {id: PUZZLES[id] for id in ("flip-it-5", "flip-it-6")}
    compiler = Compiler(puzzles.values())
    warmup = Warmup(Engine(puzzles), compiler)
    finish_warmup(warmup)
    assert warmup.progress() == (2, 2)
    assert compiler.failures[0] == "The answers of flip-it-5 could not be compiled: the process ended."


def test_damaged_machine_code_is_compiled_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    puzzles = [PUZZLES["flip-it-5"]]
    assert finished(Compiler(puzzles)).failures == []
    folder = copied_to(tmp_path)
    monkeypatch.setenv("HOPPERS_CACHE", str(tmp_path))
    use_folder(monkeypatch, folder)
    assert Compiler(puzzles).total == 0
    for number, path in enumerate(sorted(folder.glob("*flips*.kernel"))[:2]):
        os.truncate(path, number)
    compiler = Compiler(puzzles)
    assert compiler.total > 0 and len(caplog.records) == 1
    compiler.start()
    compiler.join()
    assert (compiler.failures, compiler.stored, len(caplog.records)) == ([], compiler.total, 1)
    assert Compiler(puzzles).total == 0


def test_failing_listener_does_not_end_the_compilation(
    begun: Recorder, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise ZeroDivisionError

    compiler = faked(SOME, begun.compile)
    compiler.listeners.append(fail)
    finished(compiler)
    assert len(begun) == compiler.total and compiler.remaining() == 0
    assert "hoppers" in caplog.text and "ZeroDivisionError" in caplog.text


def test_closed_compiler_compiles_and_reports_nothing(
    begun: Recorder, caplog: pytest.LogCaptureFixture
) -> None:
    compiler = faked(SOME, begun.compile)
    compiler.close()
    finished(compiler)
    assert (begun, compiler.failures, caplog.records) == ([], [], [])


@pytest.mark.usefixtures("begun")
def test_warm_up_that_ends_loads_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    warmed: list[str] = []
    monkeypatch.setattr("hoppers.jobs.kernel_warmup.load_answers", lambda puzzle: warmed.append(puzzle.id))
    puzzles = {puzzle.id: puzzle for puzzle in SOME}

    def end(part: Part) -> str:
        compiler.close()  # during the compilation
        return LOST

    compiler = faked(puzzles.values(), end)
    warmup = Warmup(Engine(puzzles), compiler)
    warmup.start()
    compiler.join()
    assert warmed == [] and warmup.progress() == (0, len(puzzles))


def test_a_compiling_process_ends_with_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MACHINE_CODE, "is_stored", lambda part: False)
    compiler = Compiler([PUZZLES["flip-it-5"]])
    compiler.start()
    process = compiler._processes[0]
    wait_for(lambda: process.process is not None)
    child = process.process
    assert child is not None and child.stdin is not None and child.poll() is None
    child.stdin.close()  # as at the end of the server: the process ends without being killed
    assert child.wait(60) == 0
    compiler.close()
    compiler.join()
