"""A set for a class, from the link to the table of the teacher."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.fixtures import PHONE, assert_accessible_at_both_sizes, by_clicks, published_puzzle

PAIR = f"puzzle={published_puzzle().id}&position=o..o........."
"""Pegs in 0 and 3: the only jump ends in 6."""
SET = f"/set?{'&'.join(f'{PAIR}&goal={goal}' for goal in ('any', *range(6), 8, 9, 10))}"
"""Ten problems, whose table is wider than a phone."""


@pytest.mark.browser
def test_results_of_a_set_travel_in_a_code(page: Page) -> None:
    page.set_viewport_size(PHONE)
    page.goto(SET)
    page.locator('[data-number="1"] a').press("Enter")
    by_clicks(page, 0, 6)
    link = page.locator("#result-next")
    expect(link).to_have_text("Next problem of the set")
    link.click()
    expect(page.locator("main")).to_have_attribute("data-goal", "0")
    by_clicks(page, 0, 6)
    expect(page.locator("#result")).to_be_visible()
    page.get_by_role("link", name="Back to the set").first.click()
    outcomes = page.locator(".outcome")
    expect(outcomes.nth(0)).to_have_text("1 move, the fewest, without help")
    expect(outcomes.nth(1)).to_have_text("cannot be solved from the start")
    page.get_by_label("Your number in the class list").fill("12")
    code = page.locator(".result-code").inner_text()
    assert re.fullmatch(r"12-\w{5}-s1\.l0(\.n){8}-\w\w", code)
    page.reload()
    expect(page.locator(".result-code")).to_have_text(code)
    other = code.replace("s1.l0", "s2.l0")
    page.locator("#read summary").press("Enter")
    page.get_by_label("Codes of this set").fill(f"{code.upper()}\n{other}\nhello")
    expect(page.locator("#read-count")).to_have_text("1 code read")
    expect(page.locator(".faults li")).to_have_text([re.compile(f"“{other}”"), re.compile("“hello”")])
    cells = page.locator(".class-table tbody :is(th, td)").all_inner_texts()
    assert [re.sub(r"\D.*", "", cell) for cell in cells] == ["12", "1", "0", *8 * [""], "1"]
    page.locator("#make summary").press("Enter")
    assert_accessible_at_both_sizes(page)
    page.get_by_label("Links of positions or cards").fill("/decks/hoppers/17")
    page.get_by_role("button", name="Make this set").press("Enter")
    expect(page.locator("main .cards > li")).to_have_count(1)
    expect(page.get_by_label("Links of positions or cards")).to_be_visible()
    page.goto(f"/puzzles/{published_puzzle().id}?{PAIR.partition('&')[2]}&goal=any")
    page.locator("#add-to-set").evaluate("(link) => link.click()")
    expect(page.locator("main .cards > li")).to_have_count(2)
