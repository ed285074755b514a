"""What a game says: moves, refusals, answers, a solution and a search, as recorded from the live regions."""

import math
import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.fixtures import (
    LONG_GAME,
    by_clicks,
    focus_with_arrows,
    hole,
    open_game,
    published_puzzle,
    verdict,
)
from tests.browser.play.test_stream import shortest
from tests.browser.speech import heard, listen
from tests.browser.tabs import opened
from tests.conftest import running_app, serving

pytestmark = pytest.mark.browser


def open_and_listen(page: Page, query: str = "") -> None:
    """Open a game of twelve pegs, and record what it says."""
    open_game(page, published_puzzle(), query)
    hole(page, 0).focus()
    listen(page)


def after_keys(page: Page, *keys: str) -> str:
    """Press keys, and return what was said then."""
    for key in keys:
        page.keyboard.press(key)
    return " ".join(heard(page))


def test_moves_undo_and_chains_are_heard(page: Page) -> None:
    open_and_listen(page)
    by_clicks(page, 0, 6)
    assert heard(page, 2) == ["0 selected: to 6.", "0 to 6, over 3. 11 pegs. Can be solved, 6 more moves."]
    assert after_keys(page, "u") == "Undone: 0 to 6. Can be solved, 7 more moves."
    assert after_keys(page, "r") == "0 to 6, over 3. 11 pegs. Can be solved, 6 more moves."
    by_clicks(page, 9, 3)
    heard(page, 2)
    hole(page, 2).click()
    assert heard(page) == ["2 selected: to 0 or 6."]
    hole(page, 0).click()
    assert heard(page, 2) == [
        "2 to 0, over 1. 9 pegs. Can be solved, 4 more moves.",
        "Go on with this peg: it is still the same move. Another peg starts a new one.",
    ]
    assert after_keys(page, "l") == "2 to 0, over 1. 9 pegs. Can be solved, 4 more moves."


def test_dead_end_and_the_way_back_are_heard(page: Page) -> None:
    open_and_listen(page, "?line=0-6.2-0")
    by_clicks(page, 6, 2)
    said = heard(page, 2)
    assert said[1].startswith("6 to 2, over 4. 9 pegs. Cannot be solved any more, go back")
    page.locator("#why").click()
    assert len(heard(page)) == 1
    assert after_keys(page, "g").startswith("Undone: 6 to 2. Can be solved,")


def test_same_answer_is_heard_twice_and_refusals_name_the_peg(page: Page) -> None:
    open_and_listen(page)
    for _ in range(2):
        assert after_keys(page, "o") == "peg in hole 0, can move: to 6."
        assert after_keys(page, "m") == "4 possible steps: 0 to 6, 2 to 6, 10 to 6, 12 to 6."
    for number in (1, 3, 4):
        hole(page, number).focus()
        reason = "no neighbouring peg has an empty hole right behind it"
        assert after_keys(page, "Enter") == f"Peg {number} cannot jump: {reason}."
    assert after_keys(page, "j", "Enter") == "10 selected: to 6."
    expect(hole(page, 10)).to_have_attribute("aria-pressed", "true")
    assert after_keys(page, "b") == "Pegs: 0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12. Empty: 6."
    assert after_keys(page, "h").startswith("Hint: move the circled peg (hole ")
    assert " to " in after_keys(page, "h")


def test_solution_started_by_key_says_whole_moves(page: Page) -> None:
    open_and_listen(page, "?line=0-6.9-3.2-0-6.11-1")
    page.keyboard.press("s")
    assert heard(page) == ["Move 5 of 7: 10 to 0 to 2 to 6, over 5, 1 and 4."]
    expect(page.locator(".scrub")).to_have_attribute(
        "aria-valuetext", "Move 5 of 7: 10 to 0 to 2 to 6, over 5, 1 and 4."
    )
    assert heard(page) == ["Move 6 of 7: 8 to 4, over 6."]
    assert heard(page)[0].startswith("Move 7 of 7: 12 to 2 to 6, over 7 and 4. Solved")


def test_steps_are_words_in_japanese(page: Page) -> None:
    open_game(page, published_puzzle(), "?lang=ja")
    hole(page, 0).focus()
    listen(page)
    assert "0から6、2から6、10から6、12から6" in after_keys(page, "m")


def test_search_says_its_start_and_end(browser: Browser) -> None:
    """A server of its own: one that has proved a search before knows its answer."""
    with running_app() as app, serving(app) as url, opened(browser, url) as page:
        open_and_listen(page)
        page.get_by_role("button", name="Search", exact=True).click()
        page.wait_for_function("() => heard.some((text) => text.includes('nodes in'))")
        said = " ".join(heard(page))
        assert said.startswith("Searching: ")
        assert "7 moves, and no fewer: every smaller limit is ruled out. " in said
        assert after_keys(page, "f").startswith("done. ")


def test_search_says_that_it_was_stopped_and_little_before(page: Page) -> None:
    page.goto(LONG_GAME)
    page.locator("#method").select_option("deepening")
    listen(page)
    page.get_by_role("button", name="Search", exact=True).click()
    expect(page.locator(".limits tbody tr").nth(3)).to_be_visible()
    page.locator("#stop").click()
    expect(page.locator(".state")).to_contain_text("stopped")
    said = heard(page, 2)
    assert said[0].startswith("Searching: ") and "Stopped. Proved by this search: " in said[-1]
    assert len(said) <= 4


def test_game_is_played_in_a_line_of_text(page: Page) -> None:
    """The field shows what is said."""
    open_and_listen(page)
    page.keyboard.press("t")
    field = page.get_by_label("Move or command")
    expect(field).to_be_focused()

    def typed(text: str, last: str = "") -> str:
        field.fill(text)
        field.press("Enter")
        page.wait_for_function("(last) => heard.some((text) => text.includes(last))", arg=last)
        said = " ".join(heard(page))
        expect(page.locator("#typed output")).to_have_text(said)
        return said

    assert typed("0 6").startswith("0 to 6, over 3. 11 pegs.")
    assert typed("row 2") == "Row 2: 3 empty, 4 peg."
    assert typed("９ー３").startswith("9 to 3, over 6. 10 pegs.")
    assert (
        "2 to 0, over 1. 9 pegs." in (said := typed("2-0-6", "8 pegs")) and "0 to 6, over 3. 8 pegs." in said
    )
    assert typed("6 9") == "6 to 9 is not a possible step."
    assert typed("99") == "There is no such hole: the board has holes 0 to 12."
    assert typed("undo") == "Undone: 0 to 6. Can be solved, 4 more moves."
    assert typed("why") == "That cannot be done now."
    assert typed("how many") == "9 pegs. 3 moves."
    assert typed("hint").startswith("Hint: move the circled peg (hole ")
    assert typed("dance") == "“dance” is neither a move nor a command. Type help for a list."
    field.press("Escape")
    expect(field).to_be_hidden()
    assert page.evaluate("document.activeElement.dataset.hole") is not None
    expect(verdict(page)).to_contain_text("3 moves,")


@pytest.mark.parametrize("path", ["/puzzles/hoppers", "/decks/hoppers/3", "/stream/hoppers"])
def test_board_is_a_grid_with_keys_on_every_page(page: Page, path: str) -> None:
    page.goto(path)
    expect(page.get_by_role("row")).to_have_count(5)
    grid = page.get_by_role("grid", name="Board")
    expect(grid).to_have_accessible_description(re.compile("Arrow keys choose"))
    expect(page.locator("#undo")).to_have_attribute("aria-disabled", "true")  # the game has begun
    hole(page, 0).focus()
    listen(page)
    assert after_keys(page, "ArrowUp").endswith("Edge of the board.")  # the stream may deal just now
    for digit, number in (("3", 3), ("3", 6), ("7", 3), ("6", 4)):
        page.keyboard.press(digit)
        expect(hole(page, number)).to_be_focused()
    assert after_keys(page, "b").startswith("Pegs: ")
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_focused()


def test_editor_and_dialogs_take_the_focus(page: Page) -> None:
    open_game(page, published_puzzle())
    page.locator("#new").click()
    expect(page.locator("#setup")).to_be_focused()
    page.locator("#edit").click()
    expect(page.locator("#editor .say")).to_be_focused()


def stops_of(page: Page, place: str) -> int:
    """Return how many links of a place the Tab key reaches."""
    return page.locator(f'{place} a[tabindex="0"]').count()


def test_map_and_calendar_are_one_stop_and_their_cells_speak(page: Page) -> None:
    page.goto("/atlas/hoppers")
    first = page.locator(".map tbody a").first
    expect(first).to_have_accessible_name("start 0, goal 0: 7 moves, 28 solutions")
    assert stops_of(page, ".map") == 1
    first.focus()
    for key, name in (
        ("ArrowRight", "start 0, goal 1:"),
        ("ArrowDown", "start 1, goal 1:"),
        ("Home", "start 0, goal 0:"),
    ):
        page.keyboard.press(key)
        expect(page.locator(":focus")).to_have_accessible_name(re.compile(f"^{name}"))
    page.goto("/daily/archive?month=2026-10")
    day = page.locator('[data-day="2026-10-14"]')
    expect(day).to_have_accessible_name("Wednesday, October 14, 2026, not tried")
    assert stops_of(page, ".month table") == 1
    day.focus()
    for key, number in (
        ("ArrowRight", "15"),
        ("ArrowDown", "15/mini"),
        ("ArrowDown", "22"),
        ("ArrowLeft", "21"),
    ):
        page.keyboard.press(key)
        expect(page.locator(":focus")).to_have_attribute("data-day", f"2026-10-{number}")


def test_title_says_how_the_game_stands(page: Page) -> None:
    open_and_listen(page, "?line=0-6.9-3.2-0-6.11-1.10-0-2-6.8-4")
    title = page.title()
    page.keyboard.press("s")
    expect(page).to_have_title(f"Solution · {title}")
    page.keyboard.press("Escape")
    expect(page).to_have_title(title)
    for origin, target in ((12, 2), (2, 6)):
        by_clicks(page, origin, target)
    expect(page).to_have_title(f"Solved · {title}")


def test_lesson_is_heard_from_the_guess_to_its_end(page: Page) -> None:
    """It is done by keyboard alone: the guess, a chosen peg, jumps, and the rest in typed words."""
    page.goto("/lessons/1")
    field = page.locator(".bet input")
    expect(field).to_be_visible(timeout=60_000)
    listen(page)
    field.fill("3")
    field.press("Enter")
    page.wait_for_function("() => heard.some((text) => text.includes('Now play it'))")
    assert heard(page)[-1].endswith(
        "Exactly right. 3 moves are enough, and fewer are not: the solver has proved it. Now play it."
    )
    expect(hole(page, 0)).to_be_focused()
    assert after_keys(page, "b") == "Pegs: 0, 1, 3, 5, 6, 7, 8. Empty: 2, 4, 9, 10, 11, 12."
    assert after_keys(page, "ArrowUp") == "Edge of the board."
    assert after_keys(page, "2", "Enter") == "5 selected: to 11."
    assert after_keys(page, "Enter") == "5 put down."
    assert after_keys(page, "o") == "peg in hole 5, can move: to 11."
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("t")
    moves = page.request.get("/api/puzzles/hoppers/positions/oo.o.oooo..../solution?goal=6").json()["moves"]
    line = page.get_by_label("Move or command")
    for number, move in enumerate(moves, start=1):
        line.fill("-".join(map(str, move)))
        line.press("Enter")
        page.wait_for_function(
            "(text) => heard.some((each) => each.includes(text))",
            arg="Solved in the fewest moves" if number == len(moves) else "move",
        )
        said = " ".join(heard(page))
        assert f"{move[0]} to " in said and ", over " in said
    expect(page.locator(".lesson-end")).to_be_visible()


def test_search_by_hand_and_trace_are_heard(page: Page) -> None:
    page.goto("/lessons/2")
    field = page.locator(".bet input")
    expect(field).to_be_visible(timeout=60_000)
    listen(page)
    field.fill("23")
    field.press("Enter")
    page.wait_for_function("() => heard.some((text) => text.includes('4 jumps are left'))")
    heard(page)
    for _ in range(2):  # the same answer is heard twice
        assert after_keys(page, "m") == "4 possible steps: 0 to 2, 0 to 6, 1 to 5, 1 to 7."
    assert after_keys(page, "j", "Enter") == "1 selected: to 5 or 7."
    page.goto("/puzzles/hoppers/inside?method=corners")
    expect(page.locator(".verdict-line")).to_contain_text("Limit 1")
    hole(page, 0).focus()
    listen(page)
    assert after_keys(page, "b") == "Pegs: 0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12. Empty: 6."
    assert after_keys(page, "Enter") == "peg in hole 0, number 1: to 6."
    page.goto("/puzzles/hoppers/race")
    label = "Pegs: 0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12. Empty: 6."
    expect(page.locator(".race-head").get_by_role("img")).to_have_accessible_name(label)


def test_card_is_solved_by_key_from_what_is_heard(page: Page) -> None:
    page.goto("/decks/hoppers/1")
    expect(page.locator("#undo")).to_have_attribute("aria-disabled", "true")  # the game has begun
    listen(page)
    hole(page, 0).focus()
    board = after_keys(page, "b")
    pegs, empty = re.findall(r"(?:Pegs|Empty): ([\d, ]+)\.", board)
    holes = {int(number): cell for cell, list in (("o", pegs), (".", empty)) for number in list.split(", ")}
    goal = page.locator("main").get_attribute("data-goal") or ""
    said = ""
    for origin, target in shortest("".join(holes[number] for number in sorted(holes)), goal):
        if page.locator(f'[data-hole="{origin}"][aria-pressed="true"]').count() == 0:
            focus_with_arrows(page, origin)
            assert f"{origin} selected: to " in after_keys(page, "Enter")
        focus_with_arrows(page, target)
        heard(page, 0)
        said = after_keys(page, "Enter")
        assert f"{origin} to {target}, over " in said
    assert "1 peg." in said
    heading = page.locator("#result-title")
    expect(heading).to_be_focused()
    expect(heading).to_have_accessible_name(re.compile(r"^\d moves, the fewest possible$"))
    expect(heading).to_have_accessible_description(re.compile("^Without any help .*1 try"))


@pytest.mark.own_tab
def test_search_is_read_in_sentences_and_tones(page: Page) -> None:
    page.add_init_script("""
      globalThis.pitches = [];
      const Oscillator = OscillatorNode;
      globalThis.OscillatorNode = class extends Oscillator {
        constructor(context, options) { super(context, options); pitches.push(options.frequency); }
      };""")
    open_and_listen(page)
    page.locator('[data-setting="tones"]').evaluate("(box) => box.click()")
    page.locator("#search").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => heard.some((text) => text.includes('nodes in'))")
    page.locator("#in-sentences summary").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#in-sentences li").last).to_contain_text("Limit 7: solved")
    told = page.locator("#in-sentences li").all_text_contents()
    nodes = page.locator("tr[data-limit]:not([data-known])").evaluate_all(
        "(all) => all.map((row) => Number(row.dataset.nodes))"
    )
    reason = "As every smaller limit is ruled out, no solution is shorter."
    assert told[-1] == f"Limit 7: solved after {nodes[-1]:,} nodes. {reason}"
    assert re.match(
        f"Limit 6: {nodes[-2]:,} nodes, and none of them solves it\\. \\d+\\s% of them were pruned\\.",
        told[-2],
    )
    pitches = page.evaluate("pitches")
    assert pitches[-2:] == pytest.approx([220 * 2 ** (math.log10(nodes[-1]) / 3) * rise for rise in (1, 1.5)])
    assert pitches[0] < pitches[-2]


def test_first_steps_are_heard(browser: Browser, live_server: str) -> None:
    with opened(browser, live_server, first_visit=True) as page:
        page.goto("/")
        expect(page.locator("#undo")).to_have_attribute("aria-disabled", "true")  # the game has begun
        title = page.title()
        assert title.startswith("First steps, 1 of 2")
        listen(page)
        said = ""
        for origin, target in shortest(
            page.locator(".play-area[data-position]").get_attribute("data-position") or "", "any"
        ):
            focus_with_arrows(page, origin)
            heard(page, 0)
            after_keys(page, "Enter")
            focus_with_arrows(page, target)
            heard(page, 0)
            said = after_keys(page, "Enter")
            assert f"{origin} to {target}, over " in said
        assert "1 peg. Solved" in said
        expect(page).to_have_title(f"Solved · {title}")
        expect(page.locator("#next-lesson")).to_be_focused()
        page.wait_for_timeout(650)
        page.keyboard.press("Enter")
        assert (page.locator("h1[data-lesson-text]").text_content() or "?") in " ".join(heard(page))
        expect(page).not_to_have_title(re.compile("^Solved"))
