"""Searches that wait for a worker, and what their players are told of it."""

from collections.abc import Iterator
from typing import Any

import pytest

from hoppers.fleet.delivered_events import Ledger
from hoppers.fleet.search_records import Records
from hoppers.fleet.watchdog import Watch
from hoppers.jobs.messages import SearchRequest
from tests.processes import Queue


@pytest.fixture
def records() -> Iterator[Records]:
    queue = Queue()
    yield Records(queue.url, 60)
    queue.kill()


def test_whoever_waits_again_because_its_worker_is_lost_is_told_so(
    records: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where no other takes it over, for there is none: nobody enters a line meanwhile."""
    told, delivered = list[tuple[str, int]](), list[str]()

    def send(id: str, name: str, fields: dict[str, Any], *, to: str) -> None:
        told.append((name, fields["ahead"]))

    def look(times: int) -> list[tuple[str, int]]:
        told.clear()
        for _ in range(times):
            watch._look_after_all()
        return [*told]

    monkeypatch.setattr(records, "send", send)
    watch = Watch("server", records, delivered.append, lambda *event, to: None, Ledger())
    records.create("a", SearchRequest("player", "connection", "a", "", {}), "server")
    assert look(3) == [("queued", 0)]
    records.live("worker")
    assert records.claim("a", "worker")
    assert look(3) == [] and delivered == []
    records.die("worker")
    assert look(3) == [("queued", 0)] and delivered == ["a"]
    assert look(3) == []
