"""Searches read as lines of JSON over HTTP."""

import json
from contextlib import ExitStack, closing
from typing import Any

import pytest
import requests

from tests.support.processes import wait_for
from tests.support.socket_client import TIMEOUT_SECONDS
from tests.web.channel.guarded import Guarded
from tests.web.raw_http import connected

HOPPERS = "/api/puzzles/hoppers/positions/oooooo.oooooo/search"
LONG = "/api/puzzles/triangle-21/positions/oooooo.oooooooooooooo/search?method=deepening&find=all"


def events(url: str) -> list[dict[str, Any]]:
    answer = requests.get(url, timeout=TIMEOUT_SECONDS)
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/x-ndjson")
    assert answer.headers["Cache-Control"] == "no-store"
    return [json.loads(line) for line in answer.text.splitlines() if line]


def test_a_search_is_read_as_lines_to_its_end(guarded: Guarded) -> None:
    found = events(f"{guarded.url}{HOPPERS}?method=corners&find=all&first_move=0,6&goal=6")
    rows = [(event["limit"], event["nodes"]) for event in found if event["event"] == "exhausted"]
    assert rows == [(1, 1), (2, 1), (3, 1), (4, 14), (5, 158), (6, 1282)]
    last = found[-1]
    assert (last["event"], last["limit"], last["count"], last["total_nodes"]) == ("solved", 7, 18, 9091)
    assert "ticket" not in last and len(last["moves"]) == 7


def test_known_answers_are_read_as_lines_too(guarded: Guarded) -> None:
    names = [event["event"] for event in events(f"{guarded.url}{HOPPERS}") if event["event"] != "progress"]
    assert names == ["exhausted", "solved"]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("method=nope", "invalid_method"),
        ("find=x", "invalid_request"),
        ("first_move=0", "invalid_request"),
        ("first_move=0,0", "invalid_move"),
        ("zz=1", "invalid_request"),
        ("goal=99", "invalid_goal"),
    ],
)
def test_wrong_queries_are_refused(guarded: Guarded, query: str, code: str) -> None:
    answer = requests.get(f"{guarded.url}{HOPPERS}?{query}", timeout=TIMEOUT_SECONDS)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)


def test_other_methods_than_get_are_refused(guarded: Guarded) -> None:
    answer = requests.post(guarded.url + HOPPERS, timeout=TIMEOUT_SECONDS)
    assert answer.status_code == 405 and "GET" in answer.headers["Allow"]
    assert requests.head(guarded.url + HOPPERS, timeout=TIMEOUT_SECONDS).status_code == 200
    assert guarded.app.test_client().get(HOPPERS).status_code == 501


def test_a_reader_that_goes_stops_its_search(guarded: Guarded) -> None:
    searches = guarded.app.extensions["searches"]
    with closing(connected(guarded.url)) as connection:
        connection.sendall(f"GET {LONG} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert connection.recv(1_000).startswith(b"HTTP/1.1 200")
        wait_for(lambda: searches.counts()["running"] == 1)
    wait_for(lambda: not any(searches.counts().values()))


def test_one_address_reads_few_searches_at_once(guarded: Guarded) -> None:
    with ExitStack() as stack:
        for _ in range(4):
            stack.enter_context(requests.get(guarded.url + LONG, stream=True, timeout=TIMEOUT_SECONDS))
        answer = requests.get(guarded.url + LONG, timeout=TIMEOUT_SECONDS)
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "busy")
    wait_for(lambda: not any(guarded.app.extensions["searches"].counts().values()))
