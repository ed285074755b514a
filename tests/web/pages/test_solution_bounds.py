"""The page of bounds along a solution: its figures against the table, and what it says without any."""

import re

import pytest
from flask.testing import FlaskClient

from tests.support.engine import find


def figures(text: str) -> list[list[int]]:
    """Return the moves left and the bounds of each row."""
    rows = re.findall(r"<tr>\s*<th scope=\"row\">.*?</tr>", text, re.DOTALL)
    return [[int(number) for number in re.findall(r"value=\"(\d+)\"", row)] for row in rows]


@pytest.mark.parametrize(
    ("puzzle_id", "columns", "first"),
    [("hoppers", 1, [7, 4]), ("eight-puzzle", 3, [31, 21, 23, 25])],
)
def test_no_bound_says_more_than_is_left(
    client: FlaskClient, puzzle_id: str, columns: int, first: list[int]
) -> None:
    text = client.get(f"/puzzles/{puzzle_id}/bounds").text
    rows, puzzle = figures(text), find(puzzle_id)
    assert rows[0] == first and len(rows) == first[0] + 1
    links = re.findall(r"<th scope=\"row\"><a href=\"[^\"]*position=([^&\"]*)", text)
    for (left, *bounds), position in zip(rows, links, strict=True):
        parsed = puzzle.parse(position)
        truth = puzzle.source(puzzle.parse_goal(None)).moves_left(parsed)
        assert left == truth and len(bounds) == columns and all(bound <= left for bound in bounds)


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("/puzzles/flip-it-8/bounds", "No method of this puzzle has a lower bound."),
        ("/puzzles/hoppers/bounds?position=o............", "there is nothing to compare"),
        ("/puzzles/hoppers/bounds?position=x", "&#39;x&#39;"),
        ("/puzzles/hoppers/bounds?lang=ja", "下限値が残り手数を上回ることはありません"),
    ],
)
def test_page_says_what_it_has(client: FlaskClient, address: str, sentence: str) -> None:
    answer = client.get(address)
    assert answer.status_code in (200, 400) and sentence in answer.text
