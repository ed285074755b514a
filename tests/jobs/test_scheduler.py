"""Sharing the machine between searches, with searches written by hand."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from hoppers.core.errors import Busy, RaceFull
from hoppers.jobs.scheduler import MOST_IN_RACE, Jobs
from hoppers.jobs.search_job import Job, Limits
from tests.processes import wait_for
from tests.scripted_searches import (
    PATIENCE,
    Script,
    Search,
    broken,
    endless_silence,
    first_a_long_one,
    for_ever,
    held_up,
    run,
    three_limits,
)


@pytest.fixture
def jobs() -> Iterator[Jobs]:
    jobs = Jobs(workers=1, most=8)
    yield jobs
    jobs.close()


def test_events_arrive_in_order_with_the_ticket(jobs: Jobs) -> None:
    script = run(jobs, Script(three_limits, ticket="mine"))
    assert script.ended.wait(PATIENCE)
    assert script.names == ["exhausted", "exhausted", "solved"]
    assert [fields["ticket"] for _, fields in script.sent] == ["mine"] * 3
    assert script.last["moves"] == [[0, 6]]


def test_a_solution_that_is_not_proved_shortest_ends_nothing(jobs: Jobs) -> None:
    script = run(jobs, Script(first_a_long_one))
    assert script.ended.wait(PATIENCE)
    assert script.names == ["found", "exhausted", "exhausted", "solved"]


def test_searches_share_one_worker_fairly(jobs: Jobs) -> None:
    scripts = [run(jobs, Script(for_ever, owner=str(number))) for number in range(3)]
    late = run(jobs, Script(three_limits, owner="late"))
    assert late.ended.wait(PATIENCE)
    while min(script.turns for script in scripts) < 60:
        time.sleep(0.01)
    turns = [script.turns for script in scripts]
    assert max(turns) < 2 * min(turns)


def test_progress_comes_at_most_ten_times_a_second(jobs: Jobs) -> None:
    script = run(jobs, Script(for_ever))
    wait_for(lambda: script.names.count("progress") >= 3)
    jobs.stop("o", "t")
    assert script.names.count("progress") <= 2 + 10 * script.last["seconds"]
    assert script.turns > 2 * script.names.count("progress")


def test_waiting_for_others_costs_no_time(jobs: Jobs) -> None:
    """The times of both together are no longer than what has passed."""
    began = time.perf_counter()
    scripts = [run(jobs, Script(for_ever, owner=owner, limits=Limits(0.1, 1 << 60))) for owner in "ab"]
    assert all(script.ended.wait(PATIENCE) for script in scripts)
    assert all(script.last["seconds"] >= 0.1 for script in scripts)
    assert sum(script.last["seconds"] for script in scripts) <= time.perf_counter() - began


@pytest.mark.parametrize("limits", [Limits(0.05, 1 << 60), Limits(float("inf"), 110)])
def test_limits_end_a_search(jobs: Jobs, limits: Limits) -> None:
    script = run(jobs, Script(for_ever, limits=limits))
    assert script.ended.wait(PATIENCE)
    assert script.closed.wait(PATIENCE)
    assert script.names[-1] == "stopped"
    assert script.last["reason"] == "limit"
    assert script.last["limit"] == 1
    assert script.last["total_nodes"] >= 110 or script.last["seconds"] >= 0.05


def test_stop_tells_how_far_it_came(jobs: Jobs) -> None:
    script = run(jobs, Script(for_ever))
    while script.turns < 3:
        time.sleep(0.001)
    jobs.stop("o", "t")
    assert script.names[-1] == "stopped"  # before `stop` has returned
    assert (script.last["reason"], script.last["limit"]) == ("asked", 1)
    assert script.last["total_nodes"] > 100
    assert script.closed.wait(PATIENCE)


def test_stop_does_not_wait_for_a_turn_to_end(jobs: Jobs) -> None:
    script = run(jobs, Script(held_up))
    assert script.started.wait(PATIENCE)
    jobs.stop("o", "t")
    assert script.names == ["stopped"]
    script.go_on.set()
    assert script.closed.wait(PATIENCE)
    assert script.names == ["stopped"]


def test_a_search_is_over_when_its_last_event_is_sent() -> None:
    """Not before: a worker would hand it to another one."""
    is_sending, may_send, sent = threading.Event(), threading.Event(), list[str]()

    def emit(name: str, fields: dict[str, object]) -> None:
        is_sending.set()
        may_send.wait(PATIENCE)
        sent.append(name)

    job = Job("o", "t", three_limits(Script(three_limits)), emit, Limits(60, 1 << 40))
    with ThreadPoolExecutor() as pool:
        pool.submit(job.stop, "asked")
        assert is_sending.wait(PATIENCE)
        over = pool.submit(lambda: (job.is_over, list(sent)))
        assert job.ended and not sent
        may_send.set()
        assert over.result() == (True, ["stopped"])


def test_stopping_what_does_not_run_does_nothing(jobs: Jobs) -> None:
    script = run(jobs, Script(three_limits))
    assert script.ended.wait(PATIENCE)
    jobs.stop("o", "t")
    jobs.stop("o", "another")
    jobs.stop("nobody", "t")
    assert script.names.count("stopped") == 0


def test_one_owner_cannot_stop_the_search_of_another(jobs: Jobs) -> None:
    script = run(jobs, Script(for_ever, owner="a"))
    jobs.stop("b", "t")
    jobs.drop("b")
    assert not script.job.ended


@pytest.mark.parametrize("search", [broken, endless_silence])
def test_a_fault_is_told_without_details(
    jobs: Jobs, search: Callable[[Script], Search], caplog: pytest.LogCaptureFixture
) -> None:
    script = run(jobs, Script(search))
    assert script.ended.wait(PATIENCE)
    assert script.names[-1] == "failed"
    assert script.last["error"]["code"] == "internal"
    assert "secret" not in str(script.sent)
    assert "Traceback" in caplog.text
    assert run(jobs, Script(three_limits)).ended.wait(PATIENCE)


def test_a_client_that_cannot_be_told_does_not_stop_the_others(
    jobs: Jobs, caplog: pytest.LogCaptureFixture
) -> None:
    script = Script(for_ever, owner="deaf")
    script.sent = None  # type: ignore[assignment]
    run(jobs, script)
    assert script.closed.wait(PATIENCE)
    assert "could not be sent" in caplog.text
    assert run(jobs, Script(three_limits)).ended.wait(PATIENCE)


def test_a_new_search_replaces_the_old_one(jobs: Jobs) -> None:
    old = run(jobs, Script(for_ever, ticket="old"))
    assert old.started.wait(PATIENCE)
    new = run(jobs, Script(three_limits, ticket="new"))
    assert old.names[-1] == "stopped"
    assert old.last["reason"] == "replaced"
    assert new.ended.wait(PATIENCE)
    assert old.closed.wait(PATIENCE)


def test_the_same_ticket_is_replaced_even_in_a_race(jobs: Jobs) -> None:
    old = run(jobs, Script(for_ever, race="r"))
    new = run(jobs, Script(three_limits, race="r"))
    assert old.last["reason"] == "replaced"
    assert new.ended.wait(PATIENCE)


def test_a_race_runs_side_by_side(jobs: Jobs) -> None:
    runners = [run(jobs, Script(for_ever, ticket=str(n), race="r")) for n in range(MOST_IN_RACE)]
    with pytest.raises(RaceFull):
        run(jobs, Script(for_ever, ticket="one too many", race="r"))
    assert not any(runner.job.ended for runner in runners)
    run(jobs, Script(for_ever, ticket="another race", race="s"))
    assert [runner.last["reason"] for runner in runners] == ["replaced"] * MOST_IN_RACE


def test_too_many_searches_are_refused(jobs: Jobs) -> None:
    scripts = [run(jobs, Script(for_ever, owner=str(number))) for number in range(8)]
    with pytest.raises(Busy):
        run(jobs, Script(three_limits, owner="new"))
    run(jobs, Script(for_ever, owner="0"))  # replaces its own, so it takes no more room
    assert scripts[0].names[-1] == "stopped"
    jobs.stop("1", "t")
    assert run(jobs, Script(three_limits, owner="new")).ended.wait(PATIENCE)


def test_a_full_server_says_so_whatever_it_is_about(jobs: Jobs) -> None:
    for number in range(8):
        run(jobs, Script(for_ever, owner=str(number)))
    with ThreadPoolExecutor(1) as elsewhere:
        with jobs._changed, pytest.raises(Busy):  # nobody else gets anything done meanwhile
            elsewhere.submit(jobs.refuse, "new").result(PATIENCE)
        jobs.refuse("0")
        jobs.pause("1", "t")
        jobs.resume("1", "t")
        jobs.stop("1", "t")
        jobs.refuse("new")


def test_nothing_is_sent_to_an_owner_who_has_gone(jobs: Jobs) -> None:
    scripts = [run(jobs, Script(for_ever, ticket=str(number), race="r")) for number in range(3)]
    assert all(script.started.wait(PATIENCE) for script in scripts)
    jobs.drop("o")
    before = [list(script.sent) for script in scripts]
    assert all(script.closed.wait(PATIENCE) for script in scripts)
    assert [script.sent for script in scripts] == before
    assert not any(script.ended.is_set() for script in scripts)


def test_every_search_ends_exactly_once_however_it_is_stopped() -> None:
    jobs = Jobs(workers=3, most=400)
    scripts = [Script(three_limits, owner=str(number)) for number in range(300)]
    stoppers = [threading.Thread(target=jobs.stop, args=(script.job.owner, "t")) for script in scripts]
    for script, stopper in zip(scripts, stoppers, strict=True):
        jobs.start(script.job)
        stopper.start()
    for script, stopper in zip(scripts, stoppers, strict=True):
        stopper.join()
        assert script.ended.wait(PATIENCE)
        assert script.names[-1] in ("solved", "stopped")
        assert "solved" not in script.names[:-1] and "stopped" not in script.names[:-1]
    jobs.close()
