"""The table of a small board in the page: everything goes on when the server is gone."""

import re
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, Page, expect

from hoppers.core.puzzle import Puzzle
from hoppers.puzzles import PUZZLES
from tests import naive
from tests.browser.tabs import expect_faults, opened
from tests.conftest import running_app, serving

pytestmark = pytest.mark.browser

GONE = ("ERR_CONNECTION_REFUSED", "ERR_FAILED", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET")
BOARDS = [PUZZLES[name] for name in ("hoppers", "eight-puzzle", "flip-it-6")]


def open_with_table(page: Page, path: str) -> None:
    page.goto(path)
    expect(page.locator("html[data-table]")).to_be_attached()


def position_of(page: Page) -> str:
    return page.locator("main").get_attribute("data-position") or ""


@pytest.mark.parametrize("puzzle", BOARDS, ids=lambda puzzle: puzzle.id)
def test_hints_verdicts_and_solution_without_a_server(browser: Browser, puzzle: Puzzle) -> None:
    rules = naive.rules(puzzle.id)
    status = '[role="status"]'
    with ExitStack() as server:
        url = server.enter_context(serving(server.enter_context(running_app())))
        with opened(browser, url) as page:
            expect_faults(page, *GONE)
            open_with_table(page, f"/puzzles/{puzzle.id}")
            best = int(page.locator(status).get_attribute("data-moves-left") or "")
            server.close()
            for _ in range(4):
                page.get_by_role("button", name="Hint").click()
                expect(page.locator('[data-hint="from"]')).to_be_attached()
                page.get_by_role("button", name="Hint").click()
                before = position_of(page)
                page.locator('[data-hint="to"]').click()
                expect(page.locator("main")).not_to_have_attribute("data-position", before)
                now = position_of(page)
                left = naive.fewest_moves(rules, now, puzzle.goal) if puzzle.holes < 9 else None
                wanted = re.compile(r"^\d+$") if left is None else str(left)
                expect(page.locator(status)).to_have_attribute("data-moves-left", wanted)
            page.get_by_role("button", name="Restart").click()
            expect(page.locator(status)).to_have_attribute("data-moves-left", str(best))
            page.get_by_role("button", name="Solution").click()
            expect(page.locator(".player .chips li")).to_have_count(best)
