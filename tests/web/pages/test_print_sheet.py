"""Sheets to print: each problem has its goal in words, and a code that leads to it."""

import re
from html import unescape

import pytest
from flask.testing import FlaskClient

POSITIONS = ["oooooo.oooooo", ".oooooooooooo", "oo..........o"]
DEAD = "Not every problem of this sheet can be solved"


def sheet(client: FlaskClient, puzzle: str, *query: tuple[str, str]) -> str:
    answer = client.get(f"/puzzles/{puzzle}/print", query_string=[*query, ("lang", "en")])
    assert answer.status_code == 200
    return answer.text


def addresses(page: str) -> list[str]:
    return [unescape(link) for link in re.findall(r'class="to-play">.*?<a href="([^"]+)"', page, re.DOTALL)]


def test_chosen_positions_lead_from_one_sheet_to_their_boards(client: FlaskClient) -> None:
    goals = ["6", "0", "any"]
    page = sheet(
        client, "hoppers", *(("position", text) for text in POSITIONS), *(("goal", goal) for goal in goals)
    )
    assert re.findall(r'data-position="([^"]+)" data-goal="(\w+)"', page) == [
        *zip(POSITIONS, goals, strict=True)
    ]
    assert (
        page.count('class="qr"') == 3 and len(set(re.findall(r'class="qrline"[^>]* d="([^"]+)"', page))) == 3
    )
    for address, position, goal in zip(addresses(page), POSITIONS, goals, strict=True):
        board = client.get(address.removeprefix("http://localhost"))
        assert board.status_code == 200 and f'data-position="{position}"' in board.text
        assert f'data-goal="{goal}"' in board.text


def test_other_notations_lead_to_the_same_sheet(client: FlaskClient) -> None:
    query = [("position", text.upper()) for text in POSITIONS]
    answer = client.get("/puzzles/hoppers/print", query_string=query, follow_redirects=True)
    assert re.findall(r'data-position="([^"]+)"', answer.text) == POSITIONS


def test_goal_is_said_in_words_and_remarks_are_left_out(client: FlaskClient) -> None:
    for goal, sentence in (("6", "must end in hole 6."), ("0", "must end in hole 0."), ("any", None)):
        page = sheet(client, "hoppers", ("position", POSITIONS[0]), ("goal", goal))
        assert sentence in page if sentence else "must end" not in page
        assert "Diamond 13" not in page and "Leave one peg." in page


def test_dead_position_is_pointed_out(client: FlaskClient) -> None:
    assert DEAD in sheet(client, "hoppers", ("position", POSITIONS[2]), ("goal", "6"))
    assert DEAD not in sheet(client, "hoppers", ("position", POSITIONS[0]), ("goal", "6"))


@pytest.mark.parametrize(
    "query",
    [
        [("position", POSITIONS[0])] * 13,
        [*(("position", text) for text in POSITIONS), ("goal", "6"), ("goal", "0")],
        [("position", POSITIONS[0]), ("goal", "99")],
    ],
)
def test_wrong_sheets_are_refused(client: FlaskClient, query: list[tuple[str, str]]) -> None:
    answer = client.get("/puzzles/hoppers/print", query_string=query)
    assert answer.status_code == 400 and "Traceback" not in answer.text
