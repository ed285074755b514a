"""The scheduler with scripted searches: fair shares, limits, stops, replacements and refusals."""

import itertools
import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from typing import TypeAlias

import pytest

from hoppers.core.errors import Busy, PuzzleError
from hoppers.core.events import Event, Exhausted, Stopped
from hoppers.jobs.search_job import Job, SearchLimits
from hoppers.jobs.service import CHECK_SECONDS, MAX_IN_RACE, SearchService
from hoppers.jobs.sessions import Queued, Session, Totals
from hoppers.runtime import metrics
from hoppers.runtime.scheduler import Scheduler, Task
from tests.support.processes import wait_for
from tests.support.scripted_searches import (
    TIMEOUT_SECONDS,
    Limits,
    Script,
    Search,
    Searches,
    blocked,
    broken,
    endless,
    endless_without_events,
    long_solution_first,
    read,
    run,
    three_limits,
)


@pytest.fixture
def searches() -> Iterator[Searches]:
    searches = Searches()
    yield searches
    searches.close()


SearchesWith: TypeAlias = Callable[[Limits], Searches]


@pytest.fixture
def searches_with() -> Iterator[SearchesWith]:
    with ExitStack() as stack:

        def start(limits: Limits) -> Searches:
            searches = Searches(limits=limits)
            stack.callback(searches.close)
            return searches

        yield start


def test_events_arrive_in_order_with_the_ticket(searches: Searches) -> None:
    script = run(searches, Script(three_limits, ticket="mine"))
    assert script.ended.wait(TIMEOUT_SECONDS)
    assert script.names == ["exhausted", "exhausted", "solved"]
    assert [fields["ticket"] for _, fields in script.sent] == ["mine"] * 3
    assert script.last["moves"] == [[0, 6]]


def test_unproved_solution_does_not_end_its_search(searches: Searches) -> None:
    script = run(searches, Script(long_solution_first))
    assert script.ended.wait(TIMEOUT_SECONDS)
    assert script.names == ["found", "exhausted", "exhausted", "solved"]


def test_searches_share_one_thread_fairly(searches: Searches) -> None:
    scripts = [run(searches, Script(endless, player=str(number))) for number in range(3)]
    late = run(searches, Script(three_limits, player="late"))
    assert late.ended.wait(TIMEOUT_SECONDS)
    while min(script.turns for script in scripts) < 60:
        time.sleep(0.01)
    turns = [script.turns for script in scripts]
    assert max(turns) < 2 * min(turns)


def test_progress_comes_at_most_ten_times_a_second(searches: Searches) -> None:
    script = run(searches, Script(endless))
    wait_for(lambda: script.names.count("progress") >= 3)
    searches.stop("o", "t")
    assert script.names.count("progress") <= 2 + 10 * script.last["seconds"]
    assert script.turns > 2 * script.names.count("progress")


def test_waiting_for_others_costs_no_time(searches_with: SearchesWith) -> None:
    """The seconds charged to both searches add up to no more than the time that has passed."""
    began, searches = time.perf_counter(), searches_with((0.1, 1 << 60))
    scripts = [run(searches, Script(endless, player=player)) for player in "ab"]
    assert all(script.ended.wait(TIMEOUT_SECONDS) for script in scripts)
    assert all(script.last["seconds"] >= 0.1 for script in scripts)
    assert sum(script.last["seconds"] for script in scripts) <= time.perf_counter() - began


@pytest.mark.parametrize("limits", [(0.05, 1 << 60), (float("inf"), 110)])
def test_limits_end_a_search(searches_with: SearchesWith, limits: Limits) -> None:
    script = run(searches_with(limits), Script(endless))
    assert script.ended.wait(TIMEOUT_SECONDS)
    assert script.closed.wait(TIMEOUT_SECONDS)
    assert script.names[-1] == "stopped"
    assert script.last["reason"] == "limit"
    assert script.last["limit"] == 1
    assert script.last["total_nodes"] >= 110 or script.last["seconds"] >= 0.05


def test_stop_reports_the_last_limit(searches: Searches) -> None:
    script = run(searches, Script(endless))
    while script.turns < 3:
        time.sleep(0.001)
    searches.stop("o", "t")
    assert script.names[-1] == "stopped"  # sent before `stop` returns
    assert (script.last["reason"], script.last["limit"]) == ("asked", 1)
    assert script.last["total_nodes"] > 100
    assert script.closed.wait(TIMEOUT_SECONDS)


def test_stop_does_not_wait_for_a_turn_to_end(searches: Searches) -> None:
    script = run(searches, Script(blocked))
    assert script.started.wait(TIMEOUT_SECONDS)
    searches.stop("o", "t")
    assert script.names == ["stopped"]
    script.may_continue.set()
    assert script.closed.wait(TIMEOUT_SECONDS)
    assert script.names == ["stopped"]


def test_stopped_search_counts_the_nodes_of_earlier_workers() -> None:
    def stopped() -> Search:
        yield Exhausted(2, 20, 0, 0.0)
        yield Stopped("limit", 2, 25, 0.0)

    sent, limits = list[Event | Queued](), SearchLimits(math.inf, 1 << 60)
    job = Job("1", lambda proved: stopped(), lambda event, _: sent.append(event), limits, Totals(1, 100))
    job.steps = job.begin()
    job.run_slice(60)
    assert sent[-1:] == [Stopped("limit", 2, 125, job.seconds)]


def test_stopping_an_unknown_search_is_refused(searches: Searches) -> None:
    script = run(searches, Script(three_limits))
    assert script.ended.wait(TIMEOUT_SECONDS)
    searches.stop("o", "t")
    for key in (("o", "another"), ("nobody", "t")):
        with pytest.raises(PuzzleError, match=f"{key[1]!r}"):
            searches.stop(*key)
    assert script.names.count("stopped") == 0


def test_one_owner_cannot_stop_the_search_of_another(searches: Searches) -> None:
    script = run(searches, Script(endless, player="a"))
    with pytest.raises(PuzzleError, match="'t'"):
        searches.stop("b", "t")
    searches.leave("b", returns=False)
    assert searches.runs(script)


@pytest.mark.parametrize("search", [broken, endless_without_events])
def test_a_fault_is_reported_without_details(
    searches: Searches, search: Callable[[Script], Search], caplog: pytest.LogCaptureFixture
) -> None:
    script = run(searches, Script(search))
    assert script.ended.wait(TIMEOUT_SECONDS)
    assert script.names[-1] == "failed"
    assert script.last["error"]["code"] == "internal"
    assert "secret" not in str(script.sent)
    assert "Traceback" in caplog.text
    assert run(searches, Script(three_limits)).ended.wait(TIMEOUT_SECONDS)


def test_a_failing_send_does_not_stop_other_searches(
    searches: Searches, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Script(endless, player="deaf")
    monkeypatch.setattr(script, "sent", None)  # `sent.append` fails
    run(searches, script)
    assert script.closed.wait(TIMEOUT_SECONDS)
    assert "could not be sent" in caplog.text
    assert run(searches, Script(three_limits)).ended.wait(TIMEOUT_SECONDS)


def test_a_new_search_replaces_the_old_one(searches: Searches) -> None:
    old = run(searches, Script(endless, ticket="old"))
    assert old.started.wait(TIMEOUT_SECONDS)
    new = run(searches, Script(three_limits, ticket="new"))
    assert old.names[-1] == "stopped"
    assert old.last["reason"] == "replaced"
    assert new.ended.wait(TIMEOUT_SECONDS)
    assert old.closed.wait(TIMEOUT_SECONDS)


def test_the_same_ticket_is_replaced_even_in_a_race(searches: Searches) -> None:
    old = run(searches, Script(endless, race="r"))
    new = run(searches, Script(three_limits, race="r"))
    assert old.last["reason"] == "replaced"
    assert new.ended.wait(TIMEOUT_SECONDS)


def test_a_race_runs_side_by_side(searches: Searches) -> None:
    runners = [run(searches, Script(endless, ticket=str(n), race="r")) for n in range(MAX_IN_RACE)]
    with pytest.raises(PuzzleError, match="under the race 'r'"):
        run(searches, Script(endless, ticket="one too many", race="r"))
    assert all(searches.runs(runner) for runner in runners)
    run(searches, Script(endless, ticket="another race", race="s"))
    assert [runner.last["reason"] for runner in runners] == ["replaced"] * MAX_IN_RACE


def test_too_many_searches_of_one_client_are_refused(searches: Searches) -> None:
    scripts = [run(searches, Script(endless, player=str(number), client="c")) for number in range(8)]
    with pytest.raises(Busy, match="Your network runs 8 searches"):
        run(searches, Script(three_limits, player="new", client="c"))
    assert run(searches, Script(three_limits, player="new")).ended.wait(TIMEOUT_SECONDS)
    run(searches, Script(endless, player="0", client="c"))  # replaces a search of the same player
    assert scripts[0].names[-1] == "stopped"
    searches.stop("1", "t")
    assert run(searches, Script(three_limits, player="new", client="c")).ended.wait(TIMEOUT_SECONDS)


def test_clients_have_equal_time_whatever_the_number_of_their_searches(searches: Searches) -> None:
    many = [run(searches, Script(endless, player=str(number), client="many")) for number in range(7)]
    one = run(searches, Script(endless, player="one"))
    before = sum(script.turns for script in many)
    wait_for(lambda: one.turns >= 100)
    assert 50 < sum(script.turns for script in many) - before < 200


def test_lost_session_goes_on_unless_its_search_is_stopped(
    searches: Searches, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second loss meets a stop between the check and the new session."""
    create = searches.sessions.create

    def stop_and_create(id: str, session: Session) -> None:
        searches.stop("o", "t")
        create(id, session)

    script = run(searches, Script(endless))
    id = searches.sessions.find("o", "t")
    assert id is not None and script.started.wait(TIMEOUT_SECONDS)
    searches.sessions.delete(id)
    wait_for(lambda: searches.sessions.read(id))
    monkeypatch.setattr(searches.sessions, "create", stop_and_create)
    searches.sessions.delete(id)
    assert script.ended.wait(TIMEOUT_SECONDS)
    time.sleep(3 * CHECK_SECONDS)
    assert script.names[-1] == "stopped" and script.names.count("stopped") == 1
    assert not searches.sessions.open() and searches.sessions.read(id) is None


def test_search_stopped_by_another_server_ends_with_the_rows_sent(
    searches: Searches, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker adds a row after the other server has counted them."""
    append, row = searches.sessions.append, Exhausted(2, 50, 0, 0.1)

    def append_late(id: str, event: Event, totals: Totals) -> bool:
        if isinstance(event, Stopped):
            append(id, row, Totals(2, 150, 0, 0.2))
        return append(id, event, totals)

    script = run(searches, Script(endless))
    wait_for(lambda: "exhausted" in script.names)
    monkeypatch.setattr(searches.sessions, "append", append_late)
    other = SearchService(searches.sessions, searches.runner.submit, lambda *_: None, 8, read=read)
    other.stop("o", "t")
    assert script.ended.wait(TIMEOUT_SECONDS)
    other.close()
    rows = [fields["limit"] for name, fields in script.sent if name == "exhausted"]
    assert (rows, script.last["limit"], script.last["total_nodes"]) == ([1, 2], 2, 150)
    assert (script.last["reason"], script.names.count("stopped")) == ("asked", 1)


def test_ends_are_counted_once(searches: Searches) -> None:
    def ended() -> dict[str, float]:
        samples = [sample for metric in metrics.SEARCHES_ENDED.collect() for sample in metric.samples]
        return {sample.labels["event"]: sample.value for sample in samples if sample.name.endswith("_total")}

    before = ended()
    solved, left = (
        run(searches, Script(search, player=player, connection=player))
        for search, player in ((three_limits, "a"), (endless, "b"))
    )
    assert solved.ended.wait(TIMEOUT_SECONDS) and left.started.wait(TIMEOUT_SECONDS)
    with suppress(PuzzleError):  # it cannot be joined again, and is soon forgotten
        searches.stop("a", "t")
    searches.leave("b", returns=False)
    wait_for(lambda: ended().get("left", 0) == before.get("left", 0) + 1)
    assert ended().get("solved", 0) == before.get("solved", 0) + 1
    assert ended().get("stopped", 0) == before.get("stopped", 0)


def test_no_event_is_sent_to_a_departed_owner(searches: Searches) -> None:
    scripts = [
        run(searches, Script(endless, ticket=str(number), race="r", connection="c")) for number in range(3)
    ]
    assert all(script.started.wait(TIMEOUT_SECONDS) for script in scripts)
    searches.leave("c", returns=False)
    before = [list(script.sent) for script in scripts]
    assert all(script.closed.wait(TIMEOUT_SECONDS) for script in scripts)
    assert [script.sent for script in scripts] == before
    assert not any(script.ended.is_set() for script in scripts)


def test_stopped_searches_end_exactly_once() -> None:
    searches = Searches(threads=3, most=400)
    scripts = [Script(three_limits, player=str(number)) for number in range(300)]
    stoppers = [
        threading.Thread(target=searches.stop, args=(script.request.player, "t")) for script in scripts
    ]
    for script, stopper in zip(scripts, stoppers, strict=True):
        searches.start(script.request)
        stopper.start()
    for script, stopper in zip(scripts, stoppers, strict=True):
        stopper.join()
        assert script.ended.wait(TIMEOUT_SECONDS)
        assert script.names[-1] in ("solved", "stopped")
        assert "solved" not in script.names[:-1] and "stopped" not in script.names[:-1]
    searches.close()


class Counting(Task[int]):
    """A task that counts without end, and sets an event at its first step."""

    def __init__(self, id: str, client: str = "") -> None:
        super().__init__(id, lambda: (number for number in itertools.count(1)), client)
        self.count, self.began = 0, threading.Event()

    def step(self) -> None:
        self.count = self.next_value() or 0
        self.began.set()


def test_a_task_begins_while_a_thread_ends() -> None:
    """What ends with a thread may take long, such as the release of memory."""
    is_ending, may_end = threading.Event(), threading.Event()

    @contextmanager
    def context() -> Iterator[None]:
        yield
        is_ending.set()
        assert may_end.wait(TIMEOUT_SECONDS)

    with closing(Scheduler(1, context)) as tasks:
        for id in "ab":
            tasks.start(task := Counting(id))
            assert task.began.wait(TIMEOUT_SECONDS)
            tasks.stop(id)
            assert is_ending.wait(TIMEOUT_SECONDS)
        may_end.set()


def test_counts_are_those_of_the_tasks_asked_for() -> None:
    with closing(Scheduler()) as tasks:
        tasks.start(Counting("running"))
        tasks.start(Counting("paused"))
        tasks.pause("paused")
        assert tasks.counts(["paused", "unknown"]) == {"running": 0, "queued": 0, "paused": 1}
        assert tasks.counts(["running", "paused"]) == {"running": 1, "queued": 0, "paused": 1}
