"""Pages with a board in low and narrow windows and with large text.

The board keeps a size that can be played, no text lies on another, and nothing needs a scroll sideways.
"""

import pytest
from playwright.sync_api import Page

from tests.browser.tabs import OpenTab

pytestmark = pytest.mark.browser

WINDOWS = [
    (320, 256),
    (427, 341),
    (480, 270),
    (568, 320),
    (640, 400),
    (667, 375),
    (512, 384),
    (720, 450),
    (360, 740),
]
PAGES = [
    *["/", "/?card=mini", "/stream/hoppers", "/stream/hoppers?mode=three-minutes"],
    *["/puzzles/hoppers", "/puzzles/hoppers?depth=study", "/puzzles/english-33?depth=study"],
]
LEAST_BOARD = 240 - 1
FAULTS = """(least) => {
  const faults = [];
  const { width, height } = document.querySelector(".board").getBoundingClientRect();
  if (Math.max(width, height) < least) faults.push(`the board has ${width} x ${height} pixels`);
  const wide = document.documentElement.scrollWidth - innerWidth;
  if (wide > 0) faults.push(`${wide} pixels need a scroll sideways`);
  const fixed = (place) => // a bar under which the page scrolls
    place.closest(".controls") && getComputedStyle(place.closest(".controls")).position !== "static";
  const seen = (place) => place.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    && !place.closest(".hush, [popover]:not(:popover-open)") && getComputedStyle(place).clipPath === "none";
  const inside = (place) => {
    let { left, top, right, bottom } = place.getBoundingClientRect();
    for (let at = place.parentElement; at !== document.body; at = at.parentElement) {
      if (getComputedStyle(at).overflow === "visible") continue;
      const box = at.getBoundingClientRect();
      [left, top] = [Math.max(left, box.left), Math.max(top, box.top)];
      [right, bottom] = [Math.min(right, box.right), Math.min(bottom, box.bottom)];
    }
    return { left, top, right, bottom };
  };
  const names = "main :is(.board, .count, .word, .more, .note, .key, .ask, .tab, .kicker, h1)";
  const places = [...document.querySelectorAll(names)].filter(seen).filter((place) => !fixed(place));
  const boxes = places.map(inside);
  for (const [index, place] of places.entries())
    for (const [at, other] of places.entries()) {
      if (at >= index || place.contains(other) || other.contains(place)) continue;
      const [a, b] = [boxes[index], boxes[at]];
      const x = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      const [upper, lower] = [other, place].map((each) => each.textContent.trim().slice(0, 30));
      if (x > 2 && y > 2) faults.push(`${upper || "the board"} lies on ${lower || "the board"}`);
    }
  return faults;
}"""


def faults_in(page: Page, windows: list[tuple[int, int]]) -> dict[tuple[int, int], list[str]]:
    """Return what is wrong in each window."""
    found = {}
    for width, height in windows:
        page.set_viewport_size({"width": width, "height": height})
        if faults := page.evaluate(FAULTS, LEAST_BOARD):
            found[width, height] = faults
    return found


@pytest.mark.parametrize("path", PAGES)
def test_every_page_with_a_board_fits_every_window(page: Page, path: str) -> None:
    page.goto(path)
    page.wait_for_selector("[data-hole]", state="attached")
    assert faults_in(page, WINDOWS) == {}


@pytest.mark.parametrize("path", ["/", "/puzzles/triangle-15?depth=study"])
def test_pages_fit_with_text_of_twice_the_size(open_tab: OpenTab, path: str) -> None:
    with open_tab() as page:
        fonts = page.context.new_cdp_session(page)
        fonts.send("Page.setFontSizes", {"fontSizes": {"standard": 32}})
        page.goto(path)
        assert faults_in(page, [(360, 740), (1280, 800)]) == {}
        fonts.send("Page.setFontSizes", {"fontSizes": {"standard": 16}})
