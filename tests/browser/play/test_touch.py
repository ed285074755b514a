"""Taps: putting a piece down, holding Undo, and no zoom by a double tap."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from hoppers.core.puzzle import Puzzle
from tests.browser.fixtures import (
    PHONE,
    by_drag,
    each_kind,
    hole,
    line_of,
    middle,
    open_game,
    press,
    published_puzzle,
    touch,
    verdict,
)
from tests.browser.tabs import OpenTab
from tests.support.engine import PUZZLES

pytestmark = pytest.mark.browser


def tap(place: Locator) -> None:
    """Tap an element."""
    place.page.touchscreen.tap(*middle(place))


def test_second_tap_puts_the_piece_down(open_tab: OpenTab) -> None:
    with open_tab(viewport=PHONE, has_touch=True) as page:
        open_game(page, published_puzzle())
        peg = hole(page, 0)
        for state in ("selected", "can move", "selected"):
            tap(peg)
            expect(peg).to_have_accessible_name(f"peg in hole 0, {state}")
        tap(hole(page, 12))
        expect(peg).to_have_accessible_name("peg in hole 0, can move")
        expect(hole(page, 12)).to_have_accessible_name("peg in hole 12, selected")
        tap(hole(page, 12))
        tap(hole(page, 6))
        expect(page.locator(".note")).to_contain_text("This hole is empty")
        expect(verdict(page)).to_contain_text("0 moves")


def test_peg_in_the_middle_of_a_move_stays_selected(page: Page) -> None:
    open_game(page, published_puzzle(), "?line=0-6.9-3.2-0")
    for _ in range(3):
        hole(page, 0).click()
        expect(hole(page, 0)).to_have_accessible_name("peg in hole 0, selected")
    hole(page, 6).click()
    expect(verdict(page)).to_contain_text("3 moves, 8 pegs")


def test_hinted_peg_stays_selected_at_the_first_tap(page: Page) -> None:
    open_game(page, published_puzzle())
    press(page, "Hint")
    expect(page.locator('[data-hint="from"]')).to_have_count(1)
    press(page, "Hint")
    arrow = page.locator('[data-hint="to"]')
    expect(arrow).to_have_count(1)
    peg = page.locator('[data-hint="from"]')
    peg.click()
    expect(peg).to_have_accessible_name(re.compile("selected"))
    peg.click()
    expect(page.locator("[aria-label*='selected']")).to_have_count(0)


def open_long_line(page: Page) -> None:
    """Open a game with all but the last move of a solution played."""
    open_game(page, published_puzzle(), "?line=0-6.9-3.2-0-6.11-1.10-0-2-6.8-4")
    expect(verdict(page)).to_contain_text("6 moves")


MOVES = 100  # enough for a slow machine to release the button before all of them are undone
WATCH_RELEASE = """() => {
  window.released = false;
  for (const end of ['pointerup', 'pointercancel']) addEventListener(end, () => (window.released = true));
}"""
"""Script that notes when the page has handled the release of a finger or of the mouse."""


def made(page: Page) -> int:
    """Return the number of moves that the page shows."""
    return int(page.locator(".count").inner_text().split()[0])


def open_swaps(page: Page, moves: int) -> None:
    """Open a game in which moves go back and forth between two positions."""
    puzzle = next(puzzle for puzzle in PUZZLES.values() if "tile" in puzzle.gallery.pieces)
    step = puzzle.steps(puzzle.parse(puzzle.start))[0]
    there, back = [step.origin, step.target], [step.target, step.origin]
    open_game(page, puzzle, f"?line={line_of([there, back] * (moves // 2))}")
    expect(verdict(page)).to_contain_text(f"{moves} moves")


class Finger:
    """A finger, or the mouse, that holds a place of a page."""

    def __init__(self, page: Page, name: str) -> None:
        self.mouse = page.mouse if name == "mouse" else None
        self.fingers = page.context.new_cdp_session(page)

    def hold(self, place: tuple[float, float]) -> None:
        """Press a place in the window."""
        if self.mouse is None:
            return touch(self.fingers, "touchStart", [place])
        self.mouse.move(*place)
        return self.mouse.down()

    def release(self) -> None:
        """End the press."""
        if self.mouse is None:
            touch(self.fingers, "touchEnd", [])
        else:
            self.mouse.up()


@pytest.mark.parametrize("name", ["touch", "mouse"])
def test_held_undo_goes_on(open_tab: OpenTab, name: str) -> None:
    with open_tab(viewport=PHONE, has_touch=True) as page:
        open_swaps(page, MOVES)
        finger = Finger(page, name)
        page.evaluate(WATCH_RELEASE)
        finger.hold(middle(page.locator("#undo")))
        page.wait_for_function(f"() => parseInt(document.querySelector('.count').textContent) < {MOVES - 2}")
        finger.release()
        page.wait_for_function("() => window.released")
        left = made(page)
        assert 0 < left < MOVES - 2
        page.wait_for_timeout(800)
        assert made(page) == left
        tap(page.locator("#redo"))
        expect(verdict(page)).to_contain_text(f"{left + 1} moves")


def test_held_keys_end_where_the_line_ends(open_tab: OpenTab) -> None:
    """After each end, the other key and the same key go one move again."""
    with open_tab(viewport=PHONE, has_touch=True) as page:
        open_swaps(page, 6)
        finger = Finger(page, "touch")
        for held, other, end, after in (("#undo", "#redo", 0, 1), ("#redo", "#undo", 6, 5)):
            finger.hold(middle(page.locator(held)))
            expect(page.locator(held)).to_be_disabled()
            finger.release()
            expect(verdict(page)).to_contain_text(f"{end} moves")
            tap(page.locator(other))
            expect(verdict(page)).to_contain_text(f"{after} move")


def test_finger_that_leaves_undo_ends_it(page: Page) -> None:
    open_long_line(page)
    x, y = middle(page.locator("#undo"))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 200, steps=3)
    page.wait_for_timeout(900)
    page.mouse.up()
    expect(verdict(page)).to_contain_text("6 moves")


ZOOMED_BY_DOUBLE_TAP = """() => [...document.querySelectorAll('body, body *')].filter((place) => {
  let [actions, at] = ['auto', place];
  while (at && actions === 'auto') [actions, at] = [getComputedStyle(at).touchAction, at.parentElement];
  return actions === 'auto';
}).map((place) => place.outerHTML.slice(0, 80))"""
"""Script that returns the elements on which a double tap zooms: no ancestor forbids it either."""
NOT_PINCHED = """() => [...document.querySelectorAll('body, body *')].filter((place) =>
  getComputedStyle(place).touchAction === 'none' && !place.matches('.spot')).length"""


@each_kind
def test_double_tap_zooms_nowhere(open_tab: OpenTab, puzzle: Puzzle) -> None:
    with open_tab(viewport=PHONE, has_touch=True) as page:
        for path in ("", "/race", "/explore"):
            page.goto(f"/puzzles/{puzzle.id}{path}")
            assert page.evaluate(ZOOMED_BY_DOUBLE_TAP) == []
            assert page.evaluate(NOT_PINCHED) == 0


def height(place: Locator) -> float:
    """Return the height of an element in pixels."""
    box = place.bounding_box()
    assert box is not None
    return box["height"]


def test_calm_mode_has_large_targets_and_two_slow_presses(open_tab: OpenTab) -> None:
    with open_tab(viewport=PHONE, has_touch=True) as page:
        open_game(page, PUZZLES["english-33"])
        assert height(hole(page, 14)) < 44
        page.locator('[data-setting="calm"]').evaluate("(box) => box.click()")
        assert height(hole(page, 14)) >= 44
        peg = hole(page, 14)
        peg.evaluate("(button) => { button.click(); button.click(); }")  # the second at once: not meant
        expect(peg).to_have_accessible_name("peg in hole 14, selected")
        page.wait_for_timeout(550)  # what follows is no second press
        by_drag(page, 14, 16)
        expect(verdict(page)).to_contain_text("0 moves")
        expect(peg).to_have_accessible_name("peg in hole 14, selected")
        tap(hole(page, 16))
        expect(verdict(page)).to_contain_text("1 move,")
        open_game(page, PUZZLES["hoppers"])  # which has a solution at once
        page.locator("#solution").dispatch_event("click")
        play = page.get_by_role("button", name="Play", exact=True)  # nothing plays by itself
        expect(play).to_be_visible()
        assert height(play) >= 56
