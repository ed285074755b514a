"""The limiter's counters: every request is counted once, and what has expired is gone."""

import threading

import pytest
from flask.testing import FlaskClient

from hoppers.web.http import rate_counters
from hoppers.web.http.rate_counters import Counters
from tests.conftest import MakeApp


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def time(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The counters' own clock."""
    found = Clock()
    monkeypatch.setattr(rate_counters, "time", found)
    return found


def test_a_window_ends_for_all_that_it_counted(clock: Clock) -> None:
    counted = Counters()
    assert [counted.incr("a", 2) for _ in range(3)] == [1, 2, 3]
    assert (counted.get("a"), counted.get_expiry("a"), counted.get("b")) == (3, 1_002, 0)
    clock.now += 2
    assert counted.get("a") == 0
    assert counted.incr("a", 2, 5) == 5


def test_windows_that_have_ended_take_no_memory(clock: Clock) -> None:
    counted = Counters()
    for address in range(1_000):
        counted.incr(str(address), 1)
    clock.now += rate_counters.SWEEP_SECONDS + 1
    counted.incr("another", 1)
    assert counted.reset() == 1


def test_threads_never_lose_a_count() -> None:
    counted = Counters()
    threads = [
        threading.Thread(target=lambda: [counted.incr("a", 60) for _ in range(2_000)]) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counted.get("a") == 16_000


def test_one_address_is_limited_and_another_is_not(make_app: MakeApp) -> None:
    client: FlaskClient = make_app(API_RATE="5 per minute", PROXIES=1).test_client()

    def ask(address: str) -> int:
        return client.get("/api/puzzles", headers={"X-Forwarded-For": address}).status_code

    assert [ask("10.0.0.1") for _ in range(7)] == [200] * 5 + [429] * 2
    assert ask("10.0.0.2") == 200
