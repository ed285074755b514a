"""The JSON API of puzzles and positions."""

import cmath
import itertools
import math
from itertools import pairwise
from typing import Any
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hoppers.analysis import verdicts
from hoppers.jobs.kernel_warmup import Warmup
from hoppers.tablebase.engine import Engine
from tests.conftest import MakeApp
from tests.support.cold_start import put_warmup
from tests.support.engine import PUZZLES
from tests.support.processes import finish_warmup

HOPPERS = "/api/puzzles/hoppers/positions/oooooo.oooooo"
PUBLISHED = [[0, 6], [9, 3], [2, 0, 6], [11, 1], [10, 0, 2, 6], [8, 4], [12, 2, 6]]


def get(client: FlaskClient, address: str) -> Any:
    response = client.get(address)
    assert response.status_code == 200, response.text
    return response.get_json()


def test_puzzles_are_listed_in_gallery_order(client: FlaskClient) -> None:
    listed = get(client, "/api/puzzles")["puzzles"]
    assert [puzzle["id"] for puzzle in listed] == list(PUZZLES)
    methods = listed[0].pop("methods")
    assert {"deepening", "corners", "best"} <= set(methods)
    assert listed[0] == {
        "id": "hoppers",
        "title": "Hoppers 13",
        "family": "pegs",
        "holes": 13,
        "start": "oooooo.oooooo",
        "goal": "6",
    }


@pytest.mark.parametrize("puzzle_id", PUZZLES)
def test_puzzle_answer_has_all_fields_needed_to_play(client: FlaskClient, puzzle_id: str) -> None:
    puzzle = get(client, f"/api/puzzles/{puzzle_id}")
    assert len(puzzle["points"]) == len(puzzle["drawn"]) == len(puzzle["start"]) == puzzle["holes"]
    assert all(isinstance(number, int) for point in puzzle["points"] for number in point)
    assert puzzle["problems"][0]["start"] == puzzle["start"]
    assert puzzle["goal"] in puzzle["goals"]
    assert puzzle["start"] in puzzle["starts"].values()
    assert set(puzzle["start"]) <= set(puzzle["alphabet"])
    assert list(puzzle["method_notes"]) == puzzle["methods"]
    assert {problem["goal"] for problem in puzzle["problems"]} <= set(puzzle["goals"])


DEAD = "/api/puzzles/hoppers/positions/o..o....o...o/reason?goal=6"
WITH_TEXTS = ["/api/puzzles", "/api/puzzles/eight-puzzle?", DEAD, "/embed/hoppers.json?"]


@pytest.mark.parametrize("address", WITH_TEXTS)
def test_texts_are_in_the_language_that_lang_names(new_client: FlaskClient, address: str) -> None:
    """The attack: one request with another header changes what a cache gives to all others."""
    address += "" if "?" in address else "?"
    new_client.set_cookie("lang", "ja")
    english = [new_client.get(address, headers={"Accept-Language": accepted}) for accepted in ("ja", "en")]
    japanese = new_client.get(f"{address}&lang=ja", headers={"Accept-Language": "en"})
    assert english[0].text == english[1].text == new_client.get(f"{address}&lang=en").text
    assert english[0].text != japanese.text and set(japanese.vary) <= {"Accept-Encoding"}
    assert set(english[0].vary) <= {"Accept-Encoding"}


def test_position_answer_has_verdict_and_graded_steps(client: FlaskClient) -> None:
    answer = get(client, HOPPERS)
    assert (answer["position"], answer["verdict"], answer["moves_left"]) == ("oooooo.oooooo", "live", 7)
    assert answer["steps"][0] == {
        "from": 0,
        "to": 6,
        "position": ".oo.ooooooooo",
        "cost": 1,
        "verdict": "live",
        "moves_left": 6,
    }
    assert [step["from"] for step in answer["steps"]] == [0, 2, 10, 12]


def test_verdicts_0_returns_only_immediate_verdicts(client: FlaskClient) -> None:
    address = "/api/puzzles/triangle-15/positions/.oooooooooo..oo"
    whole, quick = get(client, f"{address}?goal=any"), get(client, f"{address}?goal=any&verdicts=0")
    assert [step | {"verdict": "", "moves_left": None} for step in whole["steps"]] == [
        step | {"verdict": "", "moves_left": None} for step in quick["steps"]
    ]
    pairs = [(whole, quick), *zip(whole["steps"], quick["steps"], strict=True)]
    assert all(immediate["verdict"] in {"unknown", known["verdict"]} for known, immediate in pairs)
    assert any(immediate["verdict"] == "unknown" != known["verdict"] for known, immediate in pairs)


def test_verdicts_depend_on_position_and_goal(client: FlaskClient) -> None:
    assert get(client, "/api/puzzles/hoppers/positions/......o......")["verdict"] == "solved"
    dead = get(client, "/api/puzzles/hoppers/positions/o...........o")
    assert (dead["verdict"], dead["moves_left"], dead["steps"]) == ("dead", None, [])
    assert get(client, "/api/puzzles/hoppers/positions/o............?goal=0")["verdict"] == "solved"
    assert get(client, "/api/puzzles/hoppers/positions/o............?goal=any")["verdict"] == "solved"
    assert get(client, "/api/puzzles/hoppers/positions/o............")["verdict"] == "dead"
    unsolvable = get(client, "/api/puzzles/eight-puzzle/positions/123456870")
    assert (unsolvable["verdict"], unsolvable["moves_left"]) == ("dead", None)


def step_to(client: FlaskClient, position: str, origin: int, target: int) -> dict[str, Any]:
    """Return the graded step between two holes."""
    steps = get(client, f"/api/puzzles/hoppers/positions/{position}")["steps"]
    return next(step for step in steps if (step["from"], step["to"]) == (origin, target))


def test_hints_along_a_published_solution_stay_at_seven_moves(client: FlaskClient) -> None:
    position, started = "oooooo.oooooo", 0
    for move in PUBLISHED:
        for jump, (origin, target) in enumerate(pairwise(move)):
            step = step_to(client, position, origin, target)
            assert step["cost"] == (jump == 0)
            position, started = step["position"], started + step["cost"]
            hint = get(client, f"/api/puzzles/hoppers/positions/{position}/hint")
            assert started + hint["moves_left"] == 7
    assert hint == {"verdict": "solved", "moves_left": 0, "move": [], "step": None, "proved": True}


def test_hint_is_the_first_move_of_the_solution(client: FlaskClient) -> None:
    hint, solution = get(client, f"{HOPPERS}/hint"), get(client, f"{HOPPERS}/solution")
    assert solution["moves"][0] == hint["move"]
    assert hint["step"] == {"from": hint["move"][0], "to": hint["move"][1]}
    assert len(solution["moves"]) == solution["moves_left"] == 7


def test_dead_position_has_neither_hint_nor_solution(client: FlaskClient) -> None:
    dead = "/api/puzzles/hoppers/positions/o...........o"
    hint = get(client, f"{dead}/hint")
    assert hint == {"verdict": "dead", "moves_left": None, "move": [], "step": None, "proved": True}
    assert get(client, f"{dead}/solution") == {
        "verdict": "dead",
        "moves_left": None,
        "moves": [],
        "proved": True,
    }
    assert get(client, f"{dead}/solutions") == {
        "moves_left": None,
        "count": 0,
        "unique_count": 0,
        "solutions": [],
        "counting": None,
        "reason": None,
        "next": None,
    }


def test_pages_of_solutions_add_up_to_the_whole_list(client: FlaskClient) -> None:
    whole = get(client, f"{HOPPERS}/solutions")
    assert (whole["moves_left"], whole["count"], whole["unique_count"]) == (7, 72, 9)
    assert len(whole["solutions"]) == 72
    assert PUBLISHED in whole["solutions"]
    pages = [get(client, f"{HOPPERS}/solutions?limit=30&offset={offset}") for offset in (0, 30, 60, 90)]
    assert [len(page["solutions"]) for page in pages] == [30, 30, 12, 0]
    assert [solution for page in pages for solution in page["solutions"]] == whole["solutions"]


def test_unique_lists_solutions_up_to_symmetry(client: FlaskClient) -> None:
    unique = get(client, f"{HOPPERS}/solutions?unique=true")
    assert len(unique["solutions"]) == unique["unique_count"] == 9
    assert get(client, f"{HOPPERS}/solutions?unique=1&offset=8")["solutions"] == unique["solutions"][8:]


def test_answer_lists_at_most_a_hundred_solutions(client: FlaskClient) -> None:
    triangle = "/api/puzzles/triangle-15/positions/ooo.ooooooooooo/solutions"
    answer = get(client, f"{triangle}?goal=3&limit=1000")
    assert answer["count"] > 100 == len(answer["solutions"])
    assert answer["next"].endswith("?goal=3&limit=100&offset=100")
    assert get(client, f"{triangle}?goal=3&limit=0")["solutions"] == []


NO_NUMBER = {"number": None, "kind": None, "kinds": None, "counting": None}


def number_of(client: FlaskClient, puzzle: str, start: str, moves: list[list[int]], goal: str) -> Any:
    """Return the place of a solution in the list of all."""
    line = ".".join("-".join(map(str, move)) for move in moves)
    response = client.get(f"/api/puzzles/{puzzle}/number?start={start}&line={line}&goal={goal}")
    assert response.headers["Cache-Control"] == "public, max-age=3600"
    return response.get_json()


def drawn_symmetries(points: list[list[float]], start: str) -> list[dict[int, int]]:
    """Return the maps of holes that turn or mirror the drawing about its middle and keep the start."""
    middle = complex(*(sum(axis) / len(points) for axis in zip(*points, strict=True)))
    places = [complex(*point) - middle for point in points]
    found = []
    for mirror, angle in itertools.product((False, True), range(0, 360, 30)):
        turn = cmath.rect(1, math.radians(angle))
        images = [turn * (place.conjugate() if mirror else place) for place in places]
        at = [[hole for hole, place in enumerate(places) if abs(place - image) < 1] for image in images]
        if all(at) and all(start[hole] == start[to] for hole, (to,) in enumerate(at)):
            found.append({hole: to for hole, (to,) in enumerate(at)})
    return found


@pytest.mark.parametrize(
    ("puzzle", "start", "goal"),
    [
        ("hoppers", "oooooo.oooooo", "6"),
        ("hoppers", "o..oooo...o.o", "any"),
        ("hoppers-red", "oooooo.oooooo".replace("o", "r", 1), "any"),
        ("triangle-15", "oooo.o.ooo.oo..", "any"),
        ("flip-it-6", "bb_bbb", "2"),
    ],
)
def test_number_and_kind_of_a_line_are_places(
    client: FlaskClient, puzzle: str, start: str, goal: str
) -> None:
    address = f"/api/puzzles/{puzzle}/positions/{start}/solutions?goal={goal}"
    solutions, kinds = (get(client, f"{address}&unique={flag}")["solutions"] for flag in (0, 1))
    symmetries = drawn_symmetries(get(client, f"/api/puzzles/{puzzle}")["drawn"], start)
    for number, moves in enumerate(solutions, 1):
        images = [[[image[hole] for hole in move] for move in moves] for image in symmetries]
        (kind,) = [place for place, listed in enumerate(kinds, 1) if listed in images]
        expected = {"number": number, "kind": kind, "kinds": len(kinds), "counting": None}
        assert number_of(client, puzzle, start, moves, goal) == expected


def test_number_of_a_dead_start_needs_no_list(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "_graph", lambda *arguments: pytest.fail("a list is built"))
    response = client.get("/api/puzzles/fifteen-puzzle/number?start=123456789abcdfe0&line=14-15")
    assert response.get_json() == NO_NUMBER


def test_missing_number_of_a_line_is_not_cached(client: FlaskClient) -> None:
    response = client.get("/api/puzzles/hoppers/number?start=oooooo.oooooo&line=0-6")
    assert response.get_json() == NO_NUMBER
    assert response.headers["Cache-Control"] == "no-store"


def test_a_deal_is_cached_only_with_its_seed(client: FlaskClient) -> None:
    def control(query: str) -> str:
        return client.get(f"/api/puzzles/hoppers/deals/easy{query}").headers["Cache-Control"]

    assert (control(""), control("?seed=7")) == ("no-store", "public, max-age=3600")


@pytest.mark.parametrize("address", ["", "/hint", "/solution", "/solutions"])
def test_answers_about_positions_are_cacheable(client: FlaskClient, address: str) -> None:
    control = client.get(HOPPERS + address).headers["Cache-Control"]
    assert control == "public, max-age=3600"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(text=st.text("o.:06129x /", min_size=1, max_size=20) | st.text(max_size=30))
def test_any_text_is_a_position_or_an_error(client: FlaskClient, text: str) -> None:
    response = client.get(f"/api/puzzles/hoppers/positions/{quote(text, safe='')}")
    answer = response.get_json()
    assert response.status_code in (200, 308, 400, 404)
    assert answer is None or {"error"} == set(answer) or answer["position"] in (text, text.split(":")[0])


def test_moves_left_agree_with_the_best_step_throughout_a_game(client: FlaskClient) -> None:
    position = "oooooo.oooooo"
    while steps := get(client, f"/api/puzzles/hoppers/positions/{position}")["steps"]:
        left = get(client, f"/api/puzzles/hoppers/positions/{position}")["moves_left"]
        live = [step["cost"] + step["moves_left"] for step in steps if step["moves_left"] is not None]
        assert min(live, default=None) == left
        position = steps[-1]["position"]


@pytest.mark.usefixtures("no_numpy_tables")
def test_distribution_is_unavailable_until_kernels_are_compiled(
    make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app()
    engine = app.extensions["engine"] = Engine({"hoppers": PUZZLES["hoppers"]})
    engine.defer_kernels(engine.puzzles)
    put_warmup(app, warmup := Warmup(engine))
    monkeypatch.setattr("hoppers.web.current.KERNEL_WAIT_SECONDS", 0.01)
    response = app.test_client().get("/api/puzzles/hoppers/distribution")
    assert response.status_code == 503
    assert response.get_json()["error"]["code"] == "warming_up"
    assert response.headers["Retry-After"] == "2"
    finish_warmup(warmup)
    assert app.test_client().get("/api/puzzles/hoppers/distribution").status_code == 200


def test_rate_limit_counts_requests_by_address(make_app: MakeApp) -> None:
    app = make_app(API_RATE="3 per minute", PROXIES=1)
    client = app.test_client()
    for _ in range(3):
        assert client.get("/api/puzzles").status_code == 200
    refused = client.get("/api/puzzles/hoppers")
    assert refused.status_code == 429
    assert refused.get_json()["error"]["code"] == "too_many_requests"
    assert refused.headers["Retry-After"] == "60"
    assert client.get("/api/puzzles", headers={"X-Forwarded-For": "192.0.2.7"}).status_code == 200
    with client.get("/static/icon.svg") as picture:
        assert picture.status_code == 200
