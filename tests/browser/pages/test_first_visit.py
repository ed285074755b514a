"""The first seconds of a page, its weight, and the first visit."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, Request, Route, expect

from hoppers.core.puzzle import Puzzle
from tests.browser.fixtures import (
    NO_TIMERS,
    PHONE,
    PUBLISHED,
    ask,
    by_clicks,
    each_kind,
    faults,
    middle,
    open_game,
    press,
    published_puzzle,
    verdict,
)
from tests.browser.tabs import OpenTab, opened

pytestmark = pytest.mark.browser

MAX_BYTES, MAX_REQUESTS = 95_000, 12
"""Bytes, headers included, and requests that a first visit may take."""
KEYS = ["Undo", "Redo", "Restart", "Hint", "Solution", "Search"]
SLOW = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 90_000}
"""A slow phone network: 150 ms round trip, 1.6 megabits per second."""
SCRIPTS = re.compile(r"\.js$")
HeldPage = tuple[Page, Callable[[], None]]
GLOWING = """[...document.querySelectorAll('.spot')].filter((spot) => {
  const { content, display } = getComputedStyle(spot, '::after');
  return content !== 'none' && display !== 'none';
}).map((spot) => Number(spot.dataset.hole))"""
FIRST_PAINT = """() => new Promise((done) => {
  const first = (list) => list.getEntriesByName('first-contentful-paint').map((at) => done(at.startTime));
  new PerformanceObserver(first).observe({ type: 'paint', buffered: true });
})"""
BLOCKING_FILES = """() => performance.getEntriesByType('resource')
  .filter((file) => file.renderBlockingStatus === 'blocking').map((file) => file.name)"""
SHIFTS = """() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => (sum += entry.value)))
    .observe({ type: 'layout-shift', buffered: true });
  setTimeout(() => done(sum), 200);
})"""


IS_IN_SIGHT = """(name) => [...document.querySelectorAll('button')].some((key) => {
  const { x, y, width, height } = key.getBoundingClientRect();
  const inside = x >= 0 && y >= 0 && x + width <= innerWidth && y + height <= innerHeight;
  const top = key.innerText.trim() === name && document.elementFromPoint(x + width / 2, y + height / 2);
  return inside && top && key.contains(top) && key.checkVisibility({ opacityProperty: true });
})"""
"""Script that returns whether a button is inside the window, visible and not covered."""
STATUS_LINE = "(status) => [status.dataset.verdict, status.dataset.movesLeft, status.innerText]"


def status_line(page: Page) -> list[str]:
    """Return the verdict, the fewest moves left and the texts of the status line."""
    found: list[str] = page.get_by_role("status").evaluate(STATUS_LINE)
    return found


def slow_down(page: Page) -> None:
    """Let the page load over a slow network."""
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", SLOW)


@each_kind
def test_board_and_rules_are_painted_before_any_script(
    browser: Browser, live_server: str, puzzle: Puzzle
) -> None:
    """The first paint needs only the HTML of the page, and no script or style sheet."""
    held: list[Route] = []
    with opened(browser, live_server, first_visit=True, viewport=PHONE, has_touch=True) as page:
        page.request.get(f"/puzzles/{puzzle.id}")
        page.add_init_script(NO_TIMERS)  # the page stays in its reduced first state
        slow_down(page)
        page.route(re.compile(r"\.(js|css)$"), lambda route: held.append(route))
        page.goto(f"/puzzles/{puzzle.id}", wait_until="commit")
        print(f"first paint of {puzzle.id} after {page.evaluate(FIRST_PAINT):.0f} ms")
        pieces = sum(cell in puzzle.rules.alphabet[1:] for cell in puzzle.start)
        expect(page.locator(".board [data-at]")).to_have_count(pieces)
        expect(page.locator(".board svg")).to_be_visible()
        expect(page.locator(".note")).to_contain_text(str(puzzle.texts.objective))
        assert page.locator("[data-movable]").count() == 0
        expect(page.locator("html")).to_have_attribute("data-quiet", "")
        assert [name for name in KEYS if not page.evaluate(IS_IN_SIGHT, name)] == []
        sent = status_line(page)
        assert page.evaluate(BLOCKING_FILES) == []
        while held:
            held.pop().continue_()
        expect(page.locator("[data-movable]").first).to_be_attached()
        assert page.evaluate(SHIFTS) < 0.02
        assert status_line(page) == sent


@pytest.mark.parametrize("path", ["/", f"/puzzles/{published_puzzle().id}"])
def test_page_is_light_with_everything(browser: Browser, live_server: str, path: str) -> None:
    """The weight includes the headers."""
    sizes: list[int] = []

    def count_bytes(request: Request) -> None:
        size = request.sizes()
        sizes.append(size["responseBodySize"] + size["responseHeadersSize"])

    with opened(browser, live_server) as page:
        page.on("requestfinished", count_bytes)
        page.goto(path, wait_until="networkidle")
    print(f"{path}: {len(sizes)} requests, {sum(sizes):,} bytes")
    assert sum(sizes) <= MAX_BYTES
    assert len(sizes) <= MAX_REQUESTS


def invisible_parts(page: Page) -> list[str]:
    """Return the names of the parts of the page whose opacity is 0."""
    parts = {
        "panel": "#solver",
        "tabs": ".tabs",
        "keys": ".controls",
        "search": "#search",
        "boards": ".puzzle-list",
        "board": ".board",
        "status": ".status",
    }
    return [
        name
        for name, at in parts.items()
        if page.locator(at).evaluate("(part) => getComputedStyle(part).opacity") == "0"
    ]


FORGET = "localStorage.clear()"
"""Script that makes every visit the first one; a visit stores its game late, so this runs before each."""


def test_first_visit_begins_with_board_rules_and_buttons(browser: Browser, live_server: str) -> None:
    """Any of four actions shows the rest of the page, and a press opens nothing that was invisible."""
    with opened(browser, live_server, first_visit=True, has_touch=True) as page:
        page.add_init_script(NO_TIMERS)
        page.add_init_script(FORGET)
        open_game(page, published_puzzle(), "?depth=study")
        assert faults(page) == []
        x, y = middle(page.locator("#tab-moves"))
        actions: list[Callable[[], None]] = [
            lambda: page.keyboard.press("Tab"),
            lambda: by_clicks(page, 0, 6),
            lambda: page.touchscreen.tap(x, y),
            lambda: page.mouse.move(x, y),
        ]
        for act in actions:
            open_game(page, published_puzzle(), "?depth=study")
            assert invisible_parts(page) == ["panel", "tabs", "boards"]
            act()
            assert_everything_is_visible(page)
        open_game(page, published_puzzle(), "?line=0-6")
        expect(page.locator("html")).not_to_have_attribute("data-quiet", "")


def assert_everything_is_visible(page: Page) -> None:
    """Check that the whole page is shown, and that no press opened a hidden part."""
    expect(page.locator("html")).not_to_have_attribute("data-quiet", "")
    assert invisible_parts(page) == []
    expect(page.locator("#moves")).to_be_hidden()


@pytest.fixture
def held_page(browser: Browser, live_server: str) -> Iterator[HeldPage]:
    """A game page whose scripts wait, and the function that lets them load."""
    held: list[Route] = []
    released: list[bool] = []

    def hold(route: Route) -> None:
        if released:
            route.continue_()
        else:
            held.append(route)

    def release() -> None:
        released.append(True)
        while held:
            held.pop().continue_()

    with opened(browser, live_server, first_visit=True) as page:
        page.route(SCRIPTS, hold)
        page.goto(f"/puzzles/{published_puzzle().id}", wait_until="commit")
        page.wait_for_function(
            "() => document.readyState === 'interactive'"
        )  # until then the layout may move
        yield page, release


def test_presses_before_the_scripts_are_done_afterwards(held_page: HeldPage) -> None:
    """Presses keep their order: the search and the hint are for the position after the move."""
    page, release = held_page
    by_clicks(page, 0, 6)
    press(page, "Search")
    press(page, "Hint")
    assert page.locator("[data-hint]").count() == 0
    release()
    expect(page.locator("main")).to_have_attribute("data-position", ".oo.ooooooooo")
    expect(page.locator("[data-hint]")).to_have_attribute("data-hole", str(PUBLISHED[1][0]))
    expect(page.locator("[data-kept]")).to_have_count(0)
    expect(page.locator('[data-limit="6"]')).to_have_attribute("data-state", "solved")
    press(page, "Undo")
    expect(page.locator("main")).to_have_attribute("data-position", published_puzzle().start)


def test_first_visit_shows_the_pieces_that_can_move(open_tab: OpenTab) -> None:
    """Later visits mark no piece, even if no move was played. The rest of the page appears automatically."""
    with open_tab(first_visit=True) as page:
        open_game(page, published_puzzle(), "?depth=play")
        page.locator("[data-movable]").first.wait_for(state="attached")
        assert set(page.evaluate(GLOWING)) == {
            step["from"] for step in ask(page, published_puzzle())["steps"]
        }
        expect(page.locator("html")).not_to_have_attribute("data-quiet", "")
        by_clicks(page, 0, 6)
        expect(verdict(page)).to_contain_text("1 move")
        assert page.evaluate(GLOWING) == []
        page.evaluate(
            "localStorage.removeItem('puzzles/game/' + document.querySelector('main').dataset.puzzle)"
        )
        open_game(page, published_puzzle())
        expect(page.locator("[data-movable]").first).to_be_attached()
        expect(page.locator("html")).not_to_have_attribute("data-quiet", "")
        assert page.evaluate(GLOWING) == []
