"""Long lines of play, and tile positions that are too hard to prove."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.fixtures import (
    PHONE,
    ask,
    hole,
    line_of,
    moves_of,
    open_game,
    play,
    published_puzzle,
    steps_of,
    steps_to_dead_end,
    tab,
    verdict,
)
from tests.browser.tabs import OpenTab
from tests.support.engine import PUZZLES

pytestmark = pytest.mark.browser

TILES = [puzzle for puzzle in PUZZLES.values() if puzzle.family == "sliding" and puzzle.gallery.featured]


def test_slider_and_exits_stay_visible_with_a_long_line(open_tab: OpenTab) -> None:
    puzzle = TILES[-1]
    with open_tab(viewport=PHONE, has_touch=True) as page:
        open_game(page, puzzle)
        line = ".".join(f"{origin}-{target}" for origin, target in steps_of(moves_of(page, puzzle))[:36])
        open_game(page, puzzle, f"?start={puzzle.start}&line={line}")
        tab(page, "Moves").tap()
        page.locator("#undo").tap()
        expect(page.locator(".own .chip[aria-current]")).to_be_in_viewport(ratio=1)
        page.locator("#restart").tap()
        page.locator("#solution").tap()
        page.locator(".player .chip").last.tap()
        expect(page.locator(".player .chip[aria-current]")).to_be_in_viewport(ratio=1)
        for selector in ("#leave", "#adopt"):
            expect(page.locator(selector)).to_be_in_viewport(ratio=1)
        page.locator("#leave").tap()
        page.locator("#solution").tap()
        expect(page.locator(".player .chip").first).to_be_in_viewport(ratio=1)


def test_next_after_a_random_position_is_another_one(page: Page) -> None:
    puzzle = TILES[0]
    *_, kind, hardest = puzzle.gallery.random_kinds
    open_game(page, puzzle, f"?deal={kind}&seed=1")
    for name in ("Solution", "Last", "Continue from here"):
        page.get_by_role("button", name=name, exact=True).click()
    expect(page.get_by_role("link", name="Next challenge")).to_have_attribute(
        "href", re.compile(f"deal={kind}$")
    )
    assert kind != hardest


def test_unproved_tile_position_can_be_solved(page: Page) -> None:
    puzzle = TILES[-1]
    undecided = {"verdict": "unknown", "moves_left": None}

    def forget(route: Route) -> None:
        answer = route.fetch().json()
        steps = [step | undecided for step in answer["steps"]]
        route.fulfill(json={**answer, **undecided, "steps": steps})

    def forget_steps(route: Route) -> None:
        answer = route.fetch()
        step = r'"moves_left": 47(, "position": "[^"]*", "to": \d+, "verdict": )"live"'
        route.fulfill(response=answer, body=re.sub(step, r'"moves_left": null\1"unknown"', answer.text()))

    page.route("**/positions/*?goal=*", forget)
    page.route(re.compile(rf"/puzzles/{puzzle.id}(\?|$)"), forget_steps)
    open_game(page, puzzle)
    (first, _), (second, _) = steps_of(moves_of(page, puzzle))[:2]
    hole(page, first).click()
    expect(verdict(page)).to_have_attribute("data-verdict", "unknown")
    expect(verdict(page)).to_contain_text("solvable in 47 moves or more")
    page.keyboard.press("m")
    tile = int(puzzle.start[second], 16)
    expect(page.locator(".note")).to_contain_text(re.compile(rf"possible steps: .*\b{tile}\b"))


def test_dead_end_after_unknown_position_is_not_called_solvable(page: Page) -> None:
    def with_unknown_verdict(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace('"live"', '"unknown"'))

    page.route("**/api/puzzles/*/positions/*", with_unknown_verdict)
    open_game(page, published_puzzle())
    for _, (origin, target) in steps_to_dead_end(page, published_puzzle()):
        play(page, [(origin, target)])
    expect(verdict(page)).to_have_attribute("data-verdict", "dead")
    expect(verdict(page)).to_contain_text("not known whether it could be solved 1 move ago")


def test_own_solution_is_shown_in_the_list(open_tab: OpenTab) -> None:
    """The solution played is number 53 of the list, and missing from the list up to symmetry."""
    with open_tab(viewport=PHONE, has_touch=True) as page:
        [solution] = ask(page, published_puzzle(), "/solutions?offset=52&limit=1")["solutions"]
        held, waits = list[Route](), [True]
        page.route("**/board.svg?*", lambda route: held.append(route) if waits else route.continue_())
        open_game(page, published_puzzle(), f"?line={line_of(solution)}")
        tab(page, "Solutions").tap()
        page.get_by_role("button", name="Yours is no. 53.").tap()
        own = page.locator("#all li[aria-current]")
        expect(own.locator(".way")).to_be_focused()
        expect(own).to_be_in_viewport(ratio=1)
        waits.clear()
        for route in held:
            route.continue_()
        expect(own.locator("img")).to_have_js_property("complete", True)
        expect(own).to_be_in_viewport(ratio=1)  # loaded pictures do not shift the layout
        expect(page.locator("#all ol")).to_have_attribute("start", "41")
        assert own.evaluate("(item) => [...item.parentElement.children].indexOf(item)") == 12


WORSE = "?line=0-6.2-0.9-3.0-6.11-1.10-0-2-6.8-4.12-2-6"
"""Solution of Hoppers 13 in eight moves, one more than needed."""
LARGEST = max(PUZZLES.values(), key=lambda puzzle: puzzle.holes * puzzle.rules.multi_step_moves)


def test_buttons_stay_below_text_and_bounds_survive_a_reload(unproved_page: Page) -> None:
    page = unproved_page
    open_game(page, published_puzzle(), WORSE)
    assert_status_fits(page, "#replay")
    step = ask(page, LARGEST)["steps"][0]
    bounds = {"least": 22, "most": 23}
    answer: dict[str, Any] = {"verdict": "live", "moves_left": None, "bounds": bounds, "proved": False}
    answer |= {"move": [step["from"], step["to"]], "step": {"from": step["from"], "to": step["to"]}}
    page.route("**/hint?*", lambda route: route.fulfill(json=answer))
    open_game(page, LARGEST)
    assert_status_fits(page, "#ask-proof")
    expect(verdict(page)).to_contain_text("22 to 26 more moves")
    page.get_by_role("button", name="Hint", exact=True).click()
    for _ in range(2):
        expect(verdict(page)).to_contain_text("22 to 23 more moves")
        page.reload()


def assert_status_fits(page: Page, offer: str) -> None:
    """Check in two windows that the status text with an offer and a note does not push the buttons out."""
    expect(page.locator(offer)).to_be_visible()
    page.locator(".machine").evaluate(
        "(note) => (note.textContent = '12 of 36 puzzles are ready. '.repeat(3))"
    )
    for width, height in ((1280, 800), (1440, 900)):
        page.set_viewport_size({"width": width, "height": height})
        hidden = page.locator(".play-area").evaluate("(area) => area.scrollHeight - area.clientHeight")
        assert hidden <= 0
