"""The race page: its address, and the race in a browser."""

import csv
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Page, expect

from tests.browser.fixtures import PHONE, faults, faults_of_dark_colours, press
from tests.browser.tabs import OpenTab, expect_faults
from tests.conftest import Connect
from tests.support.race_page import CORNERS, PLAIN, RACE, UNEVEN, rows, start, won

ENDLESS = "/puzzles/fifteen-puzzle/race?position=0c9dfbae37624851&methods=deepening,manhattan"
"""Address of a race that does not end during a test, however slow the browser is."""
NODE = "A node is one visit to a position"
"""Beginning of the sentence that says what the methods of the race count."""


def saved(page: Page, kind: str) -> str:
    """Press the button `kind`, and return the text of the file that it saves."""
    with page.expect_download() as download:
        page.get_by_role("button", name=kind, exact=True).click()
    return Path(download.value.path()).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "query",
    ["methods=deepening", "methods=a,b", "position=x", "goal=99", "find=some", "methods=" + "x" * 500],
)
def test_bad_link_quotes_the_error(client: FlaskClient, query: str) -> None:
    response = client.get(f"/puzzles/hoppers/race?{query}")
    assert response.status_code == 400
    assert 'role="alert"' in response.text


def test_form_sends_every_method_separately(client: FlaskClient) -> None:
    response = client.get("/puzzles/hoppers/race?methods=corners&methods=best&methods=deepening")
    assert response.status_code == 200
    assert [response.text.index(f'data-lane="{name}"') for name in ("corners", "best", "deepening")]


@pytest.mark.browser
def test_race_ends_with_a_summary(page: Page) -> None:
    """After the race the page is accessible, and every measure shows the right figures."""
    page.goto(RACE)
    start(page)
    won(page)
    assert (rows(page, 0), rows(page, 1)) == (PLAIN, CORNERS)
    ratio = f"{sum(PLAIN) / sum(CORNERS):.1f}"
    summary = "7 moves, and no fewer. Plain iterative deepening counted "
    summary += f"{ratio} times as many nodes as Corner bound."
    in_time = r"( By the clock, \S.* was \S+ times as fast\.)?"  # only if the other was faster here
    expect(page.get_by_role("status")).to_have_text(re.compile(f"^{re.escape(summary)}{in_time}$"))
    expect(page.locator('[data-plot="deepening"] use')).to_have_count(7)
    assert page.locator("tbody tr").evaluate_all("(rows) => rows.map((row) => row.dataset.limit)") == list(
        "1234567"
    )
    assert faults(page) == []
    assert faults_of_dark_colours(page, "main") == []
    assert_columns_show_the_right_figures(page)


def assert_columns_show_the_right_figures(page: Page) -> None:
    """Check limit 2 of deepening: 73 nodes after 17, of which 56 are pruned; 8.06 + 8.06² = 73."""
    cell = page.locator('tr[data-limit="2"] td').first
    for measure, shown in (("growth", "73 ×4.29"), ("branching", "73 8.06"), ("cut", "73 77 %")):
        page.locator("#measure").select_option(measure)
        expect(cell).to_have_text(shown)
    page.locator("#measure").select_option("time")
    expect(cell).to_contain_text("ms")
    last = page.locator('tr[data-limit="7"] td').first
    page.locator("#measure").select_option("speed")
    expect(last.locator("small")).not_to_be_empty()


@pytest.mark.browser
def test_start_runs_the_contestants_that_are_ticked(page: Page) -> None:
    page.goto(RACE)
    page.locator(".choose summary").click()
    for title in ("Merson regions", "transposition table"):
        page.locator(".choose label", has_text=title).first.click()
    start(page)
    expect(page.locator(".race-rows th.lane")).to_have_count(4)
    won(page)
    names = page.locator(".lane").evaluate_all("(heads) => heads.map((head) => head.dataset.lane)")
    assert len(set(names)) == 4 and {"deepening", "corners"} < set(names)
    assert all(rows(page, column) for column in range(4))
    expect(page).not_to_have_url(re.compile("#"))
    ticked = page.locator(".choose [name=methods]:checked")
    assert sorted(ticked.evaluate_all("(ticks) => ticks.map((tick) => tick.value)")) == sorted(names)


@pytest.mark.browser
def test_start_without_contestants_quotes_the_error(page: Page) -> None:
    expect_faults(page, "400")
    page.goto(RACE)
    page.locator(".choose summary").click()
    page.locator(".choose label", has_text="Corner bound").click()
    start(page)
    expect(page.get_by_role("alert")).to_contain_text("a race needs 2 to 4 methods")


@pytest.mark.browser
def test_race_and_search_panel_count_the_same(page: Page) -> None:
    """Both stop at the first solution unless all are to be counted."""
    page.goto("/puzzles/hoppers/race?methods=deepening,corners")
    start(page)
    won(page)
    raced = rows(page, 0)
    page.goto("/puzzles/hoppers?depth=study")
    page.get_by_label("Method").select_option("deepening")
    press(page, "Search")
    expect(page.locator('[data-state="solved"]')).to_be_attached()
    searched = page.locator("[data-limit]").evaluate_all(
        "(all) => all.map((row) => Number(row.dataset.nodes))"
    )
    assert raced == searched and sum(searched) == 70_645


@pytest.mark.browser
@pytest.mark.own_tab
def test_late_start_is_reported(page: Page) -> None:
    page.clock.install()
    page.route_web_socket("**/socket.io/**", lambda socket: None)
    page.goto(RACE)
    start(page)
    expect(page.get_by_role("status")).to_have_text("All methods are running.")
    page.clock.fast_forward(5000)
    expect(page.get_by_role("status")).to_contain_text("The search has not started yet")


@pytest.mark.browser
def test_run_is_saved_and_shared(page: Page, open_tab: OpenTab) -> None:
    page.goto(RACE)
    start(page)
    won(page)
    run: dict[str, Any] = json.loads(saved(page, "JSON"))
    assert [row["nodes"] for row in run["runs"][0]["rows"]] == PLAIN
    assert all(each["counted"].startswith(NODE) for each in run["runs"])
    lines = list(csv.DictReader(saved(page, "CSV").splitlines()))
    assert [int(line["nodes"]) for line in lines if line["method"] == "corners"] == CORNERS
    with open_tab() as other:
        other.goto(run["address"])
        won(other)
        assert (rows(other, 0), rows(other, 1)) == (PLAIN, CORNERS)
        expect(other.get_by_role("status")).to_contain_text("counted 4.9 times as many nodes")
        expect(other.locator(".race-shared")).to_be_visible()
        expect(other.locator(".race-plot")).to_contain_text(NODE)
        start(other)
        expect(other.locator(".race-shared")).to_be_hidden()


@pytest.mark.browser
def test_wrong_bound_proves_nothing_in_a_race(page: Page) -> None:
    """On this board the wrong bound finds as many moves as the right one."""
    page.goto("/puzzles/hoppers/race?position=oo.oo.......o&methods=corners-misprint,corners&lang=en")
    start(page)
    expect(page.get_by_role("button", name="Start the race")).to_be_enabled(timeout=60_000)
    summary = page.get_by_role("status")
    expect(summary).to_contain_text("uses a wrong bound: its answer proves nothing")
    run: dict[str, Any] = json.loads(saved(page, "JSON"))
    wrong, right = run["runs"]
    assert (wrong["proved"], right["proved"]) == (False, True)
    expect(page.locator("tbody td:nth-child(2)[data-state=unproved]")).to_have_count(len(wrong["rows"]))
    expect(page.locator("tbody td:nth-child(3)[data-state=unproved]")).to_have_count(0)
    assert wrong["ending"]["proved"] is False and {row["result"] for row in wrong["rows"]} == {"unproved"}


@pytest.mark.own_tab
def test_run_is_copied_without_a_clipboard(page: Page) -> None:
    """Browsers provide no clipboard over plain HTTP."""
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.add_init_script(
        "document.addEventListener('copy', () => (window.taken = document.activeElement.value))"
    )
    page.goto(RACE + "#run=" + quote('[["corners",[[1,5,0,0.9996,1]],null]]'))
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_focused()
    assert page.evaluate("window.taken").endswith(
        "#run=" + quote('[["deepening",[],null],["corners",[[1,5,0,0.9996,1]],null]]', safe="")
    )
    expect(page.locator(".copy-note")).to_contain_text("link to this race")


@pytest.mark.browser
def test_link_with_invalid_figures_shows_no_run(page: Page) -> None:
    page.goto(RACE + '#run=[["corners",[[1,-1,0,0,1]],null]]')
    expect(page.get_by_role("button", name="Start the race")).to_be_enabled()
    expect(page.locator("tbody tr")).to_have_count(0)


@pytest.mark.browser
def test_methods_pause_together_or_alone(page: Page) -> None:
    page.goto(UNEVEN)
    start(page)
    press(page, "Pause")
    states = page.locator(".lane-state")
    expect(states.first).to_have_attribute("data-state", "paused")
    press(page, "Resume")
    expect(states.first).not_to_have_attribute("data-state", "paused")
    page.get_by_role("button", name="Pause Plain iterative deepening").click()
    expect(page.locator('[data-lane="linear-conflict"] [data-state="solved"]')).to_be_visible(timeout=60_000)
    expect(page.get_by_role("status")).to_have_text("48 moves, and no fewer. 1 method is still running.")
    held = rows(page, 0)
    page.wait_for_timeout(300)
    assert rows(page, 0) == held
    page.get_by_role("button", name="Resume Plain iterative deepening").click()
    expect(page.locator('[data-lane="deepening"] [data-state="running"]')).to_be_visible()
    page.get_by_role("button", name="Stop Plain iterative deepening").click()
    won(page)
    expect(page.get_by_role("status")).to_contain_text("Plain iterative deepening was stopped after")


@pytest.mark.browser
def test_race_fits_a_phone_and_can_be_stopped(open_tab: OpenTab) -> None:
    with open_tab(viewport=PHONE) as page:
        page.goto(f"{ENDLESS},linear-conflict,walking-distance")
        start(page)
        expect(page.locator(".mini:visible")).to_have_count(8)
        frame = page.locator(".race-rows-frame").element_handle()
        page.wait_for_function("(frame) => frame.scrollWidth <= frame.clientWidth", arg=frame)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        press(page, "Stop")
        expect(page.locator('.lane-state[data-state="stopped"]')).to_have_count(4)
        expect(page.get_by_role("button", name="Start the race")).to_be_enabled()


@pytest.mark.browser
def test_long_counts_of_four_methods_fit_a_phone(open_tab: OpenTab) -> None:
    methods = ["deepening", "manhattan", "linear-conflict", "walking-distance"]
    rows = [[limit, 10**limit - 1, 0, 0.1, 1] for limit in range(1, 13)]
    shared = quote(json.dumps([[method, rows, None] for method in methods]))
    with open_tab(viewport=PHONE) as page:
        page.goto(f"{ENDLESS},linear-conflict,walking-distance#run={shared}")
        expect(page.locator('[data-limit="12"] [data-nodes] b').first).to_have_text("1T")
        expect(page.locator('[data-limit="6"] [data-nodes] b').first).to_have_text("999,999")
        frame = page.locator(".race-rows-frame")
        assert frame.evaluate("(frame) => frame.scrollWidth <= frame.clientWidth")


def test_rows_arrive_once_and_in_order_under_load(connect: Connect) -> None:
    """Four races of four methods run at the same time, with real clients."""
    methods = ("deepening", "corners", "merson", "memory")
    clients = [connect() for _ in range(4)]
    for client in clients:
        for method in methods:
            client.search(method, "hoppers", "oooooo.oooooo", method=method, find="all", race="r")
    for client in clients:
        limits: dict[str, list[int]] = {method: [] for method in methods}
        ended: set[str] = set()
        while ended < set(methods):
            name, payload = client.receive()
            if name in ("exhausted", "solved"):
                assert payload["ticket"] not in ended
                limits[payload["ticket"]].append(payload["limit"])
            if name == "solved":
                ended.add(payload["ticket"])
            assert name not in ("stopped", "failed", "unsolvable")
        assert limits == {method: list(range(1, 8)) for method in methods}
