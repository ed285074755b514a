"""Own data, the installed application, and the next problem."""

import json
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Browser, Page, expect

from hoppers.core.puzzle import Puzzle
from tests.browser.fixtures import (
    KINDS,
    by_clicks,
    hole,
    line_of,
    moves_of,
    open_game,
    open_study,
    play,
    press,
    published_puzzle,
    steps_of,
    verdict,
)
from tests.browser.tabs import expect_faults, opened
from tests.support.engine import PUZZLES

pytestmark = pytest.mark.browser

PNG = b"\x89PNG\r\n\x1a\n"


def test_own_data_is_exported_imported_and_cleared(page: Page, tmp_path: Path) -> None:
    open_game(page, published_puzzle())
    by_clicks(page, 0, 6)
    page.get_by_role("button", name="Settings", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Export").click()
    file = tmp_path / "data.json"
    download.value.save_as(file)
    assert any("game" in key for key in json.loads(file.read_text())["data"])
    page.evaluate("sessionStorage.setItem('puzzles/known/some/0', '{}')")  # as left by a search
    page.get_by_role("button", name="Clear my data").click()
    page.get_by_role("button", name="Delete everything?").click()
    page.wait_for_function("Object.keys(localStorage).every((key) => !key.includes('game'))")
    page.goto("/")
    assert page.evaluate("sessionStorage.getItem('puzzles/known/some/0')") is None
    page.get_by_role("button", name="Settings", exact=True).click()
    bad = tmp_path / "bad.json"
    bad.write_text("{}")
    page.locator("#import-data").set_input_files(bad)
    expect(page.locator("#data-note")).to_contain_text("no data")
    page.locator("#import-data").set_input_files(file)
    expect(page.locator(".go:not([hidden])").first).to_contain_text("after move 1")


@pytest.mark.motion
def test_shortcuts_and_motion_can_be_switched_off(page: Page) -> None:
    open_game(page, published_puzzle())
    page.get_by_role("button", name="Settings", exact=True).click()
    page.get_by_label("letter-key shortcuts").uncheck()
    page.locator('[data-setting="motion"]').select_option("none")
    page.keyboard.press("Escape")
    page.evaluate("() => { window.moved = 0; Element.prototype.animate = () => { window.moved += 1; }; }")
    by_clicks(page, 0, 6)
    page.keyboard.press("u")
    expect(verdict(page)).to_contain_text("1 move")
    assert page.evaluate("window.moved") == 0


def test_reduced_motion_animates_nothing(page: Page) -> None:
    open_game(page, published_puzzle())
    page.evaluate("() => { window.moved = 0; Element.prototype.animate = () => { window.moved += 1; }; }")
    by_clicks(page, 0, 6)
    expect(verdict(page)).to_contain_text("1 move")
    assert page.evaluate("window.moved") == 0


IS_CACHED = """async (position) => {
  const wanted = [`/positions/${position}`, location.pathname];
  for (let tries = 0; tries < 1200; tries += 1) {
    const opened = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
    const entries = (await Promise.all(opened.map((cache) => cache.keys()))).flat();
    const paths = entries.map(({ url }) => decodeURIComponent(new URL(url).pathname));
    if (wanted.every((end) => paths.some((path) => path.endsWith(end)))) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}"""
"""Script that returns whether the caches hold the page and a position, after waiting up to a minute."""

LEFT_ADDRESS = (
    f"new URL(JSON.parse(localStorage['puzzles/game/{published_puzzle().id}']).url, location).search"
)

DAMAGE = (
    f"(url) => (localStorage['puzzles/game/{published_puzzle().id}'] = JSON.stringify({{ url, line: {{}} }}))"
)
"""Script that stores an invalid game, as an imported file may contain."""


def test_seen_board_opens_offline_with_its_game(browser: Browser, live_server: str) -> None:
    """The embedded board is cached separately; a page that is not cached is replaced by a message."""
    with opened(browser, live_server, service_workers="allow") as page:
        expect_faults(page, "ERR_INTERNET_DISCONNECTED", "ERR_FAILED")
        page.goto("/")
        page.evaluate("navigator.serviceWorker.ready")
        open_game(page, published_puzzle(), "?embed=1")
        open_game(page, published_puzzle())
        moves = moves_of(page, published_puzzle())
        line = page.request.get(
            f"/api/puzzles/{published_puzzle().id}/line?start={published_puzzle().start}&line={line_of(moves)}"
        ).json()
        assert all(page.evaluate(IS_CACHED, step["position"]) for step in line["steps"])
        open_game(page, published_puzzle(), "?goal=any")
        page.context.set_offline(True)
        page.goto(f"/puzzles/{published_puzzle().id}")
        expect(page.locator(".board svg")).to_be_visible()
        open_study(page)  # which shows the verdict, from now on
        play(page, steps_of(moves[:2]))
        expect(verdict(page)).to_have_attribute("data-verdict", "live")
        press(page, "Restart")
        play(page, steps_of(moves[:1]))
        expect(verdict(page)).to_contain_text("1 move")
        page.get_by_role("button", name="Search", exact=True).click()
        expect(page.locator("#solver .say")).to_contain_text("needs the server")
        page.reload()
        expect(verdict(page)).to_contain_text("1 move")
        expect(page.locator(".top .tools")).to_be_visible()
        page.goto("/")
        page.goto(f"/puzzles/{published_puzzle().id}{page.evaluate(LEFT_ADDRESS)}")
        expect(verdict(page)).to_contain_text("1 move")
        expect(page.locator(".note")).not_to_contain_text("not saved")
        unseen = f"/puzzles/{published_puzzle().id}?position=o...........o"
        page.evaluate(DAMAGE, unseen)
        page.goto(unseen)
        expect(page.locator(".note")).to_contain_text("this position is not saved on this device")
        page.goto("/lessons")
        expect(page.get_by_role("alert")).to_contain_text("this page is not saved on your device")
        page.goto("/")
        expect(page.locator(".boards")).to_be_visible()
        expect(page.locator("#not-kept")).to_be_hidden()


def test_application_can_be_installed(new_client: FlaskClient) -> None:
    manifest: Any = json.loads(new_client.get("/manifest.webmanifest").text)
    assert {icon["sizes"] for icon in manifest["icons"]} >= {"192x192", "512x512"}
    assert any(icon["purpose"] == "maskable" for icon in manifest["icons"])
    for icon in manifest["icons"]:
        assert new_client.get(icon["src"]).data.startswith(PNG)
    worker = new_client.get("/sw.js")
    assert worker.headers["Cache-Control"] == "no-cache"
    assert new_client.get("/icon-7.png").status_code == 404


RESULTS = f"puzzles/results/{published_puzzle().id}"
SETTLED = 700
"""Milliseconds after which keys act again at the end of a game, so that none leaves the page by accident."""


@pytest.mark.parametrize("puzzle", list(KINDS.values())[1:], ids=["sliding", "pegs"])
def test_next_problem_comes_after_solving(page: Page, puzzle: Puzzle) -> None:
    moves = moves_of(page, puzzle)
    page.goto(f"/puzzles/{puzzle.id}?line={line_of(moves[:-1])}")
    link = page.get_by_role("link", name="Next challenge")
    expect(page.locator("[data-movable]").first).to_be_attached()
    expect(link).to_be_hidden()
    for origin, target in steps_of(moves[-1:]):
        hole(page, origin).click()
        if puzzle.rules.multi_step_moves:
            hole(page, target).click()
    expect(verdict(page)).to_have_attribute("data-verdict", "solved")
    expect(page.locator("#result-title")).to_be_focused()
    page.wait_for_timeout(SETTLED)
    with page.expect_navigation():
        link.press("Enter")
    expect(verdict(page)).to_contain_text("0 moves")
    main = page.locator("main")
    names = ("data-puzzle", "data-position", "data-goal")
    place = tuple(main.get_attribute(name) for name in names)
    assert place != (puzzle.id, puzzle.start, puzzle.goal)
    page.keyboard.press("n")
    expect(main).not_to_have_attribute("data-position", str(place[1]))


def test_problems_become_harder(page: Page) -> None:
    """The problems of the first board are ordered by their fewest moves, and all can be solved."""
    open_game(page, published_puzzle())
    problems = page.evaluate("JSON.parse(document.querySelector('#data').text).problems")
    assert len(problems) >= 3
    assert [published_puzzle().start, published_puzzle().goal] in problems
    left = []
    for start, goal in problems:
        answer = page.request.get(
            f"/api/puzzles/{published_puzzle().id}/positions/{start}?goal={goal}"
        ).json()
        left.append(answer["moves_left"])
    assert left == sorted(left)


def test_solved_problem_does_not_come_next(page: Page) -> None:
    open_game(page, published_puzzle())
    problems = page.evaluate("JSON.parse(document.querySelector('#data').text).problems")
    at = problems.index([published_puzzle().start, published_puzzle().goal])
    solved, expected = problems[(at + 1) % len(problems)], problems[(at + 2) % len(problems)]
    results = json.dumps({"|".join(solved): {"moves": 9, "best": 7}})
    page.evaluate("([key, text]) => localStorage.setItem(key, text)", [RESULTS, results])
    page.keyboard.press("n")
    expect(page.locator("main")).to_have_attribute("data-position", expected[0])


def test_method_is_stored_for_its_puzzle(page: Page) -> None:
    """An unknown stored method is ignored."""
    other = next(
        puzzle
        for puzzle in PUZZLES.values()
        if puzzle.solving.default_method != published_puzzle().solving.default_method
    )
    open_game(page, published_puzzle(), "?depth=study")
    page.locator("#method").select_option("corners")
    chosen = page.locator(".method-note").inner_text()
    open_game(page, other)
    expect(page.locator("#method")).to_have_value(other.solving.default_method)
    open_game(page, published_puzzle(), "?depth=study")
    expect(page.locator("#method")).to_have_value("corners")
    expect(page.locator(".method-note")).to_have_text(chosen)
    page.evaluate(
        "localStorage.setItem(Object.keys(localStorage).find((key) => key.includes('method')), '\"none\"')"
    )
    page.reload()
    expect(page.locator("#method")).to_have_value(published_puzzle().solving.default_method)
