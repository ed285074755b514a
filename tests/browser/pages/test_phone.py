"""Phones: large and stable buttons, and sheets that Back closes."""

import re
from itertools import pairwise

import pytest
from playwright.sync_api import Page, expect

from tests.browser.fixtures import (
    PHONE,
    ask,
    by_clicks,
    hole,
    middle,
    open_game,
    press,
    published_puzzle,
    tab,
    verdict,
)
from tests.browser.tabs import OpenTab, expect_faults
from tests.support.engine import PUZZLES

pytestmark = pytest.mark.browser

EASY_TARGET, WHOLE_PITCH = 44, 38
REACH = """(all) => all.filter((one) => one.checkVisibility()).map((one) => {
  const box = one.getBoundingClientRect();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const hit = [-21, 21].every((off) => document.elementFromPoint(x, y + off) === one);
  return [one.id, hit, box.width];
})"""
"""Script: per button its id, whether presses 21 pixels above and below its middle hit it, and its width."""
ABOVE = ("settings", "share", "help", "setup")
"""Sheets whose buttons are in the header of wide windows, and in the menu of phones."""
INDEX = "() => navigation.currentEntry.index"
COUNT = """() => (window.traversals = 0, navigation.addEventListener(
  'currententrychange', ({ navigationType }) => { traversals += navigationType === 'traverse'; }))"""
"""Script that counts in `traversals` how often the browser goes from one history entry to another."""


def open_sheet(page: Page, sheet: str) -> None:
    """Open the menu of the bar, unless it is open, and from there another sheet."""
    if page.locator("#more-menu").is_hidden():
        page.locator("#more").tap()
    expect(page.locator("#more-menu")).to_be_visible()
    page.wait_for_function("() => history.state.sheet === true")
    if sheet != "more-menu":
        page.locator(f'#more-menu [data-opens="{sheet}"]').tap()


def test_back_closes_every_sheet_and_forward_opens_none(open_tab: OpenTab) -> None:
    """Sheets take at most one history entry, and neither Back nor Forward changes the game."""
    with open_tab(viewport=PHONE, has_touch=True) as page:
        open_game(page, published_puzzle(), "?line=0-6")
        place, entries = page.url, page.evaluate("history.length")
        for sheet in (*ABOVE, "more-menu"):
            open_sheet(page, sheet)
            expect(page.locator(f"#{sheet}")).to_be_visible()
            page.wait_for_function("() => history.state.sheet === true")
            page.go_back()
            expect(page.locator(f"#{sheet}")).to_be_hidden()
            assert page.url == place
        by_clicks(page, 9, 3)
        expect(verdict(page)).to_contain_text("2 moves")
        page.evaluate(COUNT)
        page.evaluate("history.forward()")
        page.wait_for_function("() => traversals === 2")  # one entry forward, one back
        expect(verdict(page)).to_contain_text("2 moves")
        assert page.evaluate("history.state.sheet") is not True
        open_sheet(page, "share")
        press(page, "Close")
        page.wait_for_function("() => history.state.sheet !== true")
        index = page.evaluate(INDEX)
        open_sheet(page, "settings")
        page.wait_for_function("() => history.state.sheet === true")
        page.reload()
        expect(verdict(page)).to_contain_text("2 moves")
        page.wait_for_function(f"() => ({INDEX})() === {index}")
        assert page.evaluate("history.length") <= entries + 1


def test_back_closes_the_settings_of_every_page(open_tab: OpenTab) -> None:
    """Back closes a sheet on every page as on the game page. A reloaded page has no open sheet."""
    with open_tab(viewport=PHONE, has_touch=True) as page:
        own = [f"/puzzles/{published_puzzle().id}/{name}" for name in ("race", "explore", "print")]
        expect_faults(page, "404")
        for path in ("/", *own, "/lessons/1", "/nothing"):
            page.goto(path)
            place, index = page.url, page.evaluate(INDEX)
            press(page, "Settings")
            page.wait_for_function("() => history.state?.sheet === true")
            page.go_back()
            expect(page.locator("#settings")).to_be_hidden()
            assert [page.url, page.evaluate(INDEX)] == [place, index]
        press(page, "Settings")
        page.wait_for_function("() => history.state?.sheet === true")
        page.reload()
        page.wait_for_function(f"() => ({INDEX})() === {index}")
        press(page, "Settings")
        page.wait_for_function("() => history.state?.sheet === true")
        page.locator(".top .home").tap()
        expect(page).to_have_url(re.compile("/$"))
        page.go_back()
        expect(page).to_have_url(place)
        page.wait_for_function(f"() => ({INDEX})() === {index}")


def test_tap_leads_from_one_sheet_to_another(open_tab: OpenTab) -> None:
    """The tap closes the open sheet; Back closes the other one."""
    with open_tab(viewport=PHONE, has_touch=True) as page:
        open_game(page, published_puzzle(), "?line=0-6")
        place, entries = page.url, page.evaluate("history.length")
        page.evaluate(COUNT)
        for count, sheet in enumerate(ABOVE):
            open_sheet(page, sheet)
            page.wait_for_function(f"() => traversals > {count}")
            expect(page.locator(":popover-open")).to_have_count(1)
            expect(page.locator(f"#{sheet}")).to_be_visible()
            page.wait_for_function("() => history.state.sheet === true")
            page.locator("#more").tap()
        page.wait_for_function("() => history.state.sheet === true")
        page.go_back()
        expect(page.locator(":popover-open")).to_have_count(0)
        assert page.url == place
        assert page.evaluate("[history.state.sheet === true, history.length]") == [False, entries + 1]


def test_back_from_the_next_page_leads_to_the_game(open_tab: OpenTab) -> None:
    """The next page is opened by links and forms inside a sheet, and by links next to an open sheet.

    Forward leads to the next page again.
    """
    with open_tab(viewport=PHONE, has_touch=True) as page:
        open_game(page, published_puzzle(), "?line=0-6")
        place, index = page.url, page.evaluate(INDEX)
        boards = "#puzzle-list a:not([aria-current])"
        links = {"puzzle-list": boards, "share": ".top .up", "setup": "#picker .first"}
        for sheet, link in links.items():
            page.evaluate("(id) => document.getElementById(id).showPopover()", sheet)
            page.wait_for_function("() => history.state.sheet === true")
            with page.expect_navigation(url=lambda address: address != place):
                page.locator(link).first.tap()
            page.go_back()
            page.wait_for_function(f"() => ({INDEX})() === {index}")
            expect(page.locator(":popover-open")).to_have_count(0)
            expect(verdict(page)).to_contain_text("1 move")
            assert page.url == place
        page.locator("#more").tap()
        page.locator("#more-menu a[href='/lessons']").tap()
        expect(page).to_have_url(re.compile("/lessons$"))
        page.go_back()
        expect(verdict(page)).to_contain_text("1 move")
        page.go_forward()
        expect(page).to_have_url(re.compile("/lessons$"))


def test_everything_is_large_enough_for_a_finger(open_tab: OpenTab) -> None:
    """Buttons may look smaller than their hit areas. Holes are at least WHOLE_PITCH pixels apart."""
    with open_tab(viewport=PHONE, has_touch=True) as page:
        largest = max(PUZZLES.values(), key=lambda puzzle: puzzle.holes * puzzle.rules.multi_step_moves)
        step = ask(page, largest)["steps"][0]
        for puzzle, first in ((published_puzzle(), (0, 6)), (largest, (step["from"], step["to"]))):
            open_game(page, puzzle, f"?line={first[0]}-{first[1]}&depth=play")
            expect(page.locator("#replay")).to_be_visible()
            offers = page.locator(".offers > *").evaluate_all(REACH)
            assert len(offers) > 1 and all(hit for _, hit, _ in offers), offers
            assert min(width for _, _, width in page.locator(".top .tool").evaluate_all(REACH)) >= EASY_TARGET
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        row = [middle(hole(page, number)) for number in range(largest.holes)]
        apart = min(abs(x - a) for (x, y), (a, b) in pairwise(row) if abs(y - b) < 1)
        assert apart >= WHOLE_PITCH


def test_smallest_phone_shows_rows_and_the_largest_board(open_tab: OpenTab) -> None:
    """An open sheet hides the rules and shrinks the board; both return when it is closed."""
    with open_tab(viewport={"width": 320, "height": 568}, has_touch=True) as page:
        open_game(
            page,
            max(PUZZLES.values(), key=lambda puzzle: puzzle.holes * puzzle.rules.multi_step_moves),
            "?depth=study",
        )
        sheet, rules, board = page.locator("#solver"), page.locator(".note"), page.locator(".board")
        usual = board.bounding_box()
        expect(rules).to_be_visible()
        tab(page, "Solver").tap()
        assert sheet.evaluate("(part) => part.clientHeight") >= 90
        expect(rules).to_be_hidden()
        expect(board).to_be_in_viewport(ratio=1)
        tab(page, "Solver").tap()
        expect(rules).to_be_visible()
        assert board.bounding_box() == usual
