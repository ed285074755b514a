"""The channel between real clients and a real server."""

import itertools
import json
from contextlib import closing

import pytest

from hoppers.analysis.requests import parse_search
from tests.conftest import Connect, Serve
from tests.support.engine import ENGINE
from tests.support.processes import wait_for
from tests.support.socket_client import FINAL, TIMEOUT_SECONDS, Listener, ReceivedEvent, raw_client

HOPPERS = ("hoppers", "oooooo.oooooo")
LONG = ("fifteen-puzzle", "0c9dfbae37624851")
"""Puzzle and position whose plain iterative deepening does not end during a test."""


def select(events: list[ReceivedEvent], ticket: str) -> list[ReceivedEvent]:
    return [(name, fields) for name, fields in events if fields["ticket"] == ticket]


def assert_well_formed(events: list[ReceivedEvent]) -> None:
    """Assert that limits rise, and that the last event and no other ends the search."""
    limits = [fields["limit"] for name, fields in events if name == "exhausted"]
    assert limits == sorted(set(limits))
    assert [name in FINAL for name, _ in events] == [False] * (len(events) - 1) + [True]
    running = [fields["limit"] for name, fields in events if name in ("progress", "exhausted")]
    assert running == sorted(running)


def test_published_search_has_its_nodes_and_solutions(connect: Connect) -> None:
    client = connect()
    answer = client.search("one", *HOPPERS, method="deepening", find="all", first_move=[0, 6])
    assert answer == {"ok": True}
    events = client.receive_to_end()
    assert_well_formed(events)
    assert {fields["ticket"] for _, fields in events} == {"one"}
    rows = {fields["limit"]: fields["nodes"] for name, fields in events if name != "progress"}
    assert [rows[limit] for limit in range(2, 8)] == [18, 110, 638, 3010, 11520, 29554]
    name, solved = events[-1]
    assert (name, solved["limit"], solved["count"]) == ("solved", 7, 18)
    assert solved["moves"][0][:2] == [0, 6]
    assert solved["total_nodes"] == sum(rows.values())


def test_events_have_exactly_their_documented_fields(connect: Connect) -> None:
    client = connect()
    client.search("a", *LONG, method="deepening")
    progress = client.receive_until("progress")
    client.call("stop", {"ticket": "a"})
    fields = {name: set(payload) for name, payload in progress + client.receive_to_end()}
    client.search("a", *HOPPERS, fresh=True)
    fields |= {name: set(payload) for name, payload in client.receive_to_end()}
    client.search("a", *HOPPERS)
    known = {name: set(payload) for name, payload in client.receive_to_end()}
    assert known == {name: fields[name] | {"known"} for name in ("exhausted", "solved")}
    client.search("a", "eight-puzzle", "123456870")
    fields |= {name: set(payload) for name, payload in client.receive_to_end()}
    assert fields == {
        "progress": {"ticket", "limit", "nodes", "seconds"},
        "exhausted": {"ticket", "limit", "nodes", "cut", "seconds"},
        "solved": {"ticket", "limit", "nodes", "seconds", "moves", "count", "total_nodes"},
        "unsolvable": {"ticket", "reason", "total_nodes", "seconds"},
        "stopped": {"ticket", "reason", "limit", "total_nodes", "seconds"},
    }


@pytest.mark.parametrize("method", ["deepening", "corners", "best"])
def test_search_in_mid_move_counts_only_moves_still_to_start(connect: Connect, method: str) -> None:
    client = connect()
    client.search("at rest", "hoppers", ".ooooo.oo.ooo", method=method, first_move=[2, 0])
    at_rest = client.receive_to_end()[-1][1]
    client.search("active peg 0", "hoppers", "o..ooo.oo.ooo:0", method=method)
    active = client.receive_to_end()[-1][1]
    assert (at_rest["limit"], active["limit"]) == (5, 4)
    assert at_rest["moves"][0][:2] == [2, 0]


def test_long_search_reports_progress_until_stopped(connect: Connect) -> None:
    client = connect()
    client.search("long", *LONG, method="deepening")
    events = (
        client.receive_until("progress") + client.receive_until("progress") + client.receive_until("progress")
    )
    assert client.call("stop", {"ticket": "long"}) == {"ok": True}
    events += client.receive_to_end()
    assert_well_formed(events)
    name, stopped = events[-1]
    assert (name, stopped["reason"]) == ("stopped", "asked")
    assert stopped["limit"] == max(fields["limit"] for name, fields in events if name == "exhausted")
    assert client.receives_nothing_more()


def test_a_new_search_replaces_the_running_one(connect: Connect) -> None:
    client = connect()
    client.search("old", *LONG, method="deepening")
    client.receive_until("exhausted")
    client.search("new", *HOPPERS)
    events = client.receive_until("solved")
    assert select(events, "old")[-1][1]["reason"] == "replaced"
    assert_well_formed(select(events, "old"))
    assert_well_formed(select(events, "new"))
    assert events.index(select(events, "old")[-1]) < events.index(select(events, "new")[0])


def test_the_same_ticket_ends_before_it_begins_again(connect: Connect) -> None:
    client = connect()
    client.search("same", *LONG, method="deepening")
    client.receive_until("exhausted")
    client.search("same", *HOPPERS, fresh=True)
    assert client.receive_to_end()[-1][1]["reason"] == "replaced"
    again = client.receive_to_end()
    assert next(row["limit"] for name, row in again if name == "exhausted") == 1
    assert_well_formed(again)


def test_a_race_runs_side_by_side(connect: Connect) -> None:
    client = connect()
    for runner in "abcd":
        assert client.search(runner, *LONG, method="deepening", race="r")["ok"]
    refused = client.search("e", *LONG, method="deepening", race="r")
    assert refused["error"]["code"] == "race_full"
    received: list[ReceivedEvent] = []
    while any("progress" not in dict(select(received, runner)) for runner in "abcd"):
        received.append(client.receive())
    for runner in "abcd":
        client.call("stop", {"ticket": runner})
        received += client.receive_until("stopped")
    for runner in "abcd":
        assert_well_formed(select(received, runner))
    assert client.receives_nothing_more()


def test_two_clients_receive_only_their_own_events(connect: Connect) -> None:
    one, two = connect(), connect()
    one.search("t", *LONG, method="deepening")
    two.search("t", *HOPPERS, method="deepening")
    assert two.receive_to_end()[-1][0] == "solved"
    assert two.receives_nothing_more()
    two.call("stop", {"ticket": "t"})
    one.receive_until("progress")
    one.call("stop", {"ticket": "t"})
    assert one.receive_to_end()[-1][1]["reason"] == "asked"


def test_a_stale_ticket_stops_nothing(connect: Connect) -> None:
    client = connect()
    client.search("first", *HOPPERS)
    client.receive_to_end()
    client.search("second", *LONG, method="deepening")
    assert client.call("stop", {"ticket": "first"}) == {"ok": True}
    client.receive_until("progress")
    client.call("stop", {"ticket": "second"})
    assert client.receive_to_end()[-1][1]["ticket"] == "second"


@pytest.mark.parametrize("transport", [None, "polling", "websocket"])
def test_every_transport_carries_a_search(connect: Connect, transport: str | None) -> None:
    client = connect(transport=transport)
    assert client.search("a", *HOPPERS, method="deepening", find="all", first_move=[0, 6]) == {"ok": True}
    events = client.receive_to_end()
    assert_well_formed(events)
    assert (events[-1][0], events[-1][1]["count"]) == ("solved", 18)
    assert client.search("b", *LONG, method="deepening") == {"ok": True}
    client.receive_until("progress")
    assert client.call("stop", {"ticket": "b"}) == {"ok": True}
    assert client.receive_to_end()[-1][0] == "stopped"
    assert client.receives_nothing_more()


def wait_until_free(client: Listener) -> None:
    """Request a search until the only search of the server has ended."""
    wait_for(lambda: client.search("mine", *HOPPERS)["ok"])
    assert client.receive_to_end()[-1][0] == "solved"


def test_leaving_client_makes_room_for_another_search(serve: Serve, connect: Connect) -> None:
    url = serve(SEARCHES=1, MESSAGES_AT_ONCE=10_000, REJOIN_SECONDS=10 * TIMEOUT_SECONDS)
    first, second = Listener(url), connect(url)
    first.search("a", *LONG, method="deepening")
    busy = second.search("b", *LONG, method="deepening")
    assert busy["error"]["code"] == "busy"
    first.leave()
    wait_until_free(second)
    returned = connect(url)
    wait_for(lambda: returned.search("a", *LONG, method="deepening")["ok"])  # `second`'s search may be ending
    assert returned.receive()[1]["limit"] == 1


def test_silent_client_makes_room_for_another_search(serve: Serve, connect: Connect) -> None:
    """A disconnected client does not block other searches, although its player may rejoin."""
    url = serve(
        SEARCHES=1,
        MESSAGES_AT_ONCE=10_000,
        PING_SECONDS=1,
        REJOIN_SECONDS=10 * TIMEOUT_SECONDS,
    )
    with closing(raw_client(url)) as silent:
        message = {"ticket": "a", "puzzle": LONG[0], "position": LONG[1], "method": "deepening"}
        silent.send(f"42{json.dumps(['search', message])}")
        while '"exhausted"' not in (packet := silent.recv()):
            if packet == "2":
                silent.send("3")  # answer pings until the search runs
        second = connect(url)
        assert not second.search("b", *HOPPERS)["ok"]
        wait_until_free(second)


def test_a_search_ends_at_its_limits(serve: Serve, connect: Connect) -> None:
    client = connect(serve(SEARCH_SECONDS=0.2))
    list(itertools.islice(parse_search(ENGINE, *LONG, method="deepening").events(), 9))  # loads the kernel
    client.search("a", *LONG, method="deepening")
    name, stopped = client.receive_to_end()[-1]
    assert (name, stopped["reason"]) == ("stopped", "limit")
    assert stopped["limit"] > 5
    assert stopped["seconds"] >= 0.2
