"""Chromium without features of 2023 and 2024 plays on a board with all its colours.

One sentence says why the rest does not work.
"""

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.tabs import new_tab

pytestmark = pytest.mark.browser

WITHOUT_POPOVERS = """
  for (const name of ["popover", "showPopover", "hidePopover", "togglePopover"])
    delete HTMLElement.prototype[name];
  delete globalThis.ToggleEvent;
  addEventListener("error", ({ message }) => (document.documentElement.dataset.fault = message));"""
COLOURS = """() => [...document.querySelectorAll(".slab-edge, .hole-ring, body")].map((place) => {
  const { fill, stroke, backgroundColor } = getComputedStyle(place);
  return [fill, stroke, backgroundColor].join();
})"""


def without_newer_styles(route: Route) -> None:
    """Answer with the names of the newer features changed, so that Chromium knows none of them."""
    answer = route.fetch()
    text = answer.text().replace("light-dark(", "light-dusk(").replace(":popover-open", ":popover-unknown")
    route.fulfill(response=answer, body=text)


def older(browser: Browser, address: str, scheme: str) -> Page:
    page = new_tab(browser, address, bypass_csp=True, color_scheme=scheme)
    page.add_init_script(WITHOUT_POPOVERS)
    page.route(lambda url: "/puzzles/hoppers" in url or url.endswith(".css"), without_newer_styles)
    return page


def test_older_browsers_have_colours_and_one_sentence(browser: Browser, live_server: str) -> None:
    seen = []
    for scheme in ("light", "dark"):
        page = older(browser, live_server, scheme)
        page.goto("/puzzles/hoppers?depth=study")
        expect(page.locator("[data-sent]")).to_have_count(0)
        expect(page.locator(".too-old")).to_be_visible()
        assert page.get_attribute("html", "data-fault") is None
        seen.append(page.evaluate(COLOURS))
        for hole in (0, 6):
            page.locator(f'[data-hole="{hole}"]').click()
        expect(page.locator(".count")).to_contain_text("1 move")
        page.context.close()
    light, dark = seen
    assert all(a != b for a, b in zip(light, dark, strict=True))
    known = new_tab(browser, live_server)
    known.goto("/puzzles/hoppers?depth=study")
    assert known.evaluate(COLOURS) == light
    expect(known.locator(".too-old")).to_be_hidden()
    known.context.close()


def test_page_without_modules_has_its_moves_as_links(browser: Browser, live_server: str) -> None:
    page = new_tab(browser, live_server)
    page.route("**/pages/*.js", lambda route: route.abort())
    page.goto("/")
    expect(page.locator(".too-old")).to_be_visible()
    page.get_by_role("link", name="Play without scripts").click()
    expect(page.locator(".plain-moves a").first).to_be_visible()
    page.locator(".plain-moves a").first.click()
    expect(page.locator(".plain-moves a").first).to_be_visible()
    page.context.close()
