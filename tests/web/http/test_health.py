"""Health and readiness checks, metrics and the log."""

import json
import logging
import logging.config
import re
import subprocess
import sys
import threading
import time

import gevent
import pytest
import requests
from flask.testing import FlaskClient
from prometheus_client import REGISTRY

import hoppers
from hoppers.jobs.kernel_warmup import Warmup
from hoppers.runtime import logging_config
from hoppers.tablebase.engine import Engine
from hoppers.web.http.health import PATHS
from hoppers.web.servers.event_loop import REQUESTS, EventLoop
from tests import ROOT
from tests.conftest import Connect, MakeApp, Serve, serving
from tests.support.clients import named
from tests.support.cold_start import put_warmup
from tests.support.engine import PUZZLES
from tests.support.processes import finish_warmup, wait_for
from tests.support.socket_client import FINAL

HINT = "/api/puzzles/hoppers/positions/oooooo.oooooo/hint"
HOSTING = ROOT / "docs" / "hosting.md"


def value(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


def test_server_is_alive_before_it_is_ready(make_app: MakeApp) -> None:
    app, warmup = make_app(), Warmup(Engine({"hoppers": PUZZLES["hoppers"]}))
    put_warmup(app, warmup)
    client = app.test_client()
    assert client.get("/healthz").get_json() == {"alive": True}
    early = client.get("/readyz")
    assert (early.status_code, early.headers["Retry-After"]) == (503, "2")
    assert early.get_json()["error"]["code"] == "warming_up"
    assert "0 of 1 puzzles" in early.get_json()["error"]["message"]
    finish_warmup(warmup)
    assert client.get("/readyz").get_json() == {"ready": True}


def test_health_checks_are_answered_while_all_request_threads_work(make_app: MakeApp) -> None:
    app, held, release = make_app(), threading.Semaphore(0), threading.Event()
    loop: EventLoop = app.extensions["loop"]

    def hold() -> None:
        held.release()
        release.wait(60)

    with serving(app) as url:
        try:
            for number in range(REQUESTS.threads):
                loop.post(gevent.spawn, loop.run, named(f"client {number}"), hold)
            assert all(held.acquire(timeout=60) for _ in range(REQUESTS.threads))
            for path, answer in zip(PATHS, ({"alive": True}, {"ready": True}), strict=True):
                assert requests.get(url + path, timeout=20).json() == answer
        finally:
            release.set()


def test_readyz_reports_an_unreachable_queue(make_app: MakeApp, monkeypatch: pytest.MonkeyPatch) -> None:
    app = make_app()
    assert app.test_client().get("/readyz").get_json() == {"ready": True}
    monkeypatch.setattr(app.extensions["searches"], "is_reachable", bool)  # as in a fleet without Redis
    response = app.test_client().get("/readyz")
    assert response.status_code == 503
    assert response.get_json()["error"]["code"] == "unreachable"
    assert "cannot be reached" in response.get_json()["error"]["message"]


def test_requests_are_counted_by_route_pattern(new_client: FlaskClient) -> None:
    route = "/api/puzzles/<puzzle_id>/positions/<position>/hint"
    before = value("hoppers_http_seconds_count", route=route, status="200")
    new_client.get(HINT)
    assert value("hoppers_http_seconds_count", route=route, status="200") == before + 1
    new_client.get("/a-text-of-my-own")
    text = new_client.get("/metrics").text
    assert "a-text-of-my-own" not in text
    assert "oooooo.oooooo" not in text


def test_metrics_have_puzzles_connections_and_searches(new_client: FlaskClient) -> None:
    text = new_client.get("/metrics").text
    assert f"hoppers_puzzles {float(len(PUZZLES))}" in text
    assert "hoppers_connections 0.0" in text
    assert "_created" not in text
    assert 'hoppers_searches{state="running"} 0.0' in text


def test_metrics_are_written_as_the_reader_asks(new_client: FlaskClient) -> None:
    accept = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3"
    open_metrics = new_client.get("/metrics", headers={"Accept": accept})
    assert open_metrics.mimetype == "application/openmetrics-text"
    assert open_metrics.text.endswith("# EOF\n")
    plain = new_client.get("/metrics")
    assert plain.mimetype == "text/plain" and "# EOF" not in plain.text


def test_labelled_counters_begin_with_zero() -> None:
    """Else the first event of a kind would be no step, and the rate of a new server's first failures 0."""
    program = "from hoppers.runtime import metrics; from prometheus_client import generate_latest as text; "
    lines = subprocess.check_output([sys.executable, "-c", f"{program}print(text().decode())"], text=True)
    for name in FINAL | {"left"}:
        assert f'hoppers_searches_ended_total{{event="{name}"}} 0.0' in lines
    for found in ("yes", "no", "damaged"):
        assert f'hoppers_answers_total{{found="{found}"}} 0.0' in lines


@pytest.mark.parametrize(
    ("audience", "address", "status"),
    [
        ("local", "127.0.0.1", 200),
        ("local", "192.0.2.1", 404),
        ("all", "192.0.2.1", 200),
        ("off", "::1", 404),
    ],
)
def test_metrics_are_served_only_to_allowed_addresses(
    make_app: MakeApp, audience: str, address: str, status: int
) -> None:
    client = make_app(METRICS=audience).test_client()
    assert client.get("/metrics", environ_overrides={"REMOTE_ADDR": address}).status_code == status


def test_every_metric_is_documented() -> None:
    shown = set(re.findall(r"`(hoppers_\w+)`", HOSTING.read_text()))
    names = {metric.name for metric in REGISTRY.collect() if metric.name.startswith("hoppers_")}
    assert {name.removesuffix("_total").removesuffix("_info") for name in shown} == names


def test_ended_search_is_counted_and_logged_as_one_line(
    serve: Serve, connect: Connect, caplog: pytest.LogCaptureFixture
) -> None:
    before = value("hoppers_searches_ended_total", event="solved"), value("hoppers_nodes_total")
    caplog.set_level(logging.INFO, "hoppers.jobs.service")
    client = connect(serve())
    client.search('a\n"b"', "hoppers", "oooooo.oooooo", method="deepening", find="all", first_move=[0, 6])
    client.receive_to_end()

    def records() -> list[logging.LogRecord]:
        return [record for record in caplog.records if record.name == "hoppers.jobs.service"]

    wait_for(records)  # the end is recorded after its event is sent
    (record,) = records()
    assert value("hoppers_searches_ended_total", event="solved") == before[0] + 1
    assert value("hoppers_nodes_total") == before[1] + 44_854
    line = logging_config.JsonLines().format(record)
    assert "\n" not in line
    logged = json.loads(line)
    assert (logged["ticket"], logged["puzzle"], logged["nodes"]) == ('a\n"b"', "hoppers", 44_854)
    assert logged["outcome"] == "solved"
    assert re.fullmatch("[0-9a-f]{12}", logged["owner"])
    assert "\n" not in record.getMessage()


def test_line_of_json_says_when_and_what_wrote_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        record = logging.makeLogRecord({"created": 1_700_000_000.25, "msg": "well"})
        line = json.loads(logging_config.JsonLines().format(record))
    finally:
        monkeypatch.undo()
        time.tzset()
    assert line["time"] == "2023-11-14T22:13:20.250+00:00"
    assert (line["service"], line["version"]) == ("hoppers", hoppers.__version__)
