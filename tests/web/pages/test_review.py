"""The pages of the review and of what comes again."""

import json
import re
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.translations import LANGUAGES

LINE = "0-6.9-3.2-0-6"


def data_of(text: str) -> Any:
    """Return the data that a page has for its scripts."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found
    return json.loads(found[1])


def test_review_shows_the_start_of_its_line(client: FlaskClient) -> None:
    page = client.get(f"/puzzles/hoppers/review?line={LINE}")
    assert 'data-position="oooooo.oooooo"' in page.text and "noindex" in page.text
    assert len(data_of(page.text)["line"]["steps"]) == 4


def test_review_of_a_single_place_begins_there(client: FlaskClient) -> None:
    page = client.get("/puzzles/hoppers/review?position=..o..oooo...o:6")
    data = data_of(page.text)
    assert data["line"]["start"]["position"] == "..o..oooo...o:6" and data["line"]["steps"] == []


@pytest.mark.parametrize("query", ["line=0-1", "position=zz", "goal=99", "start=oo"])
def test_damaged_link_shows_its_fault(client: FlaskClient, query: str) -> None:
    page = client.get(f"/puzzles/hoppers/review?{query}")
    assert page.status_code == 400 and 'role="alert"' in page.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_page_has_the_texts_of_its_scripts(client: FlaskClient, language: str) -> None:
    page = client.get(f"/puzzles/hoppers/review?line={LINE}", headers={"Accept-Language": language})
    assert any(key.startswith("review.") for key in data_of(page.text)["words"])


def test_former_page_of_mistakes_leads_to_the_stream(client: FlaskClient) -> None:
    answer = client.get("/again")
    assert (answer.status_code, answer.location) == (308, "/stream")


def test_cards_state_no_measure_of_random_play(client: FlaskClient) -> None:
    for address in ("/decks/hoppers/1", "/daily/2026-01-01"):
        assert "random play" not in client.get(f"{address}?lang=en").text


def test_only_measured_problems_have_a_fact(client: FlaskClient) -> None:
    assert "random play solves it once in" in client.get("/puzzles/hoppers?lang=en").text
    assert "in the fewest moves once in" in client.get("/puzzles/flip-it-6?lang=en").text
    deck = client.get("/api/decks/eight-puzzle?lang=en").text
    assert re.search(r"once in [\d,]*,\d{3} games", deck), "readable"
    assert "random play solves" not in client.get("/puzzles/diamond-41?lang=en").text
    unlisted = client.get("/puzzles/hoppers?position=oo.o.oooo.o.o&lang=en")
    assert "random play solves" not in unlisted.text


@pytest.mark.parametrize("id", ["hoppers/1", "daily/2026-11-22", "daily/2026-11-22/mini", "stream/hoppers/x"])
def test_review_of_a_card_leads_back_to_it(client: FlaskClient, id: str) -> None:
    card = find_card(client, id)
    query = {"start": card["position"], "goal": card["goal"], "card": id}
    page = client.get(f"/puzzles/{card['puzzle']}/review", query_string=query).text
    address = {"s": "/stream/hoppers", "h": "/decks/hoppers/1"}.get(id[0], f"/{id}")
    assert page.count(f'href="{address}"') == 3, "arrow, title and key"
    for wrong in ({"start": "oooooo.oooooo", "goal": "6"}, {"card": "hoppers/99"}, {"card": "daily/x"}):
        query = {"start": card["position"], "goal": card["goal"], "card": "hoppers/1", **wrong}
        page = client.get("/puzzles/hoppers/review", query_string=query).text
        assert page.count('href="/puzzles/hoppers?position=') == 3


@pytest.mark.parametrize("id", ["hoppers/1", "daily/2026-11-22", "daily/2026-11-22/mini"])
def test_study_of_a_card_leads_back_to_it(client: FlaskClient, id: str) -> None:
    card = find_card(client, id)
    address = "/decks/hoppers/1" if id[0] == "h" else f"/{id}"
    study, proof, first_steps = re.findall(
        r'id="(?:study|to-proof)"[^>]* href="([^"]*)"', client.get(address).text
    )
    assert "card=" not in first_steps
    for link in (study, proof):
        page = client.get(link.replace("&amp;", "&")).text
        assert f'class="up tool" href="{address}"' in page
        assert f'data-position="{card["position"]}"' in page
    for wrong in ("hoppers/99", "daily/x", "//x", ""):
        page = client.get("/puzzles/hoppers", query_string={"card": wrong}).text
        assert 'class="up tool" href="/"' in page


def find_card(client: FlaskClient, id: str) -> dict[str, str]:
    """Return a card by its id from the API; for the stream any position."""
    if id.startswith("stream/"):
        return {"puzzle": "hoppers", "position": "..o..oooo...o", "goal": "any"}
    kind, name, *mini = id.split("/")
    if kind != "daily":
        return dict(client.get(f"/api/decks/{kind}").get_json()["cards"][int(name) - 1])
    day = client.get(f"/api/daily/{name}").get_json()
    return dict(day["mini"] if mini else day)
