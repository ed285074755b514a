"""The red peg on the page: names, drawing while it jumps, and the position editor."""

from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.fixtures import hole
from tests.browser.tabs import expect_faults

START = "rooooo.oooooo"


def open_board(page: Page, position: str = START) -> None:
    page.goto(f"/puzzles/hoppers-red?position={position}&lang=en&depth=study")
    expect(page.locator('main [role="status"]')).not_to_have_attribute("data-verdict", "checking")


def red_holes(page: Page) -> Any:
    """Return the holes in which the red peg is drawn."""
    return page.evaluate(
        """() => {
          const { points } = JSON.parse(document.querySelector("#data").textContent).puzzle;
          const red = [...document.querySelectorAll('.piece:has([href="#peg-red"])')];
          const at = red.map((piece) => piece.getAttribute("transform").match(/-?[\\d.]+/g).map(Number));
          return at.map(([x, y]) => points.findIndex(([a, b]) => Math.hypot(a - x, b - y) < 1));
        }"""
    )


def test_red_peg_stays_red_when_it_jumps(page: Page) -> None:
    open_board(page, "r..o....oo...")
    expect(hole(page, 0)).to_have_attribute("aria-label", "red peg in hole 0, can move")
    assert red_holes(page) == [0]
    hole(page, 0).click()
    if hole(page, 6).get_attribute("data-cell") == ".":
        hole(page, 6).click()
    expect(hole(page, 6)).to_have_attribute("data-cell", "r")
    assert red_holes(page) == [6]
    expect(page.locator(".captured svg use")).to_have_attribute("href", "#peg")
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(hole(page, 0)).to_have_attribute("data-cell", "r")
    assert red_holes(page) == [0]


def test_red_peg_is_never_among_the_captured(page: Page) -> None:
    open_board(page, "or.o.........")  # in reading order the red peg is the second
    hole(page, 0).click()
    if hole(page, 6).get_attribute("data-cell") == ".":
        hole(page, 6).click()
    expect(hole(page, 6)).to_have_attribute("data-cell", "o")
    captured = page.locator(".captured svg use")
    expect(captured).to_have_count(1)
    expect(captured).to_have_attribute("href", "#peg")


def test_pegs_are_counted_with_the_red_one(page: Page) -> None:
    open_board(page)
    expect(page.locator('[role="status"] .count')).to_have_text("0 moves, 12 pegs, best possible 7")


def test_refusal_says_that_the_red_peg_is_not_jumped(page: Page) -> None:
    open_board(page, "o..r..o......")
    hole(page, 0).click()
    expect(page.locator('[role="status"] .note')).to_contain_text("a neighbouring peg that is not red")


def test_editor_moves_the_red_peg_and_keeps_one(page: Page) -> None:
    expect_faults(page, "400")
    open_board(page)
    page.locator("#edit").evaluate("button => button.click()")
    text = page.locator("#edited")
    hole(page, 0).click()
    hole(page, 12).click()
    expect(text).to_have_value("oooooo.ooooor")
    hole(page, 12).click()
    hole(page, 6).click()
    expect(text).to_have_value("oooooorooooo.")
    hole(page, 12).click()
    hole(page, 3).click()
    expect(text).to_have_value("ooo.ooroooooo")
    page.locator("#all-same").click()
    expect(text).to_have_value("......r......")
    text.fill("oooooo.oooooo")
    expect(page.locator(".edit-fault")).to_contain_text("the red peg, r, is missing")
    expect(page.locator("#play-edited")).to_be_disabled()
