"""Flip It: preview of flips, dragged discs, and long rows."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.fixtures import PHONE, by_drag, hole, open_game, verdict
from tests.browser.tabs import OpenTab
from tests.support.engine import PUZZLES

pytestmark = pytest.mark.browser

DISCS = [puzzle for puzzle in PUZZLES.values() if "disc-w" in puzzle.gallery.pieces]


def test_flips_are_outlined_before_the_step(page: Page) -> None:
    puzzle = DISCS[-1]
    open_game(page, puzzle)
    gap = puzzle.start.index("_")
    hole(page, gap + 4).hover()
    expect(page.locator(".preview use")).to_have_count(3)
    hole(page, gap + 4).click()
    expect(page.locator(".preview use")).to_have_count(0)
    for turned in (gap + 1, gap + 2, gap + 3):
        expect(hole(page, turned)).to_have_attribute("data-cell", "w")


def test_disc_that_cannot_be_dragged_is_explained(page: Page) -> None:
    """One disc cannot move; the other is dropped beyond the gap."""
    puzzle = DISCS[0]
    open_game(page, puzzle)
    expect(page.locator("[data-movable]").first).to_be_attached()
    gap, last = puzzle.start.index("_"), puzzle.holes - 1
    by_drag(page, gap + 1, gap)
    expect(page.locator(".note")).to_contain_text("This disc cannot move.")
    by_drag(page, last, gap - 1)
    expect(page.locator(".note")).to_contain_text("This is not a legal step")
    expect(page.locator("main")).to_have_attribute("data-position", puzzle.start)


def test_tap_does_not_outline_flips(open_tab: OpenTab) -> None:
    with open_tab(viewport=PHONE, has_touch=True) as page:
        open_game(page, DISCS[0], "?depth=play")
        page.locator("#check").tap()
        expect(hole(page, 0)).to_be_focused()
        expect(page.locator(".preview use")).to_have_count(0)
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowLeft")
        expect(page.locator(".preview use")).not_to_have_count(0)


def test_solved_row_marks_no_disc_as_movable(page: Page) -> None:
    puzzle = DISCS[0]
    start, last = "w" * (puzzle.holes - 3) + "_bw", puzzle.holes - 1
    open_game(page, puzzle, f"?start={start}&line={last}-{last - 2}&goal={last}")
    expect(verdict(page)).to_have_attribute("data-verdict", "solved")
    expect(page.locator("[data-movable]")).to_have_count(0)
    expect(page.locator(".note")).to_contain_text("The fewest moves")


def test_long_row_uses_the_available_width(open_tab: OpenTab) -> None:
    """Larger discs are easier to press; a short row is no wider than it needs."""
    long, short = (sorted(DISCS, key=lambda puzzle: puzzle.holes)[place] for place in (-1, 0))
    with open_tab(viewport={"width": 1920, "height": 1080}) as page:
        for puzzle, least, most in ((long, 1000, 1400), (short, 500, 760)):
            open_game(page, puzzle, "?depth=play")
            box = page.locator(".board").bounding_box()
            assert box and least <= box["width"] <= most
