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
BOARDS = [PUZZLES[name] for name in ("hoppers", "flip-it-6")]
"""Boards of two families; tests/web/api/test_answers_in_page.py compares all answers of every family."""


def open_with_table(page: Page, path: str) -> None:
    page.goto(path)
    expect(page.locator("html[data-table]")).to_be_attached()


def position_of(page: Page) -> str:
    return page.locator("main").get_attribute("data-position") or ""


def test_hints_verdicts_and_solution_without_a_server(browser: Browser) -> None:
    with ExitStack() as server, ExitStack() as tabs:
        url = server.enter_context(serving(server.enter_context(running_app())))
        pages = [tabs.enter_context(opened(browser, url)) for _ in BOARDS]
        for page, puzzle in zip(pages, BOARDS, strict=True):
            expect_faults(page, *GONE)
            open_with_table(page, f"/puzzles/{puzzle.id}?depth=study")
        server.close()
        for page, puzzle in zip(pages, BOARDS, strict=True):
            play_with_hints_and_solution(page, puzzle)


def play_with_hints_and_solution(page: Page, puzzle: Puzzle) -> None:
    rules, status = naive.rules(puzzle.id), page.locator('[role="status"]')
    best = int(status.get_attribute("data-moves-left") or "")
    for _ in range(4):
        page.get_by_role("button", name="Hint", exact=True).click()
        expect(page.locator('[data-hint="from"]')).to_be_attached()
        page.get_by_role("button", name="Hint", exact=True).click()
        before = position_of(page)
        page.locator('[data-hint="to"]').click()
        expect(page.locator("main")).not_to_have_attribute("data-position", before)
        now = position_of(page)
        left = naive.fewest_moves(rules, now, puzzle.goal) if puzzle.holes < 9 else None
        wanted = re.compile(r"^\d+$") if left is None else str(left)
        expect(status).to_have_attribute("data-moves-left", wanted)
    page.get_by_role("button", name="Restart").click()
    expect(status).to_have_attribute("data-moves-left", str(best))
    page.get_by_role("button", name="Solution").click()
    expect(page.locator(".player .chips li")).to_have_count(best)
