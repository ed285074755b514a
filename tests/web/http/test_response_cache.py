"""Cached responses: identical to the last byte, counted like requests, and never of unknown verdicts."""

from typing import Any

import pytest
from flask import Flask, Response
from flask.testing import FlaskClient
from prometheus_client import REGISTRY
from werkzeug.test import TestResponse

from hoppers.analysis import verdicts
from hoppers.puzzles import PUZZLES
from hoppers.web.http.responses import ENTRY_BYTES, MAX_BODY_BYTES
from tests.conftest import MakeApp
from tests.support.cold_start import cold
from tests.support.processes import finish_warmup

START = "/api/puzzles/hoppers/positions/oooooo.oooooo"


def given() -> int:
    """Return the number of cached answers sent so far, from the metrics."""
    return int(REGISTRY.get_sample_value("hoppers_repeated_total") or 0)


def same(one: TestResponse, other: TestResponse) -> bool:
    return (one.status, list(one.headers), one.data) == (other.status, list(other.headers), other.data)


@pytest.mark.parametrize(
    "address", [START, f"{START}/hint?goal=any", f"{START}/solution", f"{START}/solutions"]
)
def test_second_response_equals_the_first(new_client: FlaskClient, address: str) -> None:
    first = new_client.get(address)
    count = given()
    assert same(first, new_client.get(address))
    is_cached = first.content_length is not None and first.content_length <= 4_000
    assert given() == count + is_cached


def test_every_address_has_its_own_answer(new_client: FlaskClient) -> None:
    for address in (START, f"{START}/hint", f"{START}?goal=6", f"{START}?goal=any"):
        alone = new_client.get(address)
        new_client.get(START)
        assert same(alone, new_client.get(address))
    assert len({new_client.get(f"{START}?goal={goal}").text for goal in ("0", "1", "6", "any")}) > 1


def test_long_lists_of_codings_are_read_to_their_end(new_client: FlaskClient) -> None:
    unknown = ", ".join(f"x-{number}" for number in range(40))
    for coding in ("br", "gzip"):
        address, accepted = f"{START}/solutions", {"Accept-Encoding": f"{unknown}, {coding}"}
        assert new_client.get(address, headers=accepted).headers["Content-Encoding"] == coding


OTHERS: dict[str, dict[str, Any]] = {
    "only the headers": {"path": START, "method": "HEAD"},
    "the methods": {"path": START, "method": "OPTIONS"},
    "no question": {"path": START, "method": "POST"},
    "a long body": {"path": START, "data": b"x" * 20_000},
    "no position": {"path": f"{START[:-1]}x"},
    "a puzzle": {"path": "/api/puzzles/hoppers"},
    "a page with a query": {"path": "/puzzles/hoppers?goal=6"},
}


@pytest.mark.parametrize("arguments", OTHERS.values(), ids=OTHERS)
def test_other_requests_reach_the_application(new_client: FlaskClient, arguments: dict[str, Any]) -> None:
    new_client.get(START)
    first, count = new_client.open(**arguments), given()
    assert new_client.open(**arguments).status == first.status
    assert given() == count


def test_unknown_answers_are_requested_again(
    new_client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    unknown: Any = verdicts.UNDECIDED
    with monkeypatch.context() as patched:
        patched.setattr(verdicts, "hint", lambda *arguments: (unknown, []))
        assert new_client.get(f"{START}/hint").get_json()["verdict"] == "unknown"
    assert new_client.get(f"{START}/hint").get_json()["verdict"] == "live"


def test_what_varies_by_more_than_its_coding_is_not_kept(new_client: FlaskClient) -> None:
    """The attack: a request in one language, whose answer all others then get."""
    app = new_client.application

    @app.after_request
    def vary(response: Response) -> Response:
        response.vary.add("Accept-Language")
        return response

    count = given()
    for _ in range(2):
        assert "Accept-Language" in new_client.get(f"{START}/hint").vary
    assert given() == count


def test_cached_responses_count_as_requests(make_app: MakeApp) -> None:
    client = make_app(API_RATE="5 per minute").test_client()
    before = given()
    statuses = [client.get(START).status_code for _ in range(8)]
    assert statuses == [200] * 5 + [429] * 3
    assert given() == before + 4


def test_the_cache_is_bounded_in_bytes(make_app: MakeApp) -> None:
    app: Flask = make_app(RESPONSE_CACHE_BYTES=2 * (MAX_BODY_BYTES + ENTRY_BYTES))
    client = app.test_client()
    before = given()
    for goal in (*"01236789", "any"):
        client.get(f"{START}?goal={goal}")
    client.get(f"{START}?goal=any")
    client.get(f"{START}?goal=0")
    assert given() == before + 1


def test_response_during_start_up_is_not_cached(make_app: MakeApp) -> None:
    app = make_app(RESPONSE_CACHE_BYTES=1_000_000)
    warmup = cold(app, PUZZLES["triangle-15"])
    address = "/api/puzzles/triangle-15/positions/.oooooooooooooo?goal=1"  # dead by its position class
    early = app.test_client().get(address)
    assert (early.get_json()["verdict"], early.get_json()["warming"]) == ("dead", [0, 1])
    assert early.headers["Cache-Control"] == "no-store"
    finish_warmup(warmup)
    late = app.test_client().get(address)
    assert late.get_json()["warming"] is None and "max-age" in late.headers["Cache-Control"]
