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
DATA = re.compile(r'<script type="application/json" id="(data|game)">(.*?)</script>', re.DOTALL)


def data_in(page: str) -> dict[str, dict[str, Any]]:
    """Return the data of a card page, `data`, and those of its first steps, `game`."""
    return {name: json.loads(data) for name, data in DATA.findall(page)}


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


def test_front_page_is_the_page_of_one_card(client: FlaskClient) -> None:
    today = datetime.datetime.now(UTC).date()
    page = client.get("/?lang=en")
    data, card = data_in(page.text)["data"], cards_of(today).today
    assert data["card"] == f"daily/{today}" and data["address"] == f"/daily/{today}"
    assert (data["puzzle"]["id"], data["line"]["start"]["position"]) == (card.puzzle, card.position)
    assert data["moves"] == card.moves and data["mode"]["isRated"]
    assert page.text.count('id="board"') == 2, "the card and the first steps, in a template"
    assert page.text.count("<template") == 1
    assert f'data-days="{" ".join(map(str, present_dates(datetime.datetime.now(UTC))))}"' in page.text
    assert page.headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize(
    "path", ["/", "/?card=mini", "/daily/2026-03-01", "/daily/2026-03-01/mini", "/decks/hoppers/1"]
)
def test_cards_have_one_page(client: FlaskClient, path: str) -> None:
    """It says in a heading how many moves are enough, has four tools, and all others in a menu."""
    page = client.get(path, query_string={"lang": "en"} if "?" not in path else None).text
    shown = re.sub(r"<template.*?</template>", "", page, flags=re.DOTALL)
    moves = data_in(page)["data"]["moves"]
    assert re.findall(r"<h1>(.*?)</h1>", shown)[0].endswith(f"<b>{moves} moves are enough.</b>")
    assert shown.count("<h1") == 1
    tools = shown.split('<div class="controls">')[1].split("</div>")[0]
    assert re.findall(r'<button[^>]* id="(\w+)"', tools) == ["undo", "restart", "hint", "more"]
    menu = shown.split('id="card-menu"')[1].split("</div>\n</div>")[0]
    assert {"redo", "check", "solution", "study", "sound"} <= set(
        re.findall(r'<(?:button|a) [^>]*id="(\w+)"', menu)
    )
    assert not {"search", "new", "setup", "eye"} & set(re.findall(r' id="(\w+)"', shown))


def test_preview_names_day_and_card_and_gives_nothing_away(client: FlaskClient) -> None:
    for path in ("/", "/daily/2026-03-01", "/decks/hoppers/1"):
        page = client.get(path, query_string={"lang": "en"}).text
        data = data_in(page)["data"]
        shown = dict(re.findall(r'<meta property="og:(\w+)" content="([^"]*)">', page))
        start = data["line"]["start"]["position"]
        assert f"{data['moves']} moves are enough." in shown["description"]
        assert f"position={start}" in shown["image"] and "line" not in shown["image"]
        assert shown["url"].endswith(data["address"]) and " · " in shown["title"]


def test_line_in_the_address_of_a_card_is_offered(client: FlaskClient) -> None:
    card = client.get("/api/decks/hoppers").get_json()["cards"][0]
    moves = client.get(
        f"/api/puzzles/{card['puzzle']}/positions/{card['position']}/solution?goal={card['goal']}"
    ).get_json()["moves"]
    line = ".".join("-".join(map(str, move)) for move in moves)
    page = client.get("/decks/hoppers/1", query_string={"line": line}).text
    data = data_in(page)["data"]
    assert data["offered"] == line and data["line"]["steps"] == []
    assert f'data-position="{card["position"]}"' in page
    assert client.get("/decks/hoppers/1?line=0-0").status_code == 400


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
    data = data_in(client.get("/daily/2026-03-01?lang=en").text)["game"]
    assert data["card"] is None and not data["mode"]["isKept"] and not data["mode"]["hasResult"]
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


def test_ideas_of_a_deck_are_hidden_until_solved(client: FlaskClient) -> None:
    page = client.get("/decks/hoppers?lang=en").text
    assert page.count('<span class="turned" hidden>') == 40
    outside = re.sub(r'<span class="turned" hidden>.*?</i></span>', "", page)
    assert "exactly one shortest" in page and "exactly one shortest" not in outside
    assert "by luck" not in page
