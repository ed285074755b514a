"""The process beside the server: the same events, whatever becomes of it; it never outlives the server."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from multiprocessing import Pipe
from pathlib import Path
from typing import Any, TypeAlias, cast

import pytest

from hoppers.core.events import Event, Exhausted, Failed, Progress, Solved
from hoppers.jobs import worker_main
from hoppers.jobs.remote_search import MOST_TRIES, Errand, search
from hoppers.jobs.worker_process import Answer, Ask, Beside, Lost
from hoppers.tablebase.elsewhere import elsewhere, use
from tests import ROOT
from tests.conftest import Connect, Serve
from tests.jobs import slow_work
from tests.processes import wait_for

FAR = "087264351"
"""28 moves from the end: far enough that the last limits take longer than many turns."""
ASKED: dict[str, Any] = {"puzzle_id": "eight-puzzle", "position": FAR, "method": "deepening"}
KILLED_AFTER = (24, 26)
"""Limits of two of the last rows, which take by far the longest."""
Rows: TypeAlias = list[tuple[int, int]]


@pytest.fixture
def beside() -> Iterator[Beside]:
    one = Beside(2)
    yield one
    one.close()


@pytest.fixture(scope="module")
def lasting() -> Iterator[Beside]:
    """One for those that leave it as it was: to start it takes longer than what they do."""
    one = Beside(2)
    yield one
    one.close()


def kill(beside: Beside) -> None:
    os.kill(beside.machine().pid, signal.SIGKILL)


def test_work_gives_the_same_values_and_result(lasting: Beside) -> None:
    run = lasting.run(slow_work.count, 1000)
    assert list(run) == list(range(1000)) and run.result == "all" and run.seconds > 0


def test_nothing_heavy_is_made_there_but_on_request(lasting: Beside) -> None:
    """A search there asks for tables as a page does here, which has them made there in its time."""
    assert list(lasting.run(slow_work.grants)) == [False]


def test_two_go_on_side_by_side(lasting: Beside) -> None:
    first, second = lasting.run(slow_work.count, 10**9), lasting.run(slow_work.count, 3)
    assert next(first) == 0
    assert list(second) == [0, 1, 2]
    assert next(first) == 1
    first.close()
    with pytest.raises(StopIteration):
        next(first)


def test_in_a_crowd_it_has_what_is_left_of_the_machine(beside: Beside) -> None:
    run = beside.run(slow_work.policies)
    beside.is_crowded = lambda: True
    usual, idle = os.sched_getscheduler(0), worker_main.IDLE
    assert next(run) == idle
    beside.is_crowded = lambda: False
    assert next(value for value in run if value != idle) == usual
    beside.is_crowded = lambda: True
    assert next(value for value in run if value != usual) == idle
    run.close()


def test_what_goes_wrong_there_is_told_behind_the_values(lasting: Beside) -> None:
    run = lasting.run(slow_work.fail)
    assert next(run) == 1
    with pytest.raises(RuntimeError, match="this work is broken"):
        next(run)
    assert list(lasting.run(slow_work.count, 2)) == [0, 1]  # and harms nobody else


def test_a_bad_end_there_is_nobody_elses_answer(beside: Beside) -> None:
    """Neither of work that fails as it is given up, nor of what cannot be sent."""
    lasting, parting = beside.run(slow_work.count, 10**9), beside.run(slow_work.part_badly, 10**9)
    assert next(lasting) == next(parting) == 0
    parting.close()
    with pytest.raises(RuntimeError, match="lambda"):
        next(beside.run(slow_work.unsent))
    for _ in range(3):
        assert list(beside.run(slow_work.count, 3)) == [0, 1, 2]
    assert next(lasting) == 1


def test_an_answer_comes_before_memory_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = Pipe()
    was_there = list[bool]()
    monkeypatch.setattr(worker_main, "give_back", lambda: was_there.append(ours.poll()))
    worker_main._answer(theirs, Answer(7, [(1, 0.1)], True, "done"))
    assert was_there == [True] and ours.recv() == Answer(7, [(1, 0.1)], True, "done")
    ours.close()
    theirs.close()


def test_an_answer_to_another_question_is_no_answer(beside: Beside) -> None:
    machine = beside.machine()
    line = machine._free.get()
    line.send(Ask(98, 0.02, (slow_work.count, (3,))))  # and nobody takes what comes
    machine._free.put(line)
    with pytest.raises(Lost):
        list(beside.run(slow_work.count, 2))


def test_a_dead_process_is_replaced(beside: Beside) -> None:
    run = beside.run(slow_work.count, 10**9)
    next(run)
    kill(beside)
    with pytest.raises(Lost):
        list(run)
    assert list(beside.run(slow_work.count, 2)) == [0, 1]


def test_once_closed_none_is_started(beside: Beside) -> None:
    beside.close()
    with pytest.raises(Lost):
        next(beside.run(slow_work.count, 2))


def test_long_work_is_done_where_there_is_a_place_for_it(lasting: Beside) -> None:
    def outcome() -> tuple[list[int], str]:
        values: list[int] = []
        steps = elsewhere(slow_work.place, 3)
        while True:
            try:
                values.append(next(steps))
            except StopIteration as end:
                return values, end.value

    assert outcome() == ([0, 1, 2], str(os.getpid()))
    use(lasting)
    try:
        assert outcome() == ([0, 1, 2], str(lasting.machine().pid))
    finally:
        use(None)


@cache
def undisturbed() -> list[Event]:
    """What the search says here and now."""
    return list(search(ASKED, -1))


def rows(events: list[Event]) -> Rows:
    return [(event.limit, event.nodes) for event in events if isinstance(event, Exhausted)]


def test_a_search_that_loses_its_process_goes_on_behind_its_last_row(
    beside: Beside, caplog: pytest.LogCaptureFixture
) -> None:
    whole, errand, heard = undisturbed(), Errand(beside, ASKED), list[Event]()
    for event in cast("Iterator[Event]", errand):
        heard.append(event)
        if isinstance(event, Exhausted) and event.limit in KILLED_AFTER:
            kill(beside)
    assert rows(heard) == rows(whole)
    ends = [events[-1] for events in (heard, whole)]
    assert isinstance(ends[0], Solved) and isinstance(ends[1], Solved)
    assert (ends[0].limit, ends[0].total_nodes) == (ends[1].limit, ends[1].total_nodes)
    assert caplog.text.count("begins again") == len(KILLED_AFTER)


class Deadly(Beside):
    """Every process of it dies at once."""

    tries = 0

    def machine(self) -> Any:
        self.tries += 1
        raise Lost


def test_a_search_begins_and_its_clock_runs_once_its_kernels_are_compiled(beside: Beside) -> None:
    looks = iter([False, False])
    beside.is_ready = lambda puzzle_id: next(looks, True)
    errand = Errand(beside, ASKED)
    assert [next(errand), next(errand)] == [Progress(1, 0, 0.0)] * 2 and errand.running_time() == 0
    next(errand)
    assert errand.running_time() > 0
    errand.close()


def test_a_search_that_loses_process_after_process_is_given_up() -> None:
    deadly = Deadly(1)
    end = next(Errand(deadly, ASKED))
    assert isinstance(end, Failed) and end.error["code"] == "worker_lost" and deadly.tries == MOST_TRIES


def others() -> set[int]:
    """The processes beside this one."""
    command = ["pgrep", "-P", str(os.getpid()), "-f", "hoppers.jobs.worker_main"]
    return {int(word) for word in subprocess.run(command, capture_output=True, text=True).stdout.split()}


def test_it_ends_with_the_one_that_started_it() -> None:
    program = (
        "from hoppers.jobs.worker_process import Beside; from tests.jobs import slow_work; import time\n"
        "beside = Beside(2); next(beside.run(slow_work.count, 10**9))\n"
        "print(beside.machine().pid, flush=True); time.sleep(600)"
    )
    root = ROOT
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, cwd=root) as parent:
        assert parent.stdout is not None
        other = int(parent.stdout.readline())
        assert Path(f"/proc/{other}").exists()
        parent.kill()
    wait_for(lambda: not Path(f"/proc/{other}").exists())


def test_a_player_is_told_every_row_though_the_process_dies(serve: Serve, connect: Connect) -> None:
    before = others()
    player = connect(serve(BESIDE=True))
    player.search("a", "eight-puzzle", FAR, method="deepening")
    heard = player.hear_until("exhausted")
    (other,) = others() - before
    while heard[-1][1]["limit"] != KILLED_AFTER[0]:
        heard += player.hear_until("exhausted")
    os.kill(other, signal.SIGKILL)
    heard += player.hear_to_the_end()
    told = [(fields["limit"], fields["nodes"]) for name, fields in heard if name == "exhausted"]
    assert told == rows(undisturbed()) and heard[-1][0] == "solved"
