"""The trace of a search: its JSON pages, and the trace page in a real browser."""

import re
from collections import Counter
from dataclasses import replace

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Page, Route, expect

from hoppers.core.errors import PuzzleError
from hoppers.core.events import Progress
from hoppers.core.model import ANY_GOAL
from hoppers.core.puzzle import Question
from hoppers.web.api.trace import MAX_NODES, count_limits
from tests import naive
from tests.browser.fixtures import press
from tests.browser.tabs import expect_faults
from tests.support.engine import PUZZLES, find

TRACE = "/api/puzzles/hoppers/positions/oooooo.oooooo/trace?method=deepening"


def test_first_page_is_the_beginning_of_the_search(client: FlaskClient) -> None:
    answer = client.get(TRACE).get_json()
    assert [row[1] for row in answer["limits"]] == [17, 73, 441, 2553, 12041, 46081, 9439]
    assert (answer["whole"], answer["limits"][-1][3]) == (True, "solved")
    assert sum(event[8] for event in answer["events"]) == 17


def test_every_page_continues_where_the_last_one_ended(client: FlaskClient) -> None:
    ends = []
    for number in range(19):
        answer = client.get(f"{TRACE}&limit=7&page={number}").get_json()
        assert sum(event[8] for event in answer["events"]) == (500 if number < 18 else 439)
        deepest = answer["line"][-1] if number else answer["events"][0]
        assert answer["events"][0][2] in (deepest[2] + 1, 0)
        ends.append(answer["events"][-1][0])
    assert ends.index("solved") == 18


def test_levels_are_watched_page_by_page_with_their_memory(client: FlaskClient) -> None:
    """The sizes of the levels are those of the naive twin (tests/search/test_breadth_trace.py)."""
    trace = TRACE.replace("deepening", "breadth-first")
    rows = client.get(trace).get_json()["limits"]
    assert [row[1] for row in rows] == [4, 12, 76, 322, 1120, 1664, 705]
    assert all(row[4] >= 4 * sum(other[1] for other in rows[: row[0]]) for row in rows)
    pages = [client.get(f"{trace}&limit=6&page={number}").get_json() for number in range(4)]
    assert [sum(event[8] for event in page["events"]) for page in pages] == [500, 500, 500, 164]
    for page in pages[1:]:
        assert [event[2] for event in page["line"]] == [0, 1] and page["events"][0][8] == 1
    assert pages[-1]["events"][-1][0] == "complete"
    shown = client.get("/puzzles/hoppers/inside?method=breadth-first").text
    assert ">Level<" in shown and ">Pruned<" not in shown
    assert client.get(trace.replace("trace", "bound")).get_json()["bound"] == 0


def test_trace_of_a_wrong_bound_proves_nothing(client: FlaskClient) -> None:
    wrong = client.get(TRACE.replace("deepening", "corners-misprint")).get_json()
    assert wrong["proved"] is False
    assert wrong["limits"][-1][::3] == [8, "solved"]  # a solution has 7 moves
    assert "proved" not in client.get(TRACE).get_json()


def test_rules_prove_whatever_the_bound(client: FlaskClient) -> None:
    query = "english-33/positions/ooooooooooooooooo.ooooooooooooooo/trace?goal=0&method=corners"
    answers = [client.get(f"/api/puzzles/{query}{bound}").get_json() for bound in ("", "-misprint")]
    for answer in answers:
        assert (answer["limits"][0][3], answer.get("proved", True)) == ("unsolvable", True)


@pytest.mark.parametrize("query", ["limit=8", "limit=0", "limit=7&page=19", "limit=1&page=-1", "limit=x"])
def test_missing_page_is_an_error(client: FlaskClient, query: str) -> None:
    assert client.get(f"{TRACE}&{query}").status_code == 400


def test_large_search_is_traced_only_in_part(client: FlaskClient) -> None:
    answer = client.get("/api/puzzles/fifteen-puzzle/positions/e80921f3cd645b7a/trace").get_json()
    assert not answer["whole"]
    assert sum(row[1] for row in answer["limits"]) < 3_000_000


def test_search_with_too_large_a_first_limit_is_refused() -> None:
    puzzle, endless = PUZZLES["hoppers"], iter([Progress(1, MAX_NODES, 9.0), Progress(1, MAX_NODES + 1, 9.1)])
    methods = {"endless": puzzle.method("deepening")._replace(search=lambda question: endless)}
    endless_puzzle = replace(puzzle, solving=puzzle.solving._replace(methods=methods))
    with pytest.raises(PuzzleError, match="too many to watch"):
        count_limits(
            Question(endless_puzzle, puzzle.rules.goals[ANY_GOAL], puzzle.parse(puzzle.start)),
            "endless",
        )


@pytest.mark.browser
def test_trace_page_is_usable_once_a_starting_server_is_ready(page: Page) -> None:
    refusals = [{"code": code, "message": "…"} for code in ("warming_up", "busy")]

    def refuse(route: Route) -> None:
        if refusals:
            return route.fulfill(status=503, json={"error": refusals.pop(0)})
        return route.continue_()

    expect_faults(page, "503")
    page.route("**/trace?*", refuse)
    page.goto("/puzzles/hoppers/inside")
    status, forward = page.get_by_role("status"), page.get_by_role("button", name="Forward")
    expect(status).to_contain_text("The server has just started.")
    expect(forward).to_be_disabled()
    expect(status).to_contain_text("The server is busy.")
    expect(status).to_contain_text("Limit 1")
    expect(forward).to_be_enabled()


@pytest.mark.browser
def test_trace_page_says_why_a_search_cannot_be_watched(page: Page) -> None:
    error = {"code": "invalid_request", "message": "no such limit"}
    expect_faults(page, "400")
    page.route("**/trace?*", lambda route: route.fulfill(status=400, json={"error": error}))
    page.goto("/puzzles/hoppers/inside")
    expect(page.get_by_role("status")).to_have_text("no such limit")


@pytest.mark.browser
def test_trace_page_steps_forward_and_back(page: Page) -> None:
    page.goto("/puzzles/eight-puzzle/inside?position=123406758&method=manhattan-tight")
    status, main = page.get_by_role("status"), page.locator("main")
    expect(main).to_have_attribute("data-event", "0")
    expect(status).to_contain_text("Limit 1")
    expect(page.locator(".m-group")).to_have_count(2)
    for _ in range(4):
        press(page, "Forward")
    expect(main).to_have_attribute("data-limit", "2")
    expect(main).to_have_attribute("data-event", "2")
    press(page, "Back")
    expect(main).to_have_attribute("data-event", "1")
    press(page, "To the end of the limit")
    expect(status).to_contain_text("solved in 2 moves")
    expect(page.get_by_role("button", name="Forward")).to_be_disabled()
    expect(page.locator('.ledger [data-limit="2"]')).to_have_attribute("data-nodes", "3")
    expect(page.locator(".marks .m-arrow")).to_have_count(2)
    press(page, "First")
    press(page, "Play")
    expect(main).to_have_attribute("data-limit", "2")
    places = page.evaluate("history.length")
    page.get_by_label("Method").select_option("manhattan")
    press(page, "Watch")
    page.wait_for_url("**/inside?position=123406758&goal=*&method=manhattan#play")
    expect(main).not_to_have_attribute("data-event", "0")
    press(page, "To the end of the limit")
    press(page, "Watch")  # starts again from the beginning
    expect(main).to_have_attribute("data-event", "0")
    expect(main).not_to_have_attribute("data-event", "0")
    assert page.evaluate("history.length") == places


@pytest.mark.browser
@pytest.mark.parametrize(
    ("language", "none", "after_bound", "solved"),
    [
        (
            "en",
            "none found: not proved",
            "That is not a proof",
            "That there is no shorter solution is not proved",
        ),
        ("ja", "見つからず（証明なし）", "証明ではありません", "証明されていません"),
    ],
)
def test_trace_page_of_a_wrong_bound_claims_no_proof(
    page: Page, language: str, none: str, after_bound: str, solved: str
) -> None:
    page.goto(f"/puzzles/hoppers/inside?method=corners-misprint&position=oooooo.oooooo&lang={language}")
    main, status, results = page.locator("main"), page.get_by_role("status"), page.locator(".ledger tbody tr")
    expect(page.locator("[name=method] :checked")).to_have_attribute("value", "corners-misprint")
    expect(results).to_have_count(8)
    for row in results.all()[:-1]:
        expect(row.locator("td").last).to_have_text(none)
    expect(status).to_contain_text(after_bound)
    for limit in range(1, 9):
        page.locator('[data-trace="limit"]').click()
        expect(main).to_have_attribute("data-limit", str(limit))
    expect(main).to_have_attribute("data-kind", "solved")
    expect(status).to_contain_text(solved)


@pytest.mark.browser
def test_slider_reaches_any_place_of_a_search(page: Page) -> None:
    page.goto("/puzzles/hoppers/inside?method=deepening")
    main, slider = page.locator("main"), page.get_by_role("slider")
    for nodes in (17, 73, 441, 2553, 12041, 46081, 9439):
        press(page, "To the end of the limit")
        expect(main).to_have_attribute("data-node", str(nodes))
    expect(page.get_by_role("status")).to_contain_text("solved in 7 moves")
    expect(page.locator(".marks .m-arrow")).to_have_count(11)
    press(page, "Go to the beginning of limit 6")
    expect(main).to_have_attribute("data-node", "1")
    slider.fill("30001")
    expect(main).to_have_attribute("data-node", "30001")
    press(page, "Back")
    expect(main).to_have_attribute("data-node", "30000")
    expect(main).to_have_attribute("data-page", "59")
    press(page, "Forward")
    expect(main).to_have_attribute("data-node", "30001")
    expect(page.locator(".tree-note")).to_contain_text("Of the 46,081 marks")
    assert page.locator(".tree > :not(.twig)").count() < 300


@pytest.mark.browser
@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("hoppers/inside?method=corners", "at least 4 moves are needed"),
        ("english-33/inside?goal=0", "Proved unsolvable, without a search"),
        ("eight-puzzle/inside?position=123456870", "wrong half"),
    ],
)
def test_holes_that_prove_a_verdict_are_marked(page: Page, query: str, sentence: str) -> None:
    page.goto(f"/puzzles/{query}")
    expect(page.get_by_role("status")).to_contain_text(sentence)
    groups = page.locator(".m-group")
    expect(groups).to_have_count({"hoppers": 4, "english": 1, "eight-p": 0}[query[:7]])


FORWARD = """async () => {
  const [main, forward] = [document.querySelector('main'), document.querySelector('[data-trace="forward"]')];
  for (let presses = 0; presses < 200 && !['seen', 'lost'].includes(main.dataset.kind); presses += 1) {
    forward.click();
    await new Promise((done) => setTimeout(done));
  }
}"""
"""Script that presses Forward until a position is pruned because it was searched before."""


@pytest.mark.browser
def test_repeated_positions_are_pruned(page: Page) -> None:
    page.goto("/puzzles/hoppers/inside?method=memory")
    page.get_by_role("button", name="Go to the beginning of limit 5").click()
    expect(page.get_by_role("status")).to_contain_text("Limit 5")
    page.locator("body").evaluate(FORWARD)
    expect(page.get_by_role("status")).to_contain_text("searched before")


def test_groups_of_holes_are_drawn_beside_their_method(client: FlaskClient) -> None:
    """No jump of the naive rules leaves a group, and each hole has one letter."""
    puzzle = find("triangle-21")
    groups = puzzle.method("classes").groups(puzzle)
    twin = naive.rules(puzzle.id)
    assert isinstance(twin, naive.Pegs) and len(groups) == 4
    assert sorted(hole for group in groups for hole in group) == [*range(21)]
    group_of = {hole: number for number, group in enumerate(groups) for hole in group}
    assert all(group_of[origin] == group_of[target] for origin, _, target in twin.jumps)
    page = client.get(f"/puzzles/{puzzle.id}/inside?method=classes").get_data(as_text=True)
    drawn = re.findall(r'<text x="(\S+)" y="(\S+)" dy="12">(\w)</text>', page)
    assert Counter(letter for _, _, letter in drawn) == {
        letter: len(group) for letter, group in zip("ABCD", sorted(groups, key=min), strict=True)
    }
    assert len({(x, y) for x, y, _ in drawn}) == 21
    pegs = [sum(puzzle.start[hole] == "o" for hole in group) for group in sorted(groups, key=min)]
    assert re.findall(r'<span class="num">\w&nbsp;(\d+)</span>', page) == [str(count) for count in pegs]
    assert 'class="groups"' not in client.get(f"/puzzles/{puzzle.id}/inside").get_data(as_text=True)
