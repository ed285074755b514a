"""Shortcuts on keyboards of every script, and keys that are held down."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.fixtures import hole, open_game, press, published_puzzle, verdict

pytestmark = pytest.mark.browser

LINE = "?line=0-6.9-3"
PRESS = """(keys) => {
  for (const key of keys) {
    const target = document.activeElement ?? document.body;
    target.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...key }));
  }
}"""
"""Script that presses keys, each given by its fields `key`, `code`, `ctrlKey`, `repeat`, ..."""
Key = dict[str, Any]


def key(sign: str, code: str, **more: bool) -> Key:
    """Return a key press; `more`: ctrl, meta, shift or repeat."""
    names = {"ctrl": "ctrlKey", "meta": "metaKey", "shift": "shiftKey", "repeat": "repeat"}
    return {"key": sign, "code": code, **{names[name]: value for name, value in more.items()}}


def moves_after(page: Page, *keys: Key) -> None:
    """Open a game of two moves and press keys."""
    open_game(page, published_puzzle(), LINE)
    page.evaluate(PRESS, list(keys))


@pytest.mark.parametrize("pressed", [key("г", "KeyU"), key("я", "KeyZ", meta=True)], ids=["letter", "Cmd"])
def test_undo_has_its_key_on_another_keyboard(page: Page, pressed: Key) -> None:
    """`tests/scripts/key_names.test.js` has the keyboards of other scripts."""
    moves_after(page, pressed)
    expect(verdict(page)).to_contain_text("1 move,")


def test_redo_has_its_key_on_another_keyboard(page: Page) -> None:
    moves_after(page, key("я", "KeyZ", ctrl=True))
    expect(verdict(page)).to_contain_text("1 move,")
    page.evaluate(PRESS, [key("Я", "KeyZ", ctrl=True, shift=True)])
    expect(verdict(page)).to_contain_text("2 moves,")


def test_alt_gr_is_left_to_the_browser(page: Page) -> None:
    moves_after(page, {**key("я", "KeyZ", ctrl=True), "altKey": True})
    page.evaluate(PRESS, [key("?", "Slash", shift=True)])
    expect(page.locator("#help")).to_be_visible()
    expect(verdict(page)).to_contain_text("2 moves,")
    expect(page.locator(".note")).not_to_contain_text("possible")


def test_own_letter_of_another_script_goes_first(page: Page) -> None:
    open_game(page, published_puzzle(), LINE)
    page.keyboard.press("?")
    page.locator('[data-letter="hint"]').fill("г")
    page.keyboard.press("Escape")
    page.locator("#undo").focus()
    page.evaluate(PRESS, [key("г", "KeyU")])
    expect(page.locator('[data-hint="from"]')).to_have_count(1)
    expect(verdict(page)).to_contain_text("2 moves,")


def test_letters_of_every_script_can_be_switched_off(page: Page) -> None:
    page.goto("/healthz")
    page.evaluate("localStorage.setItem('puzzles/settings', '{\"letters\": false}')")
    moves_after(page, key("г", "KeyU"))
    expect(verdict(page)).to_contain_text("2 moves,")
    page.evaluate(PRESS, [key("я", "KeyZ", ctrl=True)])
    expect(verdict(page)).to_contain_text("1 move,")


def held(sign: str, code: str) -> list[Key]:
    """Return the events of a key that is held down for half a second."""
    return [key(sign, code), *[key(sign, code, repeat=True)] * 15]


def test_held_keys_repeat_only_undo_redo_and_arrows(page: Page) -> None:
    moves_after(page, *held("h", "KeyH"))
    expect(page.locator('[data-hint="from"]')).to_have_count(1)
    assert page.locator('[data-hint="to"]').count() == 0
    page.evaluate(PRESS, held("s", "KeyS"))
    expect(page.locator(".player")).to_be_visible()
    page.evaluate(PRESS, held(" ", "Space"))
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    page.evaluate(PRESS, held("ArrowRight", "ArrowRight"))
    expect(verdict(page)).to_have_attribute("data-verdict", "solved")
    page.evaluate(PRESS, [key("Escape", "Escape"), *held("u", "KeyU")])
    expect(verdict(page)).to_contain_text("0 moves,")
    page.evaluate(PRESS, held("r", "KeyR"))
    expect(verdict(page)).to_contain_text("2 moves,")
    page.evaluate(PRESS, held("?", "Slash"))
    expect(page.locator("#help")).to_be_visible()


def test_key_held_over_a_new_page_does_nothing_there(page: Page) -> None:
    moves_after(page, *[key("n", "KeyN", repeat=True)] * 5)
    page.evaluate(PRESS, [key("u", "KeyU")])
    expect(verdict(page)).to_contain_text("1 move,")


def test_held_enter_presses_a_button_once(page: Page) -> None:
    open_game(page, published_puzzle(), LINE)

    def hold_enter(times: int = 6) -> None:
        for _ in range(times):
            page.keyboard.down("Enter")
        page.keyboard.up("Enter")

    page.locator("#hint").focus()
    hold_enter()
    expect(page.locator('[data-hint="from"]')).to_have_count(1)
    assert page.locator('[data-hint="to"]').count() == 0
    hole(page, 2).focus()
    hold_enter()
    expect(hole(page, 2)).to_have_accessible_name(re.compile("peg in hole 2, selected"))
    page.locator("#undo").focus()
    hold_enter(2)
    expect(verdict(page)).to_contain_text("0 moves,")
    press(page, "Solution")
    press(page, "First")  # stops the playback, so that only the keys move it
    forward = page.locator('[data-player="forward"]')
    expect(forward).to_be_enabled()  # before that it takes no focus
    forward.focus()
    hold_enter()
    expect(page.locator(".scrub")).to_have_value("6")
