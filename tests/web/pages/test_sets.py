"""Sets for a class: all in one link, made from links, the same however they are written."""

import json
import re
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest
from flask.testing import FlaskClient

PROBLEMS = [
    ("hoppers", "oooooo.oooooo", "6"),
    ("triangle-15", ".oooooooooooooo", "0"),
    ("flip-it-6", "_wbbbb", "any"),
]


def query_of(problems: list[tuple[str, str, str]]) -> str:
    names = ("puzzle", "position", "goal")
    return urlencode([part for problem in problems for part in zip(names, problem, strict=True)])


def data_of(page: str) -> Any:
    found = re.search(r'id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])["set"]


def links_of(page: str) -> list[str]:
    return [unescape(link) for link in re.findall(r'<li data-number="\d+"><a href="([^"]+)"', page)]


def test_set_leads_to_the_boards_of_its_problems(client: FlaskClient) -> None:
    answer = client.get(f"/set?{query_of(PROBLEMS)}")
    assert answer.status_code == 200
    links = links_of(answer.text)
    assert len(links) == len(PROBLEMS)
    for link, (puzzle, position, goal) in zip(links, PROBLEMS, strict=True):
        board = client.get(link)
        assert board.status_code == 200 and link.startswith(f"/puzzles/{puzzle}?")
        assert f'data-position="{position}" data-goal="{goal}"' in board.text


def test_set_is_made_from_links_of_positions_and_cards(client: FlaskClient) -> None:
    links = [
        "http://localhost/puzzles/hoppers?line=0-6&goal=6&lang=ja",
        "",
        "  /decks/hoppers/17  ",
        "https://elsewhere.example/Daily/2026-01-31/mini?x=1#s-6-2-cbbbbb",
        "/puzzles/flip-it-6",
    ]
    made = client.get("/set", query_string={"links": "\r\n".join(links)})
    assert made.status_code == 302
    found = data_of(client.get(made.location).text)["problems"]
    deck = client.get("/api/decks/hoppers").get_json()["cards"][16]
    mini = client.get("/api/daily/2026-01-31").get_json()["mini"]
    assert [(each["puzzle"], each["position"]) for each in found[1:3]] == [
        (card["puzzle"], card["position"]) for card in (deck, mini)
    ]
    line = client.get("/api/puzzles/hoppers/line?line=0-6&goal=6").get_json()
    assert found[0] == {"puzzle": "hoppers", "position": line["steps"][-1]["position"], "goal": "6"}
    assert found[3]["puzzle"] == "flip-it-6"


def test_other_notations_and_repetitions_lead_to_the_same_set(client: FlaskClient) -> None:
    written = [(puzzle, position.upper(), goal) for puzzle, position, goal in PROBLEMS[:1]]
    answer = client.get(f"/set?{query_of([*written, *PROBLEMS])}&lang=ja")
    assert answer.status_code == 302
    assert answer.location == f"/set?{query_of(PROBLEMS)}&lang=ja"


def test_sets_differ_in_their_ids(client: FlaskClient) -> None:
    sets = [PROBLEMS, PROBLEMS[:2], PROBLEMS[::-1], [("hoppers", "oooooo.oooooo", "0")]]
    ids = [data_of(client.get(f"/set?{query_of(each)}").text)["id"] for each in sets]
    assert len(set(ids)) == len(ids) and all(re.fullmatch(r"[0-9a-z]{5}", id) for id in ids)


def test_links_to_other_languages_keep_every_problem(client: FlaskClient) -> None:
    page = client.get(f"/set?{query_of(PROBLEMS)}&lang=en").text
    [link] = re.findall(r'lang="ja"[^>]* href="([^"]+)"', page)
    assert links_of(client.get(unescape(link), follow_redirects=True).text) == links_of(page)


@pytest.mark.parametrize(
    ("query", "quoted"),
    [
        ({"links": "/puzzles/hoppers\nhello"}, "hello"),
        ({"links": "/puzzles/nosuch"}, "nosuch"),
        ({"links": "/decks/hoppers/9999"}, "/decks/hoppers/9999"),
        ({"links": "/puzzles/hoppers?position=zz"}, "zz"),
        ({"puzzle": "hoppers", "position": ["oooooo.oooooo"] * 2, "goal": "6"}, "2 positions"),
        ({"puzzle": "hoppers", "position": "oooooo.oooooo", "goal": "99"}, "99"),
        ({"links": "\n".join(f"/decks/hoppers/{number}" for number in range(1, 12))}, "not 11"),
    ],
)
def test_wrong_sets_are_refused_and_their_links_kept(
    client: FlaskClient, query: dict[str, Any], quoted: str
) -> None:
    answer = client.get("/set", query_string={**query, "lang": "en"})
    assert answer.status_code == 400
    fault = re.search(r'class="fault-note" role="alert">(.*?)</p>', answer.text)
    assert fault and quoted in unescape(fault[1])
    assert unescape(answer.text).count(query.get("links", "\n")) >= 1


def test_set_is_offered_where_positions_are_chosen(client: FlaskClient) -> None:
    for page, number in (
        ("/puzzles/hoppers", 1),
        ("/daily/archive?month=2026-02", 10),
        ("/puzzles/hoppers/print?position=oooooo.oooooo&position=.oooooooooooo&goal=any", 2),
    ):
        [link] = re.findall(r'href="(/set\?[^"]+)#make"', client.get(page).text)
        answer = client.get(unescape(link), follow_redirects=True)
        assert len(links_of(answer.text)) == number, page
