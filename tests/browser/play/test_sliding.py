"""Sliding puzzles: pushing rows, swipes, arrow keys, long rows, and random positions by seed."""

import json
import re

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Page, expect

from hoppers.core.puzzle import Puzzle
from tests.browser.fixtures import (
    PHONE,
    by_drag,
    hole,
    middle,
    moves_of,
    open_game,
    press,
    steps_of,
    touch,
    verdict,
)
from tests.browser.tabs import BLANK, OpenTab
from tests.support.engine import PUZZLES

pytestmark = pytest.mark.browser

TILES = [puzzle for puzzle in PUZZLES.values() if puzzle.family == "sliding" and puzzle.gallery.featured]
DISCS = [puzzle for puzzle in PUZZLES.values() if "disc-w" in puzzle.gallery.pieces]
RANDOM_KINDS = [
    (puzzle, name)
    for puzzle in PUZZLES.values()
    if puzzle.gallery.featured
    for name in puzzle.gallery.random_kinds
]


def ordered(puzzle: Puzzle) -> str:
    """Return the solved position: its gap is in the last cell."""
    return puzzle.rules.alphabet[1:] + puzzle.rules.alphabet[0]


def test_pressed_tile_pushes_its_whole_row(page: Page) -> None:
    puzzle = TILES[-1]
    start = ordered(puzzle)
    width = 1 + max(x for x, _ in puzzle.board.points)
    open_game(page, puzzle, f"?position={start}")
    hole(page, puzzle.holes - width).click()
    row = start[-width:]
    pushed = start[:-width] + row[-1] + row[:-1]
    expect(page.locator("main")).to_have_attribute("data-position", pushed)
    expect(verdict(page)).to_contain_text(f"{width - 1} move")
    expect(page.locator(".own .chip").first).to_have_text(f"1 {int(row[-2], 16)}")
    page.get_by_role("button", name="Undo").click(modifiers=["Shift"])
    expect(verdict(page)).to_contain_text(f"{width - 2} move")
    for key, position in (("Redo", pushed), ("Undo", start), ("Redo", pushed)):
        press(page, key)
        expect(page.locator("main")).to_have_attribute("data-position", position)


def test_unreachable_arrangement_is_explained(page: Page) -> None:
    """Two tiles are swapped: half of all arrangements are unreachable."""
    puzzle = TILES[0]
    swapped = ordered(puzzle)[1] + ordered(puzzle)[0] + ordered(puzzle)[2:]
    open_game(page, puzzle, f"?position={swapped}")
    expect(verdict(page)).to_contain_text("half of all arrangements cannot be solved")
    for key, text in (("Hint", "No solution: half of all"), ("Solution", "No solution: half of all")):
        page.get_by_role("button", name=key, exact=True).click()
        expect(page.locator(".note")).to_contain_text(text)
    expect(page.locator("#go-back")).to_be_hidden()


def test_press_after_solving_changes_nothing(page: Page) -> None:
    puzzle = TILES[0]
    before = ordered(puzzle)[:-2] + "0" + ordered(puzzle)[-2]
    open_game(page, puzzle, f"?position={before}")
    hole(page, puzzle.holes - 1).click()
    expect(verdict(page)).to_have_attribute("data-verdict", "solved")
    hole(page, puzzle.holes - 2).click()
    expect(page.locator(".note")).to_contain_text("Solved. Undo takes back the last move")
    expect(page.locator("#result-next")).to_be_visible()
    expect(page.locator("main")).to_have_attribute("data-position", ordered(puzzle))
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("main")).to_have_attribute("data-position", before)


def test_swipe_moves_the_only_tile_in_its_direction(page: Page) -> None:
    """Pressing a tile that cannot move, or the gap, moves nothing."""
    puzzle = TILES[0]
    open_game(page, puzzle, f"?position={ordered(puzzle)}")
    hole(page, 0).click()
    expect(page.locator(".note")).to_contain_text(
        "Tile 1 cannot move. Press or swipe a tile in the gap's row"
    )
    last = puzzle.holes - 1
    hole(page, last).click()
    expect(page.locator(".note")).to_contain_text(
        "This is the gap. Press or swipe a tile in its row or column"
    )
    expect(page.locator("main")).to_have_attribute("data-position", ordered(puzzle))
    x, y = middle(hole(page, 0))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y + 4, steps=4)
    page.mouse.up()
    expect(hole(page, last)).to_have_attribute("data-cell", puzzle.rules.alphabet[last])
    expect(hole(page, last - 1)).to_have_attribute("data-cell", "0")


@pytest.mark.own_tab
@pytest.mark.parametrize(
    ("meaning", "key"), [("tile", "ArrowRight"), ("gap", "ArrowLeft"), (None, "ArrowRight")]
)
def test_arrows_move_the_tile_or_the_gap(page: Page, meaning: str | None, key: str) -> None:
    settings = {} if meaning is None else {"arrows": meaning}
    page.add_init_script(f"localStorage.setItem('puzzles/settings', '{json.dumps(settings)}')")
    puzzle = TILES[0]
    open_game(page, puzzle, f"?position={ordered(puzzle)}")
    hole(page, 0).focus()
    page.keyboard.press(key)
    expect(hole(page, puzzle.holes - 2)).to_have_attribute("data-cell", "0")


@pytest.mark.parametrize("pressed", ["tile", "cell", "undo", "hint", "search"])
def test_arrows_slide_tiles_whatever_was_pressed_before(page: Page, pressed: str) -> None:
    puzzle = TILES[0]
    open_game(page, puzzle, f"?position={ordered(puzzle)}")
    page.keyboard.press("ArrowRight")
    gap, width = puzzle.holes - 2, round(puzzle.holes**0.5)
    expect(hole(page, gap)).to_have_attribute("data-cell", "0")
    if pressed in ("tile", "cell"):
        hole(page, gap - width if pressed == "tile" else 0).click()
        gap -= width if pressed == "tile" else 0
    else:
        page.locator(f"#{pressed}").click()
        gap += pressed == "undo"
    expect(hole(page, gap)).to_have_attribute("data-cell", "0")
    row = gap // width * width
    key, next_gap = ("ArrowRight", gap - 1) if gap > row else ("ArrowLeft", gap + 1)
    page.keyboard.press(key)
    expect(hole(page, next_gap)).to_have_attribute("data-cell", "0")


def test_arrows_with_shift_walk_over_the_tiles(page: Page) -> None:
    puzzle = TILES[0]
    open_game(page, puzzle, f"?position={ordered(puzzle)}")
    hole(page, 0).focus()
    page.keyboard.press("Shift+ArrowRight")
    expect(hole(page, 1)).to_be_focused()
    expect(page.locator("main")).to_have_attribute("data-position", ordered(puzzle))


@pytest.mark.parametrize("number", [5, 8, 12])
def test_row_is_upright_on_a_phone(open_tab: OpenTab, number: int) -> None:
    """Its cells are large enough for a finger; taps, drags and arrow keys act as they look."""
    puzzle = next(puzzle for puzzle in DISCS if puzzle.holes == number)
    with open_tab(viewport=PHONE, has_touch=True) as page:
        open_game(page, puzzle)
        assert_board_fits(page)
        first, second, last = (hole(page, cell).bounding_box() for cell in (0, 1, puzzle.holes - 1))
        assert first and second and last
        assert first["height"] >= 44 and second["y"] - first["y"] >= 44
        assert abs(first["x"] - last["x"]) < 1 and last["y"] + last["height"] <= PHONE["height"] - 60
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        expect(page.locator("#zoom")).to_be_hidden()
        assert_tour_covers_nothing(page)
        (origin, target), *_ = steps_of(moves_of(page, puzzle))
        hole(page, origin).tap()
        expect(verdict(page)).to_contain_text("1 move")
        press(page, "Undo")
        by_drag(page, origin, target)
        expect(verdict(page)).to_contain_text("1 move")
        hole(page, 1).focus()
        page.keyboard.press("ArrowDown")
        expect(hole(page, 2)).to_be_focused()
        page.keyboard.press("ArrowLeft")
        expect(hole(page, 1)).to_be_focused()


@pytest.mark.parametrize(("width", "height", "least"), [(740, 360, 40), (1280, 800, 46), (1920, 1080, 85)])
def test_row_uses_a_wide_window(page: Page, width: int, height: int, least: int) -> None:
    puzzle = next(puzzle for puzzle in DISCS if puzzle.holes == 12)
    page.set_viewport_size({"width": width, "height": height})
    open_game(page, puzzle, "?depth=play")
    box = hole(page, 0).bounding_box()
    assert box is not None and box["width"] >= least
    assert_board_fits(page)


FRAMES_IN_SIGHT = """() => [
  ...document.querySelectorAll('.framed, .board-frame:has(.framed)'),
].flatMap((part) => {
  const { outlineStyle, outlineOffset, outlineWidth } = getComputedStyle(part);
  const box = part.getBoundingClientRect();
  const far = parseFloat(outlineOffset) + parseFloat(outlineWidth);
  return outlineStyle === "none" ? [] : [box.left >= far && box.right + far <= innerWidth];
})"""
"""Script that returns, for each frame around an explained part, whether its full width is visible."""


def assert_tour_covers_nothing(page: Page) -> None:
    """Take the tour, and assert that its card covers no part that it explains."""
    press(page, "More")
    press(page, "Help")
    press(page, "Take the tour (3 steps)")
    for place in (".board", ".status", ".controls"):
        part, card = page.locator(f"{place}.framed").bounding_box(), page.locator("#tour").bounding_box()
        assert part and card
        beside = card["x"] >= part["x"] + part["width"]
        assert beside or card["y"] >= part["y"] + part["height"] or card["y"] + card["height"] <= part["y"]
        assert page.evaluate(FRAMES_IN_SIGHT) == [True]
        page.locator("#tour-next").tap()


def assert_board_fits(page: Page) -> None:
    """Assert that no part of a board at rest is outside the screen."""
    box, size = page.locator(".board").bounding_box(), page.viewport_size
    assert box and size and box["x"] >= 0 and box["x"] + box["width"] <= size["width"]


def by_touch(page: Page, puzzle: Puzzle, origin: int, target: int) -> None:
    """Tap the tile or disc, which has a single step."""
    hole(page, origin).tap()


def by_key(page: Page, puzzle: Puzzle, origin: int, target: int) -> None:
    """Push a tile with the arrow key of its direction; move a disc with Enter."""
    if puzzle in DISCS:
        hole(page, origin).focus()
        page.keyboard.press("Enter")
        return
    hole(page, 0).focus()
    width = 1 + max(x for x, _ in puzzle.board.points)
    arrows = {1: "ArrowRight", -1: "ArrowLeft", width: "ArrowDown", -width: "ArrowUp"}
    page.keyboard.press(arrows[target - origin])


@pytest.mark.parametrize("puzzle", [TILES[0], DISCS[0]], ids=lambda puzzle: puzzle.id)
def test_each_family_is_played_by_touch_and_by_keys(open_tab: OpenTab, puzzle: Puzzle) -> None:
    with open_tab(viewport=PHONE, has_touch=True) as page:
        page.goto(BLANK)
        page.evaluate("localStorage.setItem('puzzles/settings', '{\"arrows\": \"tile\"}')")
        open_game(page, puzzle)
        steps = steps_of(moves_of(page, puzzle))
        for make_step, (origin, target) in zip((by_touch, by_key, by_touch, by_key), steps, strict=False):
            make_step(page, puzzle, origin, target)
            expect(hole(page, origin)).to_have_attribute("data-cell", puzzle.rules.alphabet[0])
        expect(verdict(page)).to_have_attribute("data-moves-left", str(len(steps) - 4))


@pytest.mark.parametrize(("puzzle", "name"), RANDOM_KINDS)
def test_same_seed_gives_the_same_position(client: FlaskClient, puzzle: Puzzle, name: str) -> None:
    address = f"/api/puzzles/{puzzle.id}/deals/{name}?seed=123"
    first, second = client.get(address).json, client.get(address).json
    assert first == second
    assert first is not None and first["seed"] == "123" and (first["of"] is None or first["of"] >= 1)
    assert puzzle.format(puzzle.parse(first["position"])) == first["position"]
    assert client.get(f"/puzzles/{puzzle.id}?deal={name}&seed=123").text.count(first["position"]) > 1


def test_unknown_kind_of_random_position_is_quoted(client: FlaskClient) -> None:
    answer = client.get(f"/api/puzzles/{TILES[0].id}/deals/nonsense?seed=1")
    assert answer.status_code == 400
    assert answer.json is not None and "'nonsense'" in answer.json["error"]["message"]
    assert client.get(f"/puzzles/{TILES[0].id}?deal=nonsense&seed=1").status_code == 400
    assert client.get(f"/api/puzzles/{TILES[0].id}/deals/hard?seed={'1' * 200}").status_code == 400


def test_new_position_comes_with_a_link_to_share(page: Page) -> None:
    puzzle = TILES[0]
    open_game(page, puzzle)
    page.get_by_role("button", name=re.compile("Goal")).click()
    page.locator("[data-random]").first.click()
    page.wait_for_url(re.compile(r"deal=\w+&seed=\d+"))
    position = page.locator("main").get_attribute("data-position")
    page.reload()
    expect(page.locator("main")).to_have_attribute("data-position", str(position))
    assert position != puzzle.start


def test_tap_right_after_a_drag_counts(open_tab: OpenTab) -> None:
    """Taps on the board and on a button below it count, although browsers send no click event for them."""
    puzzle = next(puzzle for puzzle in PUZZLES.values() if not puzzle.rules.multi_step_moves)
    with open_tab(viewport=PHONE, has_touch=True) as page:
        open_game(page, puzzle)
        expect(page.locator("[data-movable]").first).to_be_attached()
        (first, gap), (second, _) = steps_of(moves_of(page, puzzle))[:2]
        fingers = page.context.new_cdp_session(page)
        path = [middle(hole(page, number)) for number in (first, gap)]
        for kind, places in (("touchStart", path[:1]), ("touchMove", path[1:]), ("touchEnd", [])):
            touch(fingers, kind, places)
        for kind, places in (("touchStart", [middle(hole(page, second))]), ("touchEnd", [])):
            touch(fingers, kind, places)
        expect(verdict(page)).to_contain_text("2 moves")
        third, gap = steps_of(moves_of(page, puzzle))[2]
        (left, top), (right, bottom) = middle(hole(page, third)), middle(hole(page, gap))
        touch(fingers, "touchStart", [(left, top)])
        for part in range(1, 6):  # as quick as a flick
            touch(fingers, "touchMove", [(left + (right - left) * part / 5, top + (bottom - top) * part / 5)])
        touch(fingers, "touchEnd", [])
        page.locator("#restart").tap()
        expect(verdict(page)).to_contain_text("0 moves")
