"""A browser, a server for it, and a page that forgives nothing; and ways to play on any board."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, CDPSession, Locator, Page, ViewportSize, expect

from hoppers.core.puzzle import Puzzle
from tests.browser.chromium import launched
from tests.browser.tabs import Lend, Tabs, opened
from tests.engine import PUZZLES

PHONE: ViewportSize = {"width": 360, "height": 740}
NO_LATER = """((later) => {
  setTimeout = (act, wait, ...values) => later(act, wait < 1000 ? wait : 1e9, ...values);
})(setTimeout)"""
"""A script for a page on which nothing happens by itself after a second or more."""
KINDS = {(puzzle.family, puzzle.gallery.frame): puzzle for puzzle in reversed(PUZZLES.values())}
"""The first puzzle of every kind: what is generic is tried on each."""
each_kind = pytest.mark.parametrize(
    "puzzle", [*KINDS.values()][::-1], ids=[puzzle.id for puzzle in KINDS.values()][::-1]
)

Look = tuple[str, str, dict[str, Any]]
LIGHT: Look = ("light", "ja", {})
DARK: Look = ("dark", "en", {"runOnly": ["color-contrast"]})
"""Theme, language, and what axe looks for: in the other theme a page is the same but for its colours."""

Player = Callable[[Page, int, int], None]
"""Makes the step between two holes."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with launched() as browser:
        yield browser


@pytest.fixture(scope="session")
def tabs(browser: Browser, live_server: str) -> Iterator[Tabs]:
    """Tabs at the server of all tests."""
    tabs = Tabs(browser, live_server)
    yield tabs
    tabs.close()


@pytest.fixture
def lend(tabs: Tabs) -> Lend:
    """Lend a tab with options of its own."""
    return tabs.lend


@pytest.fixture
def page(request: pytest.FixtureRequest, browser: Browser, live_server: str, lend: Lend) -> Iterator[Page]:
    """A tab that others had before and will have again, unless the test is marked `own_tab`."""
    is_own = request.node.get_closest_marker("own_tab") is not None
    with opened(browser, live_server) if is_own else lend() as page:
        yield page


def hole(page: Page, number: int) -> Locator:
    return page.locator(f'[data-hole="{number}"]')


def verdict(page: Page) -> Locator:
    return page.get_by_role("status")


def by_clicks(page: Page, origin: int, target: int) -> None:
    hole(page, origin).click()
    hole(page, target).click()


def by_mouse(page: Page, origin: int, target: int) -> None:
    """By clicks, but where a hole can be hit now, without waiting for two frames in which it stands still."""
    for number in (origin, target):
        place: list[float] | None = page.evaluate(CAN_BE_HIT, number)
        page.mouse.click(*place) if place else hole(page, number).click()


CAN_BE_HIT = """(number) => {
  const hole = document.querySelector(`[data-hole="${number}"]`);
  const box = hole?.getBoundingClientRect();
  const place = box && [box.x + box.width / 2, box.y + box.height / 2];
  return place && hole.contains(document.elementFromPoint(...place)) ? place : null;
}"""
"""Where the middle of a hole is, if nothing lies over it and it is in the window."""


def by_drag(page: Page, origin: int, target: int) -> None:
    start, end = middle(hole(page, origin)), middle(hole(page, target))
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, steps=3)
    page.mouse.move(*end, steps=3)
    page.mouse.up()


def by_keys(page: Page, origin: int, target: int) -> None:
    """Walk with the arrows from wherever the focus is, and press Enter on both holes."""
    for number in (origin, target):
        walk(page, number)
        page.keyboard.press("Enter")


def walk(page: Page, number: int) -> None:
    """Press arrows until the hole has the focus: breadth first over what each arrow does."""
    steps = page.evaluate(ARROWS, number)
    for key in steps:
        page.keyboard.press(key)
    expect(hole(page, number)).to_be_focused()


ARROWS = """async (target) => {
  const spots = [...document.querySelectorAll('[data-hole]')];
  const start = Math.max(0, spots.indexOf(document.activeElement));
  const known = (window.whereArrowsLead ??= new Map());
  const after = (hole, key) => {
    const name = `${hole} ${key}`;
    if (!known.has(name)) {
      spots[hole].focus();
      spots[hole].dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
      known.set(name, spots.indexOf(document.activeElement));
    }
    return known.get(name);
  };
  const ways = new Map([[start, []]]);
  for (const hole of ways.keys()) {
    for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown']) {
      const next = after(hole, key);
      if (!ways.has(next)) ways.set(next, [...ways.get(hole), key]);
    }
  }
  spots[start].focus();
  return ways.get(target);
}"""


def middle(place: Locator) -> tuple[float, float]:
    box = place.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def steps_of(moves: list[list[int]]) -> list[tuple[int, int]]:
    """The single steps of moves."""
    return [leg for move in moves for leg in itertools.pairwise(move)]


def play(page: Page, steps: list[tuple[int, int]], way: Player = by_mouse) -> None:
    """Make steps one after another."""
    for origin, target in steps:
        way(page, origin, target)


MOST_MOVES = 12
"""Moves of a solution after which nothing new is seen."""
Steps = list[tuple[int, int]]
PUBLISHED = [[0, 6], [9, 3], [2, 0, 6], [11, 1], [10, 0, 2, 6], [8, 4], [12, 2, 6]]
"""Seven moves for the puzzle with 13 holes in a square; see tests/puzzles/test_known_answers.py."""


def square() -> Puzzle:
    """The puzzle of the published solution: the first of the gallery."""
    return next(iter(PUZZLES.values()))


def ask(page: Page, puzzle: Puzzle, what: str = "", position: str | None = None) -> Any:
    """An answer of the API."""
    answer = page.request.get(f"/api/puzzles/{puzzle.id}/positions/{position or puzzle.start}{what}")
    assert answer.ok
    return answer.json()


def moves_of(page: Page, puzzle: Puzzle) -> list[list[int]]:
    moves: list[list[int]] = ask(page, puzzle, "/solution")["moves"]
    return moves


def open_near_the_end(page: Page, puzzle: Puzzle) -> Steps:
    """Open a game of which some moves of a solution are left; returns their steps."""
    moves = moves_of(page, puzzle)
    begun = moves[:-MOST_MOVES]
    open_game(page, puzzle, f"?line={line_of(begun)}" if begun else "")
    return steps_of(moves[len(begun) :])


def open_game(page: Page, puzzle: Puzzle, query: str = "") -> None:
    page.goto(f"/puzzles/{puzzle.id}{query}")
    expect(page.locator(".count")).not_to_be_empty()


def line_of(moves: list[list[int]]) -> str:
    """Moves as the address of a page has them."""
    return ".".join("-".join(map(str, move)) for move in moves)


BROKEN_RULES = """async ([place, options]) => {
  const asked = { resultTypes: ['violations'], preload: false, ...options };
  const { violations } = await axe.run(place ?? document, asked);
  return violations.map((rule) => [rule.id, rule.nodes.map((node) => node.html)]);
}"""


def faults(page: Page, place: str | None = None, **options: Any) -> list[Any]:
    """What axe finds wrong with a page, or with one place of it: rules, and the places that break them.

    A page that has axe already is not given it again, and what was right is not sent: that takes longest.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    found: list[Any] = page.evaluate(BROKEN_RULES, [place, options])
    return found


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def touch(fingers: CDPSession, kind: str, places: list[tuple[float, float]]) -> None:
    """Fingers that come, move or go, at these places of the window."""
    points = [{"x": x, "y": y} for x, y in places]
    fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def assert_the_rows_add_up(page: Page) -> None:
    """Also with the one in which the search was stopped, which stays."""
    expect(page.locator(".state")).to_have_text("stopped")
    nodes = page.locator("[data-limit]").evaluate_all(
        "(rows) => rows.map((row) => Number(row.dataset.nodes))"
    )
    expect(page.locator("#total")).to_have_text(f"{sum(nodes):,}")
