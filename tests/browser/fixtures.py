"""Browser, server and page for the browser tests, and helpers that play on any board."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from flask import Flask
from playwright.sync_api import Browser, CDPSession, Locator, Page, ViewportSize, expect

from hoppers.core.puzzle import Puzzle
from tests.browser.chromium import launched
from tests.browser.tabs import OpenTab, TabPool, opened
from tests.support.engine import PUZZLES

PHONE: ViewportSize = {"width": 360, "height": 740}
LONG_GAME = "/puzzles/triangle-21?position=oooooo.oooooooooooooo&depth=study"
"""Address of a game in which iterative deepening alone takes long."""
NO_TIMERS = """((later) => {
  setTimeout = (act, wait, ...values) => later(act, wait < 1000 ? wait : 1e9, ...values);
})(setTimeout)"""
"""Script for a page on which no timer of a second or more fires."""
KINDS = {(puzzle.family, puzzle.gallery.frame): puzzle for puzzle in reversed(PUZZLES.values())}
"""(family, frame of the board) -> first puzzle of this kind, for tests of generic behaviour."""
each_kind = pytest.mark.parametrize(
    "puzzle", [*KINDS.values()][::-1], ids=[puzzle.id for puzzle in KINDS.values()][::-1]
)

Player = Callable[[Page, int, int], None]
"""Function that makes the step from one hole to another on a page."""


def cut_connections(app: Flask) -> None:
    """Close all connections of a server without notice to the clients."""
    for connection in [*app.extensions["socketio"].server.eio.sockets.values()]:
        app.extensions["loop"].post(connection.close, False, True)  # the thread of the loop owns connections


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Browser for all tests."""
    with launched() as browser:
        yield browser


@pytest.fixture(scope="session")
def tab_pool(browser: Browser, live_server: str) -> Iterator[TabPool]:
    """Tabs at the server of all tests."""
    tab_pool = TabPool(browser, live_server)
    yield tab_pool
    tab_pool.close()


@pytest.fixture
def open_tab(tab_pool: TabPool) -> OpenTab:
    """Function that opens a tab from the pool with the given options."""
    return tab_pool.open


@pytest.fixture
def page(
    request: pytest.FixtureRequest, browser: Browser, live_server: str, open_tab: OpenTab
) -> Iterator[Page]:
    """A reused tab, or a new one for a test marked `own_tab`; with animations for one marked `motion`."""
    is_own, moves = (request.node.get_closest_marker(name) is not None for name in ("own_tab", "motion"))
    options = {"reduced_motion": "no-preference"} if moves else {}
    with opened(browser, live_server, **options) if is_own else open_tab(**options) as page:
        yield page


def hole(page: Page, number: int) -> Locator:
    """Return the button of a hole."""
    return page.locator(f'[data-hole="{number}"]')


def verdict(page: Page) -> Locator:
    """Return the status line."""
    return page.get_by_role("status")


def open_study(page: Page) -> None:
    """Show the solver beside the game."""
    page.get_by_role("radio", name="Study").check()


def tab(page: Page, name: str) -> Locator:
    """Return a tab of the panel, which Study shows."""
    open_study(page)
    return page.get_by_role("tab", name=name)


def by_clicks(page: Page, origin: int, target: int) -> None:
    """Make a step by two clicks."""
    for number in (origin, target):
        click(page, f'[data-hole="{number}"]')


def click(page: Page, selector: str) -> None:
    """Click an element, at once if it can be hit; waiting for a stable layout takes four times as long."""
    place: list[float] | None = page.evaluate(CAN_BE_HIT, selector)
    page.mouse.click(*place) if place else page.locator(selector).click()


CAN_BE_HIT = """(selector) => {
  const place = document.querySelector(selector);
  const box = place?.getBoundingClientRect();
  const middle = box && [box.x + box.width / 2, box.y + box.height / 2];
  return middle && !place.disabled && place.contains(document.elementFromPoint(...middle)) ? middle : null;
}"""
"""Script that returns the middle of an element, or null if it is disabled, covered or outside the window."""


def by_drag(page: Page, origin: int, target: int) -> None:
    """Make a step by dragging the piece."""
    start, end = middle(hole(page, origin)), middle(hole(page, target))
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, steps=3)
    page.mouse.move(*end, steps=3)
    page.mouse.up()


def focus_with_arrows(page: Page, number: int) -> None:
    """Press arrow keys until a hole has the focus, along the shortest path."""
    steps = page.evaluate(ARROWS, number)
    shift = "Shift+" if page.locator(".spot.square").count() else ""  # without it the arrows slide tiles
    for key in steps:
        page.keyboard.press(shift + key)
    expect(hole(page, number)).to_be_focused()


ARROWS = """async (target) => {
  const spots = [...document.querySelectorAll('[data-hole]')];
  const start = Math.max(0, spots.indexOf(document.activeElement));
  const slides = spots[0].classList.contains('square'); // tiles: arrows walk with Shift
  const known = (window.whereArrowsLead ??= new Map());
  const after = (hole, key) => {
    const name = `${hole} ${key}`;
    if (!known.has(name)) {
      spots[hole].focus();
      const press = { key, shiftKey: slides, bubbles: true, cancelable: true };
      spots[hole].dispatchEvent(new KeyboardEvent('keydown', press));
      known.set(name, spots.indexOf(document.activeElement));
    }
    return known.get(name);
  };
  const paths = new Map([[start, []]]);
  for (const hole of paths.keys()) {
    for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown']) {
      const next = after(hole, key);
      if (!paths.has(next)) paths.set(next, [...paths.get(hole), key]);
    }
  }
  spots[start].focus();
  return paths.get(target);
}"""


def middle(place: Locator) -> tuple[float, float]:
    """Return the middle of an element in the window, in pixels."""
    box = place.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def steps_of(moves: list[list[int]]) -> list[tuple[int, int]]:
    """Return the steps (from, to) of moves, which list the holes that a piece visits."""
    return [leg for move in moves for leg in itertools.pairwise(move)]


def play(page: Page, steps: list[tuple[int, int]], make_step: Player = by_clicks) -> None:
    """Make steps one after another."""
    for origin, target in steps:
        make_step(page, origin, target)


MAX_MOVES = 3
"""Moves of a solution that a test plays at most; more would test nothing new."""
Steps = list[tuple[int, int]]
PUBLISHED = [[0, 6], [9, 3], [2, 0, 6], [11, 1], [10, 0, 2, 6], [8, 4], [12, 2, 6]]
"""The published solution of Hoppers 13 in seven moves; see tests/puzzles/test_known_answers.py."""


def published_puzzle() -> Puzzle:
    """Return the puzzle of the published solution, the first of the gallery."""
    return next(iter(PUZZLES.values()))


def ask(page: Page, puzzle: Puzzle, what: str = "", position: str | None = None) -> Any:
    """Return the API's answer about `position` (else the start). `what`: end of the path, as "/solution"."""
    answer = page.request.get(f"/api/puzzles/{puzzle.id}/positions/{position or puzzle.start}{what}")
    assert answer.ok
    return answer.json()


def moves_of(page: Page, puzzle: Puzzle) -> list[list[int]]:
    """Return the moves of a shortest solution from the start, requested from the API."""
    moves: list[list[int]] = ask(page, puzzle, "/solution")["moves"]
    return moves


def open_near_the_end(page: Page, puzzle: Puzzle) -> Steps:
    """Open a game with the last MAX_MOVES moves of a solution left, and return the steps of these moves."""
    moves = moves_of(page, puzzle)
    begun = moves[:-MAX_MOVES]
    open_game(page, puzzle, f"?line={line_of(begun)}" if begun else "")
    return steps_of(moves[len(begun) :])


def open_game(page: Page, puzzle: Puzzle, query: str = "") -> None:
    """Open a game in Study, which shows the verdict, unless `query` has a depth; wait until it is shown.

    Without a query it is the puzzle's own problem, also where its page opens with an easier one.
    """
    query = query or (f"?position={puzzle.start}" if puzzle.gallery.opening else "")
    depth = "" if "depth=" in query else "&depth=study" if query else "?depth=study"
    page.goto(f"/puzzles/{puzzle.id}{query}{depth}")
    expect(page.locator("[data-sent]")).to_have_count(0)  # the scripts have run


def line_of(moves: list[list[int]]) -> str:
    """Return moves as text for the address of a page, such as 0-6.9-3."""
    return ".".join("-".join(map(str, move)) for move in moves)


BROKEN_RULES = """async ([place, options]) => {
  const settings = { resultTypes: ['violations'], preload: false, ...options };
  const { violations } = await axe.run(place ?? document, settings);
  return violations.map((rule) => [rule.id, rule.nodes.map((node) => node.html)]);
}"""


def faults(page: Page, place: str | None = None, **options: Any) -> list[Any]:
    """Return the rules that a page, or one part of it, breaks according to axe, with the elements.

    Axe is loaded into a page only once, and passed rules are not returned: both save time.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    found: list[Any] = page.evaluate(BROKEN_RULES, [place, options])
    return found


def faults_of_dark_colours(page: Page, place: str | None = None) -> list[Any]:
    """Return the elements without enough contrast in the dark theme, which differs only in its colours."""
    page.emulate_media(color_scheme="dark")
    found = faults(page, place, runOnly=["color-contrast"])
    page.emulate_media(color_scheme="light")
    return found


def assert_accessible_at_both_sizes(page: Page) -> None:
    """Assert that axe finds nothing in either theme, and that the page is not wider than a phone.

    Header and footer, which all pages share, have their dark colours checked on the home page.
    """
    assert faults(page) == []
    assert faults_of_dark_colours(page, "main") == []
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def press(page: Page, name: str) -> None:
    """Press a button."""
    page.get_by_role("button", name=name, exact=True).click()


def touch(fingers: CDPSession, kind: str, places: list[tuple[float, float]]) -> None:
    """Send touch event `kind` (touchStart, touchMove or touchEnd) with fingers at `places`."""
    points = [{"x": x, "y": y} for x, y in places]
    fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def assert_rows_add_up(page: Page) -> None:
    """Assert that the search is stopped and that the nodes of all rows add up to the total."""
    expect(page.locator(".state")).to_have_text("stopped")
    nodes = page.locator("[data-limit]").evaluate_all(
        "(rows) => rows.map((row) => Number(row.dataset.nodes))"
    )
    expect(page.locator("#total")).to_have_text(f"{sum(nodes):,}")


def steps_to_dead_end(page: Page, puzzle: Puzzle) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield steps from the start up to the first that loses, each with the position before it."""
    position = puzzle.start
    while True:
        steps = ask(page, puzzle, position=position)["steps"]
        fatal = [step for step in steps if step["verdict"] == "dead"]
        step = (fatal or steps)[0]
        yield position, (step["from"], step["to"])
        if fatal:
            return
        position = step["position"]
