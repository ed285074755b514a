"""Rows of discs: what would turn is seen first, and a disc goes where it is let go."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.fixtures import PHONE, by_drag, hole, open_game, verdict
from tests.browser.tabs import Lend
from tests.engine import PUZZLES

pytestmark = pytest.mark.browser

DISCS = [puzzle for puzzle in PUZZLES.values() if "disc-w" in puzzle.gallery.pieces]


def test_discs_that_would_turn_are_outlined_first(page: Page) -> None:
    puzzle = DISCS[-1]
    open_game(page, puzzle)
    gap = puzzle.start.index("_")
    hole(page, gap + 4).hover()
    expect(page.locator(".preview use")).to_have_count(3)
    hole(page, gap + 4).click()
    expect(page.locator(".preview use")).to_have_count(0)
    for turned in (gap + 1, gap + 2, gap + 3):
        expect(hole(page, turned)).to_have_attribute("data-cell", "w")


def test_disc_that_is_dragged_says_why_it_stays(page: Page) -> None:
    """One that cannot move at all, and one that is let go past the gap."""
    puzzle = DISCS[0]
    open_game(page, puzzle)
    expect(page.locator("[data-movable]").first).to_be_attached()
    gap, last = puzzle.start.index("_"), puzzle.holes - 1
    by_drag(page, gap + 1, gap)
    expect(page.locator(".note")).to_contain_text("This disc cannot move now")
    by_drag(page, last, gap - 1)
    expect(page.locator(".note")).to_contain_text(f"{last} to {gap - 1} is no legal step")
    expect(page.locator("main")).to_have_attribute("data-position", puzzle.start)


def test_nothing_is_outlined_where_a_tap_has_put_the_focus(lend: Lend) -> None:
    with lend(viewport=PHONE, has_touch=True) as page:
        open_game(page, DISCS[0])
        page.evaluate('localStorage.setItem("puzzles/settings", JSON.stringify({ assistance: "off" }))')
        page.reload()
        page.locator("#ask-verdict").tap()
        expect(hole(page, 0)).to_be_focused()
        expect(page.locator(".preview use")).to_have_count(0)
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowLeft")
        expect(page.locator(".preview use")).not_to_have_count(0)


def test_a_row_that_is_won_marks_nothing_as_if_it_could_move(page: Page) -> None:
    puzzle = DISCS[0]
    start, last = "w" * (puzzle.holes - 3) + "_bw", puzzle.holes - 1
    open_game(page, puzzle, f"?start={start}&line={last}-{last - 2}&goal={last}")
    expect(verdict(page)).to_have_attribute("data-verdict", "solved")
    expect(page.locator("[data-movable]")).to_have_count(0)
    expect(page.locator(".note")).to_be_empty()


def test_a_long_row_has_the_room_that_there_is(lend: Lend) -> None:
    """Its discs are easier to hit; a short row does not grow."""
    long, short = (sorted(DISCS, key=lambda puzzle: puzzle.holes)[place] for place in (-1, 0))
    with lend(viewport={"width": 1920, "height": 1080}) as page:
        for puzzle, least, most in ((long, 800, 960), (short, 500, 640)):
            open_game(page, puzzle)
            box = page.locator(".board").bounding_box()
            assert box and least <= box["width"] <= most
