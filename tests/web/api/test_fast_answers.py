"""Answers in front of the framework: equal to its own responses; unusual requests are passed to it."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask
from prometheus_client import REGISTRY
from werkzeug.test import Client, TestResponse

from hoppers.analysis import verdicts
from hoppers.jobs.kernel_warmup import Warmup
from hoppers.tablebase.engine import Engine
from hoppers.web.api import fast_answers
from hoppers.web.http import responses
from tests.conftest import MakeApp
from tests.support.engine import PUZZLES
from tests.support.processes import finish_warmup

POSITION = "/api/puzzles/hoppers/positions/oooooo.oooooo"
HINT = f"{POSITION}/hint"


@pytest.fixture
def app(make_app: MakeApp) -> Flask:
    return make_app(RESPONSE_CACHE_BYTES=0)


@pytest.fixture
def framework_requests(app: Flask) -> list[str]:
    """List with one entry for each request that has reached the framework."""
    reached: list[str] = []
    app.before_request_funcs.setdefault(None, []).insert(0, lambda: reached.append(HINT))
    return reached


def by_the_framework(app: Flask, address: str, **options: Any) -> TestResponse:
    return Client(
        responses.with_security_headers(lambda *request: Flask.wsgi_app(app, *request)), app.response_class
    ).open(address, **options)


def whole(answer: TestResponse) -> tuple[str, list[tuple[str, str]], bytes]:
    return answer.status, sorted(answer.headers), answer.data


def addresses() -> Iterator[str]:
    """Yield addresses of verdicts and hints for random games of all featured puzzles."""
    dice = random.Random(11)
    for puzzle in PUZZLES.values():
        position = puzzle.parse(puzzle.start)
        for _ in range(6 if puzzle.gallery.featured else 0):
            path = f"/api/puzzles/{puzzle.id}/positions/{puzzle.format(position)}"
            goal = dice.choice([*puzzle.rules.goals])
            yield from (path, f"{path}?goal={goal}")
            yield from (f"{path}/hint", f"{path}/hint?goal={goal}", f"{path}/hint?goal={goal}&lang=ja")
            position = dice.choice(puzzle.steps(position)).after if puzzle.steps(position) else position


def test_fast_answers_equal_those_of_the_framework(app: Flask, framework_requests: list[str]) -> None:
    client, bodies, codings = app.test_client(), set[bytes](), set[str | None]()
    for address in addresses():
        expected = by_the_framework(app, address, headers={"Accept-Encoding": "gzip, br;q=0.5"})
        framework_requests.clear()
        answer = client.get(address, headers={"Accept-Encoding": "gzip, br;q=0.5"})
        assert answer.status_code == 200 and not framework_requests
        both = [response.headers["Cache-Control"] for response in (answer, expected)]
        if "no-store" not in both:  # an answer may become known between the two requests
            assert whole(answer) == whole(expected)
            bodies.add(answer.data)
            codings.add(answer.headers.get("Content-Encoding"))
    assert len(bodies) > 60 and codings == {None, "gzip"}


UNUSUAL: dict[str, dict[str, Any]] = {
    "only the headers": {"path": HINT, "method": "HEAD"},
    "the methods": {"path": HINT, "method": "OPTIONS"},
    "no question": {"path": HINT, "method": "POST"},
    "a body": {"path": HINT, "data": b"x"},
    "another protocol": {"path": HINT, "headers": {"Connection": "Upgrade", "Upgrade": "websocket"}},
    "no verdicts": {"path": f"{POSITION}?verdicts=0"},
    "a list of solutions": {"path": f"{POSITION}/solutions"},
    "a language": {"path": f"{HINT}?lang=ja"},
    "an unknown name": {"path": f"{HINT}?gaol=6"},
    "two goals": {"path": f"{HINT}?goal=6&goal=any"},
    "no such goal": {"path": f"{HINT}?goal=99"},
    "no goal": {"path": f"{HINT}?goal="},
    "an escaped goal": {"path": f"{HINT}?goal=%36"},
    "no such puzzle": {"path": HINT.replace("hoppers", "none")},
    "no such position": {"path": HINT.replace("oooooo.", "xxxxxx.")},
    "too long": {"path": HINT.replace("oooooo.", "o" * 5_000)},
    "other letters": {"path": HINT.replace("oooooo.", "ホ")},
    "no position": {"path": HINT.replace("oooooo.oooooo", "")},
    "more behind it": {"path": f"{HINT}/"},
}


@pytest.mark.parametrize("arguments", UNUSUAL.values(), ids=UNUSUAL)
def test_unusual_requests_are_passed_to_the_framework(
    app: Flask, framework_requests: list[str], arguments: dict[str, Any]
) -> None:
    path = arguments["path"]
    expected = by_the_framework(
        app, path, **{name: value for name, value in arguments.items() if name != "path"}
    )
    framework_requests.clear()
    assert whole(app.test_client().open(**arguments)) == whole(expected)
    assert framework_requests


def test_a_fault_is_answered_by_the_framework(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    app.testing = False
    monkeypatch.setattr(verdicts, "hint", lambda *arguments: 1 // 0)
    answer = app.test_client().get(HINT)
    assert (answer.status_code, answer.get_json()["error"]["code"]) == (500, "internal")


def test_failed_fast_hint_counts_once(make_app: MakeApp, monkeypatch: pytest.MonkeyPatch) -> None:
    app = make_app(API_RATE="5 per minute", RESPONSE_CACHE_BYTES=0)
    app.testing = False
    monkeypatch.setattr(verdicts, "hint", lambda *arguments: 1 // 0)
    assert [app.test_client().get(HINT).status_code for _ in range(7)] == [500] * 5 + [429] * 2


def test_framework_waits_until_a_puzzle_is_warm(
    app: Flask, framework_requests: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hoppers.web.api.positions.VERDICT_WAIT_SECONDS", 0)
    engine = app.extensions["engine"] = Engine({"hoppers": PUZZLES["hoppers"]})
    engine.defer_kernels(engine.puzzles)
    app.config["WARM_UP"], app.extensions["warmup"] = True, (warmup := Warmup(engine))
    later = HINT.replace("oooooo.oooooo", ".ooooo.oo.ooo")
    assert app.test_client().get(later).get_json()["verdict"] == verdicts.NOT_KNOWN and framework_requests
    finish_warmup(warmup)
    framework_requests.clear()
    assert app.test_client().get(later).get_json()["verdict"] == verdicts.LIVE and not framework_requests


@pytest.mark.parametrize(("path", "suffix"), [(POSITION, ""), (HINT, fast_answers.HINT)])
def test_fast_answers_count_as_requests_and_are_measured(make_app: MakeApp, path: str, suffix: str) -> None:
    def measured() -> float:
        labels = {"route": fast_answers.ROUTE + suffix, "status": "200"}
        return REGISTRY.get_sample_value("hoppers_http_seconds_count", labels) or 0.0

    client, before = make_app(API_RATE="5 per minute", RESPONSE_CACHE_BYTES=0).test_client(), measured()
    assert [client.get(path).status_code for _ in range(8)] == [200] * 5 + [429] * 3
    assert measured() == before + 5


@pytest.mark.parametrize("path", [POSITION, HINT])
def test_only_tables_in_memory_answer_in_the_event_loop(
    app: Flask, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    in_threads = list[object]()

    def run(client: str, function: Callable[..., Any], *arguments: Any) -> Any:
        in_threads.append(function)
        return function(*arguments)

    monkeypatch.setattr(app.extensions["loop"], "run", run)

    def is_in_thread(goal: str) -> bool:
        in_threads.clear()
        assert app.test_client().get(f"{path}?goal={goal}").status_code == 200
        return bool(in_threads)

    assert [is_in_thread(goal) for goal in ("6", "6", "any", "any", "6")] == [True, False, True, False, False]


def test_routes_of_fast_answers_are_registered(app: Flask) -> None:
    routes = {rule.rule for rule in app.url_map.iter_rules()}
    assert routes >= {fast_answers.ROUTE, fast_answers.ROUTE + fast_answers.HINT}
