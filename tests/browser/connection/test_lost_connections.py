"""Several tabs, suspended laptops, half-open connections, clock changes, and a killed server."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.fixtures import PUBLISHED, by_clicks, press, steps_of, verdict
from tests.browser.tabs import expect_faults, opened
from tests.support.network_proxy import Proxy
from tests.support.processes import Server, wait_for
from tests.support.socket_client import Listener, raw_client

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LONG = ("triangle-21", "oooooo.oooooooooooooo")
CLOCK = """
import os, time
from pathlib import Path
true, shown = time.time, Path(os.environ["SHOWN"])
time.time = lambda: true() + float(shown.read_text())
"""
"""Start-up code of a server: the file $SHOWN holds the error of its wall clock in seconds."""


class Environment(NamedTuple):
    """A server, the network in front of it, and the error of its clock in seconds."""

    server: Server
    network: Proxy
    clock: Path


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Environment]:
    folder = tmp_path_factory.mktemp("clock")
    (folder / "sitecustomize.py").write_text(CLOCK)
    (folder / "shown").write_text("0")
    clock = {"PYTHONPATH": str(folder), "SHOWN": str(folder / "shown")}
    server = Server(clock, PING_SECONDS=1)
    network = Proxy(server.port)
    server.wait()
    yield Environment(server, network, folder / "shown")
    network.end()
    server.kill()


def search(page: Page) -> None:
    """Start a search that never ends, and wait for the row of limit 4."""
    page.goto(f"/puzzles/{LONG[0]}?position={LONG[1]}&depth=study")
    page.get_by_label("Method").select_option("deepening")
    press(page, "Search")
    expect(page.locator('[data-limit="4"][data-state="exhausted"]')).to_be_visible()


def assert_search_continues(page: Page) -> None:
    """Assert that the connection is back, no row is lost or repeated, and the buttons work."""
    expect(page.locator(".banner")).to_be_hidden()
    press(page, "Stop")
    expect(page.locator("#solver .say")).to_contain_text("Stopped.")
    limits = page.locator("[data-limit]").evaluate_all("(rows) => rows.map((row) => +row.dataset.limit)")
    assert limits == list(range(1, len(limits) + 1))
    press(page, "Hint")
    expect(page.locator('[data-hint="from"]')).to_have_count(1)


def test_two_tabs_are_two_games(environment: Environment, browser: Browser) -> None:
    """Each tab is brought to the front before the test plays in it.

    Browsers draw a hidden tab once a second, and a click waits for a frame.
    """
    with opened(browser, environment.server.url) as one:
        two = one.context.new_page()
        steps = steps_of(PUBLISHED)
        for page in (one, two):
            page.goto("/puzzles/hoppers")
        one.bring_to_front()
        by_clicks(one, *steps[0])
        two.bring_to_front()
        by_clicks(two, *steps[0])
        by_clicks(two, *steps[1])
        search(two)
        one.bring_to_front()
        press(one, "Search")
        expect(one.locator('[data-limit="7"], [data-limit="6"]').last).to_have_attribute(
            "data-state", "solved"
        )
        for step in steps[1:4]:
            by_clicks(one, *step)
        expect(verdict(one)).to_contain_text("3 moves, 8 pegs")
        one.reload()
        expect(verdict(one)).to_contain_text("3 moves, 8 pegs")
        two.bring_to_front()
        assert_search_continues(two)
        two.goto("/puzzles/hoppers")  # which opens the game that is kept
        expect(two.locator("main")).not_to_have_attribute("data-position", "oooooo.oooooo")


def test_suspended_laptop_reconnects(environment: Environment, browser: Browser) -> None:
    with opened(browser, environment.network.url) as page:
        expect_faults(page, "WebSocket", "Failed to load resource")
        search(page)
        environment.network.sleep()
        expect(page.locator(".banner")).to_contain_text("You can keep playing")
        wait_for(lambda: environment.server.measured("hoppers_connections") == 0)
        environment.network.wake()
        assert_search_continues(page)
        assert "is repeating it" not in page.locator("#solver").inner_text()


REFUSALS = {
    "403": b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    "400": b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    "no answer": b"",
}
"""Answers of proxies that forbid WebSockets."""


def is_cut(proxy: Proxy, page: Page) -> bool:
    """Cut all connections, and return whether the page shows that; a cut between two polls is not noticed."""
    proxy.cut()
    return page.locator(".banner").is_visible()


@pytest.mark.parametrize("refusal", REFUSALS.values(), ids=REFUSALS)
def test_search_streams_behind_a_proxy_that_forbids_websockets(
    environment: Environment, browser: Browser, refusal: bytes
) -> None:
    proxy = Proxy(environment.server.port, refusal)
    with ExitStack() as stack:
        stack.callback(proxy.end)
        page = stack.enter_context(opened(browser, proxy.url))
        expect_faults(page, "WebSocket", "Failed to load resource")
        wait_for(lambda: environment.server.measured("hoppers_connections") == 0)
        search(page)
        assert proxy.refused
        assert environment.server.measured("hoppers_connections") == 1
        wait_for(partial(is_cut, proxy, page))
        expect(page.locator(".banner")).to_contain_text("You can keep playing")
        refused = proxy.refused
        assert_search_continues(page)
        assert proxy.refused > refused
        press(page, "Search")
        expect(page.locator('[data-limit="3"][data-state="exhausted"]')).to_be_visible()
        assert_search_continues(page)
        page.goto("/puzzles/hoppers")
        wait_for(lambda: environment.server.measured("hoppers_connections") == 0)


def test_page_without_websockets_closes_its_connection_when_it_is_left(browser: Browser) -> None:
    server = Server(PING_SECONDS=3_600)  # so that no connection ends by silence
    with ExitStack() as stack:
        stack.callback(server.kill)
        server.wait()
        proxy = Proxy(server.port, REFUSALS["403"])
        stack.callback(proxy.end)
        page = stack.enter_context(opened(browser, proxy.url))
        expect_faults(page, "WebSocket", "Failed to load resource")
        for address in ("/", "about:blank"):
            search(page)
            assert server.measured("hoppers_connections") == 1
            page.goto(address)
            wait_for(lambda: server.measured("hoppers_connections") == 0)


def test_search_of_a_silent_client_is_paused(environment: Environment) -> None:
    message = {"ticket": "a", "puzzle": LONG[0], "position": LONG[1], "method": "deepening"}
    with closing(raw_client(environment.network.url, "a secret of sixteen")) as socket:
        socket.send(f"42{json.dumps(['search', message])}")
        wait_for(lambda: environment.server.measured('hoppers_searches{state="running"}') == 1)
        environment.network.sleep()
        try:
            wait_for(lambda: environment.server.measured("hoppers_connections") == 0)
            wait_for(lambda: environment.server.measured('hoppers_searches{state="paused"}') == 1)
        finally:
            environment.network.wake()


def test_search_survives_a_clock_change(environment: Environment, browser: Browser) -> None:
    with opened(browser, environment.server.url) as page:
        expect_faults(page, "WebSocket", "Failed to load resource")
        search(page)
        for seconds in (-86_400, 86_400):
            environment.clock.write_text(str(seconds))
            nodes = page.locator("[data-limit]").last.get_attribute("data-nodes")
            expect(page.locator("[data-limit]").last).not_to_have_attribute("data-nodes", str(nodes))
        assert_search_continues(page)
        client = Listener(environment.server.url)
        assert client.search("a", "hoppers", "oooooo.oooooo") == {"ok": True}
        assert client.receive_to_end()[-1][1]["limit"] == 7
        client.leave()
    environment.clock.write_text("0")


RECORD_MESSAGES = """() => {
  window.announced = '';
  const place = document.querySelector('#solver .say');
  const all = { childList: true, characterData: true, subtree: true };
  new MutationObserver(() => (announced += place.textContent)).observe(place, all);
}"""
"""Script that collects in `announced` all texts of the solver's message from now on."""


def test_search_survives_a_killed_server(environment: Environment, browser: Browser) -> None:
    with opened(browser, environment.server.url) as page:
        expect_faults(page, "WebSocket", "Failed to load resource")
        search(page)
        steps = page.request.get(f"/api/puzzles/{LONG[0]}/positions/{LONG[1]}").json()["steps"]
        step = steps[0]["from"], steps[0]["to"]
        environment.server.kill()
        expect(page.locator(".banner")).to_contain_text("You can keep playing")
        by_clicks(page, *step)
        expect(page.locator("main")).not_to_have_attribute("data-position", LONG[1])
        page.evaluate(RECORD_MESSAGES)
        environment.server.start()
        environment.server.wait()
        expect(page.locator("#solver .say")).to_contain_text("is repeating it")
        expect(page.locator("#solver .say")).to_contain_text("Now searching limit")
        assert "Preparing" not in page.evaluate("announced")
        assert_search_continues(page)
