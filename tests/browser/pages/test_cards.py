"""Decks and the card of the day in a browser."""

import datetime
import itertools
import json

import pytest
from playwright.sync_api import Page, expect

from hoppers.analysis.card_data import load_cards
from tests.browser.fixtures import by_clicks
from tests.browser.tabs import OpenTab

pytestmark = pytest.mark.browser


def test_solved_card_is_marked_in_its_deck(page: Page) -> None:
    deck, stored = next(iter(load_cards().decks.items()))
    cards = stored.cards
    card = cards[0]
    page.goto(f"/decks/{deck}/1")
    for move in card.solution:
        for origin, target in itertools.pairwise(move):
            by_clicks(page, origin, target)
    expect(page.locator('[data-verdict="solved"]')).to_be_attached()
    assert page.url.endswith(f"/decks/{deck}/1"), "the address is that of the card"
    expect(page.locator("main")).to_have_attribute("data-medal", "optimal")
    stored = json.loads(page.evaluate("localStorage['puzzles/cards']"))[f"{deck}/1"]
    assert (stored["moves"], stored["best"], stored["tries"]) == (card.moves, card.moves, 1)
    page.goto(f"/decks/{deck}")
    items = page.locator("li[data-card]")
    assert items.count() == len(cards)
    expect(items.first.locator("[data-result]")).to_contain_text(f"{card.moves} moves, no help")
    expect(items.first.locator(".turned i")).to_be_visible()
    expect(items.last.locator(".turned i")).to_be_hidden()


def test_help_tells_its_price_and_the_end_proves(page: Page) -> None:
    deck, stored = next(iter(load_cards().decks.items()))
    cards = stored.cards
    page.goto(f"/decks/{deck}/1")
    gone = page.locator(".status .star-gone")
    expect(gone).to_be_empty()
    page.locator("#hint").click()
    expect(gone).to_have_text("No star any more: it is for the fewest moves without help.")
    for move in cards[0].solution:
        for origin, target in itertools.pairwise(move):
            by_clicks(page, origin, target)
            expect(gone).to_be_empty()
    page.locator("#to-proof").click()
    expect(page.locator("#solver")).to_contain_text(f"{cards[0].moves} moves, and no fewer")
    last = page.locator(f'[data-limit="{cards[0].moves}"]:not([data-known])')
    expect(last).to_contain_text("solved")


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago"])  # 25 hours apart
def test_today_is_the_day_of_the_reader(open_tab: OpenTab, zone: str) -> None:
    with open_tab(timezone_id=zone) as page:
        page.goto("/daily")
        local = page.evaluate("new Date().toLocaleDateString('sv')")
        expect(page.locator("main")).to_have_attribute("data-card", f"daily/{local}")
        assert datetime.date.fromisoformat(local)
