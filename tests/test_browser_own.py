"""What belongs to the player: own data, settings, and the application, installed and offline."""

import json
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Browser, Page, expect

from .browser_fixtures import browser, by_clicks, expect_faults, open_game, opened, page, square, verdict

__all__ = ["browser", "page"]

pytestmark = pytest.mark.browser

PNG = b"\x89PNG\r\n\x1a\n"


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
        expect_faults(page, "ERR_INTERNET_DISCONNECTED", "ERR_FAILED")
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
