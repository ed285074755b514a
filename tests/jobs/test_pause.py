"""Paused searches: no events and no time while paused, and no row lost or repeated after a resume."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from hoppers.core.errors import Busy, PuzzleError
from hoppers.core.events import Exhausted, Progress
from hoppers.runtime import scheduler
from hoppers.runtime.memory_budget import Lease
from tests.conftest import Connect
from tests.fleet.fixtures import LONG, expected_nodes
from tests.support.processes import wait_for
from tests.support.scripted_searches import (
    SOLVED,
    TIMEOUT_SECONDS,
    Script,
    Search,
    Searches,
    endless,
    run,
    wait_until_paused,
)
from tests.support.socket_client import Listener, ReceivedEvent

SHORT = ("eight-puzzle", "867254301")


def many_limits(script: Script) -> Search:
    for limit in range(1, 200):
        time.sleep(0.001)
        yield Exhausted(limit, limit, 0, 0.0)
    yield SOLVED


@pytest.fixture
def searches() -> Iterator[Searches]:
    searches = Searches(most=2)
    yield searches
    searches.close()


def wait_for_rows(script: Script, rows: int) -> None:
    while len(script.sent) < rows:
        time.sleep(0.001)


def test_a_paused_search_sends_no_event(searches: Searches) -> None:
    script = run(searches, Script(endless))
    wait_for_rows(script, 1)
    searches.pause("o", "t")
    sent = len(script.sent)
    wait_until_paused(searches, script)
    turns = script.turns
    time.sleep(0.1)
    assert (len(script.sent), script.turns) == (sent, turns)


def test_repeated_pauses_lose_and_repeat_no_row(searches: Searches) -> None:
    script = run(searches, Script(many_limits))
    while not script.ended.is_set():
        searches.pause("o", "t")
        time.sleep(0.002)
        searches.resume("o", "t")
        time.sleep(0.005)
    assert [fields["limit"] for name, fields in script.sent if name == "exhausted"] == list(range(1, 200))
    assert script.names[-1] == "solved"


def test_a_paused_search_can_be_stopped(searches: Searches) -> None:
    script = run(searches, Script(endless))
    wait_for_rows(script, 1)
    searches.pause("o", "t")
    searches.stop("o", "t")
    assert script.names[-1] == "stopped"
    assert script.closed.wait(TIMEOUT_SECONDS)


def test_a_long_pause_gives_memory_up_and_loses_no_row(
    searches: Searches, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "PARK_SECONDS", 0.1)
    script = run(searches, Script(many_limits))
    wait_for_rows(script, 3)
    searches.pause("o", "t")
    assert script.closed.wait(TIMEOUT_SECONDS)
    assert searches.counts() == {"running": 0, "queued": 0, "paused": 1}
    searches.resume("o", "t")
    assert script.ended.wait(TIMEOUT_SECONDS)
    assert [fields["limit"] for name, fields in script.sent if name == "exhausted"] == list(range(1, 200))
    assert script.names[-1] == "solved"


def test_a_full_client_replaces_its_oldest_paused_search(searches: Searches) -> None:
    first, second = (run(searches, Script(endless, player=player, client="c")) for player in ("a", "b"))
    with pytest.raises(Busy):
        run(searches, Script(endless, player="c", client="c"))
    for player, script in (("b", second), ("a", first)):
        wait_for_rows(script, 1)
        searches.pause(player, "t")
        wait_until_paused(searches, script)
    assert run(searches, Script(endless, player="d")).started.wait(TIMEOUT_SECONDS)
    third = run(searches, Script(endless, player="c", client="c"))
    assert first.last["reason"] == "replaced" and "stopped" not in second.names
    assert third.started.wait(TIMEOUT_SECONDS)
    assert not second.ended.is_set()


def holding(searches: Searches, size: int) -> Callable[[Script], Search]:
    """Return a search that holds `size` of 100 bytes, and fails if it waits for them for ten seconds."""

    def search(script: Script) -> Search:
        lease = Lease(searches.memory)
        try:
            for _ in lease.wait_and_take(size, 10.0):
                yield Progress(1, 0, 0.0)
            yield from endless(script)
        finally:
            lease.release()

    return search


def test_a_paused_search_gives_its_memory_to_one_that_waits() -> None:
    with closing(Searches()) as searches:
        paused = run(searches, Script(holding(searches, 80), player="a"))
        wait_for(lambda: "exhausted" in paused.names)
        searches.pause("a", "t")
        wait_until_paused(searches, paused)
        assert searches.memory.left == 20
        other = run(searches, Script(holding(searches, 60), player="b"))
        wait_for(lambda: "exhausted" in other.names)
        searches.resume("a", "t")
        wait_for(lambda: ("queued", {"ticket": "t", "ahead": 0}) in paused.sent)
        searches.stop("b", "t")
        turns = paused.turns
        wait_for(lambda: paused.turns > turns)
        assert searches.memory.left == 20
        assert paused.names.count("exhausted") == 1 and "failed" not in paused.names


def test_a_client_keeps_at_most_its_share_of_memory() -> None:
    with closing(Searches()) as searches:
        many = [run(searches, Script(holding(searches, 30), player=str(n), client="many")) for n in range(3)]
        wait_for(lambda: all("exhausted" in script.names for script in many))
        other = run(searches, Script(holding(searches, 40), player="other"))
        wait_for(lambda: "exhausted" in other.names)
        assert [script.closed.is_set() for script in many] == [False, False, True]
        searches.stop("other", "t")
        turns = many[2].turns
        wait_for(lambda: many[2].turns > turns)
        assert not any(script.ended.is_set() for script in many)


def test_only_known_searches_are_paused_and_only_paused_ones_resumed(searches: Searches) -> None:
    for control in (searches.pause, searches.resume):
        with pytest.raises(PuzzleError, match="'nothing'"):
            control("o", "nothing")
    script = run(searches, Script(many_limits))
    searches.resume("o", "t")
    assert script.ended.wait(TIMEOUT_SECONDS)


def rows_of(events: list[ReceivedEvent], ticket: str) -> list[tuple[int, int]]:
    return [
        (fields["limit"], fields["nodes"])
        for name, fields in events
        if name == "exhausted" and fields["ticket"] == ticket
    ]


def race(client: Listener, *methods: str, position: tuple[str, str] = SHORT) -> None:
    for method in methods:
        assert client.search(method, *position, method=method, race="one") == {"ok": True}


def test_paused_method_of_a_race_resumes_with_all_rows(connect: Connect) -> None:
    client = connect()
    race(client, "deepening", position=LONG)
    events = client.receive_until("exhausted")
    assert client.call("pause", {"ticket": "deepening"}) == {"ok": True}
    race(client, "manhattan", "manhattan-tight", "linear-conflict")
    while sum(name == "solved" for name, _ in events) < 3:
        events.append(client.receive())
    time.sleep(0.1)
    assert client.receives_nothing_more()
    proved = max((limit for limit, _ in rows_of(events, "deepening")), default=0)
    client.call("resume", {"ticket": "deepening"})
    while len(rows_of(events, "deepening")) < max(11, proved + 1):
        events.append(client.receive())
    client.call("stop", {"ticket": "deepening"})
    rows = rows_of(events + client.receive_to_end(), "deepening")
    assert [limit for limit, _ in rows] == list(range(1, len(rows) + 1))
    assert [nodes for _, nodes in rows[:11]] == expected_nodes(11)
    assert sum(nodes for _, nodes in rows_of(events, "manhattan")) == 127_815 - 50_474


def test_a_pause_ends_with_the_connection_and_needs_a_ticket(connect: Connect) -> None:
    client = connect()
    race(client, "deepening", position=LONG)
    client.call("pause", {"ticket": "deepening"})
    assert client.call("pause", {})["error"]["code"] == "invalid_request"
    assert client.call("resume", {"ticket": "deepening", "more": 1})["error"]["code"] == "invalid_request"
