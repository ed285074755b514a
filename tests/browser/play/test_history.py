"""The solution player, the browser's history, links, and stored games."""

import re

import pytest
from playwright.sync_api import Page, expect

from hoppers.core.puzzle import Puzzle
from tests.browser.fixtures import (
    KINDS,
    PUBLISHED,
    by_clicks,
    faults,
    line_of,
    moves_of,
    open_game,
    open_study,
    play,
    press,
    published_puzzle,
    steps_of,
    tab,
    verdict,
)
from tests.browser.tabs import OpenTab, expect_faults

pytestmark = pytest.mark.browser

LONGER = [[0, 6], [2, 0], [9, 3], [0, 6], [11, 1], [10, 0, 2, 6], [8, 4], [12, 2, 6]]


@pytest.mark.parametrize("puzzle", list(KINDS.values())[1:], ids=["sliding", "pegs"])
def test_solution_player_keeps_the_own_line(page: Page, puzzle: Puzzle) -> None:
    open_game(page, puzzle)
    play(page, steps_of(moves_of(page, puzzle))[:1])
    expect(page.locator("main")).not_to_have_attribute("data-position", puzzle.start)
    own_position = str(page.locator("main").get_attribute("data-position"))
    press(page, "Solution")
    page.locator("[data-player=play][aria-label=Pause]").click()
    press(page, "Last")
    expect(verdict(page)).to_have_attribute("data-verdict", "solved")
    press(page, "Back")
    expect(verdict(page)).to_have_attribute("data-verdict", "live")
    press(page, "First")
    expect(page.locator("main")).to_have_attribute("data-position", own_position)
    press(page, "Forward")
    expect(page.locator("main")).not_to_have_attribute("data-position", own_position)
    press(page, "Back to my game")
    expect(page.locator("main")).to_have_attribute("data-position", own_position)


def test_link_back_from_a_position_page_leads_to_the_game(page: Page) -> None:
    """The game still has all its moves, including undone ones. From another position a new game starts."""
    open_game(page, published_puzzle(), "?depth=play")
    open_study(page)  # unlike a link to Study, this choice is remembered
    play(page, steps_of(PUBLISHED[:2]))
    press(page, "Undo")
    expect(verdict(page)).to_contain_text("1 move,")
    place = page.url
    for name in ("race", "explore"):
        page.locator(f"[data-here={name}]").click()
        expect(page).to_have_url(re.compile(f"/{name}"))
        page.locator(".about a").click()
        expect(page).to_have_url(place)
        expect(verdict(page)).to_contain_text("1 move,")
        expect(page.get_by_role("button", name="Redo", exact=True)).to_be_enabled()
    page.goto(f"/puzzles/{published_puzzle().id}/race?position={published_puzzle().start}")
    page.locator(".about a").click()
    expect(verdict(page)).to_contain_text("0 moves")


def test_back_restores_the_chosen_method_and_its_note(page: Page) -> None:
    open_game(page, published_puzzle())
    open_study(page)
    first = page.locator(".method-note").inner_text()
    page.locator("#method").select_option("corners")
    chosen = page.locator(".method-note").inner_text()
    open_study(page)
    page.locator("[data-here=race]").click()
    expect(page).to_have_url(re.compile("/race"))
    page.go_back()
    expect(page.locator("#method")).to_have_value("corners")
    expect(page.locator(".method-note")).to_have_text(chosen)
    assert chosen != first


def left_at(moves: list[list[int]], number: int) -> list[str]:
    """Return the expected move list, with a note after move `number`, which cost more moves."""
    chips = [f"{index} {'–'.join(map(str, move))}" for index, move in enumerate(moves, 1)]
    return [*chips[:number], "cost more moves here", *chips[number:]]


def test_worse_solution_offers_another_try(page: Page) -> None:
    """The worse solution has eight moves instead of seven."""
    last = LONGER[-1]
    open_game(page, published_puzzle(), f"?line={line_of(LONGER[:-1])}")
    expect(page.locator("[data-movable]").first).to_be_attached()
    again = page.get_by_role("button", name="Try again")
    expect(again).to_be_hidden()
    press(page, "Solution")  # the solution from here has one move left
    expect(page.locator(".player .chips li")).to_have_count(1)
    press(page, "Back to my game")
    play(page, steps_of([last]))
    expect(verdict(page)).to_contain_text(f"in {len(LONGER)} moves; 7 would do")
    expect(verdict(page)).to_have_attribute("data-best", "false")
    expect(page.locator("[aria-current] .mark use")).to_have_attribute("href", "#s-solved")
    press(page, "Solution")
    expect(page.get_by_role("heading", name="Shortest solution")).to_be_visible()
    press(page, "Back to my game")
    expect(page.locator(".own li")).to_have_text(left_at(LONGER, 2))
    press(page, "Back to where the fewest moves were still possible")
    expect(verdict(page)).to_contain_text("1 move, 11 pegs, best possible 7")
    tab(page, "Moves").click()
    page.get_by_role("button", name=re.compile("^8")).click()
    again.click()
    expect(verdict(page)).to_contain_text("0 moves, 12 pegs")
    expect(page.locator("[data-hole]:focus")).to_have_count(1)
    open_game(page, published_puzzle(), f"?line={line_of(PUBLISHED[:-1])}")
    play(page, steps_of(PUBLISHED[-1:]))
    expect(verdict(page)).to_contain_text("Solved")
    expect(again).to_be_hidden()
    expect(verdict(page)).to_have_attribute("data-best", "false")  # its moves came with the link
    expect(page.locator("[aria-current] .mark use")).to_have_attribute("href", "#s-assisted")


def test_undo_works_in_a_solution_taken_over(page: Page) -> None:
    open_game(page, published_puzzle(), f"?line={line_of(PUBLISHED[:5])}")
    own_position = str(page.locator("main").get_attribute("data-position"))
    press(page, "Solution")
    page.locator("[data-player=play][aria-label=Pause]").click()
    press(page, "Last")
    press(page, "Continue from here")
    expect(verdict(page)).to_contain_text("7 moves, 1 peg")
    for _ in steps_of(PUBLISHED):
        if page.locator("main").get_attribute("data-position") != own_position:
            press(page, "Undo")
    expect(page.locator("main")).to_have_attribute("data-position", own_position)
    tab(page, "Moves").click()
    press(page, "Restore my moves")
    expect(verdict(page)).to_contain_text("5 moves, 4 pegs")
    page.goto("/")
    expect(page.locator(f'li[data-puzzle="{published_puzzle().id}"]')).to_contain_text("not tried")


def test_solution_plays_automatically(page: Page) -> None:
    open_game(page, published_puzzle())
    press(page, "Solution")
    page.get_by_label("Speed").select_option("4")
    expect(verdict(page)).to_have_attribute("data-verdict", "solved")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_next_solution_plays_at_the_chosen_speed(page: Page) -> None:
    open_game(page, published_puzzle())
    press(page, "Solution")
    page.get_by_label("Speed").select_option("4")
    press(page, "Back to my game")
    page.evaluate(RECORD_TIMERS)
    press(page, "Solution")
    expect(verdict(page)).to_have_attribute("data-verdict", "solved")
    waits = page.evaluate("waits")
    assert waits.count(200) >= len(PUBLISHED) and 800 not in waits


def test_failed_request_leaves_the_paused_solution_alone(page: Page) -> None:
    expect_faults(page, "503")
    open_game(page, published_puzzle(), f"?line={line_of(PUBLISHED[:2])}")
    press(page, "Solution")
    page.locator("[data-player=play][aria-label=Pause]").click()
    busy = {"error": {"code": "busy", "message": "Busy."}}
    page.route("**/line?*", lambda route: route.fulfill(status=503, json=busy))
    press(page, "From the start")
    expect(page.locator(".note")).to_contain_text("busy")
    expect(page.locator(".player h2")).to_contain_text("after move 2")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


RECORD_TIMERS = """((later) => {
  window.waits = [];
  setTimeout = (act, wait, ...values) => (waits.push(wait), later(act, wait, ...values));
})(setTimeout)"""
"""Script that records in `waits` the milliseconds of all timers from now on."""


def test_reload_and_link_keep_position_and_history(page: Page, open_tab: OpenTab) -> None:
    open_game(page, published_puzzle())
    play(page, steps_of(PUBLISHED)[:3])
    expect(verdict(page)).to_contain_text("3 moves, 9 pegs")
    press(page, "Undo")
    page.reload()
    expect(verdict(page)).to_contain_text("2 moves, 10 pegs")
    press(page, "Redo")
    expect(verdict(page)).to_contain_text("3 moves, 9 pegs")
    press(page, "Undo")
    page.locator("a[data-language]").first.click()
    expect(verdict(page)).to_contain_text("2手")
    page.locator("#redo").click()
    expect(verdict(page)).to_contain_text("3手")
    with open_tab() as other:
        other.goto(page.url)
        expect(verdict(other)).to_contain_text("3 moves, 9 pegs")
        press(other, "Undo")
        press(other, "Undo")
        expect(verdict(other)).to_contain_text("1 move, 11 pegs")


def test_gallery_links_to_the_unfinished_game(page: Page) -> None:
    open_game(page, published_puzzle(), "?line=0-6.9-3")
    by_clicks(page, 2, 0)
    expect(verdict(page)).to_contain_text("3 moves")
    page.goto("/")
    page.get_by_role("link", name="Continue after move 3").click()
    expect(verdict(page)).to_contain_text("3 moves, 9 pegs")


def test_start_and_goal_can_be_chosen(page: Page) -> None:
    open_game(page, published_puzzle())
    page.get_by_role("button", name="Goal: in hole 6").click()
    page.locator("select[name=start]").select_option(value=published_puzzle().starts["0"])
    page.get_by_role("radio", name="Anywhere: 7 moves").check()
    press(page, "Set up")
    expect(page.locator("main")).to_have_attribute("data-position", "." + "o" * 12)
    expect(page.locator("main")).to_have_attribute("data-goal", "any")
    page.go_back()
    expect(page.locator("main")).to_have_attribute("data-goal", "6")


COMPOSED = """(box, letter) => {
  box.value = letter;
  box.dispatchEvent(new InputEvent('input', { isComposing: true }));
  box.dispatchEvent(new CompositionEvent('compositionend', { data: letter }));
}"""
"""Script that sends a Japanese input method's events for one letter, all of them with `isComposing`."""


def test_shortcut_letters_are_unique(page: Page) -> None:
    open_game(page, published_puzzle(), "?line=0-6.9-3")
    page.keyboard.press("?")
    undo, note = page.locator('[data-letter="undo"]'), page.locator(".letter-note")
    undo.fill("H")
    expect(note).to_contain_text("h is already used for “hint; again for more”.")
    expect(undo).to_have_value("u")
    undo.fill("7")
    expect(note).to_contain_text("“7” is not a letter")
    undo.evaluate(COMPOSED, "z")
    expect(note).to_be_empty()
    assert faults(page, "#help") == []
    page.reload()
    page.keyboard.press("u")
    page.keyboard.press("z")
    expect(verdict(page)).to_contain_text("1 move,")
    page.keyboard.press("?")
    expect(undo).to_have_value("z")
    press(page, "Restore default letters")
    expect(undo).to_have_value("u")
    page.keyboard.press("Escape")
    page.evaluate('localStorage.setItem(\'puzzles/settings\', \'{"keys":{"undo":"h","hint":5}}\')')
    page.keyboard.press("u")
    expect(verdict(page)).to_contain_text("0 moves,")


def test_shortcut_letters_can_be_switched_off(page: Page) -> None:
    open_game(page, published_puzzle(), "?line=0-6.9-3")
    page.keyboard.press("u")
    expect(verdict(page)).to_contain_text("1 move,")
    page.keyboard.press("r")
    expect(verdict(page)).to_contain_text("2 moves,")
    page.keyboard.press("h")
    expect(page.locator('[data-hint="from"]')).to_have_count(1)
    page.get_by_role("button", name="Settings", exact=True).click()
    page.get_by_label("letter-key shortcuts").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("u")
    expect(verdict(page)).to_contain_text("2 moves,")
    page.keyboard.press("Control+z")
    expect(verdict(page)).to_contain_text("1 move,")
