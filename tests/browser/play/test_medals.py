"""Medals: the star is for the fewest moves without any help, and hidden verdicts stay hidden."""

import itertools
import json
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from hoppers.analysis.card_data import load_cards
from tests.browser.fixtures import (
    PUBLISHED,
    by_clicks,
    open_game,
    play,
    press,
    published_puzzle,
    steps_of,
    verdict,
)

pytestmark = pytest.mark.browser

PLAY = "?depth=play"
DECK, CARDS = next((id, deck.cards) for id, deck in load_cards().decks.items())


def medal(page: Page) -> str | None:
    """Return the medal of the solved game on the page."""
    expect(verdict(page)).to_have_attribute("data-verdict", "solved")
    return page.locator("main").get_attribute("data-medal")


def see_hint(page: Page) -> None:
    """Ask for a hint at the start."""
    press(page, "Hint")
    expect(page.locator('[data-hint="from"]')).to_have_count(1)


def see_solution(page: Page) -> None:
    """Look at the solution, and go back."""
    press(page, "Solution")
    press(page, "Back to my game")


def search(page: Page) -> None:
    """Let a search find the solution."""
    press(page, "Search")
    expect(page.locator('[data-limit][data-state="solved"]')).to_have_count(1)


def test_star_is_for_the_fewest_moves_without_help(page: Page) -> None:
    open_game(page, published_puzzle(), PLAY)
    play(page, steps_of(PUBLISHED))
    assert medal(page) == "optimal"
    see_solution(page)
    assert medal(page) == "optimal", "the game was over"
    press(page, "Undo")
    press(page, "Redo")
    assert medal(page) == "optimal", "the same try"
    page.reload()
    assert medal(page) == "optimal", "the same game"
    expect(page.locator(".told")).to_have_text("1 try")
    press(page, "Restart")
    play(page, steps_of(PUBLISHED))
    assert medal(page) == "assisted", "the solution had been seen"
    stored = json.loads(page.evaluate(f"localStorage['puzzles/results/{published_puzzle().id}']"))
    assert [result["help"]["solution"] for result in stored.values()] == [False], "the better result stays"


@pytest.mark.parametrize("seek_help", [see_hint, see_solution, search])
def test_help_costs_the_star_through_restart_and_reload(
    page: Page, seek_help: Callable[[Page], None]
) -> None:
    open_game(page, published_puzzle(), PLAY)
    seek_help(page)
    play(page, steps_of(PUBLISHED))
    assert medal(page) == "assisted"
    open_game(page, published_puzzle(), PLAY)
    play(page, steps_of(PUBLISHED))
    assert medal(page) == "assisted"


def test_verdict_of_study_costs_the_star_of_that_game(page: Page) -> None:
    open_game(page, published_puzzle())
    play(page, steps_of(PUBLISHED))
    assert medal(page) == "assisted"
    expect(page.locator(".note")).to_contain_text("but Study showed")
    page.get_by_role("radio", name="Play").check()
    press(page, "Undo")
    press(page, "Redo")
    assert medal(page) == "assisted"
    press(page, "Restart")
    expect(verdict(page)).to_have_attribute("data-verdict", "hidden")
    play(page, steps_of(PUBLISHED))
    assert medal(page) == "optimal"


def test_own_position_has_a_medal_but_no_mark(page: Page) -> None:
    puzzle = published_puzzle()
    before = page.request.get(
        f"/api/puzzles/{puzzle.id}/line?line={'.'.join('-'.join(map(str, move)) for move in PUBLISHED[:-1])}"
    ).json()["steps"][-1]["position"]
    open_game(page, puzzle, f"{PLAY}&position={before.partition(':')[0]}")
    play(page, steps_of(PUBLISHED[-1:]))
    assert medal(page) == "optimal"
    assert page.evaluate(f"localStorage['puzzles/results/{puzzle.id}'] ?? null") is None
    assert json.loads(page.evaluate(f"localStorage['puzzles/tally/{puzzle.id}']")) == {"optimal": 1}
    page.goto("/")
    expect(page.locator(f'li[data-puzzle="{puzzle.id}"]').first).to_contain_text("not tried")


def test_card_hides_its_verdict_until_check(page: Page) -> None:
    answer = page.request.get(f"/decks/{DECK}/1").text()
    status = answer[answer.index('role="status"') :].partition("</div>")[0]
    assert 'data-verdict="hidden"' in status and "data-moves-left" not in status
    page.goto(f"/decks/{DECK}/1")
    page.keyboard.press("g")  # asks for the verdict, too
    expect(verdict(page)).to_have_attribute("data-verdict", "live")
    steps = [pair for move in CARDS[0].solution for pair in itertools.pairwise(move)]
    by_clicks(page, *steps[0])
    expect(verdict(page)).to_have_attribute("data-verdict", "hidden")
    assert verdict(page).get_attribute("data-moves-left") is None
    for step in steps[1:]:
        by_clicks(page, *step)
    assert medal(page) == "assisted"


CARD = f"/decks/{DECK}/1"


def give_up(page: Page) -> None:
    """Give up the card on the page: the first press asks, the second shows the solution."""
    page.locator("#more").click()
    page.locator("#solution").click()
    expect(page.locator("#solution")).to_have_text("Show the solution?")
    expect(page.locator(".player")).to_be_hidden()
    page.locator("#solution").click()
    expect(page.locator(".player")).to_be_visible()


def see_solution_on_the_card(page: Page) -> None:
    page.goto(CARD)
    give_up(page)
    press(page, "Back to my game")


def see_solution_on_the_page_of_the_puzzle(page: Page) -> None:
    page.goto(f"/puzzles/{CARDS[0].puzzle}?position={CARDS[0].position}&goal={CARDS[0].goal}")
    press(page, "Solution")
    expect(page.locator(".player")).to_be_visible()
    page.goto(CARD)


def see_solution_in_another_tab(page: Page) -> None:
    page.goto(CARD)
    expect(page.locator("[data-sent]")).to_have_count(0)
    other = page.context.new_page()
    other.goto(CARD)
    give_up(other)
    other.close()


def see_all_solutions(page: Page) -> None:
    page.goto(f"/puzzles/{CARDS[0].puzzle}?start={CARDS[0].position}&goal={CARDS[0].goal}&depth=study")
    page.get_by_role("tab", name="Solutions").click()
    page.goto(CARD)


@pytest.mark.parametrize(
    "seek_help",
    [
        see_solution_on_the_card,
        see_solution_on_the_page_of_the_puzzle,
        see_solution_in_another_tab,
        see_all_solutions,
    ],
)
def test_no_star_for_a_card_whose_solution_was_seen(page: Page, seek_help: Callable[[Page], None]) -> None:
    seek_help(page)
    for move in CARDS[0].solution:
        for step in itertools.pairwise(move):
            by_clicks(page, *step)
    assert medal(page) == "assisted"


def lose(page: Page) -> None:
    """Play the last card of the deck into a position without jumps, by steps that lose."""
    address = f"/api/puzzles/{CARDS[-1].puzzle}/positions/"
    position = CARDS[-1].position
    for _ in range(20):
        steps = page.request.get(f"{address}{position}?goal={CARDS[-1].goal}").json()["steps"]
        if not steps:
            return
        expect(verdict(page)).to_have_attribute("data-verdict", "hidden")
        step = max(steps, key=lambda step: step["verdict"] == "dead")
        by_clicks(page, step["from"], step["to"])
        position = step["position"]
        expect(page.locator("main")).to_have_attribute("data-position", position)


def test_lost_card_costs_a_try_and_no_star(page: Page) -> None:
    page.goto(f"/decks/{DECK}/{len(CARDS)}")
    lose(page)
    expect(page.locator("#result-title")).to_contain_text("No jumps left")
    for part in ("#share-result", "#to-review", "#to-proof", "#go-back", ".result-card .tries"):
        expect(page.locator(part)).to_be_hidden()  # they would tell where it was lost
    expect(page.locator(".result-card .sub")).to_have_text("")
    page.locator("#result-again").click()
    for move in CARDS[-1].solution:
        for step in itertools.pairwise(move):
            by_clicks(page, *step)
    assert medal(page) == "optimal"
    expect(page.locator(".told")).to_have_text("2 tries")
    expect(page.locator(".tries li")).to_have_count(2)
    expect(page.locator("#solution")).to_have_attribute("hidden", "")
    page.locator("#restart").click()
    expect(page.locator("#result")).to_be_hidden()
    page.locator("#undo").click()
    expect(page.locator("#result")).to_be_visible()
    assert medal(page) == "optimal"


def test_result_can_be_shared_after_another_was_sought(page: Page) -> None:
    page.goto(f"/decks/{DECK}/{len(CARDS)}")
    for move in CARDS[-1].solution:
        for step in itertools.pairwise(move):
            by_clicks(page, *step)
    page.locator("#play-again").click()
    expect(page.locator("main")).to_have_attribute("data-position", CARDS[-1].position)
    page.reload()
    expect(page.locator("#share-result")).to_be_visible()
    assert medal(page) == "optimal"


def test_asking_where_a_card_was_lost_costs_the_star(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})  # where a link in the menu closes it
    page.goto(f"/decks/{DECK}/{len(CARDS)}")
    lose(page)
    expect(page.locator("#where-lost .price")).to_be_visible()
    page.locator("#more").click()
    page.locator("#study").click()  # by mistake
    page.locator("#no-study").click()
    expect(page.locator("#card-menu")).to_be_hidden()
    expect(page.locator("html")).not_to_have_attribute("data-starless", "")
    page.locator("#where-lost").click()
    expect(page.locator(".result-card .sub")).not_to_have_text("")
    expect(page.locator("html")).to_have_attribute("data-starless", "")
    told = page.locator(".result-card").inner_text()
    page.locator("#to-review").click()
    expect(page.locator(".findings .chip").first).to_be_visible()
    page.goto(f"/decks/{DECK}/{len(CARDS)}")
    expect(page.locator(".tries svg").first).to_be_visible()
    assert page.locator(".result-card .tries + .legend").inner_text() in told
    expect(page.locator("#share-result")).to_be_visible()
    expect(page.locator(".result-card .sub")).not_to_have_text("")
    page.locator("#result-again").click()
    for move in CARDS[-1].solution:
        for step in itertools.pairwise(move):
            by_clicks(page, *step)
    assert medal(page) == "assisted"
    expect(page.locator(".told")).to_have_text("2 tries · saw where it was lost · review seen")
