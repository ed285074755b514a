"""The page while its server is down, busy or slow, and its automatic retries."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.fixtures import ask, by_clicks, line_of, open_game, press, published_puzzle, tab, verdict
from tests.browser.tabs import expect_faults

pytestmark = pytest.mark.browser


@pytest.mark.own_tab  # the cache of another test could answer
def test_page_retries_while_the_server_is_down(page: Page) -> None:
    expect_faults(page, "ERR_INTERNET_DISCONNECTED")
    open_game(page, published_puzzle())
    page.context.set_offline(True)
    by_clicks(page, 0, 6)
    expect(page.locator(".machine")).to_have_text(
        "You are offline. You can still play positions you have already opened."
    )
    expect(page.locator(".machine")).to_have_attribute("aria-live", "polite")
    expect(verdict(page)).to_contain_text("1 move, 11 pegs")
    press(page, "Hint")
    expect(page.locator(".note")).to_have_text("You are offline; this needs the server.")
    page.context.set_offline(False)
    expect(page.locator(".machine")).to_be_empty()
    expect(page.locator(".note")).to_be_empty()
    expect(page.locator("[data-movable]").first).to_be_attached()


@pytest.mark.own_tab
@pytest.mark.parametrize("is_told", [True, False], ids=["online again", "nobody says so"])
def test_connection_note_goes_after_a_reconnect(page: Page, is_told: bool) -> None:
    """The test presses Hint because the position has its verdict already.

    The page itself checks whether the server is back.
    """
    expect_faults(page, "ERR_")
    open_game(page, published_puzzle())
    lose_connection(page, is_told)
    press(page, "Hint")
    expect(page.locator(".note")).to_contain_text("server")
    expect(page.locator(".machine")).to_be_empty()
    page.wait_for_timeout(2600)
    expect(page.locator(".note")).to_contain_text("server")
    page.context.set_offline(False)
    page.unroute_all()
    expect(page.locator(".note")).not_to_contain_text("server")
    press(page, "Hint")
    expect(page.locator(".note")).to_contain_text("Hint: move")


@pytest.mark.own_tab
def test_search_reports_that_the_page_is_offline(page: Page) -> None:
    open_game(page, published_puzzle())
    message = page.locator("#solver .say")
    expect_faults(page, "ERR_INTERNET_DISCONNECTED")
    page.context.set_offline(True)
    press(page, "Search")
    press(page, "Search")
    expect(message).to_contain_text("searching needs the server")
    page.context.set_offline(False)
    expect(message).to_contain_text("No search yet")


@pytest.mark.own_tab
def test_start_is_requested_again_after_start_up(page: Page) -> None:
    """A game opened during the start-up shows the fewest moves from its start afterwards."""
    after = next(step["position"] for step in ask(page, published_puzzle())["steps"] if step["from"] == 0)
    unknown = {**ask(page, published_puzzle(), position=after), "verdict": "unknown", "moves_left": None}
    cold = [True]

    def answer_later(route: Route) -> None:
        return route.fulfill(json={**unknown, "warming": [0, 2]}) if cold else route.continue_()

    def forget(route: Route) -> None:
        answer = route.fetch()
        body = answer.text().replace('"verdict": "live"', '"verdict": "unknown"')
        body = body.replace('"analysisIsFinal": true', '"analysisIsFinal": false')
        route.fulfill(response=answer, body=re.sub(r'"moves_left": \d+', '"moves_left": null', body))

    page.route("**/positions/**", answer_later)
    page.route("**/puzzles/*?line=*", forget)
    keep_table_away(page)
    open_game(page, published_puzzle(), "?line=0-6")
    expect(page.locator(".machine")).to_contain_text("The solver is starting")
    expect(verdict(page)).not_to_contain_text("fewest")
    cold.clear()
    expect(verdict(page)).to_contain_text("best possible 7")
    expect(verdict(page)).to_have_attribute("data-verdict", "live")


def lose_connection(page: Page, is_told: bool) -> None:
    """Take the browser offline if `is_told`; otherwise let its requests fail."""
    if is_told:
        page.context.set_offline(True)
    else:
        page.route("**/*", lambda route: route.abort("connectionreset"))


def test_page_retries_while_the_server_is_busy(page: Page) -> None:
    expect_faults(page, "503")
    requested: list[str] = []

    def busy_once(route: Route) -> None:
        requested.append(route.request.url)
        if len(requested) > 1:
            return route.continue_()
        error = {"code": "busy", "message": "64 searches run already."}
        return route.fulfill(status=503, content_type="application/json", body=json.dumps({"error": error}))

    open_game(page, published_puzzle())
    page.route("**/positions/**", busy_once)
    by_clicks(page, 0, 6)
    expect(page.locator(".machine")).to_have_text("The server is busy. Retrying automatically.")
    expect(page.locator(".machine")).to_be_empty()
    assert len(requested) == 2
    expect(page.locator("[data-movable]").first).to_be_attached()


@pytest.mark.own_tab
def test_search_without_a_start_is_reported(page: Page) -> None:
    page.clock.install()
    page.route_web_socket("**/socket.io/**", lambda socket: None)
    open_game(page, published_puzzle())
    press(page, "Search")
    expect(page.locator("#solver .say")).to_contain_text("Searching from")
    page.clock.fast_forward(5000)
    expect(page.locator("#solver .say")).to_contain_text("The search has not started yet")


def counting(progress: float | None, reason: str | None = None) -> dict[str, Any]:
    """Return an answer without solutions. `progress`: share counted so far, None if the count has ended."""
    known: dict[str, Any] = {"moves_left": None, "count": None, "unique_count": None, "solutions": []}
    return {**known, "counting": progress, "reason": reason}


def test_progress_of_a_count_is_shown_until_it_is_known(page: Page) -> None:
    answers = [counting(0.25), counting(0.5)]

    def answer(route: Route) -> None:
        if answers:
            route.fulfill(json=answers[0] if len(answers) > 1 else answers.pop())
        else:
            route.continue_()

    page.route("**/solutions?*", answer)
    keep_table_away(page)
    open_game(page, published_puzzle())
    tab(page, "Solutions").click()
    message, bar = page.locator("#all .say"), page.get_by_role("progressbar", name="Progress of the count")
    expect(message).to_contain_text("Counting: 25% done")
    expect(bar).to_have_attribute("value", "0.25")
    answers.pop(0)
    expect(message).to_contain_text("72 shortest solutions, 7 moves each")
    expect(bar).to_be_hidden()


def keep_table_away(page: Page) -> None:
    """Let only the server answer: the table that an idle page builds would overtake it."""
    page.route("**/tables/answers.js", lambda route: route.fulfill(body="", content_type="text/javascript"))


def test_count_can_be_given_up_and_continued(page: Page) -> None:
    requested: list[str] = []

    def answer(route: Route) -> None:
        requested.append(route.request.url)
        route.fulfill(json={**counting(0.25), "moves_left": 7, "count": 72, "unique_count": 9})

    page.route("**/solutions?*", answer)
    keep_table_away(page)
    open_game(page, published_puzzle())
    tab(page, "Solutions").click()
    message = page.locator("#all .say")
    expect(message).to_contain_text(
        "72 shortest solutions, 7 moves each; 9 without turned and mirrored ones. Making the list"
    )
    press(page, "Stop counting")
    expect(message).to_have_text("Counting was stopped.")
    before = len(requested)
    page.wait_for_timeout(1200)
    assert len(requested) == before
    press(page, "Continue counting")
    expect(message).to_contain_text("Making the list")
    press(page, "Stop counting")


@pytest.mark.parametrize(
    ("reason", "text"), [("large", "more memory than one search"), ("many", "too many positions")]
)
def test_reason_of_a_missing_list_is_given(page: Page, reason: str, text: str) -> None:
    page.route("**/solutions?*", lambda route: route.fulfill(json=counting(None, reason)))
    keep_table_away(page)
    open_game(page, published_puzzle())
    tab(page, "Solutions").click()
    expect(page.locator("#all .say")).to_contain_text(text)
    expect(page.get_by_role("progressbar")).to_be_hidden()


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            "warming_up",
            "The server has just started and this board is not ready yet. Try again in a moment.",
        ),
        ("unheard_of", "What nobody expected."),
    ],
)
def test_refused_hint_is_explained(page: Page, code: str, message: str) -> None:
    expect_faults(page, "503")
    error = {"code": code, "message": "What nobody expected."}
    page.route("**/hint*", lambda route: route.fulfill(status=503, json={"error": error}))
    open_game(page, published_puzzle())
    press(page, "Hint")
    expect(page.locator(".note")).to_have_text(message)


@pytest.mark.own_tab
def test_all_solutions_follow_the_start_after_a_reconnect(page: Page) -> None:
    """The page removes the solutions of an older start, and reports that it cannot request new ones."""
    expect_faults(page, "ERR_INTERNET_DISCONNECTED")
    near = ask(page, published_puzzle(), "/solution")["moves"][:-1]
    open_game(page, published_puzzle(), f"?line={line_of(near)}")
    message, items = page.locator("#all .say"), page.locator("#all li")
    page.context.set_offline(True)
    tab(page, "Solutions").click()
    expect(message).to_have_text("You are offline; this needs the server.")
    expect(page.locator("#all [data-turn]").first).to_be_hidden()
    page.context.set_offline(False)
    expect(message).to_contain_text("72 shortest solutions, 7 moves each")
    press(page, "Start from here")
    expect(message).to_have_text("1 shortest solution, 1 move.")
    expect(items.locator(".same")).to_have_count(0)
    items.first.click()
    expect(page.locator(".player .about-solution")).to_contain_text("1 move")
    expect(verdict(page)).to_have_attribute("data-verdict", "solved")


def test_unknown_solution_is_polled(page: Page) -> None:
    unknown: dict[str, object] = {
        "verdict": "unknown",
        "moves_left": None,
        "move": [],
        "step": None,
        "proved": False,
    }
    answers = [unknown, unknown]

    def answer(route: Route) -> None:
        if answers:
            route.fulfill(json=answers.pop())
        else:
            route.continue_()

    page.route("**/hint?*", answer)
    open_game(page, published_puzzle())
    press(page, "Hint")
    expect(page.locator(".note")).to_have_text("Looking for a solution from here…")
    press(page, "Hint")  # sends no further request during the search
    expect(page.locator('[data-hint="from"]')).to_be_attached()
    expect(page.locator('[data-hint="to"]')).to_have_count(0)
    assert not answers
