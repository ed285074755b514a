"""The atlas in a browser: readable at both sizes and in both themes, and played with one press."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.fixtures import PHONE, faults, faults_of_dark_colours
from tests.browser.tabs import DESKTOP, OpenTab

pytestmark = pytest.mark.browser

PLACES = ("/atlas", "/atlas/triangle-15-red", "/atlas/flip-it-6", "/atlas/eight-puzzle")
WIDEST = "/atlas/flip-it-12"
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
SMALL_TEXTS = """[...document.querySelectorAll("main *")].filter((each) =>
  [...each.childNodes].some((child) => child.nodeType === 3 && child.data.trim())
  && !each.closest("svg, .hush") && parseFloat(getComputedStyle(each).fontSize) < 15).length"""


def test_axe_finds_nothing_in_the_atlas(page: Page) -> None:
    """Nothing is wider than a window or too small to read, at both sizes."""
    for place in (*PLACES, WIDEST):
        page.set_viewport_size(DESKTOP)
        page.goto(f"{place}?lang=ja")
        if place != WIDEST:
            assert faults(page) == [], place
            assert faults_of_dark_colours(page, "main") == [], place
        for viewport in (DESKTOP, PHONE):
            page.set_viewport_size(viewport)
            assert page.evaluate(OVERFLOW) == 0 and page.evaluate(SMALL_TEXTS) == 0, (place, viewport)


def test_problem_and_record_are_played_with_one_press(page: Page) -> None:
    page.goto("/atlas/hoppers?lang=en")
    page.locator(".map td a").first.click()
    expect(page.locator(".board")).to_be_visible()
    assert "start=.oooooooooooo&goal=0" in page.url
    page.goto("/atlas?lang=en")
    page.locator("#records").get_by_role("link", name="Play: Hoppers", exact=False).first.click()
    expect(page.locator(".board")).to_be_visible()


def test_pages_need_no_script(open_tab: OpenTab) -> None:
    with open_tab(java_script_enabled=False) as page:
        page.goto("/atlas/hoppers?lang=en")
        page.get_by_role("link", name="most moves").click()
        expect(page.locator("#problems tbody tr").first).to_contain_text("10")
