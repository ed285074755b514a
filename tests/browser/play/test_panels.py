"""Panels around the game: settings, results, all solutions, help and keys."""

import itertools
import re

import pytest
from playwright.sync_api import Page, expect

from hoppers.core.puzzle import Puzzle
from tests.browser.fixtures import (
    KINDS,
    PUBLISHED,
    ask,
    by_clicks,
    each_kind,
    faults,
    faults_of_dark_colours,
    focus_with_arrows,
    hole,
    line_of,
    open_game,
    open_near_the_end,
    play,
    press,
    published_puzzle,
    steps_of,
    tab,
    verdict,
)
from tests.browser.speech import heard, listen

pytestmark = pytest.mark.browser

SOLVED = f"?line={line_of(PUBLISHED)}"


def choose(page: Page, setting: str, value: str) -> None:
    """Choose `value` for a setting, and close the settings."""
    page.get_by_role("button", name="Settings", exact=True).click()
    page.locator(f'[data-setting="{setting}"]').select_option(value)
    page.keyboard.press("Escape")
    expect(page.locator("#settings")).to_be_hidden()


def test_verdict_is_shown_on_request_and_in_study(page: Page) -> None:
    open_game(page, published_puzzle(), f"?line={line_of(PUBLISHED[:-2])}&depth=study")
    expect(verdict(page)).to_have_attribute("data-verdict", "live")
    page.get_by_role("radio", name="Play").check()
    expect(verdict(page)).to_have_attribute("data-verdict", "hidden")
    expect(verdict(page)).not_to_contain_text("fewest")
    page.locator("#check").click()
    expect(verdict(page)).to_have_attribute("data-verdict", "live")
    play(page, steps_of(PUBLISHED[-2:-1]))
    expect(verdict(page)).to_have_attribute("data-verdict", "hidden")
    play(page, steps_of(PUBLISHED[-1:]))
    expect(verdict(page)).to_have_attribute("data-verdict", "solved")


def test_single_jump_is_made_at_once_by_setting(page: Page) -> None:
    (origin, target), several = PUBLISHED[0], PUBLISHED[2][0]
    open_game(page, published_puzzle())
    hole(page, origin).click()
    expect(page.locator("[data-target]")).to_have_count(1)
    press(page, "Settings")
    page.get_by_label("jump at once").check()
    press(page, "Close")
    hole(page, origin).click()
    expect(hole(page, target)).to_have_attribute("data-cell", "o")
    open_game(page, published_puzzle(), f"?line={line_of(PUBLISHED[:2])}")
    hole(page, several).click()
    expect(page.locator("[data-target]")).to_have_count(2)


def position_with_losing_pieces(page: Page, puzzle: Puzzle) -> tuple[str, set[int]]:
    """Return a solvable position where some pieces have only losing steps, and the holes of these pieces."""
    waiting = [puzzle.start]
    for position in waiting:
        steps = page.request.get(f"/api/puzzles/{puzzle.id}/positions/{position}").json()["steps"]
        live = {step["from"] for step in steps if step["verdict"] == "live"}
        fatal = {step["from"] for step in steps} - live
        if live and fatal and ":" not in position:
            return position, fatal
        waiting += [step["position"] for step in steps if step["verdict"] == "live"]
    raise AssertionError("no step is ever fatal")


def test_losing_moves_are_marked_by_setting(page: Page) -> None:
    position, fatal = position_with_losing_pieces(page, published_puzzle())
    open_game(page, published_puzzle(), f"?position={position}")
    expect(page.locator("[data-fatal]")).to_have_count(0)
    choose(page, "assistance", "marks")
    for number in range(published_puzzle().holes):
        expect(page.locator(f'[data-hole="{number}"][data-fatal]')).to_have_count(int(number in fatal))
    expect(hole(page, min(fatal))).to_have_accessible_name(
        f"peg in hole {min(fatal)}, can move, after that it cannot be solved"
    )


def test_movable_pieces_are_marked_by_setting(page: Page) -> None:
    page.goto("/")
    press(page, "Settings")
    page.get_by_label("highlight movable pieces").check()
    for puzzle in KINDS.values():
        open_game(page, puzzle)
        marks = page.locator('use[href="#m-can"]')
        movable = {step["from"] for step in ask(page, puzzle)["steps"]}
        expect(marks).to_have_count(len(movable))
        page.locator("[data-movable]").first.press("Enter")
        if puzzle.rules.multi_step_moves:  # a selected piece has another ring
            expect(marks).to_have_count(len(movable) - 1)
    press(page, "Settings")
    page.get_by_label("highlight movable pieces").uncheck()
    expect(marks).to_have_count(0)


def test_result_is_stored_for_its_problem(page: Page) -> None:
    open_game(page, published_puzzle(), f"?line={line_of(PUBLISHED[:-1])}")
    play(page, steps_of(PUBLISHED[-1:]))
    expect(verdict(page)).to_have_attribute("data-verdict", "solved")
    page.locator(".aim").click()
    expect(page.locator("li[data-problem]").first).to_contain_text("7 moves, with help")


@pytest.mark.motion
def test_glow_of_a_first_visit_stops_by_setting(page: Page) -> None:
    open_game(page, published_puzzle())
    page.evaluate("document.querySelector('main').dataset.firstVisit = ''")
    assert page.evaluate(ANIMATION) == "glow"
    choose(page, "motion", "none")
    assert page.evaluate(ANIMATION) == "none"


ANIMATION = "getComputedStyle(document.querySelector('[data-movable]'), '::after').animationName"
"""Script that returns the animation around the first piece that can move."""


@pytest.mark.motion
def test_best_play_shows_an_effect_without_blocking(page: Page) -> None:
    open_game(page, published_puzzle(), SOLVED.rpartition(".")[0])
    page.evaluate(
        """() => { const animate = Element.prototype.animate; window.longest = 0;
        Element.prototype.animate = function (frames, options) {
          window.longest = Math.max(window.longest, options.duration);
          return animate.call(this, frames, options); } }"""
    )
    play(page, steps_of(PUBLISHED[-1:]))
    expect(page.locator(".m-solved")).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(verdict(page)).not_to_have_attribute("data-verdict", "solved")
    assert 0 < page.evaluate("window.longest") < 600
    expect(page.locator(".m-solved")).to_have_count(0)


def test_all_solutions_are_listed_with_the_own_one(page: Page) -> None:
    open_game(page, published_puzzle(), SOLVED)
    tab(page, "Solutions").click()
    expect(page.locator("#all .say")).to_contain_text(
        "72 shortest solutions, 7 moves each; 9 without turned and mirrored ones"
    )
    expect(page.locator("#all li")).to_have_count(9)
    yours = page.get_by_role("button", name="Yours is no. 1.")
    yours.click()
    expect(page.locator("#all li[aria-current] button")).to_be_focused()
    page.locator("#unique").uncheck()
    expect(page.locator("#all li")).to_have_count(20)
    page.locator('#all [data-turn="1"]').click()
    expect(page.locator("#all ol")).to_have_attribute("start", "21")
    expect(page.locator("#all li[aria-current]")).to_have_count(0)
    sources = page.locator("#all img").evaluate_all("(images) => images.map((image) => image.src)")
    drawn = [page.request.get(source).text() for source in sources]
    assert len(drawn) == 20 and all(a != b for a, b in itertools.pairwise(drawn))
    assert faults(page, ".panel") == []
    page.locator("#all .way").first.click()
    expect(page.locator(".player")).to_be_visible()


def test_long_list_of_solutions_is_capped(page: Page) -> None:
    made = {"moves_left": 7, "count": 23456, "unique_count": 10001, "solutions": [PUBLISHED]}
    made |= {"counting": None, "reason": None}
    page.route("**/solutions?*", lambda route: route.fulfill(json=made))
    open_game(page, published_puzzle())
    tab(page, "Solutions").click()
    summary = page.locator("#all .say")
    expect(summary).to_contain_text(
        "23,456 shortest solutions, 7 moves each; 10,001 without turned and mirrored ones. The first "
        "10,000 are listed."
    )
    made.update(count=10000, unique_count=5000)
    page.locator("#unique").uncheck()
    expect(summary).to_have_text(
        "10,000 shortest solutions, 7 moves each; 5,000 without turned and mirrored ones."
    )


def test_axe_finds_nothing_in_dialogs(page: Page) -> None:
    open_game(page, published_puzzle(), "?lang=ja")
    for dialog in ("tour", "settings", "share", "help", "setup"):
        page.evaluate("(id) => document.getElementById(id).showPopover()", dialog)
        assert faults(page, f"#{dialog}") == []
        assert faults_of_dark_colours(page, f"#{dialog}") == []
    page.locator("#edit").click()
    expect(page.locator("#editor")).to_be_visible()
    assert faults(page, ".play-area") == []
    assert faults_of_dark_colours(page, "#editor") == []


def test_keys_read_the_board_aloud(page: Page) -> None:
    open_game(page, published_puzzle())
    hole(page, 0).focus()
    page.keyboard.press("m")
    expect(page.locator(".note")).to_contain_text("possible steps")
    page.keyboard.press("o")
    expect(page.locator(".note")).to_contain_text("peg in hole 0")
    listen(page)
    page.keyboard.press("p")
    assert heard(page)[-1].endswith("0 moves, 12 pegs, best possible 7.")


@each_kind
def test_puzzle_is_solved_by_keys_alone(page: Page, puzzle: Puzzle) -> None:
    """The first tab stop leads to the board; arrow keys and Enter then play an optimal solution."""
    steps = open_near_the_end(page, puzzle)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="To the board")).to_be_focused()
    page.keyboard.press("Enter")
    expect(hole(page, 0)).to_be_focused()
    for origin, target in steps:
        focus_with_arrows(page, origin)
        page.keyboard.press("Enter")
        if puzzle.rules.multi_step_moves:
            focus_with_arrows(page, target)
            page.keyboard.press("Enter")
        else:
            expect(hole(page, target)).not_to_have_attribute("data-cell", "0")
    expect(verdict(page)).to_contain_text("Solved")
    expect(page.locator("#result-title")).to_be_focused()
    page.keyboard.press("u")
    expect(page.locator("[data-hole]:focus")).to_have_count(1)


def test_tour_starts_on_request_and_works_by_keys(page: Page) -> None:
    open_game(page, published_puzzle())
    tour, framed = page.get_by_role("dialog", name="Tour"), page.locator(".framed")
    expect(tour).to_be_hidden()
    page.keyboard.press("?")
    page.keyboard.press("Tab")
    expect(page.locator("#help :focus")).to_have_count(1)  # not an element behind the dialog
    page.get_by_role("button", name="Take the tour (3 steps)").press("Enter")
    expect(page.locator("#help")).to_be_hidden()
    for place in ("board", "status", "controls"):
        expect(framed).to_have_class(re.compile(rf"\b{place}\b"))
        expect(tour.locator(".say:visible")).to_have_count(1)
        page.keyboard.press("Enter")
    expect(tour).to_be_hidden()
    expect(framed).to_have_count(0)
    expect(page.locator("[data-hole]:focus")).to_have_count(1)
    page.keyboard.press("?")
    page.get_by_role("button", name="Take the tour (3 steps)").press("Enter")
    by_clicks(page, 0, 6)
    expect(verdict(page)).to_contain_text("1 move")
    tour.get_by_role("button", name="Next").press("Escape")
    expect(tour).to_be_hidden()
