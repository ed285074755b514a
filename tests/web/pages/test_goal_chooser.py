"""Known results of problems: in the gallery, in the goal chooser, and in the API."""

import re
from html import unescape
from typing import Any

import pytest
from flask.testing import FlaskClient

from hoppers.analysis.atlas_results import known_result
from hoppers.tablebase.atlas_data import KnownResult
from hoppers.web.api.results import result_fields
from hoppers.web.http.i18n import gettext, localized
from tests.conftest import MakeApp
from tests.support.engine import PUZZLES, find
from tests.support.shorter_line import LATE, rest
from tests.translations import LANGUAGES

BOARDS = [puzzle for puzzle in PUZZLES.values() if puzzle.family == "pegs"]
MOST_BYTES = 30_000
WORDS = ["very easy", "easy", "medium", "hard", "very hard"]


def test_home_page_has_each_board_once(client: FlaskClient) -> None:
    page = client.get("/?lang=en").get_data(as_text=True)
    boards = page.split('<ul class="boards">')[1].split("</section>")[0]
    featured = {puzzle.id: puzzle.board for puzzle in PUZZLES.values() if puzzle.gallery.featured}
    shown = re.findall('data-puzzle="([^"]*)"', boards)
    assert len(shown) == len({featured[id].points for id in shown}) == len({*featured.values()})
    assert boards.count(">Flip It</p>") == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_goal_is_described(client: FlaskClient, language: str) -> None:
    """The rules and the legend of the goals describe the goal in the words of the puzzle."""
    for puzzle in {puzzle.family: puzzle for puzzle in PUZZLES.values()}.values():
        address = f"/puzzles/{puzzle.id}?lang={language}&goal="
        with client.application.test_request_context(address):
            what, handling = localized(puzzle.texts.last_piece), localized(puzzle.texts.handling)
            place = "hole" if puzzle.rules.multi_step_moves else "cell"
            expected = gettext(f"The {{what}} must end in {place} {{hole}}.", what=what, hole=2)
            legend = gettext("Goal: where the {what} ends", what=what)
        assert ("2" in puzzle.rules.goals) == (expected in client.get(f"{address}2").get_data(as_text=True))
        page = unescape(client.get(address + puzzle.goal).get_data(as_text=True))
        assert (len(puzzle.rules.goals) > 1) == (legend in page)
        assert handling in page


@pytest.mark.parametrize(
    ("puzzle_id", "start", "goal", "expected"),
    [
        (
            "hoppers",
            6,
            "6",
            "Hole 6: 7 moves, proved to be the fewest · 72 shortest solutions · very easy",
        ),
        ("hoppers", 6, "any", "Anywhere: 7 moves, proved to be the fewest · 80 shortest solutions"),
        ("triangle-15", 4, "4", "Hole 4: No solution: proved by exhaustive search"),
        (
            "english-33",
            16,
            "0",
            "Hole 0: No solution: proved by odd and even numbers of pegs (position classes)",
        ),
        ("diamond-41", 6, "12", "Hole 12: No solution: proved by weights of the holes (pagoda function)"),
        ("diamond-41", 0, "40", "Hole 40: No solution: proved by weights of the holes (pagoda function)"),
        (
            "diamond-41",
            1,
            "39",
            "Hole 39: No solution: proved by weights (pagoda functions) and all boards that they allow",
        ),
        ("diamond-41", 1, "3", "Hole 3: 26 moves, proved to be the fewest"),
    ],
)
def test_every_goal_shows_its_known_result(
    client: FlaskClient, puzzle_id: str, start: int, goal: str, expected: str
) -> None:
    puzzle = find(puzzle_id)
    text = puzzle.starts[str(start)]
    page = client.get(f"/puzzles/{puzzle_id}/goals?start={text}&goal={goal}").get_data(as_text=True)
    (said,) = re.findall(rf'value="{goal}" checked aria-label="([^"]*)"', page)
    assert said.startswith(expected)
    assert len(re.findall(r'type="radio"', page)) == puzzle.holes + 1
    whole = client.get(f"/puzzles/{puzzle_id}?start={text}&goal={goal}").get_data(as_text=True)
    assert whole.count(said) == 2  # at the chosen goal, and in the line about the goal


@pytest.mark.usefixtures("unproved_problems")
def test_every_page_shows_bounds_that_became_better(make_app: MakeApp) -> None:
    app = make_app()
    client, puzzle = app.test_client(), app.extensions["engine"].find("diamond-41")
    start, goal = puzzle.starts["6"], 9
    place = f"/puzzles/diamond-41/goals?start={start}&goal={goal}"
    assert "Hole 9: 27 moves are the best known, not proved; at least 22" in client.get(place).text
    bounds = puzzle.engine.bounds
    bounds.learn_line(puzzle, goal, puzzle.parse(LATE), rest(puzzle))
    bounds.raise_least(puzzle, goal, puzzle.parse(start), 23)
    expected = "26 moves are the best known, not proved; at least 23"
    answer = client.get(place)
    assert f"Hole 9: {expected}" in answer.text and answer.cache_control.max_age == 0
    assert expected in client.get(f"/puzzles/diamond-41?start={start}&goal=9").text
    atlas = client.get(f"/api/puzzles/diamond-41/atlas?start={start}")
    found = next(entry for entry in atlas.get_json()["goals"] if entry["goal"] == "9")
    assert (found["state"], found["moves"], found["least"]) == ("found", 26, 23)
    assert atlas.cache_control.no_store


def test_api_gives_the_solve_bits(client: FlaskClient) -> None:
    goals = client.get("/api/puzzles/hoppers/atlas").get_json()["goals"]
    assert next(goal["solve_bits"] for goal in goals if goal["goal"] == "6") == 6.39


def test_starts_show_their_number_of_goals(client: FlaskClient) -> None:
    page = client.get("/puzzles/diamond-41").get_data(as_text=True)
    labels = re.findall(r"<option[^>]*>([^<]*)</option>", page.split('name="start"')[1].split("</select>")[0])
    assert labels[:3] == ["0: no solution", "1: 2 goals", "2: no solution"] and len(labels) == 41


def test_rows_and_single_goals_are_listed_with_known_results(client: FlaskClient) -> None:
    for puzzle in (find("flip-it-6"), find("eight-puzzle")):
        page = client.get(f"/puzzles/{puzzle.id}/goals").get_data(as_text=True)
        assert 'select name="goal"' in page and "radio" not in page
        for goal in puzzle.rules.goals:
            known = known_result(puzzle, puzzle.start, goal)
            assert known and f": {known.moves} moves, the fewest</option>" in page
            assert f"{known.moves} moves, proved to be the fewest · {known.count} shortest solutions" in page
        assert len(client.get(f"/api/puzzles/{puzzle.id}/atlas").get_json()["goals"]) == len(
            puzzle.rules.goals
        )


def test_starts_and_goals_have_readable_names(client: FlaskClient) -> None:
    puzzle = find("fifteen-puzzle")
    page = unescape(client.get(f"/puzzles/{puzzle.id}?start={puzzle.start}").get_data(as_text=True))
    for problem in puzzle.gallery.problems:
        assert f">{problem.name}</option>" in page and f"({problem.start})" not in page
    assert ">in order: 48 moves, the fewest</option>" in page and "In order: 48 moves, proved to be" in page
    assert f"{puzzle.goal}: " not in page


def test_positions_outside_the_atlas_have_a_plain_choice(client: FlaskClient) -> None:
    for puzzle_id, position in (("hoppers", "oooooo......o"), ("flip-it-6", "bw_bbw")):
        edited = client.get(f"/puzzles/{puzzle_id}/goals?start={position}").get_data(as_text=True)
        assert 'select name="goal"' in edited and "moves" not in edited
        assert client.get(f"/api/puzzles/{puzzle_id}/atlas?start={position}").get_json()["goals"] == []


def test_api_returns_all_known_results(client: FlaskClient) -> None:
    puzzle = find("english-33")
    answer = client.get("/api/puzzles/english-33/atlas").get_json()
    assert answer["position"] == puzzle.start
    assert [entry["goal"] for entry in answer["goals"]] == list(puzzle.rules.goals)
    for entry in answer["goals"]:
        known = known_result(puzzle, puzzle.start, entry["goal"])
        assert known is not None and entry == result_fields(entry["goal"], known)


@pytest.mark.parametrize("puzzle_id", ["french-37", "diamond-41"])
def test_an_opening_has_the_verdict_and_bounds_of_the_atlas(client: FlaskClient, puzzle_id: str) -> None:
    puzzle, seen = find(puzzle_id), set()
    for hole in (1, 5, 12):
        start = puzzle.starts[str(hole)]
        for goal in puzzle.rules.goals:
            known = known_result(puzzle, start, goal)
            answer = client.get(f"/api/puzzles/{puzzle_id}/positions/{start}?goal={goal}").get_json()
            assert known is not None
            seen.add(known.state)
            if known.state == "proved":
                assert (answer["verdict"], answer["moves_left"]) == ("live", known.moves)
            elif known.state == "impossible":
                assert answer["verdict"] == "dead" and "bounds" not in answer
            else:
                verdict = "live" if known.moves else "unknown"
                assert (answer["verdict"], answer["moves_left"]) == (verdict, None)
                assert answer["bounds"] == {"least": known.least, "most": known.moves}
    assert len(seen) > 1


def test_positions_on_the_best_line_have_its_bounds(client: FlaskClient) -> None:
    puzzle = find("french-37")
    for start, goal in ((puzzle.start, puzzle.goal), (puzzle.starts["5"], "8")):
        known, answers = known_result(puzzle, start, goal), []
        for step in puzzle.steps(puzzle.parse(start)):
            for after in (step.after, *(later.after for later in puzzle.steps(step.after))):
                address = f"/api/puzzles/french-37/positions/{puzzle.format(after)}?goal={goal}"
                answers.append(client.get(address).get_json())
        assert known and known.moves
        for made in (1, 2):
            assert any(answer.items() >= _expected(known, made).items() for answer in answers)
        line = client.get(f"/api/puzzles/french-37/line?start={start}&goal={goal}").get_json()["start"]
        assert line.items() >= _expected(known, 0).items()


def _expected(known: KnownResult, made: int) -> dict[str, Any]:
    moves = (known.moves or 0) - made
    if known.state == "proved":
        return {"verdict": "live", "moves_left": moves}
    return {"verdict": "live", "moves_left": None, "bounds": {"least": known.least - made, "most": moves}}


def test_wrong_starts_and_goals_are_quoted(client: FlaskClient) -> None:
    for address in ("/api/puzzles/hoppers/atlas?start=oo", "/puzzles/hoppers/goals?start=oo"):
        assert client.get(address).status_code == 400
    answer = client.get("/puzzles/hoppers/goals?goal=99")
    assert answer.status_code == 400 and "99" in answer.get_data(as_text=True)


def test_goal_list_opened_in_a_tab_redirects_to_the_page(client: FlaskClient) -> None:
    """No browser shows the fragment without its page, or confuses the two in its cache."""
    query, tab = "goal=any&start=oooooo.oooooo&lang=ja", {"Accept": "text/html,application/xml;q=0.9,*/*"}
    led = client.get(f"/puzzles/hoppers/goals?{query}", headers=tab)
    assert (led.status_code, led.location) == (302, f"/puzzles/hoppers?{query}")
    assert client.get("/puzzles/hoppers/goals?goal=99", headers=tab).status_code == 400
    for name in ("puzzle_id", "endpoint", "_method", "_scheme", "_external", "_anchor"):
        led = client.get(f"/puzzles/hoppers/goals?{name}=ftp", headers=tab)
        assert (led.status_code, led.location) == (302, f"/puzzles/hoppers?{name}=ftp")
        for address in ("/", "/puzzles/hoppers"):  # each links to itself in the other language
            page = client.get(f"{address}?{name}=ftp")
            assert page.status_code == 200 and f"?{name}=ftp&amp;lang=en" in page.get_data(as_text=True)
        drawn = client.get(f"/puzzles/eight-puzzle?deal=any&{name}=ftp")
        assert drawn.status_code == 302 and drawn.location.startswith(
            f"/puzzles/eight-puzzle?deal=any&{name}=ftp&seed="
        )
    part = client.get(f"/puzzles/hoppers/goals?{query}")
    assert part.status_code == 200 and "Accept" in part.vary


def test_fragment_with_the_goals_is_small(client: FlaskClient) -> None:
    assert len(client.get("/puzzles/diamond-41/goals").get_data()) < MOST_BYTES
