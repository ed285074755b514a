"""A run of jumps is one press or one drag, by pointer and by keyboard."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.fixtures import hole, middle

pytestmark = pytest.mark.browser

ONE_WAY = "/puzzles/hoppers?position=oo..o........&goal=any"
TWO_WAYS = "/puzzles/hoppers?position=oo..oo..o....&goal=any"


def expect_position(page: Page, position: str) -> None:
    expect(page.locator("main")).to_have_attribute("data-position", position)


def drag(page: Page, start: int, *rests: int) -> None:
    """Drag a peg over holes without letting it go; it rests over each."""
    page.mouse.move(*middle(hole(page, start)))
    page.mouse.down()
    for number in rests:
        page.mouse.move(*middle(hole(page, number)), steps=6)
        expect(page.locator(f'.pieces [data-at="{number}"]')).to_be_attached()


def test_press_on_the_end_plays_the_run(page: Page, live_server: str) -> None:
    page.goto(live_server + ONE_WAY)
    hole(page, 0).click()
    expect(hole(page, 6)).to_have_accessible_name("empty hole 6, chain: 2 jumps, a new move")
    expect(page.locator(".marks [data-target-of='6']")).to_have_attribute("href", "#m-end")
    expect(page.locator(".marks [data-target-of='2']")).to_have_attribute("href", "#m-target")
    hole(page, 6).click()
    expect_position(page, "......o......")
    expect(page).to_have_url(re.compile("line=0-2-6"))
    page.get_by_role("button", name="Undo", exact=True).click()
    expect_position(page, "oo..o........")


def test_keys_play_the_run(page: Page, live_server: str) -> None:
    page.goto(live_server + ONE_WAY)
    for number in (0, 6):
        hole(page, number).focus()
        page.keyboard.press("Enter")
    expect_position(page, "......o......")


def test_player_chooses_between_ways_that_capture_different_pegs(page: Page, live_server: str) -> None:
    page.goto(live_server + TWO_WAYS)
    for number in (0, 6):
        hole(page, number).click()
    note = "There are several chains to 6, over different pegs. Press 2 / 10 to choose one."
    expect(page.locator(".note")).to_have_text(note)
    expect(hole(page, 10)).to_have_accessible_name(re.compile("chain over 5, 8$"))
    expect_position(page, "oo..oo..o....")
    hole(page, 10).click()
    expect_position(page, ".o..o.o......:6")


def test_drag_that_rests_takes_the_jumps(page: Page, live_server: str) -> None:
    page.goto(live_server + TWO_WAYS)
    drag(page, 0, 2, 6)
    page.mouse.up()
    expect_position(page, ".....oo.o....:6")
    expect(page.locator(".carried, .ghost")).to_have_count(0)


def test_letting_go_elsewhere_keeps_the_jumps_taken(page: Page, live_server: str) -> None:
    page.goto(live_server + TWO_WAYS)
    drag(page, 0, 2)
    x, y = middle(hole(page, 12))
    page.mouse.move(x + 200, y, steps=3)
    page.mouse.up()
    expect_position(page, "..o.oo..o....:2")
    expect(hole(page, 2)).to_have_accessible_name("peg in hole 2, selected")


def test_quick_drag_to_the_end_plays_the_run(page: Page, live_server: str) -> None:
    page.goto(live_server + ONE_WAY)
    page.mouse.move(*middle(hole(page, 0)))
    page.mouse.down()
    page.mouse.move(*middle(hole(page, 6)), steps=3)
    page.mouse.up()
    expect_position(page, "......o......")


@pytest.mark.motion
def test_result_waits_until_the_last_peg_has_landed(page: Page, live_server: str) -> None:
    page.goto(live_server + ONE_WAY)
    page.evaluate("""() => {
      const result = document.querySelector("#result");
      const isFlying = ({ effect }) =>
        effect.target.matches(".piece") && effect.getComputedTiming().progress < .8;
      new MutationObserver(() => {
        if (!result.hidden)
          window.flying ??= document.querySelector(".pieces")
            .getAnimations({ subtree: true }).filter(isFlying).length;
      }).observe(result, { attributes: true });
    }""")
    for number in (0, 6):
        hole(page, number).click()
    expect(page.locator("#result")).to_be_visible()
    assert page.evaluate("flying") == 0
