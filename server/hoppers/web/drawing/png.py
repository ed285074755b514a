"""Render SVG as PNG, for uses where SVG is not accepted, such as link previews and application icons.

Without a font the renderer silently omits text, and a fresh machine has no fonts; so numbers become strokes.
The renderer occupies the interpreter lock for half a second, which would block all other requests. So it runs
in a separate process, one picture at a time, and the last pictures are cached.
"""

import json
import re
import subprocess
import sys
import threading
from functools import lru_cache

from hoppers.core.errors import Busy

DIGIT_PATHS = {
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
"""SVG path of a stroke for each digit: 20 wide, 32 high, standing on the base line."""
RENDERER = """
import json, sys, resvg_py
sys.stdout.buffer.write(bytes(resvg_py.svg_to_bytes(**json.load(sys.stdin))))
"""
MAX_WAIT_SECONDS = 5  # wait for the renderer, which draws one picture at a time
_RENDERER_LOCK = threading.Lock()
ERROR_SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 168">'
    '<rect width="320" height="168" fill="#e4e1d9"/>'
    '<rect x="112" y="36" width="96" height="96" rx="20" fill="#e0b674" stroke="#9c713a" stroke-width="4"/>'
    '<path d="M136 60l48 48M184 60l-48 48" stroke="#12171d" stroke-width="12" stroke-linecap="round"/></svg>'
)


@lru_cache(64)  # pictures of 0.2 MB each
def render_png(svg: str, width: int, height: int) -> bytes:
    """Render `svg` as PNG, `width` by `height` pixels; equal pictures come from a cache.

    Raises:
        Busy: other pictures occupy the renderer for more than `MAX_WAIT_SECONDS`.
        subprocess.CalledProcessError: the renderer fails, for example because `svg` is not valid.
    """
    if not _RENDERER_LOCK.acquire(timeout=MAX_WAIT_SECONDS):
        raise Busy("The server draws other pictures; please ask for this one again in a moment.")
    try:
        return _run_renderer(svg, width, height)
    finally:
        _RENDERER_LOCK.release()


def _run_renderer(svg: str, width: int, height: int) -> bytes:
    number = r'<text class="(tile-no|tile-cut|hole-no)"([^>]*)>(\d+)</text>'
    arguments = {"svg_string": re.sub(number, _number_as_strokes, svg), "width": width, "height": height}
    command = [sys.executable, "-I", "-c", RENDERER]
    return subprocess.run(
        command, input=json.dumps(arguments).encode(), stdout=subprocess.PIPE, check=True
    ).stdout


def render_preview(svg: str, width: int, height: int, theme: str) -> bytes:
    """Render a link preview as PNG: 1200 by 630 pixels, with the picture `svg` in the middle.

    `width`, `height`: size of `svg` in pixels. `theme`: colour of the background, 'light' or 'dark'. Errors
    are those of `render_png`.
    """
    full_width, full_height = 1200, 630
    left, top = (full_width - width) / 2, (full_height - height) / 2
    colour = {"light": "#e4e1d9", "dark": "#171513"}[theme]
    background = f'<rect width="{full_width}" height="{full_height}" fill="{colour}"/>'
    board = f'<g transform="translate({left} {top})">{svg}</g>'
    frame = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {full_width} {full_height}">'
    return render_png(f"{frame}{background}{board}</svg>", full_width, full_height)


@lru_cache
def error_picture() -> bytes:
    """Return a cross on a board as PNG, the answer to failed requests for PNG files. Render it only once."""
    return _run_renderer(ERROR_SVG, 320, 168)


def _number_as_strokes(text: re.Match[str]) -> str:
    kind, attributes, label = text.groups()
    scale = {"tile-no": 1.0, "hole-no": 17 / 46}.get(kind)  # the digits are 32 high at a font size of 46
    if scale is None:
        return ""
    coordinates = {name: float(value) for name, value in re.findall(r'\b(d?[xy])="([-\d.]+)"', attributes)}
    x = coordinates.get("x", 0) + coordinates.get("dx", 0)
    y = coordinates.get("y", 0) + coordinates.get("dy", 0)
    advance = 25
    left = x - scale * (advance * len(label) - 5) / 2
    digits = [
        f'<path transform="translate({advance * at} 0)" d="{DIGIT_PATHS[digit]}"/>'
        for at, digit in enumerate(label)
    ]
    paint = 'fill="none" stroke="#2b2114" stroke-width="5.5" stroke-linecap="round" stroke-linejoin="round"'
    return f'<g transform="translate({left:.1f} {y:.1f}) scale({scale:.3f})" {paint}>{"".join(digits)}</g>'
