"""A race that loses its connection: its rows, and commands given without a connection."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.fixtures import cut_connections, press
from tests.browser.tabs import expect_faults, opened
from tests.conftest import running_app, serving
from tests.support.race_page import LONG, UNEVEN, rows, start, won


@pytest.mark.browser
def test_lost_connection_repeats_no_row(browser: Browser) -> None:
    with running_app() as app, serving(app) as url, opened(browser, url) as page:
        page.goto(LONG.replace(",linear-conflict", "") + "&find=all")
        start(page)
        expect(page.locator('[data-limit="12"]')).to_be_visible()
        cut_connections(app)
        expect(page.locator(".banner")).not_to_be_empty()  # may be visible too briefly for a test
        expect(page.locator(".banner")).to_be_hidden()
        won(page)
        limits = page.locator("tbody tr").evaluate_all(
            "(rows) => rows.map((row) => Number(row.dataset.limit))"
        )
        assert limits == list(range(1, 32))
        assert sum(rows(page, 0)) == 241_065_904
        assert sum(rows(page, 1)) == 127_815


@pytest.mark.browser
@pytest.mark.parametrize(
    ("seconds", "key", "meanwhile", "then"),
    [
        (60, "Pause", "reconnecting, then pausing", "paused"),
        (0, "Stop", "reconnecting, then stopping", "stopped"),
    ],
)
def test_commands_are_carried_out_after_a_reconnect(
    browser: Browser, seconds: int, key: str, meanwhile: str, then: str
) -> None:
    """The server still has the search after the reconnect or, if `seconds` is 0, has dropped it."""
    with running_app(REJOIN_SECONDS=seconds) as app, serving(app) as url, opened(browser, url) as page:
        expect_faults(page, "ERR_INTERNET_DISCONNECTED")
        page.goto(UNEVEN)
        start(page)
        expect(page.locator('[data-limit="12"] td:nth-child(2):not(.none)')).to_be_visible()
        page.context.set_offline(True)
        cut_connections(app)
        state = page.locator('[data-lane="deepening"] .lane-state')
        expect(state).to_have_text("reconnecting")
        press(page, f"{key} Plain iterative deepening")
        expect(state).to_have_text(meanwhile)
        page.context.set_offline(False)
        expect(state).to_have_text(then)
        held = rows(page, 0)
        page.wait_for_timeout(300)
        assert rows(page, 0) == held and len(held) >= 12
