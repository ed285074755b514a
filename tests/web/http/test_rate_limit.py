"""Rate limits: every request is counted once, and buckets take limited memory."""

import threading

import pytest
from flask.testing import FlaskClient

from hoppers.runtime import token_bucket
from hoppers.runtime.token_bucket import TokenBucket
from hoppers.web.http import limits
from hoppers.web.http.limits import Rate, RateLimit, parse_rates
from tests.conftest import MakeApp
from tests.support.clients import named


class Clock:
    """Clock that stands still until a test changes `now`."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Clock that token buckets read."""
    found = Clock()
    monkeypatch.setattr(token_bucket, "time", found)
    return found


def test_a_bucket_refills_up_to_its_capacity(clock: Clock) -> None:
    bucket = TokenBucket(capacity=3, refill=2)
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]
    clock.now += 1
    assert (bucket.level(), bucket.take(2), bucket.take(0.5)) == (2, True, False)
    clock.now += 100
    assert bucket.level() == 3


def test_spending_stops_at_the_floor(clock: Clock) -> None:
    purse, debtor = TokenBucket(3, 1), TokenBucket(3, 1, floor=-2)
    assert (purse.spend(2), purse.spend(2)) == (1, 0)
    assert (debtor.spend(4), debtor.spend(4)) == (-1, -2)
    clock.now += 3
    assert debtor.level() == 1


def test_threads_never_lose_a_token() -> None:
    bucket = TokenBucket(20_000, 0)
    threads = [threading.Thread(target=lambda: [bucket.take() for _ in range(2_000)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert bucket.level() == 4_000


def test_rates_are_read_and_shown() -> None:
    assert parse_rates("10 per second;60/minute; 5 per 2 hours") == [
        Rate(10, 1, "10 per 1 second"),
        Rate(60, 60, "60 per 1 minute"),
        Rate(5, 7_200, "5 per 2 hour"),
    ]
    for text in ("often", "0 per second", "10 per 0 minutes"):
        with pytest.raises(ValueError, match=f"'{text}'"):
            parse_rates(text)


def test_each_rate_has_a_bucket_of_its_own(clock: Clock) -> None:
    limit = RateLimit("2 per second;3 per minute")
    second, minute = parse_rates("2 per second;3 per minute")
    assert [limit.exceeded(named("a")) for _ in range(3)] == [None, None, second]
    clock.now += 1
    assert [limit.exceeded(named("a")) for _ in range(2)] == [None, minute]
    assert limit.exceeded(named("b")) is None
    clock.now += 60
    assert limit.exceeded(named("a")) is None


def test_buckets_of_many_addresses_take_limited_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_BUCKETS", 3)
    limit = RateLimit("1 per day")
    for address in "abcda":
        assert limit.allow(named(address))
    assert [address for address in "abcd" if (address, parse_rates("1 per day")[0]) in limit._buckets] == [
        "a",
        "c",
        "d",
    ]
    assert not limit.allow(named("d"))


def test_one_address_is_limited_and_another_is_not(make_app: MakeApp) -> None:
    client: FlaskClient = make_app(API_RATE="5 per minute", PROXIES=1).test_client()

    def status_of(address: str) -> int:
        return client.get("/api/puzzles", headers={"X-Forwarded-For": address}).status_code

    assert [status_of("10.0.0.1") for _ in range(7)] == [200] * 5 + [429] * 2
    assert status_of("10.0.0.2") == 200
    refused = client.get("/api/puzzles", headers={"X-Forwarded-For": "10.0.0.1"})
    assert refused.headers["Retry-After"] == "60"
    assert "5 per 1 minute" in refused.get_json()["error"]["message"]
