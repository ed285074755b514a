"""What lies at the centre of each drawn piece is the element of its hole: on every board, in every window."""

import pytest
from playwright.sync_api import Page, ViewportSize

pytestmark = pytest.mark.browser

WINDOWS = [
    *[(320, 256), (427, 341), (480, 270), (640, 400)],  # 1280x1024 and 1920x1080 at 200 to 400 %
    *[(375, 553), (360, 560), (320, 568), (320, 480)],  # small phones with toolbars
    *[(360, 740), (568, 320), (844, 390), (512, 384)],
    *[(768, 1024), (1024, 768), (1280, 800), (1920, 1080)],
]
BOARDS = "hoppers", "triangle-21", "english-33", "french-37", "diamond-41", "fifteen-puzzle", "flip-it-16"
PAGES = [
    "/",
    "/?card=mini",
    "/stream/hoppers",
    "/lessons/1",
    "/puzzles/hoppers/review?line=0-6",
    *[f"/puzzles/{board}{depth}" for board in BOARDS for depth in ("", "?depth=study")],
]
MISSED = """() => {
  const missed = [];
  for (const piece of document.querySelectorAll(":is(.board, .stage) [data-at]")) {
    piece.scrollIntoView({block: "center", behavior: "instant"});
    const { e, f } = piece.getScreenCTM();
    const hit = document.elementFromPoint(e, f)?.closest("[data-hole], [data-at]");
    const hole = hit?.getAttribute("data-hole") ?? hit?.getAttribute("data-at");
    if (hole !== piece.getAttribute("data-at")) missed.push([piece.getAttribute("data-at"), hole ?? null]);
  }
  return { missed, pieces: document.querySelectorAll(":is(.board, .stage) [data-at]").length };
}"""


@pytest.mark.parametrize("path", PAGES)
def test_centre_of_every_piece_is_its_hole(page: Page, live_server: str, path: str) -> None:
    page.goto(live_server + path)
    page.wait_for_selector("[data-hole]", state="attached")
    missed = {}
    for width, height in WINDOWS:
        page.set_viewport_size(ViewportSize(width=width, height=height))
        seen = page.evaluate(MISSED)
        assert seen["pieces"]
        if seen["missed"]:
            missed[width, height] = seen["missed"]
    assert not missed


def test_pieces_carry_their_hole_and_presses_go_to_the_nearest(page: Page, live_server: str) -> None:
    page.goto(f"{live_server}/puzzles/hoppers?position=oo.ooo......o&goal=any")
    page.evaluate("document.querySelectorAll('.spot').forEach((spot) => spot.style.translate = '60% 60%')")
    for number in (0, 2):
        x, y = page.evaluate(
            """(hole) => {
              const svg = document.querySelector(".board svg");
              const [x, y] = JSON.parse(document.querySelector("#data").text).puzzle.points[hole];
              const at = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM());
              return [at.x, at.y];
            }""",
            number,
        )
        page.mouse.click(x, y)
    page.wait_for_selector('.pieces [data-at="2"]')
    assert page.locator('.pieces [data-at="0"]').count() == 0
    assert page.locator(".pieces [data-at]").count() == 5
