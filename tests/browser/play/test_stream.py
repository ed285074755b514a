"""The stream: rated games, timed runs, and both without a server."""

import json
import re
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, Page, expect

from tests import naive
from tests.browser.connection.test_own_table import GONE, position_of
from tests.browser.fixtures import PHONE
from tests.browser.speech import heard, listen, said
from tests.browser.tabs import expect_faults, opened
from tests.conftest import running_app, serving

pytestmark = pytest.mark.browser

STANDING = "localStorage.getItem('puzzles/stream/hoppers')"


def shortest(text: str, goal: str) -> list[tuple[int, int]]:
    """Return the steps of a shortest solution by the naive rules."""
    rules = naive.rules("hoppers")
    left = naive.fewest_moves(rules, text, goal)
    steps: list[tuple[int, int]] = []
    while not rules.solved(text, goal):
        for origin, target, after, cost in sorted(rules.steps(text), key=lambda step: step[3]):
            then = naive.fewest_moves(rules, after, goal)
            if then is not None and left is not None and cost + then == left:
                steps.append((origin, target))
                text, left = after, then
                break
    return steps


def solve(page: Page) -> None:
    for origin, target in shortest(position_of(page), "any"):
        before = position_of(page)
        if page.locator(f'[data-hole="{origin}"][aria-pressed="true"]').count() == 0:
            page.locator(f'[data-hole="{origin}"]').click()
        page.locator(f'[data-hole="{target}"]').click()
        expect(page.locator("main")).not_to_have_attribute("data-position", before)


def open_stream(page: Page, query: str = "seed=5") -> None:
    page.goto(f"/stream?{query}")
    expect(page.locator("#deal")).to_be_enabled()


def standing(page: Page) -> dict[str, int]:
    found: dict[str, int] = json.loads(page.evaluate(STANDING))
    return found


def test_rating_rises_and_next_is_one_press(browser: Browser, live_server: str) -> None:
    with opened(browser, live_server) as page:
        open_stream(page)
        first = position_of(page)
        expect(page.locator("main")).to_have_attribute("data-card", f"stream/hoppers/{first}")
        expect(page.get_by_role("status")).to_have_attribute("data-verdict", "hidden")
        fewest = naive.fewest_moves(naive.rules("hoppers"), first, "any")
        expect(page.locator("#outcome")).to_contain_text(f"Solve this one in {fewest} move")
        solve(page)
        expect(page.locator("main")).to_have_attribute("data-medal", "optimal")
        assert standing(page)["rating"] > 500
        assert (standing(page)["played"], standing(page)["won"]) == (1, 1)
        assert page.locator("#result .first:visible").all_inner_texts() == ["Next challenge"]
        page.locator("#result-next").click()
        expect(page.locator("main")).not_to_have_attribute("data-position", first)
        expect(page.locator("main")).not_to_have_attribute("data-medal", "optimal")
        page.reload()
        expect(page.locator("#standing")).to_have_text(f"Rating {standing(page)['rating']}, a first guess")


def test_reload_goes_on_with_the_same_game(browser: Browser, live_server: str) -> None:
    with opened(browser, live_server) as page:
        open_stream(page)
        first = position_of(page)
        page.locator("#check").click()
        origin, target = shortest(first, "any")[0]
        page.locator(f'[data-hole="{origin}"]').click()
        page.locator(f'[data-hole="{target}"]').click()
        expect(page.locator("main")).not_to_have_attribute("data-position", first)
        played, told = position_of(page), page.locator("#outcome").inner_text()
        page.goto("/stream")
        expect(page.locator("main")).to_have_attribute("data-position", played)
        expect(page.locator("main")).to_have_attribute("data-card", f"stream/hoppers/{first}")
        expect(page.locator("#outcome")).to_have_text(told)
        page.reload()
        expect(page.locator("main")).to_have_attribute("data-position", played)
        solve(page)
        expect(page.locator("main")).to_have_attribute("data-medal", "assisted")
        page.reload()
        expect(page.locator("#deal")).to_have_text("Skip")
        expect(page.locator("main")).not_to_have_attribute("data-card", f"stream/hoppers/{first}")


def test_check_counts_as_help(browser: Browser, live_server: str) -> None:
    with opened(browser, live_server) as page:
        open_stream(page)
        page.locator("#check").click()
        expect(page.get_by_role("status")).to_have_attribute("data-verdict", "live")
        solve(page)
        expect(page.locator("main")).to_have_attribute("data-medal", "assisted")
        assert standing(page)["rating"] == 500


def test_given_up_games_take_points(browser: Browser, live_server: str) -> None:
    with opened(browser, live_server) as page:
        open_stream(page)
        skip = page.locator("#deal")
        told = re.compile(r"A skip counts as not solved: −(\d+)\.$")
        expect(skip).to_have_text("Skip")
        expect(page.locator("#outcome")).to_have_text(told)
        found = told.search(page.locator("#outcome").inner_text())
        assert found is not None
        skip.click()
        skipped = standing(page)
        assert skipped["rating"] == 500 - int(found[1])
        page.get_by_role("button", name="Solution").click()
        expect(page.locator("#outcome")).to_contain_text("−")
        assert 500 > skipped["rating"] > standing(page)["rating"]
        assert standing(page)["played"] == 2


def test_first_play_decides(browser: Browser, live_server: str) -> None:
    """An undo after a step that lost ends the rated try; what follows does not count."""
    with opened(browser, live_server) as page:
        open_stream(page)
        start = position_of(page)
        rules = naive.rules("hoppers")
        left = naive.fewest_moves(rules, start, "any")
        assert left is not None
        origin, target, *_ = next(
            step for step in rules.steps(start) if naive.fewest_moves(rules, step[2], "any") != left - step[3]
        )
        page.locator(f'[data-hole="{origin}"]').click()
        page.locator(f'[data-hole="{target}"]').click()
        expect(page.locator("main")).not_to_have_attribute("data-position", start)
        page.get_by_role("button", name="Undo").click()
        expect(page.locator("#outcome")).to_contain_text("this game no longer counts")
        lost = standing(page)
        assert lost["rating"] < 500 and (lost["played"], lost["won"]) == (1, 0)
        solve(page)
        expect(page.locator("main")).to_have_attribute("data-medal", "optimal")
        assert standing(page) == lost


def test_same_seed_deals_the_same_positions(browser: Browser, live_server: str) -> None:
    with opened(browser, live_server, viewport=PHONE, has_touch=True) as page:
        dealt = []
        for seed in ("7", "7", "8"):
            open_stream(page, f"seed={seed}")
            dealt.append(position_of(page))
        assert dealt[0] == dealt[1] != dealt[2]


def test_three_minutes_count_solved_positions(browser: Browser, live_server: str) -> None:
    with opened(browser, live_server) as page:
        page.clock.install()
        open_stream(page, "mode=three-minutes&seed=2")
        page.get_by_role("button", name="Begin").click()
        expect(page.locator("main")).to_have_attribute("data-card", f"stream/hoppers/{position_of(page)}")
        assert position_of(page).count("o") == 3
        first = position_of(page)
        solve(page)
        page.clock.run_for(1000)
        expect(page.locator("main")).not_to_have_attribute("data-position", first)
        expect(page.locator("#standing")).to_contain_text("1 solved")
        listen(page)
        page.keyboard.press("k")
        page.clock.run_for(300)
        assert re.fullmatch(r"2 minutes 5\d seconds left\. 1 solved, 0 mistakes\.", said(page)[-1])
        page.clock.run_for(200_000)
        expect(page.locator("#outcome")).to_contain_text("1 solved, 0 mistakes. Your best so far.")
        assert [text for text in said(page) if text.endswith("left.")] == [
            f"{time} left." for time in ("1 minute", "30 seconds", "10 seconds")
        ]
        assert standing(page)["best"] == 1


def test_runs_have_a_length_or_no_clock(browser: Browser, live_server: str) -> None:
    with opened(browser, live_server) as page:
        open_stream(page, "mode=three-minutes&seed=2")
        expect(page.locator("#standing")).to_have_text("")  # no best before any run
        page.get_by_role("combobox", name="Time", exact=True).select_option("10")
        expect(page.locator("#outcome")).to_contain_text("in 10 minutes")
        page.get_by_role("button", name="Begin").click()
        expect(page.locator("#standing")).to_contain_text("10:00")
        page.get_by_role("button", name="End").click()
        expect(page.locator("#outcome")).to_have_text("Time is up: 0 solved, 0 mistakes. Best: 0.")
        assert json.loads(page.evaluate(STANDING))["bests"] == {"10": 0}
        page.evaluate("localStorage['puzzles/settings'] = JSON.stringify({ calm: true, minutes: '10' })")
        page.reload()
        expect(page.locator("#outcome")).to_contain_text("There is no clock")
        expect(page.get_by_role("combobox", name="Time", exact=True)).to_be_hidden()
        page.get_by_role("button", name="Begin").click()
        expect(page.locator("#standing")).to_have_text("0 solved")
        page.get_by_role("button", name="End").click()
        expect(page.locator("#outcome")).to_have_text("0 solved, 0 mistakes.")


def test_rated_game_is_played_by_key_and_ear(browser: Browser, live_server: str) -> None:
    with opened(browser, live_server) as page:
        open_stream(page)
        page.keyboard.press("t")
        field = page.get_by_label("Move or command")
        listen(page)
        for origin, target in shortest(position_of(page), "any"):
            field.fill(f"{origin}-{target}")
            field.press("Enter")
            page.wait_for_function("() => heard.length")
        expect(page.locator("main")).to_have_attribute("data-medal", "optimal")
        text = " ".join(heard(page))
        assert "1 peg." in text and "Fewest moves: +" in text, text
        page.keyboard.press("k")
        page.keyboard.press("Escape")
        page.keyboard.press("k")
        assert re.match(r"Rating \d+, a first guess", heard(page)[-1])


def test_stream_goes_on_without_a_server(browser: Browser) -> None:
    with ExitStack() as server:
        url = server.enter_context(serving(server.enter_context(running_app())))
        with opened(browser, url) as page:
            expect_faults(page, *GONE)
            open_stream(page)
            server.close()
            for _ in range(2):
                solve(page)
                expect(page.locator("main")).to_have_attribute("data-medal", "optimal")
                page.locator("#result-next").click()
            assert standing(page)["won"] == 2
