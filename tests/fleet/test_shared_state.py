"""State shared through Redis: proved answers."""

from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from redis import Redis

from hoppers.fleet import breaker
from hoppers.fleet.shared_state import ANSWER_EXPIRY_SECONDS, RedisStore
from tests.support.processes import Queue


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """One-element list with the time that the Redis client reads; only tests change it."""
    now = [1000.0]
    monkeypatch.setattr(breaker, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


@pytest.fixture(scope="module")
def queue() -> Iterator[Queue]:
    queue = Queue()
    yield queue
    queue.kill()


def test_stored_answers_are_shared_and_expire(queue: Queue) -> None:
    one, other = RedisStore(queue.url), RedisStore(queue.url)
    one.put("name", b"\x00value")
    assert other.get("name") == b"\x00value" and other.get("another") is None
    assert 0 < one._redis.ttl("hoppers:answer:name") <= ANSWER_EXPIRY_SECONDS
    one._redis.expire("hoppers:answer:name", 10)
    assert other.get("name") == b"\x00value"
    assert one._redis.ttl("hoppers:answer:name") > 10


def test_full_redis_evicts_answers_and_keeps_running(queue: Queue) -> None:
    store, admin = RedisStore(queue.url), Redis.from_url(queue.admin_url)
    used = admin.info("memory")["used_memory"]
    admin.config_set("maxmemory", used + 2_000_000)
    for number in range(400):
        store.put(f"answer {number}", bytes(10_000))
    stored = [number for number in range(400) if store.get(f"answer {number}")]
    assert 399 in stored and len(stored) < 300
    admin.config_set("maxmemory", 0)
    admin.close()


def test_unreachable_store_is_skipped_and_used_again(queue: Queue, clock: list[float]) -> None:
    store = RedisStore(queue.url)
    store.put("name", b"value")
    queue.kill()
    assert store.get("name") is None
    queue.start()
    queue.wait()
    store.put("name", b"again")
    assert store.get("name") is None
    clock[0] += breaker.PAUSE_SECONDS
    store.put("name", b"again")
    assert store.get("name") == b"again"
