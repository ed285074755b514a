"""Rows of discs: what would turn is seen first, and a disc goes where it is let go."""

import pytest
from playwright.sync_api import Page, expect

from server.puzzles import PUZZLES

from .browser_fixtures import by_drag, hole, open_game

pytestmark = pytest.mark.browser

DISCS = [puzzle for puzzle in PUZZLES.values() if "disc-w" in puzzle.pieces]


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
