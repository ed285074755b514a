"""The board on a page of another site, which loads one script and has a strict policy."""

import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from flask import Flask
from PIL import Image, ImageChops, ImageStat
from playwright.sync_api import Page, Route, expect

import hoppers
from tests import ROOT
from tests.browser.fixtures import hole, verdict
from tests.browser.tabs import expect_faults
from tests.conftest import serving

pytestmark = pytest.mark.browser

DOCS = (ROOT / "docs" / "embed.md").read_text()
SEEN = """() => {
  window.seen = [];
  for (const name of ["hoppers-move", "hoppers-solved"])
    document.addEventListener(name, ({ detail }) => seen.push([name, detail]));
}"""


@pytest.fixture
def other_site(live_server: str) -> Iterator[str]:
    """URL of a page on another port, which has the example of the docs."""
    example = re.findall("```html\n(.*?)```", DOCS, re.DOTALL)[0].replace(
        "https://puzzles.example", live_server
    )
    policy = (
        f"default-src 'none'; img-src data:; script-src {live_server}; connect-src {live_server};"
        " require-trusted-types-for 'script'"
    )
    site = Flask("other")

    @site.get("/")
    def show() -> tuple[str, dict[str, str]]:
        head = '<!doctype html><html lang="en"><title>Another site</title><link rel="icon" href="data:,">'
        return f"{head}<main><h1>Today</h1>{example}</main>", {"Content-Security-Policy": policy}

    with serving(site) as url:
        yield url


def test_example_is_played_to_its_end(page: Page, other_site: str) -> None:
    page.goto(other_site)
    page.evaluate(SEEN)
    board = page.locator("hoppers-board")
    for number in (0, 2, 6, 5, 1, 11):
        hole(page, number).click()
    expect(hole(page, 11)).to_have_accessible_name("peg in hole 11")
    board.get_by_role("button", name="Hint", exact=True).click()
    expect(verdict(page)).to_have_text("Hint: 12–10.")
    assert Axe().run(page).response["violations"] == []
    board.get_by_role("button", name="Undo").click()
    expect(hole(page, 5)).to_have_accessible_name(re.compile("^peg in hole 5"))
    for number in (5, 1, 11, 12, 10):
        hole(page, number).click()
    expect(verdict(page)).to_have_text("Solved in 3 moves, the fewest possible.")
    expect(board).to_have_attribute("solved", "")
    assert board.evaluate("(board) => board.solved")
    events = page.evaluate("seen")
    assert [name for name, _ in events] == ["hoppers-move"] * 7 + ["hoppers-solved"]
    assert events[-1][1] == {"position": "..........o..", "moves": 3, "fewest": 3, "hints": 1}
    board.get_by_role("button", name="Restart").click()
    expect(verdict(page)).to_have_text("Back at the start.")
    assert board.evaluate("(board) => [board.current, board.moves]") == ["oo.ooo......o", ""]


def test_keys_play_and_faults_are_sentences(page: Page, other_site: str) -> None:
    expect_faults(page, "Failed to load resource")
    page.goto(other_site)
    board = page.locator("hoppers-board")
    expect(hole(page, 0)).to_have_accessible_name("peg in hole 0, can move")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(hole(page, 2)).to_have_accessible_name("empty hole 2, can go here, a new move")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    expect(verdict(page)).to_have_text("Move 1: 0 to 2, over 1. The same piece may go on with this move.")
    page.keyboard.press("CapsLock")
    page.keyboard.press("U")
    expect(verdict(page)).to_have_text("The last move is taken back.")
    board.evaluate("(board) => { board.lang = 'ja'; board.position = 'oo'; }")
    expect(verdict(page)).to_contain_text("「oo」")
    expect(board.get_by_role("button")).to_have_count(0)
    board.evaluate("(board) => { board.removeAttribute('position'); board.puzzle = 'flip-it-6'; }")
    expect(hole(page, 5)).to_have_accessible_name(re.compile("^5番、黒石"))
    hole(page, 0).click()
    expect(hole(page, 1)).to_have_accessible_name(re.compile("^1番、白石"))


def test_letters_and_typed_lines_are_answered(page: Page, other_site: str) -> None:
    page.goto(other_site)
    expect(hole(page, 0)).to_have_accessible_name("peg in hole 0, can move")
    hole(page, 0).focus()
    for key, answer in (
        ("b", "Pegs: 0, 1, 3, 4, 5, 12. Empty: 2, 6, 7, 8, 9, 10, 11."),
        ("o", "peg in hole 0, can move: to 2, 6 or 10."),
        ("p", "6 pegs. 0 moves."),
        ("l", "No move yet."),
        ("ArrowUp", "Edge of the board."),
    ):
        page.keyboard.press(key)
        expect(verdict(page)).to_have_text(answer)
    page.keyboard.press("?")
    expect(verdict(page)).to_contain_text("t opens a line to type in")
    page.keyboard.press("j")
    expect(hole(page, 0)).not_to_be_focused()
    page.keyboard.press("t")
    field = page.get_by_label("Move or command")
    for typed, answer in (
        ("0-2-6", "Move 1: 2 to 6, over 4."),
        ("how many", "4 pegs. 1 move."),
        ("6 9", "6 to 9 is not a possible step."),
        ("row 2", "Row 2: 3 peg, 4 empty."),
        ("solution", "That cannot be done now."),
    ):
        field.fill(typed)
        field.press("Enter")
        expect(verdict(page)).to_contain_text(answer)
    assert Axe().run(page).response["violations"] == []
    field.press("Escape")
    expect(field).to_be_hidden()
    page.keyboard.press("u")
    expect(verdict(page)).to_have_text("The last move is taken back.")


def test_game_survives_moves_and_equal_attributes(page: Page, other_site: str) -> None:
    page.goto(other_site)
    board = page.locator("hoppers-board")
    for number in (0, 2):
        hole(page, number).click()
    expect(verdict(page)).to_contain_text("Move 1: 0 to 2, over 1.")
    board.evaluate("""(board) => {
      document.querySelector("h1").after(board);
      for (const name of ["puzzle", "position", "goal"]) board[name] = board.getAttribute(name);
    }""")
    page.wait_for_timeout(100)
    assert board.evaluate("(board) => [board.moves, board.solved]") == ["0-2", False]
    expect(verdict(page)).to_contain_text("Move 1: 0 to 2, over 1.")


@pytest.mark.own_tab
def test_properties_set_before_the_script_count(page: Page, other_site: str) -> None:
    page.add_init_script("""document.addEventListener("DOMContentLoaded", () => {
      const board = document.createElement("hoppers-board");
      Object.assign(board, { puzzle: "flip-it-5", numbers: true });
      document.querySelector("hoppers-board").replaceWith(board);
      document.querySelector("main").append(document.createElement("hoppers-board"));
    })""")

    def delay(route: Route) -> None:
        page.wait_for_timeout(300)
        route.continue_()

    page.route("**/embed/hoppers-board.js", delay)
    page.goto(other_site)
    boards = page.locator("hoppers-board")
    expect(boards.nth(0).locator("[data-hole]")).to_have_count(5)
    expect(boards.nth(0)).to_have_attribute("numbers", "")
    expect(boards.nth(1).get_by_role("status")).to_have_text("Which puzzle? Set the attribute puzzle.")


@pytest.mark.own_tab
def test_failed_request_changes_nothing_and_the_game_goes_on(page: Page, other_site: str) -> None:
    expect_faults(page, "Failed to load resource")
    page.route("**/tables/answers.js", lambda route: route.abort())
    page.goto(other_site)
    page.evaluate(SEEN)
    hole(page, 0).click()
    page.context.set_offline(True)
    hole(page, 2).click()
    expect(verdict(page)).to_have_text("No connection. Press again.")
    board = page.locator("hoppers-board")
    assert board.evaluate("(board) => [board.current, board.moves]") == ["oo.ooo......o", ""]
    expect(hole(page, 0)).to_have_accessible_name("peg in hole 0, selected")
    page.context.set_offline(False)
    hole(page, 2).click()
    expect(verdict(page)).to_contain_text("Move 1: 0 to 2, over 1.")
    assert len(page.evaluate("seen")) == 1


@pytest.mark.own_tab
def test_small_board_goes_on_without_its_server(page: Page, other_site: str) -> None:
    with page.expect_response("**/tables/answers.js"):
        page.goto(other_site)
    page.wait_for_timeout(500)
    page.context.set_offline(True)
    for number in (0, 2, 6):
        hole(page, number).click()
    expect(verdict(page)).to_contain_text("Move 1: 2 to 6, over 4.")
    page.locator("hoppers-board").get_by_role("button", name="Hint", exact=True).click()
    expect(verdict(page)).to_contain_text("Hint: ")


def test_run_is_one_press_and_each_jump_an_event(page: Page, other_site: str) -> None:
    page.goto(other_site)
    page.evaluate(SEEN)
    board = page.locator("hoppers-board")
    board.evaluate("(board) => { board.position = 'oo..o........'; }")
    for number in (0, 6):
        hole(page, number).click()
    expect(verdict(page)).to_have_text("Solved in 1 move, the fewest possible.")
    names = [name for name, _ in page.evaluate("seen")]
    assert names == ["hoppers-move", "hoppers-move", "hoppers-solved"]
    assert board.evaluate("(board) => [board.moves, board.solved]") == ["0-2-6", True]


def test_centre_of_every_piece_is_its_hole(page: Page, other_site: str) -> None:
    page.goto(other_site)
    expect(hole(page, 0)).to_be_visible()
    for width in (320, 427, 700):
        page.set_viewport_size({"width": width, "height": 400})
        missed = page.locator("hoppers-board").evaluate("""({ shadowRoot: root }) =>
          [...root.querySelectorAll("[data-at]")].filter((piece) => {
            piece.scrollIntoView({ block: "center" });
            const { e, f } = piece.getScreenCTM();
            return root.elementFromPoint(e, f)?.dataset.hole !== piece.dataset.at;
          }).length""")
        assert missed == 0, width


@pytest.mark.parametrize("sandbox", ["", 'sandbox="allow-scripts"'])
def test_frame_in_a_local_file_is_played(page: Page, live_server: str, tmp_path: Path, sandbox: str) -> None:
    frame = re.findall("<iframe.*?</iframe>", DOCS)[0].replace("https://puzzles.example", live_server)
    file = tmp_path / "lesson.html"
    file.write_text(f"<!doctype html><title>Lesson</title>{frame.replace('<iframe', f'<iframe {sandbox}')}")
    page.goto(file.as_uri())
    board = page.frame_locator("iframe")
    for number in (0, 6):
        board.locator(f"[data-hole='{number}']").click()
    expect(board.locator("[data-hole='6']")).to_have_attribute("data-cell", "o")
    board.get_by_role("button", name="Undo").click()
    expect(board.locator("[data-hole='6']")).to_have_attribute("data-cell", ".")


@pytest.mark.parametrize("box", ["<details>{}</details>", "<div hidden>{}</div>"])
def test_pictures_beside_hidden_ones_lose_nothing(page: Page, box: str) -> None:
    page.goto("about:blank")  # whose policy allows inline styles
    others, shown = [picture_of(name) for name in ("hoppers", "hoppers-red")], picture_of("eight-puzzle")

    def look(*hidden: str) -> Image.Image:
        boxes = "".join(map(box.format, hidden))
        page.set_content(f"<!doctype html><title>Pictures</title>{boxes}<main>{shown}</main>")
        return Image.open(BytesIO(page.locator("main").screenshot())).convert("RGB")

    alone = look()
    assert max(ImageStat.Stat(ImageChops.difference(alone, look(*others))).mean) < 1
    # of equal pictures browsers draw gradients only if the first is visible: a plain colour stands in
    assert max(ImageStat.Stat(ImageChops.difference(alone, look(shown))).mean) < 10


def picture_of(name: str) -> str:
    return hoppers.puzzle(name).position().svg()
