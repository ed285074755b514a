"""What a page says about random play, against random games that are counted."""

import random
import re
from html import unescape

import pytest
from flask.testing import FlaskClient

from hoppers.analysis.card_data import load_cards
from hoppers.web.random_play import games_for_one
from tests import naive
from tests.support.engine import find

GAMES = 6_000
SENTENCES = {
    "en": "random play solves it once in ([0-9,]+) games",
    "ja": "でたらめに動かすと、([0-9,]+)回に1回解けます",
}
FEWEST = "random play solves it in the fewest moves once in ([0-9,]+) games"


def random_game(rng: random.Random, puzzle: str, start: str, goal: str) -> int | None:
    """Return the moves of a random game that ends solved, or None for others."""
    game, text, moves = naive.rules(puzzle), start, 0
    while steps := game.steps(text):
        _, _, text, cost = rng.choice(steps)
        moves += cost
    return moves if game.solved(text, goal) else None


def check_share(counted: int, stated: str, games: int = GAMES) -> None:
    """Check that a count is within five standard deviations of one in as many games as a page states."""
    expected = games / int(stated.replace(",", ""))
    assert abs(counted - expected) < 5 * expected**0.5, (counted, expected)


@pytest.mark.parametrize("puzzle", ["hoppers", "hoppers-red", "triangle-15-red"])
def test_random_play_solves_as_often_as_the_page_says(client: FlaskClient, puzzle: str) -> None:
    rng, own = random.Random(puzzle), find(puzzle)
    games = (random_game(rng, puzzle, own.start, own.goal) for _ in range(GAMES))
    counted = sum(moves is not None for moves in games)
    for language, sentence in SENTENCES.items():
        page = client.get(f"/puzzles/{puzzle}?lang={language}").get_data(as_text=True)
        check_share(counted, re.findall(sentence, page)[0])


def test_random_play_is_as_good_as_a_card_says(client: FlaskClient) -> None:
    card, rng = load_cards().decks["hoppers"].cards[0], random.Random(1)
    games = [random_game(rng, card.puzzle, card.position, card.goal) for _ in range(GAMES)]
    measures = client.get("/api/decks/hoppers?lang=en").get_json()["cards"][0]["measures"]
    check_share(games.count(card.moves), re.findall(FEWEST, " ".join(measures))[0])


@pytest.mark.parametrize("id", ["english-33", "french-37", "diamond-41"])
def test_boards_too_large_to_measure_state_no_share(client: FlaskClient, id: str) -> None:
    assert "random play" not in client.get(f"/puzzles/{id}?lang=en").get_data(as_text=True)
    goals = client.get(f"/api/puzzles/{id}/atlas").get_json()["goals"]
    assert all(goal["solve_bits"] is goal["fewest_bits"] is goal["difficulty"] is None for goal in goals)


@pytest.mark.parametrize(
    ("bits", "games"),
    [(0.0, "1"), (5.38, "42"), (6.39, "84"), (12.77, "7,000"), (38.98, "5.4 × 10¹¹"), (124.66, "3.4 × 10³⁷")],
)
def test_no_digit_is_shown_that_is_not_known(client: FlaskClient, bits: float, games: str) -> None:
    with client.application.test_request_context("/?lang=en"):
        assert games_for_one(bits) == games


def test_bars_deal_positions_with_their_moves(client: FlaskClient) -> None:
    page = client.get("/puzzles/hoppers/explore?goal=6").text
    links = [unescape(link) for link in re.findall(r'<th scope="row"><a href="([^"]+)"', page)]
    dealt = [link for link in links if "moves=" in link]
    assert len(dealt) > 5 and [link for link in dealt if link.endswith("moves=5")]
    for link in dealt[::3]:
        board = client.get(link)
        assert board.status_code == 302 and "goal=6" in board.location
        position = re.findall(r"position=([^&]+)", board.location)[0]
        answer = client.get(f"/api/puzzles/hoppers/positions/{position}?goal=6").get_json()
        assert answer["moves_left"] == int(link.rpartition("=")[2])
    for moves in ("99", "-1", "x", ""):
        answer = client.get(f"/puzzles/hoppers?goal=6&moves={moves}")
        assert answer.status_code == 400 and (moves in answer.text)
