"""Choosing start and goal in the browser: by touch on a phone, by keys, in the dark, in Japanese."""

import re

import pytest
from playwright.sync_api import Page, expect

from server.atlas.published import par
from server.puzzles import PUZZLES

from .browser_fixtures import PHONE, faults, middle, open_game, square
from .tabs import Lend, expect_faults

pytestmark = pytest.mark.browser

SMALLEST_TARGET = 24
LARGEST = max((puzzle for puzzle in PUZZLES.values() if puzzle.chains), key=lambda puzzle: puzzle.holes)


def test_goals_are_hit_by_touch_and_say_what_is_known(lend: Lend) -> None:
    with lend(viewport=PHONE, has_touch=True, color_scheme="dark") as page:
        open_game(page, LARGEST, "?lang=ja")
        page.locator(".aim").tap()
        said = page.locator(".chosen")
        for number in range(0, LARGEST.holes, 5):
            goal = page.locator(f'#picker [data-place="{number}"]')
            box = goal.bounding_box()
            assert box is not None and box["width"] >= SMALLEST_TARGET
            page.touchscreen.tap(*middle(goal))
            expect(page.locator(f'#picker input[value="{number}"]')).to_be_checked()
            expect(said).to_contain_text(f"{number}番の穴：")
        expect(page.get_by_role("button", name="この設定で始める")).to_be_in_viewport(ratio=1)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.mark.parametrize(
    ("lang", "told"),
    [("en", "moves were found, at least"), ("ja", "（未証明）")],
)
def test_an_opening_that_nobody_has_proved_tells_the_best_known(page: Page, lang: str, told: str) -> None:
    known = par(LARGEST, LARGEST.start, LARGEST.goal)
    assert known is not None and known.state == "found"
    open_game(page, LARGEST, f"?lang={lang}")
    more = page.locator('[role="status"] .more')
    expect(more).to_contain_text(told)
    expect(more).to_contain_text(str(known.moves))
    expect(more).to_contain_text(str(known.least))


def test_another_start_brings_its_own_goals(page: Page) -> None:
    open_game(page, square())
    page.locator(".aim").click()
    page.locator("#picker select").select_option(value=square().starts["1"])
    expect(page.locator(".chosen")).to_have_text(re.compile("Hole 6: No solution"))
    goal = page.get_by_role("radio", name="Hole 11: 10 moves, proved to be the fewest")
    goal.check()
    expect(page.locator(".chosen")).to_contain_text("240 shortest solutions · difficulty 2 of 5")
    page.get_by_role("button", name="Set up").click()
    expect(page.locator("main")).to_have_attribute("data-goal", "11")
    expect(page.locator("main")).to_have_attribute("data-position", square().starts["1"])


def test_goals_are_one_stop_for_keys(page: Page) -> None:
    open_game(page, square())
    page.locator(".aim").press("Enter")
    page.locator("#picker select").focus()
    page.keyboard.press("Tab")
    expect(page.locator('#picker input[value="6"]')).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.locator('#picker input[value="7"]')).to_be_checked()
    expect(page.locator(".chosen")).to_contain_text("Hole 7: ")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Set up")).to_be_focused()


def test_goals_of_another_start_are_not_shown_without_a_server(page: Page) -> None:
    open_game(page, square())
    page.locator(".aim").click()
    page.route("**/goals?*", lambda route: route.fulfill(status=503))
    expect_faults(page, "503")
    page.locator("#picker select").select_option(value=square().starts["1"])
    expect(page.locator(".finish").first).to_have_text("")
    expect(page.locator(".chosen")).to_have_text("")


def test_gallery_opens_the_problems_of_a_board(page: Page) -> None:
    page.goto("/")
    puzzle = next(puzzle for puzzle in PUZZLES.values() if len(puzzle.problems) == 7)
    card = page.locator(f'li[data-puzzle="{puzzle.id}"]')
    card.locator("summary").click()
    assert faults(page) == []
    card.get_by_role("link", name="4 → 4").click()
    expect(page.locator("main")).to_have_attribute("data-goal", "4")
