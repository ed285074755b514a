"""Addresses of pages: canonical ones, redirects to them, trackers, and what crawlers may read."""

import re

import pytest
from flask.testing import FlaskClient

from tests.conftest import MakeApp
from tests.translations import LANGUAGES
from tests.web.raw_http import answer_to

ALMOST = {
    "/puzzles/Hoppers": "/puzzles/hoppers",
    "/puzzles/hoppers/": "/puzzles/hoppers",
    "/puzzles/Hoppers/": "/puzzles/hoppers",
    "/Puzzles/hoppers//": "/puzzles/hoppers",
    "//puzzles//hoppers": "/puzzles/hoppers",
    "/puzzles/hoppers/Race/": "/puzzles/hoppers/race",
    "/puzzles/English-33/Board.SVG": "/puzzles/english-33/board.svg",
    "/LESSONS/1/": "/lessons/1",
    "/Classics": "/classics",
    "/puzzles/Hoppers/?goal=4&lang=ja": "/puzzles/hoppers?goal=4&lang=ja",
    "/puzzles/hoppers/?position=%6f&x=a%26b": "/puzzles/hoppers?position=%6f&x=a%26b",
    "/puzzles/hoppers?position=o..o.........&amp;goal=3": "/puzzles/hoppers?position=o..o.........&goal=3",
    "/puzzles/hoppers?amp%3Bgoal=4": "/puzzles/hoppers?goal=4",
    "/puzzles/hoppers?a=1&amp;amp;goal=4": "/puzzles/hoppers?a=1&goal=4",
    "/puzzles/hoppers?utm_source=x&goal=4&fbclid=IwAR0": "/puzzles/hoppers?goal=4",
    "/puzzles/hoppers/board.svg?gclid=1&amp;msclkid=2": "/puzzles/hoppers/board.svg",
    "/?fbclid=1": "/",
    "//?utm_medium": "/",
    "/api/": "/api",
    "/api/puzzles/": "/api/puzzles",
    "/api/puzzles/hoppers/?lang=ja": "/api/puzzles/hoppers?lang=ja",
    "/lessons/2?mc_cid=a&mc_eid=b&igshid=c&_ga=d": "/lessons/2",
}  # fmt: skip


@pytest.mark.parametrize(("address", "page"), ALMOST.items(), ids=ALMOST)
def test_address_that_is_almost_right_finds_its_page(live_server: str, address: str, page: str) -> None:
    for host in ("localhost", "127.0.0.1"):
        request = f"GET {address} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        head, _ = answer_to(request.encode(), live_server)
        assert head.split()[1] == "308" and f"\r\nLocation: {page}\r\n" in head
    head, _ = answer_to(request.replace(address, page).encode(), live_server)
    assert head.split()[1] == ("400" if "position=%6f" in page else "200")


@pytest.mark.parametrize(
    "address",
    [
        "/puzzles/Nosuch", "/puzzles/nosuch/", "/Nothing/", "//evil.example",
        "//evil.example/puzzles/hoppers",
        "/\\evil.example", "/API/puzzles", "/api/Puzzles", "/api/puzzles//", "/api/Puzzles/", "/api/nothing/",
        "/api/puzzles/hoppers?utm_source=x",
        "/static//icon.svg", "/Static/icon.svg", "/%2fevil.example", "/puzzles/%0d%0aX:y/",
    ],
)  # fmt: skip
def test_other_addresses_stay_what_they_are(live_server: str, address: str) -> None:
    request = f"GET {address} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    head, _ = answer_to(request.encode(), live_server)
    assert head.split()[1] in ("200", "404") and "Location" not in head


@pytest.mark.parametrize(("short", "page"), [("/decks", "/#decks"), ("/archive", "/daily/archive")])
def test_shortened_address_leads_to_its_list(client: FlaskClient, short: str, page: str) -> None:
    answer = client.get(short)
    assert (answer.status_code, answer.location) == (302, page)


def test_only_reading_is_redirected(client: FlaskClient) -> None:
    assert client.head("/puzzles/Hoppers").status_code == 308
    assert client.post("/puzzles/Hoppers").status_code == 405


def test_links_of_a_page_carry_no_tracker(client: FlaskClient) -> None:
    page = client.get("/puzzles/hoppers?goal=4&utm_source=mail&fbclid=x", follow_redirects=True)
    assert page.status_code == 200 and "goal=4&amp;lang=ja" in page.text
    assert "utm_source" not in page.text and "fbclid" not in page.text


CANONICAL = {
    "/": "/",
    "/lessons": "/lessons",
    "/lessons/1?lang=en": "/lessons/1",
    "/lessons/1?lang=ja": "/lessons/1?lang=ja",
    "/classics?x=1": "/classics",
    "/puzzles/hoppers?goal=4": "/puzzles/hoppers",
    "/puzzles/hoppers?position=oooooo.oooooo&goal=6&lang=ja": "/puzzles/hoppers?lang=ja",
    "/puzzles/hoppers/race": "/puzzles/hoppers/race",
    "/puzzles/hoppers/print": "/puzzles/hoppers/print",
    "/puzzles/hoppers/explore": "/puzzles/hoppers/explore",
    "/puzzles/hoppers/inside": "/puzzles/hoppers/inside",
    "/puzzles/hoppers/bounds": "/puzzles/hoppers/bounds",
}


@pytest.mark.parametrize(("address", "page"), CANONICAL.items(), ids=CANONICAL)
def test_every_page_names_its_canonical_address(client: FlaskClient, address: str, page: str) -> None:
    found = re.findall('<link rel="canonical" href="(.*?)">', client.get(address).text)
    assert found == [f"http://localhost{page}"]


def test_canonical_address_and_preview_follow_the_allowed_host(make_app: MakeApp) -> None:
    client = make_app(HOSTS="puzzles.example", PROXIES=1).test_client()
    behind = {"X-Forwarded-Host": "puzzles.example", "X-Forwarded-Proto": "https"}
    page = client.get("/puzzles/hoppers?goal=4", headers=behind).text
    assert '<link rel="canonical" href="https://puzzles.example/puzzles/hoppers">' in page
    assert '<meta property="og:url" content="https://puzzles.example/puzzles/hoppers?goal=4">' in page
    assert '<meta property="og:image" content="https://puzzles.example/puzzles/hoppers/board.png' in page


LISTED = (
    "/",
    "/lessons/1",
    "/classics",
    "/puzzles/hoppers",
    "/puzzles/hoppers?goal=4",
    "/puzzles/hoppers/race",
)
NOT_LISTED = (
    "/puzzles/hoppers?position=oooooo.oooooo", "/puzzles/hoppers?line=0-6",
    "/puzzles/hoppers?start=oooooo.oooooo",
    "/puzzles/eight-puzzle?deal=any&seed=1", "/puzzles/hoppers/race?position=oooooo.oooooo",
    "/puzzles/hoppers/print?position=oooooo.oooooo", "/puzzles/hoppers/explore", "/puzzles/hoppers/inside",
    "/puzzles/hoppers/explore?position=oooooo.oooooo", "/nothing", "/puzzles/nosuch",
)  # fmt: skip


def test_crawlers_list_pages_but_no_positions(client: FlaskClient) -> None:
    for address in LISTED:
        assert 'name="robots"' not in client.get(address).text, address
    for address in NOT_LISTED:
        assert client.get(address).text.count('<meta name="robots" content="noindex">') == 1, address


def is_forbidden(rules: list[str], address: str) -> bool:
    """Return whether robots.txt forbids an address: the longest rule decides (RFC 9309, section 2.2.2)."""
    matching = [
        (len(rule.split(": ")[1]), rule.startswith("Allow"))
        for rule in rules
        if re.match(re.escape(rule.split(": ")[1]).replace(r"\*", ".*"), address)
    ]
    return not max(matching, default=(0, True))[1]


def test_robots_read_pages_and_previews_only(client: FlaskClient) -> None:
    answer = client.get("/robots.txt")
    assert (answer.status_code, answer.mimetype) == (200, "text/plain")
    rules = re.findall(r"^(?:Dis)?[Aa]llow: .*$", answer.text.partition("User-agent: *\n")[2], re.MULTILINE)
    assert len(rules) > 10
    picture = "/puzzles/hoppers/board.png?position=oooooo.oooooo&goal=6"
    for address in ("/", "/lessons/1", "/puzzles/hoppers", "/puzzles/hoppers?goal=4&lang=ja", picture):
        assert not is_forbidden(rules, address), address
    places = [address for address in NOT_LISTED if "nothing" not in address and "nosuch" not in address]
    for address in (*places, "/api/puzzles", "/puzzles/hoppers?goal=4&position=oooooo.oooooo"):
        assert is_forbidden(rules, address), address


ADDRESSES = ("/", "/lessons/1", "/puzzles/hoppers", "/puzzles/hoppers/explore")
VERDICT = "/api/puzzles/hoppers/positions/oooooo.oooooo"


def test_vary_names_the_language_only_if_headers_decide_it(client: FlaskClient) -> None:
    for address in ADDRESSES:
        assert {"Accept-Language", "Cookie"} <= set(client.get(address).vary), address
        assert {"Accept-Language", "Cookie"} <= set(client.get(f"{address}?lang=xx").vary), address
        for language in LANGUAGES:
            vary = client.get(f"{address}?lang={language}").vary
            assert not {"accept-language", "cookie"} & {name.lower() for name in vary}, address
    for address in (
        "/api/puzzles",
        VERDICT,
        f"{VERDICT}/hint",
        f"{VERDICT}/reason",
        "/robots.txt",
        "/healthz",
    ):
        assert not {"accept-language", "cookie"} & {name.lower() for name in client.get(address).vary}, (
            address
        )
