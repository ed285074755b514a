"""Boards that the service worker keeps: all of them after a while, and through an update."""

import datetime

import pytest
from flask import Flask, request
from playwright.sync_api import Browser, Page, expect

from hoppers.web.http import assets
from tests.browser.fixtures import open_game, published_puzzle, verdict
from tests.browser.tabs import expect_faults, opened
from tests.conftest import running_app, serving
from tests.support.engine import PUZZLES
from tests.support.server_time import set_server_time

pytestmark = pytest.mark.browser

BOARDS = [puzzle.id for puzzle in PUZZLES.values() if puzzle.gallery.featured]
KEPT = """async () => {
  const opened = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
  const entries = (await Promise.all(opened.map((cache) => cache.keys()))).flat();
  return entries.map(({ url }) => new URL(url).pathname);
}"""
"""Script that returns the paths of everything that is kept."""
OFFLINE = ("ERR_INTERNET_DISCONNECTED", "ERR_FAILED")


def wait_for_boards(page: Page, *others: str) -> None:
    """Wait until the pages of all boards and some others are kept."""
    wanted = [*(f"/puzzles/{board}" for board in BOARDS), *others]
    for _ in range(300):
        if set(wanted) <= set(page.evaluate(KEPT)):
            return
        page.wait_for_timeout(100)
    raise AssertionError([path for path in wanted if path not in page.evaluate(KEPT)])


def test_first_visit_keeps_all_boards_while_idle(browser: Browser, live_server: str) -> None:
    with opened(browser, live_server, first_visit=True, service_workers="allow") as page:
        expect_faults(page, *OFFLINE)
        page.goto(f"/puzzles/{BOARDS[0]}")
        assert not any(each.startswith("/puzzles/") for each in page.evaluate(KEPT))
        wait_for_boards(page)
        page.context.set_offline(True)
        for board in (BOARDS[0], BOARDS[-1]):
            page.goto(f"/puzzles/{board}")
            expect(page.locator(".board svg")).to_be_visible()
            expect(page.locator("[data-movable]").first).to_be_attached()


def test_the_page_of_the_first_visit_is_kept(browser: Browser, live_server: str) -> None:
    """A class opens the link of its set once; set and problems are then there without a connection."""
    address = "/set?puzzle=hoppers&position=oooooo.oooooo&goal=6"
    with opened(browser, live_server, first_visit=True, service_workers="allow") as page:
        expect_faults(page, *OFFLINE)
        page.goto(address)
        heading = page.locator("h1").inner_text()
        wait_for_boards(page, "/set")
        page.context.set_offline(True)
        page.reload()
        expect(page.locator("h1")).to_have_text(heading)
        page.locator("ol.cards a").first.click()
        expect(page.locator("main[data-position='oooooo.oooooo']")).to_be_visible()


def test_home_page_keeps_decks_and_the_next_cards(
    browser: Browser, live_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a connection today's card, a deck, its next card, the stream and a board are played.

    The next day its own card is there, and after that a sentence says which day's card is shown.
    """
    evening = datetime.datetime(2026, 11, 28, 20, tzinfo=datetime.UTC)
    set_server_time(monkeypatch, evening)
    with opened(browser, live_server, service_workers="allow", timezone_id="UTC") as page:
        expect_faults(page, *OFFLINE)
        page.clock.set_fixed_time(evening)
        page.goto("/")
        assert not any(each.startswith("/puzzles/") for each in page.evaluate(KEPT))
        wait_for_boards(page, "/decks/hoppers", "/decks/hoppers/5", "/stream", "/daily/2026-11-29/mini")
        page.context.set_offline(True)
        for path in ("/", "/decks/hoppers/2", "/stream", f"/puzzles/{BOARDS[-1]}"):
            page.goto(path)
            expect(page.locator("#not-kept:not([hidden])")).to_have_count(0)
            expect(page.locator("[data-movable]").first).to_be_attached()
        page.goto("/decks/hoppers")
        expect(page.locator("#next")).to_have_attribute("href", "/decks/hoppers/1")
        main, note = page.locator("main"), page.locator("#other-day")
        page.clock.set_fixed_time(evening + datetime.timedelta(1))
        page.goto("/")
        expect(main).to_have_attribute("data-card", "daily/2026-11-29")
        expect(page.locator("[data-movable]").first).to_be_attached()
        expect(note).to_be_hidden()
        page.clock.set_fixed_time(evening + datetime.timedelta(2))
        page.goto("/")
        expect(main).to_have_attribute("data-card", "daily/2026-11-28")
        expect(note).to_have_text(
            "The card for Nov 30, 2026 needs a connection. This is the one for Nov 28, 2026."
        )


def test_no_game_is_shown_in_place_of_another(browser: Browser, live_server: str) -> None:
    """The review of one game is kept, in one language; offline it is not taken for that of another game."""
    board, (first, other) = published_puzzle(), ("0-6", "2-6")
    review = f"/puzzles/{board.id}/review?start={board.start}&goal={board.goal}&line="
    with opened(browser, live_server, service_workers="allow") as page:
        expect_faults(page, *OFFLINE)
        page.goto("/")
        page.evaluate(CONTROLLED)
        page.goto(review + first)
        page.context.set_offline(True)
        page.goto(f"{review}{first}&lang=ja")
        expect(page.locator(".chips")).to_be_attached()
        for missing in (review + other, "/?card=mini"):
            page.goto(missing)
            expect(page.locator("#not-kept")).to_be_visible()


CONTROLLED = """() => navigator.serviceWorker.controller !== null
  || new Promise((done) => navigator.serviceWorker.addEventListener("controllerchange", () => done(true)))"""
"""Script that waits until the service worker answers the requests of the page."""
FETCHED = "(path) => fetch(path).then((answer) => answer.headers.get('Cache-Control'))"


def test_nothing_is_kept_that_the_server_forbids_to_keep(browser: Browser, live_server: str) -> None:
    board = PUZZLES[BOARDS[0]]
    forbidden = f"/api/puzzles/{board.id}/deals/{next(iter(board.gallery.random_kinds))}"
    allowed = f"/api/puzzles/{board.id}/positions/{board.start}/hint"
    with opened(browser, live_server, service_workers="allow") as page:
        page.goto(f"/puzzles/{board.id}")
        page.evaluate(CONTROLLED)
        assert page.evaluate(FETCHED, allowed).startswith("public")
        assert page.evaluate(FETCHED, forbidden) == "no-store"
        kept = page.evaluate(KEPT)
        assert allowed in kept and forbidden not in kept


SLOW = """Object.defineProperty(navigator, 'connection', { value: { saveData: %s, effectiveType: '%s' } })"""


@pytest.mark.parametrize(("saves", "kind"), [("true", "4g"), ("false", "3g")])
def test_no_board_is_fetched_ahead_over_a_slow_connection(
    browser: Browser, live_server: str, saves: str, kind: str
) -> None:
    with opened(browser, live_server, first_visit=True, service_workers="allow") as page:
        page.add_init_script(SLOW % (saves, kind))
        page.clock.install()
        page.goto("/")
        page.evaluate("navigator.serviceWorker.ready.then(() => 0)")
        page.clock.fast_forward(60_000)
        page.wait_for_timeout(500)
        assert not any(each.startswith("/puzzles/") for each in page.evaluate(KEPT))


def release(monkeypatch: pytest.MonkeyPatch, app: Flask, digest: str) -> None:
    """Let a server be of another version."""
    monkeypatch.setattr(assets, "version", lambda folder: digest)


UPDATED = """async (digest) => {
  const registration = await navigator.serviceWorker.ready;
  await registration.update();
  for (let tries = 0; tries < 600; tries += 1) {
    const names = await caches.keys();
    if (names.length === 1 && names[0] === digest) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}"""
"""Script that looks for an update, and returns whether only the cache of the new version is left."""
REFUSED_UPDATE = """async () => {
  const registration = await navigator.serviceWorker.ready;
  const refused = new Promise((resolve) => {
    registration.addEventListener("updatefound", () => {
      const { installing } = registration;
      installing.addEventListener("statechange", () => installing.state === "redundant" && resolve());
    });
  });
  await registration.update();
  await refused;
}"""
"""Script that looks for an update, and ends when its installation has failed."""
ANSWER = f"/api/puzzles/{published_puzzle().id}/positions/.oo.ooooooooo?goal=6"


def test_kept_boards_survive_an_update(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages, their answers, and a page at an address of its own: all are there offline after the update.

    Before that, an update fails, because a page cannot be fetched anew: the old version and all that it keeps
    stay.
    """
    with running_app() as app, serving(app) as url, opened(browser, url, service_workers="allow") as page:
        expect_faults(page, *OFFLINE, "503", "Failed to update")
        page.goto("/")
        wait_for_boards(page)
        open_game(page, published_puzzle(), "?line=0-6.9-3")
        page.evaluate("(address) => fetch(address).then((answer) => answer.text())", ANSWER)
        before = {path for path in page.evaluate(KEPT) if not path.startswith("/static/")}
        assert any(path.startswith("/api/") for path in before)
        old = page.evaluate("caches.keys()")
        release(monkeypatch, app, "ba9876543210")
        refusals = app.before_request_funcs[None]
        refusals.insert(0, lambda: ("busy", 503) if request.path.startswith("/puzzles/") else None)
        page.evaluate(REFUSED_UPDATE)
        assert before <= set(page.evaluate(KEPT)) and set(old) <= set(page.evaluate("caches.keys()"))
        del refusals[0]
        release(monkeypatch, app, "0123456789ab")
        assert page.evaluate(UPDATED, "0123456789ab")
        assert old != ["0123456789ab"]
        assert before <= set(page.evaluate(KEPT))
        page.context.set_offline(True)
        assert page.evaluate("(address) => fetch(address).then((answer) => answer.status)", ANSWER) == 200
        page.goto(f"/puzzles/{BOARDS[-1]}")
        expect(page.locator(".board svg")).to_be_visible()
        page.goto(f"/puzzles/{published_puzzle().id}?line=0-6.9-3")
        expect(verdict(page)).to_contain_text("2 moves")
