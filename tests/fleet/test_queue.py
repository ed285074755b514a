"""Queue places of searches that wait for a worker."""

import json
from collections.abc import Iterator

import pytest

from hoppers.fleet.search_records import SearchRecords
from hoppers.fleet.watchdog import LOCK, Watchdog
from hoppers.jobs.messages import SearchRequest
from tests.support.processes import Queue


@pytest.fixture
def records() -> Iterator[SearchRecords]:
    queue = Queue()
    yield SearchRecords(queue.url, 60)
    queue.kill()


def test_queue_place_is_reported_after_a_worker_is_lost(records: SearchRecords) -> None:
    """The place is reported even if no other worker takes the search over and the queue is unchanged."""
    watchdog = Watchdog(records)
    last = "0"

    def check(times: int) -> list[tuple[str, int]]:
        nonlocal last
        for _ in range(times):
            watchdog.check()
        events = list(records.read_inbox("server", last))
        last = events[-1][0] if events else last
        return [(name, fields["ahead"]) for _, _, name, fields in (json.loads(text) for _, text in events)]

    records.create("a", SearchRequest("player", "connection", "a", "", {}), "server")
    assert check(3) == [("queued", 0)]
    records.send_heartbeat("worker")
    assert records.take("worker") == "a"
    assert check(3) == [] and records.take("another") is None
    records.delete_heartbeat("worker")
    assert check(3) == [("queued", 0)]
    assert check(3) == []
    assert records.take("another") == "a"


def test_slow_check_keeps_the_lock_of_another_server(
    records: SearchRecords, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock expires during the check, and the other server takes it."""
    watchdog = Watchdog(records)
    monkeypatch.setattr(watchdog, "_check", lambda: records.redis.set(LOCK, "of another server"))
    watchdog.check()
    assert records.redis.get(LOCK) == "of another server"


def test_an_event_that_is_sent_again_is_stored_once(records: SearchRecords) -> None:
    """The Redis client repeats a request whose response was lost with the connection."""
    records.create("a", SearchRequest("player", "connection", "a", "", {}), "server")
    records.take("worker")
    record = records.read("a")
    assert record is not None
    emit = records.emitter(record, "worker")
    for _ in range(2):
        emit("exhausted", {"limit": 1})
    for _ in range(2):
        emit("stopped", {"limit": 1})
    assert [name for name, _ in records.sent_events("a")] == ["exhausted", "stopped"]
    assert len(list(records.read_inbox("server", "0"))) == 2
    assert emit("exhausted", {"limit": 2}) is False
