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
    expect(page.locator("#finishes")).to_contain_text("the last peg can end in 1 hole")
    page.get_by_role("button", name="Keep").click()
    expect(page.locator("#keep")).to_have_text("Kept")
    expect(page.locator(".kept [data-drawing]")).to_have_attribute("data-drawing", "own-s-d")
    page.get_by_role("link", name="Play it").click()
    expect(page).to_have_url(re.compile(r"/draw/own-s-d/oo\.o/any$"))
    for hole in (0, 2, 3, 1):
        page.locator(f'[data-hole="{hole}"]').click()
    expect(page.locator("main")).to_have_attribute("data-medal", "optimal")
    expect(page.locator("#result-next")).to_have_attribute("href", re.compile(r"/draw$"))
    page.goto("/draw/own-s-d/oo.o/any?lang=en#s-2-1-bb")
    expect(page.locator(".task .friend")).to_contain_text("2 moves, 1 try")
    page.get_by_role("link", name="Change this board").click()
    expect(page.locator("main")).to_have_attribute("data-board", "own-s-d")


def test_a_board_without_solution_is_mended_and_has_a_goal(page: Page) -> None:
    page.goto("/draw?board=own-s-c-a&lang=en")
    expect(page.locator("#summary")).to_have_text(
        "Not one of the 4 starts with one empty hole can be solved."
    )
    page.goto("/draw?board=own-s-c-a&position=.ooo&lang=en")
    expect(page.locator("#about")).to_have_text("Proved: it cannot be solved.")
    page.locator("#send").click()
    expect(page.locator("#send")).to_have_text("Sent: no solution")
    page.get_by_role("button", name="Change one hole so that it can be solved").click()
    expect(page.locator("#summary")).to_have_text(re.compile(r"\d of \d starts can be solved"))
    page.get_by_role("radio", name="Goal").check()
    page.locator('.place[data-cell="o"]').first.click()
    expect(page.locator("#aim")).to_have_text("The last peg has to end in the ringed hole.")
    expect(page.locator("[data-goal]")).to_have_count(1)
