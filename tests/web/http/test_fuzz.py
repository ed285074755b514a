"""Random requests and messages from a fixed seed: `python -m benchmarks fuzz` sends a hundred thousand.

No response is a server error, and every message is acknowledged. Every accepted search has exactly one final
event and none after it, in any order of stop, pause, resume and replace.
"""

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from flask import Flask
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test
from werkzeug.test import EnvironBuilder, run_wsgi_app

from benchmarks.players.random_inputs import BROKEN, RESERVED, Request, messages, requests
from tests.conftest import running_app, serving
from tests.support.socket_client import FINAL, Listener

REQUESTS, MESSAGES = 200, 250
TICKETS, RACES = st.sampled_from("abc"), st.sampled_from([None, "r"])


@pytest.fixture(scope="module")
def app_without_limits() -> Iterator[Flask]:
    """Application without limits on requests and messages."""
    with running_app(API_RATE="1000000 per second", MESSAGES_AT_ONCE=1e9) as app:
        yield app


@pytest.fixture(scope="module")
def address(app_without_limits: Flask) -> Iterator[str]:
    """Address of a server of `app_without_limits`."""
    with serving(app_without_limits) as url:
        yield url


def answer(app: Flask, request: Request) -> tuple[int, bytes]:
    """Return status and body of a response, without a network, which would refuse some requests."""
    path, _, query = request.target.partition("?")
    sent = EnvironBuilder("/", method=request.method, data=request.body.encode()).get_environ()
    given = dict(line.split(": ", 1) for line in request.headers)
    fields = {"HTTP_" + name.upper().replace("-", "_"): value for name, value in given.items()}
    body, status, _ = run_wsgi_app(
        app.wsgi_app, {**sent, **fields, "PATH_INFO": path, "QUERY_STRING": query, "RAW_URI": request.target}
    )
    whole = b"".join(body)
    getattr(body, "close", list)()
    return int(status.split()[0]), whole


def test_no_request_causes_a_server_error(app_without_limits: Flask) -> None:
    statuses: Counter[int] = Counter()
    for request in requests(Random("the suite's requests"), REQUESTS):
        status, body = answer(app_without_limits, request)
        statuses[status] += 1
        assert status < 500, (request, body)
        assert not any(mark in body for mark in BROKEN), (request, body)
    assert {200, 400, 404, 405} <= set(statuses)


def test_every_message_is_acknowledged(address: str) -> None:
    client, codes = Listener(address), Counter[str]()
    for message in messages(Random("the suite's messages"), MESSAGES):
        if message.name in RESERVED:
            continue
        acknowledged = client.call(message.name, *message.payload)
        codes["ok" if acknowledged["ok"] else acknowledged["error"]["code"]] += 1
    client.leave()
    assert codes["internal"] == 0
    assert {"ok", "invalid_request", "invalid_position", "invalid_move"} <= set(codes)


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
        assert self.client.call(what, {"ticket": ticket}) == {"ok": True}

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
