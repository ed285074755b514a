"""Layouts for small and large windows, portrait and landscape."""

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect

from hoppers.core.puzzle import Puzzle
from tests.browser.fixtures import (
    KINDS,
    NO_TIMERS,
    PHONE,
    ask,
    by_clicks,
    each_kind,
    faults,
    hole,
    middle,
    open_game,
    press,
    published_puzzle,
    tab,
    touch,
    verdict,
)
from tests.browser.tabs import OpenTab, opened
from tests.support.engine import PUZZLES

pytestmark = pytest.mark.browser

LANDSCAPE: ViewportSize = {"width": 740, "height": 360}
DESKTOP: ViewportSize = {"width": 1280, "height": 800}
LOST_GAME = "/puzzles/hoppers?position=ooo.oooo.oooo"
"""Address of a game that cannot be solved, though pegs can jump."""
EASY_TARGET, THUMB = 44, 48
KEYS = ("Undo", "Redo", "Restart", "Hint", "Solution", "Search")
IS_ON_TOP = """(name) => [...document.querySelectorAll('button')].some((key) => {
  const { x, y, width, height } = key.getBoundingClientRect();
  const isIt = width && (key.ariaLabel ?? key.innerText.trim()) === name;
  return isIt && key.contains(document.elementFromPoint(x + width / 2, y + height / 2));
})"""
"""Script that returns whether a button with a name is covered by nothing."""


def test_landscape_phone_has_the_board_on_the_left(open_tab: OpenTab) -> None:
    with open_tab(viewport=LANDSCAPE, has_touch=True) as page:
        for puzzle in KINDS.values():
            open_game(page, puzzle)
            names = (".board", ".status", ".controls", ".panel")
            boxes = [page.locator(name).bounding_box() for name in names]
            board, *rest = [box for box in boxes if box]
            assert len(rest) == 3
            assert board["y"] + board["height"] <= LANDSCAPE["height"]
            if page.locator(".strip").count():  # a board of one row is above the rest
                assert all(box["y"] >= board["y"] + board["height"] for box in rest)
            else:
                assert all(box["x"] >= board["x"] + board["width"] for box in rest)
            assert all(box["y"] + box["height"] <= LANDSCAPE["height"] + 1 for box in rest)
            for name in ("Undo", "Solution", "More", "Search"):
                expect(page.get_by_role("button", name=name, exact=True)).to_be_in_viewport(ratio=1)
            keys = page.locator(".controls").bounding_box()
            page.locator(".note").evaluate("(note) => (note.textContent = 'a longer message. '.repeat(20))")
            assert page.locator(".controls").bounding_box() == keys
        open_game(page, published_puzzle(), "?depth=study")
        expect(page.get_by_role("button", name="Stop", exact=True)).to_be_in_viewport(ratio=1)
        press(page, "Search")
        expect(page.locator('[data-state="solved"]')).to_be_attached()
        assert page.evaluate("document.documentElement.scrollHeight - innerHeight") <= 0


def test_solution_leaves_the_board_and_all_keys(open_tab: OpenTab) -> None:
    """On phones and in landscape, the keys of a solution have their own place."""
    for size in (PHONE, {"width": 390, "height": 844}, LANDSCAPE):
        with open_tab(viewport=size, has_touch=True) as page:
            open_game(page, published_puzzle())
            board = page.locator(".board")
            usual = board.bounding_box()
            press(page, "Solution")
            expect(page.locator(".player")).to_be_visible()
            assert board.bounding_box() == usual
            for name in KEYS:
                expect(page.get_by_role("button", name=name, exact=True)).to_be_in_viewport(ratio=1)
            for name in ("Back", "Forward", "Back to my game", "Continue from here"):
                button = page.get_by_role("button", name=name, exact=True)
                expect(button).to_be_in_viewport(ratio=1)
                assert page.evaluate(IS_ON_TOP, name)


def test_sheet_shrinks_the_board_while_open(open_tab: OpenTab) -> None:
    with open_tab(viewport=PHONE, has_touch=True) as page:
        open_game(page, published_puzzle(), "?depth=study")
        board, panel = page.locator(".board"), page.locator(".panel")
        wide, low = board.bounding_box(), panel.bounding_box()
        tab(page, "Solver").tap()
        narrow, high = board.bounding_box(), panel.bounding_box()
        assert wide and low and narrow and high
        assert narrow["width"] < wide["width"] and high["height"] > 1.5 * low["height"]
        assert high["height"] < 0.6 * PHONE["height"]
        expect(board).to_be_in_viewport(ratio=1)
        tab(page, "Solver").tap()
        assert board.bounding_box() == wide
        tab(page, "Solver").tap()
        by_clicks(page, 0, 6)
        expect(page.locator(".reading")).to_have_count(0)  # play continues, and no search runs
        assert board.bounding_box() == wide


def test_tap_that_closes_a_sheet_counts_once(open_tab: OpenTab) -> None:
    with open_tab(viewport=PHONE, has_touch=True) as page:
        open_game(page, published_puzzle(), "?line=0-6")
        tab(page, "Solver").tap()
        hole(page, 9).tap()
        at = middle(hole(page, 3))
        hole(page, 3).tap()
        expect(page.locator(".reading")).to_have_count(0)
        under = "([x, y]) => document.elementFromPoint(x, y).dataset.hole"
        assert page.evaluate(under, at) not in (None, "3")  # the browser sends the tap's click to this hole
        expect(page.locator(".note")).to_have_text("")


def test_more_opens_a_sheet_and_back_closes_it(open_tab: OpenTab) -> None:
    with open_tab(viewport=PHONE, has_touch=True) as page:
        open_game(page, published_puzzle(), "?line=0-6.9-3.2-0")
        keys = page.locator(".controls .key").evaluate_all(
            "(all) => all.map((key) => key.getBoundingClientRect())"
        )
        assert len(keys) == 7 and min(min(key["width"], key["height"]) for key in keys) >= THUMB
        place, more, sheet = page.url, page.locator("#more"), page.locator("#more-menu")
        more.press("Enter")
        expect(sheet).to_be_focused()
        box = sheet.bounding_box()
        assert box is not None and box["y"] > 0.4 * PHONE["height"]
        assert faults(page) == []
        page.keyboard.press("Escape")
        expect(sheet).to_be_hidden()
        expect(more).to_be_focused()
        more.press("Enter")
        page.go_back()
        expect(sheet).to_be_hidden()
        assert page.url == place
        press(page, "More")
        sheet.get_by_role("button", name="Undo the whole move").click()
        expect(verdict(page)).to_contain_text("2 moves")
        page.wait_for_url("**line=0-6.9-3")
        press(page, "More")
        sheet.get_by_role("button", name="Settings").click()
        expect(page.locator("#settings")).to_be_visible()
        expect(sheet).to_be_hidden()


def test_menu_of_a_card_stays_and_leads_to_rules(browser: Browser, live_server: str) -> None:
    with opened(browser, live_server, viewport=PHONE, has_touch=True, is_mobile=True) as page:
        page.goto("/daily")
        page.locator("#more").tap()
        menu, sound = page.locator("#card-menu"), page.locator("#sound")
        before = menu.bounding_box(), sound.bounding_box()
        sound.tap()
        expect(sound).to_have_attribute("aria-pressed", "true")
        assert (menu.bounding_box(), sound.bounding_box()) == before
        menu.get_by_role("button", name="Rules").tap()
        expect(page.locator("#help")).to_be_visible()
        expect(menu).to_be_hidden()
        expect(page.locator("#help .by-key")).to_be_hidden()  # a phone has no keyboard
        page.locator("#help .close").tap()
        expect(page.locator("#help")).to_be_hidden()
        expect(menu).to_be_hidden()


def test_tap_that_closes_more_updates_the_address(open_tab: OpenTab) -> None:
    puzzle = next(puzzle for puzzle in PUZZLES.values() if puzzle.gallery.arrow_keys)
    with open_tab(viewport=PHONE, has_touch=True) as page:
        open_game(page, puzzle)
        expect(page.locator("[data-movable]").first).to_be_attached()
        page.locator("#more").tap()
        expect(page.locator("#more-menu")).to_be_visible()
        tile = min(step["from"] for step in ask(page, puzzle)["steps"])
        page.touchscreen.tap(*middle(hole(page, tile)))
        expect(page.locator("#more-menu")).to_be_hidden()
        expect(page).to_have_url(re.compile(rf"line={tile}-"))
        page.reload()
        expect(verdict(page)).to_contain_text("1 move")


def test_board_of_many_holes_can_be_drawn_large(open_tab: OpenTab) -> None:
    puzzle = max(
        (puzzle for puzzle in PUZZLES.values() if puzzle.rules.multi_step_moves),
        key=lambda puzzle: puzzle.holes,
    )
    with open_tab(viewport=PHONE, has_touch=True) as page:
        open_game(page, puzzle)
        usual = hole(page, 0).bounding_box()
        press(page, "Larger board")
        page.reload()
        expect(page.get_by_role("button", name="Whole board")).to_be_visible()
        box, frame = hole(page, 0).bounding_box(), page.locator(".board-frame").bounding_box()
        assert usual and box and box["width"] >= max(EASY_TARGET, 1.45 * usual["width"])
        status, top = (page.locator(part).bounding_box() for part in (".status", ".top"))
        assert frame and status and frame["y"] + frame["height"] <= status["y"]
        assert top and top["y"] + top["height"] <= frame["y"] + 0.5
        step = page.request.get(f"/api/puzzles/{puzzle.id}/positions/{puzzle.start}").json()["steps"][0]
        hole(page, step["from"]).tap()
        hole(page, step["to"]).tap()
        expect(verdict(page)).to_contain_text("1 move")
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        assert_board_pans(page, hole(page, puzzle.holes // 2))
    with open_tab() as page:
        open_game(page, puzzle)
        expect(page.get_by_role("button", name="Larger board")).to_be_hidden()


def test_larger_board_is_remembered_for_its_puzzle_alone(open_tab: OpenTab) -> None:
    """Wherever a board is drawn large, the button that ends it is there."""
    boards = [puzzle for puzzle in PUZZLES.values() if puzzle.rules.multi_step_moves]
    large = max(boards, key=lambda puzzle: puzzle.holes)
    with open_tab(viewport={"width": 390, "height": 844}, has_touch=True) as page:
        open_game(page, large)
        press(page, "Larger board")
        for other in boards:
            if other is not large:
                open_game(page, other)
                expect(page.locator(".board.large")).to_have_count(0)
                assert_board_fits(page)
        open_game(page, large)
        expect(page.get_by_role("button", name="Whole board")).to_be_visible()
        page.set_viewport_size({"width": 1280, "height": 800})
        press(page, "Whole board")
        expect(page.locator(".board.large")).to_have_count(0)
        page.set_viewport_size({"width": 390, "height": 844})
        page.reload()
        expect(page.get_by_role("button", name="Larger board")).to_be_visible()


def assert_board_fits(page: Page) -> None:
    """Assert that the wood of the board is inside the window."""
    box, size = page.locator(".board .slab").bounding_box(), page.viewport_size
    assert box and size and box["x"] >= -16 and box["x"] + box["width"] <= size["width"] + 16


def assert_board_pans(page: Page, start: Locator) -> None:
    """Assert that a drag from `start` pans the board, even if it begins on a piece."""
    x, y = middle(start)
    fingers = page.context.new_cdp_session(page)
    for part in range(6):
        touch(fingers, "touchMove" if part else "touchStart", [(x - 20 * part, y)])
    touch(fingers, "touchEnd", [])
    page.wait_for_function("() => document.querySelector('.board-frame').scrollLeft > 50")


def test_puzzle_list_is_a_column_or_a_drop_down(page: Page) -> None:
    page.set_viewport_size({"width": 1024, "height": 768})
    open_game(page, published_puzzle(), "?lang=ja&depth=play")
    boxes = [page.locator(name).bounding_box() for name in (".puzzle-list", ".board", ".panel")]
    boards, board, panel = [box for box in boxes if box]
    assert boards["x"] + boards["width"] < board["x"] and board["x"] + board["width"] < panel["x"]
    keys = page.locator(".controls .key").evaluate_all(
        "(all) => all.map((key) => key.getBoundingClientRect().y)"
    )
    assert len(set(keys[:-1])) == 1
    page.set_viewport_size({"width": 820, "height": 1180})
    expect(page.locator(".puzzle-list")).to_be_hidden()
    page.locator(".boards-key").click()
    expect(page.locator(".puzzle-list")).to_be_visible()
    assert faults(page, runOnly=["color-contrast", "aria-allowed-attr", "region"]) == []
    page.keyboard.press("Escape")
    expect(page.locator(".puzzle-list")).to_be_hidden()


def test_hole_numbers_follow_the_setting(page: Page) -> None:
    """Texts speak of holes, so their numbers are drawn on every screen. Tiles have their own."""
    tiles = next(puzzle for puzzle in PUZZLES.values() if puzzle.gallery.arrow_keys)
    numbers, switch = page.locator(".board .numbers"), page.get_by_label("show hole and cell numbers")
    open_game(page, tiles)
    expect(numbers).to_be_hidden()
    open_game(page, published_puzzle())
    for size in (DESKTOP, PHONE):
        page.set_viewport_size(size)
        expect(numbers).to_be_visible()
    press(page, "More")
    press(page, "Settings")
    expect(switch).to_be_checked()
    switch.uncheck()
    page.reload()
    expect(page.locator("[data-sent]")).to_have_count(0)
    expect(numbers).to_be_hidden()
    expect(switch).not_to_be_checked()


def test_mouse_shows_the_number_of_its_hole(page: Page) -> None:
    """Also on a board with a marked goal, whose number comes first in the drawing and is always shown."""
    page.goto("/daily/2026-01-04")
    expect(page.locator(".board .goal .hole-no")).to_be_visible()
    expect(page.locator("h1")).to_contain_text(page.locator(".board .goal .hole-no").inner_html())
    for number in (0, 16, 32):
        hole(page, number).hover()
        expect(page.locator(".pointed")).to_have_text(str(number))


@each_kind
def test_nothing_overlaps_on_a_small_desktop(page: Page, puzzle: Puzzle) -> None:
    """The buttons are below the status line, even with all offers of a game shown, and inside the window."""
    step = ask(page, puzzle)["steps"][0]
    open_game(page, puzzle, f"?line={step['from']}-{step['to']}")
    expect(page.locator("#replay")).to_be_visible()
    page.locator("#replay, #start-here, #ask-proof").evaluate_all(
        "(all) => all.forEach((one) => (one.hidden = false))"
    )
    status, keys = page.locator(".status").bounding_box(), page.locator(".controls").bounding_box()
    inside = page.locator(".status").evaluate("(part) => part.scrollHeight <= part.clientHeight + 1")
    assert status and keys and inside
    assert status["y"] + status["height"] <= keys["y"]
    assert keys["y"] + keys["height"] <= 800
    expect(page.get_by_role("button", name="Solution", exact=True)).to_be_in_viewport(ratio=1)


def test_nothing_moves_when_a_first_visit_shows_the_rest(browser: Browser, live_server: str) -> None:
    """No button moves away under a finger. A low window has board and panel side by side."""
    size = {"width": 820, "height": 1180}
    with opened(browser, live_server, first_visit=True, viewport=size) as page:
        page.add_init_script(NO_TIMERS)
        open_game(page, published_puzzle())
        board, panel = page.locator(".board"), page.locator(".panel")
        parts = [board, panel, page.locator("#hint"), page.locator("#search")]
        before = [part.bounding_box() for part in parts]
        page.keyboard.press("Tab")
        expect(page.locator("html")).not_to_have_attribute("data-quiet", "")
        assert [part.bounding_box() for part in parts] == before
        page.set_viewport_size({"width": 800, "height": 600})
        usual, beside = board.bounding_box(), panel.bounding_box()
        assert usual and beside and usual["width"] > 250 and usual["x"] + usual["width"] < beside["x"]
        expect(page.get_by_role("button", name="Solution", exact=True)).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("address", [LOST_GAME, "/puzzles/hoppers", "/decks/hoppers/1"])
def test_board_keeps_its_size_whatever_is_said(
    open_tab: OpenTab, viewport: ViewportSize, address: str
) -> None:
    with open_tab(viewport=viewport) as page:
        page.goto(address)
        expect(page.locator("[data-movable]").first).to_be_attached()
        before, said = page.locator(".board").bounding_box(), []
        for id in ("check", "why", "hint", "hint", "solution"):
            key = page.locator(f"#{id}")
            if not key.is_visible():
                continue
            key.click()
            page.wait_for_timeout(300)
            assert page.locator(".board").bounding_box() == before, id
            said.append(page.locator(".status").inner_text())
        assert len(set(said)) > 1


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_texts_of_the_header_are_on_one_line(open_tab: OpenTab, viewport: ViewportSize) -> None:
    with open_tab(viewport=viewport) as page:
        page.goto("/daily")
        baselines: list[float] = page.locator(
            ".top :is(.home, .cards-of-day a, [data-language] span)"
        ).evaluate_all(
            """(all) => all.map((each) => {
              const text = document.createElement("span"), foot = document.createElement("span");
              foot.style.display = "inline-block"; // an empty one stands on the baseline
              [...each.childNodes].find((node) => node.data?.trim()).replaceWith(text);
              text.append("Text", foot);
              return foot.getBoundingClientRect().bottom;
            })"""
        )
        assert len(baselines) == 4
        assert max(baselines) - min(baselines) < 2
