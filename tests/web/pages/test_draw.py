"""The page to draw a board, and the pages and answers of drawn boards."""

import json
import re

import pytest
from flask.testing import FlaskClient

from hoppers.core.drawings import common_id, drawing_of
from hoppers.web.pages.draw import load_samples
from tests.support.engine import ENGINE, PUZZLES

GALLERY = [sample.id for sample in load_samples() if sample.list == "first"]
OWN = "own-d-1a1a-e-1c-2a"
START = "oo.oooooooo"


def page_data(html: str) -> dict[str, object]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    assert found is not None
    data: dict[str, object] = json.loads(found[1])
    return data


@pytest.mark.parametrize("id", GALLERY)
def test_each_drawing_of_the_gallery_can_be_solved(id: str) -> None:
    puzzle = ENGINE.find(id)
    numbering = puzzle.rules.numbering
    assert numbering is not None
    moves, every = numbering.fewest_moves(-1), (1 << puzzle.holes) - 1
    assert any(moves[every ^ 1 << hole] < 255 for hole in range(puzzle.holes))


def test_page_names_listed_boards_however_they_are_turned(client: FlaskClient) -> None:
    known = page_data(client.get("/draw").text)["known"]
    assert isinstance(known, dict)
    for id in ("triangle-15", "english-33", "hoppers"):
        drawing = drawing_of(PUZZLES[id].board)
        assert drawing is not None
        assert known[common_id(drawing)]["address"] == f"/puzzles/{id}"


def test_front_page_has_four_doors_one_of_which_draws(client: FlaskClient) -> None:
    doors = re.search(r'<nav class="doors".*?</nav>', client.get("/").text, re.DOTALL)
    assert doors is not None and doors[0].count("<a ") == 4 and 'href="/draw"' in doors[0]


def test_other_drawings_are_refused_in_a_sentence(client: FlaskClient) -> None:
    answer = client.get("/draw?board=own-s-a1", headers={"Accept": "text/html"})
    assert answer.status_code == 404 and "own-s-a" in answer.text
    assert page_data(client.get("/draw?board=hoppers").text)["board"] == GALLERY[0]


@pytest.mark.parametrize(
    "path",
    [
        f"/puzzles/{OWN}?position={START}&goal=any",
        f"/puzzles/{OWN}/print?position={START}&goal=any",
        f"/puzzles/{OWN}/board.svg?position={START}",
        f"/puzzles/{OWN}/board.png?position={START}&size=100",
        f"/puzzles/{OWN}/review?start={START}&line=4-2",
        f"/api/puzzles/{OWN}",
        f"/api/puzzles/{OWN}/positions/{START}/hint",
        f"/api/puzzles/{OWN}/positions/{START}/solutions",
        f"/embed/{OWN}.json",
        "/puzzles/own-s-a",
        "/puzzles/own-s-c4c",
        "/puzzles/own-t-a-b-c-d-red",
    ],
)
def test_drawn_boards_have_what_every_board_has(client: FlaskClient, path: str) -> None:
    assert client.get(path).status_code == 200


def test_solvable_position_of_a_drawn_board_is_a_card(client: FlaskClient) -> None:
    page = client.get(f"/draw/{OWN}/{START}/any")
    assert page.status_code == 200 and "5 moves are enough." in page.text
    card = page_data(page.text)
    assert (card["card"], card["moves"]) == (f"draw/{OWN}/{START}/any", 5)
    review = client.get(f"/puzzles/{OWN}/review?start={START}&goal=any&card={card['card']}").text
    assert f'href="/draw/{OWN}/{START}/any"' in review


@pytest.mark.parametrize(
    "path",
    [
        "own-s-b-b/ooo./any",
        "own-s-c/o../any",
        f"own-s-f-f-f-f-f-f/.{35 * 'o'}/any",
        "hoppers/oooooo.oooooo/6",
    ],
)
def test_other_positions_are_played_on_the_game_page(client: FlaskClient, path: str) -> None:
    board, position, goal = path.split("/")
    answer = client.get(f"/draw/{path}")
    assert answer.status_code == 302
    assert answer.location == f"/puzzles/{board}?position={position}&goal={goal}"


def test_drawn_boards_are_in_no_list(client: FlaskClient) -> None:
    client.get(f"/puzzles/{OWN}")
    for path in ("/", "/api/puzzles", "/sw.js", "/atlas", "/data"):
        assert "/puzzles/own-" not in client.get(path).text
