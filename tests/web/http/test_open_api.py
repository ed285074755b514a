"""What programs and pages of other sites rely on: tags, CORS, problems by RFC 9457, and the index."""

import datetime
import gzip
import re
from html import unescape

import pytest
from flask.testing import FlaskClient

import hoppers
from hoppers.web.api.summaries import SUMMARIES
from tests.translations import LANGUAGES

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
    exposed = client.get(path).headers.get("Access-Control-Expose-Headers", "")
    assert {"ETag", "Retry-After", "Link"} <= {*exposed.split(", ")} or not is_open
    assert "Access-Control-Allow-Credentials" not in client.get(path).headers


def test_browsers_may_ask_before_they_read(client: FlaskClient) -> None:
    headers = client.options(POSITION, headers={"Origin": "https://example.org"}).headers
    assert headers["Access-Control-Max-Age"] == "86400"
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
        assert requests["/api/puzzles"] == "All puzzles" and all(requests.values())


BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_index_is_a_page_for_browsers_whose_examples_answer(client: FlaskClient, language: str) -> None:
    page = client.get("/api", headers={**BROWSER, "Accept-Language": language})
    assert page.mimetype == "text/html" and "Accept" in page.headers["Vary"]
    section = page.text.partition('id="addresses"')[2].partition("</dl>")[0]
    links = [unescape(link) for link in re.findall(r'<dt><a href="([^"]+)"', section)]
    assert len(links) == len(client.get("/api").get_json()["requests"])
    for link in links:
        if not link.partition("?")[0].endswith(("/search", "/trace")):  # which compile
            assert client.get(link).status_code == 200, link


@pytest.mark.parametrize("accept", [None, "*/*", "application/json", "application/json, text/html;q=0.9"])
def test_index_is_json_for_programs(client: FlaskClient, accept: str | None) -> None:
    answer = client.get("/api", headers={"Accept": accept} if accept else {})
    assert answer.get_json()["requests"].keys() == {*SUMMARIES}


@pytest.mark.parametrize("address", ["/", "/lessons/1", "/puzzles/hoppers", "/atlas", "/data", "/nowhere"])
def test_every_page_links_to_the_index(client: FlaskClient, address: str) -> None:
    assert 'href="/api"' in client.get(address).text


def test_deal_needs_as_many_moves_as_asked_for(client: FlaskClient) -> None:
    for seed in range(5):
        address = f"/api/puzzles/hoppers/deals/easy?moves=5&seed={seed}"
        position = client.get(address).get_json()["position"]
        assert position == hoppers.puzzle("hoppers").random(seed, moves=5).text
        assert client.get(f"/api/puzzles/hoppers/positions/{position}").get_json()["moves_left"] == 5
    assert "no-store" in client.get("/api/puzzles/hoppers/deals/easy?moves=5").headers["Cache-Control"]
    for wrong in (
        "hoppers/deals/easy?moves=99",
        "hoppers/deals/easy?moves=x",
        "english-33/deals/easy?moves=5",
    ):
        refused = client.get(f"/api/puzzles/{wrong}")
        assert refused.status_code == 400 and refused.get_json()["error"]["message"]


def test_present_days_are_those_of_clocks_on_earth(client: FlaskClient) -> None:
    answer = client.get("/api/daily")
    days = answer.get_json()["days"]
    now = datetime.datetime.now(datetime.UTC)
    assert now.date().isoformat() in [day["date"] for day in days] and 2 <= len(days) <= 3
    assert answer.headers["Cache-Control"] == "no-store"
    for day in days:
        assert client.get(f"/api/daily/{day['date']}").get_json() == day
