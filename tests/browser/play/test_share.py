"""Sharing a position: links, pictures, embedded boards, previews and paper."""

from urllib.parse import urlsplit

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Browser, Page, expect

from hoppers.core.puzzle import Puzzle
from tests.browser.fixtures import KINDS, PHONE, each_kind, open_game, published_puzzle, verdict
from tests.browser.tabs import expect_faults, opened

pytestmark = pytest.mark.browser

PNG = b"\x89PNG\r\n\x1a\n"


def copied(page: Page) -> str:
    """Return the text in the clipboard."""
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


def test_position_is_shared_in_every_form(browser: Browser, live_server: str) -> None:
    grants = {"permissions": ["clipboard-read", "clipboard-write"]}
    with opened(browser, live_server, viewport=PHONE, **grants) as page:
        open_game(page, published_puzzle(), "?line=0-6")
        page.locator("#more").click()
        page.locator('#more-menu [data-opens="share"]').click()
        below = page.locator("#embed").bounding_box()
        page.locator('#share [data-copy="link"]').click()
        expect(page.locator('#share [data-copy="link"]')).to_have_text("Copied")
        page.locator('#share [data-copy="link"]').click()
        assert copied(page) == page.url
        neighbour = page.locator("#share .ways > :last-child").bounding_box()
        page.locator('#share [data-copy="text"]').click()
        expect(page.locator('#share [data-copy="text"]')).to_have_text("Copied")
        assert page.locator("#share .ways > :last-child").bounding_box() == neighbour
        assert copied(page).split() == [*".oo", *".o", *"ooo", *"oo", *"ooo"]
        expect(page.locator('#share [data-copy="link"]')).to_have_text("Copy link")
        note = page.locator("#share .copy-note")
        expect(note).to_have_attribute("aria-live", "polite")
        expect(note).to_contain_text("Board copied as text")
        page.locator('#share [data-copy="picture"]').click()
        expect(note).to_contain_text("Picture of the board copied")
        assert page.locator("#embed").bounding_box() == below
        kinds = page.evaluate("navigator.clipboard.read().then(([item]) => item.types)")
        assert kinds == ["image/png"]
        snippet = page.locator("#embed").input_value()
        assert f'src="{live_server}/embed/hoppers-board.js"' in snippet
        assert f'<hoppers-board puzzle="{published_puzzle().id}" position=".oo.ooooooooo"' in snippet
        for kind, start in (("svg", b"<svg"), ("png", PNG), ("json", b"{")):
            address = page.locator(f'#share [data-share="{kind}"]').get_attribute("href")
            assert page.request.get(str(address)).body().strip().startswith(start)


@pytest.mark.own_tab
def test_link_is_copied_without_a_clipboard(page: Page) -> None:
    """Browsers provide no clipboard over plain HTTP."""
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.add_init_script(
        "document.addEventListener('copy', () => (window.taken = document.activeElement.value))"
    )
    open_game(page, published_puzzle())
    page.get_by_role("button", name="Share").click()
    page.locator('#share [data-copy="link"]').click()
    expect(page.locator('#share [data-copy="link"]')).to_have_text("Copied")
    expect(page.locator('#share [data-copy="link"]')).to_be_focused()
    assert page.evaluate("window.taken") == page.url


REFUSING = """() => {
  const refuse = () => Promise.reject(new DOMException("no", "NotAllowedError"));
  navigator.clipboard.writeText = navigator.clipboard.write = refuse;
  document.execCommand = () => false;
  navigator.share = (what) => ((window.sent = what), Promise.resolve());
}"""


@pytest.mark.own_tab
def test_copy_errors_are_explained_and_phones_can_share(page: Page) -> None:
    page.add_init_script(f"({REFUSING})()")
    open_game(page, published_puzzle())
    page.get_by_role("button", name="Share").click()
    note = page.locator("#share .copy-note")
    for kind, words in (("link", "in the address bar"), ("picture", "Open the PNG")):
        page.locator(f'#share [data-copy="{kind}"]').click()
        expect(note).to_contain_text(words)
    expect_faults(page, "Failed to load resource")
    page.route("**/board.png*", lambda route: route.abort())
    page.locator('#share [data-copy="picture"]').click()
    expect(note).to_contain_text("cannot be reached")
    page.get_by_role("button", name="Send…").click()
    assert page.evaluate("window.sent.url") == page.url


def test_board_plays_in_a_frame_of_another_page(page: Page) -> None:
    frame = f'<iframe src="/puzzles/{published_puzzle().id}?embed=1" width="480" height="600"></iframe>'
    page.route("**/elsewhere", lambda route: route.fulfill(content_type="text/html", body=frame))
    page.goto("/elsewhere")
    embedded = page.frame_locator("iframe")
    embedded.locator('[data-hole="0"]').click()
    embedded.locator('[data-hole="6"]').click()
    expect(embedded.locator('[data-hole="6"]')).to_have_attribute("data-cell", "o")
    expect(embedded.get_by_role("status").first).to_contain_text("Move 1")
    bottom = embedded.get_by_role("status").first.evaluate("(note) => note.getBoundingClientRect().bottom")
    assert bottom <= 600


@pytest.mark.parametrize("puzzle", KINDS.values(), ids=[puzzle.id for puzzle in KINDS.values()])
def test_preview_has_its_declared_size(client: FlaskClient, puzzle: Puzzle) -> None:
    text = client.get(f"/puzzles/{puzzle.id}").text
    address = text.split('property="og:image" content="')[1].split('"')[0].replace("&amp;", "&")
    parts = urlsplit(address)
    data = client.get(f"{parts.path}?{parts.query}").data
    assert data.startswith(PNG)
    assert [int.from_bytes(data[at : at + 4]) for at in (16, 20)] == [1200, 630]
    assert len(data) < 1_000_000
    small = client.get(f"/puzzles/{puzzle.id}/board.png?size=64").data
    assert int.from_bytes(small[16:20]) == 64
    assert client.get(f"/puzzles/{puzzle.id}/board.png?size=9").status_code == 400


INKED = """() => {
  const names = '.slab, .slab-shadow, .well, .hole-ring, .rimline, .tile-shade, [fill^=url]';
  const shapes = [...document.querySelectorAll(names)];
  const shown = shapes.map((shape) => getComputedStyle(shape)).filter(({ display }) => display !== 'none');
  return [...new Set(shown.map(({ fill }) => fill))];
}"""
"""Script that returns the fills of the visible shapes of a board; printed boards have few."""


def test_print_links_back_to_the_game(page: Page) -> None:
    open_game(page, published_puzzle(), "?line=0-6")
    page.goto(str(page.locator("#share [data-here=print]").get_attribute("href")))
    page.get_by_role("link", name="Back to the board").click()
    expect(verdict(page)).to_contain_text("1 move, 11 pegs")


@each_kind
def test_sheet_has_problems_and_solutions(page: Page, puzzle: Puzzle) -> None:
    page.goto(f"/puzzles/{puzzle.id}/print")
    count = page.locator(".problems-on-paper li").count()
    assert 1 <= count <= 6
    expect(page.locator(".answers li")).to_have_count(count)
    page.emulate_media(media="print")
    expect(page.locator(".top")).to_be_hidden()
    assert page.evaluate(INKED) == ["rgb(255, 255, 255)"]
    page.goto(f"/puzzles/{puzzle.id}")
    page.emulate_media(media="print")  # a new page may be of a new process, which does not know of it
    assert page.evaluate("matchMedia('print').matches")
    expect(page.locator(".board svg")).to_be_visible()
    for other in (".panel", ".puzzle-list", ".controls", ".status"):
        expect(page.locator(other)).to_be_hidden()
    assert page.evaluate(INKED) == ["rgb(255, 255, 255)"]
