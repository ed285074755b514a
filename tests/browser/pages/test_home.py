"""The home page in a browser: the card of the player's own day, the first visit, and the week."""

import datetime
import json
from collections.abc import Sequence
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from hoppers.analysis.card_data import Day, cards_of
from hoppers.analysis.first_boards import load_first_boards
from tests.browser.fixtures import by_clicks, press
from tests.browser.tabs import OpenTab, opened
from tests.naive import rules, solutions

pytestmark = pytest.mark.browser

LOCAL = "(() => new Date().toLocaleDateString('sv'))()"
HELPED = {"hints": 1, "checks": 0, "solution": False, "verdict": False}
STORE = "results => localStorage.setItem('puzzles/cards', JSON.stringify(results))"
IS_WHOLE = "(it) => it.scrollHeight <= it.clientHeight + 2 && it.scrollWidth <= it.clientWidth + 1"
SHIFTS = """() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => (sum += entry.value)))
    .observe({ type: 'layout-shift', buffered: true });
  setTimeout(() => done(sum), 200);
})"""


def today_of(page: Page) -> Day:
    """Return the cards of the day that the clock of the page shows."""
    return cards_of(datetime.date.fromisoformat(page.evaluate(LOCAL)))


def play(page: Page, puzzle: str, position: str, goal: str, moves: int) -> None:
    """Play a shortest solution, found without the program."""
    for origin, target in solutions(rules(puzzle), position, goal, moves)[0]:
        by_clicks(page, origin, target)


def result(date: str, **more: Any) -> dict[str, Any]:
    """Return a stored result of a card: the fewest moves without help."""
    help = {**HELPED, "hints": 0}
    return {"moves": 4, "best": 4, "help": help, "tries": 1, "line": "", "date": date, **more}


def marks(page: Page) -> list[str | None]:
    """Return the marks of the days of the week."""
    signs = page.locator(".week .mark use")
    return [signs.nth(index).get_attribute("href") for index in range(7)]


def test_card_is_played_on_the_front_page(page: Page) -> None:
    """Playing changes no address, a reload keeps the game, and the end leads on to the other card."""
    page.goto("/")
    day = today_of(page)
    main = page.locator("main")
    expect(main).to_have_attribute("data-card", f"daily/{day.date}")
    expect(main).to_have_attribute("data-position", day.today.position)
    expect(main).to_have_attribute("data-stage", "arrive")
    expect(page.get_by_role("status").first).to_have_attribute("data-verdict", "hidden")
    address, card = page.url, day.today
    first, *others = solutions(rules(card.puzzle), card.position, card.goal, card.moves)[0]
    by_clicks(page, *first)
    expect(main).to_have_attribute("data-stage", "play")
    expect(page.locator(".slots .full")).to_have_count(1)
    begun = main.get_attribute("data-position") or ""
    page.reload()
    expect(main).to_have_attribute("data-position", begun)
    expect(page.locator("#not-kept")).to_be_hidden()
    for origin, target in others:
        by_clicks(page, origin, target)
    expect(main).to_have_attribute("data-medal", "optimal")
    expect(main).to_have_attribute("data-stage", "end")
    assert page.url == address
    expect(page.locator(".cards-of-day [aria-current] .mark use")).to_have_attribute("href", "#s-optimal")
    expect(page.locator('[data-when="today"] .mark use')).to_have_attribute("href", "#s-optimal")
    expect(page.locator("#countdown")).to_contain_text("Next card in")
    expect(page.locator("#play-again")).to_have_text("Find another solution")
    expect(page.locator("#to-review")).to_be_hidden()
    page.reload()  # the same day: the end
    expect(page.locator("#result-title")).to_contain_text("the fewest possible")
    page.locator("#result-next").click()
    page.wait_for_url("**/mini")
    expect(main).to_have_attribute("data-card", f"daily/{day.date}/mini")
    play(page, day.mini.puzzle, day.mini.position, day.mini.goal, day.mini.moves)
    expect(page.locator("#result-next")).to_have_text("Next: the decks")
    page.locator("#play-again").click()
    expect(main).to_have_attribute("data-stage", "arrive")
    page.go_back()  # what was solved meanwhile is shown there, too
    expect(page.locator(".cards-of-day .mark use").last).to_have_attribute("href", "#s-optimal")


def test_result_of_a_friend_is_shown_beside_the_own(open_tab: OpenTab) -> None:
    with open_tab() as page:
        page.goto("/daily/2026-03-01/mini")
        data = json.loads(page.locator("#data").text_content() or "")
        moves, start, goal = data["moves"], data["line"]["start"]["position"], data["goal"]
        page.goto(f"/daily/2026-03-01#s-{moves}-2-{'x' * moves}")
        expect(page.locator("[data-sent]")).to_have_count(0)
        expect(page.locator(".friend")).to_be_hidden()
        page.goto("about:blank")
        page.goto(f"/daily/2026-03-01/mini#s-{moves}-2-{'c' + 'b' * (moves - 1)}")
        expect(page.locator(".friend")).to_have_text(f"Your friend: {moves} moves, 2 tries")
        play(page, data["puzzle"]["id"], start, goal, moves)
        expect(page.locator(".friend-row .signs svg")).to_have_count(moves)
        expect(page.locator(".tries .signs svg")).to_have_count(moves)
        page.goto("/daily/2026-03-01/mini")  # by another way, without the link
        expect(page.locator(".friend")).to_have_text(f"Your friend: {moves} moves, 2 tries")
        expect(page.locator(".friend-row .signs svg")).to_have_count(moves)


def test_line_in_the_address_is_shown_only_when_asked(page: Page) -> None:
    card = page.request.get("/api/decks/hoppers").json()["cards"][0]
    steps = solutions(rules(card["puzzle"]), card["position"], card["goal"], card["moves"])[0]
    first = "-".join(map(str, steps[0][:2]))
    page.goto(f"/decks/hoppers/1?line={first}")
    expect(page.locator("main")).to_have_attribute("data-position", card["position"])
    expect(page.get_by_text("This link holds a solution.")).to_be_visible()
    page.locator("#play-self").click()
    assert page.url.endswith("/decks/hoppers/1")
    expect(page.locator("html")).not_to_have_attribute("data-starless", "")
    page.goto(f"/decks/hoppers/1?line={first}")
    page.locator("#see-line").click()
    expect(page.locator(".player")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("data-starless", "")


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_day_of_the_player_is_there_with_the_first_paint(open_tab: OpenTab, zone: str) -> None:
    """Nothing moves; where the day is not that of UTC, its own page is opened."""
    with open_tab(timezone_id=zone) as page:
        loads: list[str] = []
        page.on("request", lambda request: loads.append(request.resource_type))
        page.goto("/")
        day = today_of(page)
        expect(page.locator("main")).to_have_attribute("data-card", f"daily/{day.date}")
        expect(page.locator("main")).to_have_attribute("data-position", day.today.position)
        assert page.locator("[data-hole]").count() == len(day.today.position)
        expect(page.locator("[data-sent]")).to_have_count(0)
        assert loads.count("document") <= 2
        assert page.evaluate(SHIFTS) < 0.02
        page.goto("/?card=mini")
        expect(page.locator("main")).to_have_attribute("data-position", today_of(page).mini.position)


@pytest.mark.own_tab
@pytest.mark.parametrize(
    ("zone", "time", "date"),
    [
        ("Europe/Berlin", "2026-10-25T00:30:00+02:00", "2026-10-25"),  # a day of 25 hours
        ("Europe/Berlin", "2026-10-25T23:30:00+01:00", "2026-10-25"),
        ("America/New_York", "2026-03-08T23:30:00-04:00", "2026-03-08"),  # a day of 23 hours
    ],
)
def test_archive_of_a_day_when_clocks_change(
    browser: Browser, live_server: str, zone: str, time: str, date: str
) -> None:
    with opened(browser, live_server, timezone_id=zone) as page:
        page.clock.set_fixed_time(datetime.datetime.fromisoformat(time))
        page.goto(f"/daily/archive?month={date[:7]}")
        expect(page.locator(f'[data-day="{date}"]')).to_have_attribute("aria-current", "date")
        after = str(datetime.date.fromisoformat(date) + datetime.timedelta(1))
        expect(page.locator(f'[data-day^="{after}"]')).to_have_count(0)
        expect(page.locator("td > .quiet").first).to_have_text(str(int(after[-2:])))
        expect(page.locator(f'[data-day="{date}/mini"]')).to_have_attribute("href", f"/daily/{date}/mini")


@pytest.mark.own_tab
def test_new_day_is_offered_at_midnight(browser: Browser, live_server: str) -> None:
    with opened(browser, live_server) as page:
        page.goto("/")
        today = today_of(page).date
        expect(page.locator("#new-day")).to_be_hidden()
        page.clock.install()
        page.goto("/")
        page.clock.fast_forward(25 * 3600 * 1000)
        expect(page.locator("#new-day")).to_be_visible()
        expect(page.locator("main")).to_have_attribute("data-card", f"daily/{today}")


def test_week_and_streak_of_a_fortnight(page: Page) -> None:
    """A missed day is forgiven, and a card solved later is no day of the streak."""
    page.goto("/")
    today = today_of(page).date
    monday = today - datetime.timedelta(today.weekday() + 14)
    missed, late = monday + datetime.timedelta(2), monday + datetime.timedelta(4)
    days = [monday + datetime.timedelta(number) for number in range((today - monday).days + 1)]
    played = {f"daily/{day}": result(str(day)) for day in days if day not in (missed, today)}
    played[f"daily/{days[7]}"] = result(str(days[7]), moves=6)
    played[f"daily/{days[8]}"] = result(str(days[8]), help=HELPED)
    page.evaluate(STORE, played)
    page.goto("/")
    count = len(days) - 2
    expect(page.locator(".streak")).to_contain_text(f"{count} days in a row One missed day was forgiven.")
    played[f"daily/{late}"] = result(str(today))
    page.evaluate(STORE, played)
    page.goto("/")
    expect(page.locator(".streak")).to_contain_text(f"{len(days) - 6} days in a row")
    page.goto(f"/daily/archive?month={days[7]:%Y-%m}")
    shown = page.locator(f'[data-day="{days[7]}"] .mark use')
    expect(shown).to_have_attribute("href", "#s-solved")
    page.goto(f"/daily/archive?month={days[8]:%Y-%m}")
    expect(page.locator(f'[data-day="{days[8]}"] .mark use')).to_have_attribute("href", "#s-assisted")
    expect(page.locator('[data-figure="solved"]')).to_have_text(str(len(played)))
    expect(page.locator('[data-figure="stars"]')).to_have_text(str(len(played) - 2))
    expect(page.locator('[data-over="2"]')).to_have_text("1")


def test_week_marks_what_was_solved(page: Page) -> None:
    page.goto("/")
    today = today_of(page).date
    page.evaluate(STORE, {f"daily/{today}/mini": result(str(today), help=HELPED)})
    page.goto("/")
    assert marks(page)[today.weekday()] == "#s-assisted"
    label = page.locator('[data-when="today"]').get_attribute("aria-label")
    assert label and "fewest moves, with help" in label and "the mini card only" in label
    assert page.locator('[data-when="future"][href]').count() == 0


def lesson_moves(number: int) -> Sequence[tuple[int, int]]:
    """Return the steps of a shortest solution of a board of the first visit."""
    board = load_first_boards()[number]
    return solutions(rules(board.puzzle), board.position, board.goal, 2)[0]


def test_first_visit_teaches_on_two_boards_then_the_mini_card(browser: Browser, live_server: str) -> None:
    with opened(browser, live_server, first_visit=True) as page:
        page.goto("/")
        main = page.locator("main")
        expect(main).to_have_attribute("data-lesson", "1")
        for number, name in enumerate(("Next", "Play today's small puzzle")):
            expect(main).to_have_attribute("data-position", load_first_boards()[number].position)
            for origin, target in lesson_moves(number):
                by_clicks(page, origin, target)
            expect(page.get_by_role("button", name=name)).to_be_focused()
            expect(page.locator("#skip-lessons")).to_be_hidden()
            if number:
                expect(page.locator("#about-star")).to_be_visible()
                page.locator("#sound-lesson").click()  # asked once, after the first steps
                assert page.evaluate("JSON.parse(localStorage['puzzles/settings']).sounds") is True
            page.get_by_role("button", name=name).click()
        page.wait_for_url("**/mini")
        day = today_of(page)
        expect(main).to_have_attribute("data-card", f"daily/{day.date}/mini")
        expect(main).to_have_attribute("data-position", day.mini.position)
        assert "puzzles/cards" not in page.evaluate("Object.keys(localStorage)")


@pytest.mark.parametrize("path", ["/daily/2026-03-01#s-6-1-bbbbbb", "/decks/hoppers/1", "/?card=mini"])
def test_first_steps_lead_to_the_card_of_the_link(browser: Browser, live_server: str, path: str) -> None:
    with opened(browser, live_server, first_visit=True) as page:
        page.goto(path)
        address = page.url
        expect(page.locator("main")).to_have_attribute("data-lesson", "1")
        sent = ", then your friend's card" if "#" in path else ""
        expect(page.locator(".kicker")).to_have_text(f"Step 1 of 2{sent}")
        press(page, "Skip to the card")
        expect(page.locator("#skip-lessons")).to_have_count(0)
        assert page.url == address
        expect(page.locator(".slots")).to_be_visible()


def test_first_visit_works_by_keyboard_and_is_announced(browser: Browser, live_server: str) -> None:
    with opened(browser, live_server, first_visit=True) as page:
        page.goto("/")
        expect(page.locator("main")).to_have_attribute("data-lesson", "1")
        page.evaluate("const now = performance.now(); performance.now = () => now")
        for origin, target in lesson_moves(0):
            for hole in (origin, target):
                page.locator(f'[data-hole="{hole}"]').focus()
                page.keyboard.press("Enter")
        expect(page.locator("#next-lesson")).to_be_focused()
        page.keyboard.press("Enter")  # a second press of the last move, and no answer to the button
        page.evaluate("delete performance.now")  # the clock of the page runs again
        page.wait_for_timeout(700)
        expect(page.locator("main")).to_have_attribute("data-lesson", "1")
        page.keyboard.press("Enter")
        expect(page.locator("main")).to_have_attribute("data-lesson", "2")
        expect(page.locator("h1")).to_have_attribute("aria-live", "polite")
        expect(page.locator("h1")).to_contain_text("Jumps in a row by the same peg are one move")
        expect(page.locator('.spot[tabindex="0"]')).to_be_focused()


def test_board_pages_show_what_they_name_at_once(browser: Browser, live_server: str) -> None:
    with opened(browser, live_server, first_visit=True) as page:
        page.goto("/puzzles/hoppers")
        expect(page.locator("[data-sent]")).to_have_count(0)
        assert page.locator("main").get_attribute("data-lesson") is None


def test_solved_cards_turn_over_and_offer_the_next(page: Page) -> None:
    page.goto("/decks/hoppers")
    page.evaluate(STORE, {f"hoppers/{number}": result("2026-11-01", moves=2, best=2) for number in (1, 2, 4)})
    page.goto("/decks/hoppers")
    expect(page.locator("#next")).to_have_attribute("href", "/decks/hoppers/3")
    expect(page.locator("[data-progress]")).to_have_text("3 of 40 solved, 3 with a star")
    expect(page.locator(".is-solved")).to_have_count(3)
    solved, unsolved = page.locator('[data-card="hoppers/4"]'), page.locator('[data-card="hoppers/3"]')
    expect(solved.locator("i")).to_be_visible()
    expect(unsolved.locator("i")).to_be_hidden()
    page.goto("/")
    expect(page.locator('[data-deck="hoppers"] [data-progress]')).to_have_text(
        "3 of 40 solved, 3 with a star"
    )


def test_card_page_offers_the_next_unsolved_card(page: Page) -> None:
    page.goto("/decks/hoppers/1")
    page.evaluate(STORE, {"hoppers/2": result("2026-11-01")})
    page.reload()
    card = page.request.get("/api/decks/hoppers").json()["cards"][0]
    play(page, card["puzzle"], card["position"], card["goal"], card["moves"])
    expect(page.locator("#result-next")).to_have_text("Next card: 3")
    expect(page.locator(".neighbours [aria-current] .mark use")).to_have_attribute("href", "#s-optimal")
    page.locator("#result-next").click()
    expect(page.locator("main")).to_have_attribute("data-card", "hoppers/3")


@pytest.mark.parametrize("path", ["/daily/archive", "/decks/hoppers"])
def test_nothing_is_wider_than_the_window(page: Page, path: str) -> None:
    page.goto(path)
    for width in (320, 360, 760, 1024, 1280):
        page.set_viewport_size({"width": width, "height": 740})
        assert page.evaluate("document.documentElement.scrollWidth") <= width, width


@pytest.mark.parametrize(
    "path",
    [
        "/daily/2026-11-26?",
        "/daily/2026-11-26/mini?",
        "/decks/hoppers/40?",
        "/puzzles/triangle-21-red?",
        "/puzzles/triangle-15/review?line=3-0&card=daily/2026-11-26&",
    ],
)
@pytest.mark.parametrize("language", ["en", "ja"])
def test_titles_are_not_cut_on_a_phone(page: Page, path: str, language: str) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(f"{path}lang={language}")
    header = page.locator(".top").bounding_box()
    assert header and header["height"] < 50
    for part in ("h1", ".kicker", ".about > a, .about > span"):
        for place in page.locator(part).filter(visible=True).all():
            assert place.evaluate(IS_WHOLE), part
            box = place.bounding_box()
            assert box and box["y"] >= 0 and box["x"] + box["width"] <= 360, part
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_board_keeps_its_size_while_the_card_is_played(page: Page) -> None:
    """Whatever is said, the board stays as it is, and the tools in the window."""
    for width, height in ((1280, 800), (360, 740), (740, 360)):
        page.set_viewport_size({"width": width, "height": height})
        page.goto("/decks/hoppers/1")
        expect(page.locator("[data-sent]")).to_have_count(0)
        before = page.locator(".board").bounding_box()
        page.evaluate("document.querySelector('.note').textContent = 'A long note. '.repeat(9)")
        assert page.locator(".board").bounding_box() == before
        for part in (".controls", ".board"):
            expect(page.locator(part)).to_be_in_viewport(ratio=1)
