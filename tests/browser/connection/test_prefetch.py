"""Prefetching while the player is idle, and the limit of the cache."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.fixtures import by_clicks, moves_of, open_game, published_puzzle, steps_of, verdict
from tests.browser.tabs import opened

pytestmark = pytest.mark.browser

WATCHED = """((options) => {
  const [later, originalFetch] = [setTimeout, fetch];
  Object.defineProperty(navigator, "connection", { value: { saveData: options.saving } });
  window.requests = [];
  const rest = async (act) => {
    const whole = act();
    window.rested = true;
    await whole;
    window.settled = true;
  };
  const isRest = (wait) => wait === 1500;
  setTimeout = (act, wait, ...values) =>
    isRest(wait) ? later(rest, window.rested ? 1e9 : 100, act) : later(act, wait, ...values);
  fetch = async (path, ...more) => {
    if (!window.rested && !/solution/.test(path)) return originalFetch(path, ...more);
    window.requests.push(path);
    const answer = await (await originalFetch(path, ...more)).json();
    const isAhead = /positions\\/[^/]*$/.test(path.split("?")[0]);
    await new Promise((resolve) => later(resolve, isAhead ? options.wait : 0));
    return Response.json(isAhead ? { ...answer, ...options.changes } : answer);
  };
})"""
"""Script for a page: shorten the first idle time, prevent a second one, and record all later requests."""

Ahead = Callable[..., AbstractContextManager[Page]]


@pytest.fixture
def idle_page(browser: Browser, live_server: str) -> Ahead:
    """Function that opens a game in a tab with a service worker and waits until it has been idle."""

    @contextmanager
    def open_and_rest(**options: Any) -> Iterator[Page]:
        settings = json.dumps({"saving": False, "changes": {}, "wait": 0, **options})
        with opened(browser, live_server, service_workers="allow") as page:
            page.goto("/")
            page.wait_for_function("() => Boolean(navigator.serviceWorker.controller)")
            page.add_init_script(f"{WATCHED}({settings})")
            open_game(page, published_puzzle())
            page.wait_for_function("() => window.rested")
            yield page

    return open_and_rest


def requested_positions(page: Page) -> list[str]:
    """Return the positions requested since the idle time began."""
    requests = page.evaluate("window.requests")
    return [path for path in requests if re.search(r"positions/[^/]*$", path.partition("?")[0])]


def settled(page: Page) -> list[str]:
    """Wait until prefetching has ended, and return all its requests."""
    page.wait_for_function("() => window.settled")
    requests: list[str] = page.evaluate("window.requests")
    return requests


def test_idle_player_gets_next_positions_prefetched(idle_page: Ahead) -> None:
    with idle_page() as page:
        assert "/solution" in settled(page)[0]
        assert 5 < len(requested_positions(page)) <= 15


def test_data_saver_switches_prefetching_off(idle_page: Ahead) -> None:
    with idle_page(saving=True) as page:
        assert settled(page) == []


@pytest.mark.parametrize("changes", [{"verdict": "unknown"}, {"preparation": 0.5}])
def test_prefetching_stops_when_the_server_would_compute(idle_page: Ahead, changes: dict[str, Any]) -> None:
    with idle_page(changes=changes) as page:
        settled(page)
        assert len(requested_positions(page)) == 1


def test_playing_on_ends_prefetching(idle_page: Ahead) -> None:
    with idle_page(wait=300) as page:
        by_clicks(page, *steps_of(moves_of(page, published_puzzle()))[0])
        expect(verdict(page)).to_contain_text("1 move")
        begun = len(requested_positions(page))
        settled(page)
        assert begun < 10 and len(requested_positions(page)) <= begun + 1


FILL = """async ([answers, pages]) => {
  const cache = await caches.open((await caches.keys())[0]);
  for (const [count, folder] of [[pages, "/puzzles/seen"], [answers, "/api/seen"]]) {
    for (let number = 0; number < count; number += 1) {
      await cache.put(`${folder}/${number}`, new Response("old"));
    }
  }
}"""
PATHS = """async () => {
  const cache = await caches.open((await caches.keys())[0]);
  return (await cache.keys()).map(({ url }) => new URL(url).pathname);
}"""


@pytest.mark.parametrize(("answers", "pages"), [(0, 1), (0.5, 0.5)])
def test_full_cache_drops_the_oldest_answers_first(
    browser: Browser, live_server: str, answers: float, pages: float
) -> None:
    with opened(browser, live_server, service_workers="allow") as page:
        page.goto("/")
        page.wait_for_function("() => Boolean(navigator.serviceWorker.controller)")
        page.goto("/lessons")  # a page without a game fetches nothing meanwhile
        worker = page.request.get("/sw.js").text()
        most = int(re.findall(r"MAX_ENTRIES = (\d+)", worker)[0])
        shell = set(re.findall(r'"(/static/[^"]+)"', worker))
        page.evaluate(FILL, [int(answers * most), int(pages * most)])
        before = page.evaluate(PATHS)
        assert len(before) > most > len(shell) > 20
        page.evaluate("fetch('/api/puzzles').then((answer) => answer.json())")
        page.wait_for_function(f"async () => (await ({PATHS})()).length <= {most}")
        after = page.evaluate(PATHS)
        assert len(after) == most and shell | {"/"} <= set(after)
        seen = [path for path in [*before, "/api/puzzles"] if path not in shell and path != "/"]
        by_worth = sorted(
            seen, key=lambda path: not path.startswith("/api/")
        )  # within both groups the oldest first
        assert set(by_worth[len(seen) - most + len(shell) + 1 :]) == set(after) - shell - {"/"}
