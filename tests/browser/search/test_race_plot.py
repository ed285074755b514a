"""The plots as pictures: marks are drawn at the right places and differ without colour."""

import json
import math
import struct
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator

from tests.browser.search.test_race import CORNERS, PLAIN, RACE, start, won
from tests.browser.tabs import OpenTab

LEFT, TOP, RIGHT, BOTTOM, LIMITS, DECADES = 44, 14, 524, 362, 7, 6
"""The frame of the plot in its own units, the limits of this race, and the decades of its counts."""


def greys(picture: bytes) -> Any:
    """Return the pixels of a PNG as grey levels, 0 to 255.

    The PNG must have eight bits and no interlacing, as browsers write it.
    """
    at, chunks = 8, {b"IDAT": b"", b"IHDR": b""}
    while at < len(picture):
        size, kind = struct.unpack_from(">I4s", picture, at)
        if kind in chunks:
            chunks[kind] += picture[at + 8 : at + 8 + size]
        at += size + 12
    width, height, _, colours = struct.unpack_from(">IIBB", chunks[b"IHDR"])
    depth = {2: 3, 6: 4}[colours]
    data, length = zlib.decompress(chunks[b"IDAT"]), 1 + width * depth
    rows = [[0] * ((width + 1) * depth)]
    for first in range(0, height * length, length):
        rows.append(unfiltered(data[first], data[first + 1 : first + length], rows[-1], depth))
    return np.array(rows)[1:, depth:].reshape(height, width, depth)[:, :, :3].mean(axis=2)


def unfiltered(kind: int, line: bytes, above: list[int], depth: int) -> list[int]:
    """Return a decoded row of a PNG. Both rows begin with one empty pixel."""
    row, guess = [0] * depth, GUESSES[kind]
    for at, byte in enumerate(line, depth):
        row.append(byte + guess(row[at - depth], above[at], above[at - depth]) & 255)
    return row


def nearest(left: int, up: int, corner: int) -> int:
    """Return the Paeth predictor of three neighbours."""
    to_left, to_up, to_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
    if to_left <= to_up and to_left <= to_corner:
        return left
    return up if to_up <= to_corner else corner


GUESSES: list[Callable[[int, int, int], int]] = [
    lambda left, up, corner: 0,
    lambda left, up, corner: left,
    lambda left, up, corner: up,
    lambda left, up, corner: (left + up) // 2,
    nearest,
]
"""Filter types of PNG rows and their predictors."""


def shot(place: Locator) -> tuple[Any, float]:
    """Return the picture of a drawing, and the size of one of its units in pixels."""
    pixels = greys(place.screenshot())
    view = place.evaluate("(drawing) => drawing.viewBox.baseVal.width")
    return pixels, pixels.shape[1] / view


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_race_plot_shows_its_counts(open_tab: OpenTab, scheme: Any) -> None:
    with open_tab(color_scheme=scheme) as page:
        page.goto(RACE)
        start(page)
        won(page)
        pixels, scale = shot(page.locator("svg.plot"))
    paper = np.median(pixels)
    for counts, is_filled in ((PLAIN, False), (CORNERS, True)):
        for limit, nodes in enumerate(counts, 1):
            x = (LEFT + (RIGHT - LEFT) * limit / LIMITS) * scale
            y = (BOTTOM - math.log10(nodes) * (BOTTOM - TOP) / DECADES) * scale
            sign = abs(pixels[round(y) - 7 : round(y) + 8, round(x) - 7 : round(x) + 8] - paper) > 40
            assert sign.sum() > 20, (limit, nodes)
            assert sign[6:9, 6:9].mean() > 0.5 if is_filled else sign[6:9, 6:9].mean() < 0.5, (limit, nodes)


@pytest.mark.browser
def test_histogram_bars_are_as_high_as_their_counts(open_tab: OpenTab) -> None:
    with open_tab() as page:
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
