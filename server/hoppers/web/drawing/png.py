"""Render SVG as PNG, for uses where SVG is not accepted, such as link previews and application icons.

Without a font the renderer silently omits text, and a fresh machine has no fonts; so numbers become strokes.
The renderer occupies the interpreter lock for half a second, which would block all other requests. So it runs
in a separate process. Views only describe a picture (`Drawing`); `Pictures` draws it, in a queue of its own.
"""

import hashlib
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from hoppers.core.errors import Busy
from hoppers.drawing.stand_alone import paper
from hoppers.runtime.clients import ClientAddress
from hoppers.runtime.lru_cache import LRUCache
from hoppers.web.servers.event_loop import PICTURES, EventLoop
from hoppers.web.servers.faults import Fault

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
LIBRARY = "resvg_py"
RENDERER = """
import json, os, sys, resvg_py
hasattr(os, "nice") and os.nice(5)
sys.stdout.buffer.write(bytes(resvg_py.svg_to_bytes(**json.load(sys.stdin))))
"""
MAX_SECONDS = 20  # for one picture, which may take a few seconds under load; then the renderer is killed
CACHE_BYTES = 10_000_000  # some 50 pictures
MAX_WIDTH = 800
"""Largest width of a board, in pixels. Diamond 41 takes 0.7 s of processor time and 34 MB then.

Time and memory grow with the area: with 1,024 pixels it takes 1.1 s, with 4,096 pixels 19 s and 500 MB.
"""
ERROR_PICTURE = Path(__file__).with_name("error.png").read_bytes()
"""A cross on a board, the answer to failed requests for PNG files (`error.svg`, rendered in advance)."""

DRAWING = "hoppers.drawing"
"""Key in the WSGI environment of a request whose answer is a picture: the `Drawing`."""


class Drawing(NamedTuple):
    """A picture to be rendered as PNG."""

    svg: str
    width: int  # in pixels, as `height`
    height: int


class Pictures:
    """Rendered pictures, in a cache, and the queue in which clients wait for others."""

    def __init__(self, loop: EventLoop) -> None:
        self._loop = loop
        self._rendered: LRUCache[bytes, bytes] = LRUCache(CACHE_BYTES, len)

    def render(self, client: ClientAddress, drawing: Drawing) -> bytes:
        """Return a picture as PNG; equal pictures come from a cache. Only the caller waits for it.

        Raises:
            Busy: too many pictures wait, in all or for `client`, or this one takes too long.
            Fault: (501) the renderer, an extra of the package, is not installed.
            subprocess.CalledProcessError: the renderer fails, for example because the SVG is not valid.
        """
        key = hashlib.sha256(repr(drawing).encode()).digest()
        return self._rendered.get(key) or self._loop.run(client, self._draw, key, drawing, queue=PICTURES)

    def _draw(self, key: bytes, drawing: Drawing) -> bytes:
        data = self._rendered.get(key)  # drawn while this one waited
        if data is None:
            data = render_png(drawing)
            self._rendered.put(key, data)
        return data


def render_png(drawing: Drawing) -> bytes:
    """Render a picture in a separate process. Errors are those of `Pictures.render`."""
    if importlib.util.find_spec(LIBRARY) is None:
        raise Fault(
            501, "not_supported", "This server draws no PNG pictures: its extra png is not installed."
        )
    number = r'<text class="(tile-no|tile-cut|hole-no)"([^>]*)>(\d+)</text>'
    svg = re.sub(number, _number_as_strokes, drawing.svg)
    arguments = {"svg_string": svg, "width": drawing.width, "height": drawing.height}
    command = [sys.executable, "-I", "-c", RENDERER]
    try:
        return subprocess.run(
            command,
            input=json.dumps(arguments).encode(),
            stdout=subprocess.PIPE,
            check=True,
            timeout=MAX_SECONDS,
        ).stdout
    except subprocess.TimeoutExpired as error:
        raise Busy("The picture takes too long; please ask for it again in a moment.") from error


def preview(svg: str, width: int, height: int, theme: str) -> Drawing:
    """Return a link preview: 1200 by 630 pixels, with the picture `svg` in the middle.

    `width`, `height`: size of `svg` in pixels. `theme`: colour of the background, 'light' or 'dark'.
    """
    full_width, full_height = 1200, 630
    left, top = (full_width - width) / 2, (full_height - height) / 2
    background = f'<rect width="{full_width}" height="{full_height}" fill="{paper(theme)}"/>'
    board = f'<g transform="translate({left} {top})">{svg}</g>'
    frame = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {full_width} {full_height}">'
    return Drawing(f"{frame}{background}{board}</svg>", full_width, full_height)


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
