"""The page of a server that has just started: play works, and answers arrive as kernels become ready."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from hoppers.jobs.kernel_warmup import Warmup
from tests.browser.fixtures import by_clicks, press, verdict
from tests.browser.tabs import opened
from tests.conftest import MakeApp, running_app, serving
from tests.support.cold_start import cold
from tests.support.engine import PUZZLES
from tests.support.processes import finish_warmup

pytestmark = pytest.mark.usefixtures("no_numpy_tables")
"""Small boards wait for their kernels here, as large ones do."""


@contextmanager
def cold_page(browser: Browser) -> Iterator[tuple[Page, Warmup]]:
    """Open the first puzzle on a server whose warm-up has not begun; yield the page and the warm-up."""
    puzzle = next(iter(PUZZLES.values()))
    with running_app() as app, serving(app) as url, opened(browser, url) as page:
        warmup = cold(app, puzzle)
        page.goto(f"/puzzles/{puzzle.id}?depth=study")
        yield page, warmup


def test_atlas_solutions_are_shown_before_a_puzzle_is_warm(make_app: MakeApp) -> None:
    app, place = make_app(), "/api/puzzles/flip-it-6/positions"
    cold(app, PUZZLES["flip-it-6"])
    client, start = app.test_client(), PUZZLES["flip-it-6"].start
    assert len(client.get(f"{place}/{start}/solution").get_json()["moves"]) == 8
    hint = client.get(f"{place}/{start}/hint").get_json()
    assert hint["proved"] and hint["step"]
    sheet = client.get("/puzzles/flip-it-6/print").text
    assert 'class="num"' in sheet and "http-equiv" not in sheet


@pytest.mark.browser
def test_a_page_works_during_warm_up_then_shows_verdicts(browser: Browser) -> None:
    """A hint requested during the warm-up arrives after it."""
    with cold_page(browser) as (page, warmup):
        expect(page.locator(".machine")).to_contain_text("The solver is starting: 0 of 1 boards ready")
        by_clicks(page, 0, 6)
        expect(verdict(page)).to_contain_text("1 move")
        expect(verdict(page)).to_have_attribute("data-verdict", "unknown")
        press(page, "Hint")
        expect(page.locator(".note")).to_contain_text("The solver is still starting.")
        finish_warmup(warmup)
        expect(page.locator('[data-hint="from"]')).to_be_attached()
        expect(verdict(page)).to_have_attribute("data-verdict", "live")
        expect(page.locator(".machine")).to_be_empty()


@pytest.mark.browser
def test_proved_solutions_show_live_positions_during_warm_up(browser: Browser) -> None:
    with cold_page(browser) as (page, _):
        press(page, "Solution")
        page.get_by_role("button", name="Pause", exact=True).click()
        page.get_by_role("button", name="First", exact=True).click()
        page.get_by_role("button", name="Forward", exact=True).click()
        expect(verdict(page)).to_contain_text("Can be solved")
        expect(verdict(page)).to_have_attribute("data-verdict", "live")
        expect(verdict(page)).to_contain_text("more moves")


@pytest.mark.browser
def test_a_late_hint_is_not_shown_on_an_edited_board(browser: Browser) -> None:
    with cold_page(browser) as (page, warmup):
        by_clicks(page, 0, 6)
        requests = list[Route]()
        page.route("**/hint*", lambda route: requests.append(route))
        with page.expect_request("**/hint*"):
            press(page, "Hint")
        page.locator("#edit").dispatch_event("click")
        expect(page.locator("#editor")).to_be_visible()
        finish_warmup(warmup)
        with page.expect_response("**/hint*"):
            requests[0].continue_()
        page.wait_for_timeout(700)
        expect(page.locator("[data-hint]")).to_have_count(0)
        page.locator("#leave-editor").click()
        expect(page.locator("[data-hint]")).to_have_count(0)
