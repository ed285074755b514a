"""What surrounds the game: assistance, results, all solutions, sharing, own data, offline, paper."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from flask.testing import FlaskClient
from playwright.sync_api import Browser, Page, expect

from server.puzzle import Puzzle
from server.puzzles import PUZZLES

from .browser_fixtures import (
    KINDS,
    PHONE,
    PUBLISHED,
    browser,
    by_clicks,
    each_kind,
    hole,
    moves_of,
    open_game,
    opened,
    page,
    square,
    steps_of,
    verdict,
    walk,
)

__all__ = ["browser", "page"]

pytestmark = pytest.mark.browser

SOLVED = "?line=" + ".".join("-".join(map(str, move)) for move in PUBLISHED)
PNG = b"\x89PNG\r\n\x1a\n"


def choose(page: Page, setting: str, value: str) -> None:
    page.get_by_role("button", name="Settings", exact=True).click()
    page.locator(f'[data-setting="{setting}"]').select_option(value)
    page.keyboard.press("Escape")


def test_without_assistance_the_verdict_comes_when_asked(page: Page) -> None:
    open_game(page, square())
    choose(page, "assistance", "off")
    expect(verdict(page)).to_have_attribute("data-verdict", "untold")
    expect(verdict(page)).not_to_contain_text("best possible")
    page.get_by_role("button", name="Can it still be solved?").click()
    expect(verdict(page)).to_have_attribute("data-verdict", "live")
    by_clicks(page, 0, 6)
    expect(verdict(page)).to_have_attribute("data-verdict", "untold")
    for origin, target in steps_of(PUBLISHED)[1:]:
        by_clicks(page, origin, target)
    expect(verdict(page)).to_have_attribute("data-verdict", "solved")


def with_fatal_pieces(page: Page, puzzle: Puzzle) -> tuple[str, set[int]]:
    """A live position where some pieces have nothing but fatal steps, and those pieces."""
    waiting = [puzzle.start]
    for position in waiting:
        steps = page.request.get(f"/api/puzzles/{puzzle.id}/positions/{position}").json()["steps"]
        live = {step["from"] for step in steps if step["verdict"] == "live"}
        fatal = {step["from"] for step in steps} - live
        if live and fatal and ":" not in position:
            return position, fatal
        waiting += [step["position"] for step in steps if step["verdict"] == "live"]
    raise AssertionError("no step is ever fatal")


def test_fatal_moves_are_hatched_where_wanted(page: Page) -> None:
    position, fatal = with_fatal_pieces(page, square())
    open_game(page, square(), f"?position={position}")
    expect(page.locator("[data-fatal]")).to_have_count(0)
    choose(page, "assistance", "marks")
    for number in range(square().holes):
        expect(page.locator(f'[data-hole="{number}"][data-fatal]')).to_have_count(int(number in fatal))
    expect(hole(page, min(fatal))).to_have_accessible_name(f"peg in hole {min(fatal)}, fatal")


def test_result_is_kept_for_its_problem(page: Page) -> None:
    open_game(page, square())
    for origin, target in steps_of(PUBLISHED):
        by_clicks(page, origin, target)
    expect(verdict(page)).to_have_attribute("data-verdict", "solved")
    page.locator(".aim").click()
    expect(page.locator("li[data-problem]").first).to_contain_text("7 moves, optimal")


def test_best_play_is_celebrated_shortly_and_blocks_nothing(page: Page) -> None:
    open_game(page, square(), SOLVED.rpartition(".")[0])
    page.evaluate(
        """() => { const animate = Element.prototype.animate; window.longest = 0;
        Element.prototype.animate = function (frames, options) {
          window.longest = Math.max(window.longest, options.duration);
          return animate.call(this, frames, options); } }"""
    )
    for origin, target in steps_of(PUBLISHED[-1:]):
        by_clicks(page, origin, target)
    expect(page.locator(".m-shine")).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(verdict(page)).not_to_have_attribute("data-verdict", "solved")
    assert 0 < page.evaluate("window.longest") < 600
    expect(page.locator(".m-shine")).to_have_count(0)


def test_all_solutions_are_listed_and_own_one_is_found(page: Page) -> None:
    open_game(page, square(), SOLVED)
    page.get_by_role("tab", name="All").click()
    expect(page.locator("#all .say")).to_contain_text("72, of 7 moves each; 9 up to symmetry")
    expect(page.locator("#all li")).to_have_count(9)
    expect(page.locator("#all")).to_contain_text("Yours is number")
    page.locator("#unique").uncheck()
    expect(page.locator("#all li")).to_have_count(20)
    page.locator('#all [data-turn="1"]').click()
    expect(page.locator("#all ol")).to_have_attribute("start", "21")
    assert Axe().run(page).response["violations"] == []
    page.locator("#all .way").first.click()
    expect(page.locator(".player")).to_be_visible()


@each_kind
def test_all_solutions_of_every_kind(page: Page, puzzle: Puzzle) -> None:
    open_game(page, puzzle)
    page.get_by_role("tab", name="All").click()
    expect(page.locator("#all .say")).not_to_be_empty()


def test_position_is_shared_in_every_form(browser: Browser, live_server: str) -> None:
    grants = {"permissions": ["clipboard-read", "clipboard-write"]}
    with opened(browser, live_server, viewport=PHONE, **grants) as page:
        open_game(page, square(), "?line=0-6")
        page.get_by_role("button", name="Share").click()
        copied = lambda: page.evaluate("navigator.clipboard.readText()")  # noqa: E731
        page.locator('#share [data-copy="link"]').click()
        expect(page.locator('#share [data-copy="link"]')).to_have_text("Copied")
        assert copied() == page.url
        page.locator('#share [data-copy="text"]').click()
        expect(page.locator('#share [data-copy="text"]')).to_have_text("Copied")
        assert copied().split() == [*".oo", *".o", *"ooo", *"oo", *"ooo"]
        snippet = page.locator("#embed").input_value()
        assert "<iframe" in snippet and "embed=1" in snippet
        for kind, start in (("svg", b"<svg"), ("png", PNG), ("json", b"{")):
            address = page.locator(f'#share [data-share="{kind}"]').get_attribute("href")
            assert page.request.get(str(address)).body().strip().startswith(start)


def test_board_plays_in_a_frame_of_another_page(page: Page) -> None:
    frame = f'<iframe src="/puzzles/{square().id}?embed=1" width="480" height="600"></iframe>'
    page.route("**/elsewhere", lambda route: route.fulfill(content_type="text/html", body=frame))
    page.goto("/elsewhere")
    embedded = page.frame_locator("iframe")
    embedded.locator('[data-hole="0"]').click()
    embedded.locator('[data-hole="6"]').click()
    expect(embedded.get_by_role("status").first).to_contain_text("1 move")
    expect(embedded.locator(".panel")).to_be_hidden()


@pytest.mark.parametrize("puzzle", KINDS.values(), ids=[puzzle.id for puzzle in KINDS.values()])
def test_preview_has_the_size_it_is_said_to_have(client: FlaskClient, puzzle: Puzzle) -> None:
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


def test_own_data_goes_out_in_and_away(page: Page, tmp_path: Path) -> None:
    open_game(page, square())
    by_clicks(page, 0, 6)
    page.get_by_role("button", name="Settings", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Export").click()
    file = tmp_path / "data.json"
    download.value.save_as(file)
    assert any("game" in key for key in json.loads(file.read_text())["data"])
    page.get_by_role("button", name="Clear my data").click()
    page.get_by_role("button", name="Really clear everything?").click()
    page.wait_for_function("Object.keys(localStorage).every((key) => !key.includes('game'))")
    page.goto("/")
    page.get_by_role("button", name="Settings", exact=True).click()
    bad = tmp_path / "bad.json"
    bad.write_text("{}")
    page.locator("#import-data").set_input_files(bad)
    expect(page.locator("#data-note")).to_contain_text("no data")
    page.locator("#import-data").set_input_files(file)
    expect(page.locator(".go:not([hidden])").first).to_contain_text("1 move in")


def test_letters_can_be_switched_off_and_motion_too(page: Page) -> None:
    open_game(page, square())
    page.get_by_role("button", name="Settings", exact=True).click()
    page.get_by_label("letters work as keys").uncheck()
    page.locator('[data-setting="motion"]').select_option("none")
    page.keyboard.press("Escape")
    page.evaluate("() => { window.moved = 0; Element.prototype.animate = () => { window.moved += 1; }; }")
    by_clicks(page, 0, 6)
    page.keyboard.press("u")
    expect(verdict(page)).to_contain_text("1 move")
    assert page.evaluate("window.moved") == 0


def test_seen_board_opens_offline(browser: Browser, live_server: str) -> None:
    with opened(browser, live_server, service_workers="allow") as page:
        page.expected_faults = ("ERR_INTERNET_DISCONNECTED", "ERR_FAILED")  # type: ignore[attr-defined]
        page.goto("/")
        page.evaluate("navigator.serviceWorker.ready")
        open_game(page, square())
        by_clicks(page, 0, 6)
        expect(verdict(page)).to_contain_text("1 move")
        page.wait_for_timeout(300)
        page.context.set_offline(True)
        page.goto(f"/puzzles/{square().id}")
        expect(page.locator(".board svg")).to_be_visible()
        by_clicks(page, 0, 6)
        expect(verdict(page)).to_contain_text("1 move")
        page.get_by_role("button", name="Search", exact=True).click()
        expect(page.locator("#solver .say")).to_contain_text("needs the server")


def test_application_can_be_installed(client: FlaskClient) -> None:
    manifest: Any = json.loads(client.get("/manifest.webmanifest").text)
    assert {icon["sizes"] for icon in manifest["icons"]} >= {"192x192", "512x512"}
    assert any(icon["purpose"] == "maskable" for icon in manifest["icons"])
    for icon in manifest["icons"]:
        assert client.get(icon["src"]).data.startswith(PNG)
    worker = client.get("/sw.js")
    assert worker.headers["Cache-Control"] == "no-cache"
    assert client.get("/icon-7.png").status_code == 404


@each_kind
def test_sheet_has_problems_and_solutions(page: Page, puzzle: Puzzle) -> None:
    page.goto(f"/puzzles/{puzzle.id}/print")
    count = page.locator(".problems-on-paper li").count()
    assert 1 <= count <= 6
    expect(page.locator(".answers li")).to_have_count(count)
    page.emulate_media(media="print")
    expect(page.locator(".top")).to_be_hidden()


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_dialogs(browser: Browser, live_server: str, scheme: Any, language: str) -> None:
    with opened(browser, live_server, color_scheme=scheme) as page:
        page.goto(f"/puzzles/{next(iter(PUZZLES))}?lang={language}")
        for dialog in ("settings", "share", "help", "setup"):
            page.evaluate("(id) => document.getElementById(id).showPopover()", dialog)
            violations = Axe().run(page).response["violations"]
            assert [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in violations] == []
        page.locator("#edit").click()
        expect(page.locator("#editor")).to_be_visible()
        assert Axe().run(page).response["violations"] == []


def test_help_has_a_board_to_finish(page: Page) -> None:
    open_game(page, square())
    page.keyboard.press("?")
    practice = page.frame_locator("#practice")
    expect(practice.get_by_role("status").first).to_contain_text("2 more moves at best")
    expect(page.locator("main")).to_have_attribute("data-position", square().start)


def test_keys_say_what_is_there(page: Page) -> None:
    open_game(page, square())
    hole(page, 0).focus()
    page.keyboard.press("m")
    expect(page.locator(".note")).to_contain_text("steps are possible")
    page.keyboard.press("o")
    expect(page.locator(".note")).to_contain_text("peg in hole 0")
    page.keyboard.press("p")
    expect(page.locator(".note")).to_contain_text("0 moves, 12 pegs")


@each_kind
def test_solved_by_keys_alone_from_loading_on(page: Page, puzzle: Puzzle) -> None:
    """Tab to the board, arrows and Enter: no pointer, an optimal solution."""
    open_game(page, puzzle)
    moves = moves_of(page, puzzle)
    while page.evaluate("document.activeElement.dataset.hole") is None:
        page.keyboard.press("Tab")
    for origin, target in steps_of(moves):
        walk(page, origin)
        page.keyboard.press("Enter")
        if puzzle.chains:
            walk(page, target)
            page.keyboard.press("Enter")
        else:
            expect(hole(page, target)).not_to_have_attribute("data-cell", "0")
    expect(verdict(page)).to_contain_text("optimal")
