"""A running search: the badge, a stable layout, and scrolling."""

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect

from hoppers.core.puzzle import Puzzle
from tests.browser.fixtures import ask, by_clicks, cut_connections, open_game, press, verdict
from tests.browser.tabs import OpenTab, expect_faults, opened
from tests.conftest import running_app, serving
from tests.support.engine import PUZZLES
from tests.support.search_panel import LIMITS, endless_puzzle

pytestmark = pytest.mark.browser

LOW_PHONE: ViewportSize = {"width": 360, "height": 560}
"""A window in which five rows fill the sheet."""

AFTER_SCROLLING = 700
"""Milliseconds after which scrolling by hand has certainly ended."""


def largest_board() -> Puzzle:
    """Return the peg board with most holes: every search of it is long."""
    return max(PUZZLES.values(), key=lambda puzzle: puzzle.holes * puzzle.rules.multi_step_moves)


def unproved_position(page: Page) -> str:
    """Return a position of the largest board, near its start, of which no solution and no proof is known."""
    board, position = largest_board(), largest_board().start
    while True:
        verdicts = {
            step["verdict"]: step["position"] for step in ask(page, board, position=position)["steps"]
        }
        if "unknown" in verdicts:
            return str(verdicts["unknown"])
        position = verdicts["live"]


def open_unproved(page: Page) -> None:
    """Open the game of an unproved position."""
    open_game(page, largest_board(), f"?position={unproved_position(page)}")
    expect(page.locator(".verdict")).to_contain_text("Not known")


def start_search(page: Page) -> None:
    """Open a position whose verdict is unknown, and start iterative deepening."""
    open_unproved(page)
    page.get_by_label("Method").select_option("deepening")
    press(page, "Search")


def wait_for_limit(page: Page, limit: int) -> None:
    """Wait until a limit is ruled out."""
    expect(page.locator(f'[data-state="exhausted"][data-limit="{limit}"]')).to_be_attached()


def visible_nodes(page: Page) -> Locator:
    """Return the cell with the nodes of the current row, which must be in view."""
    nodes = page.locator('[data-state="searching"] .nodes')
    expect(nodes).to_be_in_viewport()
    return nodes


def test_badge_shows_the_limit_being_searched(page: Page) -> None:
    """The badge is hidden for another position, and while the search is paused or has ended.

    Screen readers do not announce each limit.
    """
    largest, paused = largest_board(), "Not known"
    badge, more = page.locator(".verdict"), page.locator(".verdict .more")
    start_search(page)
    expect(page.locator('[data-state="exhausted"][data-limit="5"]')).to_be_attached()
    expect(badge).to_have_text(re.compile(r"Checking\s*move limit [6-9]…"))
    expect(page).to_have_title(re.compile(r"^Searching limit \d+ · "))
    expect(verdict(page)).to_have_attribute("data-verdict", "unknown")
    expect(verdict(page)).to_have_attribute("aria-live", "off")
    expect(page.locator("#ask-proof")).to_be_hidden()
    expect(page.locator("#pace")).to_contain_text(
        " nodes per second."
    )  # shown only for rows that take a while
    start = page.locator("main").get_attribute("data-position")
    step = ask(page, largest, position=start)["steps"][0]
    by_clicks(page, step["from"], step["to"])
    expect(more).not_to_contain_text("limit")
    page.locator("#undo").click()
    expect(more).to_contain_text(re.compile(r"limit \d"))
    page.locator("#pause").press("Enter")
    expect(badge).to_contain_text(paused)
    page.locator("#pause").press("Enter")
    expect(more).to_contain_text(re.compile(r"limit \d"))
    page.locator("#stop").click()
    expect(page.locator('[data-state="stopped"] .result')).to_have_text("stopped")
    expect(badge).to_contain_text(paused)
    expect(page.locator("#ask-proof")).to_be_visible()


PLACES = """() => {
  window.places = [];
  const look = () => {
    const boxes = ['#pause', '.panel'].map((name) => document.querySelector(name).getBoundingClientRect());
    window.places.push(boxes.map(({ y }) => Math.round(y)).join());
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""
"""Script that records in `places` the y of the Pause button and of the panel in every frame."""


def test_new_rows_keep_the_position_scrolled_to_by_wheel(open_tab: OpenTab) -> None:
    """The current row stays in view until the sheet is scrolled away from it."""
    with open_tab(viewport=LOW_PHONE, has_touch=True) as page:
        start_search(page)
        wait_for_limit(page, 5)
        nodes = visible_nodes(page)
        expect(page.locator(".method-note")).not_to_be_in_viewport(ratio=1)
        page.locator("#solver").hover()
        page.mouse.wheel(0, -2000)
        expect(page.locator(".method-note")).to_be_in_viewport(ratio=1)
        expect(nodes).not_to_have_text(nodes.inner_text())
        expect(page.locator(".method-note")).to_be_in_viewport(ratio=1)
        press(page, "Stop")


def test_new_rows_keep_the_position_scrolled_to_by_keys(open_tab: OpenTab) -> None:
    """The focus is on a button inside the sheet."""
    with open_tab(viewport=LOW_PHONE, has_touch=True) as page:
        start_search(page)
        wait_for_limit(page, 5)
        nodes = visible_nodes(page)
        expect(page.locator(".method-note")).not_to_be_in_viewport(ratio=1)
        page.locator("#pause").focus()
        page.keyboard.press("Home")
        expect(page.locator(".method-note")).to_be_in_viewport(ratio=1)
        page.wait_for_timeout(AFTER_SCROLLING)
        expect(nodes).not_to_have_text(nodes.inner_text())
        expect(page.locator(".method-note")).to_be_in_viewport(ratio=1)
        press(page, "Stop")


SPARE = """() => {
  const status = document.querySelector('.status');
  const [high, held] = [status.offsetHeight, status.style.getPropertyValue('--held')];
  status.style.removeProperty('--held');
  const spare = high - status.offsetHeight;
  if (held) status.style.setProperty('--held', held);
  return spare;
}"""
"""Script that returns the height reserved for the status line, in pixels."""


def test_status_height_is_reserved_only_during_a_search(open_tab: OpenTab) -> None:
    """A new window width or the end of the search frees the height. A requested proof can be paused."""
    with open_tab(viewport={"width": 840, "height": 390}, has_touch=True) as page:
        open_unproved(page)
        page.locator("#ask-proof").press("Enter")
        expect(page.locator("#pause")).to_be_focused()
        expect(page.locator("#ask-proof")).to_be_hidden()
        assert page.evaluate(SPARE) > 0
        page.set_viewport_size({"width": 800, "height": 390})
        page.wait_for_function(f"() => ({SPARE})() === 0")
        press(page, "Stop")
        expect(page.locator("#solver")).not_to_have_attribute("data-under", "")
        assert page.locator(".status").evaluate("(it) => it.style.getPropertyValue('--held')") == ""


def test_focus_stays_on_idle_buttons_and_leaves_disabled_ones(page: Page) -> None:
    """The focus never jumps to the top of the page: at the first and last move, and when a search ends."""
    open_game(page, largest_board(), "?depth=study")
    step = ask(page, largest_board())["steps"][0]
    by_clicks(page, step["from"], step["to"])
    for key in ("undo", "redo", "restart"):
        pressed = page.locator(f"#{key}")
        expect(pressed).to_have_attribute("aria-disabled", "false")
        pressed.press("Enter")
        expect(pressed).to_have_attribute("aria-disabled", "true")
        expect(pressed).to_be_focused()
    page.get_by_label("Method").select_option("deepening")
    page.locator("#search").press("Enter")
    page.locator("#stop").press("Enter")
    expect(page.locator("#search")).to_be_focused()
    page.locator("#search").press("Enter")
    page.locator("#pause").focus()
    page.locator("#stop").evaluate("(key) => key.click()")
    expect(page.locator("#deeper")).to_be_focused()


WORDS_OUT = """() => [...document.querySelectorAll('.limits .result')].map((cell) => {
  const words = document.createRange();
  words.selectNodeContents(cell);
  return words.getBoundingClientRect().right - cell.getBoundingClientRect().right;
})"""
"""Script that returns by how many pixels each result extends beyond its column."""


@pytest.mark.parametrize("size", [(320, 640), (1280, 520)])
def test_rows_of_a_search_keep_the_layout(open_tab: OpenTab, size: tuple[int, int]) -> None:
    """No button moves, words fit their column, and the head of the table stays below the buttons."""
    with open_tab(viewport={"width": size[0], "height": size[1]}) as page:
        start_search(page)
        page.evaluate(PLACES)
        wait_for_limit(page, 5)
        expect(page.locator('[data-state="searching"]')).to_be_attached()  # for seconds
        assert max(page.evaluate(WORDS_OUT)) <= 0
        press(page, "Stop")
        expect(page.locator(".verdict")).to_contain_text("Not known")
        assert size == (1280, 520) or len(set(page.evaluate("window.places"))) == 1
        expect(page.locator('[data-state="stopped"]')).to_be_attached()
        assert max(page.evaluate(WORDS_OUT)) <= 0
        page.locator("[data-limit]").last.evaluate("(row) => row.scrollIntoView({ block: 'end' })")
        heading = page.locator(".limits th").first.bounding_box()
        keys = page.locator("#deeper").bounding_box()
        assert heading and keys and 0 <= heading["y"] - (keys["y"] + keys["height"]) < 13
        row = page.locator("[data-limit]").last.bounding_box()
        assert row and row["y"] >= heading["y"] + heading["height"] - 1


def test_search_of_a_link_has_the_focus_on_pause(page: Page) -> None:
    page.goto(f"/puzzles/{largest_board().id}?position={unproved_position(page)}&search")
    expect(page.locator("#pause")).to_be_focused()
    press(page, "Stop")
    expect(page.locator("#solver .say")).to_contain_text("Stopped.")


def test_lost_connection_is_reported_and_the_search_continues(browser: Browser) -> None:
    long = endless_puzzle()
    with running_app() as app, serving(app) as url, opened(browser, url) as page:
        open_game(page, long)
        expect_faults(page, "ERR_INTERNET_DISCONNECTED")
        page.get_by_label("Method").select_option("deepening")
        press(page, "Search")
        expect(page.locator('[data-limit="5"]')).to_be_visible()
        page.context.set_offline(True)
        cut_connections(app)
        banner = page.locator(".banner")
        expect(banner).to_contain_text("Reconnecting (2)… You can keep playing")
        expect(banner.locator("[aria-hidden]")).to_have_text(re.compile(r"^ \(\d\)$"))
        expect(page.locator("[aria-live=polite]", has=banner)).to_have_count(1)
        expect(page.locator("[role=alert]", has=banner)).to_have_count(0)
        press(page, "Pause the search")
        expect(page.locator(".state")).to_contain_text("reconnecting, then pausing")
        page.context.set_offline(False)
        expect(page.locator(".banner")).to_be_hidden()
        expect(page.locator(".state")).to_have_text("paused")
        press(page, "Resume the search")
        expect(page.locator(".state")).to_contain_text("running")
        expect(page.locator('[data-limit="16"]')).to_be_visible()
        expect(page.locator("#solver .say")).not_to_contain_text("is repeating it")
        limits = page.locator("[data-limit]").evaluate_all(LIMITS)
        assert limits == sorted(set(limits))
