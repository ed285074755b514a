"""oEmbed: pages of other sites turn a link to a puzzle into its board."""

import re
from html import unescape

import pytest
from flask.testing import FlaskClient

PAGE = "http://localhost/puzzles/hoppers?line=0-6&goal=6"


def test_page_leads_to_a_frame_with_its_position(client: FlaskClient) -> None:
    page = client.get(PAGE.removeprefix("http://localhost")).text
    [link] = re.findall(
        r'<link rel="alternate" type="application/json\+oembed" href="http://localhost(.*?)">', page
    )
    answer = client.get(unescape(link)).get_json()
    assert (answer["version"], answer["type"], answer["title"]) == ("1.0", "rich", "Hoppers 13")
    size = 'width="480" height="640" title="Hoppers 13"'
    found = re.fullmatch(rf'<iframe src="http://localhost(.*?)" {size}></iframe>', answer["html"])
    assert found
    end = client.get("/api/puzzles/hoppers/line?line=0-6&goal=6").get_json()["steps"][-1]["position"]
    frame = client.get(unescape(found[1]))
    assert frame.status_code == 200 and f'position="{end}"' in frame.text
    assert "frame-ancestors" not in frame.headers["Content-Security-Policy"]
    assert end in answer["thumbnail_url"]


def test_frame_is_no_larger_than_asked_for(client: FlaskClient) -> None:
    answer = client.get("/oembed", query_string={"url": PAGE, "maxwidth": 300, "maxheight": 9999}).get_json()
    assert (answer["width"], answer["height"]) == (300, 640)
    assert 'width="300" height="640"' in answer["html"]


@pytest.mark.parametrize(
    ("query", "status", "quoted"),
    [
        ({}, 404, "''"),
        ({"url": "http://elsewhere.example/puzzles/hoppers"}, 404, "elsewhere"),
        ({"url": "http://localhost/lessons/1"}, 404, "lessons"),
        ({"url": "http://localhost/puzzles/nosuch"}, 404, "nosuch"),
        ({"url": "http://localhost/puzzles/hoppers?position=zz"}, 400, "zz"),
        ({"url": PAGE, "format": "xml"}, 501, "xml"),
    ],
)
def test_other_links_are_refused(
    client: FlaskClient, query: dict[str, str], status: int, quoted: str
) -> None:
    answer = client.get("/oembed", query_string=query)
    assert answer.status_code == status and quoted in answer.get_json()["error"]["message"]
