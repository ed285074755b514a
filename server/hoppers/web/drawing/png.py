"""Pictures as PNG, for what takes no SVG: link previews and icons.

A fresh machine has no fonts, and without one the renderer drops a text silently; so numbers become strokes.
The renderer holds the interpreter lock for half a second, in which nobody else would be answered; so it runs
in a process of its own, one picture at a time, and the last pictures are kept.
"""

import json
import re
import subprocess
import sys
import threading
from functools import lru_cache

from hoppers.core.errors import Busy

DIGITS = {
    "0": "M10-32a9 16 0 1 0 .01 0z",
    "1": "M4-26L12-32V0",
    "2": "M2-24a8.5 8 0 0 1 17 0C19-14 2-8 2 0H19",
    "3": "M3-28a8 7.5 0 1 1 6 11.5a9 8.5 0 1 1-8 10",
    "4": "M14 0V-32L1-9H19",
    "5": "M17-32H5L3.5-18a9.5 9.3 0 1 1-1.5 13",
    "6": "M15-31C6-28 2-18 2-9.5a8.5 9.5 0 1 0 17 0a8.5 9 0 0 0-16-4",
    "7": "M2-32H18L8 0",
    "8": "M10-17a7.2 7.4 0 1 1 .01 0a8.8 8.5 0 1 1-.02 0z",
    "9": "M5-1C14-4 18-14 18-22.5a8.5 9.5 0 1 0-17 0a8.5 9 0 0 0 16 4",
}
"""A stroke for each digit: 20 wide, 32 high, standing on the base line."""
ADVANCE, HEIGHT = 25, 46
NUMBER = re.compile(r'<text class="(tile-no|tile-cut|hole-no)"([^>]*)>(\d+)</text>')
PLACE = re.compile(r'\b(d?[xy])="([-\d.]+)"')
SIZES = {"tile-no": 46, "hole-no": 17}
PREVIEW = (1200, 630)
TABLE = {"light": "#e4e1d9", "dark": "#171513"}
RENDERER = """
import json, sys, resvg_py
sys.stdout.buffer.write(bytes(resvg_py.svg_to_bytes(**json.load(sys.stdin))))
"""
PATIENCE_SECONDS = 5
MOST_KEPT = 64
"""Pictures; one has 0.2 MB."""
_ONE_AT_A_TIME = threading.Lock()
REFUSAL = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 168">'
    '<rect width="320" height="168" fill="#e4e1d9"/>'
    '<rect x="112" y="36" width="96" height="96" rx="20" fill="#e0b674" stroke="#9c713a" stroke-width="4"/>'
    '<path d="M136 60l48 48M184 60l-48 48" stroke="#12171d" stroke-width="12" stroke-linecap="round"/></svg>'
)


@lru_cache(MOST_KEPT)
def png(svg: str, width: int, height: int) -> bytes:
    """The picture in pixels.

    Raises:
        Busy: too many pictures are being drawn.
    """
    if not _ONE_AT_A_TIME.acquire(timeout=PATIENCE_SECONDS):
        raise Busy("The server draws other pictures; please ask for this one again in a moment.")
    try:
        return _drawn(svg, width, height)
    finally:
        _ONE_AT_A_TIME.release()


def _drawn(svg: str, width: int, height: int) -> bytes:
    wanted = {"svg_string": NUMBER.sub(_stroked, svg), "width": width, "height": height}
    command = [sys.executable, "-I", "-c", RENDERER]
    return subprocess.run(
        command, input=json.dumps(wanted).encode(), stdout=subprocess.PIPE, check=True
    ).stdout


def preview(svg: str, width: int, height: int, theme: str) -> bytes:
    """The picture in the middle of a table of the size that link previews want."""
    left, top = (PREVIEW[0] - width) / 2, (PREVIEW[1] - height) / 2
    table = f'<rect width="{PREVIEW[0]}" height="{PREVIEW[1]}" fill="{TABLE[theme]}"/>'
    inside = f'<g transform="translate({left} {top})">{svg}</g>'
    frame = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {PREVIEW[0]} {PREVIEW[1]}">'
    return png(f"{frame}{table}{inside}</svg>", *PREVIEW)


@lru_cache
def refusal() -> bytes:
    """A board crossed out: what is shown where no picture can be drawn."""
    return _drawn(REFUSAL, 320, 168)


def _stroked(text: re.Match[str]) -> str:
    kind, attributes, label = text.groups()
    if kind not in SIZES:
        return ""
    place = {name: float(value) for name, value in PLACE.findall(attributes)}
    x, y = place.get("x", 0) + place.get("dx", 0), place.get("y", 0) + place.get("dy", 0)
    scale = SIZES[kind] / HEIGHT
    left = x - scale * (ADVANCE * len(label) - 5) / 2
    digits = [
        f'<path transform="translate({ADVANCE * at} 0)" d="{DIGITS[digit]}"/>'
        for at, digit in enumerate(label)
    ]
    paint = 'fill="none" stroke="#2b2114" stroke-width="5.5" stroke-linecap="round" stroke-linejoin="round"'
    return f'<g transform="translate({left:.1f} {y:.1f}) scale({scale:.3f})" {paint}>{"".join(digits)}</g>'
