"""What is told of a long line of play, and of an order of tiles that is too hard to judge."""

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
    square,
    steps_of,
    verdict,
)
from tests.browser.tabs import Lend
from tests.browser.test_play import to_a_dead_end
from tests.engine import PUZZLES

pytestmark = pytest.mark.browser

TILES = [puzzle for puzzle in PUZZLES.values() if "tile" in puzzle.gallery.pieces]


def test_a_long_line_the_slider_and_the_exits_stay_in_sight(lend: Lend) -> None:
    puzzle = TILES[-1]
    with lend(viewport=PHONE, has_touch=True) as page:
        open_game(page, puzzle)
        line = ".".join(f"{origin}-{target}" for origin, target in steps_of(moves_of(page, puzzle))[:36])
        open_game(page, puzzle, f"?start={puzzle.start}&line={line}")
        page.get_by_role("tab", name="Moves").tap()
        page.locator("#undo").tap()
        expect(page.locator(".own .chip[aria-current]")).to_be_in_viewport(ratio=1)
        page.locator("#restart").tap()
        page.locator("#solution").tap()
        page.locator('[data-deck="last"]').tap()
        expect(page.locator(".player .chip[aria-current]")).to_be_in_viewport(ratio=1)
        for kept in (".scrub", "#leave", "#adopt"):
            expect(page.locator(kept)).to_be_in_viewport(ratio=1)
        page.locator("#leave").tap()
        page.locator("#solution").tap()
        expect(page.locator(".player h2")).to_be_in_viewport(ratio=1)


def test_after_a_dealt_order_another_of_its_kind_is_next(page: Page) -> None:
    puzzle = TILES[0]
    *_, kind, hardest = puzzle.gallery.random_kinds
    open_game(page, puzzle, f"?deal={kind}&seed=1")
    for name in ("Solution", "Last", "Play on from here"):
        page.get_by_role("button", name=name, exact=True).click()
    expect(page.get_by_role("link", name="Next challenge")).to_have_attribute(
        "href", re.compile(f"deal={kind}$")
    )
    assert kind != hardest


def test_an_order_of_which_nothing_is_proved_can_be_solved_all_the_same(page: Page) -> None:
    puzzle = TILES[-1]
    undecided = {"verdict": "unknown", "moves_left": None}

    def forget(route: Route) -> None:
        answer = route.fetch().json()
        steps = [step | undecided for step in answer["steps"]]
        route.fulfill(json={**answer, **undecided, "steps": steps})

    page.route("**/positions/*?goal=*", forget)
    open_game(page, puzzle)
    (first, _), (second, _) = steps_of(moves_of(page, puzzle))[:2]
    hole(page, first).click()
    expect(verdict(page)).to_have_attribute("data-verdict", "unknown")
    expect(verdict(page)).to_contain_text("it can be solved, with at least 47 more moves")
    page.keyboard.press("m")
    tile = int(puzzle.start[second], 16)
    expect(page.locator(".note")).to_contain_text(re.compile(rf"steps are possible: .*\b{tile}\b"))


def test_a_position_of_which_nothing_is_known_is_not_called_live_when_the_next_is_dead(page: Page) -> None:
    def doubted(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace('"live"', '"unknown"'))

    page.route("**/api/puzzles/*/positions/*", doubted)
    open_game(page, square())
    for origin, target in to_a_dead_end(page, square()):
        play(page, [(origin, target)])
    expect(verdict(page)).to_have_attribute("data-verdict", "dead")
    expect(verdict(page)).to_contain_text("the position 1 move ago is not known to be dead")


def test_the_own_way_is_shown_where_it_is_listed(lend: Lend) -> None:
    """Far down among all of them, which one of each kind would leave out."""
    with lend(viewport=PHONE, has_touch=True) as page:
        [way] = ask(page, square(), "/solutions?offset=52&limit=1")["solutions"]
        held, waits = list[Route](), [True]
        page.route("**/board.svg?*", lambda route: held.append(route) if waits else route.continue_())
        open_game(page, square(), f"?line={line_of(way)}")
        page.get_by_role("tab", name="All").tap()
        page.get_by_role("button", name="Yours is number 53 of all.").tap()
        own = page.locator("#all li[aria-current]")
        expect(own.locator(".way")).to_be_focused()
        expect(own).to_be_in_viewport(ratio=1)
        waits.clear()
        for route in held:
            route.continue_()
        expect(own.locator("img")).to_have_js_property("complete", True)
        expect(own).to_be_in_viewport(ratio=1)  # the pictures that have come move nothing
        expect(page.locator("#all ol")).to_have_attribute("start", "41")
        assert own.evaluate("(item) => [...item.parentElement.children].indexOf(item)") == 12


WORSE = "?line=0-6.2-0.9-3.0-6.11-1.10-0-2-6.8-4.12-2-6"
"""Eight moves, one more than are needed."""
LARGEST = max(PUZZLES.values(), key=lambda puzzle: puzzle.holes * puzzle.rules.multi_step_moves)


@pytest.mark.parametrize("size", [(1280, 800), (1440, 900)])
def test_the_keys_have_their_place_under_all_that_is_said(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    for puzzle, query, offer in ((square(), WORSE, "#replay"), (LARGEST, "", "#ask-proof")):
        open_game(page, puzzle, query)
        expect(page.locator(offer)).to_be_visible()
        hidden = page.locator(".desk").evaluate("(desk) => desk.scrollHeight - desk.clientHeight")
        assert hidden <= 0


def test_what_a_hint_has_told_is_known_after_a_reload(page: Page) -> None:
    step = ask(page, LARGEST)["steps"][0]
    told: dict[str, Any] = {"verdict": "unknown", "moves_left": None, "proved": False, "found": 23}
    told |= {"move": [step["from"], step["to"]], "step": {"from": step["from"], "to": step["to"]}}
    page.route("**/hint?*", lambda route: route.fulfill(json=told))
    open_game(page, LARGEST)
    expect(verdict(page)).to_contain_text("26 moves were found")
    page.get_by_role("button", name="Hint", exact=True).click()
    for _ in range(2):
        expect(verdict(page)).to_contain_text("23 moves were found")
        page.reload()
