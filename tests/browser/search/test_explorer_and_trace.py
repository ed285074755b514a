"""The explorer and the trace page: API answers, and both pages in a browser."""

import re
import time
from collections import Counter

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Page, Route, expect

from hoppers.analysis import verdicts
from tests import naive
from tests.browser.fixtures import (
    assert_accessible_at_both_sizes,
    open_game,
    press,
    published_puzzle,
    tab,
)
from tests.browser.tabs import NAVIGATION_TIMEOUT, expect_faults
from tests.support.engine import find

PAGES = [
    "/puzzles/hoppers/explore?position=.ooooo.oo.ooo",
    "/puzzles/eight-puzzle/explore?position=867254301",
    "/puzzles/eight-puzzle/inside?position=123406758&method=manhattan-tight",
    "/lessons",
    "/classics",
]
FACTS = {"hoppers": (2_344, 8), "eight-puzzle": (181_440, 31), "flip-it-6": (192, 8)}
"""Puzzle -> number of solvable positions, and the most moves that one of them needs."""


@pytest.mark.parametrize("puzzle", FACTS)
def test_distribution_counts_solvable_positions_by_moves(client: FlaskClient, puzzle: str) -> None:
    answer = client.get(f"/api/puzzles/{puzzle}/distribution").get_json()
    assert (answer["positions"], len(answer["counts"]) - 1) == FACTS[puzzle]
    assert sum(answer["counts"]) == answer["positions"]


def test_distribution_needs_a_complete_table(client: FlaskClient) -> None:
    answer = client.get("/api/puzzles/fifteen-puzzle/distribution").get_json()
    assert answer == {"counts": None, "positions": None}


def test_distribution_counts_all_positions_of_the_board() -> None:
    puzzle = find("hoppers")
    counts = puzzle.source(6).distribution()
    assert counts is not None
    boards = ["".join("o" if state >> hole & 1 else "." for hole in range(13)) for state in range(1, 1 << 13)]
    found = [verdicts.verdict_of(puzzle, 6, puzzle.parse(board)).moves_left for board in boards]
    assert counts == [found.count(moves) for moves in range(len(counts))]


def test_the_classic_problem_shows_its_winning_table(client: FlaskClient) -> None:
    """The published number of winning positions between start and goal, up to symmetry, is 1,679,072."""
    address = "/puzzles/english-33/explore"
    until = time.monotonic() + 60
    while "of them need fewer moves" not in (text := client.get(address).text):
        assert time.monotonic() < until, text
    puzzle = client.application.extensions["engine"].find("english-33")
    around = puzzle.source(16).local_distribution(puzzle.parse(puzzle.start))
    assert around is not None and around.winning
    assert (sum(around.counts), around.counts[0]) == (1_679_072, 1)
    assert text.count('<rect class="bar') == len(around.counts)
    assert f"{sum(around.counts[:18]):,} of them need fewer moves" in text


def test_explorer_counts_positions_still_reachable(client: FlaskClient) -> None:
    start, game = ".........oo..ooooo.....o.........", naive.rules("english-33")
    boards, waiting = {start}, [start]
    while waiting:
        after = {step[2].partition(":")[0] for step in game.steps(waiting.pop())} - boards
        boards |= after
        waiting += after
    fewest = [naive.fewest_moves(game, board, "any") for board in boards]
    counts = Counter(moves for moves in fewest if moves is not None)
    puzzle = client.application.extensions["engine"].find("english-33")
    position = puzzle.parse(start)
    verdicts.verdict_of(puzzle, -1, position)
    around = puzzle.source(-1).local_distribution(position)
    assert around is not None and not around.winning
    assert around.counts == [counts[moves] for moves in range(max(counts) + 1)]
    text = client.get(f"/puzzles/english-33/explore?position={start}&goal=any").text
    assert f"{counts.total()} solvable positions" in text


def test_explorer_reports_missing_counts(client: FlaskClient) -> None:
    text = client.get("/puzzles/fifteen-puzzle/explore?position=123456789abcde0f").text
    assert "too many positions" in text and 'class="histogram"' not in text


@pytest.mark.parametrize(
    "path",
    [
        "/puzzles/hoppers/explore?position=x",
        "/puzzles/hoppers/inside?method=best",
        "/puzzles/hoppers/inside?position=x",
    ],
)
def test_bad_link_quotes_the_error(client: FlaskClient, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 400
    assert 'role="alert"' in response.text


@pytest.mark.parametrize("path", ["/lessons/0", "/lessons/10", "/lessons/x", "/puzzles/none/explore"])
def test_unknown_pages_are_not_found(client: FlaskClient, path: str) -> None:
    assert client.get(path).status_code == 404


@pytest.mark.parametrize("path", ["/puzzles/hoppers?depth=play", *PAGES[:2]])
def test_japanese_sentences_have_no_space_between_them(client: FlaskClient, path: str) -> None:
    page = client.get(f"{path}&lang=ja").text
    assert "。" in page
    assert not re.findall(r"。\s+[ぁ-んァ-ヶ一-龠]", page)


@pytest.mark.browser
def test_explorer_shows_the_line_after_a_step(page: Page) -> None:
    page.goto(PAGES[0])
    steps = page.locator("tr[data-from]")
    left = [int(text) for text in steps.locator("td:nth-child(4)").all_inner_texts()]
    assert left == sorted(left) and left[0] == 5
    steps.first.hover()
    expect(page.locator(".marks .m-arrow").nth(1)).to_be_attached()
    steps.first.get_by_role("link").click()
    expect(page.locator("main")).to_have_attribute("data-position", "o..ooo.oo.ooo:0")
    expect(page.locator(".histogram .here")).to_have_count(1)


@pytest.mark.browser
def test_explorer_reloads_once_the_server_has_started_up(page: Page) -> None:
    """The verdict may be known from an earlier proof while steps and tables are still missing."""
    found = page.request.get(f"/api/puzzles/hoppers/positions/{published_puzzle().start}").json()
    cold, shown = [True], []

    def show(route: Route) -> None:
        shown.append(route.request.url)
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace('"preparing": false', '"preparing": true'))

    page.route("**/explore", show)
    page.route(
        "**/positions/*?*", lambda route: route.fulfill(json={**found, "warming": [0, 2] if cold else None})
    )
    page.clock.install()
    page.goto("/puzzles/hoppers/explore")
    for _ in range(3):
        with page.expect_response("**/positions/*?*"):
            page.clock.run_for(2_000)
    assert len(shown) == 1
    with page.expect_request("**/explore"):
        cold.clear()
        page.clock.resume()
    page.unroute_all(behavior="wait")


@pytest.mark.browser
def test_explorer_waits_on_after_a_failed_request(page: Page) -> None:
    expect_faults(page, "503")
    requests: list[str] = []

    def show_as_preparing(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace('"preparing": false', '"preparing": true'))

    page.route("**/explore", show_as_preparing)
    page.route("**/positions/*?*", lambda route: fail_once(route, requests))
    page.goto("/puzzles/hoppers/explore")
    with page.expect_request("**/explore"):
        pass
    assert len(requests) == 2
    page.unroute_all(behavior="wait")


@pytest.mark.browser
def test_explorer_repeats_a_failed_request_for_a_line(page: Page) -> None:
    expect_faults(page, "503")
    requests: list[str] = []
    page.route("**/solution?*", lambda route: fail_once(route, requests))
    page.goto(PAGES[0])
    page.locator("tr[data-from]").first.hover()
    expect(page.locator(".marks .m-arrow").nth(1)).to_be_attached()
    assert len(requests) == 2


def fail_once(route: Route, requests: list[str]) -> None:
    """Answer the first request with an error, and pass on all others."""
    requests.append(route.request.url)
    if len(requests) > 1:
        return route.continue_()
    return route.fulfill(status=503, json={"error": {"code": "busy", "message": "Busy."}})


@pytest.mark.browser
@pytest.mark.parametrize(
    ("path", "late", "key"),
    [
        ("/puzzles/hoppers/inside", "**/trace?*", "Forward"),
        ("/puzzles/hoppers/race", "**/race.js", "Start the race"),
        ("/lessons/8", "**/lesson.js", "This is a proof"),
        ("/classics", "**/published_results.js", "Run all 30"),
    ],
)
def test_buttons_are_disabled_until_the_page_is_ready(page: Page, path: str, late: str, key: str) -> None:
    """A press before the scripts run would be lost."""
    held: list[Route] = []
    page.route(late, lambda route: held.append(route))
    with page.expect_request(late, timeout=NAVIGATION_TIMEOUT):
        page.goto(path, wait_until="commit")
    expect(page.get_by_role("button", name=key, exact=True)).to_be_disabled()
    held.pop().continue_()
    key_there = page.get_by_role("button", name=key, exact=True)
    expect(key_there).to_be_enabled(timeout=NAVIGATION_TIMEOUT)


@pytest.mark.browser
def test_panel_links_to_the_position_on_the_board(page: Page) -> None:
    open_game(page, published_puzzle(), "?line=0-6")
    press(page, "Undo")
    tab(page, "Solver").click()
    page.get_by_role("link", name="Let methods race").click()
    expect(page.locator("main.race")).to_have_attribute("data-position", published_puzzle().start)


@pytest.mark.browser
@pytest.mark.parametrize("path", PAGES)
def test_pages_are_accessible_and_fit_a_phone(page: Page, path: str) -> None:
    """All buttons are enabled during the check; tests/browser/pages/test_lessons.py has the lessons."""
    page.goto(path)
    if page.locator("[data-waits]").count():
        expect(page.locator("[data-waits]:enabled").first).to_be_attached()
    assert_accessible_at_both_sizes(page)


TRACE_ROOM = """() => {
  const [frame, ledger] = ['.tree-frame', '.ledger-frame'].map((part) => document.querySelector(part));
  const tree = document.querySelector('.tree').getBoundingClientRect().width;
  return [tree / frame.clientWidth, ledger.scrollHeight - ledger.clientHeight];
}"""
"""Script that returns the width of the tree as a share of its room, and the hidden height of the table."""


@pytest.mark.browser
def test_tree_and_table_use_the_room(page: Page) -> None:
    page.goto("/puzzles/hoppers/inside")
    expect(page.locator(".ledger tbody tr")).to_have_count(7)
    for _ in range(3):
        page.get_by_role("button", name="To the end of the limit").click()
    expect(page.locator("main")).to_have_attribute("data-limit", "3")
    width, hidden = page.evaluate(TRACE_ROOM)
    assert width > 0.9 and hidden == 0


@pytest.mark.browser
def test_every_event_of_levels_has_a_sentence(page: Page) -> None:
    """A key of the catalogue in place of a sentence is an error of the page."""
    sentence, event = page.locator("main .verdict-line").first, page.locator('[data-trace="forward"]')
    page.goto("/puzzles/eight-puzzle/inside?position=123406758&method=breadth-first")
    expect(sentence).to_contain_text("Level 1")
    seen = [sentence.inner_text()]
    while event.is_enabled():
        event.click()
        expect(sentence).not_to_have_text(seen[-1])
        seen.append(sentence.inner_text())
    assert any("next in the queue" in text for text in seen) and "read back" in seen[-1]
