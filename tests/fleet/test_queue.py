"""Queue places of searches that wait for a worker."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from hoppers.analysis.requests import read_search
from hoppers.fleet.pubsub import DeliveredEvents
from hoppers.fleet.search_records import SearchRecords
from hoppers.fleet.watchdog import Watchdog
from hoppers.jobs.messages import SearchRequest
from tests.engine import ENGINE
from tests.processes import Queue


@pytest.fixture
def records() -> Iterator[SearchRecords]:
    queue = Queue()
    yield SearchRecords(queue.url, 60)
    queue.kill()


def test_queue_place_is_reported_after_a_worker_is_lost(
    records: SearchRecords, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The place is reported even if no other worker takes the search over and the queue is unchanged."""
    reported, delivered = list[tuple[str, int]](), list[str]()

    def publish(id: str, name: str, fields: dict[str, Any], *, to: str) -> None:
        reported.append((name, fields["ahead"]))

    def check(times: int) -> list[tuple[str, int]]:
        reported.clear()
        for _ in range(times):
            watchdog._check_all_searches()
        return [*reported]

    monkeypatch.setattr(records, "publish", publish)
    watchdog = Watchdog(
        "server",
        records,
        partial(read_search, ENGINE),
        delivered.append,
        lambda *event: None,
        DeliveredEvents(),
    )
    records.create("a", SearchRequest("player", "connection", "a", "", {}), "server")
    assert check(3) == [("queued", 0)]
    records.send_heartbeat("worker")
    assert records.claim("a", "worker")
    assert check(3) == [] and delivered == []
    records.delete_heartbeat("worker")
    assert check(3) == [("queued", 0)] and delivered == ["a"]
    assert check(3) == []
