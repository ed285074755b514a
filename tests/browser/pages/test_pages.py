"""The pages: small screens, languages, no scripts, accessibility."""

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from hoppers.core.puzzle import Puzzle
from tests.browser.fixtures import (
    KINDS,
    PHONE,
    by_clicks,
    each_kind,
    faults,
    faults_of_dark_colours,
    hole,
    verdict,
)
from tests.browser.tabs import DESKTOP, OpenTab, expect_faults, opened
from tests.support.engine import PUZZLES

pytestmark = pytest.mark.browser

SMALLEST_TARGET = 24
SCREENS: dict[str, ViewportSize] = {
    "desktop": DESKTOP,
    "tablet": {"width": 820, "height": 1180},
    "phone": PHONE,
    "small": {"width": 320, "height": 640},
    "lying": {"width": 740, "height": 360},
    "a desktop at 200 %": {"width": 640, "height": 400},
}
FIRST = next(iter(PUZZLES.values()))
PAGES = {"gallery": "/", "game": f"/puzzles/{FIRST.id}?line=0-6", "missing": "/nowhere"}
OVERHANG = "document.documentElement.scrollWidth - innerWidth"
CUT_OFF = """() => [...document.querySelectorAll('button:not(.spot), .key:not(.skip)')]
  .filter((key) => key.checkVisibility() && getComputedStyle(key).display !== 'inline')
  .filter((key) => key.scrollWidth > key.clientWidth + 1 || key.scrollHeight > key.clientHeight + 1)
  .map((key) => key.textContent)"""
"""Script that returns the labels that do not fit into their buttons."""
LATIN = set("abcdefghijklmnopqrstuvwxyz")


@pytest.mark.parametrize("path", PAGES.values(), ids=list(PAGES))
def test_axe_finds_nothing(page: Page, path: str) -> None:
    expect_faults(page, "404")
    page.goto(f"{path}{'&' if '?' in path else '?'}lang=ja")
    assert faults(page) == []
    assert faults_of_dark_colours(page, None if path == "/" else "main") == []


def test_axe_finds_nothing_while_a_solution_is_shown(page: Page) -> None:
    page.goto(PAGES["game"])
    page.get_by_role("button", name="Search", exact=True).click()
    expect(page.locator('[data-state="solved"]')).to_be_visible()
    assert faults(page, ".panel") == []
    page.get_by_role("button", name="Solution", exact=True).click()
    page.locator("[data-player=play][aria-label=Pause]").click()
    assert faults(page, ".panel") == []


def test_no_element_is_wider_than_the_page(page: Page) -> None:
    """All pages are checked in English in every window, three of them in Japanese in the narrowest."""
    studies = [f"/puzzles/{FIRST.id}/{name}" for name in ("race", "inside", "explore")]
    games = [f"/puzzles/{puzzle.id}" for puzzle in KINDS.values()]
    for path in ("/lessons", "/lessons/1", "/classics", "/", *studies, *games):
        page.goto(f"{path}?lang=en")
        assert_everything_fits(page, path, list(SCREENS))
        page.set_viewport_size(PHONE)
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        assert page.evaluate(OVERHANG) <= 0, (path, "large text")
    for path in ("/", studies[0], games[-1]):
        page.goto(f"{path}?lang=ja")
        assert_everything_fits(page, path, ["small"])


def assert_everything_fits(page: Page, path: str, screens: list[str]) -> None:
    """Assert that in windows of these sizes nothing is wider than the page and no label is cut off."""
    for name in screens:
        page.set_viewport_size(SCREENS[name])
        assert page.evaluate(OVERHANG) <= 0, (path, name)
        assert page.evaluate(CUT_OFF) == [], (path, name)


@each_kind
def test_phone_shows_board_buttons_and_panel_side_by_side(open_tab: OpenTab, puzzle: Puzzle) -> None:
    with open_tab(viewport=PHONE, has_touch=True) as page:
        page.goto(f"/puzzles/{puzzle.id}")
        boxes = [page.locator(place).bounding_box() for place in (".board", ".panel", ".controls")]
        tops = [(box["y"], box["y"] + box["height"]) for box in boxes if box]
        assert len(tops) == 3
        assert tops[0][1] <= tops[1][0] and tops[1][1] <= tops[2][0] + 1
        assert tops[2][1] <= PHONE["height"]
        spot = hole(page, 0).bounding_box()
        assert spot is not None and spot["width"] >= SMALLEST_TARGET
        board = page.locator(".board").bounding_box()
        assert board and board["x"] >= 0 and board["x"] + board["width"] <= PHONE["width"]
        step = page.request.get(f"/api/puzzles/{puzzle.id}/positions/{puzzle.start}").json()["steps"][0]
        hole(page, step["from"]).tap()
        hole(page, step["to"]).tap()
        expect(verdict(page)).to_contain_text("1 move")


def test_japanese_from_link_to_verdict(page: Page) -> None:
    page.goto(f"/puzzles/{FIRST.id}?lang=ja&depth=study")
    expect(page.locator("html")).to_have_attribute("lang", "ja")
    for name in ("元に戻す", "進める", "最初から", "ヒント", "解答", "探索", "停止"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_visible()
    by_clicks(page, 0, 6)
    expect(verdict(page)).to_contain_text("1手、ペグ11本、最短7手")
    page.get_by_role("button", name="探索", exact=True).click()
    expect(page.locator("#solver .say")).to_contain_text("最短は6手です")
    shown = page.locator("main").inner_text().lower()
    assert {word for word in shown.split() if set(word) <= LATIN and len(word) > 3} <= {"json"}


def test_language_link_keeps_the_position(page: Page) -> None:
    page.goto(f"/puzzles/{FIRST.id}")
    by_clicks(page, 0, 6)
    expect(verdict(page)).to_contain_text("1 move")
    page.get_by_role("link", name="日本語").click()
    expect(verdict(page)).to_contain_text("1手、ペグ11本")


def test_bad_link_shows_the_start_and_quotes_the_error(page: Page) -> None:
    expect_faults(page, "400")
    for query, quoted in (
        ("position=ooo", "ooo"),
        ("goal=z9", "z9"),
        ("line=0-1", "'0-1'"),
        ("line=x", "x"),
    ):
        answer = page.goto(f"/puzzles/{FIRST.id}?{query}")
        assert answer is not None and answer.status == 400
        expect(page.get_by_role("alert").first).to_contain_text(quoted)
        expect(page.locator("main")).to_have_attribute("data-position", FIRST.start)


def test_every_move_is_a_link_without_scripts(browser: Browser, live_server: str) -> None:
    with opened(browser, live_server, java_script_enabled=False) as page:
        for puzzle in KINDS.values():
            page.goto(f"/puzzles/{puzzle.id}")
            expect(page.locator(".board svg")).to_be_visible()
            page.locator(".plain-moves a").first.click()
            expect(page.locator("main")).not_to_have_attribute("data-position", puzzle.start)


def test_chosen_theme_stays(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="Switch between light and dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.goto(f"/puzzles/{FIRST.id}")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
