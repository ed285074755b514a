"""What programs and pages of other sites rely on: tags, CORS, problems by RFC 9457, and the index."""

import gzip

import pytest
from flask.testing import FlaskClient

POSITION = "/api/puzzles/hoppers/positions/oooooo.oooooo"
PAGES = ("/", "/puzzles/hoppers", "/api/puzzles", "/puzzles/hoppers/board.svg", POSITION)


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("coding", ["identity", "gzip"])
def test_answers_have_tags_and_are_sent_once(client: FlaskClient, path: str, coding: str) -> None:
    headers = {"Accept-Encoding": coding, "Accept-Language": "en"}
    first = client.get(path, headers=headers)
    again = client.get(path, headers={**headers, "If-None-Match": first.headers["ETag"]})
    assert (first.status_code, again.status_code, again.data) == (200, 304, b"")
    assert again.headers["ETag"] == first.headers["ETag"]
    other = client.get(path, headers={**headers, "If-None-Match": '"another"'})
    assert (other.status_code, other.data) == (200, first.data)


def test_each_coding_has_its_own_tag(client: FlaskClient) -> None:
    plain, packed = (client.get("/api/puzzles", headers={"Accept-Encoding": c}) for c in ("identity", "gzip"))
    assert gzip.decompress(packed.data) == plain.data
    assert packed.headers["ETag"] != plain.headers["ETag"]


@pytest.mark.parametrize("path", ["/api/puzzles/hoppers/positions/oo.oooooooooo/hint?goal=99", "/healthz"])
def test_what_must_not_be_stored_has_no_tag(client: FlaskClient, path: str) -> None:
    answer = client.get(path)
    assert "no-store" in answer.headers["Cache-Control"] and "ETag" not in answer.headers


@pytest.mark.parametrize(
    ("path", "is_open"),
    [
        (POSITION, True),
        ("/api", True),
        ("/api/nothing", True),
        ("/embed/hoppers-board.js", True),
        ("/embed/hoppers.json", True),
        ("/static/embed/hoppers_board.js", True),
        ("/static/pages/play.js", True),
        ("/puzzles/hoppers/board.svg", True),
        ("/puzzles/hoppers/board.png?size=40", True),
        ("/", False),
        ("/puzzles/hoppers", False),
        ("/apiary", False),
    ],
)
def test_other_sites_may_read_data_and_pictures(client: FlaskClient, path: str, is_open: bool) -> None:
    assert client.get(path).headers.get("Access-Control-Allow-Origin") == ("*" if is_open else None)
    assert "Access-Control-Allow-Credentials" not in client.get(path).headers


def test_browsers_may_ask_before_they_read(client: FlaskClient) -> None:
    headers = client.options(POSITION, headers={"Origin": "https://example.org"}).headers
    assert headers["Access-Control-Allow-Methods"] == "GET, HEAD"


def test_errors_are_problems_too(client: FlaskClient) -> None:
    plain = client.get("/api/puzzles/hoper")
    asked = client.get("/api/puzzles/hoper", headers={"Accept": "application/problem+json"})
    assert (plain.mimetype, asked.mimetype) == ("application/json", "application/problem+json")
    problem = asked.get_json()
    assert {"error": problem["error"]} == plain.get_json()
    assert problem["error"]["message"] == problem["detail"]
    assert (problem["type"], problem["title"], problem["status"]) == ("/api#unknown_puzzle", "Not Found", 404)


def test_lists_of_solutions_lead_to_their_next_page(client: FlaskClient) -> None:
    path: str | None = f"{POSITION}/solutions?unique=1&limit=4"
    seen = []
    while path is not None:
        page = client.get(path).get_json()
        seen.append(len(page["solutions"]))
        path = page["next"]
    assert seen == [4, 4, 1]


def test_index_names_every_address(client: FlaskClient) -> None:
    for path in ("/api", "/api/"):
        requests = client.get(path, follow_redirects=True).get_json()["requests"]
        assert requests["/api/puzzles"].startswith("Return all puzzles")
        assert all(text.endswith(".") for text in requests.values())
