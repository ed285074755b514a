"""The key Why? draws the proof that a position is dead on the board."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from hoppers.analysis.card_data import load_cards
from tests.browser.fixtures import ask, by_clicks, hole, open_game, press, steps_to_dead_end, verdict
from tests.support.engine import find

pytestmark = pytest.mark.browser

LOST = [
    (
        "hoppers",
        "oo.oo..o..o.o",
        "6",
        "No jump raises the sum of the numbers under the pegs. It is −1 now",
        8,
    ),
    ("triangle-15", "ooooooo.ooooooo", "0", "There are 10 pegs in the marked holes.", 1),
    ("eight-puzzle", "217654380", "123456780", "Their sum, 11, is odd", 5),
]


@pytest.mark.parametrize(("puzzle_id", "position", "goal", "sentence", "groups"), LOST)
def test_proof_is_drawn_on_the_board(
    page: Page, puzzle_id: str, position: str, goal: str, sentence: str, groups: int
) -> None:
    puzzle = find(puzzle_id)
    open_game(page, puzzle, f"?position={position}&goal={goal}")
    press(page, "Why?")
    expect(page.locator(".note")).to_contain_text(sentence)
    expect(page.locator(".m-group")).to_have_count(groups)
    numbers = page.locator(".m-group text").all_text_contents()
    weights = ask(page, puzzle, f"/reason?goal={goal}", position)["proofs"][0]["weights"]
    shown = [int(number.replace("−", "-")) for number in numbers if number]
    assert sorted(shown) == ([] if groups == 1 else sorted(weights.values()))
    first = min(weights, key=int)
    label = hole(page, int(first)).get_attribute("aria-label") or ""
    assert ("counted" if groups == 1 else f"number {weights[first]}") in label.replace("minus ", "-")
    step = ask(page, puzzle, f"?goal={goal}", position)["steps"][0]
    by_clicks(page, step["from"], step["to"])
    expect(page.locator(".m-group")).to_have_count(0)


def test_why_is_offered_only_for_a_dead_position(page: Page) -> None:
    puzzle = find("hoppers")
    open_game(page, puzzle)
    expect(page.locator("#why")).to_be_hidden()
    for _, step in steps_to_dead_end(page, puzzle):
        by_clicks(page, *step)
    expect(verdict(page)).to_have_attribute("data-verdict", "dead")
    expect(page.locator("#why")).to_be_visible()
    press(page, "Go back")
    expect(page.locator("#why")).to_be_hidden()


def test_rated_game_keeps_why_back(page: Page) -> None:
    deck, card = next((id, deck.cards[0]) for id, deck in load_cards().decks.items())
    page.goto(f"/decks/{deck}/1")
    puzzle = find(card.puzzle)
    here: dict[str, Any] = {"verdict": "live", "position": card.position}
    while here["verdict"] != "dead":
        steps = ask(page, puzzle, f"?goal={card.goal}", here["position"])["steps"]
        here = next((step for step in steps if step["verdict"] == "dead"), steps[0])
        by_clicks(page, here["from"], here["to"])
    expect(page.locator("main")).to_have_attribute("data-position", here["position"])
    expect(verdict(page)).to_have_attribute("data-verdict", "hidden")
    expect(page.locator("#why")).to_be_hidden()


def test_page_of_every_step_shows_the_sum_after_each(page: Page) -> None:
    page.goto("/puzzles/hoppers/explore?position=oo.oo..o..o.o")
    expect(page.locator(".reason")).to_contain_text("It is −1 now, and at the end it would have to be 0.")
    expect(page.locator(".stage .m-group")).to_have_count(8)
    assert page.locator(".steps tbody td:last-child").all_inner_texts() == ["−1", "−1", "−2", "−1"]
    page.locator("tr[data-from]").first.hover()
    expect(page.locator(".stage .m-group")).to_have_count(0)
    page.locator("h1").first.hover()
    expect(page.locator(".stage .m-group")).to_have_count(8)


def test_certificate_is_offered_in_study_after_why(page: Page) -> None:
    puzzle = find("hoppers")
    open_game(page, puzzle, "?position=oo.oo..o..o.o&goal=6&depth=study")
    expect(page.locator("#certificate")).to_be_hidden()
    press(page, "Why?")
    expect(page.locator("#certificate")).to_be_visible()
    with page.expect_download() as download:
        page.locator("#certificate").click()
    assert json.loads(download.value.path().read_text())["claim"] == "impossible"


def test_certificate_is_checked_in_the_page(page: Page) -> None:
    puzzle = find("hoppers")
    open_game(page, puzzle, "?position=oo.oo..o..o.o&goal=6&depth=study")
    expect(page.locator("#check-here")).to_be_hidden()
    press(page, "Why?")
    press(page, "Check it here")
    expect(page.locator("#checked")).to_contain_text("the certificate is a proof")
    page.route("**/certificate?*", lambda route: route.fulfill(body="{}"))
    press(page, "Check it here")
    expect(page.locator("#checked")).to_contain_text("the certificate is no proof")
    page.unroute("**/certificate?*")
    large = find("diamond-41")
    open_game(page, large, f"?position={large.starts['1']}&goal=39&depth=study")
    press(page, "Why?")
    press(page, "Check it here")
    expect(page.locator("#checked")).to_contain_text("Level 1")
    press(page, "Stop checking")
    expect(page.locator("#checked")).to_contain_text("stopped before it was finished")
    expect(page.locator("#check-here")).to_have_text("Check it here")


def test_slack_is_used_up_in_sight_and_why_says_so(page: Page) -> None:
    puzzle, line = find("hoppers"), page.locator("#slack")
    open_game(page, puzzle, "?position=..oo.oo..o..o&goal=6&depth=study")
    expect(line).to_be_empty()
    page.keyboard.press("w")
    expect(line).to_have_text(re.compile("●.*Slack 1: .* add up to 2, and the goal needs 1"))
    expect(page.locator(".m-payment text")).to_have_text(["0", "0", "−2"])
    expect(hole(page, 6)).to_have_attribute("aria-label", re.compile("number 1.*jump to 0 costs 2"))
    by_clicks(page, 6, 0)
    expect(line).to_have_text(re.compile("○.*The slack is used up"))
    press(page, "Why?")
    expect(page.locator(".note")).to_have_text(
        "The numbers under the pegs add up to 0, the goal needs 1, and no jump raises the sum. "
        "So the goal cannot be reached."
    )
    expect(page.locator(".m-group")).to_have_count(8)
    expect(line).to_be_empty()
    page.keyboard.press("w")
    press(page, "Undo")
    expect(page.locator(".m-group")).to_have_count(0)
