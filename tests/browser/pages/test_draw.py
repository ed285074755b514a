"""Drawing a board by keys and strokes, and playing it."""

import re

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser


def test_a_board_is_drawn_proved_and_played(page: Page) -> None:
    page.goto("/draw?board=own-s-c&lang=en")
    summary, about = page.locator("#summary"), page.locator("#about")
    expect(summary).to_have_text("2 of 3 starts can be solved.")
    expect(about).to_contain_text("Fewest moves: 1")
    page.locator('.place[data-cell="o"]').last.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_have_attribute("data-board", "own-s-d")
    expect(summary).to_have_text("2 of 4 starts can be solved.")
    page.get_by_role("button", name="Undo").click()
    expect(summary).to_have_text("2 of 3 starts can be solved.")
    page.get_by_role("button", name="Redo").click()
    page.locator('[data-start="2"]').click()
    expect(page.locator("#finishes")).to_contain_text("Hole 2 is empty at first: the last peg can end in")
    page.get_by_role("button", name="Keep").click()
    expect(page.locator(".kept [data-drawing]")).to_have_attribute("data-drawing", "own-s-d")
    page.get_by_role("link", name="Play it").click()
    expect(page).to_have_url(re.compile(r"/puzzles/own-s-d\?position=oo\.o&goal=any"))
    for hole in (0, 2, 3, 1):
        page.locator(f'[data-hole="{hole}"]').click()
    expect(page.locator("main")).to_have_attribute("data-medal", "optimal")
