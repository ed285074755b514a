"""Many come and go at the same moment: nobody is sent away, nobody is counted for ever."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import socketio

from hoppers.web.channel import manager_lock
from tests.conftest import MakeApp

COMING, TIMES = 4, 40


class Slow(dict[str, Any]):
    """Takes its time to tell what is there, so that others may change it meanwhile."""

    def __contains__(self, key: object) -> bool:
        found = super().__contains__(key)
        time.sleep(0.0001)
        return found


def come_and_go(record: Any, number: int) -> None:
    for visit in range(TIMES):
        sid = record.pre_connect(f"{number} {visit}", "/")
        record.connect(sid, "/")
        assert record.is_connected(sid, "/")
        assert list(record.get_participants("/", sid)) == [(sid, f"{number} {visit}")]
        record.pre_disconnect(sid, "/")
        record.basic_disconnect(sid, "/")
        assert list(record.get_participants("/", sid)) == []


def test_whoever_comes_while_another_goes_is_taken_in() -> None:
    record: Any = socketio.Server(async_mode="threading").manager
    record.rooms, record.pending_connect, record.pending_disconnect = Slow(), Slow(), Slow()
    manager_lock.one_at_a_time(record)
    with ThreadPoolExecutor(COMING) as threads:
        list(threads.map(lambda number: come_and_go(record, number), range(COMING)))
    assert (record.rooms, record.pending_connect, record.pending_disconnect) == ({}, {}, {})


def test_the_servers_own_record_is_guarded(make_app: MakeApp) -> None:
    record = make_app().extensions["socketio"].server.manager
    assert all(hasattr(getattr(record, name), "__wrapped__") for name in manager_lock.CHANGES)
