"""Take the moving picture of the README: ``python -m tools.moving_picture``.

A browser plays on a test server: a jump, a wrong jump and the way back, and a search limit by limit.
"""

import time
from collections.abc import Iterator
from io import BytesIO
from typing import NamedTuple

from PIL import Image
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.chromium import launched
from tests.browser.fixtures import (
    PUBLISHED,
    ask,
    hole,
    line_of,
    middle,
    open_game,
    press,
    published_puzzle,
    steps_of,
    tab,
)
from tests.browser.tabs import new_tab
from tests.conftest import running_app, serving
from tools.photographs import PICTURES, SEEN_BEFORE

WINDOW: ViewportSize = {"width": 1180, "height": 760}
SOLVER = "?depth=study&method=deepening"
WIDTH = 960
"""Width of the picture in pixels."""
QUALITY = 70
PLAYED, GOOD = PUBLISHED[:3], PUBLISHED[3]
"""Moves before the picture begins, and the move with which it begins."""
LIMITS = len(PUBLISHED)
STEPS = 10
"""Frames of a drag."""


class Frame(NamedTuple):
    """A screenshot (PNG), and the milliseconds for which it is shown."""

    picture: bytes
    milliseconds: int


def shown(page: Page, milliseconds: int) -> Iterator[Frame]:
    """Yield frames of a page for a time, as fast as the browser draws them."""
    end = time.monotonic() + milliseconds / 1000
    pictures = [page.screenshot()]
    while time.monotonic() < end:
        pictures.append(page.screenshot())
    for picture in pictures:
        yield Frame(picture, milliseconds // len(pictures))


def dragged(page: Page, origin: int, target: int) -> Iterator[Frame]:
    """Drag a piece and yield frames on the way, half a second in all."""
    (left, top), (right, bottom) = middle(hole(page, origin)), middle(hole(page, target))
    page.mouse.move(left, top)
    page.mouse.down()
    for part in range(1, STEPS + 1):
        page.mouse.move(left + (right - left) * part / STEPS, top + (bottom - top) * part / STEPS)
        yield Frame(page.screenshot(), 500 // STEPS)
    page.mouse.up()


def fatal_step(page: Page) -> tuple[int, int]:
    """Return a step from the position after PLAYED and GOOD to a position that is dead."""
    puzzle = published_puzzle()
    position = puzzle.parse(puzzle.start)
    for step in steps_of([*PLAYED, GOOD]):
        position = puzzle.step(position, *step).after
    steps = ask(page, puzzle, position=puzzle.format(position))["steps"]
    return next((step["from"], step["to"]) for step in steps if step["verdict"] == "dead")


def frames(page: Page) -> Iterator[Frame]:
    """Play the scenes and yield their frames, eight seconds in all."""
    wrong = fatal_step(page)
    open_game(page, published_puzzle(), f"{SOLVER}&line={line_of(PLAYED)}")
    yield from shown(page, 500)
    yield from dragged(page, *GOOD)
    yield from shown(page, 600)
    yield from dragged(page, *wrong)
    yield from shown(page, 1_300)
    press(page, "Go back")
    yield from shown(page, 700)
    press(page, "Restart")
    tab(page, "Solver").click()
    yield from shown(page, 400)
    for limit in range(1, LIMITS + 1):
        press(page, "Next limit")
        expect(page.locator(f'[data-limit="{limit}"]')).to_be_visible()
        yield from shown(page, 300)
    yield from shown(page, 1_400)


def write(taken: list[Frame]) -> None:
    """Write the frames as an animated WebP that repeats without end. Equal neighbours become one frame."""
    pictures: list[Image.Image] = []
    times: list[int] = []
    for frame in taken:
        picture = Image.open(BytesIO(frame.picture)).convert("RGB")
        picture = picture.resize((WIDTH, picture.height * WIDTH // picture.width), Image.Resampling.LANCZOS)
        if pictures and picture.tobytes() == pictures[-1].tobytes():
            times[-1] += frame.milliseconds
        else:
            pictures.append(picture)
            times.append(frame.milliseconds)
    pictures[0].save(
        PICTURES / "proof.webp",
        save_all=True,
        append_images=pictures[1:],
        duration=times,
        loop=0,
        quality=QUALITY,
        method=6,
    )


def compile_kernels(page: Page) -> None:
    """Search once, so that no search in the picture waits for kernels."""
    open_game(page, published_puzzle(), SOLVER)
    tab(page, "Solver").click()
    press(page, "Search")
    expect(page.locator('[data-state="solved"]')).to_be_attached()


def main() -> None:
    """Write docs/pictures/proof.webp."""
    with launched() as browser, running_app() as app, serving(app) as url:
        compile_kernels(new_tab(browser, url))
        page = new_tab(browser, url, viewport=WINDOW, reduced_motion="no-preference")
        page.add_init_script(SEEN_BEFORE)
        write(list(frames(page)))


if __name__ == "__main__":
    main()
