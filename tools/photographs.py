"""Take all pictures, or those named: ``python -m tools.photographs [manual] [screenshots]``.

Those of the manual are in docs/pictures. The screenshots come with the program, for the manifest of the
installed app. All need a Japanese font.

A browser plays on a test server, so the pictures show the real page.
"""

import sys
from base64 import b64encode
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Browser, Page, expect

from hoppers.web.manifest import FOLDER, SCREENSHOTS
from tests import ROOT
from tests.browser.chromium import launched
from tests.browser.fixtures import (
    PHONE,
    PUBLISHED,
    open_game,
    play,
    press,
    published_puzzle,
    steps_of,
)
from tests.browser.tabs import new_tab
from tests.conftest import running_app, serving
from tests.support.engine import PUZZLES
from tests.translations import LANGUAGES

PICTURES = ROOT / "docs" / "pictures"
SEEN_BEFORE = "localStorage.setItem('puzzles/settings', '{}')"
SIDE_BY_SIDE = "<body style='margin:0;display:inline-flex;gap:16px;background:#fff'>{}</body>"
Scene = Callable[[Page], None]
QUALITY = 88
PNG: dict[str, Any] = {"type": "png"}
SMALL: dict[str, Any] = {"type": "jpeg", "quality": 70}
"""Formats of pictures."""
WAIT = 1_500
"""Milliseconds after which all animations have ended."""


def hint_and_search(page: Page) -> None:
    """Show two moves, a hint, and the rows of a search."""
    open_game(page, published_puzzle())
    play(page, steps_of(PUBLISHED[:2]))
    for _ in range(2):  # the first time kernels may have to be compiled
        press(page, "Search")
        expect(page.get_by_role("button", name="Stop", exact=True)).to_be_disabled()
        expect(page.locator('[data-state="solved"]')).to_be_attached()
    press_hint_twice(page)


def solution(page: Page) -> None:
    """Show a shortest solution of a triangle, half played."""
    open_game(
        page,
        next(puzzle for puzzle in PUZZLES.values() if puzzle.holes == 15 and puzzle.rules.multi_step_moves),
    )
    press(page, "Solution")
    page.wait_for_timeout(2 * WAIT)
    press(page, "Pause")


def phone_with_hint(page: Page) -> None:
    """Show a hint on a phone."""
    open_game(page, published_puzzle())
    play(page, steps_of(PUBLISHED[:2]))
    press_hint_twice(page)


def phone_with_tiles(page: Page) -> None:
    """Show the largest sliding puzzle on a phone."""
    open_game(
        page,
        max(
            (puzzle for puzzle in PUZZLES.values() if not puzzle.rules.multi_step_moves),
            key=lambda it: it.holes,
        ),
    )


def phone_at_the_end(page: Page) -> None:
    """Show a puzzle solved in the fewest moves, on a phone."""
    open_game(page, published_puzzle())
    play(page, steps_of(PUBLISHED))


def today(page: Page) -> None:
    """Show the home page with the mini card."""
    page.goto("/?card=mini")
    expect(page.locator("[data-movable]").first).to_be_attached()


def press_hint_twice(page: Page) -> None:
    """Press Hint for the piece, and again for its target."""
    for stage in ("from", "to"):
        page.locator("#hint").click()  # in any language
        expect(page.locator(f'[data-hint="{stage}"]')).to_be_attached()


def take_picture(
    browser: Browser, url: str, scene: Scene, options: dict[str, Any] = PNG, **look: Any
) -> bytes:
    """Play a scene in a new tab and return its end. `options`: format of the picture."""
    page = new_tab(browser, url, **look)
    page.add_init_script(SEEN_BEFORE)
    scene(page)
    page.mouse.move(0, 0)
    page.wait_for_timeout(WAIT)
    picture: bytes = page.screenshot(**options)
    page.context.close()
    return picture


def join(browser: Browser, pictures: list[bytes]) -> bytes:
    """Return PNG pictures side by side in one JPEG."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    sources = [f"data:image/png;base64,{b64encode(picture).decode()}" for picture in pictures]
    page.set_content(SIDE_BY_SIDE.format("".join(f"<img src='{source}'>" for source in sources)))
    return page.locator("body").screenshot(type="jpeg", quality=QUALITY)


def take_manual(browser: Browser, url: str) -> None:
    """Write the pictures of the manual to docs/pictures."""
    phone: dict[str, Any] = {"viewport": PHONE, "has_touch": True}
    scenes = {
        "hint-and-search": [take_picture(browser, url, hint_and_search)],
        "solution-dark": [take_picture(browser, url, solution, color_scheme="dark")],
        "phone": [
            take_picture(browser, url, phone_with_hint, **phone),
            take_picture(browser, url, phone_with_tiles, **phone, locale="ja-JP"),
            take_picture(browser, url, phone_at_the_end, **phone, color_scheme="dark"),
        ],
    }
    for name, pictures in scenes.items():
        (PICTURES / f"{name}.jpg").write_bytes(join(browser, pictures))


def take_screenshots(browser: Browser, url: str) -> None:
    """Write the screenshots of the installed app, in every language."""
    for name, form, width, height in SCREENSHOTS:
        scene = {"today": today, "hint": phone_with_hint}[name.partition("-")[0]]
        look = {"viewport": {"width": width, "height": height}, "has_touch": form == "narrow"}
        for language in LANGUAGES:
            picture = take_picture(browser, url, scene, SMALL, locale=language, **look)
            (FOLDER / f"{name}-{language}.jpg").write_bytes(picture)


def main() -> None:
    """Write the pictures of the kinds named on the command line, or of all kinds."""
    kinds = {"manual": take_manual, "screenshots": take_screenshots}
    with launched() as browser, running_app() as app, serving(app) as url:
        for kind in sys.argv[1:] or kinds:
            kinds[kind](browser, url)


if __name__ == "__main__":
    main()
