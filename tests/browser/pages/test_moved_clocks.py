"""Cards of the days with moved clocks: midnight in three zones, links from the east, and a wrong clock."""

import datetime
import json
import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from hoppers.analysis.card_data import cards_of
from tests.browser.fixtures import by_clicks
from tests.browser.tabs import opened
from tests.naive import rules, solutions
from tests.support.server_time import set_server_time

pytestmark = pytest.mark.browser

UTC = datetime.UTC
TODAY = datetime.datetime.now(UTC).date()
YESTERDAY = TODAY - datetime.timedelta(1)


def steps_of_mini(date: datetime.date) -> list[tuple[int, int]]:
    """Return the steps of a shortest solution of a mini card, found without the program."""
    card = cards_of(date).mini
    found: list[tuple[int, int]] = solutions(rules(card.puzzle), card.position, card.goal, card.moves)[0]
    return found


COUNT_PERSIST = """navigator.storage.persist = async () => {
  sessionStorage.asked = Number(sessionStorage.asked ?? 0) + 1;
  return true;
}"""


def solved_on(date: str) -> dict[str, Any]:
    """Return a stored result of a card: the fewest moves without help."""
    help = {"hints": 0, "checks": 0, "solution": False, "verdict": False}
    return {"moves": 4, "best": 4, "help": help, "tries": 1, "line": "", "date": date}


def stored_date(page: Page, date: datetime.date) -> str:
    """Return the day for which the mini card of a day counts."""
    cards: Any = json.loads(page.evaluate("localStorage.getItem('puzzles/cards')"))
    return str(cards[f"daily/{date}/mini"]["date"])


@pytest.mark.parametrize("zone", ["Europe/London", "Asia/Tokyo", "America/Los_Angeles"])
def test_card_begun_before_midnight_counts_for_its_day(browser: Browser, live_server: str, zone: str) -> None:
    with opened(browser, live_server, timezone_id=zone) as page:
        page.clock.install(time=datetime.datetime.combine(YESTERDAY, datetime.time(12), UTC))
        page.goto("/healthz")
        before = page.evaluate("new Date(new Date().setHours(23, 58, 0)).getTime()")
        day = datetime.date.fromisoformat(page.evaluate("new Date().toLocaleDateString('sv')"))
        page.clock.set_system_time(before / 1000)
        page.goto(f"/daily/{day}/mini")
        first, *others = steps_of_mini(day)
        by_clicks(page, *first)
        page.clock.set_system_time(before / 1000 + 240)  # 00:02
        for origin, target in others:
            by_clicks(page, origin, target)
        expect(page.locator("main")).to_have_attribute("data-medal", "optimal")
        assert stored_date(page, day) == str(day)


def test_link_from_the_east_costs_no_day(browser: Browser, live_server: str) -> None:
    """A card of tomorrow counts for tomorrow."""
    with opened(browser, live_server, timezone_id="America/Los_Angeles") as page:
        page.clock.set_system_time(datetime.datetime.combine(YESTERDAY, datetime.time(20), UTC))
        page.goto(f"/daily/{TODAY}/mini")
        for origin, target in steps_of_mini(TODAY):
            by_clicks(page, origin, target)
        expect(page.locator("main")).to_have_attribute("data-medal", "optimal")
        assert stored_date(page, TODAY) == str(TODAY)


def test_streak_grows_from_day_to_day(
    browser: Browser, live_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The front page leads to the card of the morning. A whole fortnight: fortnight.test.js.

    The browser is asked once to keep the data, and after a week in a row a backup is offered.
    """
    monday = datetime.date(2026, 11, 23)
    week = {f"daily/2026-11-{day}": solved_on(f"2026-11-{day}") for day in range(18, 23)}
    with opened(browser, live_server, timezone_id="Pacific/Kiritimati") as page:
        page.add_init_script(COUNT_PERSIST)
        page.goto("/healthz")
        page.evaluate("week => localStorage.setItem('puzzles/cards', JSON.stringify(week))", week)
        for days in range(2):
            day = monday + datetime.timedelta(days)
            morning = datetime.datetime.combine(day - datetime.timedelta(1), datetime.time(18), UTC)
            set_server_time(monkeypatch, morning)
            page.clock.set_fixed_time(morning)
            page.goto("/?card=mini")
            expect(page.locator("main")).to_have_attribute("data-card", f"daily/{day}/mini")
            for origin, target in steps_of_mini(day):
                by_clicks(page, origin, target)
            expect(page.locator("main")).to_have_attribute("data-medal", "optimal")
        expect(page.locator(".streak")).to_contain_text("7 days in a row")
        expect(page.locator("#result-title")).to_have_accessible_description(re.compile("7 days in a row"))
        expect(page.locator(".note")).to_contain_text("Export in the settings saves a backup")
        assert page.evaluate("sessionStorage.asked") == "1"
        expect(page.locator('.week [aria-current="date"]')).to_have_accessible_name(re.compile("November 24"))


def test_wrong_clock_gets_a_card_and_a_sentence(browser: Browser, live_server: str) -> None:
    with opened(browser, live_server, timezone_id="UTC") as page:
        page.clock.set_system_time(
            datetime.datetime.combine(TODAY, datetime.time(12), UTC) + datetime.timedelta(400)
        )
        page.goto("/daily")
        expect(page.locator("main")).to_have_attribute("data-card", f"daily/{TODAY}")
        page.evaluate("localStorage.setItem('puzzles/cards', '{}')")
        page.goto("/")
        expect(page.locator("main")).to_have_attribute("data-card", f"daily/{TODAY}")
        expect(page.locator("#other-day")).to_contain_text("Your clock says")
