"""The plots as pictures: marks are drawn at the right places and differ without colour."""

import json
import math
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.fixtures import PHONE
from tests.browser.tabs import OpenTab
from tests.support.grey_levels import greys
from tests.support.race_page import CORNERS, PLAIN, RACE, start, won

LEFT, TOP, RIGHT, BOTTOM, LIMITS, DECADES = 44, 14, 524, 362, 7, 6
"""Edges of the plot in its own units, number of limits of this race, and powers of ten on the node axis."""


def shot(place: Locator) -> tuple[Any, float]:
    """Return the grey levels of a drawing below its origin, and the pixels per unit of the drawing."""
    pixels = greys(place.page, place.screenshot())
    above, width = place.evaluate("({ viewBox: { baseVal } }) => [-baseVal.y, baseVal.width]")
    scale = pixels.shape[1] / width
    return pixels[round(above * scale) :], scale


@pytest.mark.browser
def test_race_plot_shows_its_counts(page: Page) -> None:
    page.goto(RACE)
    start(page)
    won(page)
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        assert_marks_are_drawn(*shot(page.locator("svg.plot")))


def assert_marks_are_drawn(pixels: Any, scale: float) -> None:
    """Assert that every mark is at its place, and filled or open as its method requires."""
    paper = np.median(pixels)
    for counts, is_filled in ((PLAIN, False), (CORNERS, True)):
        for limit, nodes in enumerate(counts, 1):
            x = (LEFT + (RIGHT - LEFT) * limit / LIMITS) * scale
            y = (BOTTOM - math.log10(nodes) * (BOTTOM - TOP) / DECADES) * scale
            sign = abs(pixels[round(y) - 7 : round(y) + 8, round(x) - 7 : round(x) + 8] - paper) > 40
            assert sign.sum() > 20, (limit, nodes)
            assert sign[6:9, 6:9].mean() > 0.5 if is_filled else sign[6:9, 6:9].mean() < 0.5, (limit, nodes)


CROSSINGS = """() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const boxes = (selector) => all(selector).map((place) => place.getBoundingClientRect());
  const [names, curves] = [boxes('.plot-names li'), boxes('.plot .line, .plot [data-plot] use, .plot text')];
  const cut = all('.plot-names li').filter((name) => name.scrollWidth > name.clientWidth);
  const crossed = names.filter((name) => curves.some((curve) => curve.top < name.bottom));
  return [names.length, curves.length > 0, cut.length, crossed.length];
}"""
"""Script that returns four facts about the legend: the number of its names, whether there are curves, the
number of names that are cut off, and of those that are not above all curves."""


@pytest.mark.browser
@pytest.mark.parametrize("methods", ["deepening,corners", "deepening,corners,merson,memory"])
def test_no_curve_of_a_race_crosses_the_legend(open_tab: OpenTab, methods: str) -> None:
    steep = json.dumps([["deepening", [[1, 9_999, 0, 0.1, 1], [2, 10_000, 0, 0.1, 1]], None]])
    for options in ({}, {"viewport": PHONE}):
        with open_tab(**options) as page:
            page.goto(f"/puzzles/hoppers/race?methods={methods}#run={quote(steep)}")
            expect(page.locator(".plot [data-plot=deepening] use")).to_have_count(2)
            found = page.evaluate(CROSSINGS)
            assert found == [methods.count(",") + 1, True, 0, 0]


DASHES = """(plot) => [...plot.querySelectorAll('[data-plot]')].map((lane) => {
  const segment = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  segment.setAttribute('class', 'line running');
  lane.append(segment);
  return getComputedStyle(segment).strokeDasharray;
})"""
"""Script that returns the dashes of a running segment in each curve."""


@pytest.mark.browser
def test_running_segments_of_all_methods_are_dashed(page: Page) -> None:
    page.goto("/puzzles/hoppers/race?methods=deepening,corners,merson,memory")
    expect(page.locator(".plot [data-plot]")).to_have_count(4)
    assert page.locator(".plot").evaluate(DASHES) == ["3px, 4px"] * 4


@pytest.mark.browser
def test_histogram_bars_are_as_high_as_their_counts(page: Page) -> None:
    page.goto("/puzzles/hoppers/explore")
    answer = page.request.get("/api/puzzles/hoppers/distribution")
    counts: list[int] = json.loads(answer.text())["counts"]
    pixels, scale = shot(page.locator("svg.histogram"))
    paper = np.median(pixels)
    width = 560 / len(counts)
    for moves, count in enumerate(counts):
        column = pixels[: round(174 * scale), round((4 + width * (moves + 0.25)) * scale)]
        drawn = (abs(column - paper) > 40).sum() / scale
        assert drawn == pytest.approx(max(2, 150 * count / max(counts)), abs=4), moves
