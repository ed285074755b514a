"""Pictures of results: the start, a medal, and signs that name no move."""

import html
import re
from xml.etree import ElementTree

import pytest
from flask.testing import FlaskClient

from hoppers.core.puzzle import Puzzle
from hoppers.web.drawing import result_picture
from tests.support.engine import PUZZLES


@pytest.mark.parametrize("puzzle", PUZZLES.values(), ids=list(PUZZLES))
def test_everything_is_inside_the_picture(client: FlaskClient, puzzle: Puzzle) -> None:
    answer = client.get(f"/puzzles/{puzzle.id}/result.svg?medal=optimal&signs={'bclaoh' * 16}")
    root = ElementTree.fromstring(answer.data)
    width, height = (float(root.attrib[name]) for name in ("width", "height"))
    places = [
        tuple(map(float, place))
        for place in re.findall(r'<g transform="translate\((\d+) (\d+)\)(?: scale\(3.4\))?">', answer.text)
    ]
    assert len(places) == 96 + 2  # the medal and the board
    assert all(12 <= x <= width - 12 and 12 <= y <= height - 12 for x, y in places)
    board = root.find("{http://www.w3.org/2000/svg}g/{http://www.w3.org/2000/svg}svg")
    assert board is not None
    left, top = places[0]
    assert left + float(board.attrib["width"]) <= width
    lowest = min(y for _, y in places[1:])
    assert top + float(board.attrib["height"]) <= lowest - 12


@pytest.mark.parametrize("medal", result_picture.MEDALS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_each_medal_has_a_shape_of_its_own(client: FlaskClient, medal: str, theme: str) -> None:
    drawn = {
        name: client.get(f"/puzzles/hoppers/result.svg?medal={name}&theme={theme}").text
        for name in result_picture.MEDALS
    }
    assert [name for name, text in drawn.items() if text == drawn[medal]] == [medal]


def test_only_what_is_solved_has_a_circle(client: FlaskClient) -> None:
    """A ring means "correct" to a Japanese reader: neither a lost game nor one not tried may have one."""
    sprite = client.get("/daily/archive").text
    signs = [sprite.split(f'id="s-{name}"')[1].split("</symbol>")[0] for name in ("new", "dead", "solved")]
    pictures = [client.get(f"/puzzles/hoppers/result.svg?medal={name}").text for name in ("lost", "solved")]
    medals = [text.rsplit("scale(3.4)", 1)[1] for text in pictures]
    assert ["<circle" in each for each in signs + medals] == [False, False, True, False, True]


def test_picture_is_of_the_start_in_every_case(client: FlaskClient) -> None:
    start = "o..o.oo...o.."
    text = client.get(f"/puzzles/hoppers/result.svg?start={start}&goal=any&signs=bb").text
    assert len(re.findall(r'class="h[0-9a-f]{8}-piece"', text)) == start.count("o")
    assert "arrow" not in text and "m-last" not in re.sub(
        r"<(style|defs)>.*?</\1>", "", text, flags=re.DOTALL
    )


@pytest.mark.parametrize(
    ("query", "quote"),
    [
        ("signs=bx", "'bx'"),
        (f"signs={'b' * 101}", "at most 100"),
        ("medal=gold", "'gold'"),
        ("start=zz", "zz"),
        ("goal=99", "99"),
        ("line=0-6", "'line'"),
        ("position=oooooo.oooooo", "'position'"),
        ("theme=pink", "'pink'"),
    ],
)
def test_invalid_option_is_quoted(client: FlaskClient, query: str, quote: str) -> None:
    for name in ("result.svg", "result.png"):
        answer = client.get(f"/puzzles/hoppers/{name}?{query}&lang=en")
        assert answer.status_code == 400
        assert name.endswith("png") or quote in html.unescape(answer.text)
