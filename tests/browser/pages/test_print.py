"""Pages on paper, and on systems that set all colours themselves."""

from typing import Any, Literal

import numpy as np
import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.fixtures import (
    PHONE,
    open_game,
    press,
    published_puzzle,
)
from tests.browser.tabs import OpenTab, expect_faults
from tests.support.grey_levels import greys

pytestmark = pytest.mark.browser

BOARD = f"/puzzles/{published_puzzle().id}"
PATHS = [
    "/",
    "/classics",
    "/lessons",
    "/lessons/1",
    "/lessons/3",
    BOARD,
    f"{BOARD}/print",
    f"{BOARD}/race",
    f"{BOARD}/explore",
    f"{BOARD}/inside",
    "/puzzles/eight-puzzle",
    "/puzzles/flip-it-6/explore",
    "/no-such-page",
]
SHEET: ViewportSize = {"width": 640, "height": 480}
"""Enough of a page to see its ground: a screenshot of it takes half the time of one of a whole window."""
DARK = "localStorage.setItem('puzzles/settings', '{\"theme\": \"dark\"}')"
TOO_PALE = """() => {
  const paper = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const channels = (colour) => {
    paper.clearRect(0, 0, 1, 1);
    paper.fillStyle = colour;
    paper.fillRect(0, 0, 1, 1);
    return [...paper.getImageData(0, 0, 1, 1).data];
  };
  const linear = (channel) => (channel <= 10 ? channel / 3294 : ((channel / 255 + 0.055) / 1.055) ** 2.4);
  const contrastToWhite = (colour) => {
    const [red, green, blue] = channels(colour).map(linear);
    return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
  };
  const texts = [...document.querySelectorAll('body *:not(svg *)')].filter((place) =>
    place.checkVisibility() && [...place.childNodes].some((node) => node.nodeType === 3 && node.data.trim()));
  const pale = texts.filter((place) => contrastToWhite(getComputedStyle(place).color) < 4.5);
  return pale.map((place) => place.outerHTML.slice(0, 90));
}"""
"""Script that returns the elements whose text could not be read on white paper, without any background."""


@pytest.mark.parametrize(("theme", "paths"), [(DARK, PATHS), ("", PATHS[:4])], ids=["dark", "system"])
def test_every_page_prints_on_white(page: Page, theme: str, paths: list[str]) -> None:
    """The ground is white, and every text is dark enough where backgrounds are not printed."""
    expect_faults(page, "404")
    page.set_viewport_size(SHEET)
    page.goto("/healthz")
    page.evaluate(theme)
    for path in paths:
        page.goto(path)
        page.emulate_media(media="print", color_scheme="dark")
        pixels = greys(page, page.screenshot())
        assert (pixels > 250).mean() > 0.4, path
        assert np.median(pixels[:, -1]) == np.median(pixels[-1]) == 255, path
        assert page.evaluate(TOO_PALE) == [], path
        page.emulate_media(media="null", color_scheme="dark")
        if path in PATHS[:2]:  # enough to see that the theme was dark on the screen
            assert (greys(page, page.screenshot()) < 128).mean() > 0.3, path


SIGNS = """(selector) => [...document.querySelectorAll(selector)].map((sign) => {
  const { backgroundColor, borderTopColor, borderBottomColor, outlineStyle } = getComputedStyle(sign);
  return [backgroundColor, borderTopColor, borderBottomColor, outlineStyle];
})"""


def signs(page: Page, selector: str) -> Any:
    """Return the colours of the background and borders, and the outline, of some elements."""
    return page.evaluate(SIGNS, selector)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_filled_signs_are_visible_in_forced_colours(
    open_tab: OpenTab, scheme: Literal["light", "dark"]
) -> None:
    for options in ({}, {"viewport": PHONE}):
        with open_tab(color_scheme=scheme, **options) as page:
            page.emulate_media(forced_colors="active", color_scheme=scheme)
            open_game(page, published_puzzle(), "?depth=study")
            for stage in (0, 1, 2):
                expect(page.locator(".pips .on")).to_have_count(stage)
                pips = [pip[0] for pip in signs(page, ".pips i")]
                assert len({*pips[:stage]} | {*pips[stage:]}) == (1 if stage in (0, 2) else 2)
                press(page, "Hint")
                expect(page.locator('[data-hint="to"]')).to_have_count(1 if stage else 0)
            assert signs(page, ".pips i")[0][0] != signs(page, "body")[0][0]
            [chosen] = signs(page, '.tab[aria-selected="true"]')
            others = signs(page, '.tab[aria-selected="false"]')
            assert chosen[3] != "none"
            assert all(other[3] == "none" for other in others), others
            page.goto("/decks/hoppers")
            dots = signs(page, ".degree i")
            assert len({dot[0] for dot in dots}) == 2
            page.emulate_media(forced_colors="none")
