"""The home page, the archive of the days, and the manifest of the installable app."""

import datetime
import json
import re
from typing import Any

import pytest
from flask.testing import FlaskClient

from hoppers.analysis.card_data import cards_of, present_dates
from hoppers.analysis.first_boards import load_first_boards
from tests.naive import Rules, fewest_moves, rules

UTC = datetime.UTC
GAME = re.compile(
    r'<(?:main|template)[^>]* data-game="([^"]+)".*?<script type="application/json" id="game">(.*?)</script>',
    re.DOTALL,
)


def games_in(page: str) -> dict[str, dict[str, Any]]:
    """Return the data of all games of the home page, by id."""
    return {name: json.loads(data) for name, data in GAME.findall(page)}


@pytest.mark.parametrize(
    ("now", "dates"),
    [
        ("2026-11-27T09:59:59", ["2026-11-26", "2026-11-27"]),
        ("2026-11-27T10:00:00", ["2026-11-26", "2026-11-27", "2026-11-28"]),
        ("2026-11-27T12:00:00", ["2026-11-27", "2026-11-28"]),
        ("2026-12-31T23:59:59", ["2026-12-31", "2027-01-01"]),
    ],
)
def test_present_dates_are_those_of_all_clocks(now: str, dates: list[str]) -> None:
    found = present_dates(datetime.datetime.fromisoformat(now).replace(tzinfo=UTC))
    assert [str(date) for date in found] == dates


def test_home_page_holds_the_games_of_all_present_days(client: FlaskClient) -> None:
    now = datetime.datetime.now(UTC)
    page = client.get("/?lang=en")
    games = games_in(page.text)
    days = [cards_of(date) for date in present_dates(now)]
    ids = {f"daily/{day.date}{kind}" for day in days for kind in ("", "/mini")}
    assert set(games) == {*ids, "first"}
    for day in days:
        for card, kind in ((day.today, ""), (day.mini, "/mini")):
            data = games[f"daily/{day.date}{kind}"]
            assert data["card"] == f"daily/{day.date}{kind}" and data["address"] == f"/daily/{day.date}{kind}"
            assert (data["puzzle"]["id"], data["line"]["start"]["position"]) == (card.puzzle, card.position)
            assert data["mode"]["isRated"] and "words" not in data
    assert page.headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize(("query", "suffix"), [("", ""), ("card=mini", "/mini"), ("card=xx", "")])
def test_without_scripts_the_card_of_utc_is_a_board(client: FlaskClient, query: str, suffix: str) -> None:
    card = f"daily/{datetime.datetime.now(UTC).date()}{suffix}"
    page = client.get(f"/?{query}").text
    opening = page.split("<main ")[1].split(">")[0]
    assert f'data-card="{card}"' in opening
    shown = page.split("<main ")[1].split("<template")[0]
    position = opening.split('data-position="')[1].split('"')[0]
    assert [cell for cell in re.findall(r'data-cell="(.)"', shown)] == list(position)
    assert 'data-verdict="hidden"' in shown and "data-moves-left" not in shown


def reachable(game: Rules, start: str) -> set[str]:
    """Return all positions that play can reach, by trying everything."""
    found, waiting = {start}, [start]
    while waiting:
        for _, _, after, _ in game.steps(waiting.pop()):
            if after not in found:
                found.add(after)
                waiting.append(after)
    return found


def test_boards_of_a_first_visit_cannot_be_lost() -> None:
    """They teach one thing each: a jump, and a run of jumps that is one move."""
    boards = load_first_boards()
    assert [board.position.count("o") for board in boards] == [3, 5]
    assert len({(board.puzzle, board.goal) for board in boards}) == 1
    for board in boards:
        game = rules(board.puzzle)
        ends = [text for text in reachable(game, board.position) if not game.steps(text)]
        assert all(game.solved(text, board.goal) for text in ends)
        assert fewest_moves(game, board.position, board.goal) == 2
    assert len(rules(boards[0].puzzle).steps(boards[0].position)) == 1


def test_first_visit_is_no_card(client: FlaskClient) -> None:
    data = games_in(client.get("/?lang=en").text)["first"]
    assert data["card"] is None and not any(data["mode"].values())
    lines = [lesson["line"]["start"]["position"] for lesson in data["lessons"]]
    assert lines == [board.position for board in load_first_boards()]


def test_archive_lists_the_days_of_a_month(client: FlaskClient) -> None:
    page = client.get("/daily/archive?month=2026-02&lang=en").text
    assert re.findall(r'data-day="(2026-02-\d\d)"', page) == [f"2026-02-{day:02}" for day in range(1, 29)]
    assert 'data-day="2026-02-28/mini"' in page
    assert "month=2026-01" in page and "month=2026-03" in page
    assert "month=2025-12" not in client.get("/daily/archive?month=2026-01").text
    now = client.get("/daily/archive").text
    last = present_dates(datetime.datetime.now(UTC))[-1]
    assert f'data-day="{last}"' in now and f'data-day="{last + datetime.timedelta(1)}"' not in now
    assert "2026年2月" in client.get("/daily/archive?month=2026-02&lang=ja").text


@pytest.mark.parametrize("month", ["2025-12", "2026-13", "9999-01", "x", "2026-1", "2026-01-01"])
def test_months_without_cards_are_refused(client: FlaskClient, month: str) -> None:
    answer = client.get(f"/daily/archive?month={month}")
    assert answer.status_code == 404 and month in answer.text


def test_app_has_one_name_and_shortcuts(client: FlaskClient) -> None:
    manifest = client.get("/manifest.webmanifest?lang=en").get_json()
    assert {manifest["name"], manifest["short_name"]} == {"Hoppers"} and manifest["id"] == "/"
    assert manifest["description"]
    addresses = [shortcut["url"] for shortcut in manifest["shortcuts"]]
    assert addresses[:2] == ["/daily", "/?card=mini"] and "/decks/hoppers" in addresses
    for address in addresses:
        assert client.get(address).status_code == 200


@pytest.mark.parametrize("language", ["en", "ja"])
def test_app_shows_small_screenshots_when_it_is_installed(client: FlaskClient, language: str) -> None:
    shown = client.get(f"/manifest.webmanifest?lang={language}").get_json()["screenshots"]
    assert {each["form_factor"] for each in shown} == {"wide", "narrow"}
    for each in shown:
        picture = client.get(each["src"])
        assert picture.mimetype == each["type"] and len(picture.data) < 60_000
        width, height = jpeg_size(picture.data)
        assert each["sizes"] == f"{width}x{height}" and max(width, height) <= 2.3 * min(width, height)
    assert client.get("/screenshots/none-en.jpg").status_code == 404


def jpeg_size(data: bytes) -> tuple[int, int]:
    """Return width and height of a JPEG, from its frame header."""
    place = 2
    while not 0xC0 <= data[place + 1] <= 0xC3:
        place += 2 + int.from_bytes(data[place + 2 : place + 4])
    height, width = (int.from_bytes(data[place + start : place + start + 2]) for start in (5, 7))
    return width, height


def test_pages_are_titled_by_the_name_of_the_app(client: FlaskClient) -> None:
    for path in ("/", "/daily", "/daily/archive", "/decks/hoppers", "/lessons", "/puzzles/hoppers"):
        for language, name in (("en", "Hoppers"), ("ja", "ホッパーズ")):
            title = client.get(f"{path}?lang={language}").text.split("<title>")[1].split("</title>")[0]
            assert title.endswith(name)


def test_ideas_and_odds_of_a_deck_are_hidden_until_solved(client: FlaskClient) -> None:
    page = client.get("/decks/hoppers?lang=en").text
    assert page.count('<span class="turned" hidden>') == 40
    outside = re.sub(r'<span class="turned" hidden>.*?</small></span>', "", page)
    assert "by luck" in page and "exactly one shortest" in page
    assert "exactly one shortest" not in outside and "by luck" not in outside
