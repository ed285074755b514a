"""The worker process: its loss changes no event, and it never outlives the server."""

import contextlib
import itertools
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from multiprocessing import Pipe
from pathlib import Path
from typing import Any, TypeAlias, cast

import pytest

from hoppers import puzzles
from hoppers.analysis.requests import read_search
from hoppers.core.events import Event, Exhausted, Failed, Found, Progress, Solved
from hoppers.core.model import UNKNOWN, Position
from hoppers.fleet import worker as fleet_worker
from hoppers.jobs import worker_main
from hoppers.jobs.messages import (
    BuildResult,
    BuildValues,
    SearchEvent,
    SearchRequest,
    Totals,
)
from hoppers.jobs.pulse import WATCH
from hoppers.jobs.runner import MAX_STARTS, Runner
from hoppers.jobs.search_job import INTERNAL
from hoppers.jobs.service import SearchService
from hoppers.jobs.sessions import MemorySessions
from hoppers.jobs.worker_process import LOST, Child, WorkerProcess
from hoppers.puzzles.pegs.background_proofs import LIMITS
from hoppers.puzzles.pegs.source import LargeBoardSource
from hoppers.runtime import process_tuning
from hoppers.runtime.process_work import Work, work_of
from hoppers.runtime.token_bucket import TokenBucket
from hoppers.tablebase.builder import ProcessLost
from hoppers.tablebase.engine import Engine
from tests import ROOT
from tests.conftest import Connect, Serve
from tests.jobs import slow_work
from tests.jobs.workers import CONFIG, pid_of
from tests.puzzles.pegs.positions import LATE
from tests.support import scripted_searches
from tests.support.engine import ENGINE
from tests.support.processes import TIMEOUT_SECONDS, wait_for
from tests.support.scripted_searches import SOLVED, Script, Search

pytestmark = pytest.mark.slow

FAR = "087264351"
"""Position 28 moves from the goal: the last limits take longer than many slices."""
QUERY: dict[str, Any] = {"puzzle_id": "eight-puzzle", "position": FAR, "method": "deepening"}
KILLED_AFTER = (24, 26)
"""Limits after which a test kills the worker: two of the last, which take by far the longest."""
BUSY = "while True: pass"
Rows: TypeAlias = list[tuple[int, int]]
Sent: TypeAlias = tuple[str, dict[str, Any]]


def kill(worker: WorkerProcess) -> None:
    os.kill(pid_of(worker), signal.SIGKILL)


class Player:
    """A player whose searches run in a worker process."""

    def __init__(
        self,
        worker: WorkerProcess,
        is_compiled: Callable[[str], bool] = lambda puzzle_id: True,
        **options: Any,
    ) -> None:
        self.events: queue.Queue[Sent] = queue.Queue()
        sessions = MemorySessions(60)
        read = partial(read_search, ENGINE)
        self.runner = Runner(sessions, worker, is_compiled, read)
        self.searches = SearchService(sessions, self.runner.submit, self._receive, 8, read=read, **options)

    def _receive(self, name: str, fields: dict[str, Any], to: str) -> None:
        self.events.put((name, fields))

    def search(self, ticket: str = "t", player: str = "player", **query: Any) -> None:
        self.searches.start(SearchRequest(player, "connection", ticket, "", {**QUERY, **query}))

    def receive(self) -> Sent:
        return self.events.get(timeout=TIMEOUT_SECONDS)

    def receive_all(self) -> Iterator[Sent]:
        """Yield all events up to the one that ends the search."""
        while True:
            name, fields = self.receive()
            yield name, fields
            if name in ("solved", "unsolvable", "stopped", "failed"):
                return


def test_a_build_yields_the_same_values_and_result(shared_worker: WorkerProcess) -> None:
    values: list[int] = []

    def build() -> Iterator[int]:
        results.append((yield from shared_worker.run_build(slow_work.count, 1000)))

    results: list[str] = []
    values.extend(build())
    assert values == list(range(1000)) and results == ["all"]


def test_progress_grows_and_is_sent_once_a_slice(shared_worker: WorkerProcess) -> None:
    values = list(shared_worker.run_build(slow_work.advance, 200))
    assert values == sorted(values) and values[-1] == 199 / 200 and len(values) < 100


def test_worker_builds_large_tables_only_on_request(shared_worker: WorkerProcess) -> None:
    """Large builds start only on request of the server, never during a search in the worker process."""
    assert list(shared_worker.run_build(slow_work.grants)) == [False]


def test_two_builds_run_side_by_side(shared_worker: WorkerProcess) -> None:
    first, second = shared_worker.run_build(slow_work.tick), shared_worker.run_build(slow_work.count, 3)
    assert next(first) == 0.5
    assert list(second) == [0, 1, 2]
    assert next(first) == 0.5
    first.close()
    with pytest.raises(StopIteration):
        next(first)


def test_a_search_ends_in_the_worker_at_its_time_limit(
    shared_worker: WorkerProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker sends events unrequested, so a search whose events are merely not read would run on."""
    monkeypatch.setattr("hoppers.puzzles.pegs.background_proofs.LIMITS", LIMITS._replace(search_seconds=0.2))
    mark, engine = tmp_path / "closed", Engine(puzzles.PUZZLES)
    source = LargeBoardSource(engine.find("english-33"), -1, TokenBucket(0.0, 0.0))
    monkeypatch.setattr(
        "hoppers.puzzles.pegs.background_proofs.prove",
        lambda question: shared_worker.run_build(slow_work.mark_on_close, mark),
    )
    monkeypatch.setattr(source._background, "build", lambda start: iter(()))
    assert source.moves_left(Position(LATE)) == UNKNOWN and engine.builder.join(60)
    until = time.monotonic() + 5
    while not mark.exists() and time.monotonic() < until:
        time.sleep(0.01)
    assert mark.exists()


def test_worker_has_idle_priority_under_high_load(
    shared_worker: WorkerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    build, is_busy = shared_worker.run_build(slow_work.policies), [True]
    monkeypatch.setattr(shared_worker, "is_busy", lambda: is_busy[0])
    usual, idle = os.sched_getscheduler(0), process_tuning.IDLE_POLICY
    assert next(value for value in build if value != usual) == idle
    is_busy[0] = False
    assert next(value for value in build if value != idle) == usual
    is_busy[0] = True
    assert next(value for value in build if value != usual) == idle
    build.close()


def test_a_fault_of_a_build_follows_its_values(shared_worker: WorkerProcess) -> None:
    build = shared_worker.run_build(slow_work.fail)
    assert next(build) == 1
    with pytest.raises(RuntimeError, match="this work is broken"):
        next(build)
    assert list(shared_worker.run_build(slow_work.count, 2)) == [0, 1]  # the fault harms no other build


def test_a_build_runs_while_another_is_in_a_long_step() -> None:
    sent, may_end = queue.Queue[Any](), threading.Event()

    def load(engine: Engine) -> Iterator[float]:
        assert may_end.wait(TIMEOUT_SECONDS)
        yield 1.0

    worker = worker_main.SearchWorker(ENGINE, CONFIG, sent.put, sent.put)
    worker.execute("start_build", "1", load, ())
    worker.execute("start_build", "2", slow_work.count, (3,))
    assert sent.get(timeout=TIMEOUT_SECONDS) == BuildValues("2", [0, 1, 2])
    assert sent.get(timeout=TIMEOUT_SECONDS) == BuildResult("2", "all")
    may_end.set()
    worker.close()


def test_failing_build_harms_no_other(shared_worker: WorkerProcess) -> None:
    """One build fails when it is closed, and another yields a value that cannot be sent."""
    run_build = shared_worker.run_build
    lasting, parting = run_build(slow_work.tick), run_build(slow_work.fail_on_close)
    assert next(lasting) == next(parting) == 0.5
    parting.close()
    with pytest.raises(RuntimeError, match="lambda"):
        next(run_build(slow_work.yield_unpicklable))
    for _ in range(3):
        assert list(run_build(slow_work.count, 3)) == [0, 1, 2]
    assert next(lasting) == 0.5
    lasting.close()


def test_an_event_that_cannot_be_pickled_fails_its_search() -> None:
    ours, theirs = Pipe()
    sent = queue.Queue[Any]()

    def send(message: Any) -> None:
        theirs.send(message)
        sent.put(ours.recv().event)

    def search(script: Script) -> Search:
        yield Exhausted(1, 1, 0, 0.0)
        yield Found(5, 0.0, cast(Any, lambda: None))
        yield SOLVED

    script = Script(search)
    worker = scripted_searches.scripted_worker(CONFIG, send)
    worker.execute("start_search", "1", {"script": script}, Totals())
    assert isinstance(sent.get(timeout=TIMEOUT_SECONDS), Exhausted)
    assert sent.get(timeout=TIMEOUT_SECONDS) == Failed(INTERNAL)
    assert script.closed.wait(TIMEOUT_SECONDS) and sent.empty()
    worker.close()


def test_a_proof_is_learned_before_its_event_is_sent(shared_worker: WorkerProcess) -> None:
    order: list[str] = []
    player = Player(shared_worker, learn=lambda question, event: order.append(type(event).__name__.lower()))
    emit = player.searches._emit

    def note(name: str, fields: dict[str, Any], to: str) -> None:
        order.append(f"sent {name}")
        emit(name, fields, to)

    player.searches._emit = note
    player.search(puzzle_id="hoppers", position=None, method="best")
    assert [name for name, _ in player.receive_all()][-1] == "solved"
    assert order[-2:] == ["solved", "sent solved"]


def test_events_arrive_even_if_storing_their_proofs_fails(
    shared_worker: WorkerProcess, caplog: pytest.LogCaptureFixture
) -> None:
    def learn(question: object, event: object) -> None:
        raise ValueError("nothing can be stored")

    player = Player(shared_worker, learn=learn)
    player.search(puzzle_id="hoppers", position=None, method="best")
    assert [name for name, _ in player.receive_all()][-1] == "solved"
    assert "nothing can be stored" in caplog.text


def test_two_threads_send_the_newest_priority_last() -> None:
    """One thread is delayed between its decision and its message while the other decides again."""
    sent, busy = list[tuple[str, bool]](), True

    class Connection:
        send = sent.append

    class SlowChild(Child):
        def __init__(self) -> None:
            self._idle, self._lock, self.connection = False, threading.Lock(), cast(Any, Connection())

        @property
        def is_idle(self) -> bool:
            return self._idle

        @is_idle.setter
        def is_idle(self, idle: bool) -> None:
            nonlocal busy
            self._idle = idle
            if idle:
                busy = False
                other.start()
                other.join(0.2)

    child = SlowChild()
    other = threading.Thread(target=child.set_priority, args=(lambda: busy,))
    child.set_priority(lambda: busy)
    other.join()
    assert sent == [("set_idle", True), ("set_idle", False)]


def test_a_build_waits_for_a_search_that_has_just_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    sent, script = queue.Queue[Any](), Script(scripted_searches.endless)
    monkeypatch.setattr(worker_main, "BUILD_WAIT_SECONDS", TIMEOUT_SECONDS)
    monkeypatch.setattr("hoppers.jobs.scheduler.SHARE_SECONDS", TIMEOUT_SECONDS)
    worker = scripted_searches.scripted_worker(CONFIG, sent.put, sent.put)
    worker.execute("start_search", "1", {"script": script}, Totals(0))
    worker.execute("start_build", "2", slow_work.count, (3,))
    for _ in range(5):
        assert isinstance(sent.get(timeout=TIMEOUT_SECONDS), SearchEvent)
    worker.execute("stop", "1")
    while isinstance(message := sent.get(timeout=TIMEOUT_SECONDS), SearchEvent):
        pass
    assert message == BuildValues("2", [0, 1, 2])
    worker.close()


def test_an_event_is_sent_before_memory_is_released(monkeypatch: pytest.MonkeyPatch) -> None:
    """A release may wait for the compiler, so events of the next search are sent before the release ends."""
    sent, is_releasing, may_end = queue.Queue[Any](), threading.Event(), threading.Event()

    def release() -> None:
        is_releasing.set()
        assert may_end.wait(TIMEOUT_SECONDS)

    monkeypatch.setattr(worker_main, "release_memory", release)
    worker = worker_main.SearchWorker(ENGINE, CONFIG, sent.put, sent.put)
    threading.Thread(target=worker.release_memory_after_tasks, daemon=True).start()
    query = {"puzzle_id": "hoppers", "method": "best"}
    for number in "12":
        worker.execute("start_search", number, query, Totals(0))
        while not isinstance(sent.get(timeout=TIMEOUT_SECONDS).event, Solved):
            pass
        assert is_releasing.wait(TIMEOUT_SECONDS)
    may_end.set()
    worker.close()


def test_searches_in_threads_answer_while_kernels_are_deferred() -> None:
    """Threads at idle priority answer, too. `best` of a puzzle with a complete table never searches."""
    engine, sent = Engine(puzzles.PUZZLES), queue.Queue[Any]()
    engine.defer_kernels(engine.puzzles)
    worker = worker_main.SearchWorker(engine, CONFIG, sent.put, sent.put)
    for idle in (False, True):
        worker.execute("set_idle", idle)
        worker.execute("start_search", str(idle), {"puzzle_id": "hoppers", "method": "best"}, Totals(0))
        while not isinstance(event := sent.get(timeout=TIMEOUT_SECONDS).event, Solved):
            assert isinstance(event, Exhausted | Progress)
        assert event.limit == 7
    worker.close()


def test_a_fleet_worker_searches_while_kernels_are_deferred(monkeypatch: pytest.MonkeyPatch) -> None:
    class Made(Exception):
        pass

    def scheduler(threads: int, context: Any, after_end: object, **_: Any) -> None:
        with context():
            raise Made(engine.find("hoppers").is_compiled)

    engine = Engine(puzzles.PUZZLES)
    engine.defer_kernels(engine.puzzles)
    monkeypatch.setattr(worker_main, "Scheduler", scheduler)
    with pytest.raises(Made, match="True"):
        fleet_worker.serve(engine, "redis://127.0.0.1:1/0", CONFIG, 0)


def test_a_dead_process_is_replaced(worker: WorkerProcess) -> None:
    build = worker.run_build(slow_work.tick)
    next(build)
    kill(worker)
    with pytest.raises(ProcessLost, match=LOST):
        list(build)
    assert list(worker.run_build(slow_work.count, 2)) == [0, 1]


def test_no_process_is_started_after_close(worker: WorkerProcess) -> None:
    worker.close()
    with pytest.raises(ProcessLost, match=LOST):
        next(worker.run_build(slow_work.count, 2))


def test_builds_run_in_the_process_that_the_engine_names(shared_worker: WorkerProcess) -> None:
    def outcome(engine: Engine) -> tuple[list[int], str]:
        values: list[int] = []
        steps = engine.run(slow_work.place, 3)
        while True:
            try:
                values.append(next(steps))
            except StopIteration as end:
                return values, end.value

    engine = Engine(puzzles.PUZZLES)
    assert outcome(engine) == ([0, 1, 2], str(os.getpid())) and not engine.builds_remotely
    engine.run_build = shared_worker.run_build
    assert outcome(engine) == ([0, 1, 2], str(pid_of(shared_worker))) and engine.builds_remotely


@cache
def local_events() -> list[Event]:
    """Return the events of the search `QUERY`, run in this process."""
    return list(read_search(ENGINE, **QUERY).events())


def rows(events: list[Event]) -> Rows:
    return [(event.limit, event.nodes) for event in events if isinstance(event, Exhausted)]


def test_a_search_continues_behind_its_last_row_after_a_loss(
    worker: WorkerProcess, caplog: pytest.LogCaptureFixture
) -> None:
    whole, player, received = local_events(), Player(worker), list[Sent]()
    player.search()
    for name, fields in player.receive_all():
        received.append((name, fields))
        if name == "exhausted" and fields["limit"] in KILLED_AFTER:
            kill(worker)
    received_rows = [(fields["limit"], fields["nodes"]) for name, fields in received if name == "exhausted"]
    assert received_rows == rows(whole)
    (name, end), expected = received[-1], whole[-1]
    assert name == "solved" and isinstance(expected, Solved)
    assert (end["limit"], end["total_nodes"]) == (expected.limit, expected.total_nodes)
    assert caplog.text.count("goes on after its last row: worker lost") == len(KILLED_AFTER)


def test_a_stopped_process_is_replaced_and_its_search_continues(
    worker: WorkerProcess, caplog: pytest.LogCaptureFixture
) -> None:
    """SIGSTOP leaves the process alive and its pipe open."""
    player, received, stopped = Player(worker), list[Sent](), 0
    player.search()
    assert worker.is_answering()
    for name, fields in player.receive_all():
        received.append((name, fields))
        if name == "exhausted" and fields["limit"] == KILLED_AFTER[0]:
            stopped = pid_of(worker)
            os.kill(stopped, signal.SIGSTOP)
            wait_for(lambda: not worker.is_answering())
    received_rows = [(fields["limit"], fields["nodes"]) for name, fields in received if name == "exhausted"]
    assert received_rows == rows(local_events()) and received[-1][0] == "solved"
    assert pid_of(worker) != stopped and worker.is_answering()
    assert f"worker process {stopped} does not answer" in caplog.text


def test_an_idle_process_that_is_stopped_is_replaced(worker: WorkerProcess) -> None:
    assert list(worker.run_build(slow_work.count, 1)) == [0]
    stopped = pid_of(worker)
    os.kill(stopped, signal.SIGSTOP)
    wait_for(lambda: not worker.is_answering())
    wait_for(worker.is_answering)
    assert pid_of(worker) != stopped
    assert list(worker.run_build(slow_work.count, 1)) == [0]


def test_a_process_that_keeps_the_interpreter_lock_is_not_killed(worker: WorkerProcess) -> None:
    before, noticed = pid_of(worker), WATCH.overdue + WATCH.hung + WATCH.look
    assert list(worker.run_build(slow_work.block, noticed + WATCH.look)) == []
    assert pid_of(worker) == before


def test_work_of_a_process_shows_whether_it_rests() -> None:
    with subprocess.Popen(["sleep", "60"]) as asleep, subprocess.Popen([sys.executable, "-c", BUSY]) as busy:
        try:
            wait_for(lambda: work_of(asleep.pid) == work_of(asleep.pid) == Work(0, False))
            wait_for(lambda: cast(Work, work_of(busy.pid)).ticks >= 20)
            os.kill(busy.pid, signal.SIGSTOP)
            wait_for(lambda: not cast(Work, work_of(busy.pid)).is_waiting)
            assert work_of(busy.pid) == work_of(busy.pid)
        finally:
            for process in (asleep, busy):
                process.kill()
    assert work_of(asleep.pid) is None


def test_a_paused_search_stays_paused_after_a_loss(worker: WorkerProcess) -> None:
    player, first = Player(worker), list[Sent]()
    player.search()
    while not first or first[-1][1]["limit"] < 20:
        first.append(player.receive())
    player.searches.pause("player", "t")
    kill(worker)
    time.sleep(0.1)
    wait_for(lambda: worker._child is not None)
    assert player.searches.counts() == {"running": 0, "queued": 0, "paused": 1}
    while not player.events.empty():  # sent before the pause
        first.append(player.receive())
    time.sleep(0.5)
    assert player.events.empty()
    player.searches.resume("player", "t")
    received = [*first, *player.receive_all()]
    received_rows = [(fields["limit"], fields["nodes"]) for name, fields in received if name == "exhausted"]
    assert received_rows == rows(local_events()) and received[-1][0] == "solved"


class UnstartableProcess(WorkerProcess):
    """A worker process that cannot be started."""

    tries = 0

    def current(self) -> Child | None:
        self.tries += 1
        return None


def test_a_search_starts_once_its_kernels_are_compiled(worker: WorkerProcess) -> None:
    is_compiled = set[str]()
    player = Player(worker, is_compiled=is_compiled.__contains__)
    player.search()
    assert player.receive() == ("progress", {"ticket": "t", "limit": 0, "nodes": 0, "seconds": 0.0})
    player.runner.start_waiting()
    assert worker._child is None
    is_compiled.add("hoppers")
    player.runner.start_waiting()
    assert worker._child is None
    is_compiled.add("eight-puzzle")
    player.runner.start_waiting()
    assert "exhausted" in [name for name, _ in itertools.islice(player.receive_all(), 3)]
    player.searches.stop("player", "t")


@pytest.mark.parametrize(
    ("position", "find_all", "ends"),
    [
        ("oooooo.oooooo", False, ["exhausted", "solved"]),
        (".oo.ooooooooo", True, ["progress", "solved"]),
        ("oo..........o", True, ["unsolvable"]),
    ],
)
def test_a_table_of_numpy_answers_while_nothing_is_compiled(
    worker: WorkerProcess, position: str, find_all: bool, ends: list[str]
) -> None:
    player = Player(worker, is_compiled=lambda puzzle_id: False)
    player.search(puzzle_id="hoppers", position=position, method="best", find_all=find_all)
    events = [*player.receive_all()]
    assert [name for name, _ in events][-1] == ends[-1] and worker._child is None
    fields = events[-1][1]
    assert fields["known"] == "table" and fields["total_nodes"] == 0
    assert fields.get("count") == (18 if position.startswith(".oo") else None)


@pytest.mark.parametrize("processes", ["none starts", "each dies"])
def test_a_search_fails_after_four_lost_workers(
    processes: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    deadly = UnstartableProcess(CONFIG) if processes == "none starts" else WorkerProcess(CONFIG)
    monkeypatch.setattr("sys.executable", "/bin/false")
    player = Player(deadly)
    player.search()
    ((name, fields),) = player.receive_all()
    assert name == "failed" and fields["error"]["code"] == "worker_lost"
    if isinstance(deadly, UnstartableProcess):
        assert deadly.tries == MAX_STARTS
    else:
        wait_for(lambda: len([r for r in caplog.records if "worker process" in r.message]) == MAX_STARTS)
    wait_for(lambda: player.searches.counts() == {"running": 0, "queued": 0, "paused": 0})
    player.searches.close()


def test_stop_emits_immediately_and_ends_the_search_in_the_worker(shared_worker: WorkerProcess) -> None:
    player = Player(shared_worker)
    player.search("long", puzzle_id="fifteen-puzzle", position="0c9dfbae37624851", fresh=True)
    while player.receive()[0] != "exhausted":
        pass
    player.searches.stop("player", "long")
    with contextlib.suppress(queue.Empty):
        while (event := player.events.get_nowait())[0] != "stopped":
            pass
    assert event[0] == "stopped" and event[1]["reason"] == "asked"
    player.search("next", puzzle_id="hoppers", position=None, method="best")
    assert {fields["ticket"] for _, fields in player.receive_all()} == {"next"}


def test_eight_searches_share_the_worker_evenly(shared_worker: WorkerProcess) -> None:
    player, last = Player(shared_worker), dict[str, int]()
    for number in range(8):
        ticket = str(number)
        query = {"puzzle_id": "fifteen-puzzle", "position": "0c9dfbae37624851", "method": "deepening"}
        player.search(ticket, f"player {number}", **query)
    while len(last) < 8 or min(last.values()) < 18:  # by then the first to start have lost their lead
        name, fields = player.receive()
        if name == "exhausted":
            last[fields["ticket"]] = fields["limit"]
    for ticket in last:
        player.searches.stop(f"player {ticket}", ticket)
    assert max(last.values()) - min(last.values()) <= 2


def workers_of_this_process() -> set[int]:
    command = ["pgrep", "-P", str(os.getpid()), "-f", "hoppers.jobs.worker_main"]
    return {int(word) for word in subprocess.run(command, capture_output=True, text=True).stdout.split()}


def test_worker_ends_with_the_process_that_started_it() -> None:
    program = (
        "from hoppers.jobs.worker_process import WorkerProcess; import time\n"
        "from tests.jobs import slow_work; from tests.jobs.workers import CONFIG\n"
        "worker = WorkerProcess(CONFIG); next(worker.run_build(slow_work.tick))\n"
        "print(worker.current().pid, flush=True); time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, cwd=ROOT) as parent:
        assert parent.stdout is not None
        other = int(parent.stdout.readline())
        assert Path(f"/proc/{other}").exists()
        parent.kill()
    wait_for(lambda: not Path(f"/proc/{other}").exists())


def test_every_row_arrives_although_the_process_is_killed(serve: Serve, connect: Connect) -> None:
    before = workers_of_this_process()
    player = connect(serve(WORKER_PROCESS=True))
    player.search("a", "eight-puzzle", FAR, method="deepening")
    received = player.receive_until("exhausted")
    (other,) = workers_of_this_process() - before
    while received[-1][1]["limit"] != KILLED_AFTER[0]:
        received += player.receive_until("exhausted")
    os.kill(other, signal.SIGKILL)
    received += player.receive_to_end()
    received_rows = [(fields["limit"], fields["nodes"]) for name, fields in received if name == "exhausted"]
    assert received_rows == rows(local_events()) and received[-1][0] == "solved"
