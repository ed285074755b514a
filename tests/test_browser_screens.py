"""Small and large screens, lying and standing."""

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from server.puzzle import Puzzle
from server.puzzles import PUZZLES

from .browser_fixtures import KINDS, PHONE, each_kind, hole, middle, open_game, press, square, touch, verdict
from .tabs import Lend

pytestmark = pytest.mark.browser

LYING: ViewportSize = {"width": 740, "height": 360}
EASY_TARGET = 44


def test_phone_lying_down_has_the_board_on_the_left(lend: Lend) -> None:
    with lend(viewport=LYING, has_touch=True) as page:
        for puzzle in KINDS.values():
            open_game(page, puzzle)
            names = (".board", ".status", ".controls", ".panel")
            boxes = [page.locator(name).bounding_box() for name in names]
            board, *rest = [box for box in boxes if box]
            assert len(rest) == 3
            assert board["y"] + board["height"] <= LYING["height"]
            assert all(box["x"] >= board["x"] + board["width"] for box in rest)
            assert all(box["y"] + box["height"] <= LYING["height"] + 1 for box in rest)
            for name in ("Undo", "Solution", "Search", "Stop"):
                expect(page.get_by_role("button", name=name, exact=True)).to_be_in_viewport(ratio=1)
        open_game(page, square())
        press(page, "Search")
        expect(page.locator('[data-state="solved"]')).to_be_attached()
        assert page.evaluate("document.documentElement.scrollHeight - innerHeight") <= 0


def test_sheet_takes_room_from_the_board_and_gives_it_back(lend: Lend) -> None:
    with lend(viewport=PHONE, has_touch=True) as page:
        open_game(page, square())
        board, panel = page.locator(".board"), page.locator(".panel")
        wide, low = board.bounding_box(), panel.bounding_box()
        press(page, "Solution")
        expect(page.locator(".player")).to_be_visible()
        narrow, high = board.bounding_box(), panel.bounding_box()
        assert wide and low and narrow and high
        assert narrow["width"] < wide["width"] and high["height"] > 1.5 * low["height"]
        assert high["height"] < 0.6 * PHONE["height"]
        expect(board).to_be_in_viewport(ratio=1)
        press(page, "Back to my game")
        assert board.bounding_box() == wide
        page.get_by_role("tab", name="Solver").tap()
        assert board.bounding_box() == narrow
        page.get_by_role("tab", name="Solver").tap()
        assert board.bounding_box() == wide


def test_board_of_many_holes_can_be_drawn_large(lend: Lend) -> None:
    puzzle = max((puzzle for puzzle in PUZZLES.values() if puzzle.chains), key=lambda puzzle: puzzle.holes)
    with lend(viewport=PHONE, has_touch=True) as page:
        open_game(page, puzzle)
        press(page, "Larger board")
        page.reload()
        expect(page.get_by_role("button", name="Larger board")).to_have_attribute("aria-pressed", "true")
        box = hole(page, 0).bounding_box()
        assert box is not None and box["width"] >= EASY_TARGET
        step = page.request.get(f"/api/puzzles/{puzzle.id}/positions/{puzzle.start}").json()["steps"][0]
        hole(page, step["from"]).tap()
        hole(page, step["to"]).tap()
        expect(verdict(page)).to_contain_text("1 move")
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        board_moves_under_a_finger(page, hole(page, puzzle.holes // 2))
    with lend() as page:
        open_game(page, puzzle)
        expect(page.get_by_role("button", name="Larger board")).to_be_hidden()


def board_moves_under_a_finger(page: Page, start: Locator) -> None:
    """Even if that begins on a piece."""
    x, y = middle(start)
    fingers = page.context.new_cdp_session(page)
    for part in range(6):
        touch(fingers, "touchMove" if part else "touchStart", [(x - 20 * part, y)])
    touch(fingers, "touchEnd", [])
    page.wait_for_function("document.querySelector('.easel').scrollLeft > 50")


@each_kind
def test_nothing_overlaps_on_a_small_desktop(page: Page, puzzle: Puzzle) -> None:
    """Whatever is offered under the board, the keys lie below it and above the edge."""
    open_game(page, puzzle)
    page.locator("#replay, #start-here, #ask-proof").evaluate_all(
        "(all) => all.forEach((one) => (one.hidden = false))"
    )
    status, keys = page.locator(".status").bounding_box(), page.locator(".controls").bounding_box()
    inside = page.locator(".status").evaluate("(part) => part.scrollHeight <= part.clientHeight + 1")
    assert status and keys and inside
    assert status["y"] + status["height"] <= keys["y"]
    assert keys["y"] + keys["height"] <= 800


def test_first_visit_on_a_tablet_has_the_room_of_the_panel(lend: Lend) -> None:
    """The board grows, the layout does not move; a low window has board and panel side by side."""
    with lend(first_visit=True, viewport={"width": 820, "height": 1180}, reduced_motion="reduce") as page:
        open_game(page, square())
        board, panel = page.locator(".board"), page.locator(".panel")
        large, below = board.bounding_box(), panel.bounding_box()
        page.keyboard.press("Tab")
        expect(page.locator("html")).not_to_have_attribute("data-quiet", "")
        usual = board.bounding_box()
        assert large and usual and large["width"] > 1.2 * usual["width"] > 600
        assert panel.bounding_box() == below
        page.set_viewport_size({"width": 800, "height": 600})
        usual, beside = board.bounding_box(), panel.bounding_box()
        assert usual and beside and usual["width"] > 250 and usual["x"] + usual["width"] < beside["x"]
        expect(page.get_by_role("button", name="Solution", exact=True)).to_be_in_viewport(ratio=1)
