"""Kept pages: equal to those made anew, in each language, on each day, and after a change of a record."""

import datetime
import re
from itertools import pairwise

import pytest
from flask import Flask
from flask.testing import FlaskClient

from hoppers.puzzles import PUZZLES
from tests.conftest import MakeApp
from tests.support.cold_start import cold
from tests.support.processes import finish_warmup
from tests.web.http.test_response_cache import given, same

STATES = ((False, 9, "en"), (False, 9, "ja"), (False, 33, "en"), (True, 33, "en"))
"""Whether a record has changed, the hour, and the language."""
TRUE = datetime.datetime
DAY = TRUE(2026, 12, 1, tzinfo=datetime.UTC)
LINK = re.compile(r'href="(/[^"?#]*)"')


def site(client: FlaskClient) -> list[str]:
    """Return addresses of pages without a query to which links lead from `/`, one of each view."""
    adapter = client.application.create_url_adapter(None) or client.application.url_map.bind("localhost")
    found, seen, views = ["/"], {"/"}, set[str]()
    for address in found:
        for link in LINK.findall(client.get(address).text):
            if link in seen or link.startswith("/static/"):
                continue
            seen.add(link)
            view, _ = adapter.match(link)
            if view not in views and client.get(link).mimetype == "text/html":
                views.add(view)
                found.append(link)
    return found


def set_clock(patch: pytest.MonkeyPatch, hours: float) -> None:
    """Stop the clock of the program `hours` after the beginning of a day, by UTC."""
    moment = DAY + datetime.timedelta(hours=hours)
    stopped = type("stopped", (TRUE,), {"now": staticmethod(moment.astimezone)})
    patch.setattr(datetime, "datetime", stopped)


def raise_bound(app: Flask) -> None:
    """Raise the lower bound of an open problem of the atlas."""
    puzzle = app.extensions["engine"].find("diamond-41")
    start = puzzle.parse(puzzle.starts["6"])
    puzzle.engine.bounds.raise_least(puzzle, puzzle.parse_goal("9"), start, 23)


@pytest.mark.slow
@pytest.mark.usefixtures("unproved_problems")
def test_kept_pages_equal_those_made_anew(make_app: MakeApp, monkeypatch: pytest.MonkeyPatch) -> None:
    apps = [make_app(), make_app(RESPONSE_CACHE_BYTES=0)]
    for app in apps:
        app.extensions["engine"].builds_large = False
    keeping, anew = (app.test_client() for app in apps)
    addresses = site(anew)
    states: dict[str, set[str]] = {address: set() for address in addresses}
    count = 0
    for is_changed, hours, language in STATES:
        set_clock(monkeypatch, hours)
        for app in apps:
            if is_changed:
                raise_bound(app)
        headers = {"Accept-Language": language}
        for address in addresses:
            expected = anew.get(address, headers=headers)
            before = given()
            keeping.get(address, headers=headers)
            assert same(keeping.get(address, headers=headers), expected), (address, language)
            count += given() > before
            states[address].add(expected.text)
    assert count > 0.8 * len(STATES) * len(addresses)
    changed = {address: len(texts) for address, texts in states.items()}
    assert (changed["/"], changed["/atlas"], changed["/about"]) == (3, 3, 2)


def test_the_front_page_changes_when_a_day_begins_anywhere(
    make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, count, pages = make_app().test_client(), given(), []
    for hours in (9.9, 9.99, 10.1, 11.9, 12.1, 23.9, 24.1):
        set_clock(monkeypatch, hours)
        pages.append(client.get("/").text)
    assert given() == count + 3
    assert [one == other for one, other in pairwise(pages)] == [True, False, True, False, True, False]


def test_a_page_of_the_start_up_is_replaced(make_app: MakeApp) -> None:
    apps = [make_app(), make_app(RESPONSE_CACHE_BYTES=0)]
    warmups = [cold(app, PUZZLES["triangle-15"]) for app in apps]
    keeping, anew = (app.test_client() for app in apps)
    address = "/puzzles/triangle-15"
    for client in (keeping, keeping, anew):
        assert client.get(address).status_code == 200
    for warmup in warmups:
        finish_warmup(warmup)
    assert keeping.get(address).text == keeping.get(address).text == anew.get(address).text


def test_pages_are_kept_by_site_and_without_a_query(new_client: FlaskClient) -> None:
    here, there = (
        new_client.get("/about", base_url=f"http://{host}").text for host in ("localhost", "127.0.0.1")
    )
    assert here.replace("//localhost/", "//127.0.0.1/") == there != here
    count = given()
    for _ in range(2):
        new_client.get("/about?x=1")
    assert given() == count
    new_client.set_cookie("lang", "ja")
    assert '<html lang="ja"' in new_client.get("/about").text


def test_a_page_with_an_open_verdict_is_not_kept(make_app: MakeApp, no_numpy_tables: None) -> None:
    app = make_app()
    warmup = cold(app, PUZZLES["triangle-15"])
    client, count = app.test_client(), given()
    for _ in range(2):
        assert client.get("/puzzles/triangle-15").cache_control.private
    assert given() == count
    finish_warmup(warmup)
    for _ in range(2):
        assert not client.get("/puzzles/triangle-15").cache_control.private
    assert given() == count + 1
