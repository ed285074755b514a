"""A short form of `python -m tests.attacks`, and searches with commands in any order.

No response is a server's fault, and nothing in the log comes from a request unescaped. Every accepted search
has exactly one final event and none after it, in any order of stop, pause, resume and replace.
"""

import logging
import os
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from hoppers.runtime.logging_config import TextLines
from tests.attacks.attack import Outcome, attack, faults_in_log
from tests.attacks.bystander import Answer, Bystander, faults_of
from tests.conftest import running_app, serving
from tests.support.asyncio_client import run
from tests.support.socket_client import FINAL, Listener

SEED = os.environ.get("ATTACK_SEED") or str(random.SystemRandom().randrange(1 << 32))
"""Seed of the inputs. A failing test prints it; set ATTACK_SEED to repeat them."""
INPUTS = 800
TICKETS = st.sampled_from("abc")
OCCUR = {
    "request 200", "request 400", "request 404", "request 405", "message ok", "message invalid_request",
    "message invalid_position", "event solved", "WebSocket 101",
}  # fmt: skip
"""Answers that occur with any seed: the inputs reach every part."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Address of a server without limits on requests and messages."""
    with (
        running_app(API_RATE="1000000 per second", MESSAGES_AT_ONCE=10**9, SEARCH_SECONDS=1) as app,
        serving(app) as url,
    ):
        yield url


def test_no_input_does_harm(address: str, caplog: pytest.LogCaptureFixture) -> None:
    print(f"ATTACK_SEED={SEED}")
    caplog.set_level(logging.INFO, "hoppers")
    host, port = address.removeprefix("http://").split(":")
    outcome = run(attack((host, int(port)), INPUTS, SEED))
    assert outcome.faults == []
    assert set(outcome.seen) >= OCCUR
    assert not [record for record in caplog.records if record.exc_info or record.levelno >= logging.ERROR]
    lines = [TextLines().format(record) for record in caplog.records]
    assert lines and all(line.isprintable() for line in lines)


@pytest.mark.parametrize(
    ("line", "is_fault"),
    [
        ('{"level": "info", "message": "a"}', False),
        ('{"level": "error", "message": "a"}', True),
        ('{"level": "warning", "message": "a", "traceback": "b"}', True),
        ("Traceback (most recent call last):", True),
        ("7", True),
    ],
)
def test_faults_in_a_log_are_found(line: str, is_fault: bool) -> None:
    assert faults_in_log([line]) == [line] * is_fault


@pytest.mark.parametrize(
    ("received", "faults"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", 0),
        (b"HTTP/1.1 503 Service Unavailable\r\n\r\n", 0),
        (b"HTTP/1.1 500 Internal Server Error\r\n\r\n", 1),
        (b"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 502 Bad Gateway\r\n\r\n", 1),
        (b"HTTP/1.1 400 Bad Request\r\n\r\nTraceback (most recent call last):", 1),
        (b"", 1),
    ],
)
def test_faults_in_answers_are_found(received: bytes, faults: int) -> None:
    outcome = Outcome()
    outcome.judge("request", b"GET / HTTP/1.1\r\n\r\n", received)
    assert len(outcome.faults) == faults


class Searches(RuleBasedStateMachine):
    """Client that sends searches and commands in any order."""

    url = ""

    def __init__(self) -> None:
        super().__init__()
        self.client = Listener(self.url)
        self.accepted: Counter[str] = Counter()

    @rule(
        ticket=TICKETS,
        race=st.sampled_from([None, "r"]),
        long=st.booleans(),
        find=st.sampled_from(["first", "all"]),
    )
    def search(self, ticket: str, race: str | None, long: bool, find: str) -> None:
        """Start a search that ends immediately or, if `long`, one that runs until it is stopped."""
        puzzle, position = ("eight-puzzle", "867254301") if long else ("hoppers", "oooooo.oooooo")
        options = {"method": "deepening", "find": find, "race": race}
        acknowledged = self.client.search(ticket, puzzle, position, **options)
        assert acknowledged["ok"] or acknowledged["error"]["code"] == "race_full"
        self.accepted[ticket] += acknowledged["ok"]

    @rule(what=st.sampled_from(["stop", "pause", "resume"]), ticket=TICKETS)
    def press(self, what: str, ticket: str) -> None:
        """Send command `what`, with or without a search that it applies to."""
        answer = self.client.call(what, {"ticket": ticket})
        assert answer["ok"] == bool(self.accepted[ticket])
        assert answer["ok"] or answer["error"]["code"] == "unknown_ticket"

    @rule()
    def nonsense(self) -> None:
        """Send an invalid search."""
        assert self.client.call("search", {"ticket": "a", "puzzle": "x", "position": "x"})["ok"] is False

    def teardown(self) -> None:
        """Stop all searches, and compare the events with the accepted searches."""
        for ticket in "abc":
            self.press("stop", ticket)
        received = self._received()
        self.client.leave()
        for ticket, count in self.accepted.items():
            names = [name for name, payload in received if payload["ticket"] == ticket]
            assert sum(name in FINAL for name in names) == count
            assert not names or names[-1] in FINAL

    def _received(self) -> list[Any]:
        """Return all events up to the end of one more search, which runs after all others."""
        self.client.search("last", "hoppers", "oooooo.oooooo")
        received: list[Any] = []
        while not received or (received[-1][1]["ticket"], received[-1][0] in FINAL) != ("last", True):
            received.append(self.client.receive())
        return received


def test_every_search_has_one_end(address: str) -> None:
    Searches.url = address
    quick = settings(max_examples=12, stateful_step_count=15, deadline=None, derandomize=True)
    run_state_machine_as_test(Searches, settings=quick)


def test_bystanders_report_faults_and_long_waits() -> None:
    async def arrive() -> Bystander:
        return Bystander(1, "127.9.9.9")

    player = run(arrive())
    player.answers += [Answer("hint", 0.4, ""), Answer("page", 9.0, ""), Answer("search", 0.1, "busy")]
    during = "a test, over 127.9.9.9"
    faults = ["page took 9.0 s; ", "search took 0.1 s; busy"]
    assert faults_of([player], "a test", {}) == [f"during {during}: {fault}" for fault in faults]
    assert len(faults_of([player], "a test", {"page": 2.0})) == 1  # the machine is slow


def test_bystanders_notice_a_wrong_language(monkeypatch: pytest.MonkeyPatch) -> None:
    async def reason(player: Bystander, *_: str) -> dict[str, str]:
        return {"sentence": "解けません"}

    async def ask() -> str:
        return await Bystander(1, "127.9.9.9")._reason()

    monkeypatch.setattr(Bystander, "_ask", reason)
    assert run(ask()) == "a Japanese answer to an English question"
