"""The position editor, and verdicts that arrive later."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from hoppers.core.puzzle import Puzzle
from tests.browser.fixtures import (
    KINDS,
    PHONE,
    hole,
    middle,
    open_game,
    press,
    published_puzzle,
    verdict,
)
from tests.browser.tabs import OpenTab, expect_faults
from tests.support.engine import PUZZLES

pytestmark = pytest.mark.browser

SLIPS = [(0, 0), (9, 0), (-9, 0), (0, 9), (0, -9), (6, 6), (-6, 6), (6, -6), (-6, -6)]
"""Offsets (x, y) of a finger from the middle of a hole, in pixels."""


def open_editor(page: Page) -> None:
    """Open the position editor."""
    page.locator(".aim").click()
    page.locator("#edit").click()
    expect(page.locator("#editor")).to_be_visible()


@pytest.mark.parametrize("puzzle", list(KINDS.values())[1:], ids=["sliding", "pegs"])
def test_position_set_by_taps_is_played(page: Page, puzzle: Puzzle) -> None:
    open_game(page, puzzle)
    open_editor(page)
    start = puzzle.start
    expect(page.locator("#editor .say")).to_have_text(str(puzzle.texts.setting))
    expect(page.locator("#edited")).to_have_value(start)
    swaps = not puzzle.rules.multi_step_moves
    first, other = 0, next(hole for hole in range(1, puzzle.holes) if start[hole] == puzzle.rules.alphabet[0])
    cells = [*start]
    cells[first], cells[other] = start[other], start[first]
    for number in (other, first):
        taps = (
            1
            if swaps
            else (puzzle.rules.alphabet.index(cells[number]) - puzzle.rules.alphabet.index(start[number]))
        )
        for _ in range(taps % len(puzzle.rules.alphabet)):
            hole(page, number).click()
    expect(page.locator("#edited")).to_have_value("".join(cells))
    page.get_by_role("button", name="Play from here").click()
    expect(page.locator("#editor")).to_be_hidden()
    expect(page.locator("main")).to_have_attribute("data-position", "".join(cells))
    expect(verdict(page)).to_contain_text("0 moves")


def test_shown_solution_can_be_edited(page: Page) -> None:
    """The editor opens with the position of the solution player; Cancel returns to the game."""
    open_game(page, published_puzzle())
    page.locator("#solution").click()
    page.locator('[data-player="last"]').click()
    expect(verdict(page)).to_contain_text("1 peg")
    solved = page.locator("main").get_attribute("data-position")
    open_editor(page)
    expect(page.locator("#edited")).to_have_value(str(solved))
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("main")).to_have_attribute("data-position", published_puzzle().start)


def test_empty_board_sends_no_request(page: Page) -> None:
    """An error response would fail this test. No button moves: a second tap fills the board again."""
    open_game(page, published_puzzle())
    open_editor(page)
    key, text, place = page.locator("#all-same"), page.locator("#edited"), page.locator("#play-edited")
    expect(key).to_have_text("Empty the board")
    before = middle(place)[1]
    key.click()
    expect(text).to_have_value("." * published_puzzle().holes)
    expect(page.locator(".edit-fault")).to_have_text("The board is empty.")
    expect(page.locator(".verdict")).to_be_hidden()
    expect(place).to_be_disabled()
    expect(key).to_have_text("Fill the board")
    assert middle(place)[1] == before
    key.click()
    expect(text).to_have_value("o" * published_puzzle().holes)
    expect(page.locator(".edit-fault")).to_be_empty()
    expect(place).to_be_enabled()


def test_disc_is_flipped_and_the_gap_stays_single(page: Page) -> None:
    """Every tap on a disc leads to a valid position."""
    puzzle = next(puzzle for puzzle in PUZZLES.values() if "disc-b" in puzzle.gallery.pieces)
    open_game(page, puzzle)
    open_editor(page)
    gap = puzzle.start.index("_")
    hole(page, 0 if gap else 1).click()
    turned = "w" if puzzle.start[0 if gap else 1] == "b" else "b"
    expect(page.locator("#edited")).to_have_value(turned + puzzle.start[1:])
    key = page.locator("#all-same")
    other = "black" if turned == "w" else "white"
    expect(key).to_have_text(f"All {other}")
    key.click()
    expect(page.locator("#edited")).to_have_value(re.compile(f"^{other[0]}+_{other[0]}+$"))
    expect(page.locator(".edit-fault")).to_be_empty()


def test_invalid_text_is_quoted_and_cannot_be_played(page: Page) -> None:
    """Invalid text has no verdict, and the page sends no request for it."""
    open_game(page, published_puzzle())
    open_editor(page)
    badge = page.locator(".verdict")
    expect(badge).to_be_visible()
    page.locator("#edited").fill("oxo")
    expect(page.locator(".edit-fault")).to_contain_text("'oxo'")
    expect(page.get_by_role("button", name="Play from here")).to_be_disabled()
    expect(badge).to_be_hidden()
    page.locator("#edited").fill(published_puzzle().start)
    expect(badge).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("main")).to_have_attribute("data-position", published_puzzle().start)
    expect(page.locator(".controls")).to_be_visible()


@pytest.mark.parametrize(
    "written", ["159D26AE37BF480C", "1 5 9 13, 2 6 10 14, 3 7 11 15, 4 8 0 12", "159d 26ae 37bf 480c"]
)
def test_other_notations_are_read_by_the_editor(page: Page, written: str) -> None:
    page.goto("/puzzles/fifteen-puzzle?lang=en")
    open_editor(page)
    page.locator("#edited").fill(written)
    page.get_by_role("button", name="Play from here").click()
    expect(page.locator("main")).to_have_attribute("data-position", "159d26ae37bf480c")
    expect(page).to_have_url(re.compile("position=159d26ae37bf480c"))


def test_pasted_rows_of_numbers_stay_apart(page: Page) -> None:
    page.goto("/puzzles/fifteen-puzzle?lang=en")
    open_editor(page)
    page.locator("#edited").evaluate(
        r"""(input) => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text", "1 5 9 13\n2 6 10 14\n3 7 11 15\n4 8 0 12\n");
            input.select();
            const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
            input.dispatchEvent(event);
        }"""
    )
    page.get_by_role("button", name="Play from here").click()
    expect(page.locator("main")).to_have_attribute("data-position", "159d26ae37bf480c")


def test_editor_names_the_first_wrong_sign(page: Page) -> None:
    expect_faults(page, "400")
    page.goto("/puzzles/fifteen-puzzle?lang=en")
    open_editor(page)
    page.locator("#edited").fill("1 5 9 13 2 6 10 14 3 7 11 16 4 8 12 0")
    expect(page.locator(".edit-fault")).to_contain_text("'16' for hole 11")


def test_editor_reports_a_lost_connection_in_words(page: Page) -> None:
    expect_faults(page, "ERR_")
    open_game(page, published_puzzle())
    open_editor(page)
    page.route("**/positions/**", lambda route: route.abort("connectionreset"))
    page.locator("#edited").fill(".ooooo.oo.ooo")
    expect(page.locator(".edit-fault")).to_have_text("Cannot reach the server. Try again in a moment.")


def test_bad_link_keeps_the_text_for_correction(page: Page) -> None:
    expect_faults(page, "400")
    page.goto(f"/puzzles/{published_puzzle().id}?position=oxooooooooooo")
    expect(page.locator("#edited")).to_have_value("oxooooooooooo")
    expect(page.locator(".edit-fault")).to_contain_text("'oxooooooooooo'")
    expect(page.locator(".fault-note")).to_be_visible()
    expect(page.locator(".fault-note .cause")).to_be_hidden()  # the editor shows the same message
    page.locator("#edited").fill(published_puzzle().start)
    page.get_by_role("button", name="Play from here").click()
    expect(page.locator("main")).to_have_attribute("data-position", published_puzzle().start)


def test_holes_of_the_largest_board_are_hit_by_touch(open_tab: OpenTab) -> None:
    puzzle = max(
        (puzzle for puzzle in PUZZLES.values() if puzzle.rules.multi_step_moves),
        key=lambda puzzle: puzzle.holes,
    )
    with open_tab(viewport=PHONE, has_touch=True) as page:
        page.route("**/positions/**", lambda route: answer(route, "unknown", None))
        open_game(page, puzzle)
        open_editor(page)
        changed = [*puzzle.start]
        for number in range(0, puzzle.holes, 4):
            (x, y), slip = middle(hole(page, number)), SLIPS[number % len(SLIPS)]
            page.touchscreen.tap(x + slip[0], y + slip[1])
            changed[number] = "o" if changed[number] == "." else "."
        expect(page.locator("#edited")).to_have_value("".join(changed))


def answer(route: Route, verdict: str, preparation: float | None) -> None:
    position = route.request.url.split("/positions/")[1].split("?")[0]
    body: dict[str, Any] = {"position": position, "verdict": verdict, "moves_left": None, "steps": []}
    if verdict == "live":
        body["moves_left"] = 3
    route.fulfill(json={**body, "preparation": preparation}, content_type="application/json")


def test_unknown_verdict_is_polled_until_known(page: Page) -> None:
    """The page opens while the verdict is in preparation, and polls until an answer has it."""
    is_known = False

    def later(route: Route) -> None:
        answer(route, "live" if is_known else "unknown", None if is_known else 0.4)

    def not_yet(route: Route) -> None:
        text = route.fetch().text()
        head, _, rest = text.partition('<script type="application/json" id="data">')
        data = json.loads(rest.split("</script>")[0])
        data["analysisIsFinal"] = False
        data["analysis"].update(verdict="unknown", moves_left=None, preparation=0.2)
        data["line"]["start"].update(verdict="unknown", moves_left=None)
        tail = rest[rest.index("</script>") :]
        body = f'{head}<script type="application/json" id="data">{json.dumps(data)}{tail}'
        route.fulfill(body=body, content_type="text/html")

    page.route(f"**/puzzles/{published_puzzle().id}?depth=study", not_yet)
    page.route("**/positions/**", later)
    page.goto(f"/puzzles/{published_puzzle().id}?depth=study")
    expect(verdict(page)).to_have_attribute("data-verdict", "unknown")
    expect(page.locator(".machine")).to_contain_text("40% done")
    is_known = True
    expect(verdict(page)).to_have_attribute("data-verdict", "live")
    expect(verdict(page)).to_contain_text("best possible 3")


def test_losing_move_is_marked_only_after_it_lost(page: Page) -> None:
    page.goto("/puzzles/diamond-13?line=0-6.10-2.4-6-0&depth=study")
    expect(verdict(page)).to_contain_text("go back 1 jump")
    press(page, "Go back")
    expect(verdict(page)).to_have_attribute("data-verdict", "live")
    expect(page.locator(".own .here")).to_have_count(0)
    press(page, "Redo")
    expect(page.locator(".own .here")).to_have_text("lost here")
