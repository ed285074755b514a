"""Addresses of pages with positions in other notations."""

import pytest
from flask.testing import FlaskClient

NUMBERS = "1+5+9+13+2+6+10+14+3+7+11+15+4+8+12+0"


@pytest.mark.parametrize("page", ["", "/race", "/inside", "/explore", "/bounds", "/print"])
@pytest.mark.parametrize(
    "written", [NUMBERS, "159D26AE37BF48C0", "159d,26ae,37bf,48c0", "159d%0A26ae37bf48c_"]
)
def test_page_redirects_to_the_canonical_position(client: FlaskClient, page: str, written: str) -> None:
    answer = client.get(f"/puzzles/fifteen-puzzle{page}?lang=en&position={written}")
    assert answer.status_code == 302
    assert answer.headers["Location"] == f"/puzzles/fifteen-puzzle{page}?lang=en&position=159d26ae37bf48c0"


def test_other_parts_of_the_address_stay(client: FlaskClient) -> None:
    address = "/puzzles/hoppers/race?methods=corners&methods=deepening&find=first&position=oooooo.oooooo"
    answer = client.get(address.replace("oooooo.oooooo", "OOOOOO.OOOOOO"))
    assert (answer.status_code, answer.headers["Location"]) == (302, address)
    assert client.get(address).status_code == 200


def test_start_of_a_line_is_redirected(client: FlaskClient) -> None:
    answer = client.get("/puzzles/hoppers?start=1111110111111&line=0-6")
    assert answer.headers["Location"] == "/puzzles/hoppers?start=oooooo.oooooo&line=0-6"


def test_text_without_meaning_is_quoted_by_the_page(client: FlaskClient) -> None:
    answer = client.get("/puzzles/hoppers?position=oooooo?oooooo&lang=en")
    assert answer.status_code == 400
    assert "in hole 6" in answer.text


@pytest.mark.parametrize("part", ["", "/hint", "/solution", "/solutions"])
def test_api_answers_with_the_canonical_position(client: FlaskClient, part: str) -> None:
    places = [f"/api/puzzles/hoppers/positions/{text}{part}" for text in ("O O.OO.......O", "oo.oo.......o")]
    written, canonical = (client.get(place) for place in places)
    assert written.status_code == 200 and written.get_json() == canonical.get_json()
    assert written.get_json().get("position", "oo.oo.......o") == "oo.oo.......o"
