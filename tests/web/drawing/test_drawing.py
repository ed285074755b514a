"""Drawing of boards: geometry, stand-alone pictures and their options."""

import math
import re
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest
from flask.testing import FlaskClient

import hoppers
from hoppers.core.puzzle import Puzzle
from hoppers.drawing import board_picture
from hoppers.drawing.stand_alone import embedded_style
from tests import ROOT
from tests.conftest import running_app
from tests.support.engine import PUZZLES, one_of_each_kind

SVG = "{http://www.w3.org/2000/svg}"
EACH = pytest.mark.parametrize("puzzle", one_of_each_kind().values(), ids=list(one_of_each_kind()))
FIRST = next(iter(PUZZLES.values()))


@pytest.fixture(scope="module")
def client() -> Iterator[FlaskClient]:
    """Client shared by all tests: creating an application takes longer than drawing the pictures."""
    with running_app() as app:
        yield app.test_client()


def picture(client: FlaskClient, puzzle: Puzzle, **options: str) -> ElementTree.Element:
    """Return a picture without the digest in its ids and classes."""
    answer = client.get(f"/puzzles/{puzzle.id}/board.svg", query_string=options)
    assert answer.status_code == 200
    assert answer.mimetype == "image/svg+xml"
    (own,) = set(re.findall('(?: id="| class="| href="#|url\\(#)(h[0-9a-f]{8}-)', answer.text))
    return ElementTree.fromstring(answer.text.replace(own, ""))


def names_of(svg: str) -> set[str]:
    """Return all ids and classes of a picture, and those that its styles and references name."""
    tree = ElementTree.fromstring(svg)
    style = tree.findtext(f"{SVG}style", "")
    given = " ".join(f"{one.get('id', '')} {one.get('class', '')}" for one in tree.iter())
    return {
        *given.split(),
        *re.findall(r"\.([a-z][\w-]*)", style),
        *re.findall(r'(?:href="|url\()#([\w-]+)', svg),
    }


def test_no_two_pictures_share_an_id_or_a_class() -> None:
    starts = [hoppers.puzzle(id).position() for id in ("hoppers", "hoppers-red", "eight-puzzle", "flip-it-6")]
    pictures = [start.svg(theme=theme) for start in starts for theme in ("light", "dark")]
    pictures += [starts[0].svg(numbers=True), starts[0].svg(arrows=[[0, 6]]), starts[0].play([0, 6]).svg()]
    names = [names_of(picture) for picture in pictures]
    assert all(names) and len(set().union(*names)) == sum(map(len, names))


@EACH
def test_picture_has_all_pieces_and_references_nothing_outside(client: FlaskClient, puzzle: Puzzle) -> None:
    tree = picture(client, puzzle)
    pieces = tree.findall(f".//{SVG}g[@class='piece']")
    assert len(pieces) == sum(letter in board_picture.glyphs_of(puzzle) for letter in puzzle.start)
    known = {element.get("id") for element in tree.iter() if element.get("id")}
    used = {element.get("href", "")[1:] for element in tree.iter(f"{SVG}use")}
    painted = set(re.findall(r"url\(#([\w-]+)\)", ElementTree.tostring(tree, "unicode")))
    assert used | painted <= known
    assert "http" not in ElementTree.tostring(tree, "unicode").replace("http://www.w3.org/", "")


@pytest.mark.parametrize("name", ["hoppers", "eight-puzzle", "flip-it-6"])
@pytest.mark.parametrize("page", ["", "/explore", "/inside", "/race", "/print"])
def test_page_defines_the_pieces_of_its_own_puzzle(client: FlaskClient, name: str, page: str) -> None:
    text = client.get(f"/puzzles/{name}{page}").text
    defined = set(re.findall(' id="([^"]+)"', text))
    assert set(re.findall('<use href="#([^"]+)"', text)) <= defined
    own = set(board_picture.glyphs_of(PUZZLES[name]).values())
    assert {glyph for glyph in defined if re.fullmatch(r"peg|disc-[bw]|tile-\d+", glyph)} <= own


@EACH
def test_holes_lie_inside_the_board_and_the_view(puzzle: Puzzle) -> None:
    left, top, right, bottom = board_picture.frame_of(puzzle).box
    for x, y in puzzle.board.drawn:
        assert left + 50 <= x <= right - 50 and top + 50 <= y <= bottom - 50
    middles, size = board_picture.button_places(puzzle)
    assert all(0 < x < 100 and 0 < y < 100 for x, y in middles)
    assert 0 < size < 100


@EACH
def test_drawing_is_deterministic(client: FlaskClient, puzzle: Puzzle) -> None:
    first, second = (client.get(f"/puzzles/{puzzle.id}/board.svg").data for _ in range(2))
    assert first == second


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_embedded_style_has_no_variables(theme: str) -> None:
    style = embedded_style(ROOT / "static" / "css" / "board.css", theme)
    assert "var(" not in style and "light-dark(" not in style and "--" not in style
    assert ".slab" in style


def test_light_and_dark_styles_differ() -> None:
    light, dark = (
        embedded_style(ROOT / "static" / "css" / "board.css", theme) for theme in ("light", "dark")
    )
    assert light != dark


def luminance(colour: str) -> float:
    """Return the relative luminance of `#rrggbb` or `#rgb`, as WCAG defines it."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_marks_contrast_with_their_outline(theme: str) -> None:
    """Every mark is a bright line inside a dark one, to be visible on light and on dark pieces."""
    style = embedded_style(ROOT / "static" / "css" / "board.css", theme)
    edge = luminance(re.findall(r"\.m-wire \{[^}]*stroke: (#\w+)", style)[0])
    cores = re.findall(r"\.m-(?:can|last|active|hint|fatal) \{[^}]*stroke: (#\w+)", style)
    assert len(cores) == 5
    assert all((luminance(core) + 0.05) / (edge + 0.05) >= 3 for core in cores)


def test_options_change_the_picture(client: FlaskClient) -> None:
    tree = picture(client, FIRST, size="320", numbers="1", arrow="0-6.9-3", lastmove="2-0-6", theme="dark")
    assert tree.get("width") == "320"
    assert tree.get("class") == "numbered"
    assert len(tree.findall(f".//{SVG}g[@class='m-arrow']")) == 2
    assert len(tree.findall(f".//{SVG}use[@href='#m-last']")) == 3


def test_picture_shows_the_end_of_a_line(client: FlaskClient) -> None:
    line = {"start": FIRST.start, "line": "0-6.9-3"}
    end = client.get(f"/api/puzzles/{FIRST.id}/line", query_string=line).get_json()["steps"][-1]["position"]
    there, here = picture(client, FIRST, **line), picture(client, FIRST, position=end)
    assert ElementTree.tostring(there) == ElementTree.tostring(here)
    assert len(there.findall(f".//{SVG}g[@class='piece']")) == FIRST.start.count("o") - 2


def test_goal_is_marked_if_it_is_a_hole(client: FlaskClient) -> None:
    assert picture(client, FIRST, goal="3").find(f".//{SVG}g[@class='goal']") is not None
    assert picture(client, FIRST, goal="any").find(f".//{SVG}g[@class='goal']") is None


@pytest.mark.parametrize(
    "option",
    [
        ("size", "0"),
        ("size", "99999"),
        ("size", "1e3"),
        ("size", "²"),
        ("numbers", "yes"),
        ("arrow", "0-99"),
        ("arrow", "6-6"),
        ("arrow", "<script>"),
        ("lastmove", "3"),
        ("line", "3"),
        ("theme", "pink"),
        ("colour", "red"),
        ("position", "ooo"),
        ("goal", "z9"),
    ],
    ids=lambda option: "=".join(option),
)
def test_invalid_option_returns_a_picture_that_quotes_it(
    client: FlaskClient, option: tuple[str, str]
) -> None:
    answer = client.get(f"/puzzles/{FIRST.id}/board.svg", query_string=dict([option]))
    assert answer.status_code == 400
    assert answer.mimetype == "image/svg+xml"
    message = "".join(ElementTree.fromstring(answer.text).itertext())
    assert repr(option[1]) in message or repr(option[0]) in message


@EACH
def test_page_styles_place_every_hole(client: FlaskClient, puzzle: Puzzle) -> None:
    page = client.get(f"/puzzles/{puzzle.id}").text
    assert len(re.findall(r"\[data-hole=\"\d+\"\],\[data-place=", page)) == puzzle.holes


def test_hull_drops_points_inside_a_square() -> None:
    square = [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0)]
    assert set(board_picture.hull([*square, (5.0, 5.0), (5.0, 0.0)])) == set(square)


def test_swept_segment_is_a_stadium() -> None:
    path = board_picture.rounded_hull([(0, 0), (100, 0)], 10)
    assert path.count("A10 10 0 0 1") == 2
    assert "0 -10" in path and "100 10" in path


def test_arrow_points_from_hole_to_hole() -> None:
    shaft, head = board_picture.arrow((0, 0), (200, 0))
    tip = [float(value) for value in re.findall(r"[-\d.]+", head)[:2]]
    assert math.dist(tip, (200, 0)) < 40
    assert math.dist([float(value) for value in re.findall(r"[-\d.]+", shaft)[:2]], (0, 0)) < 60


def test_coordinates_have_at_most_one_decimal() -> None:
    assert [board_picture.number(value) for value in (1.0, -0.01, 0.25, -3.96)] == ["1", "0", "0.2", "-4"]
