"""Decks and the cards of the days over HTTP."""

import datetime
import hashlib

import pytest
from flask.testing import FlaskClient

from hoppers.analysis.card_data import FIRST_DAY, cards_of, has_begun
from tests.support.engine import PUZZLES
from tests.translations import LANGUAGES

UTC = datetime.UTC
FIRST = {
    "date": "2026-01-01",
    "puzzle": "flip-it-8",
    "position": "bwb_wbwb",
    "goal": "any",
    "moves": 6,
    "level": 3,
    "mini": {"puzzle": "triangle-21", "position": "...oo..oo.o....o.o..o", "goal": "any", "moves": 4},
}


def test_decks_are_listed_and_shown(client: FlaskClient) -> None:
    decks = client.get("/api/decks").get_json()["decks"]
    assert (decks[0]["id"], decks[0]["cards"]) == ("hoppers", 40)
    for deck in decks:
        shown = client.get(f"/api/decks/{deck['id']}").get_json()
        assert [card["number"] for card in shown["cards"]] == list(range(1, deck["cards"] + 1))
        assert all(all(card["measures"]) for card in shown["cards"])
        for page in ("", "/print", "/1", f"/{deck['cards']}"):
            for language in LANGUAGES:
                assert client.get(f"/decks/{deck['id']}{page}?lang={language}").status_code == 200


def test_page_of_a_card_begins_at_the_card(client: FlaskClient) -> None:
    card = client.get("/api/decks/hoppers").get_json()["cards"][16]
    page = client.get("/decks/hoppers/17")
    assert 'data-card="hoppers/17"' in page.text
    assert f'data-position="{card["position"]}" data-goal="{card["goal"]}"' in page.text
    assert page.headers["Vary"] and page.headers["Cache-Control"] == "no-cache"
    other = client.get("/decks/hoppers/17?position=rooooo.oooooo")
    assert other.location.startswith(f"/puzzles/{card['puzzle']}?")
    assert client.get("/decks/hoppers/17?position=xx").status_code == 400


@pytest.mark.parametrize(
    ("path", "code", "quote"),
    [
        ("/api/decks/xx", "unknown_deck", "'xx'"),
        ("/api/daily/yesterday", "unknown_day", "'yesterday'"),
        ("/api/daily/2026-02-30", "unknown_day", "'2026-02-30'"),
        ("/api/daily/2025-12-31", "unknown_day", "'2025-12-31'"),
        ("/api/daily/20260101", "unknown_day", "'20260101'"),
        ("/api/daily/2026-W02-1", "unknown_day", "'2026-W02-1'"),
        ("/api/daily/２０２６-01-01", "unknown_day", "01-01"),
        ("/api/daily/9999-12-31", "unknown_day", "'9999-12-31'"),
    ],
)
def test_what_does_not_exist_is_quoted(client: FlaskClient, path: str, code: str, quote: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert answer.get_json()["error"]["code"] == code and quote in answer.get_json()["error"]["message"]


@pytest.mark.parametrize("path", ["/decks/xx", "/decks/hoppers/0", "/decks/hoppers/041", "/daily/2026-02-30"])
def test_pages_that_do_not_exist_are_pages(client: FlaskClient, path: str) -> None:
    assert client.get(path).status_code == 404 and "<html" in client.get(path).text


def test_day_begins_where_clocks_are_first() -> None:
    day = datetime.date(2026, 3, 1)
    assert not has_begun(day, datetime.datetime(2026, 2, 28, 9, 59, 59, tzinfo=UTC))
    assert has_begun(day, datetime.datetime(2026, 2, 28, 10, tzinfo=UTC))


def test_days_keep_their_cards(client: FlaskClient) -> None:
    """These are published: a change of the program must not change them."""
    assert client.get("/api/daily/2026-01-01").get_json() == FIRST
    days = [FIRST_DAY + datetime.timedelta(day) for day in range(365)]
    dealt = [(card.puzzle, card.position, card.goal) for day in days for card in cards_of(day)[2:]]
    assert hashlib.sha256(repr(dealt).encode()).hexdigest()[:16] == "fc15e6646009e484"
    assert len({cards_of(day).mini for day in days[:364]}) == 364
    assert [cards_of(day).level for day in days[4:11]] == [1, 2, 2, 3, 3, 4, 5]


def test_mini_is_on_another_board_than_the_card() -> None:
    """From 2027 on; neither comes again soon."""
    days = [datetime.date(2027, 1, 1) + datetime.timedelta(day) for day in range(728)]
    for day in map(cards_of, days):
        assert PUZZLES[day.mini.puzzle].board != PUZZLES[day.today.puzzle].board, day.date
    assert len({cards_of(day).today for day in days}) == 728
    for weekday in range(7):
        minis = [cards_of(day).mini for day in days[weekday::7]]
        assert all(len({*minis[week : week + 40]}) == 40 for week in range(65))


def test_pages_of_days_name_their_cards(client: FlaskClient) -> None:
    today = datetime.datetime.now(UTC).date()
    assert f'data-card="daily/{today}"' in client.get("/daily").text
    assert 'data-card="daily/2026-01-01/mini"' in client.get("/daily/2026-01-01/mini").text
    assert f'data-day="{today}"' in client.get("/daily").text
    assert 'data-day="' not in client.get("/daily/2026-01-01").text


@pytest.mark.parametrize(("language", "written"), [("en", "Thu 1 Jan"), ("ja", "1月1日（木）")])
def test_date_of_a_card_is_written_short(client: FlaskClient, language: str, written: str) -> None:
    assert written in client.get(f"/daily/2026-01-01?lang={language}").text
